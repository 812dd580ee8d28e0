/** Which programs does Deno start? Those that it is permitted to run, with their standard streams as pipes. */

import type { ByteEvents } from "../../deps.ts";
import type { ProgramOptions, Programs, RunningProgram } from "./program.ts";

/** Only what is used here, so that other compilers can check this file too. */
declare const Deno: {
  readonly Command: new (
    command: string,
    options: {
      args: readonly string[];
      cwd?: string;
      env?: Record<string, string>;
      clearEnv?: boolean;
      stdin: "piped";
      stdout: "piped";
      stderr: "piped" | "inherit";
    },
  ) => { spawn(): DenoChild };
  readonly env: { toObject(): Record<string, string> };
};

interface DenoChild {
  readonly stdin: WritableStream<Uint8Array>;
  readonly stdout: ReadableStream<Uint8Array>;
  readonly stderr: ReadableStream<Uint8Array>;
  readonly status: Promise<{ code: number; signal: string | null }>;
  kill(signal: string): void;
}

// deno-lint-ignore require-await -- what it throws is to be rejected with
async function start(options: ProgramOptions): Promise<RunningProgram> {
  const child = new Deno.Command(options.command, {
    args: options.args ?? [],
    ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
    ...environment(options.env),
    stdin: "piped",
    stdout: "piped",
    stderr: options.onstderr ? "piped" : "inherit",
  }).spawn();
  const exited = child.status.then(({ code, signal }) => signal ?? code);
  if (options.onstderr) void readText(child.stderr, options.onstderr);
  return channelOf(child, exited);
}

/** Without a variable to take away, none has to be read: that needs a permission of its own. */
function environment(
  changes: ProgramOptions["env"] = {},
): { env?: Record<string, string>; clearEnv?: boolean } {
  const isGiven = (entry: [string, string | undefined]): entry is [string, string] => entry[1] !== undefined;
  const entries = Object.entries(changes);
  if (entries.every(isGiven)) return { env: Object.fromEntries(entries) as Record<string, string> };
  const all = Object.entries<string | undefined>({ ...Deno.env.toObject(), ...changes });
  return { env: Object.fromEntries(all.filter(isGiven)), clearEnv: true };
}

async function readText(stream: ReadableStream<Uint8Array>, take: (text: string) => void): Promise<void> {
  const decoder = new TextDecoder();
  try {
    for await (const chunk of stream) take(decoder.decode(chunk, { stream: true }));
  } catch {
    // It has ended, and so has what it says.
  }
}

function channelOf(child: DenoChild, exited: Promise<number | string>): RunningProgram {
  const writer = child.stdin.getWriter();
  // A program that has ended is noticed by the end of its output.
  writer.closed.catch(() => {});
  let go: (() => void) | undefined;
  let paused: Promise<void> | undefined;
  let isOver = false;
  void exited.then(() => isOver = true);
  const pump = async (events: ByteEvents) => {
    for await (const chunk of child.stdout) {
      await paused;
      events.data(chunk);
    }
    events.end();
  };
  return {
    exited,
    kill: (signal) => {
      try {
        if (!isOver) child.kill(signal);
      } catch {
        // It has ended just now.
      }
    },
    open: (events) => void pump(events).catch((cause) => events.error(cause)),
    pause: () => void (paused ??= new Promise((resolve) => go = resolve)),
    resume: () => {
      paused = undefined;
      go?.();
    },
    async write(pieces): Promise<void> {
      // The pieces are used again after the write: what the stream keeps is a copy.
      for (const piece of pieces) await writer.write(piece.slice()).catch(() => {});
    },
    close: () => void writer.close().catch(() => {}),
  };
}

/** The adapter for Deno 2. */
export const programs: Programs = { start };
