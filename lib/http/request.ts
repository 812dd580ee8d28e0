/** A request to the endpoint, and the response to its message: a JSON text, or an event stream. */

import type { Outlet } from "../jsonrpc/connection.ts";
import type { Message, Response } from "../jsonrpc/message.ts";
import type { HttpExchange } from "../platform/http.ts";
import type { ServerCall } from "../server/handlers.ts";
import type { MessageContext } from "../transport/transport.ts";
import type { Authenticated } from "./authentication.ts";
import type { Client } from "./endpoint.ts";
import type { HttpSession } from "./sessions.ts";
import type { EventStream, ReplayStream } from "./streams.ts";
import { encodeMessage, ErrorCode } from "../jsonrpc/message.ts";
import { ACCEPTS_EVENTS, ACCEPTS_JSON, HttpError, JSON_FIELDS, respondWithError } from "./checks.ts";

/** A request that was admitted. The response is a stream from the first message on that precedes the result. */
export class HttpRequest implements Outlet {
  readonly exchange: HttpExchange;
  readonly client: Client;
  readonly authenticated: Authenticated | undefined;
  readonly acceptsJson: boolean;
  readonly acceptsEvents: boolean;
  /** The session of its message. */
  session: HttpSession | undefined;
  /** Whether its message is `initialize` or belongs to a session. */
  isLegacy = false;
  /** Whether its response is a stream that stays open as long as the client likes. */
  isSubscription = false;
  /** Whether it counts among the requests without a response. */
  isWorking = true;
  isAnswered = false;
  readonly #open: (request: HttpRequest) => EventStream | ReplayStream;
  #stream: EventStream | ReplayStream | undefined;
  #error: HttpError | undefined;
  #answered: PromiseWithResolvers<void> | undefined;

  /** @param open Begins an event stream as the response. */
  constructor(
    exchange: HttpExchange,
    client: Client,
    authenticated: Authenticated | undefined,
    open: (request: HttpRequest) => EventStream | ReplayStream,
  ) {
    const accept = exchange.header("accept") ?? "*/*";
    this.exchange = exchange;
    this.client = client;
    this.authenticated = authenticated;
    this.acceptsJson = ACCEPTS_JSON.test(accept);
    this.acceptsEvents = ACCEPTS_EVENTS.test(accept);
    this.#open = open;
  }

  /** How its message came. */
  get context(): MessageContext {
    const { exchange: { header, remoteAddress }, authenticated, session } = this;
    return {
      receivedAt: Date.now(),
      size: Number(header("content-length") ?? 0),
      header,
      remoteAddress,
      authentication: authenticated,
      sessionId: session?.id,
    };
  }

  /** Settles when the response is given. */
  get answered(): Promise<void> {
    return (this.#answered ??= Promise.withResolvers()).promise;
  }

  /** Why the client cannot be asked. */
  get oneWay(): string | undefined {
    if (!this.isLegacy) return "this revision has no requests to clients";
    return this.acceptsEvents && !this.isAnswered ? undefined : "it reads no event stream";
  }

  /** Begins the event stream if the client accepts one, so that no proxy times out. */
  begin(): void {
    if (this.acceptsEvents && !this.isAnswered) this.#stream ??= this.#open(this);
  }

  /** See `Outlet`. */
  send(message: Message): Promise<void> | undefined {
    this.begin();
    return this.isAnswered ? undefined : this.#stream?.send(message);
  }

  /** See `Outlet`. There is no response to a notification, a response, or a request that was cancelled. */
  reply(
    response: Response | readonly Response[] | undefined,
    call?: Pick<ServerCall, "status" | "epilogue">,
  ): void {
    if (this.isAnswered) return;
    if (response ? !this.acceptsJson : call) this.begin();
    this.isAnswered = true;
    if (this.#stream) {
      for (const message of [response ?? []].flat() as Message[]) this.#stream.send(message);
      if (call?.epilogue) this.#stream.send(call.epilogue);
      this.#stream.end();
    } else if (response) {
      const { error } = response as Response;
      let status = 200;
      if (error && !call) status = 400;
      else if (error && this.isLegacy) status = error.code === ErrorCode.invalidRequest ? 400 : 200;
      else if (error) status = call?.status ?? 200;
      this.exchange.respond(status, JSON_FIELDS, encodeMessage(response));
    } else if (this.#error) respondWithError(this.exchange, this.#error);
    else this.exchange.respond(202, {});
    this.#answered?.resolve();
  }

  /** See `Outlet`. */
  unmatched(_response: Response): void {
    const reason = "it was answered already or too late, or another process of this server sent it";
    this.#error = new HttpError(400, `No request waits for this response: ${reason}`);
  }

  /** See `Outlet`. */
  closeStream(): void {
    if (this.isAnswered || !this.session?.primesStreams) return;
    this.begin();
    if (this.#stream && "pause" in this.#stream) this.#stream.pause();
  }
}
