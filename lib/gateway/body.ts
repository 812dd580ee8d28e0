/** How is a body written? As JSON, as a form, in parts, as text or as bytes. */

import type { Body, BodyKind, Field } from "./endpoint.ts";
import type { Pair } from "./style.ts";
import { isObject } from "../base/json.ts";
import { ToolValidationError } from "../server/tool.ts";
import { encodeStrictly, pairs, refuseEmpty } from "./style.ts";

/** A body, written. */
export interface EncodedBody {
  /** The media type, with the boundary of its parts where it has some. */
  readonly type: string;
  /** What is sent. */
  readonly bytes: Uint8Array<ArrayBuffer>;
}

const encoder = new TextEncoder();

/** Bytes in Base64 as RFC 4648 has it: with padding, and with nothing between. */
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** How a body of a media type is written. */
export function kindOf(type: string): BodyKind {
  const plain = type.toLowerCase().split(";", 1)[0]!.trim();
  if (/^application\/(?:json|[\w.+-]+\+json)$|^text\/json$/.test(plain)) return "json";
  if (plain === "application/x-www-form-urlencoded") return "form";
  if (plain === "multipart/form-data") return "multipart";
  return plain.startsWith("text/") ? "text" : "bytes";
}

/**
 * Writes a value as a body.
 *
 * @throws {ToolValidationError} When it cannot be written that way.
 */
export function encodeBody(body: Body, value: unknown): EncodedBody {
  const { type, argument, fields } = body;
  switch (body.kind) {
    case "json":
      return { type, bytes: encoder.encode(JSON.stringify(value)) };
    case "form":
      return { type, bytes: encoder.encode(formText(membersOf(argument, value), fields)) };
    case "multipart":
      return multipart(membersOf(argument, value), fields);
    case "text":
      return { type, bytes: encoder.encode(textOf(argument, value)) };
    case "bytes":
      return { type, bytes: fromBase64(argument, value) };
  }
}

/** A form as one text: `name=value&…`. */
function formText(members: Readonly<Record<string, unknown>>, fields: Body["fields"]): string {
  return Object.entries(members).flatMap(([name, value]): Pair[] => {
    const field = fieldOf(fields, name);
    const { serialization } = field;
    if (serialization) return pairs(name, value, serialization, encodeStrictly);
    if (isJson(field)) return [[encodeStrictly(name), encodeStrictly(JSON.stringify(value))]];
    refuseNull(name, value);
    const isFlat = Array.isArray(value) && value.every((item) => typeof item !== "object");
    if (isFlat || typeof value !== "object") {
      return pairs(name, value, { style: "form", explode: true }, encodeStrictly);
    }
    return [[encodeStrictly(name), encodeStrictly(JSON.stringify(value))]];
  }).map(([name, value]) => `${name}=${value}`).join("&");
}

/** Fields as parts, each with its type. */
function multipart(members: Readonly<Record<string, unknown>>, fields: Body["fields"]): EncodedBody {
  // Nobody can guess it, so no value can hold it.
  const boundary = `architrave-${crypto.randomUUID()}`;
  const pieces: Uint8Array[] = [];
  const write = (name: string, value: unknown, field: Field) => {
    const file = field.bytes === true ? `; filename="${quoted(name)}"` : "";
    const { type, bytes } = partOf(name, value, field);
    const head = `--${boundary}\r\ncontent-disposition: form-data; name="${quoted(name)}"${file}\r\n` +
      `${type === undefined ? "" : `content-type: ${type}\r\n`}\r\n`;
    pieces.push(encoder.encode(head), bytes, encoder.encode("\r\n"));
  };
  for (const [name, value] of Object.entries(members)) {
    const field = fieldOf(fields, name);
    // A list is a part for each item, unless it is described as one JSON.
    if (!Array.isArray(value) || isJson(field)) {
      write(name, value, field);
      continue;
    }
    refuseEmpty(name, value);
    value.forEach((item) => write(name, item, field));
  }
  pieces.push(encoder.encode(`--${boundary}--\r\n`));
  return { type: `multipart/form-data; boundary=${boundary}`, bytes: joined(pieces) };
}

/** One part: its type, where it has one, and what it holds. */
function partOf(
  name: string,
  value: unknown,
  field: Field,
): { type: string | undefined; bytes: Uint8Array<ArrayBuffer> } {
  const asJson = (type: string) => ({ type, bytes: encoder.encode(JSON.stringify(value)) });
  if (isJson(field)) return asJson(field.type!);
  refuseNull(name, value);
  if (field.bytes) {
    return { type: field.type ?? "application/octet-stream", bytes: fromBase64(name, value) };
  }
  if (typeof value === "object") return asJson(field.type ?? "application/json");
  return { type: field.type, bytes: encoder.encode(String(value)) };
}

/** Whether a field is written as JSON, whatever its value is. */
function isJson({ type, bytes }: Field): boolean {
  return type !== undefined && bytes !== true && kindOf(type) === "json";
}

/** Nobody could tell it from the text "null". */
function refuseNull(name: string, value: unknown): void {
  if (value !== null && !(Array.isArray(value) && value.includes(null))) return;
  throw new ToolValidationError(`${name}: null cannot be written here; leave it out`);
}

/** How a field travels: what every object inherits is none. */
function fieldOf(fields: Body["fields"], name: string): Field {
  return Object.hasOwn(fields, name) ? fields[name]! : {};
}

/** A name between quotes, as browsers write it. */
function quoted(name: string): string {
  return name.replace(/["\r\n]/g, encodeURIComponent);
}

function membersOf(argument: string, value: unknown): Readonly<Record<string, unknown>> {
  if (isObject(value)) return value;
  throw new ToolValidationError(`${argument}: a form is written from an object`);
}

function textOf(argument: string, value: unknown): string {
  if (typeof value === "string") return value;
  throw new ToolValidationError(`${argument} must be a text`);
}

function fromBase64(name: string, value: unknown): Uint8Array<ArrayBuffer> {
  if (typeof value !== "string" || !BASE64.test(value)) {
    throw new ToolValidationError(
      `${name}: bytes are given as Base64, with its padding and without line ends`,
    );
  }
  return Uint8Array.from(atob(value), (unit) => unit.charCodeAt(0));
}

function joined(pieces: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(pieces.reduce((length, piece) => length + piece.length, 0));
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}
