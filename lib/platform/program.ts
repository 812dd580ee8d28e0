/** Starts other programs, and connects their standard streams as one byte channel. Loaded only by code that starts programs. */

import type { ByteChannel, ByteEvents } from "./platform.ts";
import { compact } from "../base/json.ts";
import { attempt } from "../base/text.ts";
import { Gate, writerTo } from "./streams.ts";

/** How a program is started. */
export interface ProgramOptions {
  /** The program, which the system looks up. No shell is used, except for batch files on Windows. */
  readonly command: string;
  /** Its arguments, passed unchanged. */
  readonly args?: readonly string[];
  /** The working directory. @default {that of this process} */
  readonly cwd?: string;
  /** Environment variables in addition to the inherited ones; undefined removes one. @default {none} */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Receives its standard error, piece by piece. @default {inherited from this process} */
  readonly onstderr?: (text: string) => void;
}

/** A running program: its standard streams as one channel. `close` ends its input. */
export interface RunningProgram extends ByteChannel {
  /** Resolves when the program ends, with its exit code or the name of the signal that ended it. */
  readonly exited: Promise<number | string>;
  /** Sends a signal to the program; does nothing if it has ended. */
  kill(signal: "SIGTERM" | "SIGKILL"): void;
}

/**
 * Starts a program. Needs permission to run it.
 *
 * @throws {Error} When it cannot be started: the error of the runtime, except for a program that is not found.
 */
export async function startProgram(options: ProgramOptions): Promise<RunningProgram> {
  try {
    return await ("Deno" in globalThis ? startOnDeno(options) : startOnNode(options));
  } catch (cause) {
    const { code } = cause as { readonly code?: unknown };
    if (code !== "ENOENT") throw cause;
    throw new Error("it was not found; check its spelling, and that it is on the PATH", { cause });
  }
}

async function startOnNode(options: ProgramOptions): Promise<RunningProgram> {
  const { spawn } = await import("node:child_process");
  const { env, platform } = await import("node:process");
  const { command, args = [] } = options;
  const line = platform === "win32" ? await batchLine(options, env["PATH"] ?? "") : undefined;
  const shell = line === undefined ? undefined : ["/d", "/v:off", "/s", "/c", `"${line}"`];
  const child = spawn(shell ? "cmd.exe" : command, shell ?? [...args], {
    windowsVerbatimArguments: shell !== undefined,
    cwd: options.cwd,
    env: compact({ ...env, ...options.env }),
    stdio: ["pipe", "pipe", options.onstderr ? "pipe" : "inherit"],
    windowsHide: true,
  });
  await new Promise<void>((resolve, reject) => child.on("spawn", resolve).on("error", reject));
  child.stderr?.setEncoding("utf8").on("data", options.onstderr!);
  const stdin = child.stdin!, stdout = child.stdout!;
  const write = writerTo(stdin);
  // The end of the program is noticed by the end of its output, so that its last output is read first.
  stdin.on("error", () => {});
  return {
    exited: new Promise((resolve) => child.on("exit", (code, signal) => resolve(code ?? signal ?? 0))),
    kill(signal): void {
      // If only the shell were killed, the program that it has started would keep running.
      if (shell) spawn("taskkill", ["/pid", `${child.pid}`, "/t", "/f"]).on("error", () => {});
      else child.kill(signal);
    },
    open(events: ByteEvents): void {
      stdout.on("data", events.data).on("end", events.end).on("error", events.error);
    },
    pause: () => void stdout.pause(),
    resume: () => void stdout.resume(),
    write: (pieces) => write(pieces).catch(() => {}),
    close: () => void stdin.end(),
  };
}

/** The command line of a batch file, such as npx, which Windows can start only with its shell; undefined for other programs. */
async function batchLine(options: ProgramOptions, inherited: string): Promise<string | undefined> {
  const { existsSync } = await import("node:fs");
  const { command, args = [], env: { PATH = inherited } = {} } = options;
  const folders = /[\\/]/.test(command) ? [""] : PATH.split(";").map((folder) => `${folder}\\`);
  const ends = [".com", ".exe", ".bat", ".cmd", ""];
  const file = folders.flatMap((folder) => ends.map((end) => folder + command + end)).find(existsSync);
  if (file === undefined || !/\.(?:bat|cmd)$/i.test(file)) return undefined;
  const words = [file, ...args];
  const unsafe = words.find((word) => /["%!\r\n\0]/.test(word));
  if (unsafe === undefined) return words.map((word) => `"${word.replace(/\\+$/, "$&$&")}"`).join(" ");
  // The shell would interpret it even between quotes.
  throw new Error(`a batch file cannot take ${JSON.stringify(unsafe)}; start the program that it runs`);
}

/** The part of Deno that is used here, so that other compilers can check this file. */
declare const Deno: {
  Command: new (command: string, options: object) => {
    spawn(): {
      stdin: WritableStream<Uint8Array>;
      stdout: AsyncIterable<Uint8Array>;
      stderr: ReadableStream<Uint8Array<ArrayBuffer>>;
      status: Promise<{ code: number; signal: string | null }>;
      kill(signal: string): void;
    };
  };
  env: { toObject(): Record<string, string> };
};

// deno-lint-ignore require-await -- so that what it throws rejects
async function startOnDeno(options: ProgramOptions): Promise<RunningProgram> {
  const { command, args = [], cwd, env = {}, onstderr } = options;
  // To read the inherited variables needs a separate permission, so they are read only to remove one.
  const removes = Object.values(env).includes(undefined);
  const child = new Deno.Command(command, {
    args,
    cwd,
    env: compact({ ...(removes ? Deno.env.toObject() : {}), ...env }),
    clearEnv: removes,
    stdin: "piped",
    stdout: "piped",
    stderr: onstderr ? "piped" : "inherit",
  }).spawn();
  if (onstderr) {
    const errors = child.stderr.pipeThrough(new TextDecoderStream());
    // The pipe fails when the program ends.
    errors.pipeTo(new WritableStream({ write: onstderr })).catch(() => {});
  }
  const writer = child.stdin.getWriter();
  // The end of the program is noticed by the end of its output.
  writer.closed.catch(() => {});
  const input = new Gate();
  const pump = async (events: ByteEvents) => {
    for await (const chunk of child.stdout) {
      await input.opened;
      events.data(chunk);
    }
    events.end();
  };
  return {
    exited: child.status.then(({ code, signal }) => signal ?? code),
    // `kill` throws if the program has ended.
    kill: (signal) => attempt(() => child.kill(signal)),
    open: (events) => void pump(events).catch((cause) => events.error(cause)),
    pause: () => input.close(),
    resume: () => input.open(),
    async write(pieces): Promise<void> {
      // The caller may reuse the pieces after the write, but the stream keeps what it gets, so it gets copies.
      for (const piece of pieces) await writer.write(piece.slice()).catch(() => {});
    },
    close: () => void writer.close().catch(() => {}),
  };
}
