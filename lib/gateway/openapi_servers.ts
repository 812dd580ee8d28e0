/** Where does a document say that its API is? One place: where it names several, whoever runs this has to choose. */

import type { OpenApiDocument, Part } from "./openapi_document.ts";
import type { OpenApiOptions } from "./openapi.ts";
import { isObject } from "../base/json.ts";
import { GatewayError, UnservableError } from "./gateway_error.ts";

/**
 * The address that a document names; undefined when it names none.
 *
 * @throws {GatewayError} When it names several, or a variable cannot be filled in.
 */
export function readServer(
  { root }: OpenApiDocument,
  { base, variables = {} }: OpenApiOptions,
): string | undefined {
  const servers = serversOf(root);
  const known = new Set(
    servers.flatMap((server) => Object.keys(isObject(server["variables"]) ? server["variables"] : {})),
  );
  const unknown = Object.keys(variables).find((name) => !known.has(name));
  if (unknown !== undefined) {
    throw new GatewayError(`There is no server variable "${unknown}" in the document`);
  }
  if (base !== undefined) return base;
  const urls = [...new Set(servers.map((server, index) => fill(server, variables, `/servers/${index}`)))];
  if (urls.length > 1) {
    throw new GatewayError(
      `The document names several servers: choose one with --base (${urls.slice(0, 5).join(", ")})`,
      "/servers",
    );
  }
  const [url] = urls;
  if (url === undefined || /^https?:\/\//.test(url)) return url;
  throw new GatewayError(
    `The document says where its API is relative to itself ("${url}"): name the address with --base`,
    "/servers/0/url",
  );
}

/**
 * Makes sure that an operation is where the rest of the API is.
 *
 * @throws {UnservableError} When it has a server of its own.
 */
export function requireSameServer(
  parts: readonly Part[],
  { root }: OpenApiDocument,
  { variables = {} }: OpenApiOptions,
  base: string | undefined,
): void {
  const own = parts.map(serversOf).find((servers) => servers.length > 0);
  if (!own) return;
  const plain = (url: string) => url.replace(/\/+$/, "");
  const urls = own.map((server) => fillOwn(server, variables));
  // Somebody who gives a base puts it in place of the servers of the document.
  const known = [
    ...serversOf(root).map((server) => fillOwn(server, variables)),
    ...(base === undefined ? [] : [base]),
  ];
  if (urls.some((url) => known.some((one) => plain(one) === plain(url)))) return;
  throw new UnservableError(`It has a server of its own, ${urls[0]}: serve it with a gateway of its own`);
}

function fillOwn(server: Part, variables: Readonly<Record<string, string>>): string {
  try {
    return fill(server, variables, "");
  } catch (cause) {
    if (!(cause instanceof GatewayError)) throw cause;
    throw new UnservableError(cause.message, { cause });
  }
}

function serversOf({ servers }: Part): Part[] {
  return Array.isArray(servers) ? servers.filter(isObject) : [];
}

function fill({ url, variables }: Part, given: Readonly<Record<string, string>>, at: string): string {
  if (typeof url !== "string") throw new GatewayError("A server has an address", `${at}/url`);
  return url.replace(/\{([^{}]*)\}/g, (_, name: string) => {
    const variable = isObject(variables) ? variables[name] : undefined;
    if (!isObject(variable)) {
      throw new GatewayError(`The server variable "${name}" is not described`, `${at}/variables`);
    }
    const value = Object.hasOwn(given, name) ? given[name] : variable["default"];
    const { enum: allowed } = variable;
    if (Array.isArray(allowed) && !allowed.includes(value)) {
      throw new GatewayError(
        `The server variable "${name}" must be one of ${allowed.join(", ")}`,
        `${at}/variables/${name}`,
      );
    }
    if (typeof value !== "string") {
      throw new GatewayError(
        `The server variable "${name}" needs a value: give one with --variable`,
        `${at}/variables/${name}`,
      );
    }
    return value;
  });
}
