/**
 * The transport to a server that is a program, over its standard streams. Closing it ends the program.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/stdio#shutdown
 */

import type { ProgramOptions, RunningProgram } from "../../platform/program.ts";
import type { ClientTransport } from "./client_transport.ts";
import { withTimeout } from "../../base/async.ts";
import { reasonOf } from "../../base/text.ts";
import { startProgram } from "../../platform/program.ts";
import { StreamTransport } from "../../jsonrpc/transport/stream.ts";
import { ConnectError } from "./errors.ts";

/** The maximum length of a line, in bytes. A line may hold a large file in Base64. */
const MAX_LINE_BYTES = 64 * 1024 * 1024;
/** How long a program may take to exit after the end of its input, and again after SIGTERM, in milliseconds. */
const GRACE_MS = 2000;

/** How a program is started and ended. */
export interface SpawnOptions extends ProgramOptions {
  /** How long it may take to exit after the end of its input, and again after SIGTERM, in milliseconds. @default {2000} */
  readonly graceMs?: number;
}

/** The transport to a program. Its `close` resolves when the program has exited. */
export interface ProgramTransport extends ClientTransport {
  /** Resolves when the program has exited, with its exit code or the name of the signal that ended it. */
  readonly exited: Promise<number | string>;
}

/** Closes the input of a program. If it does not exit in time, sends SIGTERM, and then SIGKILL. */
async function end(program: RunningProgram, graceMs: number): Promise<void> {
  program.close();
  // The rest of its output is read and dropped, because a program that is blocked while writing cannot exit.
  program.resume();
  const exited = program.exited.then(() => true);
  for (const signal of ["SIGTERM", "SIGKILL"] as const) {
    if (await withTimeout(exited, graceMs, false)) return;
    program.kill(signal);
  }
  await exited;
}

/**
 * Starts a program that is an MCP server, such as `{ command: "npx", args: ["-y", "a-server"] }`, and returns a transport that
 * is not started. Needs the permission to run the program. Without `onstderr`, the program shares standard error with this
 * process.
 *
 * @throws {ConnectError} When the program cannot be started.
 */
export async function spawnTransport(options: SpawnOptions): Promise<ProgramTransport> {
  const { command, graceMs = GRACE_MS } = options;
  const program = await startProgram(options).catch((cause) => {
    throw new ConnectError(`Cannot start "${command}": ${reasonOf(cause)}`, { cause });
  });
  const transport = new StreamTransport(program, { maxLineBytes: MAX_LINE_BYTES });
  const close = transport.close.bind(transport);
  let ending: Promise<void> | undefined;
  return Object.assign(transport, {
    exited: program.exited,
    close: () => ending ??= close().then(() => end(program, graceMs)),
  });
}
