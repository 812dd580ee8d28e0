/**
 * Transports over byte streams, one JSON text per line: any byte channel, and the standard streams of a process.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/stdio
 */

import type { ByteChannel, Platform } from "../../deps.ts";
import type { JsonChunk, MalformedMessageError, Message } from "../jsonrpc/message.ts";
import type { MessageContext, Transport } from "./transport.ts";
import { encodeMessage, parseJson } from "../jsonrpc/message.ts";
import { Gatherer, LineDecoder, MAX_LINE_BYTES, toWrites } from "../jsonrpc/framing.ts";
import { TransportError } from "./transport.ts";

/** The outbound high-water mark in bytes: above it, reading stops. */
export const MAX_UNSENT_BYTES: number = 1024 * 1024;

/** How many gatherers are kept for reuse, so that idle connections hold no buffers. */
const MAX_IDLE_GATHERERS = 4;
const idleGatherers: Gatherer[] = [];

/** How long `close` waits for a peer that is not reading, in milliseconds. */
const MAX_STALL_MS = 10_000;

/** Options of a stream transport. */
export interface StreamOptions {
  /** The longest inbound line in bytes; a longer one is reported and skipped. @default {4 MiB} */
  readonly maxLineBytes?: number;
  /** The address of the sender of all messages. @default {unknown} */
  readonly remoteAddress?: string | undefined;
}

/** A transport over one byte channel. */
export class StreamTransport implements Transport {
  /** Receives each line that is JSON, unchecked. */
  onmessage: Transport["onmessage"];
  /** Receives malformed lines, and the failure of the channel, after which the transport closes. */
  onerror: Transport["onerror"];
  /** Called when the input has ended and every line was delivered. */
  onend: Transport["onend"];
  /** Called once, when the channel is closed. */
  onclose: Transport["onclose"];

  readonly #channel: ByteChannel;
  readonly #lines: LineDecoder;
  readonly #remoteAddress: string | undefined;
  #state: "new" | "open" | "closing" | "closed" = "new";
  /** Lines that are not delivered yet. */
  #inbox: (string | MalformedMessageError)[] = [];
  #inputEnded = false;
  /** True while the receiver takes no more. */
  #isPaused = false;
  #unsent: JsonChunk[] = [];
  #unsentBytes = 0;
  /** Set while anything is to be written; settles when all is written. */
  #flushing: Promise<void> | undefined;
  #writes = 0;
  #closing: Promise<void> | undefined;

