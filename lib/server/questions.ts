/**
 * How does one request ask its client? Up to 2025-11-25 with requests of ours, which are waited for; since 2026-07-28 with a
 * result that asks for input, after which the client sends the request again, and the handler runs again from its first
 * line with what was answered so far.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/mrtr
 */

import type {
  Answered,
  Asking,
  Elicited,
  Form,
  FormSchema,
  Keyed,
  Page,
  Root,
  Sample,
  SampleRequest,
} from "./asking.ts";
import type { Awaitable } from "../base/async.ts";
import type { ExecutionContext } from "./context.ts";
import type { Exchange, Services } from "./methods.ts";
import type { Audience, Question } from "./question.ts";
import type { Round } from "./round.ts";
import { andThen } from "../base/async.ts";
import { own } from "../base/json.ts";
import { UrlElicitationRequiredError } from "./unanswered.ts";

type QuestionRoom = typeof import("./question_room.ts");

/** The result of a request that ends with questions. */
export class InputRequired {
  readonly result: Readonly<Record<string, unknown>>;

  constructor(result: Readonly<Record<string, unknown>>) {
    this.result = result;
  }
}

/** How a handler is held up. */
export interface Hold {
  /** Aborted when nothing is waited for any more. @default {when the request is} */
  readonly signal?: AbortSignal;
  /** Told when a person or a model begins to think, and when there is nobody left who does. @default {nobody} */
  readonly onwaiting?: (isWaiting: boolean) => void;
}

/** The questions of one request. What it takes to ask is loaded with the first of them. */
export class Questions implements Asking {
  readonly #context: ExecutionContext;
  readonly #services: Services;
  readonly #exchange: Exchange;
  readonly #hold: Hold;
  /** What is asked and answered; only where a question ends the request. */
  #round: Promise<Round> | undefined;
  /** Settles when a question ends the request; only once the handler has left something to wait for. */
  #stopped: PromiseWithResolvers<InputRequired> | undefined;
  /** How many answers are waited for. */
  #waiting = 0;

  constructor(context: ExecutionContext, services: Services, exchange: Exchange, hold: Hold = {}) {
    this.#context = context;
    this.#services = services;
    this.#exchange = exchange;
    this.#hold = hold;
  }

  /** Runs a handler, from its first line to its end or to a question that has no answer yet. */
  run<T>(handler: () => Awaitable<T>): Awaitable<T | InputRequired> {
    const { params, revision } = this.#context;
    const isRetry = own(params, "requestState") !== undefined || own(params, "inputResponses") !== undefined;
    const opening = isRetry && revision.era === "modern" ? this.#open() : undefined;
    return andThen<unknown, T | InputRequired>(opening, () => this.#attempt(handler));
  }

  elicit<const S extends FormSchema>(form: Form<S>): Promise<Elicited<never>> {
    return this.#ask((room, audience) => room.formQuestion(form, audience)) as Promise<Elicited<never>>;
  }

  elicitUrl(page: Page): Promise<Answered> {
    return this.#ask((room, audience) => room.pageQuestion(page, audience));
  }

  completeElicitation(id: string): void {
    const { era, elicitation } = this.#context.revision;
    if (era === "modern" || elicitation !== "full") return;
    this.#exchange.connection.notify?.("notifications/elicitation/complete", { elicitationId: id });
  }

  sample(request: SampleRequest): Promise<Sample> {
    return this.#ask((room, audience) => room.sampleQuestion(request, audience));
  }

  listRoots(options: Keyed = {}): Promise<readonly Root[]> {
    return this.#ask((room, audience) => room.rootsQuestion(options, audience));
  }

  #attempt<T>(handler: () => Awaitable<T>): Awaitable<T | InputRequired> {
    let result: Awaitable<T>;
    try {
      result = handler();
    } catch (cause) {
      if (!(cause instanceof UrlElicitationRequiredError)) throw cause;
      result = Promise.reject(cause);
    }
    if (!(result instanceof Promise)) return result;
    const answered = result.catch((cause) => this.#sendAway(cause));
    this.#stopped = Promise.withResolvers<InputRequired>();
    return Promise.race([answered, this.#stopped.promise]).finally(() =>
      this.#round?.then((round) => round.close())
    );
  }

  async #ask<T>(prepare: (room: QuestionRoom, audience: Audience) => Question<T>): Promise<T> {
    const room = await import("./question_room.ts");
    const question = prepare(room, this.#context);
    if (this.#context.revision.era === "legacy") return question.read(await this.#wait(room, question));
    const round = await this.#open();
    return question.read(await round.answerOf(question));
  }

  async #wait(room: QuestionRoom, question: Question<unknown>): Promise<unknown> {
    if (this.#waiting++ === 0) this.#hold.onwaiting?.(true);
    try {
      const { call } = this.#exchange;
      return await room.askNow(call, question, this.#hold.signal ?? this.#context.signal);
    } finally {
      if (--this.#waiting === 0) this.#hold.onwaiting?.(false);
    }
  }

  /** Sees to it that the user goes to the pages that a handler cannot do without; passes on whatever else it threw. */
  async #sendAway(cause: unknown): Promise<never> {
    if (!(cause instanceof UrlElicitationRequiredError)) throw cause;
    const room = await import("./question_room.ts");
    const questions = cause.pages.map((page) => room.pageQuestion(page, this.#context));
    if (this.#context.revision.era === "legacy") throw room.urlElicitationRequired(cause, questions);
    // Agreed to before, and not done yet: the user is asked once more, until it is done or asked too often.
    for (;;) {
      const answers = await Promise.all(cause.pages.map((page) => this.elicitUrl(page)));
      if (answers.some(({ action }) => action !== "accept")) throw room.refused(cause);
    }
  }

  #open(): Promise<Round> {
    return this.#round ??= this.#begin();
  }

  async #begin(): Promise<Round> {
    const { openRound } = await import("./round.ts");
    return await openRound(this.#context, await this.#services.signer(), {
      stop: (result) => this.#stopped?.resolve(new InputRequired(result)),
      fail: (cause) => this.#stopped?.reject(cause),
    });
  }
}
