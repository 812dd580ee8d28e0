/**
 * The transports over byte channels, one JSON text per line: the standard streams, and a pair within one process.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/stdio
 */

import type { ByteChannel, ByteEvents, Platform } from "../../platform/platform.ts";
import type { JsonChunk, Message } from "../message.ts";
import type { Line } from "./framing.ts";
import type { MessageContext, Transport } from "./transport.ts";
import { inBackground, withTimeout } from "../../base/async.ts";
import { encodeMessage, ErrorCode, failure, parseJson, RpcError, toErrorObject } from "../message.ts";
import { LineDecoder, MAX_LINE_BYTES, MAX_WRITE_BYTES, takeWrite } from "./framing.ts";

/** The outbound high-water mark: above it, reading stops. A UTF-16 unit that is not encoded yet counts as one byte. */
const MAX_UNSENT_BYTES = 1024 * 1024;
/** How long a peer may read nothing, in milliseconds. Less than the 10 seconds after which a container is killed. */
const MAX_STALL_MS = 8000;

/** A write buffer that is reused, because a new one must be zeroed. If it is in use, a transport allocates its own. */
let idleBuffer: Uint8Array | undefined = new Uint8Array(MAX_WRITE_BYTES);

/** A transport failed, or was used before `start` or after `close`. */
export class TransportError extends Error {
  /** The name of the class, for logs. */
  override readonly name = "TransportError";
}

/** Options of a stream transport. */
export interface StreamOptions {
  /** The maximum length of an inbound line, in bytes. A longer line is reported and skipped. @default {4 MiB} */
  readonly maxLineBytes?: number;
  /** The address of the sender of all messages. @default {unknown} */
  readonly remoteAddress?: string | undefined;
  /** Returns a reason to close the connection after a line that is not JSON, which may be of another protocol. @default {none} */
  readonly refuse?: (line: string) => string | undefined;
  /** How long `close`, or the end of input, waits for a peer that reads nothing, in milliseconds. @default {8000} */
  readonly stallMs?: number;
}

/** A transport over one byte channel. */
export class StreamTransport implements Transport {
  /** Receives each line that is JSON, unchecked. */
  onmessage: Transport["onmessage"];
  /** Receives malformed lines, and a failure of the channel, which also closes the transport. */
  onerror: Transport["onerror"];
  /** Called when the input has ended and all lines are delivered. */
  onend: Transport["onend"];
  /** Called once, when the channel is closed. */
  onclose: Transport["onclose"];

  readonly #channel: ByteChannel;
  readonly #decoder: LineDecoder;
  readonly #options: StreamOptions;
  #state: "new" | "open" | "closing" | "closed" = "new";
  /** The lines that are not delivered yet. */
  #inbox: Line[] = [];
  #inputEnded = false;
  /** Whether the receiver delays the next line. */
  #isPaused = false;
  /** The timer of `#watchStall`. */
  #stall: ReturnType<typeof setTimeout> | undefined;
  /** The number of bytes that may still be read ahead; undefined while the peer reads. */
  #readAhead: number | undefined;
  /** The output that is not written yet. */
  #unsent: JsonChunk[] = [];
  #unsentBytes = 0;
  /** Set while there is output to write. Resolves when all of it is written. */
  #flushing: Promise<void> | undefined;
  #writes = 0;
  #closing: Promise<void> | undefined;

  /** Takes a channel that is not open: `start` opens it, and `close` closes it. */
  constructor(channel: ByteChannel, options: StreamOptions = {}) {
    this.#channel = channel;
    this.#options = options;
    this.#decoder = new LineDecoder(options.maxLineBytes ?? MAX_LINE_BYTES);
  }

  /** True between `start` and the end. */
  get isOpen(): boolean {
    return this.#state === "open";
  }

  /** Resolves when all output is written; undefined while less than 1 MiB is waiting. */
  get congestion(): Promise<void> | undefined {
    return this.#unsentBytes > MAX_UNSENT_BYTES ? this.#flushing : undefined;
  }

  /** The number of completed writes, each of at most 512 KiB. */
  get progress(): number {
    return this.#writes;
  }

