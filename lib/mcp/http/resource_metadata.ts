/** The metadata that tells a client which authorization servers issue tokens for the endpoint (RFC 9728). */

const WELL_KNOWN = "/.well-known/oauth-protected-resource";

/** The protected resource metadata of RFC 9728; further members are passed on. */
export interface ResourceMetadata {
  /** The URL of the endpoint for clients: "https://docs.example.com/mcp". */
  readonly resource: string;
  /** The URLs of its authorization servers, at least one. */
  readonly authorization_servers: readonly string[];
  /** The scopes that can be requested. */
  readonly scopes_supported?: readonly string[];
  /** Any other member of RFC 9728. */
  readonly [member: string]: unknown;
}

/** The metadata as a JSON document, and where clients look for it. @throws {TypeError} When a required member is missing. */
export function metadataDocument(
  metadata: ResourceMetadata,
): { readonly url: string; readonly paths: ReadonlySet<string>; readonly body: string } {
  const url = URL.parse(metadata.resource);
  if (!url || url.hash !== "" || metadata.authorization_servers.length === 0) {
    throw new TypeError("Resource metadata needs a URL without fragment, and an authorization server");
  }
  const path = `${WELL_KNOWN}${url.pathname === "/" ? "" : url.pathname}`;
  return {
    url: `${url.origin}${path}${url.search}`,
    paths: new Set([path, WELL_KNOWN]),
    body: JSON.stringify({ bearer_methods_supported: ["header"], ...metadata }),
  };
}
