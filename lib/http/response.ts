/**
 * The response to a POST: a JSON text, or an event stream from the first message on that precedes the response.
 */

import type { Call, Outlet } from "../jsonrpc/connection.ts";
import type { Message, Response } from "../jsonrpc/message.ts";
import type { BodyPiece, HttpExchange } from "../platform/http.ts";
import type { Accepted } from "./guard.ts";
import { encodeMessage, ErrorCode } from "../jsonrpc/message.ts";
import { HttpError, JSON_FIELDS, respondWithError } from "./error.ts";

/** An event stream of messages. */
export interface MessageStream {
  /** Sends a message; returns a promise when the buffer is full. */
  send(message: Message): Promise<void> | undefined;
  /** Ends the stream. */
  end(): void;
  /** Closes the connection; the client resumes on another one. Only where the stream is kept for it. */
  pause?(): void;
}

/** Where the messages go that belong to one POST. */
export class PostOutlet implements Outlet {
  readonly #exchange: HttpExchange;
  readonly #accepted: Accepted;
  readonly #open: () => MessageStream;
  readonly #isLegacy: boolean;
  readonly #canResume: boolean;
  #stream: MessageStream | undefined;
  #error: HttpError | undefined;
  #isDone = false;
  #done: PromiseWithResolvers<void> | undefined;

  /**
   * Builds an outlet.
   *
   * @param open Begins an event stream as the response.
   * @param canResume Whether the client can resume the stream.
   */
  constructor(
    exchange: HttpExchange,
    accepted: Accepted,
    open: () => MessageStream,
    { isLegacy, canResume = false }: { readonly isLegacy: boolean; readonly canResume?: boolean },
  ) {
    this.#exchange = exchange;
    this.#accepted = accepted;
    this.#open = open;
    this.#isLegacy = isLegacy;
    this.#canResume = canResume;
  }

  /** Settles when the response is given; undefined when it is. */
  get done(): Promise<void> | undefined {
    return this.#isDone ? undefined : (this.#done ??= Promise.withResolvers()).promise;
  }

  /** Why the client cannot be asked. */
  get oneWay(): string | undefined {
    if (!this.#isLegacy) return "this revision has no requests to clients";
    return this.#accepted.events && !this.#isDone ? undefined : "it reads no event stream";
  }

  /** Begins the event stream if the client accepts one, so that nothing between gives up waiting. */
  begin(): void {
    if (this.#accepted.events && !this.#isDone) this.#stream ??= this.#open();
  }

  /** See `Outlet`. */
  send(message: Message): Promise<void> | undefined {
    this.begin();
    return this.#isDone ? undefined : this.#stream?.send(message);
  }

  /** See `Outlet`. */
  reply(response: Response | readonly Response[] | undefined, call?: Call): void {
    if (this.#isDone) return;
    if (response === undefined) this.#end(call);
    else this.#respond(response, call);
    this.#done?.resolve();
  }

  /** See `Outlet`. */
  unmatched(_response: Response): void {
    this.#error = new HttpError(
      400,
      "No request waits for this response: it was answered already or too late, or another process of this server sent it",
    );
  }

  /** See `Outlet`. */
  closeStream(): void {
    if (!this.#canResume) return;
    this.begin();
    if (!this.#isDone) this.#stream?.pause?.();
  }

  #respond(response: Response | readonly Response[], call: Call | undefined): void {
    if (!this.#stream && !this.#accepted.json) this.begin();
    this.#isDone = true;
    if (this.#stream) {
      for (const message of [response].flat() as Message[]) this.#stream.send(message);
      if (call?.epilogue) this.#stream.send(call.epilogue);
      return this.#stream.end();
    }
    const pieces: BodyPiece[] = [];
    encodeMessage(response, pieces);
    this.#exchange.respond(this.#statusOf(response, call), JSON_FIELDS, pieces);
  }

  /** Without a response: the message was a notification or a response, or the request was cancelled. */
  #end(call: Call | undefined): void {
    if (call && this.#accepted.events) this.begin();
    this.#isDone = true;
    if (this.#stream) this.#stream.end();
    else if (this.#error) respondWithError(this.#exchange, this.#error);
    else this.#exchange.respond(202, {});
  }

  #statusOf(response: Response | readonly Response[], call: Call | undefined): number {
    if (Array.isArray(response)) return 200;
    const { error } = response as Response;
    if (!error) return 200;
    if (!call) return 400;
    if (!this.#isLegacy) return call.status ?? 200;
    return error.code === ErrorCode.invalidRequest ? 400 : 200;
  }
}
