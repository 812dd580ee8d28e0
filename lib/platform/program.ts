/**
 * The seam to other programs: what is borrowed of them, and the one dynamic import that picks who lends it. Nothing that
 * can start a program is loaded before somebody asks for it here.
 */

import type { ByteChannel } from "../../deps.ts";

/** Which program is started, and how. */
export interface ProgramOptions {
  /** The program, looked up as the system does it; no shell is in between. */
  readonly command: string;
  /** Its arguments, each one as it is. */
  readonly args?: readonly string[];
  /** The folder that it starts in. @default {the one of this process} */
  readonly cwd?: string;
  /** Variables beside those that it inherits; undefined takes one away. @default {none} */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Takes what it writes to its standard error, in pieces. @default {it goes where that of this process goes} */
  readonly onstderr?: (text: string) => void;
}

/** A program that runs: its standard streams as one channel, of which `close` ends its input. */
export interface RunningProgram extends ByteChannel {
  /** Settles when it has ended: with its exit code, or the name of the signal that ended it. */
  readonly exited: Promise<number | string>;
  /** Sends it a signal; does nothing when it has ended. */
  kill(signal: "SIGTERM" | "SIGKILL"): void;
}

/** What a runtime lends us of other programs. */
export interface Programs {
  /** Starts one; rejects with the runtime's own error when there is none. Needs the permission to run it. */
  start(options: ProgramOptions): Promise<RunningProgram>;
}

/** Loads the adapter for the runtime that this runs on; the other one is never loaded. */
export async function loadPrograms(): Promise<Programs> {
  const { programs } = "Deno" in globalThis
    ? await import("./deno_program.ts")
    : await import("./node_program.ts");
  return programs;
}
