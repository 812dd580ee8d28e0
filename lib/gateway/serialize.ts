/** Writes parameters and bodies, encoded (https://spec.openapis.org/oas/v3.1.1.html#style-examples). */

import type { JsonObject } from "../base/json.ts";
import type { Body, Field, Parameter, Place, Serialization, Style } from "./endpoint.ts";
import { fromBase64 } from "../base/base64.ts";
import { concat } from "../base/bytes.ts";
import { isObject, own } from "../base/json.ts";
import { reject } from "./endpoint.ts";

const MAX_LEVELS = 10;
const encoder = new TextEncoder();

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
  if (isPlain(value)) return [[key, encode(plain(name, value))]];
  const write = (part: unknown, path: string) => {
    const text = plain(path, part);
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
  if (isPlain(value)) return [[prefix, encode(plain(prefix, value))]];
  return Object.entries(value).flatMap(([key, part]) =>
    deepPairs(`${prefix}%5B${encode(key)}%5D`, part, encode, level + 1)
  );
}

/** Rejects empty lists and objects: they would be no parameter at all, or one with an empty text. */
function refuseEmpty(name: string, value: unknown): void {
  if (isPlain(value) || Object.keys(value).length > 0) return;
  return reject(`${name}: an empty list or object cannot be written here; leave it out`);
}

function isPlain(value: unknown): value is string | number | boolean | bigint | null | undefined {
  return typeof value !== "object" || value === null;
}

function plain(name: string, value: unknown): string {
  if (typeof value === "string" && value.isWellFormed()) return value;
  if (["number", "boolean", "bigint"].includes(typeof value)) return String(value);
  const others = value === null ? "null" : "an object or a list in another one";
  const found = typeof value === "string" ? "half a character" : others;
  return reject(`${name}: ${found} cannot be written here; leave it out`);
}

export const KINDS = ["json", "form", "multipart", "text", "bytes"] as const;

export function kindOf(type: string): (typeof KINDS)[number] {
  const plain = type.toLowerCase().split(";", 1)[0]!.trim();
  if (/^application\/(?:json|[\w.+-]+\+json)$|^text\/json$/.test(plain)) return "json";
  if (plain === "application/x-www-form-urlencoded") return "form";
  if (plain === "multipart/form-data") return "multipart";
  return plain.startsWith("text/") ? "text" : "bytes";
}

type Encoded = { readonly type: string; readonly bytes: Uint8Array<ArrayBuffer> };

export function bodyOf({ type, argument, fields }: Body, value: unknown): Encoded {
  const kind = kindOf(type);
  if (kind === "bytes") return { type, bytes: decoded(argument, value) };
  if (kind === "json") return { type, bytes: encoder.encode(jsonOf(value)) };
  if (kind === "text") return { type, bytes: encoder.encode(plain(argument, value)) };
  if (!isObject(value)) reject(`${argument}: a form is written from an object`);
  if (kind === "multipart") return multipart(value, fields);
  return { type, bytes: encoder.encode(formText(value, fields)) };
}

function formText(members: JsonObject, fields: Body["fields"]): string {
  return Object.entries(members).flatMap(([name, value]): Pair[] => {
    const field: Field = own(fields, name) ?? {};
    const isFlat = [value].flat().every(isPlain) && !isJson(field);
    const { serialization = isFlat ? { style: "form", explode: true } as const : undefined } = field;
    if (serialization) return serialize(name, value, serialization, encodeAll);
    return [[encodeAll(name), encodeAll(jsonOf(value))]];
  }).map((pair) => pair.join("=")).join("&");
}

function multipart(members: JsonObject, fields: Body["fields"]): Encoded {
  // It cannot be foreseen, so no value can contain it.
  const boundary = `architrave-${crypto.randomUUID()}`;
  const chunks: Uint8Array[] = [];
  for (const [name, value] of Object.entries(members)) {
    const field: Field = own(fields, name) ?? {};
    // A list has a part for each item, unless it is described as JSON.
    const isList = Array.isArray(value) && !isJson(field);
    if (isList) refuseEmpty(name, value);
    const quoted = name.replace(/["\r\n]/g, encodeURIComponent);
    const file = field.bytes ? `; filename="${quoted}"` : "";
    for (const one of isList ? value : [value]) {
      const isText = isPlain(one) && !isJson(field);
      const usual = field.bytes ? "application/octet-stream" : isText ? undefined : "application/json";
      const { type = usual } = field;
      const head = `--${boundary}\r\ncontent-disposition: form-data; name="${quoted}"${file}\r\n`;
      chunks.push(encoder.encode(`${head}${type === undefined ? "" : `content-type: ${type}\r\n`}\r\n`));
      const text = () => isText ? plain(name, one) : jsonOf(one);
      chunks.push(field.bytes ? decoded(name, one) : encoder.encode(text()), encoder.encode("\r\n"));
    }
  }
  chunks.push(encoder.encode(`--${boundary}--\r\n`));
  return { type: `multipart/form-data; boundary=${boundary}`, bytes: concat(chunks) };
}

function isJson({ type, bytes }: Field): boolean {
  return type !== undefined && !bytes && kindOf(type) === "json";
}

function decoded(name: string, value: unknown): Uint8Array<ArrayBuffer> {
  const bytes = fromBase64(plain(name, value));
  if (bytes) return bytes;
  return reject(`${name}: bytes are given as Base64, with its padding and without line ends`);
}
