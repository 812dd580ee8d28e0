/**
 * The types of what servers send to clients, and of roots, which clients send to servers.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/schema
 */

import type { JsonObject } from "../../base/json.ts";

/** The members that every result, and every part of one, can have. */
export interface Result {
  /** Metadata. */
  readonly _meta?: JsonObject;
  /** Members that are not declared. */
  readonly [member: string]: unknown;
}

/** The members of every listed item. */
export interface Named {
  /** For programs, and for people if there is no title. It identifies tools and prompts. */
  readonly name: string;
  /** For people. In revisions without titles, it is sent as the name of resources and templates. */
  readonly title?: string;
  /** What it is about, or what it is for. */
  readonly description?: string;
}

/** A listed resource. @see https://modelcontextprotocol.io/specification/2026-07-28/server/resources */
export interface Resource extends Named {
  /** Unique within a provider. If several providers have the same URI, the first one is read. */
  readonly uri: string;
  /** The media type of its contents: "text/markdown". */
  readonly mimeType?: string;
  /** In bytes. */
  readonly size?: number;
  /** Hints for clients. */
  readonly annotations?: {
    /** The intended audience. */
    readonly audience?: readonly ("user" | "assistant")[];
    /** From 0 (optional) to 1 (required). */
    readonly priority?: number;
    /** ISO 8601. Left out in revisions without titles. */
    readonly lastModified?: string;
  };
  /** Metadata under prefixed keys: "architrave/record". Left out in revisions without titles. */
  readonly _meta?: JsonObject;
}

/** A listed resource template. */
export interface ResourceTemplate extends Named {
  /** The template of the URIs (RFC 6570). */
  readonly uriTemplate: string;
  /** The media type of the contents, if all have the same. */
  readonly mimeType?: string;
}

/** The contents of a resource: text, or bytes as Base64. */
export type ResourceContents =
  & {
    /** The URI that was read. */
    readonly uri: string;
    /** The media type. */
    readonly mimeType?: string;
    /** Metadata. */
    readonly _meta?: JsonObject;
  }
  & ({ readonly text: string; readonly blob?: never } | { readonly blob: string; readonly text?: never });

/** A listed prompt. If several providers have one of the same name, the first one is used. */
export interface Prompt extends Named {
  /** Its arguments, in the order in which a user is asked for them. @default {none} */
  readonly arguments?: readonly (Named & { readonly required?: boolean })[];
}

/** A part of a tool result or of a prompt: text, an image, audio, a resource, or a link to one. */
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

/** A prompt with its arguments filled in. */
export interface PromptResult {
  /** What the prompt is for. */
  readonly description?: string;
  /** The messages, in order. */
  readonly messages: readonly {
    /** The role of the sender. */
    readonly role: "user" | "assistant";
    /** One block: `{ type: "text", text: "…" }`. */
    readonly content: ContentBlock;
  }[];
}

/** A folder that the client works on. It is a hint to the server, not a permission. */
export interface Root {
  /** A `file:` URI. */
  readonly uri: string;
  /** Its name, for people. */
  readonly name?: string;
}
