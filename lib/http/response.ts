/** Responses: a JSON text or an event stream. @see https://html.spec.whatwg.org/multipage/server-sent-events.html */

import type { Call, Responder } from "../jsonrpc/connection.ts";
import type { Id, Message, Response } from "../jsonrpc/message.ts";
import type { BodyPiece, Fields, HttpExchange, HttpStream } from "../platform/http.ts";
import type { Asked } from "./audit.ts";
import type { Authenticate, Authenticated } from "./authentication.ts";
import type { HttpOptions } from "./listen.ts";
import type { ServedSession } from "./sessions.ts";
import type { Share } from "./shares.ts";
import { sizeOf } from "../base/bytes.ts";
import { asObject } from "../base/json.ts";
import { encodeMessage, ErrorCode } from "../jsonrpc/message.ts";
import { SMALL_BYTES } from "../platform/http.ts";
import { challengeFields } from "./authentication.ts";
import { HttpError, JSON_FIELDS, respondWithError } from "./checks.ts";

/** `Accept` fields, without weights, of clients that read JSON and event streams. */
const ACCEPTS_JSON = /(?:^|,)\s*(?:\*\/\*|application\/(?:\*|json))\s*(?:[;,]|$)/i;
const ACCEPTS_EVENTS = /(?:^|,)\s*(?:\*\/\*|text\/(?:\*|event-stream))\s*(?:[;,]|$)/i;

/** The header fields of a stream; proxies must neither cache nor buffer it. */
const EVENT_FIELDS: Fields = Object.freeze({
  "content-type": "text/event-stream",
  "cache-control": "no-store, no-transform",
  "x-accel-buffering": "no",
  "x-content-type-options": "nosniff",
});
/** With how many comments a client that does not read is disconnected, and a client is authenticated again: in about a minute. */
const MAX_STALLED = 4, RECHECK_COMMENTS = 4, RETRY_MS = 1000;
/** The limits of kept events of a stream, and what a stream counts beside them, in bytes and UTF-16 units. */
const MAX_EVENTS = 256, MAX_STREAM_SIZE = 1024 * 1024, STREAM_SIZE = 1024;

function toEvent(message: Message, id?: string): BodyPiece[] {
  const start = `${id === undefined ? "" : `id: ${id}\n`}event: message\ndata: `;
  return [start, ...encodeMessage(message), "\n\n"];
}

/** A request that was admitted, and its response: a stream from the first message on that precedes the result. */
export class HttpRequest implements Responder {
  readonly exchange: HttpExchange;
  readonly share: Share;
  readonly authenticated: Authenticated | undefined;
  readonly acceptsJson: boolean;
  readonly acceptsEvents: boolean;
  /** The session that its message belongs to, which only legacy clients have. */
  session: ServedSession | undefined;
  /** Its message, if that is a request without a session, once it is read. */
  call: Call | undefined;
  /** Set while its body is read. */
  rejectBody: ((cause: Error) => void) | undefined;
  isWorking = true;
  isAnswered = false;
  /** What the body asks for, once it is read, and what that is answered with, for the audit log. */
  asked: readonly Asked[] | undefined;
  response: Response | readonly Response[] | undefined;
  /** What keeps the events of its stream, in a session. */
  replay: ReplayStream | undefined;
  /** When its stream ends, in milliseconds since 1970: with its credential or its session. */
  expiresAt: number = Infinity;
  /** Called when its stream is closed. */
  onclose: (() => void) | undefined;
  #bytes = 0;
  readonly #streams: Streams;
  #stream: HttpStream | undefined;
  /** About the bytes of its stream that the client has not read. */
  #unread = 0;
  #stalled = 0;
  #comments = 0;
  #error: HttpError | undefined;
  #answered: PromiseWithResolvers<void> | undefined;

  constructor(exchange: HttpExchange, share: Share, streams: Streams, authenticated?: Authenticated) {
    const accept = exchange.header("accept") ?? "*/*";
    this.exchange = exchange;
    this.share = share;
    this.authenticated = authenticated;
    this.acceptsJson = ACCEPTS_JSON.test(accept);
    this.acceptsEvents = ACCEPTS_EVENTS.test(accept);
    this.#streams = streams;
  }

