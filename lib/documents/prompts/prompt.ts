/** Prompts: their arguments, and the parts of their texts. */

import type { Catalogue } from "../catalogue.ts";
import type { Document } from "../document.ts";
import type { FileValue } from "../file.ts";

/** One part of a template. A text is also stored as JSON without quotes. */
export type TemplatePart =
  | { readonly kind: "text"; readonly text: string; readonly json: Uint8Array }
  | { readonly kind: "argument"; readonly name: string }
  | EmbeddedPart;

/** One document, or all documents whose keys match a pattern: `*` within a segment, `**` across segments. */
export interface EmbeddedPart {
  readonly kind: "documents";
  readonly uri: string;
  readonly section: string | undefined;
  readonly isPattern: boolean;
  /** The documents. Several for a URI that is not a pattern are an error. */
  find(catalogue: Catalogue): readonly Document[];
}

/** A parameter of a prompt. */
export interface PromptArgument {
  readonly name: string;
  readonly description?: string;
  /** Whether it must be given, and not be empty. */
  readonly required: boolean;
  /** In Unicode code points. */
  readonly maxLength: number;
  /** Suggested values; others are allowed. */
  readonly values: readonly string[];
}

export interface PromptMessage {
  readonly role: "user" | "assistant";
  /** The text as it is in the file. */
  readonly text: string;
  readonly template: readonly TemplatePart[];
}

/** A prompt. */
export interface PromptDefinition {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly arguments: readonly PromptArgument[];
  readonly messages: readonly PromptMessage[];
  /** Unknown members, probably mistyped: "arguments[0].requird". */
  readonly unknown: readonly string[];
}

/** A prompt with its file: "prompts/review.json". */
export interface PromptFile extends FileValue, PromptDefinition {
  readonly file: string;
  /** Whether it is of the fallback folder. */
  readonly isFallback: boolean;
}
