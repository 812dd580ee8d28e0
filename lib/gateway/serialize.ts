/** Writes parameters, encoded (https://spec.openapis.org/oas/v3.1.1.html#style-examples). */

import type { Parameter, Place, Serialization, Style } from "./endpoint.ts";
import { reject } from "./errors.ts";

const MAX_LEVELS = 10;

/** Percent-encodes all but the unreserved characters of RFC 3986. */
export function encodeAll(text: string): string {
  if (!text.isWellFormed()) reject("A name with half a character in it cannot be sent");
  const toCode = (one: string) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`;
  return encodeURIComponent(text).replace(/[!'()*]/g, toCode);
}

/** Keeps reserved characters, except those that separate parameters, and the apostrophe, which URL parsers encode in a query. */
export function keepReserved(text: string): string {
  return encodeAll(text).replace(/%(?:3A|2F|3F|40|21|24|28|29|2A|2C|3B|5B|5D)/g, decodeURIComponent);
}

/** JSON in which a bigint is an integer. TypeScript does not know `rawJSON`. */
export function jsonOf(value: unknown): string {
  const { rawJSON } = JSON as unknown as { rawJSON(text: string): unknown };
  return JSON.stringify(value, (_, one) => typeof one === "bigint" ? rawJSON(String(one)) : one);
}

/** A name and a value of a query or a form, encoded. The name is "" where the style writes none. */
export type Pair = readonly [name: string, value: string];

/** The styles of each place; the first is the default. */
export const STYLES: { readonly [place in Place]: readonly Style[] } = {
  path: ["simple", "label", "matrix"],
  query: ["form", "spaceDelimited", "pipeDelimited", "deepObject"],
  header: ["simple"],
  cookie: ["form"],
};

/** How each style separates parts, what it writes before them, and the characters that, even encoded, look like a separator. */
const FORMS: { readonly [style in Style]: { delimiter?: string; prefix?: string; refused?: string } } = {
  simple: { delimiter: "," },
  label: { prefix: ".", delimiter: "," },
  matrix: { prefix: ";", delimiter: "," },
  form: { delimiter: "," },
  spaceDelimited: { delimiter: "%20", refused: " " },
  pipeDelimited: { delimiter: "%7C", refused: "|" },
  deepObject: {},
};

/** Writes a value in a style. It is an error when a part cannot be written, or could be read as two. */
export function serialize(
  name: string,
  value: unknown,
  { style, explode }: Serialization,
  encode: (text: string) => string,
  refused: string = style === "label" && explode ? "." : FORMS[style].refused ?? "",
): Pair[] {
  const { delimiter } = FORMS[style];
  if (delimiter === undefined) return deepPairs(encode(name), value, encode, 0);
  const key = style === "simple" || style === "label" ? "" : encode(name);
  refuseEmpty(name, value);
  if (isScalar(value)) return [[key, encode(scalarText(name, value))]];
  const write = (part: unknown, path: string) => {
    const text = scalarText(path, part);
    const found = [...refused].find((one) => text.includes(one));
    if (found === undefined) return encode(text);
    return reject(`${name}: an item with "${found}" in it cannot be told apart here`);
  };
  const isList = Array.isArray(value);
  const parts = Object.entries(value).map(([member, part]): Pair =>
    isList ? [key, write(part, name)] : [write(member, name), write(part, `${name}/${member}`)]
  );
  if (explode && FORMS[style].refused === undefined) return parts;
  return [[key, parts.flatMap((pair) => isList ? pair[1] : pair).join(delimiter)]];
}

export function pathText(parameter: Parameter, value: unknown): string {
  const { prefix } = FORMS[parameter.style];
  return (prefix ?? "") + joined(serialize(parameter.name, value, parameter, encodeAll), prefix ?? ",");
}

/** The text of a header. It is not encoded, so it may only have characters that need no encoding. */
export function headerText(parameter: Parameter, value: unknown): string {
  const text = joined(serialize(parameter.name, value, parameter, (text) => text, ",="), ",");
  if (/^[!-~](?:[ -~]*[!-~])?$/.test(text)) return text;
  return reject(`${parameter.argument}: a header has printable ASCII characters, and no space at its ends`);
}

/** Pairs as one text. The matrix style, which is that with semicolons, writes no "=" before an empty value. */
function joined(pairs: readonly Pair[], between: string): string {
  const isBare = (text: string) => text === "" && between === ";";
  return pairs.map(([key, text]) => key === "" || isBare(text) ? key + text : `${key}=${text}`).join(between);
}

/** `filter[owner][name]=x`, `ids[0]=1`: OpenAPI defines one level; more levels and lists are written as most servers read them. */
function deepPairs(prefix: string, value: unknown, encode: (text: string) => string, level: number): Pair[] {
  if (level > MAX_LEVELS) reject(`${prefix} nests too deep for a query`);
  refuseEmpty(prefix, value);
  if (isScalar(value)) return [[prefix, encode(scalarText(prefix, value))]];
  return Object.entries(value).flatMap(([key, part]) =>
    deepPairs(`${prefix}%5B${encode(key)}%5D`, part, encode, level + 1)
  );
}

/** Rejects empty lists and objects: they would be no parameter at all, or one with an empty text. */
export function refuseEmpty(name: string, value: unknown): void {
  if (isScalar(value) || Object.keys(value).length > 0) return;
  return reject(`${name}: an empty list or object cannot be written here; leave it out`);
}

export function isScalar(value: unknown): value is string | number | boolean | bigint | null | undefined {
  return typeof value !== "object" || value === null;
}

export function scalarText(name: string, value: unknown): string {
  if (typeof value === "string" && value.isWellFormed()) return value;
  if (["number", "boolean", "bigint"].includes(typeof value)) return String(value);
  const others = value === null ? "null" : "an object or a list in another one";
  const found = typeof value === "string" ? "half a character" : others;
  return reject(`${name}: ${found} cannot be written here; leave it out`);
}
