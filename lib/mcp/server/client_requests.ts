/**
 * What the client, its user and its model can be asked, if the client has declared it: elicitation, sampling and roots.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/client/elicitation
 * @see https://modelcontextprotocol.io/specification/2026-07-28/client/sampling
 */

import type { Awaitable } from "../../base/async.ts";
import type { JsonObject } from "../../base/json.ts";
import type { FromSchema } from "../../formats/schema/mod.ts";
import type { Root } from "../protocol/types.ts";

/**
 * What a handler can ask the client. Questions that are asked before the first is awaited are sent together.
 *
 * A handler is stopped where it asks. When the client has answered, it runs again from its first line, and questions that have
 * an answer return at once. So side effects, and resources that must be closed, belong after the last question. What is asked
 * must not depend on the time or on chance.
 *
 * Each method throws a `MissingCapabilityError` when the client, or its revision, cannot be asked; an `UnansweredError` when the
 * client answers with an error or something invalid; and a `TypeError` when the question is malformed.
 */
export interface ClientRequests {
  /** Asks the user to fill in a form. */
  elicit<const S extends FormSchema>(form: Form<S>): Promise<Elicited<FromSchema<S>>>;
  /**
   * Asks the user to open a URL, for what the client must not see, such as credentials. `accept` means that the user has agreed,
   * not that the user is done.
   */
  elicitUrl(elicitation: UrlElicitation): Promise<Pick<Elicited<unknown>, "action">>;
  /**
   * Notifies a client of 2025-11-25 that the user is done with the elicitation of this `id`. May be called after the response.
   */
  completeElicitation(id: string): void;
  /** Requests a completion from the client's model. */
  sample(request: SampleRequest): Promise<Sample>;
  /** Requests the folders that the client works on. They are hints, not permissions. */
  listRoots(options?: Keyed): Promise<readonly Root[]>;
}

/** The options that every question has. */
export interface Keyed {
  /** The key of the question in `inputRequests`. @default {its kind and a number} */
  readonly key?: string;
}

/** A form for the user. It must not ask for secrets; use a URL for those. */
export interface Form<S extends FormSchema = FormSchema> extends Keyed {
  /** Why, for the user. */
  readonly message: string;
  /** The fields. */
  readonly schema: S;
}

/** A flat object schema. Older revisions get the nearest form that they have. */
export interface FormSchema {
  /** The dialect. */
  readonly $schema?: string;
  /** Always an object. */
  readonly type: "object";
  /** The fields by name. */
  readonly properties: Readonly<Record<string, FormField>>;
  /** The fields that must be filled in. @default {none} */
  readonly required?: readonly string[];
  /** Not sent: values of unknown fields are always dropped from the answer. */
  readonly additionalProperties?: boolean;
}

/** Choices: their values, and the texts for people. */
export type Choices = readonly { readonly const: string; readonly title: string }[];

/** A field of a form, with the keywords of its type. Before 2025-11-25, defaults are for booleans only. */
export type FormField =
  & Readonly<{ title?: string; description?: string }>
  & (
    | Readonly<{ type: "boolean"; default?: boolean }>
    | Readonly<{ type: "number" | "integer"; default?: number; minimum?: number; maximum?: number }>
    | Readonly<{
      type: "string";
      default?: string;
      minLength?: number;
      maxLength?: number;
      format?: "email" | "uri" | "date" | "date-time";
      enum?: readonly string[];
      enumNames?: readonly string[];
      oneOf?: Choices;
    }>
    | Readonly<{
      type: "array";
      default?: readonly string[];
      items: Readonly<{ type: "string"; enum: readonly string[] } | { anyOf: Choices }>;
      minItems?: number;
      maxItems?: number;
    }>
  );

/** The answer to a form: its values, which are valid; or the user has declined or dismissed it. */
export type Elicited<T> =
  | { readonly action: "accept"; readonly content: T }
  | { readonly action: "decline" | "cancel"; readonly content?: undefined };

/** A URL for the user to open. */
export interface UrlElicitation extends Keyed {
  /** Why, for the user. */
  readonly message: string;
  /** The URL. It must not hold secrets, nor give access without signing in. */
  readonly url: string;
  /** An unguessable id of the interaction. Sent in 2025-11-25 only. @default {a random one} */
  readonly id?: string;
}

/** A content block of a message to or from a model. */
export type SampleContent =
  | Readonly<{ type: "text"; text: string }>
  | Readonly<{ type: "image" | "audio"; data: string; mimeType: string }>
  | Readonly<{ type: "tool_use"; id: string; name: string; input: JsonObject }>
  | Readonly<{ type: "tool_result"; toolUseId: string; content: readonly JsonObject[]; isError?: boolean }>;

/** One message. */
export interface SampleMessage {
  /** The role of the sender. */
  readonly role: "user" | "assistant";
  /** One block, or several. Older revisions get one message for each. */
  readonly content: SampleContent | readonly SampleContent[];
}

/** A request to the client's model. */
export interface SampleRequest extends Keyed {
  /** The messages so far. */
  readonly messages: readonly SampleMessage[];
  /** The limit of the completion. */
  readonly maxTokens: number;
  /** The system prompt; clients may change it. */
  readonly systemPrompt?: string;
  /** Hints for the choice of a model, which clients may ignore: names in order, and weights from 0 to 1. */
  readonly modelPreferences?: {
    readonly hints?: readonly { readonly name?: string }[];
    readonly costPriority?: number;
    readonly speedPriority?: number;
    readonly intelligencePriority?: number;
  };
  /** The temperature. */
  readonly temperature?: number;
  /** The stop sequences. */
  readonly stopSequences?: readonly string[];
  /** Data for the provider of the model. */
  readonly metadata?: JsonObject;
  /** Context to include; left out if the client does not support it. @default {"none"} */
  readonly includeContext?: "none" | "thisServer" | "allServers";
  /** Tools that the model may call; the caller runs them. Since 2025-11-25. */
  readonly tools?: readonly JsonObject[];
  /** Whether the model may, must or must not call them. */
  readonly toolChoice?: { readonly mode?: "auto" | "required" | "none" };
}

/** A completion. */
export interface Sample extends SampleMessage {
  /** The content blocks. */
  readonly content: readonly SampleContent[];
  /** The text of all text blocks. */
  readonly text: string;
  /** The name of the model. */
  readonly model: string;
  /** Why it stopped: "endTurn", "stopSequence", "maxTokens", "toolUse" or another reason. */
  readonly stopReason: string | undefined;
}

/** Runs the handler of a request that may ask the client. */
export interface InputRunner {
  /** The requests that the handler can make. */
  readonly requests: ClientRequests;
  /**
   * Calls a handler, and calls it again after each answer. Returns its result; or, when it asks a modern client a question that has
   * no answer yet, the result that asks the client. `stop` ends a call that waits at a question.
   */
  run<A extends readonly unknown[], T>(
    handler: (...args: A) => Awaitable<T>,
    args: A,
    stop?: () => void,
  ): Awaitable<T | JsonObject>;
}
