/**
 * Asking the client from a handler. A handler that asks ends there, the client is sent a result that requires input, and
 * the handler runs again when the answers are there. Before 2026-07-28 the server sends requests of its own instead.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/mrtr
 */

import type { Awaitable } from "../base/async.ts";
import type { ClientRequests } from "./client_requests.ts";
import type { Exchange } from "./handlers.ts";
import type { QUESTIONS } from "./input_requests.ts";
import type { Round } from "./request_state.ts";
import { Notifications } from "../protocol/methods.ts";
import { InputRequired } from "./context.ts";

type Questions = typeof QUESTIONS;

/** The input of the client to one request. What it takes to ask is loaded with the first question. */
export class ClientInput {
  readonly origin: Exchange;
  /** The last progress reported, and whether the buffer is full; shared by all runs of the handler. */
  readonly sent: { progress: number; isFull: boolean } = { progress: -Infinity, isFull: false };
  onstop: (() => void) | undefined;
  #requests: ClientRequests | undefined;
  #round: Promise<Round> | undefined;
  /** Settles when a question ends the running handler. */
  #stopped: PromiseWithResolvers<InputRequired> | undefined;

  constructor(origin: Exchange) {
    this.origin = origin;
  }

  get requests(): ClientRequests {
    return this.#requests ??= Object.freeze<ClientRequests>({
      elicit: (form) => this.#ask("elicit", form) as Promise<never>,
      elicitUrl: (page) => this.#ask("elicitUrl", page),
      sample: (request) => this.#ask("sample", request),
      listRoots: (options = {}) => this.#ask("listRoots", options),
      completeElicitation: (elicitationId) => {
        const { revision: { era, elicitation }, session } = this.origin;
        if (era === "modern" || elicitation !== "full") return;
        void session.notify?.(Notifications.elicitationComplete, { elicitationId });
      },
    });
  }

  async #ask<K extends keyof Questions>(
    kind: K,
    options: Parameters<Questions[K]>[0],
  ): Promise<ReturnType<ReturnType<Questions[K]>["read"]>> {
    const { QUESTIONS } = await import("./input_requests.ts");
    const request = QUESTIONS[kind](options as never, this.origin);
    const round = await this.#open();
    return request.read(await round.answerTo(request, options.key)) as never;
  }

  #open(): Promise<Round> {
    return this.#round ??= import("./request_state.ts").then(({ openRound }) => openRound(this));
  }

  stop(outcome: Promise<InputRequired>): void {
    this.#stopped?.resolve(outcome);
  }

  async resume<T>(handler: () => Awaitable<T>): Promise<T | InputRequired> {
    await this.#open();
    return await this.settle(started(handler), handler);
  }

  /** Waits until a running handler ends or asks a question that has no answer yet. It may run again. */
  async settle<T>(running: Promise<T>, handler: () => Awaitable<T>): Promise<T | InputRequired> {
    for (;; running = started(handler)) {
      this.#stopped = Promise.withResolvers();
      const finished = running.catch(async (cause) => {
        // Its module is not loaded before it is needed.
        if (cause?.name !== "UrlElicitationRequiredError") throw cause;
        return await (await import("./input_requests.ts")).openUrls(cause, this);
      });
      let outcome: T | InputRequired;
      try {
        outcome = await Promise.race([finished, this.#stopped.promise]);
      } finally {
        (await this.#round)?.close();
      }
      if (!(outcome instanceof InputRequired)) return outcome;
      this.onstop?.();
      if (this.origin.revision.era === "modern") return outcome;
      await (await this.#round!).askNow();
    }
  }
}

/** Also what a handler throws at once becomes a rejection. */
async function started<T>(handler: () => Awaitable<T>): Promise<T> {
  return await handler();
}
