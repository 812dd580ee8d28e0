/** Which failures has MCP a code for? Each is built here, so that its code, words and data are the same everywhere. */

import type { Revision } from "./revisions.ts";
import { quoted } from "../base/text.ts";
import { ErrorCode, RpcError } from "../jsonrpc/message.ts";

/** The codes that MCP adds to those of JSON-RPC. */
export const McpErrorCode: {
  /** Up to 2025-11-25; later revisions say -32602 and must never send it. */
  readonly resourceNotFound: -32002;
  /** HTTP only: a header says something else than the body. */
  readonly headerMismatch: -32020;
  /** The request needs something that its client has not declared. */
  readonly missingClientCapability: -32021;
  /** The request states a revision that is not served that way. */
  readonly unsupportedVersion: -32022;
  /** 2025-11-25 only: the user has to be to a page first; later revisions must never send it. */
  readonly urlElicitationRequired: -32042;
} = Object.freeze({
  resourceNotFound: -32002,
  headerMismatch: -32020,
  missingClientCapability: -32021,
  unsupportedVersion: -32022,
  urlElicitationRequired: -32042,
});

/** Something in `params` is not as the method wants it. */
export function invalidParams(reason: string, data?: unknown): RpcError {
  return new RpcError(ErrorCode.invalidParams, reason, data);
}

/** The revision has no such method. The name is the client's own word, cut to a length that fits a log line. */
export function methodNotFound(method: string): RpcError {
  return new RpcError(ErrorCode.methodNotFound, `Method not found: ${quoted(method, 100)}`);
}

/** There is no such resource, or it must not be read: a client cannot tell which, and is not meant to. */
export function resourceNotFound(uri: string, revision: Revision): RpcError {
  return new RpcError(revision.resourceNotFound, "Resource not found", { uri });
}

/** The request states a revision that is not served that way. */
export function unsupportedVersion(requested: string, supported: readonly string[]): RpcError {
  return new RpcError(McpErrorCode.unsupportedVersion, "Unsupported protocol version", {
    supported,
    requested,
  });
}
