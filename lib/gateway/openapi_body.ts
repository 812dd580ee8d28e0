/** What does an operation take as its body? Of several media types, JSON before forms, and forms before bytes. */

import type { Schema } from "../schema/mod.ts";
import type { Body, BodyKind, Field, Style } from "./endpoint.ts";
import type { OpenApiDocument, Part } from "./openapi_document.ts";
import type { SchemaReader } from "./openapi_schema.ts";
import { isObject } from "../base/json.ts";
import { kindOf } from "./body.ts";
import { STYLES } from "./endpoint.ts";
import { UnservableError } from "./gateway_error.ts";
import { closed } from "./openapi_closed.ts";

const ORDER: readonly BodyKind[] = ["json", "form", "multipart", "text", "bytes"];
/** How bytes are given. */
const BASE64: Schema = { type: "string", contentEncoding: "base64" };

/**
 * Reads the body of an operation.
 *
 * @throws {UnservableError} When it is of no media type that can be written.
 */
export function readBody(part: Part, document: OpenApiDocument, reader: SchemaReader): Body {
  const { content, description, required } = part;
  const types = Object.entries(isObject(content) ? content : {})
    .filter((entry): entry is [string, Part] => isObject(entry[1]))
    .map(([type, media]) => ({ type: meant(type, media, document), media }))
    .filter(({ type, media }) => isWritable(type, media, document))
    .map(({ type, media }) => ({ type, media, kind: kindOf(type) }));
  const chosen = ORDER.flatMap((kind) => types.filter((one) => one.kind === kind))[0];
  if (!chosen) {
    const found = isObject(content) ? Object.keys(content).join(", ") : "";
    throw new UnservableError(`Its body is of no type that can be written here: ${found || "none is named"}`);
  }
  const { type, media, kind } = chosen;
  const isForm = kind === "form" || kind === "multipart";
  return {
    argument: "body",
    type,
    kind,
    required: required === true,
    ...(typeof description === "string" && description !== "" ? { description } : {}),
    schema: kind === "bytes" ? BASE64 : kind === "text" ? { type: "string" } : closed(
      withBytes(reader.read(media["schema"] ?? {}), isForm ? [...bytesOf(media, document).keys()] : []),
      reader,
    ),
    fields: isForm ? fieldsOf(media, document) : {},
  };
}

/** Where any type is taken, what is described as text is sent as bytes, and anything else as JSON. */
function meant(type: string, media: Part, document: OpenApiDocument): string {
  if (!type.includes("*")) return type;
  return isPlain(media, document) ? "application/octet-stream" : "application/json";
}

/** Bytes are written as they are; text too, unless its form is described as something else. */
function isWritable(type: string, media: Part, document: OpenApiDocument): boolean {
  const kind = kindOf(type);
  if (kind !== "bytes" && kind !== "text") return true;
  return isPlain(media, document) && !/[/+]xml\b|yaml/i.test(type);
}

function isPlain({ schema }: Part, document: OpenApiDocument): boolean {
  const root = isObject(schema) ? document.object(schema, "a schema") : {};
  const { type } = root;
  if (type !== undefined) return type === "string";
  return !["properties", "allOf", "oneOf", "anyOf", "items"].some((keyword) => keyword in root);
}

/** How the fields of a form travel. */
function fieldsOf({ schema, encoding }: Part, document: OpenApiDocument): Record<string, Field> {
  const fields: Record<string, Field> = Object.create(null);
  const encodings = isObject(encoding) ? encoding : {};
  const bytes = bytesOf({ schema }, document);
  for (const name of new Set([...Object.keys(encodings), ...bytes.keys()])) {
    const own = Object.hasOwn(encodings, name) ? encodings[name] : undefined;
    const said = isObject(own) ? own : {};
    const { contentType = bytes.get(name), style, explode } = said;
    if (style !== undefined && !STYLES.query.includes(style as Style)) {
      throw new UnservableError(`The field ${name} has the style ${String(style)}, which no form has`);
    }
    const type = typeof contentType === "string" ? contentType.split(",", 1)[0]!.trim() : undefined;
    fields[name] = {
      ...(style === undefined && explode === undefined ? {} : {
        serialization: {
          style: (style ?? "form") as Style,
          explode: (explode ?? (style ?? "form") === "form") === true,
        },
      }),
      ...(type === undefined || /[*\r\n]/.test(type) ? {} : { type }),
      ...(bytes.has(name) ? { bytes: true } : {}),
    };
  }
  return fields;
}

/** The fields that are bytes, with the media type of each. */
function bytesOf({ schema }: Part, document: OpenApiDocument): Map<string, string> {
  const found = new Map<string, string>();
  for (const [name, member] of membersOf(schema, document, 0)) {
    const type = typeOfBytes(member, document, 0);
    if (type !== undefined) found.set(name, type);
  }
  return found;
}

/** The media type of a field that is bytes, of each item of it, or of each form of it but null; undefined for any other. */
function typeOfBytes(member: unknown, document: OpenApiDocument, level: number): string | undefined {
  if (!isObject(member) || level > 20) return undefined;
  const part = document.object(member, "a field");
  const within = (one: unknown) => typeOfBytes(one, document, level + 1);
  const { type, format, items, allOf, contentMediaType, contentEncoding } = part;
  if (type === "array") return within(items);
  const isText = type === undefined || [type].flat().includes("string");
  if (isText && contentEncoding === undefined && typeof contentMediaType === "string") {
    return isOfBytes(contentMediaType) ? contentMediaType : undefined;
  }
  if (format === "binary") return "application/octet-stream";
  for (const forms of [part["anyOf"], part["oneOf"]]) {
    const some = Array.isArray(forms) ? forms.filter((one) => !isObject(one) || one["type"] !== "null") : [];
    const types = some.map(within);
    if (types.length > 0 && !types.includes(undefined)) return types[0];
  }
  return (Array.isArray(allOf) ? allOf : []).map(within).find((found) => found !== undefined);
}

/** Whether a text cannot hold what is of a media type. */
function isOfBytes(type: string): boolean {
  return kindOf(type) === "bytes" && !/[/+](?:xml|yaml)\b/i.test(type);
}

/** The members of a form, with those of all schemas that it is put together from. */
function membersOf(schema: unknown, document: OpenApiDocument, level: number): [string, unknown][] {
  if (!isObject(schema) || level > 20) return [];
  const { properties, allOf } = document.object(schema, "a form");
  const own = isObject(properties) ? Object.entries(properties) : [];
  return [
    ...own,
    ...(Array.isArray(allOf) ? allOf.flatMap((part) => membersOf(part, document, level + 1)) : []),
  ];
}

/** Says of the fields that are bytes that they are given as Base64. */
function withBytes(schema: Schema, names: readonly string[]): Schema {
  if (names.length === 0 || typeof schema === "boolean") return schema;
  const note = `The bytes of ${names.join(", ")} are given as Base64.`;
  return {
    ...schema,
    description: schema.description === undefined ? note : `${schema.description} ${note}`,
  };
}
