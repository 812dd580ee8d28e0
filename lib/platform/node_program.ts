/** Which programs does Node start? Any, with its standard streams as pipes. */

import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import process from "node:process";
import type { ByteEvents } from "../../deps.ts";
import type { ProgramOptions, Programs, RunningProgram } from "./program.ts";

async function start(options: ProgramOptions): Promise<RunningProgram> {
  const child = spawn(options.command, [...options.args ?? []], {
    cwd: options.cwd,
    env: environment(options.env),
    stdio: ["pipe", "pipe", options.onstderr ? "pipe" : "inherit"],
    windowsHide: true,
  });
  const exited = Promise.withResolvers<number | string>();
  child.on("exit", (code, signal) => exited.resolve(code ?? signal ?? 0));
  const started = Promise.withResolvers<void>();
  child.on("spawn", () => started.resolve());
  child.on("error", (cause) => {
    started.reject(cause);
    // One that never started has ended too.
    if (child.pid === undefined) exited.resolve(1);
  });
  await started.promise;
  child.stderr?.setEncoding("utf8").on("data", options.onstderr!);
  return channelOf(child, exited.promise);
}

function channelOf(child: ChildProcess, exited: Promise<number | string>): RunningProgram {
  const stdin = child.stdin!;
  const stdout = child.stdout!;
  return {
    exited,
    kill: (signal) => void child.kill(signal),
    open(events: ByteEvents): void {
      stdout.on("data", (chunk: Uint8Array) => events.data(chunk));
      stdout.on("end", () => events.end());
      stdout.on("error", (cause) => events.error(cause));
      // A program that has ended is noticed by the end of its output; what it said last is read before that.
      stdin.on("error", () => {});
    },
    pause: () => void stdout.pause(),
    resume: () => void stdout.resume(),
    async write(pieces): Promise<void> {
      for (const piece of pieces) {
        if (stdin.destroyed || stdin.writableEnded) return;
        const { promise, resolve } = Promise.withResolvers<void>();
        stdin.write(piece, () => resolve());
        await promise;
      }
    },
    close: () => void stdin.end(),
  };
}

function environment(changes: ProgramOptions["env"]): Record<string, string> {
  const all = Object.entries({ ...process.env, ...changes });
  return Object.fromEntries(all.filter((entry): entry is [string, string] => entry[1] !== undefined));
}

/** The adapter for Node. */
export const programs: Programs = { start };
