/**
 * Which questions are answered, and which end this round? A handler is run from its first line in every round: what was
 * answered before is answered at once, and what was not goes to the client, with all answers so far.
 */

import type { ExecutionContext } from "./context.ts";
import type { Question } from "./question.ts";
import type { Asked } from "./request_state.ts";
import type { TokenSigner } from "./signed_token.ts";
import { ContextError } from "./context.ts";
import { invalidParams } from "../protocol/errors.ts";
import { isObject, own } from "../base/json.ts";
import { digestOf, readState, writeState } from "./request_state.ts";

type Data = Readonly<Record<string, unknown>>;

/** What ends a round. */
export interface RoundEnd {
  /** The result that asks the client. */
  readonly stop: (result: Data) => void;
  /** It cannot be asked. */
  readonly fail: (cause: unknown) => void;
}

/**
 * Begins a round with what the client brought.
 *
 * @throws {RpcError} -32602 when that is not as it must be.
 */
export async function openRound(
  context: ExecutionContext,
  signer: TokenSigner,
  end: RoundEnd,
): Promise<Round> {
  const token = own(context.params, "requestState");
  const given = own(context.params, "inputResponses");
  const responses = given === undefined ? {} : given;
  if (!isObject(responses)) throw invalidParams('"inputResponses" must be an object');
  const known = token === undefined ? { round: 0, asked: [] } : await readState(token, context, signer);
  const asked = known.asked.map((entry) => ({ ...entry, answer: entry.answer ?? own(responses, entry.key) }));
  return new Round(context, signer, end, {
    round: known.round,
    asked,
    // Whoever knows what will be asked may answer with the first request.
    early: token === undefined ? responses : {},
  });
}

const UNANSWERED = { answer: undefined };

/** One run of a handler. */
export class Round {
  readonly #context: ExecutionContext;
  readonly #signer: TokenSigner;
  readonly #end: RoundEnd;
  readonly #number: number;
  /** What is answered, or was asked before. */
  readonly #asked: Asked[];
  readonly #early: Data;
  /** Those of them that the handler has come to in this round. */
  readonly #met = new Set<Asked>();
  /** What has no answer yet. */
  readonly #open: { readonly asked: Asked; readonly question: Question<unknown> }[] = [];
  /** How many questions are looked up. */
  #lookups = 0;
  /** Settles with the last of them. */
  #last: Promise<void> = Promise.resolve();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isOver = false;

  constructor(
    context: ExecutionContext,
    signer: TokenSigner,
    end: RoundEnd,
    known: { readonly round: number; readonly asked: readonly Asked[]; readonly early: Data },
  ) {
    this.#context = context;
    this.#signer = signer;
    this.#end = end;
    this.#number = known.round + 1;
    this.#asked = [...known.asked];
    this.#early = known.early;
  }

  /** What the client answered; never settles when it has not, since the handler ends here then. */
  async answerOf(question: Question<unknown>): Promise<unknown> {
    const { answer } = await this.#lookUp(question);
    return answer === undefined ? await new Promise(() => {}) : answer;
  }

  /** Ends the round, with no question: the handler has come to its end. */
  close(): void {
    this.#isOver = true;
    clearTimeout(this.#timer);
  }

  /** Finds out whether a question is answered; when none is looked up any more, those that are not end the round. */
  async #lookUp(question: Question<unknown>): Promise<{ readonly answer: unknown }> {
    this.#lookups++;
    clearTimeout(this.#timer);
    try {
      const digest = await this.#inTurn(digestOf(question.method, question.params));
      if (this.#isOver) return UNANSWERED;
      const asked = this.#meet(question, digest);
      if (asked.answer === undefined) this.#open.push({ asked, question });
      return asked;
    } finally {
      this.#lookups--;
      // What is asked together is asked within this turn.
      const isLast = this.#lookups === 0 && this.#open.length > 0 && !this.#isOver;
      if (isLast) this.#timer = setTimeout(() => void this.#result().then(this.#end.stop, this.#end.fail), 0);
    }
  }

  /** In the order of asking: the engine may have the hash of a later question first. */
  #inTurn<T>(value: Promise<T>): Promise<T> {
    const turn = Promise.all([value, this.#last]).then(([own]) => own);
    this.#last = turn.then(() => {}, () => {});
    return turn;
  }

  /** The question as it was asked before, or as it is asked now for the first time. */
  #meet(question: Question<unknown>, digest: string): Asked {
    let asked = this.#asked.find((entry) => entry.digest === digest && !this.#met.has(entry));
    if (!asked) {
      const key = this.#freeKey(question);
      const answer = question.key === undefined ? undefined : own(this.#early, key);
      asked = { key, digest, answer, isElsewhere: question.isElsewhere ?? false };
      this.#asked.push(asked);
    }
    this.#met.add(asked);
    return asked;
  }

  #freeKey({ key, kind }: Question<unknown>): string {
    const taken = new Set(this.#asked.map((entry) => entry.key));
    const first = key ?? `${kind}-${this.#asked.length + 1}`;
    let free = first;
    for (let number = 2; taken.has(free); number++) free = `${first}-${number}`;
    return free;
  }

  /** The result that asks the client for what is open. */
  async #result(): Promise<Data> {
    this.close();
    const isForgotten = (asked: Asked) =>
      !this.#met.has(asked) && asked.answer !== undefined && !asked.isElsewhere;
    if (this.#asked.some(isForgotten)) {
      throw new ContextError(
        `The handler of ${this.#context.method} asks something else than in the round before, with the same answers: ` +
          "what it asks must not depend on the time or on chance",
      );
    }
    const asked = this.#asked.filter((asked) => asked.answer !== undefined || this.#met.has(asked));
    const requestState = await writeState({ round: this.#number, asked }, this.#context, this.#signer);
    const inputRequests = Object.fromEntries(
      this.#open.map(({ asked: { key }, question: { method, params } }) => [
        key,
        params === undefined ? { method } : { method, params },
      ]),
    );
    return { resultType: "input_required", inputRequests, requestState };
  }
}
