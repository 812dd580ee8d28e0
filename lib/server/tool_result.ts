/**
 * Tool results: content blocks for the model, structured content for the client.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/server/tools#tool-result
 */

import type { Revision } from "../protocol/revisions.ts";
import type { Resource, ResourceContents } from "./provider.ts";
import { toBase64 } from "../base/bytes.ts";
import { isObject } from "../base/json.ts";
import { oneLine } from "../base/text.ts";
import { annotationsIn } from "../protocol/revisions.ts";

/** Hints for clients, which may ignore them. */
export type Hints = NonNullable<Resource["annotations"]>;

/** What a link says of its resource. */
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
  /** The content blocks. */
  readonly content: readonly Content[];
  /** The structured value, not wrapped; undefined without one. */
  readonly value: unknown;
  /** Whether it reports an error. */
  readonly isError: boolean;

  /** Builds a result. `value` must fit the `outputSchema`, if there is one and this is not an error. */
  constructor(
    content: readonly Content[],
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

/** A valid value, perhaps transformed, or its problems, a sentence each. */
export type Checked = { readonly value: unknown } | { readonly problems: readonly string[] };

/**
 * What JSON makes of a value, so that what is checked is what is sent; undefined where JSON has no form for it. It must be
 * an object unless it is wrapped in one. Plain JSON values are not copied.
 */
export function toJson(value: unknown, isWrapped: boolean): Checked {
  try {
    let json = value;
    if (!isJson(value, 0)) {
      const text: string | undefined = JSON.stringify(value);
      json = text === undefined ? undefined : JSON.parse(text);
    }
    if (isWrapped || isObject(json)) return { value: json };
    return { problems: ["Expected an object, but it is written as something else."] };
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    return { problems: [oneLine(`Cannot be written as JSON: ${reason}`)] };
  }
}

/** Deeper values and cycles are left to `JSON.stringify`. */
const MAX_LEVELS = 100;

/** Whether a value is plain JSON, apart from members that are undefined. */
function isJson(value: unknown, level: number): boolean {
  if (typeof value === "number") return Number.isFinite(value);
  if (typeof value !== "object") return !["bigint", "function", "symbol"].includes(typeof value);
  if (value === null) return true;
  if (level > MAX_LEVELS || typeof (value as { toJSON?: unknown }).toJSON === "function") return false;
  const isArray = Array.isArray(value);
  const prototype = Object.getPrototypeOf(value);
  if (!isArray && prototype !== Object.prototype && prototype !== null) return false;
  // Iterating over an array includes its holes.
  for (const member of isArray ? value : Object.values(value)) {
    if ((isArray && member === undefined) || !isJson(member, level + 1)) return false;
  }
  return true;
}

/** The nearest forms of blocks in a revision. */
export function contentIn(revision: Revision, blocks: readonly Content[]): readonly Content[] {
  const { titles, audio, structuredContent } = revision;
  return titles && audio && structuredContent ? blocks : blocks.map((block) => blockIn(revision, block));
}

function blockIn(revision: Revision, { annotations: hints, ...block }: Content): Content {
  const annotations = annotationsIn(revision, hints);
  const known = annotations && { annotations };
  if (block.type === "audio" && !revision.audio) {
    const { mimeType, data } = block;
    return { type: "resource", resource: { uri: `data:${mimeType},audio`, mimeType, blob: data }, ...known };
  }
  if (block.type === "resource_link" && !revision.structuredContent) {
    const { uri, name, title, description } = block;
    const about = description === undefined ? "" : `\n${description}`;
    return { type: "text", text: `${title ?? name}: ${uri}${about}`, ...known };
  }
  return { ...block, ...known };
}
