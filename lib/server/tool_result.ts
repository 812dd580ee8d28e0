/**
 * What does a tool answer? Text for models that read text, data for clients that read data, each complete in itself; in
 * the words of every revision.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/server/tools#tool-result
 */

import type { Revision } from "../protocol/revisions.ts";
import type { Resource, ResourceContents } from "./provider.ts";
import { toBase64 } from "../base/bytes.ts";
import { isObject } from "../base/json.ts";

/** Hints for clients, which may ignore them. */
export type Hints = NonNullable<Resource["annotations"]>;

/** One block of a result. */
export type Content =
  & { readonly annotations?: Hints }
  & (
    | { readonly type: "text"; readonly text: string }
    | { readonly type: "image" | "audio"; readonly data: string; readonly mimeType: string }
    | { readonly type: "resource"; readonly resource: ResourceContents }
    | (
      & { readonly type: "resource_link" }
      & Pick<Resource, "uri" | "name" | "title" | "description" | "mimeType" | "size">
    )
  );

/** A result whose parts are chosen one by one. */
export class ToolResult {
  /** What is read as text. */
  readonly content: readonly Content[];
  /** What is read as data, not wrapped; undefined when there is none. */
  readonly value: unknown;
  /** Whether it says what went wrong. */
  readonly isError: boolean;

  /** Takes the parts; `value` must fit the `outputSchema`, if there is one and this is no error. */
  constructor(
    content: readonly Content[],
    options: { readonly value?: unknown; readonly isError?: boolean } = {},
  ) {
    this.content = content;
    this.value = options.value;
    this.isError = options.isError ?? false;
  }
}

/** A block of text. */
export function text(text: string, annotations?: Hints): Content {
  return { type: "text", text, ...hints(annotations) };
}

/** A picture; its bytes travel as Base64. */
export function image(bytes: Uint8Array, mimeType: string, annotations?: Hints): Content {
  return { type: "image", data: toBase64(bytes), mimeType, ...hints(annotations) };
}

/** A sound; its bytes travel as Base64. Revisions without sounds get it as an embedded resource. */
export function audio(bytes: Uint8Array, mimeType: string, annotations?: Hints): Content {
  return { type: "audio", data: toBase64(bytes), mimeType, ...hints(annotations) };
}

/** A resource, contents and all. */
export function embeddedResource(resource: ResourceContents, annotations?: Hints): Content {
  return { type: "resource", resource, ...hints(annotations) };
}

/** Where a resource is. Revisions without links get it as text. */
export function resourceLink(
  link: Pick<Resource, "uri" | "name" | "title" | "description" | "mimeType" | "size">,
  annotations?: Hints,
): Content {
  return { type: "resource_link", ...link, ...hints(annotations) };
}

/** Whether something is a block: what code gives that nobody checked may be anything. */
export function isContent(value: unknown): value is Content {
  if (!isObject(value)) return false;
  const has = (...names: string[]) => names.every((name) => typeof value[name] === "string");
  switch (value["type"]) {
    case "text":
      return has("text");
    case "image":
    case "audio":
      return has("data", "mimeType");
    case "resource":
      return isObject(value["resource"]) && typeof value["resource"]["uri"] === "string";
    case "resource_link":
      return has("uri", "name");
    default:
      return false;
  }
}

/**
 * A value as JSON has it, so that what is checked is what is sent. One that is so already is not copied.
 *
 * @returns Undefined when JSON says nothing of it.
 * @throws {TypeError} When it cannot be written.
 */
export function asWritten(value: unknown): unknown {
  if (isWritten(value, 0)) return value;
  const written: string | undefined = JSON.stringify(value);
  return written === undefined ? undefined : JSON.parse(written);
}

/** How deep a value is looked into; what is deeper, or goes round in a circle, is left to `JSON.stringify`. */
const MAX_LEVELS = 100;

/** Whether a value is read from JSON as it is written there, but for members that are undefined and left out. */
function isWritten(value: unknown, level: number): boolean {
  if (typeof value !== "object") {
    return typeof value === "number"
      ? Number.isFinite(value)
      : typeof value !== "bigint" && typeof value !== "function" && typeof value !== "symbol";
  }
  if (value === null) return true;
  if (level > MAX_LEVELS || typeof (value as { toJSON?: unknown }).toJSON === "function") return false;
  if (Array.isArray(value)) {
    // Unlike every(), findIndex() sees the gaps in a list.
    return value.findIndex((item) => item === undefined || !isWritten(item, level + 1)) < 0;
  }
  const prototype = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return false;
  return Object.values(value).every((member) => isWritten(member, level + 1));
}

/** The nearest form of a block that a revision has. */
export function inTermsOf(revision: Revision, content: Content): Content {
  if (content.type === "audio" && !revision.audio) {
    const uri = `data:${content.mimeType},audio`;
    return embeddedResource(
      { uri, mimeType: content.mimeType, blob: content.data },
      known(revision, content),
    );
  }
  if (content.type === "resource_link" && !revision.structuredContent) {
    const { uri, name, title, description } = content;
    return text(
      `${title ?? name}: ${uri}${description === undefined ? "" : `\n${description}`}`,
      known(revision, content),
    );
  }
  const { annotations: _, ...rest } = content;
  return { ...rest, ...hints(known(revision, content)) } as Content;
}

/** Revisions without titles have no time among the hints. */
function known(revision: Revision, { annotations }: Content): Hints | undefined {
  if (!annotations || revision.titles) return annotations;
  const { lastModified: _, ...rest } = annotations;
  return Object.keys(rest).length > 0 ? rest : undefined;
}

function hints(annotations: Hints | undefined): { annotations?: Hints } {
  return annotations === undefined ? {} : { annotations };
}
