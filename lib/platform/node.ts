/** Node's files, standard streams and process. */

import type * as Fs from "node:fs";
import type { ByteChannel, ByteEvents, FileStatus, FileSystem, Platform } from "./platform.ts";
import { readUpTo, writerTo } from "./streams.ts";

const { process } = globalThis;
// An import would also load the lazy parts of these modules: promises, file streams, reports.
const fs = process.getBuiltinModule("node:fs");
const ON_WINDOWS = process.platform === "win32";
/** File ids on Windows need 64 bits. */
const STATUS = { bigint: ON_WINDOWS };

const files: FileSystem = {
  separator: ON_WINDOWS ? "\\" : "/",
  list: (path) =>
    fs.readdirSync(path, { withFileTypes: true })
      .map((entry) => ({ name: entry.name, kind: entry.isSymbolicLink() ? "link" : kindOf(entry) })),
  status: (path) => toStatus(fs.statSync(path, STATUS)),
  realPath: (path) => fs.realpathSync.native(path),
  open(path) {
    // Non-blocking: a named pipe at the path of a document must not block the process.
    const descriptor = fs.openSync(path, fs.constants.O_RDONLY | (fs.constants.O_NONBLOCK ?? 0));
    return {
      status: () => toStatus(fs.fstatSync(descriptor, STATUS)),
      read: (length) => readUpTo(length, (buffer, offset) => readAt(descriptor, buffer, offset)),
      close: () => fs.closeSync(descriptor),
    };
  },
  // deno-lint-ignore require-await -- so that what it throws rejects
  async watch(folders, onhint, onfailure) {
    const watchers: Fs.FSWatcher[] = [];
    const close = () => watchers.forEach((watcher) => watcher.close());
    try {
      for (const folder of folders) {
        if (!fs.existsSync(folder)) continue;
        // Not persistent: a watch must not keep the process alive.
        watchers.push(fs.watch(folder, { persistent: false }, onhint).on("error", onfailure));
      }
    } catch (cause) {
      close();
      throw cause;
    }
    return { close };
  },
};

/** Reads bytes at an offset. A pipe has no offsets, and its bytes are waited for. */
function readAt(descriptor: number, buffer: Uint8Array, offset: number): number {
  for (let place: number | null = offset;;) {
    try {
      return fs.readSync(descriptor, buffer, 0, buffer.length, place);
    } catch (cause) {
      const { code } = cause as NodeJS.ErrnoException;
      if (code === "ESPIPE" && place !== null) place = null;
      else if (code !== "EAGAIN") throw cause;
      else Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, RETRY_MS);
    }
  }
}

function kindOf(item: Fs.Dirent | Fs.Stats | Fs.BigIntStats): FileStatus["kind"] {
  return item.isFile() ? "file" : item.isDirectory() ? "directory" : "other";
}

function toStatus(status: Fs.Stats | Fs.BigIntStats): FileStatus {
  const { size, dev, ino } = status;
  const modified = "mtimeNs" in status ? Number(status.mtimeNs) / 1e6 : status.mtimeMs;
  return { kind: kindOf(status), size: Number(size), modified, identity: `${dev}:${ino}` };
}

/** Standard output. On Windows, Node blocks on a pipe that is not read, unless the pipe is made non-blocking. */
function asynchronousOutput(): typeof process.stdout {
  const { _handle: handle } = process.stdout as { readonly _handle?: { setBlocking?(on: boolean): number } };
  if (!ON_WINDOWS || handle?.setBlocking?.(false) !== 0) return process.stdout;
  const { Socket } = process.getBuiltinModule("node:net");
  return new Socket({ handle, readable: false, writable: true } as object) as typeof process.stdout;
}

function standardStreams(): ByteChannel {
  const { stdin } = process;
  const stdout = asynchronousOutput();
  return {
    open(events: ByteEvents): void {
      stdin.on("data", events.data).on("end", events.end).on("error", events.error);
      stdout.on("error", events.error);
    },
    pause: () => void stdin.pause(),
    resume: () => void stdin.resume(),
    write: writerTo(stdout),
    close: () => void stdin.destroy(),
  };
}

/** The maximum number of retries of a write to standard error whose pipe is full. Standard output is retried forever. */
const MAX_RETRIES = 20;
/** The pause before a retry, in milliseconds. */
const RETRY_MS = 5;

/** Writes synchronously. A log that nothing reads does not block the program. */
function print(stream: "output" | "error", text: string): void {
  const descriptor = stream === "output" ? 1 : 2;
  let rest: Uint8Array = new TextEncoder().encode(text);
  for (let retries = 0; rest.length > 0;) {
    try {
      rest = rest.subarray(fs.writeSync(descriptor, rest));
    } catch (cause) {
      const { code } = cause as NodeJS.ErrnoException;
      if (
        code === "EPIPE" || code === "EOF" ||
        (stream === "error" && (code !== "EAGAIN" || ++retries > MAX_RETRIES))
      ) return;
      if (code !== "EAGAIN") throw cause;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, RETRY_MS);
    }
  }
}

/**
 * How long the process idles before it exits, in milliseconds. On exit Node waits for its background compiler threads, which
 * may wait for the main thread to collect garbage. Without this time to finish, a busy process can hang on exit.
 */
const EXIT_MS = 20;

function exit(code: number): void {
  setTimeout(() => process.exit(code), EXIT_MS);
}

/** Signals that ask a process to end. The first process of a container ignores signals that it does not handle. */
const INTERRUPTS = { SIGTERM: 15, SIGINT: 2, SIGHUP: 1, SIGBREAK: 21 };

function onInterrupt(end: () => void): void {
  let wasAsked = false;
  for (const [signal, number] of Object.entries(INTERRUPTS)) {
    process.on(signal, () => {
      if (wasAsked) exit(128 + number);
      wasAsked = true;
      end();
    });
  }
}

/** The adapter for Node 22.18 and later. */
export const platform: Platform = {
  name: "node",
  arguments: process.argv.slice(2),
  files,
  // Getters, because Node creates a stream at its first use.
  get interactive(): boolean {
    return process.stdin.isTTY === true;
  },
  get showsOutput(): boolean {
    return process.stdout.isTTY === true;
  },
  noColor: (process.env["NO_COLOR"] ?? "") !== "",
  sandboxed: process.permission !== undefined,
  standardStreams,
  print,
  onUncaught(report: (cause: unknown) => void): void {
    process.on("uncaughtException", report);
    process.on("unhandledRejection", report);
  },
  onInterrupt,
  exit,
};
