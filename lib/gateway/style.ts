/**
 * How is a value of several parts written into a URL or a header? By the styles of OpenAPI, which are those of RFC 6570
 * and three more.
 *
 * Every name and every value is encoded, so that none of them can be taken for a delimiter. Where a style has no encoding
 * that tells a value from its delimiters, the value is refused.
 *
 * @see https://spec.openapis.org/oas/v3.1.1.html#style-examples
 */

import type { Serialization, Style } from "./endpoint.ts";
import { isObject } from "../base/json.ts";
import { ToolValidationError } from "../server/tool.ts";

/** A pair of a query or a form, encoded. */
export type Pair = readonly [name: string, value: string];

/** Encodes a text. */
export type Encode = (text: string) => string;

/** How deep an object may nest in a query. */
const MAX_LEVELS = 10;

/** Everything but the unreserved characters of RFC 3986. */
export function encodeStrictly(text: string): string {
  if (!text.isWellFormed()) {
    throw new ToolValidationError("A text with half a character in it cannot be sent");
  }
  return encodeURIComponent(text).replace(/[!'()*]/g, (character) => {
    return `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
  });
}

/**
 * The same, but for what means nothing in a query: an argument must not become two. An apostrophe is encoded all the same,
 * because every URL parser encodes it there.
 */
export function encodeReserved(text: string): string {
  return encodeStrictly(text).replace(/%(?:3A|2F|3F|40|21|24|28|29|2A|2C|3B|5B|5D)/g, decodeURIComponent);
}

/** What stands in front of a value, between its parts, and between a name and a value. */
interface Marks {
  readonly first: string;
  readonly between: string;
}

const IN_PATH: { readonly [style in Style]?: Marks } = {
  simple: { first: "", between: "," },
  label: { first: ".", between: "." },
  matrix: { first: ";", between: ";" },
};

/** A value as a part of a path: simple, label or matrix. */
export function pathText(
  name: string,
  value: unknown,
  { style, explode }: Serialization,
  encode: Encode,
): string {
  const { first, between } = IN_PATH[style]!;
  const isNamed = style === "matrix";
  const named = (text: string) => isNamed ? `${encode(name)}${text === "" ? "" : `=${text}`}` : text;
  const entries = partsOf(name, value);
  if (typeof entries === "string") return first + named(encode(entries));
  if (!explode) return first + named(flat(entries).map(encode).join(","));
  const encoded = (part: string) => {
    // Of the marks, a dot alone has no encoding that a parser would keep.
    if (between === "." && part.includes(".")) {
      throw new ToolValidationError(`${name}: an item with a dot in it cannot be told apart here`);
    }
    return encode(part);
  };
  const texts = entries.map(([key, part]) =>
    key === undefined ? named(encoded(part)) : `${encoded(key)}=${encoded(part)}`
  );
  return first + texts.join(between);
}

/** A value as a header: simple, and as it is, because headers have no encoding. */
export function headerText(name: string, value: unknown, { explode }: Serialization): string {
  const entries = partsOf(name, value);
  if (typeof entries === "string") return entries;
  const refuse = (text: string) => {
    if (!/[,=]/.test(text)) return text;
    throw new ToolValidationError(
      `${name}: an item with a comma or an equals sign cannot be told apart in a header`,
    );
  };
  return explode
    ? entries.map(([key, part]) => (key === undefined ? "" : `${refuse(key)}=`) + refuse(part)).join(",")
    : flat(entries).map(refuse).join(",");
}

/** A value as pairs of a query, a cookie or a form: form, spaceDelimited, pipeDelimited or deepObject. */
export function pairs(
  name: string,
  value: unknown,
  { style, explode }: Serialization,
  encode: Encode,
): Pair[] {
  if (style === "deepObject") return deepPairs(encode(name), value, encode, 0);
  const entries = partsOf(name, value);
  if (typeof entries === "string") return [[encode(name), encode(entries)]];
  if (explode && style === "form") {
    return entries.map(([key, part]) => [encode(key ?? name), encode(part)]);
  }
  const delimiter = DELIMITERS[style]!;
  const texts = flat(entries).map((part) => {
    if (!part.includes(delimiter.plain) || delimiter.plain === ",") return encode(part);
    throw new ToolValidationError(
      `${name}: an item with "${delimiter.plain}" in it cannot be told apart here`,
    );
  });
  return [[encode(name), texts.join(delimiter.written)]];
}

const DELIMITERS: { readonly [style in Style]?: { plain: string; written: string } } = {
  form: { plain: ",", written: "," },
  spaceDelimited: { plain: " ", written: "%20" },
  pipeDelimited: { plain: "|", written: "%7C" },
};

/**
 * `filter[owner][name]=x` and `ids[0]=1`. OpenAPI defines one level of members; more of them, and lists, are written as
 * most servers read them.
 */
function deepPairs(prefix: string, value: unknown, encode: Encode, level: number): Pair[] {
  if (level > MAX_LEVELS) throw new ToolValidationError(`${prefix} nests too deep for a query`);
  const inner = (key: string, part: unknown) =>
    deepPairs(`${prefix}%5B${encode(key)}%5D`, part, encode, level + 1);
  refuseEmpty(prefix, value);
  if (Array.isArray(value)) return value.flatMap((part, index) => inner(String(index), part));
  if (isObject(value)) return Object.entries(value).flatMap(([key, part]) => inner(key, part));
  return [[prefix, encode(plain(prefix, value))]];
}

type Entry = readonly [key: string | undefined, value: string];

/** A text, or the parts of a value in order. */
function partsOf(name: string, value: unknown): string | Entry[] {
  refuseEmpty(name, value);
  if (Array.isArray(value)) return value.map((part) => [undefined, plain(name, part)]);
  if (isObject(value)) {
    return Object.entries(value).map(([key, part]) => [key, plain(`${name}/${key}`, part)]);
  }
  return plain(name, value);
}

/**
 * Nothing in a list would be no parameter at all, or one with an empty text: which of them, nobody could tell.
 *
 * @throws {ToolValidationError} When there is nothing in a list or an object.
 */
export function refuseEmpty(name: string, value: unknown): void {
  if (typeof value !== "object" || value === null || Object.keys(value).length > 0) return;
  throw new ToolValidationError(
    `${name}: a list or an object with nothing in it cannot be written here; leave it out`,
  );
}

/** Keys and values in a row: `R,100,G,200`. */
function flat(entries: readonly Entry[]): string[] {
  return entries.flatMap(([key, part]) => key === undefined ? [part] : [key, part]);
}

/** A value that has no parts. */
function plain(name: string, value: unknown): string {
  if (typeof value === "string") return value;
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  const found = value === null ? "null" : "an object or a list in another one";
  throw new ToolValidationError(`${name}: ${found} cannot be written here; leave it out`);
}
