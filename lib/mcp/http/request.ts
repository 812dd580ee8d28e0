/** A request and its response: JSON or an event stream. */

import type { Responder } from "../../jsonrpc/contract.ts";
import type { Id, Message, Response } from "../../jsonrpc/message.ts";
import type { BodyPiece, HttpExchange, HttpStream } from "../../platform/http.ts";
import type { McpError } from "../protocol/errors.ts";
import type { AcceptedCall } from "../server/accepted.ts";
import type { AuditedMessage } from "./audit.ts";
import type { Authenticated } from "./authentication.ts";
import type { ServedSession } from "./session.ts";
import type { Share } from "./shares.ts";
import type { Streams } from "./streams.ts";
import { sizeOf } from "../../base/bytes.ts";
import { asObject } from "../../base/json.ts";
import { encodeMessage, ErrorCode, failure } from "../../jsonrpc/message.ts";
import { SMALL_BYTES } from "../../platform/http.ts";
import { challengeFields } from "./authentication.ts";
import { HttpError, JSON_FIELDS, respondWithError, retryFields, statusOf } from "./errors.ts";
import { EVENT_FIELDS, toEvent } from "./events.ts";
import { ReplayStream } from "./replay.ts";

/** Matches an `Accept` field that includes JSON; weights are ignored. */
const ACCEPTS_JSON = /(?:^|,)\s*(?:\*\/\*|application\/(?:\*|json))\s*(?:[;,]|$)/i;
/** Matches an `Accept` field that includes event streams. */
const ACCEPTS_EVENTS = /(?:^|,)\s*(?:\*\/\*|text\/(?:\*|event-stream))\s*(?:[;,]|$)/i;

/** The number of keep-alive intervals after which a client that reads nothing is disconnected. */
const MAX_STALLED = 4;
/** The number of keep-alives between two checks of a credential. */
const RECHECK_INTERVAL = 4;

/** An admitted request and its response: JSON, or an event stream if messages precede the result. */
export class HttpRequest implements Responder {
  readonly exchange: HttpExchange;
  readonly share: Share;
  readonly authenticated: Authenticated | undefined;
  readonly acceptsJson: boolean;
  readonly acceptsEvents: boolean;
  /** The session of its message; only legacy clients have sessions. */
  session: ServedSession | undefined;
  /** The call of its message, after it was read, if it is a JSON-RPC request without a session. */
  call: AcceptedCall | undefined;
  /** Aborts the reading of the body. Set while the body is read. */
  rejectBody: ((cause: Error) => void) | undefined;
  /** Whether it counts as a request of its client. */
  isWorking = true;
  isAnswered = false;
  /** For the audit log: the messages of the body. */
  audited: readonly AuditedMessage[] | undefined;
  /** For the audit log: the response. */
  response: Response | readonly Response[] | undefined;
  /** Keeps the events of its stream, if it belongs to a session. */
  replay: ReplayStream | undefined;
  /** When its credential or session expires, which ends its stream, in milliseconds since 1970. */
  expiresAt: number = Infinity;
  /** Called when its stream is closed. */
  onclose: (() => void) | undefined;
  /** The counted bytes of its body, or of its response. */
  #bytes = 0;
  readonly #streams: Streams;
  #stream: HttpStream | undefined;
  /** The counted bytes of its stream that the client has not read. */
  #unread = 0;
  /** The number of keep-alives since the client last read. */
  #stalled = 0;
  /** The number of keep-alives since the stream stopped counting as a request. */
  #keepAlives = 0;
  /** The error for a response that matches no request of ours. */
  #unmatched: HttpError | undefined;
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

  /** Counts bytes of the body. @throws {HttpError} See `Share`. */
  reserve(bytes: number): void {
    this.share.reserve("bytes", bytes);
    this.#bytes += bytes;
  }

