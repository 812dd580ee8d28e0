/** The protocol as the client uses it, as data; and readers for what a server sent, which is not trusted. */

import type { JsonObject } from "../base/json.ts";
import type { Era } from "../protocol/revisions.ts";
import { isObject, own } from "../base/json.ts";
import { McpErrorCode } from "../protocol/errors.ts";
import { REVISIONS } from "../protocol/revisions.ts";

const idsOf = (era: Era) => REVISIONS.filter((one) => one.era === era).map(({ id }) => id).reverse();

/** The revisions of each era, the newest first. */
export const VERSIONS: Readonly<Record<Era, readonly string[]>> = Object.freeze({
  modern: idsOf("modern"),
  legacy: idsOf("legacy"),
});

/** Errors that only modern servers answer with: no handshake is tried after one. */
export const MODERN_ERRORS: ReadonlySet<number> = new Set([
  McpErrorCode.headerMismatch,
  McpErrorCode.missingClientCapability,
  McpErrorCode.unsupportedVersion,
]);

/** The prefix of the members of `_meta` that belong to the protocol. */
const META = "io.modelcontextprotocol/";
export const META_VERSION: string = `${META}protocolVersion`;
export const META_CLIENT_INFO: string = `${META}clientInfo`;
export const META_CLIENT_CAPABILITIES: string = `${META}clientCapabilities`;
export const META_SERVER_INFO: string = `${META}serverInfo`;
export const META_LOG_LEVEL: string = `${META}logLevel`;
export const META_SUBSCRIPTION: string = `${META}subscriptionId`;

/** The lists, and the member of a page that holds the items. */
export const LISTS = {
  "tools/list": "tools",
  "resources/list": "resources",
  "resources/templates/list": "resourceTemplates",
  "prompts/list": "prompts",
} as const;

/** The methods whose results may be cached. */
export const CACHEABLE: ReadonlySet<string> = new Set([
  ...Object.keys(LISTS),
  "resources/read",
  "server/discover",
]);

/** The methods that may ask for input, and the member of their params that the header `Mcp-Name` repeats. */
export const NAMED: ReadonlyMap<string, string> = new Map([
  ["prompts/get", "name"],
  ["resources/read", "uri"],
  ["tools/call", "name"],
]);

/** A member that is an object; an empty one where it is not. */
export function objectIn(value: unknown, key: string): JsonObject {
  const member = isObject(value) ? own(value, key) : undefined;
  return isObject(member) ? member : {};
}

/** A member that is a string. */
export function textIn(value: JsonObject, key: string): string | undefined {
  const member = own(value, key);
  return typeof member === "string" ? member : undefined;
}

/** The strings of a list; none where it is no list. */
export function textsOf(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === "string") : [];
}
