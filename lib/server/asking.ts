/**
 * What can a handler ask the client, and the person or model behind it? The same in every revision: a question is a real
 * request up to 2025-11-25, and a result that asks for more input since.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/client/elicitation
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/mrtr
 */

import type { FromSchema } from "../schema/mod.ts";

/**
 * The questions of one request. Each method asks one; several that are asked before the first is awaited travel together.
 *
 * Since 2026-07-28 a handler ends where it asks, with nothing after that run, and is run again from its first line when the
 * client comes back: questions that are answered already are answered at once. So effects belong after the last question,
 * what is asked must not depend on the time or on chance, and whatever must be closed is opened after the last question.
 */
export interface Asking {
  /**
   * Asks the user to fill in a form.
   *
   * @throws {MissingCapabilityError} When the client cannot do that, or the revision has no words for it.
   * @throws {UnansweredError} When the client answers with an error, or with what does not fit the form.
   * @throws {TypeError} When the form is none that clients can show.
   */
  elicit<const S extends FormSchema>(form: Form<S>): Promise<Elicited<FromSchema<S>>>;
  /**
   * Asks the user to open a page, for what must not pass through the client: credentials, payments. `accept` says that the
   * user agreed to open it, and not that what happens there is done.
   *
   * @throws {MissingCapabilityError} When the client cannot do that, or the revision has no words for it.
   * @throws {UnansweredError} When the client answers with an error, or with nonsense.
   */
  elicitUrl(page: Page): Promise<Answered>;
  /**
   * Tells the client that what it opened a page for is done, if the revision has words for that. Can be called after the
   * request is answered.
   *
   * @param id The `id` of the page.
   */
  completeElicitation(id: string): void;
  /**
   * Asks the client's model.
   *
   * @throws {MissingCapabilityError} When the client cannot do that, or the revision has no words for it.
   * @throws {UnansweredError} When the client answers with an error, or with nonsense.
   * @throws {TypeError} When the messages are not as a model takes them.
   */
  sample(request: SampleRequest): Promise<Sample>;
  /**
   * Asks which folders the client works on. They say where to look, and are no permission to do so.
   *
   * @throws {MissingCapabilityError} When the client cannot do that.
   * @throws {UnansweredError} When the client answers with an error, or with nonsense.
   */
  listRoots(options?: Keyed): Promise<readonly Root[]>;
}

/** What every question can say of itself. */
export interface Keyed {
  /** What the question is called in a result that asks for input. @default {its kind and a number} */
  readonly key?: string;
}

/** A question with a form. It must not ask for secrets: pages are for those. */
export interface Form<S extends FormSchema = FormSchema> extends Keyed {
  /** Why it is asked, for the user. */
  readonly message: string;
  /** What is asked. */
  readonly schema: S;
}

/** A flat form. Revisions that know less get the nearest form that they have. */
export interface FormSchema {
  /** The dialect. */
  readonly $schema?: string;
  /** Always an object. */
  readonly type: "object";
  /** The fields by name. */
  readonly properties: Readonly<Record<string, FormField>>;
  /** The fields that must be filled in. @default {none} */
  readonly required?: readonly string[];
  /** Not sent: other fields are left out of the answer. */
  readonly additionalProperties?: boolean;
}

/** What every field can say of itself. */
export interface Field<T> {
  /** For people. */
  readonly title?: string;
  /** For people. */
  readonly description?: string;
  /** What is filled in at first. Revisions before 2025-11-25 have it for booleans alone. */
  readonly default?: T;
}

/** One choice, with what people are shown. */
export interface Choice {
  /** The value. */
  readonly const: string;
  /** What people are shown. */
  readonly title: string;
}

