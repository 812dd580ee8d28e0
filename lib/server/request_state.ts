/**
 * What does a client carry from one round of questions to the next? Everything that was answered so far, signed: nothing
 * stays here, and any process with the same key can go on.
 *
 * The token is good for one request (its method and its params), for whoever sent it, and for a quarter of an hour. It can
 * be used again in that time: what must happen once only is for the handler to see to.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/mrtr#server-requirements-basic-workflow
 */

import type { ExecutionContext } from "./context.ts";
import type { TokenSigner } from "./signed_token.ts";
import { toBase64Url } from "../base/bytes.ts";
import { canonical, isObject } from "../base/json.ts";
import { invalidParams } from "../protocol/errors.ts";
import { UnansweredError } from "./unanswered.ts";

/** How long a client has to come back with answers, in milliseconds: time for a person to fill in a form. */
export const ANSWER_WITHIN_MS: number = 15 * 60_000;
/** The longest token, in UTF-16 units: a quarter of the longest message. */
const MAX_STATE = 1024 * 1024;
/** How often one request asks: as often as the official clients come back. */
const MAX_ROUNDS = 10;
/** The form of what is signed, so that another one is not taken for it. */
const VERSION = 1;
/** How much of a question's hash tells it from others, in bytes. */
const DIGEST_BYTES = 16;

/** One question that was put. */
export interface Asked {
  /** What it is called on the wire. */
  readonly key: string;
  /** Of the question: its answer answers nothing else. */
  readonly digest: string;
  /** Undefined while there is none. */
  readonly answer: unknown;
  /** Whether it is about something that happens elsewhere, so that the answer may come to be of no use. */
  readonly isElsewhere: boolean;
}

/** What is known when a round begins. */
export interface RequestState {
  /** How many rounds there were. */
  readonly round: number;
  readonly asked: readonly Asked[];
}

interface Written {
  readonly v: number;
  /** When it expires, in milliseconds since 1970. */
  readonly e: number;
  readonly r: number;
  /** Key, digest, whether it is elsewhere and, where there is one, answer. */
  readonly q: readonly (readonly [string, string, boolean, unknown?])[];
}

/**
 * Writes down what was asked and answered.
 *
 * @throws {UnansweredError} When it was asked too often, or when the answers are too large.
 */
export async function writeState(
  { round, asked }: RequestState,
  context: ExecutionContext,
  signer: TokenSigner,
): Promise<string> {
  if (round > MAX_ROUNDS) {
    throw new UnansweredError(`The client was asked ${MAX_ROUNDS} times for one request, which is the most`);
  }
  const written: Written = {
    v: VERSION,
    e: Date.now() + ANSWER_WITHIN_MS,
    r: round,
    q: asked.map(({ key, digest, isElsewhere, answer }) =>
      answer === undefined ? [key, digest, isElsewhere] : [key, digest, isElsewhere, answer]
    ),
  };
  const token = await signer.sign(purposeOf(context), JSON.stringify(written));
  if (token.length <= MAX_STATE) return token;
  throw new UnansweredError(
    `The answers to one request must not be larger than ${MAX_STATE / 2} bytes together`,
  );
}

/**
 * Reads what a client brought back.
 *
 * @throws {RpcError} -32602 when it is not what was given out for this request, or too old.
 */
export async function readState(
  token: unknown,
  context: ExecutionContext,
  signer: TokenSigner,
): Promise<RequestState> {
  const isToken = typeof token === "string" && token.length <= MAX_STATE;
  const text = isToken ? await signer.open(purposeOf(context), token) : undefined;
  const written = text === undefined ? undefined : JSON.parse(text) as Written;
  if (written?.v !== VERSION) {
    throw invalidParams(
      "The requestState is not what was given out for this request; send the request without it to begin again",
    );
  }
  if (!(Date.now() < written.e)) {
    throw invalidParams("The requestState has expired; send the request without it to begin again");
  }
  return {
    round: written.r,
    asked: written.q.map(([key, digest, isElsewhere, answer]) => ({ key, digest, isElsewhere, answer })),
  };
}

/** Tells questions apart. */
export async function digestOf(method: string, params: unknown): Promise<string> {
  const bytes = new TextEncoder().encode(canonical([method, params]));
  const hash = await crypto.subtle.digest("SHA-256", bytes);
  return toBase64Url(new Uint8Array(hash).subarray(0, DIGEST_BYTES));
}

/** What a token is good for. `_meta` is about the message, and another one in each round. */
function purposeOf({ method, params, origin }: ExecutionContext): string {
  const { _meta, inputResponses: _, requestState: __, ...rest } = params;
  return canonical(["requestState", method, rest, principalOf(origin.authentication) ?? null]);
}

/** Who sent it: a name where the carrier's authentication has one, since tokens are renewed meanwhile. */
function principalOf(authentication: unknown): unknown {
  if (!isObject(authentication)) return authentication;
  const { principal } = authentication;
  return typeof principal === "string" ? { principal } : authentication;
}
