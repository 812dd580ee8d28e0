/**
 * Event streams: their format, keep-alive comments, and the end of streams that are not read.
 *
 * @see https://html.spec.whatwg.org/multipage/server-sent-events.html
 */

import type { Message } from "../jsonrpc/message.ts";
import type { BodyPiece, Fields, HttpStream } from "../platform/http.ts";
import { encodeMessage } from "../jsonrpc/message.ts";

/** The header fields of a stream; proxies must neither cache nor buffer it. */
export const EVENT_FIELDS: Fields = Object.freeze({
  "content-type": "text/event-stream",
  "cache-control": "no-store, no-transform",
  "x-accel-buffering": "no",
  "x-content-type-options": "nosniff",
});

/** A message as an event. */
export function toEvent(message: Message, id?: string): BodyPiece[] {
  const pieces: BodyPiece[] = [`${id === undefined ? "" : `id: ${id}\n`}event: message\ndata: `];
  encodeMessage(message, pieces);
  pieces.push("\n\n");
  return pieces;
}

/** The open streams. One timer sends all of them a comment now and then. */
export class OpenStreams {
  readonly #intervalMs: number;
  readonly #streams = new Set<EventStream>();
  #timer: ReturnType<typeof setInterval> | undefined;

  constructor(intervalMs: number) {
    this.#intervalMs = intervalMs;
  }

  get size(): number {
    return this.#streams.size;
  }

  add(stream: EventStream): void {
    this.#streams.add(stream);
    this.#timer ??= setInterval(() => {
      for (const stream of this.#streams) stream.keepAlive();
    }, this.#intervalMs);
  }

  delete(stream: EventStream): void {
    if (!this.#streams.delete(stream)) return;
    stream.onclose?.();
    if (this.#streams.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  /** Closes all connections at once. */
  cutAll(): void {
    for (const stream of this.#streams) stream.cut();
  }
}

/** After how many comments without buffer space a stream is closed, because the client is not reading. */
const MAX_STALLED = 4;

/** A response that is an event stream. */
export class EventStream {
  readonly #stream: HttpStream;
  readonly #open: OpenStreams;
  #drained: Promise<void> | undefined;
  #stalled = 0;
  #isEnded = false;
  /** Called once, at the end. */
  onclose: (() => void) | undefined;
  /** Called before each comment; may end the stream. */
  ontick: (() => void) | undefined;

  constructor(stream: HttpStream, open: OpenStreams) {
    this.#stream = stream;
    this.#open = open;
    open.add(this);
  }

  /** Writes an event; returns a promise when the buffer is full. */
  write(pieces: readonly BodyPiece[]): Promise<void> | undefined {
    const drained = this.#stream.write(pieces);
    if (drained && drained !== this.#drained) {
      this.#drained = drained;
      void drained.then(() => {
        this.#drained = undefined;
        this.#stalled = 0;
      });
    }
    return drained;
  }

  keepAlive(): void {
    this.ontick?.();
    if (this.#isEnded) return;
    if (!this.#drained) this.write([": \n\n"]);
    else if (++this.#stalled > MAX_STALLED) this.cut();
  }

  end(): void {
    this.#isEnded = true;
    this.#open.delete(this);
    this.#stream.end();
  }

  cut(): void {
    this.#open.delete(this);
    this.#stream.cut();
  }

  /** The client has disconnected. */
  disconnected(): void {
    this.#open.delete(this);
  }
}

/** The resolution of `Timeouts`, in milliseconds. */
const TICK_MS = 50;

/** Many timeouts on one timer: a timer for each request would cost as much as a small request. */
export class Timeouts {
  readonly #since = new Map<(elapsedMs: number) => void, number>();
  #ticks = 0;
  #timer: ReturnType<typeof setInterval> | undefined;

  /** Calls back every tick with the elapsed time until it is deleted. */
  add(callback: (elapsedMs: number) => void): void {
    this.#since.set(callback, this.#ticks);
    this.#timer ??= setInterval(() => this.#tick(), TICK_MS);
  }

  delete(callback: (elapsedMs: number) => void): void {
    this.#since.delete(callback);
  }

  /** Deletes all. */
  stop(): void {
    this.#since.clear();
    clearInterval(this.#timer);
  }

  #tick(): void {
    this.#ticks++;
    if (this.#since.size === 0) {
      clearInterval(this.#timer);
      this.#timer = undefined;
    }
    for (const [callback, since] of this.#since) callback((this.#ticks - since) * TICK_MS);
  }
}
