/**
 * Results of servers, as far as a client reads them. Further members are kept; members that a revision lacks are missing.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/schema
 */

import type { JsonObject } from "../base/json.ts";

/** What every result and every part of one can have. */
export interface Result {
  /** Metadata. */
  readonly _meta?: JsonObject;
  /** Anything else that the server sends. */
  readonly [member: string]: unknown;
}

/** What every listed item has. */
export interface Named extends Result {
  /** Identifies it. */
  readonly name: string;
  /** Its name, for people. */
  readonly title?: string;
  /** What it is, for people and models. */
  readonly description?: string;
}

/** A tool, as it is listed. */
export interface Tool extends Named {
  /** JSON Schema of its arguments. */
  readonly inputSchema: JsonObject;
  /** JSON Schema of `structuredContent`. */
  readonly outputSchema?: JsonObject;
  /** What the server says of its effects; nothing to rely on. */
  readonly annotations?: JsonObject;
}

/** A resource, as it is listed. */
export interface Resource extends Named {
  /** Identifies it. */
  readonly uri: string;
  /** The media type of its contents. */
  readonly mimeType?: string;
  /** In bytes. */
  readonly size?: number;
}

/** A template for URIs of resources. */
export interface ResourceTemplate extends Named {
  /** The template (RFC 6570). */
  readonly uriTemplate: string;
  /** The media type, where all have the same. */
  readonly mimeType?: string;
}

/** A prompt, as it is listed. */
export interface Prompt extends Named {
  /** Its arguments. */
  readonly arguments?: readonly (Named & { readonly required?: boolean })[];
}

/** A part of a tool result or prompt: text, an image, audio, a resource or a link to one. */
export interface ContentBlock extends Result {
  /** "text", "image", "audio", "resource" or "resource_link". */
  readonly type: string;
  /** The text of a text block. */
  readonly text?: string;
  /** The bytes of an image or audio in Base64. */
  readonly data?: string;
  /** The media type of the bytes. */
  readonly mimeType?: string;
  /** An embedded resource. */
  readonly resource?: ResourceContents;
}

/** Contents of a resource: text, or bytes in Base64. */
export interface ResourceContents extends Result {
  /** The URI that was read. */
  readonly uri: string;
  /** The media type. */
  readonly mimeType?: string;
  /** The text, unless it is binary. */
  readonly text?: string;
  /** The bytes in Base64, where it is binary. */
  readonly blob?: string;
}

/** A page of a list; without a `nextCursor`, the last one. */
export type Page<Member extends string, Item> =
  & Result
  & { readonly nextCursor?: string }
  & { readonly [member in Member]: readonly Item[] };

/** The result of a tool. */
export interface ToolResult extends Result {
  /** The result for a model. */
  readonly content: readonly ContentBlock[];
  /** The result as data that fits the tool's `outputSchema`. */
  readonly structuredContent?: unknown;
  /** Whether the tool has failed; the content says why. */
  readonly isError?: boolean;
}

/** The result of reading a resource. */
export interface ReadResult extends Result {
  /** The contents, mostly one. */
  readonly contents: readonly ResourceContents[];
}

/** A prompt, filled in. */
export interface PromptResult extends Result {
  /** What it is for. */
  readonly description?: string;
  /** The messages. */
  readonly messages: readonly { readonly role: string; readonly content: ContentBlock }[];
}

/** Values for an argument. */
export interface Completion {
  /** The values, best first, at most 100. */
  readonly values: readonly string[];
  /** How many there are in all. */
  readonly total?: number;
  /** Whether there are more. */
  readonly hasMore?: boolean;
}