  /** Takes over a channel that is not open yet: `start` opens it, `close` closes it. */
  constructor(channel: ByteChannel, options: StreamOptions = {}) {
    this.#channel = channel;
    this.#remoteAddress = options.remoteAddress;
    this.#lines = new LineDecoder({
      line: (text) => void this.#inbox.push(text),
      malformed: (error) => void this.#inbox.push(error),
    }, options.maxLineBytes ?? MAX_LINE_BYTES);
  }

  /** True between `start` and the end. */
  get isOpen(): boolean {
    return this.#state === "open";
  }

  /** Settles when everything is written; undefined while less than 1 MiB is waiting. */
  get congestion(): Promise<void> | undefined {
    return this.#unsentBytes > MAX_UNSENT_BYTES ? this.#flushing : undefined;
  }

  /** How many writes have completed, each of at most 512 KiB. */
  get progress(): number {
    return this.#writes;
  }

  /**
   * Opens the channel.
   *
   * @throws {TransportError} When it was started or closed before.
   */
  start(): Promise<void> {
    if (this.#state !== "new") {
      return Promise.reject(new TransportError(`Cannot start the transport: it is ${this.#state} already`));
    }
    this.#state = "open";
    this.#channel.open({
      data: (chunk) => {
        this.#lines.push(chunk);
        this.#deliver();
      },
      end: () => {
        this.#lines.end();
        this.#inputEnded = true;
        this.#deliver();
      },
      error: (cause) => this.#fail(cause),
    });
    return Promise.resolve();
  }

  /**
   * Writes one line. Settles when it is written, or when the channel failed, which `onerror` reports.
   *
   * @throws {TransportError} Before `start`, after `close`, and when the message cannot be written as JSON.
   */
  send(message: Message | readonly Message[]): Promise<void> {
    if (this.#state !== "open") {
      return Promise.reject(new TransportError(`Cannot send over the transport: it is ${this.#state}`));
    }
    const chunks: JsonChunk[] = [];
    try {
      encodeMessage(message, chunks);
    } catch (cause) {
      return Promise.reject(
        new TransportError("Cannot send the message: it cannot be written as JSON", { cause }),
      );
    }
    chunks.push("\n");
    for (const chunk of chunks) {
      this.#unsent.push(chunk);
      this.#unsentBytes += chunk.length;
    }
    // Deferred, so that the responses to one chunk of input leave in one write.
    return this.#flushing ??= Promise.resolve().then(() => this.#flush());
  }

  /** Writes what was passed to `send` before and closes the channel; undelivered input is dropped. */
  close(): Promise<void> {
    return this.#closing ??= this.#close();
  }

  async #close(): Promise<void> {
    const hadChannel = this.#state !== "closed";
    if (hadChannel) this.#state = "closing";
    this.#inbox = [];
    // Waits as long as writes complete.
    let timer: ReturnType<typeof setTimeout> | undefined;
    for (let writes = -1; this.#flushing && this.#writes > writes;) {
      writes = this.#writes;
      const stalled = new Promise((resolve) => timer = setTimeout(resolve, MAX_STALL_MS));
      await Promise.race([this.#flushing, stalled]);
      clearTimeout(timer);
    }
    if (hadChannel) this.#channel.close();
    if (this.#state === "closed") return;
    this.#state = "closed";
    this.onclose?.();
  }

  /** Delivers input while the output keeps up and the receiver takes it. */
  #deliver(): void {
    const receivedAt = Date.now();
    const inbox = this.#inbox;
    this.#inbox = [];
    for (let next = 0; next < inbox.length && this.#state === "open"; next++) {
      if (this.#isPaused || this.congestion) {
        this.#inbox = inbox.slice(next);
        return this.#channel.pause();
      }
      this.#deliverLine(inbox[next]!, receivedAt);
    }
    if (!this.#inputEnded || this.#state !== "open") return;
    this.#inputEnded = false;
    if (this.onend) this.onend();
    else void this.close();
  }

  #deliverLine(line: string | MalformedMessageError, receivedAt: number): void {
    const size = typeof line === "string" ? line.length : 0;
    const context: MessageContext = Object.freeze(
      this.#remoteAddress === undefined
        ? { receivedAt, size }
        : { receivedAt, size, remoteAddress: this.#remoteAddress },
    );
    try {
      if (typeof line !== "string") throw line;
      const drained = this.onmessage?.(parseJson(line), context);
      if (drained) void this.#pauseUntil(drained);
    } catch (cause) {
      // A receiver that throws loses only this message.
      this.onerror?.(
        cause instanceof Error ? cause : new TransportError(`The receiver threw: ${cause}`),
        context,
      );
    }
  }

  async #pauseUntil(drained: Promise<void>): Promise<void> {
    this.#isPaused = true;
    await drained;
    this.#isPaused = false;
    this.#resume();
  }

  async #flush(): Promise<void> {
    const gatherer = idleGatherers.pop() ?? new Gatherer();
    while (this.#unsent.length > 0) {
      const chunks = this.#unsent;
      this.#unsent = [];
      try {
        for (const write of toWrites(gatherer.gather(chunks))) {
          await this.#channel.write(write);
          this.#writes++;
        }
      } catch (cause) {
        this.#fail(cause);
      }
      this.#unsentBytes = 0;
      for (const chunk of this.#unsent) this.#unsentBytes += chunk.length;
      this.#resume();
    }
    if (idleGatherers.length < MAX_IDLE_GATHERERS) idleGatherers.push(gatherer);
    this.#flushing = undefined;
  }

  /** Continues to read after a pause. */
  #resume(): void {
    if (this.#state !== "open" || this.#isPaused || this.congestion) return;
    const wasPaused = this.#inbox.length > 0;
    if (wasPaused || this.#inputEnded) this.#deliver();
    if (wasPaused && this.#inbox.length === 0) this.#channel.resume();
  }

  /** Closes after a failure of the channel. */
  #fail(cause: unknown): void {
    if (this.#state === "closed") return;
    this.#unsent = [];
    this.#unsentBytes = 0;
    this.#inbox = [];
    const wasOpen = this.#state === "open";
    this.#state = "closed";
    this.onerror?.(cause instanceof Error ? cause : new TransportError(`The channel failed: ${cause}`));
    if (wasOpen) this.#channel.close();
    this.onclose?.();
  }
}

/** A method of the console. */
type Print = (...data: unknown[]) => void;

/**
 * The transport over the standard streams of this process. Anything else that is printed to standard output breaks the
 * protocol; `protectOutput` keeps the console from doing that.
 *
 * @example
 * ```ts
 * import { loadPlatform, protectOutput, stdioTransport } from "@architrave/architrave";
 *
 * protectOutput();
 * const transport = stdioTransport(await loadPlatform());
 * transport.onmessage = (message) => console.error(message);
 * await transport.start();
 * ```
 */
export function stdioTransport(platform: Pick<Platform, "standardStreams">): StreamTransport {
  return new StreamTransport(platform.standardStreams());
}

/**
 * Makes all methods of the console write to standard error. Other ways to write to standard output are not affected.
 *
 * Changes `console` for the whole process, so a program calls it, not a library. May be called again.
 *
 * @example
 * ```ts
 * import { protectOutput } from "@architrave/architrave";
 *
 * protectOutput();
 * console.log("This is on standard error.");
 * ```
 */
export function protectOutput(): void {
  const { error, group } = console;
  const openGroup: Print = (...label) => {
    if (label.length > 0) error(...label);
    group();
  };
  Object.assign(console, {
    log: error,
    info: error,
    debug: error,
    dirxml: error,
    // Their other arguments are formatting options.
    dir: (value: unknown) => error(value),
    table: (value: unknown) => error(value),
    group: openGroup,
    groupCollapsed: openGroup,
    clear: () => {},
    ...countersAndTimers(error),
  });
}

/** Replacements for the methods that keep state: Deno's write to standard output even when `log` is replaced. */
function countersAndTimers(print: Print): Partial<Console> {
  const counts = new Map<string, number>();
  const starts = new Map<string, number>();
  const timeLog = (label = "default", ...data: unknown[]) => {
    const start = starts.get(label);
    if (start !== undefined) print(`${label}: ${(performance.now() - start).toFixed(3)} ms`, ...data);
  };
  return {
    count: (label = "default") => {
      const count = (counts.get(label) ?? 0) + 1;
      counts.set(label, count);
      print(`${label}: ${count}`);
    },
    countReset: (label = "default") => void counts.delete(label),
    time: (label = "default") => void starts.set(label, performance.now()),
    timeLog,
    timeEnd: (label = "default") => {
      timeLog(label);
      starts.delete(label);
    },
  };
}