  /** Takes bytes of the body or the response. @throws {HttpError} See `Share`. */
  take(bytes: number): void {
    this.share.take("bytes", bytes);
    this.#bytes += bytes;
  }

  /** Counts no longer, nor do its bytes: its response has left. */
  release(): void {
    this.share.count("bytes", -this.#bytes);
    this.#bytes = 0;
    if (this.isWorking) this.share.count("requests", -1);
    this.isWorking = false;
  }

  /** The id for a response in place of its own; a batch has none. */
  get id(): Id | null | undefined {
    return this.call?.request.id ?? (this.response as Response | undefined)?.id;
  }

  get answered(): Promise<void> {
    return (this.#answered ??= Promise.withResolvers()).promise;
  }

  get obstacle(): string | undefined {
    return this.acceptsEvents && !this.isAnswered ? undefined : "it reads no event stream";
  }

  /** Begins the event stream if the client accepts one, so that no proxy times out. */
  begin(): void {
    if (!this.acceptsEvents || this.isAnswered || this.#stream) return;
    if (this.call?.request.method === "subscriptions/listen") this.subscribe();
    else this.#open();
    if (this.session) new ReplayStream(this.session, "r", this.#streams).connect(this, 0);
  }

  /** Opens a stream that stays open as long as the client likes, so the request no longer counts as working. */
  subscribe(): void {
    this.#open();
    // What it has sent is still counted.
    this.share.count("requests", -1);
    this.isWorking = false;
    this.share.count("streams", 1);
    this.expiresAt = this.authenticated?.expiresAt ?? Infinity;
  }

  #open(): void {
    this.#stream = this.exchange.stream(200, EVENT_FIELDS);
    this.#streams.open.add(this);
    this.exchange.onDisconnect(() => this.#close());
  }

  send(message: Message): Promise<void> | undefined {
    this.begin();
    return this.isAnswered || !this.#stream ? undefined : this.#send(message);
  }

  #send(message: Message): Promise<void> | undefined {
    return this.replay ? this.replay.send(message) : this.write(toEvent(message));
  }

  /** Writes to its stream; returns a promise when the buffer is full. */
  write(pieces: readonly BodyPiece[]): Promise<void> | undefined {
    const drained = this.#stream!.write(pieces);
    if (!drained) return undefined;
    const size = sizeOf(pieces), isFirst = this.#unread === 0;
    if (!isFirst && !this.share.fits("bytes", size)) {
      this.share.overLimit("bytes", size);
      this.cut();
    }
    this.share.count("bytes", size);
    this.#unread += size;
    if (isFirst) void drained.then(() => this.#drain());
    return drained;
  }

  #drain(): void {
    this.#stalled = 0;
    this.share.count("bytes", -this.#unread);
    this.#unread = 0;
  }

  keepAlive(): void {
    if (this.expiresAt <= Date.now()) this.end();
    else if (this.#unread === 0) void this.write([": \n\n"]);
    else if (++this.#stalled > MAX_STALLED) this.cut();
    // The credential of a request at work was checked when it came.
    if (this.isWorking || ++this.#comments % RECHECK_COMMENTS > 0) return;
    // An error ends no stream: a source of keys may be down for a while.
    void this.#isAllowed().then((isAllowed) => isAllowed || this.end(), () => {});
  }

  /** Whether its credential is still accepted: it may have been withdrawn. */
  async #isAllowed(): Promise<boolean> {
    const found = await this.#streams.authenticate?.(this.exchange);
    return !found || ("principal" in found && found.principal === this.authenticated?.principal);
  }

  /** Ends its stream; what was written still arrives. */
  end(): void {
    this.#close();
    this.#stream?.end();
  }

  /** Ends its stream at once. */
  cut(): void {
    this.#close();
    this.#stream?.cut();
  }

  #close(): void {
    if (!this.#streams.open.items.delete(this)) return;
    this.replay?.detach(this);
    this.onclose?.();
    if (this.isWorking) return;
    this.share.count("streams", -1);
    this.cancel("The stream has ended");
  }

  /** See `Responder`. There is no response to a notification, a response, or a request that was cancelled. */
  reply(response: Response | readonly Response[] | undefined, call?: Call): void {
    if (this.isAnswered) return;
    this.response = response;
    // An error with a status of its own is sent as that, whatever the client accepts.
    const isEvents = response ? !this.acceptsJson && (call?.status ?? 200) === 200 : call;
    if (isEvents) this.begin();
    this.isAnswered = true;
    this.#answered?.resolve();
    if (this.#stream) {
      for (const message of [response ?? []].flat() as Message[]) void this.#send(message);
      if (call?.epilogue) void this.#send(call.epilogue);
      return this.replay ? this.replay.end() : this.end();
    }
    const { exchange, share } = this;
    if (!response) return this.#error ? respondWithError(exchange, this.#error) : exchange.respond(202, {});
    const { error } = response as Response;
    // Of errors, legacy clients expect a status only with those of the request itself.
    const hasStatus = error && (!this.session || error.code === ErrorCode.invalidRequest);
    const status = !hasStatus ? 200 : call ? call.status ?? 200 : 400;
    let fields = JSON_FIELDS;
    if (call?.retryAfter !== undefined) fields = { ...fields, "retry-after": `${call.retryAfter}` };
    if (status === 403) {
      const scope = String(asObject(error?.data)["scope"]);
      const challenge = challengeFields({ error: "insufficient_scope", scope }, this.#streams.metadataUrl);
      fields = { ...fields, ...challenge };
    }
    const body = encodeMessage(response), size = sizeOf(body);
    if (size > SMALL_BYTES) {
      // Counted in place of the body of the request. A response that is the only one is sent, however long.
      share.count("bytes", -this.#bytes);
      this.#bytes = 0;
      if (share.used.bytes > 0 && !share.fits("bytes", size)) {
        return respondWithError(exchange, share.overLimit("bytes", size), this);
      }
      share.count("bytes", size);
      this.#bytes = size;
    }
    exchange.respond(status, fields, body);
  }

  /** Cancels its call, if that has no response yet. */
  cancel(reason: string): void {
    if (this.isAnswered || !this.call) return;
    this.call.cancel(reason);
    this.reply(undefined, this.call);
  }

  unmatched(_response: Response): void {
    const reason = "it was answered already or too late, or another process of this server sent it";
    this.#error = new HttpError(400, `No request waits for this response: ${reason}`);
  }

  closeStream(): void {
    if (this.isAnswered || !this.session?.negotiated.revision.primesStreams) return;
    this.begin();
    this.replay?.pause();
  }
}

/** A stream that outlives its connection, until its client has been away for a while. Its events are numbered from 1. */
export class ReplayStream {
  readonly owner: ServedSession;
  /** The prefix of its event ids. */
  readonly key: string;
  /** The request in whose response it is sent; undefined while the client is not connected. */
  connection: HttpRequest | undefined;
  sent = 0;
  isEnded = false;
  readonly #streams: Streams;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** The events that can be sent again, by number. */
  readonly #kept = new Map<number, { readonly pieces: readonly BodyPiece[]; readonly at: number }>();
  #size = 0;

  /** @param kind Of notifications or a response. */
  constructor(owner: ServedSession, kind: "n" | "r", streams: Streams) {
    this.owner = owner;
    // Unique among the processes that serve the same session.
    this.key = `${kind}${Math.random().toString(36).slice(2)}`;
    this.#streams = streams;
    this.#count(STREAM_SIZE);
    streams.kept.set(this.key, this);
  }

  /** Continues after an event in the response to another request, and ends the one before. */
  connect(connection: HttpRequest, after: number): void {
    const before = this.connection;
    this.connection = connection;
    connection.replay = this;
    clearTimeout(this.#timer);
    before?.end();
    // So that the client can resume it before its first message.
    if (this.owner.negotiated.revision.primesStreams) {
      void connection.write([`id: ${this.key}-${after}\nretry: ${RETRY_MS}\ndata: \n\n`]);
    }
    this.#evict();
    for (const [number, { pieces }] of this.#kept) if (number > after) void connection.write(pieces);
    if (this.isEnded) this.pause();
  }

  send(message: Message): Promise<void> | undefined {
    if (this.isEnded) return undefined;
    const number = ++this.sent;
    const pieces = toEvent(message, `${this.key}-${number}`);
    this.#count(sizeOf(pieces));
    this.#kept.set(number, { pieces, at: Date.now() });
    this.#evict();
    return this.connection?.write(pieces);
  }

  end(): void {
    if (this.isEnded) return;
    this.isEnded = true;
    this.pause();
  }

  /** Closes the connection; the client resumes on another one. */
  pause(): void {
    const { connection } = this;
    this.detach(connection);
    connection?.end();
  }

  /** The connection is closed, if it still is that one: without it, it is kept for a while. */
  detach(connection: HttpRequest | undefined): void {
    if (connection !== this.connection) return;
    this.connection = undefined;
    if (this.isEnded) this.owner.share.ended.add(this);
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.drop(), this.#streams.retentionMs);
  }

  /** Ends it, and keeps nothing of it. */
  drop(): void {
    this.end();
    clearTimeout(this.#timer);
    this.#streams.kept.delete(this.key);
    this.owner.share.ended.delete(this);
    this.#kept.clear();
    this.#count(-this.#size);
    if (this.owner.notices !== this) return;
    this.owner.notices = undefined;
    this.owner.changes!.stop();
  }

  #evict(): void {
    const oldest = Date.now() - this.#streams.retentionMs, { share } = this.owner;
    for (const [number, { pieces, at }] of this.#kept) {
      const isSmall = this.#kept.size <= MAX_EVENTS && this.#size <= MAX_STREAM_SIZE;
      if (isSmall && share.fits("replays", 0) && at >= oldest) break;
      this.#kept.delete(number);
      this.#count(-sizeOf(pieces));
    }
  }

  /** Counts what is kept. More takes the place of streams of the client that have ended, the oldest first. */
  #count(growth: number): void {
    const { share } = this.owner;
    for (const stream of growth > 0 ? share.ended : []) {
      if (share.fits("replays", growth)) break;
      stream.drop();
    }
    this.#size += growth;
    share.count("replays", growth);
  }
}

export class Streams {
  /** Those that clients read. Each is sent a comment now and then. */
  readonly open: Ticker<HttpRequest>;
  readonly keepAliveMs: number;
  readonly retentionMs: number;
  /** Those that can be resumed, by the prefix of their event ids. */
  readonly kept: Map<string, ReplayStream> = new Map();
  readonly metadataUrl: string | undefined;
  readonly authenticate: Authenticate | undefined;

  constructor(options: HttpOptions, metadataUrl: string | undefined) {
    const { keepAliveMs = 15_000, retentionMs = 60_000, authenticate } = options;
    this.open = new Ticker(keepAliveMs, (request) => request.keepAlive());
    this.keepAliveMs = keepAliveMs;
    this.retentionMs = retentionMs;
    this.authenticate = authenticate;
    this.metadataUrl = metadataUrl;
  }

  /** The stream and number of an event of a session; undefined for none, and for notifications that are not kept. @throws {HttpError} */
  find(owner: ServedSession, eventId?: string): { stream: ReplayStream; after: number } | undefined {
    if (eventId === undefined) return undefined;
    const [, key = "", number] = /^(\w{1,32})-(\d{1,15})$/.exec(eventId) ?? [];
    const stream = this.kept.get(key);
    if (stream?.owner === owner) return { stream, after: Number(number) };
    if (key.startsWith("n")) return undefined;
    const reason = "The stream of this Last-Event-ID is no longer kept here: send the request again";
    throw new HttpError(400, reason);
  }

  close(): void {
    for (const stream of this.kept.values()) stream.drop();
    for (const request of this.open.items.keys()) request.cut();
    this.open.stop();
  }
}

/** Calls back for each of its items at an interval, on one timer: one for each would cost as much as a small request. */
export class Ticker<T> {
  /** The items, and the tick when each was added. */
  readonly items: Map<T, number> = new Map();
  readonly #intervalMs: number;
  readonly #ontick: (item: T, elapsedMs: number) => void;
  #ticks = 0;
  #timer: ReturnType<typeof setInterval> | undefined;

  constructor(intervalMs: number, ontick: (item: T, elapsedMs: number) => void) {
    this.#intervalMs = intervalMs;
    this.#ontick = ontick;
  }

  add(item: T): void {
    this.items.set(item, this.#ticks);
    this.#timer ??= setInterval(() => {
      this.#ticks++;
      if (this.items.size === 0) return this.stop();
      for (const [item, since] of this.items) this.#ontick(item, (this.#ticks - since) * this.#intervalMs);
    }, this.#intervalMs);
  }

  stop(): void {
    this.items.clear();
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}