  /** Stops counting the request and its bytes. */
  release(): void {
    this.share.count("bytes", -this.#bytes);
    this.#bytes = 0;
    if (this.isWorking) this.share.count("requests", -1);
    this.isWorking = false;
  }

  /** The id for an error that replaces its response; a batch has none. */
  get id(): Id | null | undefined {
    return this.call?.request.id ?? (this.response as Response | undefined)?.id;
  }

  /** Settles when the response is given. */
  get answered(): Promise<void> {
    return (this.#answered ??= Promise.withResolvers()).promise;
  }

  /** See `Responder`. */
  get obstacle(): string | undefined {
    return this.acceptsEvents && !this.isAnswered ? undefined : "it accepts no event stream";
  }

  /** Begins the event stream, if the client accepts one and it has not begun. */
  begin(): void {
    if (!this.acceptsEvents || this.isAnswered || this.#stream) return;
    if (this.call?.request.method === "subscriptions/listen") this.subscribe();
    else this.#open();
    if (this.session) new ReplayStream(this.session, "r", this.#streams.replays).connect(this, 0);
  }

  /** Opens a stream that stays open until the client closes it. It counts as a stream, no longer as a request. */
  subscribe(): void {
    this.#open();
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

  /** See `Responder`. */
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
    // The first unread message may have any length.
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

  /** Sends a keep-alive comment. Ends a stream that has expired, that is not read, or whose credential was withdrawn. */
  keepAlive(): void {
    if (this.expiresAt <= Date.now()) this.end();
    else if (this.#unread === 0) void this.write([": \n\n"]);
    else if (++this.#stalled > MAX_STALLED) this.cut();
    // The credential of an unfinished request was checked when it arrived.
    if (this.isWorking || ++this.#keepAlives % RECHECK_INTERVAL > 0) return;
    // An error does not end the stream, because the source of keys may be down for a while.
    void this.#isAllowed().then((isAllowed) => isAllowed || this.end(), () => {});
  }

  /** Whether its credential is still accepted: it may have been withdrawn. */
  async #isAllowed(): Promise<boolean> {
    const found = await this.#streams.authenticate?.(this.exchange);
    return !found || ("principal" in found && found.principal === this.authenticated?.principal);
  }

  /** Ends its stream. What was written before still arrives. */
  end(): void {
    this.#close();
    this.#stream?.end();
  }

  /** Ends its stream at once and drops unsent bytes. */
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

  /** See `Responder`. A notification, a response, and a cancelled request have no response. */
  reply(response: Response | readonly Response[] | undefined, call?: AcceptedCall): void {
    if (this.isAnswered) return;
    this.response = response;
    // An error with a status is always sent as JSON. A cancelled call gets a stream without a response.
    const isEvents = response ? !this.acceptsJson && (statusOf(call?.error) ?? 200) === 200 : call;
    if (isEvents) this.begin();
    this.isAnswered = true;
    this.#answered?.resolve();
    if (this.#stream) {
      for (const message of [response ?? []].flat() as Message[]) void this.#send(message);
      if (call?.epilogue) void this.#send(call.epilogue);
      return this.replay ? this.replay.end() : this.end();
    }
    const { exchange, share } = this;
    if (!response && this.#unmatched) return respondWithError(exchange, this.#unmatched);
    if (!response) return exchange.respond(202, {});
    const { error } = response as Response;
    // Legacy clients expect an error status only for an invalid request. A malformed one has no call.
    const hasStatus = error && (!this.session || error.code === ErrorCode.invalidRequest);
    const status = !hasStatus ? 200 : call ? statusOf(call.error) ?? 200 : 400;
    let fields = JSON_FIELDS;
    const { retryAfter = call?.accepted.retryAfter } = (call?.error ?? {}) as Partial<McpError>;
    if (retryAfter !== undefined) fields = { ...fields, ...retryFields(retryAfter) };
    if (status === 403) {
      const scope = String(asObject(error?.data)["scope"]);
      const challenge = challengeFields({ error: "insufficient_scope", scope }, this.#streams.metadataUrl);
      fields = { ...fields, ...challenge };
    }
    const body = encodeMessage(response), size = sizeOf(body);
    if (size > SMALL_BYTES) {
      // The response replaces the request body in the count. It is always sent if it is the only use of the client.
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

  /** Cancels its call, and answers it with an error, if that has no response yet. */
  giveUp(reason: string): void {
    if (this.isAnswered || !this.call) return;
    this.call.cancel(reason);
    const { request: { id } } = this.call;
    this.reply(failure(id, { code: ErrorCode.internal, message: reason }), this.call);
  }

  /** See `Responder`. */
  unmatched(_response: Response): void {
    const reason = "it was already answered, has timed out, or was sent by another process of this server";
    this.#unmatched = new HttpError(400, `No request waits for this response: ${reason}`);
  }

  /** See `Responder`. */
  closeStream(): void {
    if (this.isAnswered || !this.session?.negotiated.revision.primesStreams) return;
    this.begin();
    this.replay?.pause();
  }
}
