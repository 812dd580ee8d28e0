/**
 * What Node lends us. One of the two places that spell a runtime's name.
 *
 * All that is imported here is part of every start of Node anyway.
 */

import * as fs from "node:fs";
import process from "node:process";
import { parseArgs } from "node:util";
import type {
  ByteChannel,
  ByteEvents,
  DirectoryEntry,
  FileStatus,
  FileSystem,
  OpenFile,
  Platform,
  Watch,
} from "../../deps.ts";

const files: FileSystem = {
  separator: process.platform === "win32" ? "\\" : "/",
  list: (path) => fs.readdirSync(path, { withFileTypes: true }).map(toEntry),
  status: (path) => toStatus(fs.statSync(path)),
  realPath: (path) => fs.realpathSync.native(path),
  open: (path) => openFile(path),
  watch,
};

function openFile(path: string): OpenFile {
  // Without blocking: a pipe that took the place of a document must not hold the whole process.
  const descriptor = fs.openSync(path, fs.constants.O_RDONLY | (fs.constants.O_NONBLOCK ?? 0));
  return {
    status: () => toStatus(fs.fstatSync(descriptor)),
    read: (length) => readAll(descriptor, length),
    close: () => fs.closeSync(descriptor),
  };
}

function readAll(descriptor: number, most: number): Uint8Array {
  const buffer = new Uint8Array(most);
  let length = 0;
  while (length < buffer.length) {
    const read = fs.readSync(descriptor, buffer, length, buffer.length - length, length);
    if (read === 0) break;
    length += read;
  }
  return buffer.subarray(0, length);
}

// deno-lint-ignore require-await -- what it throws is to be rejected with
async function watch(
  folders: Iterable<string>,
  onhint: () => void,
  onfailure: (cause: unknown) => void,
): Promise<Watch> {
  const watchers: fs.FSWatcher[] = [];
  const close = () => watchers.forEach((watcher) => watcher.close());
  try {
    for (const folder of folders) {
      if (!fs.existsSync(folder)) continue;
      // It must not keep a process alive that has nothing else to do.
      watchers.push(fs.watch(folder, { persistent: false }, onhint).on("error", onfailure));
    }
  } catch (cause) {
    close();
    throw cause;
  }
  return { close };
}

function toEntry(entry: fs.Dirent): DirectoryEntry {
  if (entry.isFile()) return { name: entry.name, kind: "file" };
  if (entry.isDirectory()) return { name: entry.name, kind: "directory" };
  return { name: entry.name, kind: entry.isSymbolicLink() ? "link" : "other" };
}

function toStatus(status: fs.Stats): FileStatus {
  return {
    kind: status.isFile() ? "file" : status.isDirectory() ? "directory" : "other",
    size: status.size,
    modified: status.mtimeMs,
    identity: `${status.dev}:${status.ino}`,
  };
}

function standardStreams(): ByteChannel {
  const { stdin, stdout } = process;
  return {
    open(events: ByteEvents): void {
      stdin.on("data", (chunk: Uint8Array) => events.data(chunk));
      stdin.on("end", () => events.end());
      stdin.on("error", (cause) => events.error(cause));
      stdout.on("error", (cause) => events.error(cause));
    },
    pause: () => void stdin.pause(),
    resume: () => void stdin.resume(),
    write(pieces): Promise<void> {
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      const last = pieces.length - 1;
      // More than one piece leaves in one system call.
      if (last > 0) stdout.cork();
      for (let index = 0; index < last; index++) stdout.write(pieces[index]!);
      stdout.write(pieces[last]!, (error) => error ? reject(error) : resolve());
      if (last > 0) stdout.uncork();
      return promise;
    },
    close: () => void stdin.destroy(),
  };
}

/** How often a write to a full pipe is tried again before standard error is given up; standard output never is. */
const MAX_TRIES = 20;
const PAUSE_MS = 5;

/** Standard streams may be pipes that are full for a moment; a log that nobody reads must not hold the program. */
function print(stream: "output" | "error", text: string): void {
  const descriptor = stream === "output" ? 1 : 2;
  let rest: Uint8Array = new TextEncoder().encode(text);
  for (let tries = 0; rest.length > 0;) {
    try {
      rest = rest.subarray(fs.writeSync(descriptor, rest));
    } catch (cause) {
      const { code } = cause as NodeJS.ErrnoException;
      if (code === "EPIPE" || (stream === "error" && (code !== "EAGAIN" || ++tries > MAX_TRIES))) return;
      if (code !== "EAGAIN") throw cause;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS);
    }
  }
}

/** What asks a process to end. Without a listener, the first process of a container is deaf to all of them. */
const INTERRUPTS = { SIGTERM: 15, SIGINT: 2, SIGHUP: 1 };

function onInterrupt(end: () => void): void {
  let asked = false;
  for (const [signal, number] of Object.entries(INTERRUPTS)) {
    process.on(signal, () => {
      if (asked) process.exit(128 + number);
      asked = true;
      end();
    });
  }
}

/** The adapter for Node 22.18 and later. */
export const platform: Platform = {
  name: "node",
  arguments: process.argv.slice(2),
  readArguments: (args, flags) =>
    Promise.resolve(parseArgs({ args: [...args], options: flags, allowPositionals: true })),
  files,
  get interactive(): boolean {
    return process.stdin.isTTY === true;
  },
  standardStreams,
  print,
  onUncaught(report: (cause: unknown) => void): void {
    process.on("uncaughtException", report);
    process.on("unhandledRejection", report);
  },
  onInterrupt,
  exit: (code) => process.exit(code),
};
