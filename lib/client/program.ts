/**
 * How does one talk to a program that one has started? Over its standard input and output, until its input is closed; and
 * one that does not end then is ended.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/stdio#shutdown
 */

import type { ProgramOptions, RunningProgram } from "../platform/program.ts";
import type { ClientTransport } from "./carrier.ts";
import { startProgram } from "../platform/program.ts";
import { StreamTransport } from "../transport/stream.ts";
import { ConnectError, reasonOf } from "./errors.ts";

/** The longest line that a client reads, in bytes: a large file in Base64, which a server may well answer with. */
const MAX_LINE_BYTES: number = 64 * 1024 * 1024;
/** How long a program may take to end, in milliseconds: once its input is closed, and once it was asked to. */
const GRACE_MS = 2000;

/** How a program is started and ended. */
export interface SpawnOptions extends ProgramOptions {
  /** How long it may take to end when its input is closed, and again when it gets SIGTERM, in milliseconds. @default {2000} */
  readonly graceMs?: number;
}

/** The carrier to a program. Its `close` settles when the program has ended. */
export interface ProgramTransport extends ClientTransport {
  /** Settles when the program has ended: with its exit code, or the name of the signal that ended it. */
  readonly exited: Promise<number | string>;
}

class Pipes extends StreamTransport implements ProgramTransport {
  readonly exited: Promise<number | string>;
  readonly #program: RunningProgram;
  readonly #graceMs: number;
  #ending: Promise<void> | undefined;

  constructor(program: RunningProgram, graceMs: number) {
    super(program, { maxLineBytes: MAX_LINE_BYTES });
    this.#program = program;
    this.#graceMs = graceMs;
    this.exited = program.exited;
  }

  /** Closes its input, waits, and ends it when it does not end: with SIGTERM first, then with SIGKILL. */
  override close(): Promise<void> {
    return this.#ending ??= this.#end();
  }

  async #end(): Promise<void> {
    await super.close();
    this.#program.close();
    // What it still writes is read and dropped: it could not end otherwise.
    this.#program.resume();
    if (await this.#endsInTime()) return;
    this.#program.kill("SIGTERM");
    if (await this.#endsInTime()) return;
    this.#program.kill("SIGKILL");
    await this.exited;
  }

  async #endsInTime(): Promise<boolean> {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const late = new Promise<false>((resolve) => timer = setTimeout(() => resolve(false), this.#graceMs));
    const inTime = await Promise.race([this.exited.then(() => true), late]);
    clearTimeout(timer);
    return inTime;
  }
}

/**
 * Starts a program that is an MCP server, and makes a carrier of its standard streams.
 *
 * Needs the permission to run it. What it writes to its standard error goes where that of this process goes, unless
 * somebody takes it.
 *
 * @returns A carrier that is not started.
 * @throws {ConnectError} When there is no such program.
 *
 * @example
 * ```ts
 * import { connect, spawnTransport } from "@architrave/architrave/client";
 *
 * const transport = await spawnTransport({ command: "npx", args: ["-y", "architrave", "--root", "mcp"] });
 * const client = await connect(transport, { info: { name: "our-client", version: "1.0.0" } });
 * console.log(client.server.instructions);
 * await client.close();
 * ```
 */
export async function spawnTransport(options: SpawnOptions): Promise<ProgramTransport> {
  try {
    return new Pipes(await startProgram(options), options.graceMs ?? GRACE_MS);
  } catch (cause) {
    throw new ConnectError(`Cannot start "${options.command}": ${reasonOf(cause)}`, { cause });
  }
}
