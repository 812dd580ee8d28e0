/**
 * Does the head of a call say what its arguments say? Where the schema of a tool asks for it with `x-mcp-header`.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http#custom-headers-from-tool-parameters
 */

import type { Request } from "../jsonrpc/message.ts";
import type { HttpExchange } from "../platform/http.ts";
import type { HeaderParameter } from "../protocol/headers.ts";
import type { Server } from "../server/server.ts";
import { andThen } from "../base/async.ts";
import { own } from "../base/json.ts";
import { argumentAt, decodeHeader, headerParameters } from "../protocol/headers.ts";
import { mismatch } from "./field_values.ts";

const known = new WeakMap<object, readonly HeaderParameter[]>();

/**
 * Holds the fields that a tool asks for against the arguments of a call.
 *
 * @throws {Refusal} 400 with -32020.
 */
export function checkParameters(
  exchange: HttpExchange,
  request: Request,
  server: Server,
): void | Promise<void> {
  const params = request.params as Readonly<Record<string, unknown>> | undefined;
  const name = params && own(params, "name");
  if (typeof name !== "string") return;
  return andThen(server.inputSchemaOf(name), (schema) => {
    if (!schema) return;
    let parameters = known.get(schema);
    if (!parameters) known.set(schema, parameters = headerParameters(schema));
    for (const parameter of parameters) check(exchange, request, parameter, own(params!, "arguments"));
  });
}

function check(exchange: HttpExchange, request: Request, parameter: HeaderParameter, args: unknown): void {
  const value = argumentAt(parameter, args);
  const field = `Mcp-Param-${parameter.name}`;
  const raw = exchange.header(field.toLowerCase());
  if (value === undefined || value === null) {
    if (raw === undefined) return;
    throw mismatch(request, `${field} is there, and the argument is not`);
  }
  // What is of another type is refused with the arguments, in words for the model.
  if (!["string", "number", "boolean"].includes(typeof value)) return;
  if (raw === undefined) throw mismatch(request, `the field ${field} is missing`);
  const text = decodeHeader(raw);
  if (text === undefined) throw mismatch(request, `${field} cannot be read`);
  const isSame = typeof value === "number"
    ? /^-?\d+(?:\.\d+)?$/.test(text) && Number(text) === value
    : text === String(value);
  if (!isSame) throw mismatch(request, `${field} says something else than the argument`);
}
