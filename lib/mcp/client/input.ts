/** What servers may ask their client for: forms, URLs, a model and roots. */

import type { Awaitable } from "../../base/async.ts";
import type { JsonObject } from "../../base/json.ts";
import type { Result, Root } from "../protocol/types.ts";
import { asObject } from "../../base/json.ts";
import { ErrorCode, RpcError } from "../../jsonrpc/message.ts";
import { invalidParams } from "../protocol/errors.ts";

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
export interface ModelRequest extends Result {
  /** The conversation so far. */
  readonly messages: readonly { readonly role: string; readonly content: unknown }[];
  /** The most tokens that the answer may have. */
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

/** What a handler gets in addition to the request. */
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
  readonly onsample?: (request: ModelRequest, context: InputContext) => Awaitable<SampleResult>;
  /** The folders that the server may work in. @default {folders are not offered} */
  readonly roots?: readonly Root[] | (() => Awaitable<readonly Root[]>);
}

/** The capabilities that the handlers provide. */
export function inputCapabilities({ onform, onurl, onsample, roots }: InputHandlers): JsonObject {
  const elicitation = onform || onurl ? { form: onform && {}, url: onurl && {} } : undefined;
  return { elicitation, sampling: onsample && {}, roots: roots && {} };
}

/** Answers one request of the server. Throws an `RpcError` when there is no handler for it. */
export async function answerInput(
  { onform, onurl, onsample, roots }: InputHandlers,
  method: string,
  params: JsonObject,
  signal: AbortSignal,
): Promise<unknown> {
  const context = { signal };
  if (method === "sampling/createMessage" && onsample) return await onsample(params as never, context);
  if (method === "roots/list" && roots) {
    return { roots: typeof roots === "function" ? await roots() : roots };
  }
  if (method !== "elicitation/create") {
    throw new RpcError(ErrorCode.methodNotFound, `This client does not answer ${method}`);
  }
  const { mode = "form", requestedSchema = {} } = params;
  if (mode === "url" && onurl) return await onurl(params as never, context);
  if (mode !== "form" || !onform) {
    throw invalidParams(`This client has no elicitation mode ${JSON.stringify(mode)}`);
  }
  const result = await onform({ ...params, requestedSchema } as never, context);
  if (result.action !== "accept") return result;
  const { content = {} } = result;
  const fields = Object.entries(asObject(asObject(requestedSchema)["properties"]));
  const missing = fields.filter(([name]) => content[name] === undefined)
    .map(([name, field]) => [name, asObject(field)["default"]]);
  return { ...result, content: { ...content, ...Object.fromEntries(missing) } };
}
