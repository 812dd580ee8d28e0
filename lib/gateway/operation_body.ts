/** Reads the body of an operation. */

import type { JsonObject } from "../base/json.ts";
import type { BodyField, RequestBody, Style } from "./endpoint.ts";
import type { OpenApiDocument } from "./openapi_document.ts";
import type { MediaKind } from "./media_kind.ts";
import type { Source } from "./operation_source.ts";
import { asArray, asObject, isObject, own } from "../base/json.ts";
import { GatewayError, recover, refuse } from "./errors.ts";
import { mediaKind } from "./media_kind.ts";
import { mediaOf } from "./openapi_3_2.ts";
import { described } from "./operation_source.ts";
import { STYLES } from "./serialize.ts";

/** How deep the schema of a field is searched. */
const MAX_LEVELS = 20;
/** The maximum number of media types of a body. */
const MAX_BODIES = 8;
/** Kinds of bodies, the preferred ones first. With bytes, the order of forms is reversed. */
const RANKS: readonly MediaKind[] = ["json", "form", "multipart", "text", "bytes"];
/** Media types that are bytes, even if the schema only says that they are a string. */
const BYTES =
  /^(?:image|audio|video|font|multipart)\/|^application\/(?:octet-stream|pdf|x-?tar|(?:x-)?(?:zip|gzip)|vnd\.)/i;
/** JSON media types that come before others: a JSON patch only in a PATCH. */
const FIRST = [
  /^application\/json-patch\+json\b/i,
  /^application\/merge-patch\+json\b/i,
  /^application\/json(?:;|$)/i,
];
const TEXT = { type: "string" };
const VERB = { enum: ["add", "remove", "replace", "move", "copy", "test"] };
/** The schema of a JSON patch (RFC 6902). Many documents have that of the patched object instead. */
const OPERATIONS = {
  type: "array",
  items: {
    type: "object",
    required: ["op", "path"],
    properties: { op: VERB, path: TEXT, from: TEXT, value: {} },
  },
};

/** The bodies that an operation accepts, one for each supported media type, the preferred one first. */
export function readBodies(source: Source): RequestBody[] {
  const { document, isOwn, operation: { requestBody } } = source;
  if (requestBody === undefined) return [];
  const body = document.object(requestBody, "the body");
  const content = mediaOf(body["content"], document);
  const found = new Map<string, readonly [rank: number, body: RequestBody]>();
  let broken: GatewayError | undefined;
  for (const [range, media] of content.slice(0, MAX_BODIES)) {
    recover(() => {
      const { schema = {} } = media;
      const root = document.object(isObject(schema) ? schema : {}, "a schema");
      const type = concrete(range, root, isOwn);
      const isNew = type !== undefined && !found.has(type);
      if (isNew) found.set(type, readBody(source, body, type, media, root));
    }, (error) => void (broken ??= error));
  }
  const ranges = content.map(([range]) => range).join(", ") || "none";
  if (found.size === 0) {
    throw broken ?? new GatewayError(`Its body has no supported media type: ${ranges}`, "/body");
  }
  return [...found.values()].sort(([left], [right]) => left - right).map(([, body]) => body);
}

function readBody(
  { document, sent, isOwn, method }: Source,
  { description, required: isRequired }: JsonObject,
  type: string,
  { schema, encoding }: JsonObject,
  root: JsonObject,
): readonly [rank: number, body: RequestBody] {
  const isPatch = method === "PATCH";
  const kind = mediaKind(type) === "bytes" && isText(type, root) ? "text" : mediaKind(type);
  const isForm = kind === "form" || kind === "multipart";
  const types = recover(() => bytesIn(schema, document), (error) => {
    if (isForm) throw error;
    return new Map<string, string>();
  });
  const required = document.parts(schema).flatMap((part) => asArray(part["required"]).map(String));
  const fields = isForm ? fieldsOf(asObject(encoding), types, required) : {};
  const bytes = Object.keys(fields).filter((name) => fields[name]!.bytes).join(", ");
  const note = bytes === "" ? "" : `Pass the bytes of ${bytes} as Base64.`;
  const text = { type: "string", ...(kind === "bytes" ? { contentEncoding: "base64" } : root) };
  const { type: named, allOf, anyOf = allOf, oneOf = anyOf } = root;
  const isList = isPatch && !isOwn && FIRST[0]!.test(type) && named !== "array" && oneOf === undefined;
  const given = isList ? OPERATIONS : isOwn || isForm || kind === "json" ? schema ?? {} : text;
  const converted = described(sent.read(given), description, note);
  const hasBytes = types.size > 0 || root["format"] === "binary";
  const body = { argument: "body", type, kind, required: isRequired === true, schema: converted, fields };
  return [rankOf(type, kind, isPatch, hasBytes), body];
}

