/**
 * In which form is a POST answered? As one JSON text, as long as there is nothing to tell before the answer; as a stream of
 * events from the first thing on that there is.
 */

import type { Message, Response } from "../jsonrpc/message.ts";
import type { BodyPiece, Fields, HttpExchange } from "../platform/http.ts";
import type { Accepted } from "./accept.ts";
import { encodeMessage } from "../jsonrpc/message.ts";
import { JSON_FIELDS } from "./refusal.ts";

/** A stream of events that messages leave on. */
export interface Outlet {
  /** Sends one; a promise when there is no room for more before it settles. */
  send(message: Message): Promise<void> | undefined;
  /** No more is sent. */
  end(): void;
  /** Lets go of the connection; the client comes back on another one. Missing where it cannot. */
  pause?(): void;
}

/** The answer to one POST. */
export class Reply {
  readonly #exchange: HttpExchange;
  readonly #accepted: Accepted;
  readonly #open: () => Outlet;
  #outlet: Outlet | undefined;
  #isOver = false;
  /** Added to the answer when it is JSON. */
  fields: Fields = JSON_FIELDS;

  /** @param open Begins a stream of events as the answer. */
  constructor(exchange: HttpExchange, accepted: Accepted, open: () => Outlet) {
    this.#exchange = exchange;
    this.#accepted = accepted;
    this.#open = open;
  }

  /** Whether anything can be told before the answer. */
  get canTell(): boolean {
    return this.#accepted.events && !this.#isOver;
  }

  /** Becomes a stream, where the client can read one: so it is known that something is being done. */
  begin(): void {
    if (this.canTell) this.#outlet ??= this.#open();
  }

  /** Lets go of the connection, for a client that was told how to come back. */
  pause(): void {
    this.begin();
    if (!this.#isOver) this.#outlet?.pause?.();
  }

  /** Sends a message before the answer. Nobody gets it who reads no streams. */
  tell(message: Message): Promise<void> | undefined {
    this.begin();
    return this.#isOver ? undefined : this.#outlet?.send(message);
  }

  /** Answers; a list is the answer to a batch. What is told after that comes last. */
  answer(answer: Response | readonly Response[], status: number, ...after: readonly Message[]): void {
    if (this.#isOver) return;
    if (!this.#outlet && !this.#accepted.json) this.begin();
    this.#isOver = true;
    if (!this.#outlet) {
      const pieces: BodyPiece[] = [];
      encodeMessage(answer, pieces);
      return this.#exchange.respond(status, this.fields, pieces);
    }
    for (const message of [answer].flat() as Message[]) this.#outlet.send(message);
    for (const message of after) this.#outlet.send(message);
    this.#outlet.end();
  }

  /** Ends without an answer: nobody waits for one. */
  silence(): void {
    if (this.#isOver) return;
    if (this.#accepted.events) this.begin();
    this.#isOver = true;
    if (this.#outlet) this.#outlet.end();
    else this.#exchange.respond(202, {});
  }
}
