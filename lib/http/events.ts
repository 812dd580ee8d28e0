/**
 * How does a stream of events look on the wire? And what keeps it open while nothing happens, and cuts it when nobody reads.
 *
 * @see https://html.spec.whatwg.org/multipage/server-sent-events.html
 */

import type { Message } from "../jsonrpc/message.ts";
import type { BodyPiece, Fields, HttpStream } from "../platform/http.ts";
import { encodeMessage } from "../jsonrpc/message.ts";

/** The fields of an answer that is a stream; proxies must neither keep it nor hold it back. */
export const EVENT_FIELDS: Fields = Object.freeze({
  "content-type": "text/event-stream",
  "cache-control": "no-store, no-transform",
  "x-accel-buffering": "no",
  "x-content-type-options": "nosniff",
});

/** A message as an event. */
export function toEvent(message: Message, id?: string): BodyPiece[] {
  const pieces: BodyPiece[] = [
    id === undefined ? "event: message\ndata: " : `id: ${id}\nevent: message\ndata: `,
  ];
  encodeMessage(message, pieces);
  pieces.push("\n\n");
  return pieces;
}

/** Streams that are open, and get a comment now and then. One clock for all of them, which stands while there is none. */
export class OpenStreams {
  readonly #everyMs: number;
  readonly #streams = new Set<EventStream>();
  #clock: ReturnType<typeof setInterval> | undefined;

  constructor(everyMs: number) {
    this.#everyMs = everyMs;
  }

  get size(): number {
    return this.#streams.size;
  }

  add(stream: EventStream): void {
    this.#streams.add(stream);
    this.#clock ??= setInterval(() => this.#tick(), this.#everyMs);
  }

  delete(stream: EventStream): void {
    if (!this.#streams.delete(stream)) return;
    stream.onclose?.();
    if (this.#streams.size > 0) return;
    clearInterval(this.#clock);
    this.#clock = undefined;
  }

  /** Cuts what is still open. */
  cutAll(): void {
    for (const stream of this.#streams) stream.cut();
  }

  #tick(): void {
    for (const stream of this.#streams) stream.keepAlive();
  }
}

/** How many comments may find no room one after the other before nobody reads any more. */
const MAX_PATIENCE = 4;

/** One answer that is a stream. */
export class EventStream {
  readonly #stream: HttpStream;
  readonly #open: OpenStreams;
  #room: Promise<void> | undefined;
  #stalled = 0;
  /** Called, once, when it is open no more, whoever ended it. */
  onclose: (() => void) | undefined;
  /** Called before each comment; whoever finds that there is nothing to wait for any more ends it. */
  ontick: (() => void) | undefined;
  #isOver = false;

  constructor(stream: HttpStream, open: OpenStreams) {
    this.#stream = stream;
    this.#open = open;
    open.add(this);
  }

  /** When there is room; undefined while there is. */
  get room(): Promise<void> | undefined {
    return this.#room;
  }

  /** Writes an event; a promise when there is no room for more before it settles. */
  write(pieces: readonly BodyPiece[]): Promise<void> | undefined {
    const room = this.#stream.write(pieces);
    if (room && room !== this.#room) {
      this.#room = room;
      void room.then(() => {
        this.#room = undefined;
        this.#stalled = 0;
      });
    }
    return room;
  }

  keepAlive(): void {
    this.ontick?.();
    if (this.#isOver) return;
    if (!this.#room) return void this.write([": \n\n"]);
    if (++this.#stalled > MAX_PATIENCE) this.cut();
  }

  end(): void {
    this.#isOver = true;
    this.#open.delete(this);
    this.#stream.end();
  }

  cut(): void {
    this.#open.delete(this);
    this.#stream.cut();
  }

  /** The other side is gone. */
  forget(): void {
    this.#open.delete(this);
  }
}
