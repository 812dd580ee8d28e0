/** Documents for tests: real files in a temporary folder, or files in memory whose times follow the clock of the test. */

import type { TestContext } from "node:test";
import type { FileStatus, FileSystem } from "../../deps.ts";
import type { Finding, Report } from "../../lib/documents/mod.ts";
import type { Change } from "../../lib/server/provider.ts";
import { loadPlatform } from "../../deps.ts";
import { Catalogue, DocumentStore, lint } from "../../lib/documents/mod.ts";
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

/** Everything that `check` says of documents. */
export async function lintOf(contents: Contents): Promise<Finding[]> {
  const store = await memoryStore(contents);
  return [...store.catalogue.findings, ...lint(store)];
}

/** Findings in short: "adr/1-x.md:3 link-dead". */
export function brief(findings: readonly Finding[]): string[] {
  return findings.map(({ file, line, rule }) => `${file}${line === undefined ? "" : `:${line}`} ${rule}`);
}

/** Only what a test needs of a catalogue of its own: the documents of a store with other members. */
export function changed(
  { catalogue }: DocumentStore,
  change: (key: string) => Partial<Catalogue["documents"][0]>,
): Catalogue {
  const documents = catalogue.documents.map((document) => ({ ...document, ...change(document.key) }));
  return new Catalogue(documents, catalogue.categories, []);
}

interface File {
  readonly identity: string;
  bytes: Uint8Array;
  modified: number;
}

/** Files in memory. A folder exists as long as something is in it, or was. */
export class MemoryFiles {
  /** The calls so far, in order: "open /root/resources/docs/a.md". */
  readonly calls: string[] = [];
  /** Called before each call of the file system; may change the files, or throw. */
  oncall: ((call: string) => void) | undefined;
  readonly #files = new Map<string, File>();
  /** When something in a folder came or went, by path. */
  readonly #folders = new Map<string, number>();
  /** What is in a folder, by path. */
  readonly #inner = new Map<string, Set<string>>();
  #identities = 0;

  /** Makes files that were written a minute ago. */
  constructor(contents: Contents = {}, prefix = "") {
    for (const [path, content] of Object.entries(contents)) {
      this.write(prefix + path, content, Date.now() - 60_000);
    }
    for (const folder of this.#folders.keys()) this.#folders.set(folder, Date.now() - 60_000);
  }

  /** Writes into a file, or a new one when there is none. */
  write(path: string, content: string | Uint8Array, modified: number = Date.now()): void {
    const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content;
    const file = this.#files.get(path);
    if (file) Object.assign(file, { bytes, modified });
    else {
      this.#files.set(path, { identity: String(++this.#identities), bytes, modified });
      this.#link(path);
    }
  }

  /** Puts another file in the place of one. */
  replace(path: string, content: string, modified: number = Date.now()): void {
    this.remove(path);
    this.write(path, content, modified);
  }

  remove(path: string): void {
    const [folder, name] = split(path);
    this.#files.delete(path);
    this.#inner.get(folder)?.delete(name);
    this.#folders.set(folder, Date.now());
  }

  #link(path: string): void {
    const [folder, name] = split(path);
    const isNew = !this.#folders.has(folder);
    this.#folders.set(folder, Date.now());
    const inner = this.#inner.get(folder) ?? new Set();
    this.#inner.set(folder, inner.add(name));
    if (isNew && folder !== "") this.#link(folder);
  }

  readonly system: FileSystem = {
    separator: "/",
    list: (path) => {
      this.#call("list", path);
      this.#status(path);
      return Array.from(this.#inner.get(path) ?? [], (name) => ({
        name,
        kind: this.#files.has(`${path}/${name}`) ? "file" as const : "directory" as const,
      }));
    },
    status: (path) => {
      this.#call("status", path);
      return this.#status(path);
    },
    realPath: (path) => {
      this.#call("realPath", path);
      this.#status(path);
      return path;
    },
    open: (path) => {
      this.#call("open", path);
      const file = this.#files.get(path);
      if (!file) throw new Error(`${path} is not there`);
      return { status: () => toStatus(file), read: (length) => file.bytes.slice(0, length), close: () => {} };
    },
  };

  #call(name: string, path: string): void {
    this.calls.push(`${name} ${path}`);
    this.oncall?.(`${name} ${path}`);
  }

  #status(path: string): FileStatus {
    const file = this.#files.get(path);
    if (file) return toStatus(file);
    const modified = this.#folders.get(path);
    if (modified === undefined) throw new Error(`${path} is not there`);
    return { kind: "directory", size: 0, modified, identity: path };
  }
}

function split(path: string): [folder: string, name: string] {
  const slash = path.lastIndexOf("/");
  return [path.slice(0, slash), path.slice(slash + 1)];
}

function toStatus({ identity, bytes, modified }: File): FileStatus {
  return { kind: "file", size: bytes.length, modified, identity };
}
