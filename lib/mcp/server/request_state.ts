/**
 * The questions of one request and their answers. Each run of the handler is a round, which ends at the first questions without
 * an answer. Between rounds, a modern client keeps the state as a signed token, so any process with the same key can continue.
 * The token is valid for one request (method and params) and its sender, for 15 minutes, and can be used more than once.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/mrtr#server-requirements-basic-workflow
 */

import type { JsonObject } from "../../base/json.ts";
import type { TokenSigner } from "../../base/signer.ts";
import type { AcceptedCall } from "./accepted.ts";
import type { Question } from "./questions.ts";
import { withDeadline } from "../../base/deadline.ts";
import { textHash } from "../../base/bytes.ts";
import { asObject, canonical, compact, isObject, own } from "../../base/json.ts";
import { RpcError } from "../../jsonrpc/message.ts";
import { invalidParams } from "../protocol/errors.ts";
import { ContextError } from "./context.ts";
import { UnansweredError } from "./client_errors.ts";

/** How long a client may take to answer, in milliseconds: time for a person to fill in a form. */
export const ANSWER_WITHIN_MS: number = 15 * 60_000;
/** The maximum length of a token, in characters. */
const MAX_STATE = 1024 * 1024;
/** The maximum number of rounds of one request: as many as the official clients make. */
const MAX_ROUNDS = 10;
/** The same for legacy clients, where it only stops handlers that never end. */
const MAX_LEGACY_ROUNDS = 100;
/** The version of the content of a token. Tokens of other versions are refused. */
const VERSION = 4;

interface Asked {
  readonly key: string;
  /** A hash of the question: its answer is for no other one. */
  readonly digest: string;
  readonly mayBeOmitted?: boolean;
  /** Undefined while there is no answer; an `UnansweredError` when the client failed to give one. */
  answer?: unknown;
}

/** What a token contains. */
interface SignedState {
  /** When the token expires, in milliseconds since 1970. */
  readonly expires: number;
  /** How many rounds there were. */
  readonly rounds: number;
  readonly asked: readonly Asked[];
}

/** The rounds of one request, and its questions with their answers. */
export class RequestState {
  /** The number of the current round. */
  #number = 1;
  /** The questions of all rounds. */
  #asked: Asked[] = [];
  /** Answers that a modern client has sent with the first request, because it knows what will be asked. */
  #early: JsonObject = {};
  readonly #call: AcceptedCall;
  /** Undefined for legacy clients, which are asked by requests of our own. */
  readonly #signer: TokenSigner | undefined;
  /** The questions that were asked in the current round. */
  readonly #current = new Map<Asked, Question>();
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** Whether the current round has ended. */
  #isOver = false;

  private constructor(call: AcceptedCall, signer?: TokenSigner) {
    this.#call = call;
    this.#signer = signer;
  }

  /** Reads the state and the answers that the client has sent. @throws {RpcError} -32602 when they are invalid. */
  static async open(call: AcceptedCall, loadSigner: () => Promise<TokenSigner>): Promise<RequestState> {
    if (call.accepted.revision.era === "legacy") return new RequestState(call);
    const { requestState, inputResponses: responses = {} } = asObject(call.request.params);
    if (!isObject(responses)) throw invalidParams('"inputResponses" must be an object');
    const signer = await loadSigner();
    const opened = new RequestState(call, signer);
    if (requestState === undefined) {
      opened.#early = responses;
      return opened;
    }
    const isToken = typeof requestState === "string" && requestState.length <= MAX_STATE;
    const text = isToken ? await signer.open(purposeOf(call), requestState) : undefined;
    const state = text === undefined ? undefined : JSON.parse(text) as SignedState;
    if (!state || Date.now() >= state.expires) {
      throw invalidParams(
        `The requestState ${state ? "has expired" : "was not issued for this request"}; ` +
          "send the request without it to begin again",
      );
    }
    opened.#number += state.rounds;
    opened.#asked = state.asked.map((one) => ({ ...one, answer: one.answer ?? own(responses, one.key) }));
    return opened;
  }

