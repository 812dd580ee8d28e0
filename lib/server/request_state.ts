/**
 * The questions of one request and their answers. Every run of the handler is a round: it gets the answers so far at once,
 * and ends at the questions that have none.
 *
 * Between rounds, a modern client keeps the state as a signed token, so any process with the same key can go on. The token
 * is valid for one request (method and params), its sender, and 15 minutes. It may be used more than once in that time.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/mrtr#server-requirements-basic-workflow
 */

import type { ClientInput } from "./client_input.ts";
import type { ClientRequest } from "./input_requests.ts";
import type { TokenSigner } from "./signer.ts";
import { canonical, isObject, own } from "../base/json.ts";
import { textHash } from "../base/text.ts";
import { RpcError } from "../jsonrpc/message.ts";
import { invalidParams } from "../protocol/errors.ts";
import { UnansweredError } from "./client_requests.ts";
import { ContextError } from "./context.ts";

/** How long a client may take to answer, in milliseconds: time for a person to fill in a form. */
export const ANSWER_WITHIN_MS: number = 15 * 60_000;
/** The longest token in UTF-16 units: a quarter of the longest message. */
const MAX_STATE = 1024 * 1024;
/** How many rounds one request may take: as many as the official clients make. */
const MAX_ROUNDS = 10;
/** The same for older revisions, where the server asks: only stops handlers that ask without end. */
const MAX_LEGACY_ROUNDS = 100;
/** The format of the token. */
const VERSION = 2;

type Data = Readonly<Record<string, unknown>>;

/** A question that was asked. */
interface Asked {
  /** Its key on the wire. */
  readonly key: string;
  /** A hash of the question: its answer is for no other one. */
  readonly digest: string;
  /** Undefined while there is none; an `UnansweredError` when the client failed to answer. */
  answer: unknown;
  /** Whether it is about something that happens elsewhere, so that it may be asked again. */
  readonly isElsewhere: boolean;
}

interface Token {
  readonly v: number;
  /** When it expires, in milliseconds since 1970. */
  readonly e: number;
  /** The number of rounds. */
  readonly r: number;
  /** Key, digest, `isElsewhere`, and the answer if there is one. */
  readonly q: readonly (readonly [string, string, boolean, unknown?])[];
}

/** What ends a round. */
interface RoundEnd {
  /** Takes the result that asks the client. */
  stop(result: Data): void;
  fail(cause: unknown): void;
}

/**
 * Opens the first round of a handler with what the client has sent.
 *
 * @throws {RpcError} -32602 when that is invalid.
 */
export async function openRound(
  input: ClientInput,
  signer: () => Promise<TokenSigner>,
  end: RoundEnd,
): Promise<Round> {
  const params = (input.request.params ?? {}) as Data;
  if (input.revision.era === "legacy") return new Round(input, undefined, end, 0, [], {});
  const token = own(params, "requestState"), { inputResponses: responses = {} } = params;
  if (!isObject(responses)) throw invalidParams('"inputResponses" must be an object');
  const keys = await signer();
  // A client that knows what will be asked may answer with the first request.
  if (token === undefined) return new Round(input, keys, end, 0, [], responses);
  const { r, q } = await readToken(token, input, keys);
  const asked = q.map(([key, digest, isElsewhere, answer]) => ({
    key,
    digest,
    isElsewhere,
    answer: answer ?? own(responses, key),
  }));
  return new Round(input, keys, end, r, asked, {});
}

/** One run of a handler. */
export class Round {
  readonly #input: ClientInput;
  readonly #signer: TokenSigner | undefined;
  readonly #end: RoundEnd;
  #number: number;
  readonly #asked: Asked[];
  /** Answers that came with the first request, by key. */
  readonly #early: Data;
  /** The questions that the handler has asked in this round. */
  readonly #met = new Set<Asked>();
  /** Those without an answer. */
  #open: { readonly asked: Asked; readonly request: ClientRequest<unknown> }[] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isOver = false;

  constructor(
    input: ClientInput,
    signer: TokenSigner | undefined,
    end: RoundEnd,
    number: number,
    asked: Asked[],
    early: Data,
  ) {
    this.#input = input;
    this.#signer = signer;
    this.#end = end;
    this.#number = number + 1;
    this.#asked = asked;
    this.#early = early;
  }

