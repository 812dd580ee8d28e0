/** Serializes and encodes parameters (https://spec.openapis.org/oas/v3.1.1.html#style-examples). */

import type { Parameter, Place, Serialization, Style } from "./endpoint.ts";
import { isObject } from "../base/json.ts";
import { uriDecoded } from "../base/text.ts";
import { reject } from "./errors.ts";

/** The maximum depth of a value in the style `deepObject`. */
const MAX_LEVELS = 10;

/** Percent-encodes all characters except the unreserved ones of RFC 3986. */
export function encodeAll(text: string): string {
  if (!text.isWellFormed()) reject("A name with a lone surrogate cannot be sent");
  const toCode = (one: string) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`;
  return encodeURIComponent(text).replace(/[!'()*]/g, toCode);
}

/** Keeps reserved characters too, except those that separate parameters, and the apostrophe, which URL parsers encode in a query. */
export function keepReserved(text: string): string {
  return encodeAll(text).replace(/%(?:3A|2F|3F|40|21|24|28|29|2A|2C|3B|5B|5D)/g, decodeURIComponent);
}

/** JSON text in which a bigint is an integer. TypeScript does not know `rawJSON`. */
export function jsonOf(value: unknown): string {
  const { rawJSON } = JSON as unknown as { rawJSON(text: string): unknown };
  return JSON.stringify(value, (_, one) => typeof one === "bigint" ? rawJSON(String(one)) : one);
}

/** An encoded name and value of a query or a form. The name is "" if the style has none. */
export type Pair = readonly [name: string, value: string];

/** The styles that each place allows; the first one is the default. */
export const STYLES: { readonly [place in Place]: readonly Style[] } = {
  path: ["simple", "label", "matrix"],
  query: ["form", "spaceDelimited", "pipeDelimited", "deepObject"],
  header: ["simple"],
  cookie: ["form"],
};

/** By style: the separator of parts, the prefix, and the characters that look like a separator even when they are encoded. */
const FORMS: { readonly [style in Style]: { delimiter?: string; prefix?: string; refused?: string } } = {
  simple: { delimiter: "," },
  label: { prefix: ".", delimiter: "," },
  matrix: { prefix: ";", delimiter: "," },
  form: { delimiter: "," },
  spaceDelimited: { delimiter: "%20", refused: " " },
  pipeDelimited: { delimiter: "%7C", refused: "|" },
  deepObject: {},
};

/** Serializes a value in a style. A part that cannot be sent, or could be read as two parts, is an error. */
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
    return reject(`${name}: an item must not contain "${found}", which separates items here`);
  };
  const isList = Array.isArray(value);
  const parts = Object.entries(value).map(([member, part]): Pair =>
    isList ? [key, write(part, name)] : [write(member, name), write(part, `${name}/${member}`)]
  );
  if (explode && FORMS[style].refused === undefined) return parts;
  return [[key, parts.flatMap((pair) => isList ? pair[1] : pair).join(delimiter)]];
}

/** The encoded text of a path parameter. */
export function pathText(parameter: Parameter, value: unknown): string {
  const { prefix } = FORMS[parameter.style];
  return (prefix ?? "") + joined(serialize(parameter.name, value, parameter, encodeAll), prefix ?? ",");
}

/** The text of a header. It is not encoded, so it may only have characters that need no encoding. */
export function headerText(parameter: Parameter, value: unknown): string {
  const text = joined(serialize(parameter.name, value, parameter, (text) => text, ",="), ",");
  if (/^[!-~](?:[ -~]*[!-~])?$/.test(text)) return text;
  return reject(`${parameter.argument}: a header must be printable ASCII, without spaces at its ends`);
}

/** Joins pairs to one text. The matrix style, which separates with semicolons, has no "=" before an empty value. */
function joined(pairs: readonly Pair[], between: string): string {
  const isBare = (text: string) => text === "" && between === ";";
  return pairs.map(([key, text]) => key === "" || isBare(text) ? key + text : `${key}=${text}`).join(between);
}

/** `filter[owner][name]=x`, `ids[0]=1`: OpenAPI defines one level; more levels and lists are sent as most servers read them. */
function deepPairs(prefix: string, value: unknown, encode: (text: string) => string, level: number): Pair[] {
  const name = uriDecoded(prefix) ?? prefix;
  if (level > MAX_LEVELS) reject(`${name} is nested too deeply for a query`);
  refuseEmpty(name, value);
  if (isScalar(value)) return [[prefix, encode(scalarText(name, value))]];
  return Object.entries(value).flatMap(([key, part]) =>
    deepPairs(`${prefix}%5B${encode(key)}%5D`, part, encode, level + 1)
  );
}

/** A value whose null members are left out, as null means "not given"; undefined if nothing is left. Null in a list stays. */
export function withoutNulls(value: unknown): unknown {
  if (!isObject(value)) return value ?? undefined;
  const members = Object.entries(value).map(([name, one]) => [name, withoutNulls(one)] as const);
  const given = members.filter(([, one]) => one !== undefined);
  return given.length === 0 && members.length > 0 ? undefined : Object.fromEntries(given);
}

/** Rejects null for a value that the API requires. */
export function refuseMissing(name: string): never {
  return reject(`${name}: null cannot be sent here, and the API requires a value`);
}

/** Rejects empty lists and objects: they would be sent as nothing, or as an empty string. */
export function refuseEmpty(name: string, value: unknown): void {
  if (isScalar(value) || Object.keys(value).length > 0) return;
  return reject(`${name}: an empty list or object cannot be sent here; leave it out`);
}

export function isScalar(value: unknown): value is string | number | boolean | bigint | null | undefined {
  return typeof value !== "object" || value === null;
}

/** The text of a scalar. `name` is for the error if the value is not one. */
export function scalarText(name: string, value: unknown): string {
  if (typeof value === "string" && value.isWellFormed()) return value;
  if (["number", "boolean", "bigint"].includes(typeof value)) return String(value);
  const others = value === null ? "null" : "a nested object or list";
  const found = typeof value === "string" ? "a lone surrogate" : others;
  return reject(`${name}: ${found} cannot be sent here; leave it out`);
}