/** A field of a form. */
export type FormField =
  | Field<string> & {
    readonly type: "string";
    readonly minLength?: number;
    readonly maxLength?: number;
    readonly format?: "email" | "uri" | "date" | "date-time";
  }
  | Field<string> & {
    readonly type: "string";
    readonly enum: readonly string[];
    readonly enumNames?: readonly string[];
  }
  | Field<string> & { readonly type: "string"; readonly oneOf: readonly Choice[] }
  | Field<number> & {
    readonly type: "number" | "integer";
    readonly minimum?: number;
    readonly maximum?: number;
  }
  | Field<boolean> & { readonly type: "boolean" }
  | Field<readonly string[]> & {
    readonly type: "array";
    readonly items: { readonly type: "string"; readonly enum: readonly string[] } | {
      readonly anyOf: readonly Choice[];
    };
    readonly minItems?: number;
    readonly maxItems?: number;
  };

/** What became of a form. */
export type Elicited<T> = {
  /** The user has sent the form. */
  readonly action: "accept";
  /** What is filled in: it fits the form, and has no other fields. */
  readonly content: T;
} | {
  /** The user has said no, or has said nothing. */
  readonly action: "decline" | "cancel";
  /** Nothing. */
  readonly content?: undefined;
};

/** A page to open. */
export interface Page extends Keyed {
  /** Why, for the user. */
  readonly message: string;
  /** Where. It must say nothing secret of the user, and must lead to nothing without that the user signs in. */
  readonly url: string;
  /** Names what happens there, unguessably. Revisions after 2025-11-25 do not get it. @default {a random one} */
  readonly id?: string;
}

/** What became of a question without a form. */
export interface Answered {
  /** The user has agreed, has said no, or has said nothing. */
  readonly action: "accept" | "decline" | "cancel";
}

/** One block of a message to or from a model. */
export type SampleContent =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "image" | "audio"; readonly data: string; readonly mimeType: string }
  | {
    readonly type: "tool_use";
    readonly id: string;
    readonly name: string;
    readonly input: Readonly<Record<string, unknown>>;
  }
  | {
    readonly type: "tool_result";
    readonly toolUseId: string;
    readonly content: readonly Readonly<Record<string, unknown>>[];
    readonly isError?: boolean;
  };

/** One message. */
export interface SampleMessage {
  /** Who says it. */
  readonly role: "user" | "assistant";
  /** A block, or several. Revisions without several get a message for each. */
  readonly content: SampleContent | readonly SampleContent[];
}

/** A question to the client's model. */
export interface SampleRequest extends Keyed {
  /** What was said so far. */
  readonly messages: readonly SampleMessage[];
  /** The most that the model may answer. */
  readonly maxTokens: number;
  /** What the model should know first; clients may change it. */
  readonly systemPrompt?: string;
  /** Which model is good for it; clients may ignore it. */
  readonly modelPreferences?: {
    /** Names or parts of them, the best first. */
    readonly hints?: readonly { readonly name?: string }[];
    /** How much it matters that it is cheap, from 0 to 1. */
    readonly costPriority?: number;
    /** How much it matters that it is fast, from 0 to 1. */
    readonly speedPriority?: number;
    /** How much it matters that it is able, from 0 to 1. */
    readonly intelligencePriority?: number;
  };
  /** How much is left to chance. */
  readonly temperature?: number;
  /** What the model stops at. */
  readonly stopSequences?: readonly string[];
  /** For the provider of the model. */
  readonly metadata?: Readonly<Record<string, unknown>>;
  /** What else the model gets to see. Left out where the client does not say that it can do that. @default {"none"} */
  readonly includeContext?: "none" | "thisServer" | "allServers";
  /** What the model may call; it is called by whoever asks. Since 2025-11-25. */
  readonly tools?: readonly Readonly<Record<string, unknown>>[];
  /** Whether it may. */
  readonly toolChoice?: { readonly mode?: "auto" | "required" | "none" };
}

/** What a model answered. */
export interface Sample {
  /** Who says it. */
  readonly role: "user" | "assistant";
  /** All blocks. */
  readonly content: readonly SampleContent[];
  /** The text of all blocks that have one. */
  readonly text: string;
  /** Which model it was. */
  readonly model: string;
  /** Why it stopped: "endTurn", "stopSequence", "maxTokens", "toolUse" or something of its own. */
  readonly stopReason: string | undefined;
}

/** A folder that the client works on. */
export interface Root {
  /** A `file:` URI. */
  readonly uri: string;
  /** For people. */
  readonly name?: string;
}
