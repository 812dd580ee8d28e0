/** Which credentials does an operation need? The first of its ways in that there are all credentials for. */

import type { Scheme } from "./credential.ts";
import type { OpenApiDocument, Part } from "./openapi_document.ts";
import { isObject } from "../base/json.ts";
import { UnservableError } from "./gateway_error.ts";

/** The security schemes of a document. */
export interface Schemes {
  /** Those that can be served, by name. */
  readonly usable: ReadonlyMap<string, Scheme>;
  /** Why others cannot, by name. */
  readonly unusable: ReadonlyMap<string, string>;
}

/** Reads the security schemes of a document. */
export function readSchemes(document: OpenApiDocument): Schemes {
  const usable = new Map<string, Scheme>();
  const unusable = new Map<string, string>();
  const { components } = document.root;
  const declared = isObject(components) ? components["securitySchemes"] : undefined;
  for (const [name, value] of Object.entries(isObject(declared) ? declared : {})) {
    try {
      usable.set(name, readScheme(document.object(value, `the security scheme ${name}`)));
    } catch (cause) {
      if (!(cause instanceof UnservableError)) throw cause;
      unusable.set(name, cause.message);
    }
  }
  return { usable, unusable };
}

function readScheme(part: Part): Scheme {
  const { type, in: place, name, scheme } = part;
  if (
    type === "apiKey" && typeof name === "string" &&
    (place === "header" || place === "query" || place === "cookie")
  ) {
    return { type: place, name };
  }
  const kind = typeof scheme === "string" ? scheme.toLowerCase() : undefined;
  if (type === "http" && (kind === "basic" || kind === "bearer")) return { type: kind };
  // The token is had elsewhere; what is sent is the same.
  if (type === "oauth2" || type === "openIdConnect") return { type: "bearer" };
  throw new UnservableError(
    `There is no security of the type ${[type, kind].filter(Boolean).join(" ")} here`,
  );
}

/**
 * The names of the credentials that an operation is called with.
 *
 * @param given Those that there are.
 * @throws {UnservableError} When every way in needs something that cannot be served.
 */
export function credentialsOf(
  operation: Part,
  document: OpenApiDocument,
  schemes: Schemes,
  given: readonly string[],
): string[] {
  const security = operation["security"] ?? document.root["security"];
  if (!Array.isArray(security) || security.length === 0) return [];
  const ways = security.map((way) => isObject(way) ? Object.keys(way) : []);
  const open = ways.find((way) => way.length > 0 && way.every((name) => given.includes(name)));
  if (open) return open;
  if (ways.some((way) => way.length === 0)) return [];
  const possible = ways.find((way) => way.every((name) => schemes.usable.has(name)));
  if (possible) return possible;
  const [name = ""] = ways[0] ?? [];
  throw new UnservableError(schemes.unusable.get(name) ?? `The security scheme ${name} is not described`);
}
