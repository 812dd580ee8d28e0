/** Reads the body of an operation. */

import type { JsonObject } from "../base/json.ts";
import type { BodyField, RequestBody, Style } from "./endpoint.ts";
import type { OpenApiDocument } from "./openapi_document.ts";
import type { Source } from "./operation_source.ts";
import { asArray, asObject, isObject, own } from "../base/json.ts";
import { refuse } from "./errors.ts";
import { MEDIA_KINDS, mediaKind } from "./media_kind.ts";
import { described } from "./operation_source.ts";
import { STYLES } from "./serialize.ts";

/** How deep the schema of a field is searched. */
const MAX_LEVELS = 20;

/** The body. Of several media types, the one that is first in `MEDIA_KINDS` is chosen. */
export function readRequestBody(
  { document, sent, isOwn, operation: { requestBody } }: Source,
): RequestBody | undefined {
  if (requestBody === undefined) return undefined;
  const { content: written, description, required } = document.object(requestBody, "the body");
  const content = Object.entries(asObject(written));
  const usable = content.flatMap(([range, media]) => {
    const { schema, encoding } = asObject(media);
    const root = document.object(isObject(schema) ? schema : {}, "a schema");
    const type = isObject(media) ? concrete(range, root, isOwn) : undefined;
    return type === undefined ? [] : [{ type, kind: mediaKind(type), schema, encoding, root }];
  });
  const [chosen] = usable.toSorted((left, right) =>
    MEDIA_KINDS.indexOf(left.kind) - MEDIA_KINDS.indexOf(right.kind)
  );
  if (!chosen) {
    const found = content.map(([range]) => range).join(", ") || "none";
    return refuse(`Its body has no supported media type: ${found}`, "/body");
  }
  const { type, kind, schema, encoding, root } = chosen;
  const isForm = kind === "form" || kind === "multipart";
  const fields = isForm ? fieldsOf(asObject(encoding), schema, document) : {};
  const bytes = Object.keys(fields).filter((name) => fields[name]!.bytes).join(", ");
  const note = bytes === "" ? "" : `Pass the bytes of ${bytes} as Base64.`;
  const text = { type: "string", ...(kind === "bytes" ? { contentEncoding: "base64" } : root) };
  const given = isOwn || isForm || kind === "json" ? schema ?? {} : text;
  const converted = described(sent.read(given), description, note);
  return { argument: "body", type, required: required === true, schema: converted, fields };
}

/** The media type of a body; for a range, the usual one. Undefined if it is text or bytes and the schema is neither. */
function concrete(range: string, root: JsonObject, isOwn: boolean): string | undefined {
  const isStructure = ["properties", "allOf", "oneOf", "anyOf", "items"].some((keyword) => keyword in root);
  const { type: named = isStructure ? "object" : "string" } = root;
  const isText = named === "string";
  const type = !range.includes("*") ? range : isText ? "application/octet-stream" : "application/json";
  const kind = mediaKind(type);
  const isPlain = isText || (kind === "text" && /^(?:boolean|integer|number)$/.test(`${named}`));
  const isFree = isOwn || !["text", "bytes"].includes(kind);
  return isFree || (isPlain && !/[/+]xml\b|yaml/i.test(type)) ? type : undefined;
}

function fieldsOf(
  encoding: JsonObject,
  schema: unknown,
  document: OpenApiDocument,
): Record<string, BodyField> {
  const members = document.membersOf(schema);
  const types = members.map(([name, member]) => [name, typeOfBytes(member, document, 0)] as const);
  const bytes = new Map(types.filter(([, type]) => type !== undefined));
  const names = new Set([...Object.keys(encoding), ...bytes.keys()]);
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
