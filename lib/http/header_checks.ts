/**
 * Checks that the header fields of a modern request repeat what its body says. Intermediaries may have decided by the
 * fields, so the body must not be a different request.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http#request-metadata
 */

import type { Awaitable } from "../base/async.ts";
import type { Request } from "../jsonrpc/message.ts";
import type { HeaderParameter } from "../protocol/headers.ts";
import type { Server } from "../server/server.ts";
import { andThen } from "../base/async.ts";
import { isObject, own } from "../base/json.ts";
import { argumentAt, decodeHeader, headerParameters } from "../protocol/headers.ts";
import { Header, Meta, METHODS } from "../protocol/methods.ts";
import { metaOf } from "../server/session.ts";
import { headerMismatch } from "./error.ts";

type ReadHeader = (name: string) => string | undefined;

const parametersOf = new WeakMap<object, readonly HeaderParameter[]>();

/**
 * Checks the fields of a request.
 *
 * @throws {HttpError} 400 with -32020.
 */
export function checkHeaders(request: Request, header: ReadHeader, server: Server): Awaitable<void> {
  const version = metaOf(request)?.[Meta.protocolVersion];
  if (typeof version !== "string") return;
  expect(request, Header.protocolVersion, header("mcp-protocol-version"), version);
  expect(request, Header.method, header("mcp-method"), request.method);
  const member = Object.hasOwn(METHODS, request.method) ? METHODS[request.method]!.nameParam : undefined;
  const params = request.params;
  const name = member && isObject(params) ? own(params, member) : undefined;
  // The method itself refuses a name that is missing or not a string.
  if (typeof name !== "string") return;
  const field = header("mcp-name");
  const value = field === undefined ? undefined : decodeHeader(field);
  if (field !== undefined && value === undefined) {
    throw headerMismatch(request, `${Header.name} cannot be decoded`);
  }
  expect(request, Header.name, value, name);
  if (request.method !== "tools/call") return;
  return andThen(server.inputSchemaOf(name), (schema) => {
    if (!schema) return;
    let parameters = parametersOf.get(schema);
    if (!parameters) parametersOf.set(schema, parameters = headerParameters(schema));
    for (const parameter of parameters) {
      checkParameter(request, header, parameter, own(params as object, "arguments"));
    }
  });
}

function expect(request: Request, field: string, value: string | undefined, body: string): void {
  if (value === body) return;
  const show = (text: string) => JSON.stringify(text.slice(0, 100));
  throw headerMismatch(
    request,
    value === undefined
      ? `the field ${field} is missing`
      : `${field} says ${show(value)}, and the body ${show(body)}`,
  );
}

/** An argument that the tool's schema repeats in a field (`x-mcp-header`). */
function checkParameter(
  request: Request,
  header: ReadHeader,
  parameter: HeaderParameter,
  args: unknown,
): void {
  const value = argumentAt(parameter, args);
  const field = `${Header.parameter}${parameter.name}`;
  const raw = header(field.toLowerCase());
  if (value === undefined || value === null) {
    if (raw === undefined) return;
    throw headerMismatch(request, `${field} is present, but the argument is not`);
  }
  // Other types are refused with the arguments, in words for the model.
  if (!["string", "number", "boolean"].includes(typeof value)) return;
  if (raw === undefined) throw headerMismatch(request, `the field ${field} is missing`);
  const text = decodeHeader(raw);
  if (text === undefined) throw headerMismatch(request, `${field} cannot be decoded`);
  const isSame = typeof value === "number"
    ? /^-?\d+(?:\.\d+)?$/.test(text) && Number(text) === value
    : text === String(value);
  if (!isSame) throw headerMismatch(request, `${field} differs from the argument`);
}
