/** Encodes the bodies of requests: JSON, forms, text and bytes. */

import type { JsonObject } from "../base/json.ts";
import type { BodyField, RequestBody } from "./endpoint.ts";
import type { Pair } from "./serialize.ts";
import { fromBase64 } from "../base/base64.ts";
import { concat } from "../base/bytes.ts";
import { isObject, own } from "../base/json.ts";
import { reject } from "./errors.ts";
import { mediaKind } from "./media_kind.ts";
import {
  encodeAll,
  isScalar,
  jsonOf,
  refuseEmpty,
  refuseMissing,
  scalarText,
  serialize,
  withoutNulls,
} from "./serialize.ts";

const encoder = new TextEncoder();

type Encoded = { readonly type: string; readonly bytes: Uint8Array<ArrayBuffer> };

/** The bytes of a body and its media type, which includes the boundary of multipart. */
export function bodyOf({ type, kind, argument, fields }: RequestBody, value: unknown): Encoded {
  if (kind === "bytes") return { type, bytes: decoded(argument, value) };
  if (kind === "json") return { type, bytes: encoder.encode(jsonOf(value)) };
  if (kind === "text") return { type, bytes: encoder.encode(scalarText(argument, value)) };
  if (!isObject(value)) reject(`${argument}: a form must be an object`);
  if (kind === "multipart") return multipart(value, fields);
  return { type, bytes: encoder.encode(formText(value, fields)) };
}

/** The fields of a form that have a value. Null means that a field is left out, unless it is sent as JSON. */
function givenFields(
  members: JsonObject,
  fields: RequestBody["fields"],
): (readonly [name: string, value: unknown, field: BodyField])[] {
  return Object.entries(members).flatMap(([name, written]) => {
    const field: BodyField = own(fields, name) ?? {};
    const value = isJson(field) || (written !== null && !field.serialization)
      ? written
      : withoutNulls(written);
    if (value === undefined && field.required) refuseMissing(name);
    return value === undefined ? [] : [[name, value, field] as const];
  });
}

function formText(members: JsonObject, fields: RequestBody["fields"]): string {
  return givenFields(members, fields).flatMap(([name, value, field]): Pair[] => {
    if (field.bytes) {
      return [value].flat().map((one) => [encodeAll(name), percentEncoded(decoded(name, one))]);
    }
    const isFlat = [value].flat().every(isScalar) && !isJson(field);
    const { serialization = isFlat ? { style: "form", explode: true } as const : undefined } = field;
    if (serialization) return serialize(name, value, serialization, encodeAll);
    return [[encodeAll(name), encodeAll(jsonOf(value))]];
  }).map((pair) => pair.join("=")).join("&");
}

function multipart(members: JsonObject, fields: RequestBody["fields"]): Encoded {
  // The boundary is random, so no value can contain it.
  const boundary = `architrave-${crypto.randomUUID()}`;
  const chunks: Uint8Array[] = [];
  for (const [name, given, field] of givenFields(members, fields)) {
    const { serialization } = field;
    const isJoined = Array.isArray(given) && serialization?.explode === false && !field.bytes &&
      serialization.style !== "deepObject";
    const value = isJoined
      ? decodeURIComponent(serialize(name, given, serialization, encodeAll)[0]![1])
      : given;
    // Any other list has one part per item, unless it is described as JSON.
    const isList = Array.isArray(value) && !isJson(field);
    if (isList) refuseEmpty(name, value);
    const quoted = name.replace(/["\r\n]/g, encodeURIComponent);
    const file = field.bytes ? `; filename="${quoted}"` : "";
    for (const one of isList ? value : [value]) {
      const isText = isScalar(one) && !isJson(field);
      const usual = field.bytes ? "application/octet-stream" : isText ? undefined : "application/json";
      const { type = usual } = field;
      const head = `--${boundary}\r\ncontent-disposition: form-data; name="${quoted}"${file}\r\n`;
      chunks.push(encoder.encode(`${head}${type === undefined ? "" : `content-type: ${type}\r\n`}\r\n`));
      const text = () => isText ? scalarText(name, one) : jsonOf(one);
      chunks.push(field.bytes ? decoded(name, one) : encoder.encode(text()), encoder.encode("\r\n"));
    }
  }
  chunks.push(encoder.encode(`--${boundary}--\r\n`));
  return { type: `multipart/form-data; boundary=${boundary}`, bytes: concat(chunks) };
}

function percentEncoded(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => `%${byte.toString(16).toUpperCase().padStart(2, "0")}`).join("");
}

function isJson({ type, bytes }: BodyField): boolean {
  return type !== undefined && !bytes && mediaKind(type) === "json";
}

function decoded(name: string, value: unknown): Uint8Array<ArrayBuffer> {
  const bytes = fromBase64(scalarText(name, value));
  if (bytes) return bytes;
  return reject(`${name}: bytes must be Base64, with padding and without line breaks`);
}