  /** The answer of the client; never settles without one, because the handler ends here. */
  async answerTo(request: ClientRequest<unknown>): Promise<unknown> {
    const asked = this.#isOver ? undefined : this.#meet(request);
    if (asked?.answer instanceof UnansweredError) throw asked.answer;
    if (asked?.answer !== undefined) return asked.answer;
    if (asked) {
      this.#open.push({ asked, request });
      // Questions that are asked together are sent together.
      clearTimeout(this.#timer);
      this.#timer = setTimeout(() => void this.#result().then(this.#end.stop, this.#end.fail), 0);
    }
    return await new Promise(() => {});
  }

  /** Ends the round. */
  close(): void {
    this.#isOver = true;
    clearTimeout(this.#timer);
  }

  /**
   * Begins the next round, for a handler that runs again in this process.
   *
   * @throws {UnansweredError} When there were too many.
   */
  restart(): void {
    if (this.#number >= MAX_LEGACY_ROUNDS) {
      throw new UnansweredError(`The client was asked in ${MAX_LEGACY_ROUNDS} rounds, which is the limit`);
    }
    this.#isOver = false;
    this.#number++;
    this.#met.clear();
    this.#open = [];
  }

  /** Asks the open questions with requests of our own, as revisions before 2026-07-28 do. */
  async askNow(): Promise<void> {
    const { call } = this.#input;
    const timeout = new AbortController();
    const timer = setTimeout(() => {
      const minutes = ANSWER_WITHIN_MS / 60_000;
      timeout.abort(new UnansweredError(`The client did not answer within ${minutes} minutes`));
    }, ANSWER_WITHIN_MS);
    const signal = AbortSignal.any([call.signal, timeout.signal]);
    try {
      await Promise.all(this.#open.map(async ({ asked, request: { method, params } }) => {
        if (!call.sendRequest) {
          asked.answer = new UnansweredError("The client cannot be asked over this connection");
          return;
        }
        try {
          asked.answer = await call.sendRequest(method, params, signal) ?? null;
        } catch (cause) {
          if (!(cause instanceof RpcError)) throw cause;
          asked.answer = cause instanceof UnansweredError
            ? cause
            : new UnansweredError(`The client did not answer: ${cause.message}`);
        }
      }));
    } finally {
      clearTimeout(timer);
    }
  }

  /** The question as it was asked in an earlier round, or a new one. */
  #meet(request: ClientRequest<unknown>): Asked {
    const digest = textHash(canonical([request.method, request.identity ?? request.params]));
    let asked = this.#asked.find((entry) => entry.digest === digest && !this.#met.has(entry));
    if (!asked) {
      const key = this.#freeKey(request);
      const answer = request.key === undefined ? undefined : own(this.#early, key);
      asked = { key, digest, answer, isElsewhere: request.isElsewhere ?? false };
      this.#asked.push(asked);
    }
    this.#met.add(asked);
    return asked;
  }

  #freeKey({ key, kind }: ClientRequest<unknown>): string {
    const taken = new Set(this.#asked.map((entry) => entry.key));
    const first = key ?? `${kind}-${this.#asked.length + 1}`;
    let free = first;
    for (let number = 2; taken.has(free); number++) free = `${first}-${number}`;
    return free;
  }

  /** The result that asks the client. */
  async #result(): Promise<Data> {
    this.close();
    const isForgotten = (asked: Asked) =>
      !this.#met.has(asked) && asked.answer !== undefined && !asked.isElsewhere;
    if (this.#asked.some(isForgotten)) {
      throw new ContextError(
        `The handler of ${this.#input.request.method} asks something else than in the round before, with the same ` +
          "answers: what it asks must not depend on the time or on chance",
      );
    }
    if (!this.#signer) return {};
    const asked = this.#asked.filter((asked) => asked.answer !== undefined || this.#met.has(asked));
    const requestState = await writeToken(this.#number, asked, this.#input, this.#signer);
    const inputRequests = Object.fromEntries(
      this.#open.map(({ asked: { key }, request: { method, params } }) => [
        key,
        params === undefined ? { method } : { method, params },
      ]),
    );
    return { resultType: "input_required", inputRequests, requestState };
  }
}

async function writeToken(
  round: number,
  asked: readonly Asked[],
  input: ClientInput,
  signer: TokenSigner,
): Promise<string> {
  if (round > MAX_ROUNDS) {
    throw new UnansweredError(`The client was asked ${MAX_ROUNDS} times for one request, which is the limit`);
  }
  const content: Token = {
    v: VERSION,
    e: Date.now() + ANSWER_WITHIN_MS,
    r: round,
    q: asked.map(({ key, digest, isElsewhere, answer }) =>
      answer === undefined ? [key, digest, isElsewhere] : [key, digest, isElsewhere, answer]
    ),
  };
  const token = await signer.sign(purposeOf(input), JSON.stringify(content));
  if (token.length <= MAX_STATE) return token;
  throw new UnansweredError(
    `The answers to one request must not be larger than ${MAX_STATE / 2} bytes together`,
  );
}

async function readToken(token: unknown, input: ClientInput, signer: TokenSigner): Promise<Token> {
  const isToken = typeof token === "string" && token.length <= MAX_STATE;
  const text = isToken ? await signer.open(purposeOf(input), token) : undefined;
  const content = text === undefined ? undefined : JSON.parse(text) as Token;
  if (content?.v !== VERSION) {
    throw invalidParams(
      "The requestState was not issued for this request; send the request without it to begin again",
    );
  }
  if (!(Date.now() < content.e)) {
    throw invalidParams("The requestState has expired; send the request without it to begin again");
  }
  return content;
}

/** What a token is valid for. `_meta` is about the message and differs in every round. */
function purposeOf({ request: { method, params = {} }, call }: ClientInput): string {
  const { _meta, inputResponses: _, requestState: __, ...rest } = params as Data;
  return canonical(["requestState", method, rest, principalOf(call.context.authentication) ?? null]);
}

/** The sender: by name if the authentication has one, because credentials are renewed. */
function principalOf(authentication: unknown): unknown {
  if (!isObject(authentication)) return authentication;
  const { principal } = authentication;
  return typeof principal === "string" ? { principal } : authentication;
}
