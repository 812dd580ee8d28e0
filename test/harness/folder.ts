/** Temporary folders that are removed after the test. */

import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative, sep } from "node:path";
import process from "node:process";

/** Makes a folder with these files in it, by relative path, and removes it after the test. */
export function makeFolder(
  test: { after(remove: () => void): void },
  files: Readonly<Record<string, string | Uint8Array>> = {},
): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "architrave-")));
  test.after(() => rmSync(folder, { recursive: true, force: true }));
  writeFiles(folder, files);
  return folder;
}

/** A path to listen on: that of a Unix domain socket in a folder of its own, and on Windows that of a named pipe. */
export function makeSocketPath(test: { after(remove: () => void): void }): string {
  if (process.platform === "win32") return `\\\\.\\pipe\\architrave-${crypto.randomUUID()}`;
  return `${makeFolder(test)}/rpc.sock`;
}

/** Writes files into a folder, with the folders that they need. */
export function writeFiles(folder: string, files: Readonly<Record<string, string | Uint8Array>>): void {
  for (const [name, content] of Object.entries(files)) {
    const path = join(folder, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content);
  }
}

/** The paths of all files below a folder, with slashes, sorted, without links. */
export function filesOf(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => relative(folder, join(parentPath, name)).replaceAll(sep, "/")).sort();
}

/** The text of all files below a folder, by their paths with slashes, sorted. Links that lead nowhere are left out. */
export function filesIn(folder: string): Record<string, string> {
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" }).sort();
  const isFile = (name: string) => {
    try {
      return statSync(join(folder, name)).isFile();
    } catch {
      return false;
    }
  };
  const files = names.filter(isFile);
  return Object.fromEntries(
    files.map((name) => [name.replaceAll(sep, "/"), readFileSync(join(folder, name), "utf8")]),
  );
}
