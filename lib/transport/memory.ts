/** How does a message travel inside one process? Through a linked pair of carriers. */

import type { Message } from "../jsonrpc/message.ts";
import type { Piece } from "../jsonrpc/encode.ts";
import type { Transport } from "./transport.ts";
import { encodeMessage } from "../jsonrpc/encode.ts";
import { TransportError } from "./transport.ts";

/**
 * Two carriers of which each delivers what the other one sends. Messages are written and parsed on the way, so that
 * what arrives is exactly what would arrive over a wire, and nothing is shared between the two sides. What is sent
 * before the other side has started waits for it.
 *
 * @example
 * ```ts
 * import { memoryTransports } from "@architrave/architrave/transport";
 *
 * const [client, server] = memoryTransports();
 * server.onmessage = (message) => console.error(message);
 * await server.start();
 * await client.start();
 * await client.send({ jsonrpc: "2.0", method: "hello" });
 * ```
 */
export function memoryTransports(): [Transport, Transport] {
  const left = new MemoryTransport();
  const right = new MemoryTransport();
  left.other = right;
  right.other = left;
  return [left, right];
}

class MemoryTransport implements Transport {
  readonly type = "memory";
  onmessage: Transport["onmessage"];
  onerror: Transport["onerror"];
  onend: Transport["onend"];
  onclose: Transport["onclose"];
  other: MemoryTransport | undefined;

  #state: "new" | "open" | "closed" = "new";
  /** What arrived before `start`. */
  #waiting: string[] = [];
  #ended = false;
  /** True while the receiver has no room. */
  #held = false;

  get isOpen(): boolean {
    return this.#state === "open";
  }

  start(): Promise<void> {
    if (this.#state !== "new") {
      return Promise.reject(new TransportError(`Cannot start the carrier: it is ${this.#state} already`));
    }
    this.#state = "open";
    queueMicrotask(() => this.#deliver());
    return Promise.resolve();
  }

  send(message: Message | readonly Message[]): Promise<void> {
    if (this.#state !== "open") {
      return Promise.reject(new TransportError(`Cannot send over the carrier: it is ${this.#state}`));
    }
    const pieces: Piece[] = [];
    encodeMessage(message, pieces);
    this.other?.take(toText(pieces));
    return Promise.resolve();
  }

  close(): Promise<void> {
    if (this.#state === "closed") return Promise.resolve();
    this.#state = "closed";
    this.other?.end();
    this.onclose?.();
    return Promise.resolve();
  }

  take(text: string): void {
    if (this.#state === "closed") return;
    this.#waiting.push(text);
    queueMicrotask(() => this.#deliver());
  }

  /** The other side has closed: it sends no more, and nothing reaches it either. */
  end(): void {
    this.#ended = true;
    queueMicrotask(() => this.#deliver());
  }

  async #hold(room: Promise<void>): Promise<void> {
    this.#held = true;
    await room;
    this.#held = false;
    this.#deliver();
  }

  #deliver(): void {
    while (this.#state === "open") {
      const text = this.#held ? undefined : this.#waiting.shift();
      if (text === undefined) break;
      const context = Object.freeze({ receivedAt: Date.now(), size: text.length });
      const room = this.onmessage?.(JSON.parse(text), context);
      if (room instanceof Promise) void this.#hold(room);
    }
    if (this.#waiting.length > 0 || !this.#ended || this.#state !== "open") return;
    this.#ended = false;
    if (this.onend) this.onend();
    else void this.close();
  }
}

function toText(pieces: readonly Piece[]): string {
  const decoder = new TextDecoder();
  return pieces.map((piece) => typeof piece === "string" ? piece : decoder.decode(piece)).join("");
}
