/** What a handler can ask the client, its user and its model, and the errors of asking. */

import type { JsonObject } from "../base/json.ts";
import type { Revision } from "../protocol/revisions.ts";
import type { FromSchema } from "../schema/mod.ts";
import { ErrorCode, RpcError } from "../jsonrpc/message.ts";
import { McpErrorCode } from "../protocol/errors.ts";

/**
 * What a handler can ask the client, its user or its model. Questions that are asked before the first is awaited are sent
 * together.
 *
 * A handler ends where it asks and runs again from its first line when the client has answered; questions with an answer
 * are then answered at once. So side effects belong after the last question, what is asked must not depend on the time or
 * on chance, and resources that must be closed are opened after the last question.
 *
 * Each question throws a `MissingCapabilityError` when the client, or its revision, cannot be asked it, an
 * `UnansweredError` when the client answers with an error or something invalid, and a `TypeError` when it is malformed.
 */
export interface ClientRequests {
  /** Asks the user to fill in a form. */
  elicit<const S extends FormSchema>(form: Form<S>): Promise<Elicited<FromSchema<S>>>;
  /**
   * Asks the user to open a URL, for what must not pass through the client: credentials, payments. `accept` means that the
   * user agreed to open it, not that the interaction is done.
   */
  elicitUrl(page: Page): Promise<Pick<Elicited<unknown>, "action">>;
  /** Notifies the client that the user is done with the page of this `id`, if the revision has that; also after the response. */
  completeElicitation(id: string): void;
  /** Requests a completion from the client's model. */
  sample(request: SampleRequest): Promise<Sample>;
  /** Requests the folders that the client works on. They are hints, not permissions. */
  listRoots(options?: Keyed): Promise<readonly Root[]>;
}

/** Options of every question. */
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
  /** Not sent; other fields are dropped from the answer. */
  readonly additionalProperties?: boolean;
}

/** Choices: their values, and the texts for people. */
export type Choices = readonly { readonly const: string; readonly title: string }[];

/** A field of a form, with the keywords of its type. Before 2025-11-25, defaults are for booleans only. */
export type FormField =
  & { readonly title?: string; readonly description?: string }
  & (
    | {
      readonly type: "string";
      readonly default?: string;
      readonly minLength?: number;
      readonly maxLength?: number;
      readonly format?: "email" | "uri" | "date" | "date-time";
      readonly enum?: readonly string[];
      readonly enumNames?: readonly string[];
      readonly oneOf?: Choices;
    }
    | {
      readonly type: "number" | "integer";
      readonly default?: number;
      readonly minimum?: number;
      readonly maximum?: number;
    }
    | { readonly type: "boolean"; readonly default?: boolean }
    | {
      readonly type: "array";
      readonly default?: readonly string[];
      readonly items: { readonly type: "string"; readonly enum: readonly string[] } | {
        readonly anyOf: Choices;
      };
      readonly minItems?: number;
      readonly maxItems?: number;
    }
  );

/** The answer to a form: the values, which fit it, or that the user has declined or dismissed it. */
export type Elicited<T> =
  | { readonly action: "accept"; readonly content: T }
  | { readonly action: "decline" | "cancel"; readonly content?: undefined };

/** A URL for the user to open. */
export interface Page extends Keyed {
  /** Why, for the user. */
  readonly message: string;
  /** The URL. It must not hold secrets, nor give access without signing in. */
  readonly url: string;
  /** An unguessable id of the interaction. Sent in 2025-11-25 only. @default {a random one} */
  readonly id?: string;
}

/** A content block of a message to or from a model. */
export type SampleContent =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "image" | "audio"; readonly data: string; readonly mimeType: string }
  | {
    readonly type: "tool_use";
    readonly id: string;
    readonly name: string;
    readonly input: JsonObject;
  }
  | {
    readonly type: "tool_result";
    readonly toolUseId: string;
    readonly content: readonly JsonObject[];
    readonly isError?: boolean;
  };

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
  /** Whether it may or must. */
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

/** A folder that the client works on: a `file:` URI, and a name for people. */
export type Root = { readonly uri: string; readonly name?: string };

/** The client gave no usable answer. A tool that does not catch it returns its message as an error. */
export class UnansweredError extends RpcError {
  /** The name of the class, for logs. */
  override readonly name: string = "UnansweredError";

  /** Builds an error; the message is for the client and for a model. */
  constructor(message: string, code?: number, data?: unknown, status?: number) {
    super(code ?? ErrorCode.internal, message, data, status === undefined ? {} : { status });
  }
}

/** The client has not declared the capability, or its revision does not have it. */
export class MissingCapabilityError extends UnansweredError {
  /** The name of the class, for logs. */
  override readonly name = "MissingCapabilityError";
  /** Builds an error for a capability, or for a part of one. */
  constructor(name: string, part: string | undefined, { era }: Revision) {
    const needed = part === undefined ? name : `${name}.${part}`;
    const requiredCapabilities = { [name]: part === undefined ? {} : { [part]: {} } };
    const isModern = era === "modern";
    super(
      `This needs a client with the capability ${needed}${isModern ? "" : ", and a revision that has it"}`,
      isModern ? McpErrorCode.missingClientCapability : undefined,
      isModern ? { requiredCapabilities } : undefined,
      isModern ? 400 : undefined,
    );
  }
}

/** Thrown by a handler when the user has to open URLs first. The client asks the user, and the handler runs again. */
export class UrlElicitationRequiredError extends Error {
  /** The name of the class, for logs. */
  override readonly name = "UrlElicitationRequiredError";
  /** The URLs. */
  readonly pages: readonly Page[];

  /** Builds an error with at least one page. */
  constructor(pages: readonly Page[]) {
    if (pages.length === 0) throw new TypeError("Cannot require no URL: give at least one page");
    super("The user has to do something first");
    this.pages = pages;
  }
}
