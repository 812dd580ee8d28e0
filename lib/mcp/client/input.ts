/** Requests from a server to its client: forms, pages, model completions and roots. */

import type { Awaitable } from "../../base/async.ts";
import type { JsonObject } from "../../base/json.ts";
import type { Result, Root } from "../protocol/types.ts";
import { asObject } from "../../base/json.ts";
import { ErrorCode, RpcError } from "../../jsonrpc/message.ts";
import { invalidParams } from "../protocol/errors.ts";

/** A form that the user is asked to fill in. */
export interface FormRequest extends Result {
  /** Why the server asks. */
  readonly message: string;
  /** An object schema. Each property is a field and has a primitive type. */
  readonly requestedSchema: JsonObject;
}

/** A page that the user is asked to open. Show its address, and open it only if the user agrees. */
export interface UrlRequest extends Result {
  /** Why the server asks. */
  readonly message: string;
  /** The address. */
  readonly url: string;
}

/** The user's answer to a form or a page. */
export interface ElicitResult {
  /** Whether the user agreed, refused, or closed the dialog. */
  readonly action: "accept" | "decline" | "cancel";
  /** The values of the form. A field without a value gets its default. */
  readonly content?: JsonObject;
}

/** A request for a completion by the client's model. */
export interface ModelRequest extends Result {
  /** The conversation so far. */
  readonly messages: readonly { readonly role: string; readonly content: unknown }[];
  /** The maximum number of tokens in the answer. */
  readonly maxTokens: number;
}

/** A model's answer. */
export interface SampleResult {
  /** "assistant". */
  readonly role: string;
  /** One content block, or several. */
  readonly content: unknown;
  /** The name of the model. */
  readonly model: string;
  /** Why the model stopped: "endTurn". */
  readonly stopReason?: string;
}

/** What a handler gets in addition to the request. */
export interface InputContext {
  /** Aborted when the answer is no longer needed. */
  readonly signal: AbortSignal;
}

/** Handlers of requests from the server. A capability without a handler is not declared. */
export interface InputHandlers {
  /** Lets the user fill in a form. @default {forms are not supported} */
  readonly onform?: (form: FormRequest, context: InputContext) => Awaitable<ElicitResult>;
  /** Lets the user open a page. @default {pages are not supported} */
  readonly onurl?: (page: UrlRequest, context: InputContext) => Awaitable<ElicitResult>;
  /** Lets a model answer. @default {completions are not supported} */
  readonly onsample?: (request: ModelRequest, context: InputContext) => Awaitable<SampleResult>;
  /** The folders that the client works on. @default {roots are not supported} */
  readonly roots?: readonly Root[] | (() => Awaitable<readonly Root[]>);
}

/** Returns the capabilities to declare for the handlers. */
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
    throw invalidParams(`This client does not support the elicitation mode ${JSON.stringify(mode)}`);
  }
  const result = await onform({ ...params, requestedSchema } as never, context);
  if (result.action !== "accept") return result;
  const { content = {} } = result;
  const fields = Object.entries(asObject(asObject(requestedSchema)["properties"]));
  const missing = fields.filter(([name]) => content[name] === undefined)
    .map(([name, field]) => [name, asObject(field)["default"]]);
  return { ...result, content: { ...content, ...Object.fromEntries(missing) } };
}
