/** Asks the client for input while one of its requests is answered. */

import type { Awaitable } from "../../base/async.ts";
import type { JsonObject } from "../../base/json.ts";
import type { TokenSigner } from "../../base/signer.ts";
import type { AcceptedCall } from "./accepted.ts";
import type { ClientRequests, InputRunner, Keyed } from "./client_requests.ts";
import type { QUESTIONS } from "./questions.ts";
import type { RequestState } from "./request_state.ts";
import { Notifications } from "../protocol/methods.ts";

/**
 * Lets the handler of one request ask the client. The handler is stopped where it asks, and the client gets the questions as the
 * result. It sends the request again with its answers, and the handler runs again. Before 2026-07-28, the server sends
 * requests of its own, and the handler runs again with their results. The code for questions is loaded with the first one.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/mrtr
 */
export class ClientInput implements InputRunner {
  readonly #call: AcceptedCall;
  readonly #signer: () => Promise<TokenSigner>;
  #requests: ClientRequests | undefined;
  #state: Promise<RequestState> | undefined;
  /** Resolved when a question ends the running handler. */
  #stopped: PromiseWithResolvers<RequestState> | undefined;

  /** For one request. `signer` signs what a modern client keeps until it answers. */
  constructor(call: AcceptedCall, signer: () => Promise<TokenSigner>) {
    this.#call = call;
    this.#signer = signer;
  }

  get requests(): ClientRequests {
    return this.#requests ??= {
      elicit: (form) => this.#ask("elicit", form),
      elicitUrl: (url) => this.#ask("elicitUrl", url),
      sample: (request) => this.#ask("sample", request),
      listRoots: (options = {}) => this.#ask("listRoots", options),
      completeElicitation: (elicitationId) => {
        const { revision: { era, elicitation }, session } = this.#call.accepted;
        if (era === "modern" || elicitation !== "full") return;
        void session.notify?.(Notifications.elicitationComplete, { elicitationId });
      },
    };
  }

  async #ask(kind: keyof typeof QUESTIONS, options: Keyed): Promise<never> {
    const { QUESTIONS } = await import("./questions.ts");
    const question = QUESTIONS[kind](options as never, this.#call.accepted);
    const state = await this.#openState();
    const answer = await state.answerTo(question, options.key, () => this.#stopped?.resolve(state));
    return question.read(answer) as never;
  }

  #openState(): Promise<RequestState> {
    return this.#state ??= import("./request_state.ts").then(({ RequestState }) =>
      RequestState.open(this.#call, this.#signer)
    );
  }

  run<A extends readonly unknown[], T>(
    handler: (...args: A) => Awaitable<T>,
    args: A,
    stop?: () => void,
  ): Awaitable<T | JsonObject> {
    const { request: { params }, accepted: { revision } } = this.#call;
    // Async, so that an error that the handler throws synchronously is a rejection.
    const again = async () => await handler(...args);
    const { requestState, inputResponses } = (params ?? {}) as JsonObject;
    const isRetry = requestState !== undefined || inputResponses !== undefined;
    if (isRetry && revision.era === "modern") {
      return this.#openState().then(() => this.#runRounds(again(), again, stop));
    }
    try {
      const result = handler(...args);
      return result instanceof Promise ? this.#runRounds(result, again, stop) : result;
    } catch (cause) {
      if (!(cause instanceof Error && cause.name === "UrlElicitationRequiredError")) throw cause;
      return this.#runRounds(Promise.reject(cause), again, stop);
    }
  }

  /** Waits for a running handler. While it asks, and the answers come without a new request, runs it again. */
  async #runRounds<T>(
    running: Promise<T>,
    again: () => Promise<T>,
    stop?: () => void,
  ): Promise<T | JsonObject> {
    for (;; running = again()) {
      const stopped = this.#stopped = Promise.withResolvers<RequestState>();
      const finished = running.catch(async (cause) => {
        // Recognised by its name, because its module may not be loaded.
        if (cause?.name !== "UrlElicitationRequiredError") throw cause;
        return await (await import("./questions.ts")).openUrls(cause, this.#call.accepted, this.requests);
      });
      const outcome = await Promise.race([finished, stopped.promise]);
      const state = await this.#state;
      // The handler has ended without a question.
      if (state === undefined || outcome !== state) return outcome as T;
      stop?.();
      const questions = await state.endRound();
      if (questions) return questions;
    }
  }
}
