/** Deno's files, standard streams and process. It imports no `node:` module: one can take as long as the rest of the start. */

import type { ByteChannel, ByteEvents, FileStatus, FileSystem, Platform } from "./platform.ts";
import { attempt } from "../base/text.ts";
import { Gate, readUpTo, writerBy } from "./streams.ts";

/** The part of Deno that is used here, so that other compilers can check this file. */
declare const Deno: {
  args: string[];
  build: { os: string };
  stdin: { read(buffer: Uint8Array): Promise<number | null>; isTerminal(): boolean; close(): void };
  stdout: DenoOutput & { write(bytes: Uint8Array): Promise<number>; isTerminal(): boolean };
  stderr: DenoOutput;
  noColor: boolean;
  permissions: { querySync(query: { name: "read" }): { state: string } };
  errors: { BrokenPipe: new () => Error };
  readDirSync(path: string): Iterable<DenoKind & { name: string; isSymlink: boolean }>;
  statSync(path: string): DenoStatus;
  realPathSync(path: string): string;
  openSync(path: string): {
    statSync(): DenoStatus;
    readSync(buffer: Uint8Array): number | null;
    seekSync(offset: number, whence: number): number;
    close(): void;
  };
  watchFs(paths: string[], options: object): AsyncIterable<{ kind: string }> & { close(): void };
  addSignalListener(signal: string, listener: () => void): void;
  exit(code: number): never;
};
/** An event for what nothing has caught. Not all libraries of types have it. */
type Uncaught = {
  addEventListener(
    type: string,
    listener: (event: { preventDefault(): void; error?: unknown; reason?: unknown }) => void,
  ): void;
};
type DenoOutput = { writeSync(bytes: Uint8Array): number };
type DenoKind = Record<"isFile" | "isDirectory", boolean>;
type DenoStatus = DenoKind & { size: number; mtime: Date | null; dev: number; ino: number | null };

const files: FileSystem = {
  separator: Deno.build.os === "windows" ? "\\" : "/",
  list: (path) =>
    Array.from(
      Deno.readDirSync(path),
      (entry) => ({ name: entry.name, kind: entry.isSymlink ? "link" : kindOf(entry) }),
    ),
  status: (path) => toStatus(Deno.statSync(path)),
  realPath: (path) => Deno.realPathSync(path),
  open(path) {
    const file = Deno.openSync(path);
    return {
      status: () => toStatus(file.statSync()),
      read: (length) => {
        // A pipe cannot seek.
        if (file.statSync().isFile) file.seekSync(0, 0);
        return readUpTo(length, (buffer) => file.readSync(buffer));
      },
      close: () => file.close(),
    };
  },
  // One watcher for all folders: each takes an inotify instance, and a system may have as few as 128.
  async watch(folders, onhint, onfailure) {
    // A watcher that was just closed lives until the next turn of the event loop. Until then, it would mistake a folder
    // that was deleted and created again for the old one.
    await new Promise((resolve) => setTimeout(resolve, 0));
    const isFolder = (path: string) => attempt(() => Deno.statSync(path).isDirectory) ?? false;
    const watcher = Deno.watchFs([...folders].filter(isFolder), { recursive: false });
    const pump = async () => {
      for await (const { kind } of watcher) {
        // Reads are reported too, including our own.
        if (kind !== "access") onhint();
      }
    };
    pump().catch(onfailure);
    return { close: () => watcher.close() };
  },
};

function kindOf({ isFile, isDirectory }: DenoKind): FileStatus["kind"] {
  return isFile ? "file" : isDirectory ? "directory" : "other";
}

function toStatus(status: DenoStatus): FileStatus {
  const { size, mtime, dev, ino } = status;
  return { kind: kindOf(status), size, modified: mtime?.getTime() ?? 0, identity: `${dev}:${ino}` };
}

/** The maximum number of bytes in one read from standard input: the capacity of a pipe. */
const READ_BYTES = 64 * 1024;

function standardStreams(): ByteChannel {
  const input = new Gate();
  const pump = async (events: ByteEvents) => {
    const buffer = new Uint8Array(READ_BYTES);
    while (true) {
      const read = await Deno.stdin.read(buffer);
      if (read === null) return events.end();
      await input.opened;
      events.data(buffer.subarray(0, read));
    }
  };
  return {
    open: (events) => void pump(events).catch((cause) => events.error(cause)),
    pause: () => input.close(),
    resume: () => input.open(),
    write: writerBy((bytes) => Deno.stdout.write(bytes)),
    close: () => Deno.stdin.close(),
  };
}

/** Writes synchronously. A log that cannot be written does not stop the program. */
function print(stream: "output" | "error", text: string): void {
  const target = stream === "output" ? Deno.stdout : Deno.stderr;
  const bytes = new TextEncoder().encode(text);
  try {
    for (let offset = 0; offset < bytes.length;) offset += target.writeSync(bytes.subarray(offset));
  } catch (cause) {
    if (stream === "output" && !(cause instanceof Deno.errors.BrokenPipe)) throw cause;
  }
}

/** Signals that ask a process to end. The first process of a container ignores signals that it does not handle. */
const INTERRUPTS = Deno.build.os === "windows"
  ? { SIGINT: 2, SIGBREAK: 21 }
  : { SIGTERM: 15, SIGINT: 2, SIGHUP: 1 };

function onInterrupt(end: () => void): void {
  let wasAsked = false;
  for (const [signal, number] of Object.entries(INTERRUPTS)) {
    Deno.addSignalListener(signal, () => {
      if (wasAsked) Deno.exit(128 + number);
      wasAsked = true;
      end();
    });
  }
}

/** The adapter for Deno 2. */
export const platform: Platform = {
  name: "deno",
  arguments: Deno.args,
  files,
  interactive: Deno.stdin.isTerminal(),
  showsOutput: Deno.stdout.isTerminal(),
  noColor: Deno.noColor,
  sandboxed: Deno.permissions.querySync({ name: "read" }).state !== "granted",
  standardStreams,
  print,
  onUncaught(report): void {
    for (const type of ["unhandledrejection", "error"]) {
      (globalThis as unknown as Uncaught).addEventListener(type, (event) => {
        event.preventDefault();
        report(type === "error" ? event.error : event.reason);
      });
    }
  },
  onInterrupt,
  exit: (code) => Deno.exit(code),
};