  /** Opens the channel. @throws {TransportError} When the transport was started or closed before. */
  // deno-lint-ignore require-await -- so that an error rejects the promise
  async start(): Promise<void> {
    if (this.#state !== "new") {
      throw new TransportError(`Cannot start the transport: it is ${this.#state} already`);
    }
    this.#state = "open";
    this.#channel.open({
      data: (chunk) => {
        if (this.#readAhead !== undefined) this.#readAhead -= chunk.length;
        this.#receive(this.#decoder.push(chunk));
      },
      end: () => {
        this.#inputEnded = true;
        this.#receive(this.#decoder.end());
      },
      error: (cause) => this.#fail(cause),
    });
  }

  /**
   * Writes a line. Resolves when it is written, or when the channel has failed.
   *
   * @throws {TransportError} When the transport is not open, or the message cannot be written as JSON.
   */
  send(message: Message | readonly Message[]): Promise<void> {
    if (this.#state !== "open") {
      return Promise.reject(new TransportError(`Cannot send over the transport: it is ${this.#state}`));
    }
    let chunks: JsonChunk[];
    try {
      chunks = encodeMessage(message);
    } catch (cause) {
      return Promise.reject(
        new TransportError("Cannot send the message: it cannot be written as JSON", { cause }),
      );
    }
    chunks.push("\n");
    const unsent = this.#unsent;
    for (const chunk of chunks) {
      const last = unsent[unsent.length - 1];
      // Strings are joined, because one long string is encoded faster than many short ones.
      if (typeof chunk === "string" && typeof last === "string") unsent[unsent.length - 1] = last + chunk;
      else unsent.push(chunk);
      this.#unsentBytes += chunk.length;
    }
    return this.#flushing ??= this.#flush();
  }

  /** Sends an error that does not belong to a request, and closes. */
  reject(error: RpcError): void {
    void this.send(failure(null, toErrorObject(error)));
    void this.close();
  }

  /** Closes the channel after all output is written. Drops input that is not delivered yet. */
  close(stallMs: number = this.#options.stallMs ?? MAX_STALL_MS): Promise<void> {
    return this.#closing ??= this.#close(stallMs);
  }

  async #close(stallMs: number): Promise<void> {
    const isOpen = this.#state !== "closed";
    if (isOpen) this.#state = "closing";
    this.#inbox = [];
    clearTimeout(this.#stall);
    // Waits while writes complete.
    for (let writes = -1; this.#flushing && this.#writes > writes;) {
      writes = this.#writes;
      await withTimeout(this.#flushing, stallMs, undefined);
    }
    if (isOpen) this.#channel.close();
    if (this.#state === "closed") return;
    this.#state = "closed";
    this.onclose?.();
  }

  /** Delivers lines until the output is congested or the receiver delays the next line. */
  #receive(lines: readonly Line[] = []): void {
    const { remoteAddress, refuse } = this.#options;
    const receivedAt = Date.now();
    const inbox = this.#inbox.length > 0 ? this.#inbox.concat(lines) : lines;
    this.#inbox = [];
    for (let next = 0; next < inbox.length && this.#state === "open"; next++) {
      if (this.#isPaused || this.#unsentBytes > MAX_UNSENT_BYTES) {
        this.#inbox = inbox.slice(next);
        this.#watchStall();
        return (this.#readAhead ?? 0) > 0 ? undefined : this.#channel.pause();
      }
      const line = inbox[next]!;
      const size = typeof line === "string" ? line.length : 0;
      const context: MessageContext = Object.freeze({ receivedAt, size, remoteAddress });
      try {
        if (typeof line !== "string") throw line;
        const drained = this.onmessage?.(parseJson(line), context, line);
        if (!(drained instanceof Promise)) continue;
        this.#isPaused = true;
        void drained.then(() => {
          this.#isPaused = false;
          this.#resume();
        });
      } catch (cause) {
        const reason = typeof line === "string" ? refuse?.(line) : undefined;
        if (reason !== undefined) {
          this.onerror?.(new TransportError(`The connection was rejected: ${reason}`));
          return this.reject(new RpcError(ErrorCode.invalidRequest, `Invalid request: ${reason}`));
        }
        // After a malformed line, or if the receiver throws, only this message is lost.
        this.onerror?.(toError(cause, "The receiver threw"), context);
      }
    }
    if (!this.#inputEnded || this.#state !== "open") return;
    this.#inputEnded = false;
    if (this.onend) this.onend();
    else void this.close();
  }

  /**
   * Checks whether the peer reads anything while lines are waiting. If it does not, reads ahead to see whether the input has
   * ended. If it has, the waiting lines are dropped.
   */
  #watchStall(): void {
    const writes = this.#writes;
    // In the background, because the timer must not keep the process alive.
    this.#stall ??= inBackground(this.#options.stallMs ?? MAX_STALL_MS, () => {
      this.#stall = undefined;
      if (this.#state !== "open" || this.#inbox.length === 0) return;
      const isStalled = this.#writes === writes && this.congestion !== undefined;
      if (isStalled && this.#inputEnded) {
        this.#inbox = [];
        return this.#receive();
      }
      if (isStalled && (this.#readAhead ??= MAX_LINE_BYTES) > 0) this.#channel.resume();
      this.#watchStall();
    });
  }

  /** Continues to deliver lines and to read, unless something still prevents it. */
  #resume(): void {
    if (this.#state !== "open" || this.#isPaused || this.congestion) return;
    const wasPaused = this.#inbox.length > 0;
    if (wasPaused || this.#inputEnded) this.#receive();
    if (!wasPaused || this.#inbox.length > 0) return;
    this.#readAhead = undefined;
    this.#channel.resume();
  }

  /** Writes all output. */
  async #flush(): Promise<void> {
    // Deferred, so that all responses to one chunk of input are in one write.
    await undefined;
    while (this.#unsent.length > 0) {
      const queue = this.#unsent;
      this.#unsent = [];
      // A UTF-16 unit takes at most three bytes.
      const memory = idleBuffer ?? new Uint8Array(Math.min(3 * this.#unsentBytes, MAX_WRITE_BYTES));
      idleBuffer = undefined;
      try {
        while (queue.length > 0) {
          await this.#channel.write(takeWrite(queue, memory));
          this.#writes++;
        }
      } catch (cause) {
        this.#fail(cause);
      }
      if (memory.length === MAX_WRITE_BYTES) idleBuffer = memory;
      this.#unsentBytes = 0;
      for (const chunk of this.#unsent) this.#unsentBytes += chunk.length;
      if (this.#inbox.length > 0 || this.#inputEnded) this.#resume();
    }
    this.#flushing = undefined;
  }

  /** Closes the transport after a failure of the channel. */
  #fail(cause: unknown): void {
    if (this.#state === "closed") return;
    this.#unsent = [];
    this.#unsentBytes = 0;
    this.#inbox = [];
    clearTimeout(this.#stall);
    const isOpen = this.#state === "open";
    this.#state = "closed";
    this.onerror?.(toError(cause, "The channel failed"));
    if (isOpen) this.#channel.close();
    this.onclose?.();
  }
}

function toError(cause: unknown, what: string): Error {
  return cause instanceof Error ? cause : new TransportError(`${what}: ${cause}`);
}

/**
 * Makes the transport over the standard streams of this process. Any other output on standard output violates the protocol:
 * `protectOutput` redirects the output of the console.
 */
export function stdioTransport(platform: Pick<Platform, "standardStreams">): StreamTransport {
  return new StreamTransport(platform.standardStreams());
}

/**
 * Makes two transports. Each delivers what the other one sends. Messages are serialised and parsed, so the two sides share no
 * objects. A message that is sent before the other side has started is delivered when it starts.
 */
export function memoryTransports(): [Transport, Transport] {
  const left = Promise.withResolvers<ByteEvents>(), right = Promise.withResolvers<ByteEvents>();
  return [endOf(left, right), endOf(right, left)];
}

function endOf(own: PromiseWithResolvers<ByteEvents>, other: PromiseWithResolvers<ByteEvents>): Transport {
  const channel: ByteChannel = {
    open: own.resolve,
    // The transport buffers what it cannot deliver yet.
    pause() {},
    resume() {},
    write(pieces) {
      const chunks = pieces.map((piece) => piece.slice());
      void other.promise.then((events) => chunks.forEach((chunk) => events.data(chunk)));
      return Promise.resolve();
    },
    close: () => void other.promise.then((events) => events.end()),
  };
  return new StreamTransport(channel, { maxLineBytes: Infinity });
}
