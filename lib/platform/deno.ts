/**
 * What Deno lends us. One of the two places that spell a runtime's name.
 *
 * Only Deno's own API at the start: one `node:` import can cost as much as the rest of it.
 */

import type {
  ByteChannel,
  ByteEvents,
  DirectoryEntry,
  FileStatus,
  FileSystem,
  OpenFile,
  Platform,
  ReadArguments,
  Watch,
} from "../../deps.ts";

/** As much of Deno as is borrowed, so that other compilers can check this file too. */
declare const Deno: {
  readonly args: string[];
  readonly build: { readonly os: string };
  readonly stdin: { read(buffer: Uint8Array): Promise<number | null>; isTerminal(): boolean; close(): void };
  readonly stdout: { write(bytes: Uint8Array): Promise<number>; writeSync(bytes: Uint8Array): number };
  readonly stderr: { writeSync(bytes: Uint8Array): number };
  readonly errors: { readonly BrokenPipe: new () => Error };
  readDirSync(path: string): Iterable<DenoEntry>;
  statSync(path: string): DenoStatus;
  realPathSync(path: string): string;
  openSync(path: string): DenoFile;
  watchFs(paths: string[], options: { recursive: boolean }): DenoWatcher;
  addSignalListener(signal: string, listener: () => void): void;
  exit(code: number): never;
};

interface DenoEntry {
  name: string;
  isFile: boolean;
  isDirectory: boolean;
  isSymlink: boolean;
}

interface DenoStatus {
  isFile: boolean;
  isDirectory: boolean;
  size: number;
  mtime: Date | null;
  dev: number;
  ino: number | null;
}

interface DenoFile {
  statSync(): DenoStatus;
  readSync(buffer: Uint8Array): number | null;
  seekSync(offset: number, whence: number): number;
  close(): void;
}

interface DenoWatcher extends AsyncIterable<{ kind: string }> {
  close(): void;
}

const files: FileSystem = {
  separator: Deno.build.os === "windows" ? "\\" : "/",
  list: (path) => Array.from(Deno.readDirSync(path), toEntry),
  status: (path) => toStatus(Deno.statSync(path)),
  realPath: (path) => Deno.realPathSync(path),
  open: (path) => openFile(path),
  watch,
};

function openFile(path: string): OpenFile {
  const file = Deno.openSync(path);
  return {
    status: () => toStatus(file.statSync()),
    read: (length) => readAll(file, length),
    close: () => file.close(),
  };
}

function readAll(file: DenoFile, most: number): Uint8Array {
  const buffer = new Uint8Array(most);
  file.seekSync(0, 0);
  let length = 0;
  while (length < buffer.length) {
    const read = file.readSync(buffer.subarray(length));
    if (read === null || read === 0) break;
    length += read;
  }
  return buffer.subarray(0, length);
}

/** One watcher for all folders: each one takes an instance of what the system may have as few as 128 of. */
async function watch(
  folders: Iterable<string>,
  onhint: () => void,
  onfailure: (cause: unknown) => void,
): Promise<Watch> {
  // A watch that was closed just now still stands until everything else has had its turn, and takes a folder that was
  // deleted and made again for the one that it knew.
  await new Promise((resolve) => setTimeout(resolve, 0));
  const watcher = Deno.watchFs([...folders].filter(isThere), { recursive: false });
  const pump = async () => {
    for await (const { kind } of watcher) {
      // A file was opened, perhaps by ourselves.
      if (kind !== "access") onhint();
    }
  };
  pump().catch(onfailure);
  return { close: () => watcher.close() };
}

function isThere(path: string): boolean {
  try {
    return Deno.statSync(path).isDirectory;
  } catch {
    return false;
  }
}

function toEntry(entry: DenoEntry): DirectoryEntry {
  if (entry.isSymlink) return { name: entry.name, kind: "link" };
  if (entry.isFile) return { name: entry.name, kind: "file" };
  return { name: entry.name, kind: entry.isDirectory ? "directory" : "other" };
}

function toStatus(status: DenoStatus): FileStatus {
  return {
    kind: status.isFile ? "file" : status.isDirectory ? "directory" : "other",
    size: status.size,
    modified: status.mtime?.getTime() ?? 0,
    identity: `${status.dev}:${status.ino}`,
  };
}

/** What one read of standard input takes at most: what a pipe holds. */
const READ_BYTES = 64 * 1024;

function standardStreams(): ByteChannel {
  let go: (() => void) | undefined;
  let paused: Promise<void> | undefined;
  return {
    open(events: ByteEvents): void {
      pump(events, () => paused).catch((cause) => events.error(cause));
    },
    pause(): void {
      paused ??= new Promise((resolve) => go = resolve);
    },
    resume(): void {
      paused = undefined;
      go?.();
    },
    async write(pieces): Promise<void> {
      for (const piece of pieces) {
        for (let offset = 0; offset < piece.length;) {
          offset += await Deno.stdout.write(piece.subarray(offset));
        }
      }
    },
    close: () => Deno.stdin.close(),
  };
}

async function pump(events: ByteEvents, paused: () => Promise<void> | undefined): Promise<void> {
  const buffer = new Uint8Array(READ_BYTES);
  while (true) {
    const read = await Deno.stdin.read(buffer);
    if (read === null) return events.end();
    await paused();
    events.data(buffer.subarray(0, read));
  }
}

function print(stream: "output" | "error", text: string): void {
  const target = stream === "output" ? Deno.stdout : Deno.stderr;
  const bytes = new TextEncoder().encode(text);
  try {
    for (let offset = 0; offset < bytes.length;) offset += target.writeSync(bytes.subarray(offset));
  } catch (cause) {
    // A log that cannot be written must not hold the program.
    if (stream === "output" && !(cause instanceof Deno.errors.BrokenPipe)) throw cause;
  }
}

/** What asks a process to end. Without a listener, the first process of a container is deaf to all of them. */
const INTERRUPTS = Deno.build.os === "windows"
  ? { SIGINT: 2, SIGBREAK: 21 }
  : { SIGTERM: 15, SIGINT: 2, SIGHUP: 1 };

function onInterrupt(end: () => void): void {
  let asked = false;
  for (const [signal, number] of Object.entries(INTERRUPTS)) {
    Deno.addSignalListener(signal, () => {
      if (asked) Deno.exit(128 + number);
      asked = true;
      end();
    });
  }
}

/** The adapter for Deno 2. */
export const platform: Platform = {
  name: "deno",
  arguments: Deno.args,
  async readArguments(args, flags): Promise<ReadArguments> {
    // Deno has no reader of its own; loading Node's costs a few milliseconds, so it waits until there are arguments.
    const { parseArgs } = await import("node:util");
    return parseArgs({ args: [...args], options: flags, allowPositionals: true });
  },
  files,
  get interactive(): boolean {
    return Deno.stdin.isTerminal();
  },
  standardStreams,
  print,
  onUncaught(report: (cause: unknown) => void): void {
    globalThis.addEventListener("unhandledrejection", (event) => {
      event.preventDefault();
      report((event as PromiseRejectionEvent).reason);
    });
    globalThis.addEventListener("error", (event) => {
      event.preventDefault();
      report((event as ErrorEvent).error);
    });
  },
  onInterrupt,
  exit: (code) => Deno.exit(code),
};
