/** How is a peer spoken to in a test, line by line? A stream carrier over a channel that the test holds the other end of. */

import type { ByteChannel, ByteEvents } from "../../deps.ts";

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

  /** Sends text to whoever opened the channel. */
  feed(text: string): void {
    this.#events!.data(new TextEncoder().encode(text));
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

/** Lets everything that is ready to run, run. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setTimeout(resolve, 0));
}
