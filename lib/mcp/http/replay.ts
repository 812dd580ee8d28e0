/** Event streams that a client can resume on another connection. */

import type { Message } from "../../jsonrpc/message.ts";
import type { BodyPiece } from "../../platform/http.ts";
import type { Negotiated } from "../protocol/revisions.ts";
import type { Share } from "./shares.ts";
import { sizeOf } from "../../base/bytes.ts";
import { HttpError } from "./errors.ts";
import { toEvent } from "./events.ts";

/** How long a disconnected client waits before it reconnects, in milliseconds. */
const RETRY_MS = 1000;
/** The maximum number of kept events per stream. */
const MAX_EVENTS = 256;
/** The maximum size of the kept events of a stream, in bytes or UTF-16 units. */
const MAX_STREAM_SIZE = 1024 * 1024;
/** What a stream counts in addition to its events, in bytes. */
const STREAM_SIZE = 1024;

/** The session that a stream belongs to. */
interface Owner {
  readonly share: Share;
  readonly negotiated: Negotiated;
}

/** The request in whose response a stream is sent. */
interface Reader {
  /** The stream that is sent in its response. */
  replay: ReplayStream | undefined;
  /** Writes to its response; returns a promise when the buffer is full. */
  write(pieces: readonly BodyPiece[]): Promise<void> | undefined;
  /** Ends its response. What was written before still arrives. */
  end(): void;
}

/** A stream that the client can resume on another connection, for a limited time. Its events are numbered from 1. */
export class ReplayStream {
  readonly session: Owner;
  /** The prefix of its event ids. */
  readonly key: string;
  /** The request in whose response it is sent; undefined while the client is not connected. */
  request: Reader | undefined;
  /** Called when it is dropped. */
  ondrop: (() => void) | undefined;
  /** The number of the last event. */
  lastNumber = 0;
  isEnded = false;
  readonly #replays: Replays;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** The events that can be sent again, by number, oldest first. */
  readonly #kept = new Map<number, { readonly pieces: readonly BodyPiece[]; readonly at: number }>();
  /** The counted size. */
  #size = 0;

  /** @param kind "n" for notifications, "r" for a response. */
  constructor(session: Owner, kind: "n" | "r", replays: Replays) {
    this.session = session;
    // Unique among the processes that serve the same session.
    this.key = `${kind}${Math.random().toString(36).slice(2)}`;
    this.#replays = replays;
    this.#count(STREAM_SIZE);
    replays.byKey.set(this.key, this);
  }

  /** Continues after the event of a number, in the response to another request. Ends the previous response. */
  connect(request: Reader, after: number): void {
    const previous = this.request;
    this.request = request;
    request.replay = this;
    clearTimeout(this.#timer);
    previous?.end();
    // With this id, the client can resume even before the first message.
    if (this.session.negotiated.revision.primesStreams) {
      void request.write([`id: ${this.key}-${after}\nretry: ${RETRY_MS}\ndata: \n\n`]);
    }
    this.#evict();
    for (const [number, { pieces }] of this.#kept) if (number > after) void request.write(pieces);
    if (this.isEnded) this.pause();
  }

  /** Sends a message, now or when the client resumes; returns a promise when the buffer is full. */
  send(message: Message): Promise<void> | undefined {
    if (this.isEnded) return undefined;
    const number = ++this.lastNumber;
    const pieces = toEvent(message, `${this.key}-${number}`);
    this.#count(sizeOf(pieces));
    this.#kept.set(number, { pieces, at: Date.now() });
    this.#evict();
    return this.request?.write(pieces);
  }

  /** Ends the stream. Its events are kept until it is dropped. */
  end(): void {
    if (this.isEnded) return;
    this.isEnded = true;
    this.pause();
  }

  /** Ends the current response; the client can resume with another request. */
  pause(): void {
    const { request } = this;
    this.detach(request);
    request?.end();
  }

  /** Disconnects the request whose response has ended, if it is the current one. Then events are kept for `retentionMs`. */
  detach(request: Reader | undefined): void {
    if (request !== this.request) return;
    this.request = undefined;
    if (this.isEnded) this.session.share.ended.add(this);
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.drop(), this.#replays.retentionMs);
  }

  /** Ends the stream and forgets its events. */
  drop(): void {
    this.end();
    clearTimeout(this.#timer);
    this.#replays.byKey.delete(this.key);
    this.session.share.ended.delete(this);
    this.#kept.clear();
    this.#count(-this.#size);
    this.ondrop?.();
  }

  /** Drops expired events, and the oldest ones while too much is kept. */
  #evict(): void {
    const oldest = Date.now() - this.#replays.retentionMs, { share } = this.session;
    for (const [number, { pieces, at }] of this.#kept) {
      const isSmall = this.#kept.size <= MAX_EVENTS && this.#size <= MAX_STREAM_SIZE;
      if (isSmall && share.fits("replays", 0) && at >= oldest) break;
      this.#kept.delete(number);
      this.#count(-sizeOf(pieces));
    }
  }

  /** Counts what is kept. To make space, drops ended streams of the client, oldest first. */
  #count(growth: number): void {
    const { share } = this.session;
    for (const stream of growth > 0 ? share.ended : []) {
      if (share.fits("replays", growth)) break;
      stream.drop();
    }
    this.#size += growth;
    share.count("replays", growth);
  }
}

/** The streams of an endpoint that clients can resume. */
export class Replays {
  /** By the prefix of their event ids. */
  readonly byKey: Map<string, ReplayStream> = new Map();
  /** How long events are kept for a client that reconnects, in milliseconds. */
  readonly retentionMs: number;

  constructor(retentionMs: number) {
    this.retentionMs = retentionMs;
  }

  /** The stream and number of an event id; undefined without an id, and for dropped notifications. @throws {HttpError} 400 */
  find(session: Owner, eventId?: string): { stream: ReplayStream; after: number } | undefined {
    if (eventId === undefined) return undefined;
    const [, key = "", number] = /^(\w{1,32})-(\d{1,15})$/.exec(eventId) ?? [];
    const stream = this.byKey.get(key);
    if (stream?.session === session) return { stream, after: Number(number) };
    if (key.startsWith("n")) return undefined;
    const reason = "The stream of this Last-Event-ID is no longer kept: send the request again";
    throw new HttpError(400, reason);
  }
}
