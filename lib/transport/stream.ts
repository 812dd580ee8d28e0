/**
 * How does a message travel over bytes? One JSON text a line, in both directions, over any byte channel.
 *
 * The framing is that of MCP's stdio transport, which the specification recommends for every other byte stream too.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/stdio
 */

import type { ByteChannel } from "../../deps.ts";
import type { Message } from "../jsonrpc/message.ts";
import type { MalformedMessageError } from "../jsonrpc/decode.ts";
import type { Piece } from "../jsonrpc/encode.ts";
import type { MessageContext, Transport } from "./transport.ts";
import { parseJson } from "../jsonrpc/decode.ts";
import { encodeMessage } from "../jsonrpc/encode.ts";
import { LineDecoder, MAX_LINE_BYTES } from "../jsonrpc/lines.ts";
import { Gatherer, toWrites } from "./gather.ts";
import { TransportError } from "./transport.ts";

/** What waits to be written before reading stops, in bytes. One large document is over it, a thousand pings are not. */
export const MAX_UNSENT_BYTES: number = 1024 * 1024;

/** How many gatherers are kept for the next write: connections that write nothing, thousands of them, hold no memory for it. */
const MAX_IDLE_GATHERERS = 4;
const idleGatherers: Gatherer[] = [];

/** For how long a close waits for a reader that takes nothing, in milliseconds: it may be slow, or gone for good. */
const MAX_STALL_MS = 10_000;

/** What a stream carrier can be told. */
export interface StreamOptions {
  /** The name of the carrier. @default {"stream"} */
  readonly type?: string;
  /** The longest inbound line in bytes; a longer one is reported and skipped. @default {4 MiB} */
  readonly maxLineBytes?: number;
  /** What is known of all messages that come over the channel. @default {nothing} */
  readonly origin?: Pick<MessageContext, "remoteAddress" | "carrier">;
}

/** A carrier over one byte channel; the contract is in `transport.ts`. */
export class StreamTransport implements Transport {
  /** The kind of carrier, as its options say: "stdio". */
  readonly type: string;
  /** Takes each line that is JSON, unchecked. */
  onmessage: Transport["onmessage"];
  /** Takes lines that are no JSON, no UTF-8 or too long, and the failure of the channel, after which nothing works. */
  onerror: Transport["onerror"];
  /** Called when the channel has ended and every line before that was delivered. */
  onend: Transport["onend"];
  /** Called once, when the channel was let go or broke. */
  onclose: Transport["onclose"];

  readonly #channel: ByteChannel;
  readonly #lines: LineDecoder;
  readonly #origin: StreamOptions["origin"];
  /** Only ever goes forward. */
  #state: "new" | "open" | "closing" | "closed" = "new";
  /** What came in and is not delivered yet, because too much waits to be written. */
  #inbox: (string | MalformedMessageError)[] = [];
  #inputEnded = false;
  /** True while the receiver has no room. */
  #held = false;
  /** What is to be written next, and how much that is. */
  #unsent: Piece[] = [];
  #unsentBytes = 0;
  /** Set while anything is being written or about to be; settles when nothing is left. */
  #flushing: Promise<void> | undefined;
  /** How many writes the channel has taken. */
  #writes = 0;
  #closing: Promise<void> | undefined;

