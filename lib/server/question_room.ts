/** What does it take to ask? Loaded with the first question; most requests ask nothing. */

import type { ServerCall } from "./methods.ts";
import type { Question } from "./question.ts";
import type { UrlElicitationRequiredError } from "./unanswered.ts";
import { RpcError } from "../jsonrpc/message.ts";
import { McpErrorCode } from "../protocol/errors.ts";
import { ANSWER_WITHIN_MS } from "./request_state.ts";
import { UnansweredError } from "./unanswered.ts";

export { formQuestion, pageQuestion, rootsQuestion } from "./question.ts";
export { sampleQuestion } from "./sample_question.ts";

/**
 * Asks with a request of our own, and waits.
 *
 * @throws {UnansweredError} When the answer is an error, when there is none in time, or when nobody can be asked.
 * @throws {unknown} The reason of the signal.
 */
export async function askNow(
  call: ServerCall,
  { method, params }: Question<unknown>,
  signal: AbortSignal,
): Promise<unknown> {
  if (!call.sendRequest) throw new UnansweredError("The client cannot be asked over this connection");
  const patience = new AbortController();
  const timer = setTimeout(
    () =>
      patience.abort(
        new UnansweredError(`The client did not answer within ${ANSWER_WITHIN_MS / 60_000} minutes`),
      ),
    ANSWER_WITHIN_MS,
  );
  try {
    return await call.sendRequest(method, params, AbortSignal.any([signal, patience.signal]));
  } catch (cause) {
    if (!(cause instanceof RpcError) || cause instanceof UnansweredError) throw cause;
    throw new UnansweredError(`The client did not answer: ${cause.message}`);
  } finally {
    clearTimeout(timer);
  }
}

/** The error of 2025-11-25 that sends the user to pages. */
export function urlElicitationRequired(
  { message }: UrlElicitationRequiredError,
  questions: readonly Question<unknown>[],
): RpcError {
  return new RpcError(McpErrorCode.urlElicitationRequired, message, {
    elicitations: questions.map(({ params }) => params),
  });
}

/** The user does not go where a handler needs them to go. */
export function refused({ pages }: UrlElicitationRequiredError): UnansweredError {
  return new UnansweredError(
    `The user did not agree to this: ${pages.map((page) => page.message).join("; ")}`,
  );
}
