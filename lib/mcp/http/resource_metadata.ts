/** Protected resource metadata: tells clients which authorization servers issue tokens for the endpoint (RFC 9728). */

const WELL_KNOWN = "/.well-known/oauth-protected-resource";

/** Protected resource metadata (RFC 9728). All members are served. */
export interface ResourceMetadata {
  /** The URL of the endpoint, as clients see it: "https://docs.example.com/mcp". */
  readonly resource: string;
  /** The URLs of its authorization servers, at least one. */
  readonly authorization_servers: readonly string[];
  /** The scopes that clients can request. */
  readonly scopes_supported?: readonly string[];
  /** Any other member of RFC 9728. */
  readonly [member: string]: unknown;
}

/** The URL of the metadata, the paths where clients look for it, and its JSON. @throws {TypeError} If a member is missing. */
export function metadataDocument(
  metadata: ResourceMetadata,
): { readonly url: string; readonly paths: ReadonlySet<string>; readonly body: string } {
  const url = URL.parse(metadata.resource);
  if (!url || url.hash !== "" || metadata.authorization_servers.length === 0) {
    throw new TypeError(
      "Resource metadata needs the URL of the endpoint without a fragment, and an authorization server",
    );
  }
  // Section 3.2: lists without an element are left out.
  const given = Object.entries(metadata).filter(([, value]) => !(Array.isArray(value) && value.length === 0));
  const path = `${WELL_KNOWN}${url.pathname === "/" ? "" : url.pathname}`;
  return {
    url: `${url.origin}${path}${url.search}`,
    paths: new Set([path, WELL_KNOWN]),
    body: JSON.stringify({ bearer_methods_supported: ["header"], ...Object.fromEntries(given) }),
  };
}
