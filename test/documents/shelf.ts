/** What does a shelf look like in a test? Real files in a temporary folder, read through the platform of the runtime. */

import type { TestContext } from "node:test";
import type { DirectoryEntry, FileStatus, FileSystem } from "../../deps.ts";
import type { Finding } from "../../lib/documents/finding.ts";
import type { FoundFile } from "../../lib/documents/scan.ts";
import { loadPlatform } from "../../deps.ts";
import type { Catalogue } from "../../lib/documents/catalogue.ts";
import { indexFiles } from "../../lib/documents/index_files.ts";
import { lint } from "../../lib/documents/lint.ts";
import { scan } from "../../lib/documents/scan.ts";
import { Shelf } from "../../lib/documents/shelf.ts";
import { makeFolder } from "../harness/folder.ts";

/** The file system of the runtime that runs the tests. */
export const files: FileSystem = (await loadPlatform()).files;

type Test = Pick<TestContext, "after">;
type Contents = Readonly<Record<string, string | Uint8Array>>;

/** A shelf with these files under `resources/`, ready to be looked into. */
export async function makeShelf(test: Test, contents: Contents): Promise<Shelf> {
  const shelf = new Shelf(files, { root: makeRoot(test, contents) });
  await shelf.ready();
  return shelf;
}

/** A root with these files under `resources/`. */
export function makeRoot(test: Test, contents: Contents): string {
  const inner = Object.entries(contents).map(([name, text]) => [`resources/${name}`, text] as const);
  return makeFolder(test, Object.fromEntries(inner));
}

/** Everything that `check` says of documents, by file. */
export async function lintOf(test: Test, contents: Contents): Promise<Finding[]> {
  return lint(await makeShelf(test, contents));
}

/** The rules that were broken, with file and line: "adr/1-x.md:3 link-dead". */
export function brief(findings: readonly Finding[]): string[] {
  return findings.map(({ file, line, rule }) => `${file}${line === undefined ? "" : `:${line}`} ${rule}`);
}

/** Runs a generator to its end. */
export function finish<T>(steps: Generator<unknown, T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

/** The catalogue of some folders, all at once. */
export function index(
  shelves: Parameters<typeof indexFiles>[1],
  previous?: Catalogue,
  system: FileSystem = files,
): Catalogue {
  const known = previous &&
    { catalogue: previous, isBeingWritten: () => false, isKept: () => false, take: () => {} };
  return finish(indexFiles(system, shelves, known)).catalogue;
}

/** What a walk through a folder finds, as the category "docs". */
export function walk(
  folder: string,
  system: FileSystem = files,
): { found: FoundFile[]; findings: Finding[] } {
  const findings: Finding[] = [];
  const category = { name: "docs", path: folder, within: folder };
  const found = [...scan(system, category, (finding) => void findings.push(finding))]
    .filter((step) => typeof step !== "string");
  return { found, findings };
}

/** Files that exist in memory only, by absolute path, for shelves too large for a disk. */
export function memoryFiles(contents: ReadonlyMap<string, Uint8Array>): FileSystem {
  const folders = new Map<string, DirectoryEntry[]>();
  for (const path of contents.keys()) {
    const segments = path.split("/").slice(1);
    for (let depth = 0; depth < segments.length; depth++) {
      const folder = `/${segments.slice(0, depth).join("/")}`;
      const name = segments[depth]!;
      const kind = depth === segments.length - 1 ? "file" : "directory";
      const entries = folders.get(folder) ?? [];
      if (kind === "file" || !entries.some((entry) => entry.name === name)) entries.push({ name, kind });
      folders.set(folder, entries);
    }
  }
  const status = (path: string): FileStatus => {
    const size = contents.get(path)?.length;
    if (size === undefined && !folders.has(path)) throw new Error(`${path} is not there`);
    return { kind: size === undefined ? "directory" : "file", size: size ?? 0, modified: 0, identity: path };
  };
  return {
    separator: "/",
    list: (path) => folders.get(path) ?? [],
    status,
    realPath: (path) => path,
    open: (path) => ({ status: () => status(path), read: () => contents.get(path)!, close: () => {} }),
  };
}
