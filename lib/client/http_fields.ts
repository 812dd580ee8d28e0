/**
 * What do the header fields of a request say? What its body says: so that whoever passes it on need not read the body.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http#request-metadata
 */

import type { Request } from "../jsonrpc/message.ts";
import { META } from "./revisions.ts";
import { isObject } from "../base/json.ts";
import { objectIn, textIn } from "./value.ts";

/** Which member of the params a method's name stands in. */
const NAMES: ReadonlyMap<string, "name" | "uri"> = new Map([
  ["tools/call", "name"],
  ["prompts/get", "name"],
  ["resources/read", "uri"],
]);

/** The revision that a request states by itself; undefined for one of the time of handshakes. */
export function statedVersion(params: unknown): string | undefined {
  return isObject(params) ? textIn(objectIn(params, "_meta"), META.version) : undefined;
}

/**
 * The header fields of a modern request.
 *
 * @param version What it states.
 * @param more Fields that mirror its arguments, not encoded yet.
 */
export function fieldsOf(
  { method, params }: Pick<Request, "method" | "params">,
  version: string,
  more: Readonly<Record<string, string>>,
): Record<string, string> {
  const member = NAMES.get(method);
  const name = member === undefined || !isObject(params) ? undefined : textIn(params, member);
  const named = name === undefined ? [] : [["Mcp-Name", name] as const];
  const encoded = [...named, ...Object.entries(more)].map(([field, value]) => [field, encodeField(value)]);
  return { "MCP-Protocol-Version": version, "Mcp-Method": method, ...Object.fromEntries(encoded) };
}

/** A value as a header field can carry it: as it is, or in Base64 where it would be changed on the way. */
export function encodeField(value: string): string {
  const isSafe = /^[\x20-\x7e]*$/.test(value) && value.trim() === value;
  if (isSafe && !(value.startsWith("=?base64?") && value.endsWith("?="))) return value;
  let binary = "";
  for (const byte of new TextEncoder().encode(value)) binary += String.fromCharCode(byte);
  return `=?base64?${btoa(binary)}?=`;
}
