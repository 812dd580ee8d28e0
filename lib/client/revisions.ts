/**
 * Which revisions of the protocol does the client speak? Their names, and the errors that only modern servers answer with.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/versioning
 */

/** How a conversation opens: with a handshake (legacy), or not at all (modern). */
export type Era = "legacy" | "modern";

/** The revisions of each era, the preferred one first. */
export const VERSIONS: Readonly<Record<Era, readonly string[]>> = Object.freeze({
  modern: Object.freeze(["2026-07-28"]),
  legacy: Object.freeze(["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"]),
});

/** Errors that a modern server alone answers with: whoever does so is not asked to shake hands. */
export const MODERN_ERRORS: {
  /** The header fields do not say what the body says. */
  readonly headerMismatch: -32020;
  /** The client cannot do what the request needs. */
  readonly missingCapability: -32021;
  /** The revision is not spoken. */
  readonly unsupportedVersion: -32022;
} = Object.freeze({ headerMismatch: -32020, missingCapability: -32021, unsupportedVersion: -32022 });

const PREFIX = "io.modelcontextprotocol/";
/** The members of `_meta` that carry the protocol itself. */
export const META: {
  /** The revision of a request. */
  readonly version: string;
  /** Who asks. */
  readonly clientInfo: string;
  /** What the client can do. */
  readonly clientCapabilities: string;
  /** Who has answered. */
  readonly serverInfo: string;
  /** From which level on a server logs while it works on a request. */
  readonly logLevel: string;
  /** The stream of changes that a notification belongs to. */
  readonly subscription: string;
} = Object.freeze({
  version: `${PREFIX}protocolVersion`,
  clientInfo: `${PREFIX}clientInfo`,
  clientCapabilities: `${PREFIX}clientCapabilities`,
  serverInfo: `${PREFIX}serverInfo`,
  logLevel: `${PREFIX}logLevel`,
  subscription: `${PREFIX}subscriptionId`,
});
