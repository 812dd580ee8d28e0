/**
 * The HTTP header fields of MCP: their names, which arguments of a tool they repeat (`x-mcp-header`), and how values are encoded.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http#custom-headers-from-tool-parameters
 */

import { fromBase64, toBase64 } from "../../base/base64.ts";
import { isObject, own } from "../../base/json.ts";
import { attempt } from "../../base/text.ts";

/** The header fields of MCP over HTTP. */
export const Header = {
  protocolVersion: "MCP-Protocol-Version",
  method: "Mcp-Method",
  name: "Mcp-Name",
  parameter: "Mcp-Param-",
  sessionId: "Mcp-Session-Id",
  lastEventId: "Last-Event-ID",
} as const;

/** An argument that is repeated in a header field. */
export interface HeaderParameter {
  /** The name of the field, without `Mcp-Param-`. */
  readonly name: string;
  /** The path of the argument. */
  readonly path: readonly string[];
}

const KEYWORD = "x-mcp-header";
/** A name of a header field or a cookie (RFC 9110, section 5.6.2). */
export const FIELD_NAME: RegExp = /^[\w!#$%&'*+.^\x60|~-]+$/;
const TYPES: readonly unknown[] = ["string", "integer", "boolean"];

/** Reads the header parameters of a tool's input schema. @throws {TypeError} When one is invalid; no client may use such a tool. */
export function headerParameters(schema: unknown): readonly HeaderParameter[] {
  const found = [...parametersIn(schema, [])];
  const names = found.map(({ name }) => name.toLowerCase());
  const twice = found.find((_, index) => names.indexOf(names[index]!) < index);
  if (twice) throw new TypeError(`${KEYWORD} "${twice.name}" is used twice`);
  return found;
}

/** Walks a schema. Outside of `properties`, where `path` is undefined, a parameter is an error. */
function* parametersIn(schema: unknown, path: readonly string[] | undefined): Generator<HeaderParameter> {
  if (Array.isArray(schema)) { for (const one of schema) yield* parametersIn(one, undefined); }
  if (!isObject(schema)) return;
  for (const [keyword, value] of Object.entries(schema)) {
    if (["const", "enum", "default", "examples"].includes(keyword)) continue;
    if (keyword === KEYWORD) yield toParameter(value, schema["type"], path);
    else if (keyword === "properties" && isObject(value)) {
      for (const [key, one] of Object.entries(value)) yield* parametersIn(one, path && [...path, key]);
    } else yield* parametersIn(value, undefined);
  }
}

function toParameter(name: unknown, type: unknown, path: readonly string[] | undefined): HeaderParameter {
  const fail: (reason: string) => never = (reason) => {
    throw new TypeError(`${KEYWORD} ${JSON.stringify(name)} ${reason}`);
  };
  if (typeof name !== "string" || !FIELD_NAME.test(name)) fail("is not the name of a header field");
  if (!path?.length) fail("must be on a parameter that is reached through properties alone");
  if (!TYPES.includes(type)) fail("must be on a string, an integer or a boolean");
  return { name, path };
}

/** The argument of a header parameter; undefined when it is missing. */
export function argumentAt({ path }: HeaderParameter, args: unknown): unknown {
  let value = args;
  for (const key of path) value = isObject(value) ? own(value, key) : undefined;
  return value;
}

/** Values that a header field can hold unencoded: visible ASCII characters, spaces and tabs. */
export const PLAIN: RegExp = /^[\t\x20-\x7e]*$/;
/** How an encoded value begins and ends. */
export const ENCODED = "=?base64?";
const END = "?=";
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Encodes a value for a header field: unchanged, or in Base64 if it could be altered in transit. */
export function encodeHeader(value: string): string {
  const isSafe = PLAIN.test(value) && !value.includes("\t") && value.trim() === value;
  if (isSafe && !(value.startsWith(ENCODED) && value.endsWith(END))) return value;
  return `${ENCODED}${toBase64(new TextEncoder().encode(value))}${END}`;
}

/** Decodes a value that begins with `ENCODED`; undefined when it cannot be read. */
export function decodeHeader(field: string): string | undefined {
  // Base64 without padding and invalid UTF-8 are errors.
  const bytes = field.endsWith(END) ? fromBase64(field.slice(ENCODED.length, -END.length)) : undefined;
  return bytes && attempt(() => decoder.decode(bytes));
}
