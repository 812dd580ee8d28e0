/**
 * Asking the client from a handler. Handlers know one way, that of 2026-07-28: a handler that asks ends there, the client
 * is sent a result that requires input, and the handler runs again from its first line when the answers are there. For
 * older revisions the server sends the questions as requests of its own and then runs the handler again.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/mrtr
 */

import type { Awaitable } from "../base/async.ts";
import type { Request } from "../jsonrpc/message.ts";
import type { ClientFacts, Negotiated, Revision } from "../protocol/revisions.ts";
import type { FromSchema } from "../schema/mod.ts";
import type {
  Answered,
  ClientRequests,
  Elicited,
  Form,
  FormSchema,
  Keyed,
  Page,
  Root,
  Sample,
  SampleRequest,
} from "./client_requests.ts";
import type { ClientRequest } from "./input_requests.ts";
import type { Exchange, ServerCall, Services } from "./handlers.ts";
import type { Round } from "./request_state.ts";
import { isObject, own } from "../base/json.ts";
import { Notifications } from "../protocol/methods.ts";

type Requests = typeof import("./input_requests.ts");

/** The outcome of a handler that has asked the client. */
export class InputRequired {
  /** The result for the client. */
  readonly result: Readonly<Record<string, unknown>>;

  constructor(result: Readonly<Record<string, unknown>>) {
    this.result = result;
  }
}

/** The input of the client to one request. What it takes to ask is loaded with the first question. */
export class ClientInput implements ClientRequests {
  readonly request: Request;
  readonly revision: Revision;
  readonly client: ClientFacts;
  readonly call: ServerCall;
  #sent: { progress: number; isFull: boolean } | undefined;
  /** Called when a question ends the running handler. */
  onstop: (() => void) | undefined;
  readonly #services: Services;
  readonly #session: Exchange["session"];
  #round: Promise<Round> | undefined;
  /** Settles when a question ends the running handler. */
  #stopped: PromiseWithResolvers<InputRequired> | undefined;

  constructor(
    request: Request,
    { revision, client }: Negotiated,
    call: ServerCall,
    services: Services,
    session: Exchange["session"],
  ) {
    this.request = request;
    this.revision = revision;
    this.client = client;
    this.call = call;
    this.#services = services;
    this.#session = session;
  }

  /** The last progress reported, and whether the buffer is full; shared by all runs of the handler. */
  get sent(): { progress: number; isFull: boolean } {
    return this.#sent ??= { progress: -Infinity, isFull: false };
  }

  /** Runs a handler until it ends or asks a question that has no answer yet. It may run again. */
  run<T>(handler: () => Awaitable<T>): Awaitable<T | InputRequired> {
    const { params } = this.request;
    const isRetry = isObject(params) &&
      (own(params, "requestState") !== undefined || own(params, "inputResponses") !== undefined);
    if (!isRetry || this.revision.era === "legacy") return this.#attempt(handler);
    return this.#open().then(() => this.#attempt(handler));
  }

  /** See `ClientRequests`. */
  elicit<const S extends FormSchema>(form: Form<S>): Promise<Elicited<FromSchema<S>>> {
    return this.#ask((requests) => requests.formRequest(form, this)) as Promise<Elicited<FromSchema<S>>>;
  }

  /** See `ClientRequests`. */
  elicitUrl(page: Page): Promise<Answered> {
    return this.#ask((requests) => requests.urlRequest(page, this));
  }

  /** See `ClientRequests`. */
  completeElicitation(id: string): void {
    const { era, elicitation } = this.revision;
    if (era === "modern" || elicitation !== "full") return;
    this.#session.notify?.(Notifications.elicitationComplete, { elicitationId: id });
  }

  /** See `ClientRequests`. */
  sample(request: SampleRequest): Promise<Sample> {
    return this.#ask((requests) => requests.sampleRequest(request, this));
  }

  /** See `ClientRequests`. */
  listRoots(options: Keyed = {}): Promise<readonly Root[]> {
    return this.#ask((requests) => requests.rootsRequest(options, this));
  }

  #attempt<T>(handler: () => Awaitable<T>): Awaitable<T | InputRequired> {
    let result: Awaitable<T>;
    try {
      result = handler();
    } catch (cause) {
      if ((cause as Error)?.name !== "UrlElicitationRequiredError") throw cause;
      result = Promise.reject(cause);
    }
    return result instanceof Promise ? this.#settle(result, handler) : result;
  }

  async #settle<T>(result: Promise<T>, handler: () => Awaitable<T>): Promise<T | InputRequired> {
    this.#stopped = Promise.withResolvers();
    const finished = result.catch((cause) => this.#openUrls(cause));
    let outcome: T | InputRequired;
    try {
      outcome = await Promise.race([finished, this.#stopped.promise]);
    } finally {
      (await this.#round)?.close();
    }
    if (!(outcome instanceof InputRequired)) return outcome;
    this.onstop?.();
    if (this.revision.era === "modern") return outcome;
    const round = await this.#round!;
    await round.askNow();
    round.restart();
    return this.#attempt(handler);
  }

  async #ask<T>(prepare: (requests: Requests) => ClientRequest<T>): Promise<T> {
    const request = prepare(await import("./input_requests.ts"));
    const round = await this.#open();
    return request.read(await round.answerTo(request));
  }

  /** Sends the user to the URLs that a handler requires; rethrows any other error. */
  async #openUrls(cause: unknown): Promise<never> {
    if ((cause as Error)?.name !== "UrlElicitationRequiredError") throw cause;
    const { UrlElicitationRequiredError } = await import("./client_requests.ts");
    if (!(cause instanceof UrlElicitationRequiredError)) throw cause;
    const requests = await import("./input_requests.ts");
    if (this.revision.era === "legacy") throw requests.urlElicitationRequired(cause, this);
    // Agreed to, but not done yet: the user is asked again until it is done or asked too often.
    for (;;) {
      const answers = await Promise.all(cause.pages.map((page) => this.elicitUrl(page)));
      if (answers.some(({ action }) => action !== "accept")) throw requests.declined(cause);
    }
  }

  #open(): Promise<Round> {
    return this.#round ??= import("./request_state.ts").then(({ openRound }) =>
      openRound(this, this.#services.signer, {
        stop: (result) => this.#stopped?.resolve(new InputRequired(result)),
        fail: (cause) => this.#stopped?.reject(cause),
      })
    );
  }
}
