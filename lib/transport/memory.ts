/** A linked pair of transports inside one process. */

import type { JsonChunk, Message } from "../jsonrpc/message.ts";
import type { Transport } from "./transport.ts";
import { encodeMessage, joinChunks } from "../jsonrpc/message.ts";
import { TransportError } from "./transport.ts";

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
  const left = new MemoryTransport(), right = new MemoryTransport();
  left.other = right;
  right.other = left;
  return [left, right];
}

class MemoryTransport implements Transport {
  onmessage: Transport["onmessage"];
  onerror: Transport["onerror"];
  onend: Transport["onend"];
  onclose: Transport["onclose"];
  other: MemoryTransport | undefined;

  #state: "new" | "open" | "closed" = "new";
  #inbox: string[] = [];
  #inputEnded = false;
  /** True while the receiver takes no more. */
  #isPaused = false;

  get isOpen(): boolean {
    return this.#state === "open";
  }

  start(): Promise<void> {
    if (this.#state !== "new") {
      return Promise.reject(new TransportError(`Cannot start the transport: it is ${this.#state} already`));
    }
    this.#state = "open";
    queueMicrotask(() => this.#deliver());
    return Promise.resolve();
  }

  send(message: Message | readonly Message[]): Promise<void> {
    if (this.#state !== "open") {
      return Promise.reject(new TransportError(`Cannot send over the transport: it is ${this.#state}`));
    }
    const chunks: JsonChunk[] = [];
    encodeMessage(message, chunks);
    this.other?.take(joinChunks(chunks));
    return Promise.resolve();
  }

  close(): Promise<void> {
    if (this.#state === "closed") return Promise.resolve();
    this.#state = "closed";
    this.other?.take(undefined);
    this.onclose?.();
    return Promise.resolve();
  }

  /** Receives a message, or undefined for the end of input. */
  take(text: string | undefined): void {
    if (text === undefined) this.#inputEnded = true;
    else if (this.#state !== "closed") this.#inbox.push(text);
    queueMicrotask(() => this.#deliver());
  }

  #deliver(): void {
    while (this.#state === "open" && !this.#isPaused && this.#inbox.length > 0) {
      const text = this.#inbox.shift()!;
      const context = Object.freeze({ receivedAt: Date.now(), size: text.length });
      const drained = this.onmessage?.(JSON.parse(text), context);
      if (!(drained instanceof Promise)) continue;
      this.#isPaused = true;
      void drained.then(() => {
        this.#isPaused = false;
        this.#deliver();
      });
    }
    if (this.#inbox.length > 0 || !this.#inputEnded || this.#state !== "open") return;
    this.#inputEnded = false;
    if (this.onend) this.onend();
    else void this.close();
  }
}