  /** Takes over a channel that is not opened yet: `start` opens it, `close` closes it. */
  constructor(channel: ByteChannel, options: StreamOptions = {}) {
    this.type = options.type ?? "stream";
    this.#channel = channel;
    this.#origin = options.origin;
    this.#lines = new LineDecoder({
      line: (text) => void this.#inbox.push(text),
      malformed: (error) => void this.#inbox.push(error),
    }, options.maxLineBytes ?? MAX_LINE_BYTES);
  }

  /** True between `start` and the end. */
  get isOpen(): boolean {
    return this.#state === "open";
  }

  /** Settles when everything is written; undefined while no more than 1 MiB waits for that. */
  get congestion(): Promise<void> | undefined {
    return this.#unsentBytes > MAX_UNSENT_BYTES ? this.#flushing : undefined;
  }

  /** How many writes the channel has taken, of which each is 512 KiB at most. */
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
      return Promise.reject(new TransportError(`Cannot start the carrier: it is ${this.#state} already`));
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
      error: (cause) => this.#break(cause),
    });
    return Promise.resolve();
  }

  /**
   * Writes one line. Settles when the channel has taken it, or when the channel broke: `onerror` says so.
   *
   * @throws {TransportError} Before `start` and after `close`, and when the message cannot be written as JSON.
   */
  send(message: Message | readonly Message[]): Promise<void> {
    if (this.#state !== "open") {
      return Promise.reject(new TransportError(`Cannot send over the carrier: it is ${this.#state}`));
    }
    const pieces: Piece[] = [];
    try {
      encodeMessage(message, pieces);
    } catch (cause) {
      // Nothing of it was written: what follows starts on a line of its own.
      return Promise.reject(
        new TransportError("Cannot send the message: it cannot be written as JSON", { cause }),
      );
    }
    pieces.push("\n");
    for (const piece of pieces) {
      this.#unsent.push(piece);
      this.#unsentBytes += piece.length;
    }
    // Later, not now: the answers to everything that came in one chunk leave in one write.
    return this.#flushing ??= Promise.resolve().then(() => this.#flush());
  }

  /** Writes what was given to `send` before, and closes the channel; what came in and was not delivered is dropped. */
  close(): Promise<void> {
    return this.#closing ??= this.#finish();
  }

  async #finish(): Promise<void> {
    const hadChannel = this.#state !== "closed";
    if (hadChannel) this.#state = "closing";
    this.#inbox = [];
    await this.#flushed();
    if (hadChannel) this.#channel.close();
    if (this.#state === "closed") return;
    this.#state = "closed";
    this.onclose?.();
  }

  /** Waits until all is written, for as long as writing gets on. */
  async #flushed(): Promise<void> {
    let timer: ReturnType<typeof setTimeout> | undefined;
    for (let writes = -1; this.#flushing && this.#writes > writes;) {
      writes = this.#writes;
      const stalled = new Promise((resolve) => timer = setTimeout(resolve, MAX_STALL_MS));
      await Promise.race([this.#flushing, stalled]);
      clearTimeout(timer);
    }
  }

  /** Hands over what came in, for as long as what goes out keeps up and the receiver has room. */
  #deliver(): void {
    const receivedAt = Date.now();
    const inbox = this.#inbox;
    this.#inbox = [];
    let next = 0;
    while (next < inbox.length && this.#state === "open") {
      if (this.#held || this.congestion) {
        this.#inbox = inbox.slice(next);
        return this.#channel.pause();
      }
      this.#hand(inbox[next++]!, receivedAt);
    }
    if (!this.#inputEnded || this.#state !== "open") return;
    this.#inputEnded = false;
    if (this.onend) this.onend();
    else void this.close();
  }

  #hand(line: string | MalformedMessageError, receivedAt: number): void {
    const size = typeof line === "string" ? line.length : 0;
    const context: MessageContext = Object.freeze({ receivedAt, size, ...this.#origin });
    try {
      if (typeof line !== "string") throw line;
      const room = this.onmessage?.(parseJson(line), context);
      if (room instanceof Promise) void this.#hold(room);
    } catch (cause) {
      // A receiver that throws loses this message, and no other.
      this.onerror?.(
        cause instanceof Error ? cause : new TransportError(`The receiver threw: ${cause}`),
        context,
      );
    }
  }

  async #hold(room: Promise<void>): Promise<void> {
    this.#held = true;
    await room;
    this.#held = false;
    this.#continue();
  }

  async #flush(): Promise<void> {
    const gatherer = idleGatherers.pop() ?? new Gatherer();
    while (this.#unsent.length > 0) {
      const pieces = this.#unsent;
      this.#unsent = [];
      try {
        for (const write of toWrites(gatherer.gather(pieces))) {
          await this.#channel.write(write);
          this.#writes++;
        }
      } catch (cause) {
        this.#break(cause);
      }
      this.#unsentBytes = 0;
      for (const piece of this.#unsent) this.#unsentBytes += piece.length;
      this.#continue();
    }
    if (idleGatherers.length < MAX_IDLE_GATHERERS) idleGatherers.push(gatherer);
    this.#flushing = undefined;
  }

  /** Takes up again what had to stop. */
  #continue(): void {
    if (this.#state !== "open" || this.#held || this.congestion) return;
    const stopped = this.#inbox.length > 0;
    if (stopped || this.#inputEnded) this.#deliver();
    if (stopped && this.#inbox.length === 0) this.#channel.resume();
  }

  /** The channel is gone: nothing more can be sent, so nothing waits. */
  #break(cause: unknown): void {
    if (this.#state === "closed") return;
    this.#unsent = [];
    this.#unsentBytes = 0;
    this.#inbox = [];
    const wasOpen = this.#state === "open";
    this.#state = "closed";
    this.onerror?.(cause instanceof Error ? cause : new TransportError(`The channel broke: ${cause}`));
    if (wasOpen) this.#channel.close();
    this.onclose?.();
  }
}
