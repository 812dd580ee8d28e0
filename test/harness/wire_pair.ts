/** A connection whose other end is the test, line by line. */

import type { ByteChannel, ByteEvents } from "../../deps.ts";
import type { Call, ConnectionOptions, Request, Response } from "../../lib/jsonrpc/mod.ts";
import { Connection } from "../../lib/jsonrpc/mod.ts";
import { StreamTransport } from "../../lib/jsonrpc/transport/mod.ts";

/** A byte channel whose other end is the test. */
export class TestChannel implements ByteChannel {
  written = "";
  paused = false;
  closed = false;
  /** When set, writes wait for it: the other side does not read. */
  gate: Promise<void> | undefined;
  #events: ByteEvents | undefined;
  readonly #decoder = new TextDecoder();

  open(events: ByteEvents): void {
    this.#events = events;
  }

  pause(): void {
    this.paused = true;
  }

  resume(): void {
    this.paused = false;
  }

  async write(pieces: readonly Uint8Array[]): Promise<void> {
    await this.gate;
    for (const piece of pieces) this.written += this.#decoder.decode(piece, { stream: true });
  }

  close(): void {
    this.closed = true;
  }

  /** Sends text, or bytes that are overwritten afterwards. */
  feed(input: string | Uint8Array): void {
    const bytes = typeof input === "string" ? new TextEncoder().encode(input) : input.slice();
    this.#events!.data(bytes);
    bytes.fill(0x78);
  }

  end(): void {
    this.#events!.end();
  }

  fail(cause: unknown): void {
    this.#events!.error(cause);
  }

  /** The messages written so far. */
  get messages(): unknown[] {
    return this.written.split("\n").filter((line) => line !== "").map((line) => JSON.parse(line));
  }
}

/** A connection over a channel that the test holds the other end of. */
export async function converse(
  onrequest: (request: Request, call: Call) => Response | Promise<Response>,
  options: Partial<ConnectionOptions> = {},
): Promise<{ channel: TestChannel; connection: Connection }> {
  const channel = new TestChannel();
  const connection = new Connection(new StreamTransport(channel), {
    ...options,
    onrequest: (call) => onrequest(call.request, call),
  });
  await connection.start();
  return { channel, connection };
}

/** A request for `channel.feed`. */
export function call(id: unknown): string {
  return `${JSON.stringify({ jsonrpc: "2.0", id, method: "echo" })}\n`;
}

/** Lets everything that is ready to run, run. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setTimeout(resolve, 0));
}
