/** Documents for tests: real files in a temporary folder, or files in memory whose times follow the clock of the test. */

import type { TestContext } from "node:test";
import type { FileStatus, FileSystem } from "../../deps.ts";
import type { DocumentOptions, DocumentProvider } from "../../lib/documents/mod.ts";
import type { Finding, LintOptions, Report } from "../../lib/documents/mod.ts";
import type { Change } from "../../lib/mcp/server/changes.ts";
import { loadPlatform } from "../../deps.ts";
import { documentProvider, DocumentStore, lint } from "../../lib/documents/mod.ts";
import { makeFolder } from "../harness/folder.ts";

/** The file system of the runtime that runs the tests. */
export const files: FileSystem = (await loadPlatform()).files;

type Test = Pick<TestContext, "after">;
/** Files by path, such as "adr/007-x.md". */
export type Contents = Readonly<Record<string, string | Uint8Array>>;

/** A real root with these files under `resources/`. */
export function makeRoot(test: Test, contents: Contents): string {
  const inner = Object.entries(contents).map(([name, text]) => [`resources/${name}`, text] as const);
  return makeFolder(test, Object.fromEntries(inner));
}

/** A store that was scanned. */
export async function openStore(
  system: FileSystem,
  root: string,
  { onfinding, onchange }: { onfinding?: Report; onchange?: (change: Change) => void } = {},
): Promise<DocumentStore> {
  const store = new DocumentStore(system, { root, onfinding }, onchange);
  await store.ready();
  return store;
}

/** A store of files in memory, by path below `resources/`. */
export function memoryStore(contents: Contents): Promise<DocumentStore> {
  return openStore(new MemoryFiles(contents, "/root/resources/").system, "/root");
}

/** The same as a provider that is ready. */
export async function memoryProvider(
  contents: Contents,
  options: DocumentOptions = {},
): Promise<{ files: MemoryFiles; provider: DocumentProvider }> {
  const files = new MemoryFiles(contents, "/root/resources/");
  const provider = documentProvider({ files: files.system }, { root: "/root", ...options });
  await provider.ready();
  return { files, provider };
}

/** Everything that `check` says of documents. */
export async function lintOf(contents: Contents, options: LintOptions = {}): Promise<Finding[]> {
  const store = await memoryStore(contents);
  return [...store.catalogue.findings, ...lint(store, options)];
}

/** Findings in short: "adr/1-x.md:3 link-dead". */
export function brief(findings: readonly Finding[]): string[] {
  return findings.map(({ file, line, rule }) => `${file}${line === undefined ? "" : `:${line}`} ${rule}`);
}

/** A file, or a folder with the names in it. */
interface Node {
  readonly identity: string;
  modified: number;
  bytes?: Uint8Array;
  readonly inner?: Set<string>;
}

/** Files in memory. A folder exists as long as something is in it, or was. */
export class MemoryFiles {
  /** The calls so far, in order: "open /root/resources/docs/a.md". */
  readonly calls: string[] = [];
  /** Called before each call of the file system; may change the files, or throw. */
  oncall: ((call: string) => void) | undefined;
  readonly #nodes = new Map<string, Node>();

  /** Makes files that were written a minute ago. */
  constructor(contents: Contents = {}, prefix = "") {
    for (const [path, content] of Object.entries(contents)) this.write(prefix + path, content);
    for (const node of this.#nodes.values()) node.modified -= 60_000;
  }

  /** Writes into a file, or a new one when there is none. */
  write(path: string, content: string | Uint8Array, modified: number = Date.now()): void {
    const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content;
    const file = this.#nodes.get(path);
    if (file) Object.assign(file, { bytes, modified });
    else {
      this.#nodes.set(path, { identity: crypto.randomUUID(), bytes, modified });
      this.#change(path).add(nameOf(path));
    }
  }

  /** Puts another file in the place of one. */
  replace(path: string, content: string, modified: number = Date.now()): void {
    this.remove(path);
    this.write(path, content, modified);
  }

  remove(path: string): void {
    this.#nodes.delete(path);
    this.#change(path).delete(nameOf(path));
  }

  /** The names in the folder of a path, which changes now. */
  #change(inner: string): Set<string> {
    const path = inner.slice(0, inner.lastIndexOf("/"));
    const folder = this.#nodes.get(path) ?? { identity: path, modified: 0, inner: new Set<string>() };
    if (!this.#nodes.has(path)) {
      this.#nodes.set(path, folder);
      if (path !== "") this.#change(path).add(nameOf(path));
    }
    folder.modified = Date.now();
    return folder.inner!;
  }

  readonly system: FileSystem = {
    separator: "/",
    list: (path) =>
      Array.from(this.#call("list", path).inner ?? [], (name) => ({
        name,
        kind: this.#nodes.get(`${path.replace(/\/$/, "")}/${name}`)!.bytes
          ? "file" as const
          : "directory" as const,
      })),
    status: (path) => toStatus(this.#call("status", path)),
    realPath: (path) => this.#call("realPath", path) && path,
    open: (path) => {
      const file = this.#call("open", path);
      return {
        status: () => toStatus(file),
        read: (length) => file.bytes!.slice(0, length),
        close: () => {},
      };
    },
  };

  #call(name: string, asked: string): Node {
    const path = asked.replace(/\/$/, "");
    this.calls.push(`${name} ${path}`);
    this.oncall?.(`${name} ${path}`);
    const node = this.#nodes.get(path);
    if (!node) throw Object.assign(new Error(`${path} is not there`), { code: "ENOENT" });
    return node;
  }
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

function toStatus({ identity, bytes, modified }: Node): FileStatus {
  return { kind: bytes ? "file" : "directory", size: bytes?.length ?? 0, modified, identity };
}