  /**
   * The answer of the client. If there is none yet, the promise never settles, and `stop` is called once for all questions that
   * are asked together.
   */
  async answerTo(question: Question, key: string | undefined, stop: () => void): Promise<unknown> {
    const asked = this.#isOver ? undefined : this.#find(question, key);
    if (asked?.answer instanceof UnansweredError) throw asked.answer;
    if (asked?.answer !== undefined) return asked.answer;
    clearTimeout(this.#timer);
    if (asked) this.#timer = setTimeout(stop, 0);
    return await new Promise(() => {});
  }

  /**
   * Ends the current round, and asks its open questions. For a modern client, returns the result that asks them. Before
   * 2026-07-28, sends requests of our own, waits for their answers, and returns undefined: the next round has begun.
   */
  async endRound(): Promise<JsonObject | undefined> {
    this.#isOver = true;
    clearTimeout(this.#timer);
    const isMissing = (asked: Asked) =>
      !this.#current.has(asked) && asked.answer !== undefined && !asked.mayBeOmitted;
    if (this.#asked.some(isMissing)) {
      throw new ContextError(
        `The handler of ${this.#call.request.method} asks something else than in the round before, with the same ` +
          "answers: what it asks must not depend on the time or on chance",
      );
    }
    const limit = this.#signer ? MAX_ROUNDS : MAX_LEGACY_ROUNDS;
    if (this.#number > limit) {
      throw new UnansweredError(`The client was asked ${limit} times for one request, which is the limit`);
    }
    const open = [...this.#current].filter(([{ answer }]) => answer === undefined);
    if (this.#signer) {
      const requests = open.map(([{ key }, { method, params }]) => [key, compact({ method, params })]);
      const requestState = await this.#token(this.#signer);
      return { resultType: "input_required", inputRequests: Object.fromEntries(requests), requestState };
    }
    await Promise.all(open.map(async ([asked, question]) => asked.answer = await this.#send(question)));
    this.#number++;
    this.#isOver = false;
    this.#current.clear();
    return undefined;
  }

  /** Asks by a request of our own. Returns the answer, or an error if the client did not answer. */
  async #send({ method, params }: Question): Promise<unknown> {
    const call = this.#call;
    const late = new UnansweredError(`The client did not answer within ${ANSWER_WITHIN_MS / 60_000} minutes`);
    const send = (signal: AbortSignal) => call.sendRequest(method, params, signal);
    try {
      return await withDeadline(ANSWER_WITHIN_MS, late, call.signal, send) ?? null;
    } catch (cause) {
      if (cause instanceof UnansweredError) return cause;
      if (cause instanceof RpcError) {
        return new UnansweredError(`The client did not answer: ${cause.message}`);
      }
      throw cause;
    }
  }

  /** The question as it was asked in an earlier round, or a new one. */
  #find(question: Question, key: string | undefined): Asked {
    const { method, params, identity = params, mayBeOmitted } = question;
    const digest = textHash(canonical([method, identity]));
    let asked = this.#asked.find((one) => one.digest === digest && !this.#current.has(one));
    if (!asked) {
      const taken = new Set(this.#asked.map((one) => one.key));
      const wanted = key ?? `${method.split("/")[0]}-${taken.size + 1}`;
      let free = wanted;
      for (let number = 2; taken.has(free); number++) free = `${wanted}-${number}`;
      const answer = key === undefined ? undefined : own(this.#early, free);
      asked = compact({ key: free, digest, mayBeOmitted, answer }) as Asked;
      this.#asked.push(asked);
    }
    this.#current.set(asked, question);
    return asked;
  }

  async #token(signer: TokenSigner): Promise<string> {
    const state: SignedState = {
      expires: Date.now() + ANSWER_WITHIN_MS,
      rounds: this.#number,
      asked: this.#asked.filter((asked) => asked.answer !== undefined || this.#current.has(asked)),
    };
    const token = await signer.sign(purposeOf(this.#call), JSON.stringify(state));
    if (token.length <= MAX_STATE) return token;
    throw new UnansweredError(
      `The answers to one request must not be larger than ${MAX_STATE / 2} bytes in total`,
    );
  }
}

/** What a token is valid for: the version of tokens, the request without `_meta`, and its sender. */
function purposeOf({ request: { method, params = {} }, context }: AcceptedCall): string {
  const { _meta, inputResponses: _, requestState: __, ...rest } = params as JsonObject;
  return canonical(["requestState", VERSION, method, rest, identityOf(context.authentication)]);
}

/**
 * The sender of a request: the name of the principal, because credentials are renewed; without one, the whole result of the
 * authentication.
 */
export function identityOf(authentication: unknown): unknown {
  const { principal } = asObject(authentication);
  return typeof principal === "string" ? { principal } : authentication ?? null;
}
