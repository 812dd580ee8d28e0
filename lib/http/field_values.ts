/**
 * Does the head of a request say what its body says? Whatever stands between client and server may have decided by the
 * head; the body must not be another request than that.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http#request-metadata
 */

import type { Request } from "../jsonrpc/message.ts";
import type { HttpExchange } from "../platform/http.ts";
import { McpErrorCode } from "../protocol/errors.ts";
import { decodeHeader } from "../protocol/headers.ts";
import { Refusal } from "./refusal.ts";

/** The member of the params that `Mcp-Name` repeats, by method. */
const NAMED: Readonly<Record<string, string>> = {
  "tools/call": "name",
  "prompts/get": "name",
  "resources/read": "uri",
};

/** The head and the body do not go together. */
export function mismatch(request: Request, reason: string): Refusal {
  return new Refusal(400, `Header mismatch: ${reason}`, {
    code: McpErrorCode.headerMismatch,
    id: request.id,
  });
}

/**
 * Holds the fields that every modern request has against its body.
 *
 * @param version What the body states.
 * @throws {Refusal} 400 with -32020.
 */
export function checkFields(exchange: HttpExchange, request: Request, version: string): void {
  expect(request, "MCP-Protocol-Version", exchange.header("mcp-protocol-version"), version);
  expect(request, "Mcp-Method", exchange.header("mcp-method"), request.method);
  const member = NAMED[request.method];
  if (member === undefined) return;
  const name = (request.params as Readonly<Record<string, unknown>> | undefined)?.[member];
  // What is missing or no text is the method's to refuse.
  if (typeof name !== "string") return;
  const field = exchange.header("mcp-name");
  const value = field === undefined ? undefined : decodeHeader(field);
  if (field !== undefined && value === undefined) throw mismatch(request, "Mcp-Name cannot be read");
  expect(request, "Mcp-Name", value, name);
}

function expect(request: Request, field: string, value: string | undefined, body: string): void {
  if (value === body) return;
  throw mismatch(
    request,
    value === undefined
      ? `the field ${field} is missing`
      : `${field} says ${JSON.stringify(value.slice(0, 100))}, and the body ${
        JSON.stringify(body.slice(0, 100))
      }`,
  );
}
