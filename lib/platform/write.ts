/** Write access to files, for both runtimes. Loaded only by the commands that write. */

/** Writes files. Every call is synchronous and throws the runtime's own error when it fails. Needs write permission. */
export interface FileWriter {
  /** Creates a folder, and those above it that do not exist. */
  makeFolder(path: string): void;
  /** Creates a file with the permissions of `like`; false when the path exists, even as a link that leads nowhere. */
  create(path: string, bytes: Uint8Array, like?: string): boolean;
  /** Moves a file; one that has the new name is replaced in the same step. */
  rename(from: string, to: string): void;
  /** Deletes a file. */
  remove(path: string): void;
}

/** Loads the file functions of the runtime; Deno has those of Node, with its own permissions. */
export async function loadFileWriter(): Promise<FileWriter> {
  const fs = await import("node:fs");
  return {
    makeFolder: (path) => void fs.mkdirSync(path, { recursive: true }),
    create(path, bytes, like): boolean {
      let descriptor: number;
      try {
        descriptor = fs.openSync(path, "wx");
      } catch (cause) {
        if ((cause as { code?: unknown }).code === "EEXIST") return false;
        throw cause;
      }
      try {
        for (let offset = 0; offset < bytes.length;) offset += fs.writeSync(descriptor, bytes, offset);
        if (like !== undefined) fs.chmodSync(path, fs.statSync(like).mode & 0o777);
        return true;
      } catch (cause) {
        fs.rmSync(path, { force: true });
        throw cause;
      } finally {
        fs.closeSync(descriptor);
      }
    },
    rename: (from, to) => fs.renameSync(from, to),
    remove: (path) => fs.rmSync(path),
  };
}
