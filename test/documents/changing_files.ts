/** Which files change in a test? Files in memory, whose times are those of the clock that the test has stopped. */

import type { DirectoryEntry, FileStatus, FileSystem } from "../../deps.ts";

interface File {
  readonly identity: string;
  bytes: Uint8Array;
  modified: number;
}

/** Some files in folders. A folder is there for as long as something is in it, or was. */
export class ChangingFiles {
  /** The paths of the files that were opened, in order. */
  readonly opened: string[] = [];
  /** Is called before a file is opened; may change it. */
  onopen: ((path: string) => void) | undefined;
  readonly #files = new Map<string, File>();
  /** When something in them came or went, by path. */
  readonly #folders = new Map<string, number>();
  #identities = 0;

  constructor(texts: Readonly<Record<string, string>> = {}) {
    for (const [path, text] of Object.entries(texts)) this.write(path, text, Date.now() - 60_000);
    for (const folder of this.#folders.keys()) this.#folders.set(folder, Date.now() - 60_000);
  }

  /** Writes a file: a new one when there is none, else into the one that is there. */
  write(path: string, content: string | Uint8Array, modified: number = Date.now()): void {
    const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content;
    const file = this.#files.get(path);
    if (file) Object.assign(file, { bytes, modified });
    else {
      this.#files.set(path, { identity: String(++this.#identities), bytes, modified });
      this.#touchFolders(path);
    }
  }

  /** Puts another file in the place of one, or where there was none. */
  replace(path: string, content: string, modified: number = Date.now()): void {
    this.#files.delete(path);
    this.write(path, content, modified);
  }

  remove(path: string): void {
    this.#files.delete(path);
    this.#touchFolders(path);
  }

  #touchFolders(path: string): void {
    const folder = path.slice(0, path.lastIndexOf("/"));
    this.#folders.set(folder, Date.now());
    if (folder !== "" && !this.#folders.has(folder.slice(0, folder.lastIndexOf("/")))) {
      this.#touchFolders(folder);
    }
  }

  /** The files, as the program sees them. */
  readonly system: FileSystem = {
    separator: "/",
    list: (path) => this.#list(path),
    status: (path) => this.#status(path),
    realPath: (path) => {
      this.#status(path);
      return path;
    },
    open: (path) => {
      this.onopen?.(path);
      const file = this.#files.get(path);
      if (!file) throw new Error(`${path} is not there`);
      this.opened.push(path);
      return { status: () => toStatus(file), read: (length) => file.bytes.slice(0, length), close: () => {} };
    },
  };

  #status(path: string): FileStatus {
    const file = this.#files.get(path);
    if (file) return toStatus(file);
    const modified = this.#folders.get(path);
    if (modified === undefined) throw new Error(`${path} is not there`);
    return { kind: "directory", size: 0, modified, identity: path };
  }

  #list(folder: string): DirectoryEntry[] {
    this.#status(folder);
    const inside = (path: string) =>
      path.startsWith(`${folder}/`) && !path.slice(folder.length + 1).includes("/");
    const name = (path: string) => path.slice(folder.length + 1);
    return [
      ...[...this.#files.keys()].filter(inside).map((path) => ({ name: name(path), kind: "file" as const })),
      ...[...this.#folders.keys()].filter(inside).map((path) => ({
        name: name(path),
        kind: "directory" as const,
      })),
    ];
  }
}

function toStatus({ identity, bytes, modified }: File): FileStatus {
  return { kind: "file", size: bytes.length, modified, identity };
}
