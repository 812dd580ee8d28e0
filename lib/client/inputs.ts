/**
 * Input that a server asks its client for: with requests up to 2025-11-25, with `input_required` results since.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/mrtr
 */

import type { JsonObject } from "../base/json.ts";
import type { Awaitable } from "../base/async.ts";
import type { Result } from "./client.ts";
import { abortable } from "../base/async.ts";
import { asObject, isObject } from "../base/json.ts";
import { ErrorCode, RpcError } from "../jsonrpc/message.ts";
import { invalidParams } from "../protocol/errors.ts";
import { METHODS } from "../protocol/methods.ts";
import { ProtocolError } from "./options.ts";

/** A form for the user. */
export interface FormRequest extends Result {
  /** Why the server asks. */
  readonly message: string;
  /** The fields: an object schema with members of primitive types. */
  readonly requestedSchema: JsonObject;
}

/** A page that the user is asked to open: ask first, and show where it leads. */
export interface UrlRequest extends Result {
  /** Why the server asks. */
  readonly message: string;
  /** The address. */
  readonly url: string;
}

/** The user's decision. */
export interface ElicitResult {
  /** Agreed, refused, or dismissed. */
  readonly action: "accept" | "decline" | "cancel";
  /** The values of the form; a missing one gets its default. */
  readonly content?: JsonObject;
}

/** A request for a model. */
export interface SampleRequest extends Result {
  /** The conversation so far. */
  readonly messages: readonly { readonly role: string; readonly content: unknown }[];
  /** The most tokens of the answer. */
  readonly maxTokens: number;
}

/** A model's answer. */
export interface SampleResult {
  /** "assistant". */
  readonly role: string;
  /** The content. */
  readonly content: unknown;
  /** The name of the model. */
  readonly model: string;
  /** Why it stopped. */
  readonly stopReason?: string;
}

/** A folder that the server may work in. */
export interface Root {
  /** A `file://` URI. */
  readonly uri: string;
  /** Its name, for people. */
  readonly name?: string;
}

/** What a handler gets beside the request. */
export interface InputContext {
  /** Aborts when the answer is not needed any more. */
  readonly signal: AbortSignal;
}

/** Handlers for what a server asks. What has no handler is not offered to servers. */
export interface InputHandlers {
  /** Lets the user fill in a form. @default {forms are not offered} */
  readonly onform?: (form: FormRequest, context: InputContext) => Awaitable<ElicitResult>;
  /** Lets the user open a page. @default {pages are not offered} */
  readonly onurl?: (page: UrlRequest, context: InputContext) => Awaitable<ElicitResult>;
  /** Lets a model answer. @default {models are not offered} */
  readonly onsample?: (request: SampleRequest, context: InputContext) => Awaitable<SampleResult>;
  /** The folders that the server may work in. @default {none are offered} */
  readonly roots?: readonly Root[] | (() => Awaitable<readonly Root[]>);
}

/** The client capabilities that the handlers stand for. */
export function capabilitiesOf({ onform, onurl, onsample, roots }: InputHandlers): JsonObject {
  const elicitation = onform || onurl ? { form: onform && {}, url: onurl && {} } : undefined;
  return { elicitation, sampling: onsample && {}, roots: roots && {} };
}

/** Answers one request of the server. Throws an `RpcError` when there is no handler for it. */
export async function answerInput(
  method: string,
  params: JsonObject,
  { onform, onurl, onsample, roots }: InputHandlers,
  signal: AbortSignal,
): Promise<unknown> {
  const context = { signal };
  if (method === "sampling/createMessage" && onsample) return await onsample(params as never, context);
  if (method === "roots/list" && roots) return { roots: typeof roots === "function" ? await roots() : roots };
  if (method !== "elicitation/create") {
    throw new RpcError(ErrorCode.methodNotFound, `This client does not answer ${method}`);
  }
  const { mode = "form", requestedSchema = {} } = params;
  if (mode === "url" && onurl) return await onurl(params as never, context);
  if (mode !== "form" || !onform) {
    throw invalidParams(`This client has no elicitation mode ${JSON.stringify(mode)}`);
  }
  const result = await onform({ ...params, requestedSchema } as FormRequest, context);
  if (result.action !== "accept") return result;
  const { content = {} } = result;
  const fields = Object.entries(asObject(asObject(requestedSchema)["properties"]));
  const missing = fields.filter(([name]) => content[name] === undefined)
    .map(([name, field]) => [name, asObject(field)["default"]]);
  return { ...result, content: { ...content, ...Object.fromEntries(missing) } };
}

/** How often the server may ask for input in one request, and for how much at once. */
const MAX_ROUNDS = 20, MAX_INPUTS = 100;

/** Repeats a request with the input that its results ask for, until one is complete. */
export async function untilComplete(
  method: string,
  handlers: InputHandlers,
  send: (more: JsonObject) => Promise<JsonObject>,
  signal: AbortSignal = new AbortController().signal,
): Promise<JsonObject> {
  const fail = (reason: string) => new ProtocolError(`The server answered ${method} with ${reason}`);
  let result = await send({});
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const { resultType = "complete", inputRequests, requestState } = result;
    if (resultType === "complete") return result;
    if (resultType !== "input_required") throw fail(`the unknown result type ${JSON.stringify(resultType)}`);
    if (!METHODS.modern.get(method)?.mayAskClient) {
      throw fail("input_required, which this method does not allow");
    }
    const hasState = requestState !== undefined, hasRequests = inputRequests !== undefined;
    if (!hasState && !hasRequests) throw fail("neither inputRequests nor a requestState");
    if (hasState && typeof requestState !== "string") throw fail("a requestState that is no string");
    const requests = Object.entries(asObject(inputRequests));
    if (hasRequests && !isObject(inputRequests) || requests.length > MAX_INPUTS) {
      throw fail("inputRequests that cannot be read");
    }
    const responses: [string, unknown][] = [];
    // One after the other: they are for the same user.
    for (const [key, request] of requests) {
      const { method: asked, params } = asObject(request);
      if (typeof asked !== "string") throw fail("an input request without a method");
      signal.throwIfAborted();
      // A handler that does not look at the signal is not waited for either.
      const answer = abortable(answerInput(asked, asObject(params), handlers, signal), signal);
      responses.push([key, await answer]);
    }
    // The state goes back as it came.
    const inputResponses = hasRequests ? Object.fromEntries(responses) : undefined;
    result = await send({ inputResponses, requestState });
  }
  throw fail(`input_required ${MAX_ROUNDS} times; it is not asked again`);
}
