/**
 * Where does a client get a token? At the authorization server that this document names.
 *
 * @see https://www.rfc-editor.org/rfc/rfc9728
 */

const WELL_KNOWN = "/.well-known/oauth-protected-resource";

/** What the server says of itself to clients that need a token; more members of RFC 9728 are passed on. */
export interface ResourceMetadata {
  /** The URL of the endpoint as clients know it: "https://docs.example.com/mcp". */
  readonly resource: string;
  /** The URLs of the servers that give tokens for it, at least one. */
  readonly authorization_servers: readonly string[];
  /** What can be asked of them. */
  readonly scopes_supported?: readonly string[];
  /** Whatever else RFC 9728 has a name for. */
  readonly [member: string]: unknown;
}

/** The document, and where it is. */
export interface MetadataDocument {
  /** The whole URL, for clients. */
  readonly url: string;
  /** The paths that it is served at: the one of its URL, and the one that clients try that know no better. */
  readonly paths: ReadonlySet<string>;
  readonly body: string;
}

/**
 * Writes the document.
 *
 * @throws {TypeError} When it does not say what it must.
 */
export function metadataDocument(metadata: ResourceMetadata): MetadataDocument {
  const url = URL.canParse(metadata.resource) ? new URL(metadata.resource) : undefined;
  if (!url || url.hash !== "" || metadata.authorization_servers.length === 0) {
    throw new TypeError(
      "Cannot describe the protected resource: it needs a URL without fragment, and an authorization server",
    );
  }
  const path = `${WELL_KNOWN}${url.pathname === "/" ? "" : url.pathname}`;
  return {
    url: `${url.origin}${path}${url.search}`,
    paths: new Set([path, WELL_KNOWN]),
    body: JSON.stringify({ bearer_methods_supported: ["header"], ...metadata }),
  };
}
