/** A linked pair of transports inside one process. */

import type { ByteChannel, ByteEvents } from "../../deps.ts";
import type { Transport } from "./transport.ts";
import { StreamTransport } from "./stream.ts";

/**
 * Two transports, each of which delivers what the other one sends. Messages are serialised and parsed on the way, so
 * nothing is shared between the two sides. What is sent before the other side has started is delivered when it starts.
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
  const left = new MemoryChannel(), right = new MemoryChannel();
  left.other = right;
  right.other = left;
  const options = { maxLineBytes: Infinity };
  return [new StreamTransport(left, options), new StreamTransport(right, options)];
}

class MemoryChannel implements ByteChannel {
  other: MemoryChannel | undefined;
  #events: ByteEvents | undefined;
  /** What was written; undefined for the end. */
  readonly #inbox: (Uint8Array | undefined)[] = [];
  #isPaused = false;

  open(events: ByteEvents): void {
    this.#events = events;
    queueMicrotask(() => this.#deliver());
  }

  pause(): void {
    this.#isPaused = true;
  }

  resume(): void {
    this.#isPaused = false;
    this.#deliver();
  }

  write(pieces: readonly Uint8Array[]): Promise<void> {
    for (const piece of pieces) this.other!.#receive(piece.slice());
    return Promise.resolve();
  }

  close(): void {
    this.other!.#receive(undefined);
  }

  #receive(chunk: Uint8Array | undefined): void {
    this.#inbox.push(chunk);
    queueMicrotask(() => this.#deliver());
  }

  #deliver(): void {
    while (this.#events && !this.#isPaused && this.#inbox.length > 0) {
      const chunk = this.#inbox.shift();
      if (chunk) this.#events.data(chunk);
      else this.#events.end();
    }
  }
}
