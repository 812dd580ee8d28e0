/**
 * The content of tool results.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/server/tools#tool-result
 */

import type { Resource, ResourceContents } from "../protocol/types.ts";
import { toBase64 } from "../../base/base64.ts";

/** Hints for clients, which may ignore them. */
export type Hints = NonNullable<Resource["annotations"]>;

/** The members of a link to a resource. */
export type ResourceLink = Pick<Resource, "uri" | "name" | "title" | "description" | "mimeType" | "size">;

/** A content block. */
export type Content =
  & { readonly annotations?: Hints }
  & (
    | { readonly type: "text"; readonly text: string }
    | { readonly type: "image" | "audio"; readonly data: string; readonly mimeType: string }
    | { readonly type: "resource"; readonly resource: ResourceContents }
    | { readonly type: "resource_link" } & ResourceLink
  );

/** A tool result with explicit parts. */
export class ToolResult {
  /** The content blocks; a string is a block of text. */
  readonly content: readonly (string | Content)[];
  /** The structured value, not wrapped; undefined without one. */
  readonly value: unknown;
  /** Whether it reports an error. */
  readonly isError: boolean;

  /** Builds a result. `value` must fit the `outputSchema`, if there is one and this is not an error. */
  constructor(
    content: readonly (string | Content)[],
    { value, isError = false }: { readonly value?: unknown; readonly isError?: boolean } = {},
  ) {
    this.content = content;
    this.value = value;
    this.isError = isError;
  }
}

/** A text block. */
export function text(text: string, annotations?: Hints): Content {
  return { type: "text", text, ...(annotations && { annotations }) };
}

/** An image block. */
export function image(bytes: Uint8Array, mimeType: string, annotations?: Hints): Content {
  return { type: "image", data: toBase64(bytes), mimeType, ...(annotations && { annotations }) };
}

/** An audio block. Revisions without audio get it as an embedded resource. */
export function audio(bytes: Uint8Array, mimeType: string, annotations?: Hints): Content {
  return { type: "audio", data: toBase64(bytes), mimeType, ...(annotations && { annotations }) };
}

/** An embedded resource. */
export function embeddedResource(resource: ResourceContents, annotations?: Hints): Content {
  return { type: "resource", resource, ...(annotations && { annotations }) };
}

/** A link to a resource. Revisions without links get it as text. */
export function resourceLink(link: ResourceLink, annotations?: Hints): Content {
  return { type: "resource_link", ...link, ...(annotations && { annotations }) };
}
