/** Checks that the header fields of a modern request agree with its body, because proxies may act on the fields. */

import type { JsonObject } from "../../base/json.ts";
import type { Request } from "../../jsonrpc/message.ts";
import type { HttpExchange } from "../../platform/http.ts";
import type { Server } from "../server/server.ts";
import { argumentAt, decodeHeader, ENCODED, Header, PLAIN } from "../protocol/headers.ts";
import { Meta, METHODS } from "../protocol/methods.ts";
import { shown } from "./errors.ts";

/** How the header fields of a modern request differ from its body; undefined if they agree. */
export async function findMismatch(
  { method, params }: Request,
  meta: JsonObject,
  header: HttpExchange["header"],
  server: Server,
): Promise<string | undefined> {
  const version = meta[Meta.protocolVersion];
  const key = METHODS.get(method)?.nameParam, members = params as JsonObject;
  const name = key && members[key];
  // Missing and malformed members are refused later, when the params are checked.
  if (typeof version !== "string") return undefined;
  const fields: [field: string, value: unknown, mayBeEncoded?: true][] = [
    [Header.protocolVersion, version],
    [Header.method, method],
  ];
  if (typeof name === "string") {
    fields.push([Header.name, name, true]);
    const parameters = method === "tools/call" ? await server.headerParametersOf(name) : [];
    for (const parameter of parameters) {
      const value = argumentAt(parameter, members["arguments"]);
      fields.push([`${Header.parameter}${parameter.name}`, value ?? undefined, true]);
    }
  }
  for (const [field, value, mayBeEncoded] of fields) {
    // Arrays and objects fail the schema of the tool later, with a message that the model gets.
    if (typeof value === "object") continue;
    const sent = header(field.toLowerCase());
    const text = mayBeEncoded && sent?.startsWith(ENCODED) ? decodeHeader(sent) ?? sent : sent;
    if (text === undefined && value === undefined) continue;
    if (value === undefined) return `${field} is present, but the argument is not`;
    if (text === undefined) return `the field ${field} is missing`;
    if (!PLAIN.test(sent!)) return `${field} has characters that must be encoded`;
    const isSame = typeof value === "number"
      ? /^-?\d+(?:\.\d+)?$/.test(text) && Number(text) === value
      : text === String(value);
    if (!isSame) return `${field} is ${shown(text)}, but the body has ${shown(String(value))}`;
  }
  return undefined;
}
