/**
 * What does the server want of its client? It asks for input by requests of its own up to 2025-11-25, and by an answer that
 * is not the last one since. The same handlers serve both.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/mrtr
 */

import type { Members } from "./value.ts";
import { ErrorCode, RpcError } from "../jsonrpc/message.ts";
import { withDefaults } from "./form.ts";
import { ProtocolError } from "./errors.ts";
import { isObject } from "../base/json.ts";
import { objectIn } from "./value.ts";

/** A form that a user is to fill in. */
export interface FormRequest {
  /** Why the server wants to know. */
  readonly message: string;
  /** The fields: an object with members of primitive types, as JSON Schema. */
  readonly requestedSchema: Members;
  /** Whatever else the server says. */
  readonly [member: string]: unknown;
}

/** A page that a user is to visit: ask the user first, and show where it leads. */
export interface UrlRequest {
  /** Why the user should. */
  readonly message: string;
  /** The address. */
  readonly url: string;
  /** Whatever else the server says. */
  readonly [member: string]: unknown;
}

/** What a user has decided. */
export interface ElicitResult {
  /** Agreed, refused, or neither of the two. */
  readonly action: "accept" | "decline" | "cancel";
  /** The form, filled in; what is left out gets its default. */
  readonly content?: Members;
}

/** What a model is to answer. */
export interface SampleRequest {
  /** What was said so far. */
  readonly messages: readonly { readonly role: string; readonly content: unknown }[];
  /** How much may be answered. */
  readonly maxTokens: number;
  /** Whatever else the server says. */
  readonly [member: string]: unknown;
}

/** What a model has answered. */
export interface SampleResult {
  /** "assistant". */
  readonly role: string;
  /** What it says. */
  readonly content: unknown;
  /** Which model it was. */
  readonly model: string;
  /** Why it stopped. */
  readonly stopReason?: string;
}

/** A folder that the server may work in. */
export interface Root {
  /** A `file://` URI. */
  readonly uri: string;
  /** What people call it. */
  readonly name?: string;
}

/** What a handler is told beside what is asked. */
export interface InputContext {
  /** Aborted when nobody waits for the answer any more. */
  readonly signal: AbortSignal;
}

/** Who answers the server. What has no handler is not offered to it. */
export interface InputHandlers {
  /** Has a user fill in a form. @default {forms are not offered} */
  readonly onform?: (form: FormRequest, context: InputContext) => ElicitResult | Promise<ElicitResult>;
  /** Has a user visit a page. @default {pages are not offered} */
  readonly onurl?: (page: UrlRequest, context: InputContext) => ElicitResult | Promise<ElicitResult>;
  /** Has a model answer. @default {models are not offered} */
  readonly onsample?: (request: SampleRequest, context: InputContext) => SampleResult | Promise<SampleResult>;
  /** The folders that the server may work in. @default {none are offered} */
  readonly roots?: readonly Root[] | (() => readonly Root[] | Promise<readonly Root[]>);
}

/** What these handlers can do, in the words of the protocol. */
export function capabilitiesOf(handlers: InputHandlers): Members {
  const { onform, onurl, onsample, roots } = handlers;
  return {
    ...(onform || onurl
      ? { elicitation: { ...(onform ? { form: {} } : {}), ...(onurl ? { url: {} } : {}) } }
      : {}),
    ...(onsample ? { sampling: {} } : {}),
    ...(roots ? { roots: {} } : {}),
  };
}

/**
 * Has one thing answered that the server asks.
 *
 * @throws {RpcError} -32601 when there is no handler for it; whatever the handler throws.
 */
export async function answerInput(
  method: string,
  params: Members,
  handlers: InputHandlers,
  context: InputContext,
): Promise<unknown> {
  switch (method) {
    case "elicitation/create":
      return await elicit(params, handlers, context);
    case "sampling/createMessage":
      if (!handlers.onsample) break;
      return await handlers.onsample(params as unknown as SampleRequest, context);
    case "roots/list": {
      const { roots } = handlers;
      if (!roots) break;
      return { roots: typeof roots === "function" ? await roots() : roots };
    }
  }
  throw new RpcError(ErrorCode.methodNotFound, `This client does not answer ${method}`);
}

async function elicit(params: Members, handlers: InputHandlers, context: InputContext): Promise<unknown> {
  const { mode = "form" } = params;
  if (mode === "form" && handlers.onform) {
    const result = await handlers.onform({ requestedSchema: {}, ...params } as FormRequest, context);
    if (result.action !== "accept") return result;
    return { ...result, content: withDefaults(result.content ?? {}, objectIn(params, "requestedSchema")) };
  }
  if (mode === "url" && handlers.onurl) return await handlers.onurl(params as unknown as UrlRequest, context);
  throw new RpcError(
    ErrorCode.invalidParams,
    `This client does not elicit in the mode ${JSON.stringify(mode)}`,
  );
}

/** The methods that may be answered with a question. */
const ASKING_METHODS: ReadonlySet<string> = new Set(["prompts/get", "resources/read", "tools/call"]);

/** How often one request may be answered with questions: a server that never has enough is stopped. */
const MAX_ROUNDS = 20;
/** How many questions one answer may have. */
const MAX_QUESTIONS = 100;

/**
 * Asks until the answer is the last one.
 *
 * @param ask Asks once, with members for the params beside those of the first time.
 * @throws {ProtocolError} When the answer is of no known kind, or there is no end to the questions.
 */
export async function untilComplete(
  method: string,
  handlers: InputHandlers,
  signal: AbortSignal,
  ask: (more: Members) => Promise<Members>,
): Promise<Members> {
  let result = await ask({});
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const { resultType = "complete" } = result;
    if (resultType === "complete") return result;
    if (resultType !== "input_required") {
      throw new ProtocolError(
        `The server answered ${method} with a result of the unknown type ${JSON.stringify(resultType)}`,
      );
    }
    if (!ASKING_METHODS.has(method)) {
      throw new ProtocolError(`The server answered ${method} with questions, which it must not`);
    }
    result = await ask(await answersTo(method, result, handlers, signal));
  }
  throw new ProtocolError(
    `The server answered ${method} with questions ${MAX_ROUNDS} times; it is not asked again`,
  );
}

async function answersTo(
  method: string,
  { inputRequests, requestState }: Members,
  handlers: InputHandlers,
  signal: AbortSignal,
): Promise<Members> {
  if (requestState !== undefined && typeof requestState !== "string") {
    throw new ProtocolError(`The server answered ${method} with a requestState that is no text`);
  }
  // What it keeps with the client goes back as it came.
  const state = requestState === undefined ? {} : { requestState };
  if (inputRequests === undefined) {
    if (requestState === undefined) {
      throw new ProtocolError(`The server answered ${method} with no question and no state`);
    }
    return state;
  }
  const questions = isObject(inputRequests) ? Object.entries(inputRequests) : [];
  if (!isObject(inputRequests) || questions.length > MAX_QUESTIONS) {
    throw new ProtocolError(`The server answered ${method} with questions that cannot be read`);
  }
  const responses: [string, unknown][] = [];
  // One after the other: it is one user who is asked.
  for (const [key, question] of questions) {
    if (!isObject(question) || typeof question["method"] !== "string") {
      throw new ProtocolError(`The server answered ${method} with a question that has no method`);
    }
    signal.throwIfAborted();
    responses.push([
      key,
      await answerInput(question["method"], objectIn(question, "params"), handlers, { signal }),
    ]);
  }
  return { inputResponses: Object.fromEntries(responses), ...state };
}