/** The rank of a body among several. JSON has no bytes: where there are some, forms come first and JSON last. */
function rankOf(type: string, kind: MediaKind, isPatch: boolean, hasBytes: boolean): number {
  const usual = RANKS.indexOf(kind);
  if (hasBytes && kind !== "bytes") return kind === "json" ? RANKS.length : -usual;
  const index = FIRST.findIndex((one) => one.test(type));
  return index < 0 || (index === 0 && !isPatch) ? usual : (index + 1) / 10 - 1;
}

/** Whether a body of this type is text: a string that is not bytes, of a type that may be text. */
function isText(type: string, { type: named, format, contentEncoding }: JsonObject): boolean {
  return named === "string" && format !== "binary" && contentEncoding === undefined && !BYTES.test(type);
}

/** The media type of a body; for a range, the usual one. Undefined if it is text or bytes and the schema is neither. */
function concrete(range: string, root: JsonObject, isOwn: boolean): string | undefined {
  const isStructure = ["properties", "allOf", "oneOf", "anyOf", "items"].some((keyword) => keyword in root);
  const { type: named = isStructure ? "object" : "string" } = root;
  const isString = [named].flat().includes("string");
  const type = !range.includes("*") ? range : isString ? "application/octet-stream" : "application/json";
  const kind = mediaKind(type);
  const isPlain = isString || (kind === "text" && /^(?:boolean|integer|number)$/.test(`${named}`));
  const isFree = isOwn || !["text", "bytes"].includes(kind) || isText(type, root);
  return isFree || (isPlain && !/[/+]xml\b|yaml/i.test(type)) ? type : undefined;
}

/** The media types of the members of a schema that are bytes, by name. */
function bytesIn(schema: unknown, document: OpenApiDocument): Map<string, string> {
  return new Map(
    document.membersOf(schema).flatMap(([name, member]) => {
      const type = typeOfBytes(member, document, 0);
      return type === undefined ? [] : [[name, type] as const];
    }),
  );
}

function fieldsOf(
  encoding: JsonObject,
  bytes: ReadonlyMap<string, string>,
  required: readonly string[],
): Record<string, BodyField> {
  const names = new Set([...Object.keys(encoding), ...bytes.keys(), ...required]);
  return Object.fromEntries([...names].map((name): [string, BodyField] => {
    const { contentType = bytes.get(name), style, explode } = asObject(own(encoding, name));
    const chosen = (style ?? "form") as Style;
    if (!STYLES.query.includes(chosen)) {
      refuse(`The field ${name} has the style ${chosen}, which forms do not support`);
    }
    const type = typeof contentType === "string" ? contentType.split(",", 1)[0]!.trim() : "*";
    const serialization = { style: chosen, explode: (explode ?? chosen === "form") === true };
    return [name, {
      serialization: (style ?? explode) === undefined ? undefined : serialization,
      type: /[*\r\n]/.test(type) ? undefined : type,
      bytes: bytes.has(name),
      required: required.includes(name),
    }];
  }));
}

/** The media type of a field that is bytes, a list of bytes, or bytes in all alternatives except null; else undefined. */
function typeOfBytes(field: unknown, document: OpenApiDocument, level: number): string | undefined {
  if (!isObject(field) || level > MAX_LEVELS) return undefined;
  const within = (one: unknown) => typeOfBytes(one, document, level + 1);
  const part = document.object(field, "a field");
  const { type, format, items, allOf, anyOf, oneOf, contentMediaType, contentEncoding } = part;
  if (type === "array") return within(items);
  const isText = type === undefined || [type].flat().includes("string");
  if (isText && contentEncoding === undefined && typeof contentMediaType === "string") {
    const isBytes = mediaKind(contentMediaType) === "bytes" && !/[/+](?:xml|yaml)\b/i.test(contentMediaType);
    return isBytes ? contentMediaType : undefined;
  }
  if (format === "binary") return "application/octet-stream";
  for (const alternatives of [anyOf, oneOf]) {
    const types = asArray(alternatives).filter((one) => asObject(one)["type"] !== "null").map(within);
    if (types.length > 0 && !types.includes(undefined)) return types[0];
  }
  return asArray(allOf).map(within).find((found) => found !== undefined);
}
