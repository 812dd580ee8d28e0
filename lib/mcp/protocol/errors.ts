/** The errors of MCP, each with its code, message, data and HTTP status; and functions that read params, which throw them. */

import type { JsonObject } from "../../base/json.ts";
import type { Revision } from "./revisions.ts";
import { isObject } from "../../base/json.ts";
import { didYouMean, quoted } from "../../base/text.ts";
import { ErrorCode, RpcError } from "../../jsonrpc/message.ts";
import { MODERN_REVISIONS } from "./revisions.ts";

/** The codes that MCP adds to those of JSON-RPC. */
export const McpErrorCode = {
  /** Up to 2025-11-25. Later revisions have -32602 instead, and must never send this code. */
  resourceNotFound: -32002,
  /** HTTP only: a header field contradicts the body. */
  headerMismatch: -32020,
  /** The request needs a capability that its client has not declared. */
  missingClientCapability: -32021,
  /** The request states a protocol version that is not served. */
  unsupportedVersion: -32022,
  /** The user has to open a URL first. 2025-11-25 only: later revisions must never send this code. */
  urlElicitationRequired: -32042,
} as const;

/** An error of MCP, with the status and a header field of its response over HTTP. Other transports ignore those. */
export class McpError extends RpcError {
  /** The name of the class, for logs. */
  override readonly name: string = "McpError";
  /** The HTTP status of the response; undefined when it follows from the code. */
  readonly status: number | undefined;
  /** After how many seconds the client should try again: the header field `Retry-After`. */
  readonly retryAfter: number | undefined;

  /** See `RpcError`. */
  constructor(
    code: number,
    message: string,
    data?: unknown,
    options: { readonly status?: number | undefined; readonly retryAfter?: number | undefined } = {},
  ) {
    super(code, message, data);
    this.status = options.status;
    this.retryAfter = options.retryAfter;
  }
}

/** The params do not fit the method. */
export function invalidParams(reason: string, data?: unknown): RpcError {
  return new RpcError(ErrorCode.invalidParams, reason, data);
}

/** `params._meta` lacks a field that every request must have. */
export function invalidMeta(reason: string): RpcError {
  return new McpError(ErrorCode.invalidParams, reason, undefined, { status: 400 });
}

/** The request is not allowed here. */
export function invalidRequest(reason: string): RpcError {
  return new RpcError(ErrorCode.invalidRequest, `Invalid request: ${reason}`);
}

/** The credential of the client lacks scopes. Over HTTP, the challenge has `data.scope`, too. */
export function insufficientScope(scopes: readonly string[]): RpcError {
  const scope = scopes.join(" ");
  const message = `Insufficient scope: request credentials with the scope ${scope}`;
  return new McpError(ErrorCode.invalidRequest, message, { scope }, { status: 403 });
}

/** The revision has no such method. */
export function methodNotFound(method: string): RpcError {
  return new RpcError(ErrorCode.methodNotFound, `Method not found: ${quoted(method, 100)}`);
}

/**
 * The resource does not exist, or must not be read: the client cannot tell which. `nearest` are resources with a similar URI.
 */
export function resourceNotFound(uri: string, revision: Revision, nearest: readonly string[] = []): RpcError {
  const data = nearest.length > 0 ? { uri, nearest } : { uri };
  return new RpcError(revision.resourceNotFound, `Resource not found${didYouMean(nearest)}`, data);
}

/** The request states a protocol version that is not served. */
export function unsupportedVersion(requested: string): RpcError {
  const data = { supported: [...MODERN_REVISIONS.keys()], requested };
  return new McpError(McpErrorCode.unsupportedVersion, "Unsupported protocol version", data, { status: 400 });
}

/** Reads a member that must be a string. The error names it by `label`: "argument.name". @throws {RpcError} -32602. */
export function stringParam(params: JsonObject, key: string, label: string = key): string {
  const { [key]: value } = params;
  if (typeof value === "string") return value;
  throw unusableParam(value, label, "a string");
}

/** Reads a member that must be an object. @throws {RpcError} -32602. */
export function objectParam(params: JsonObject, key: string): JsonObject {
  const { [key]: value } = params;
  if (isObject(value)) return value;
  throw unusableParam(value, key, "an object");
}

/** A member of the params is missing (`value` is undefined) or has the wrong type. */
export function unusableParam(value: unknown, label: string, type: string): RpcError {
  return invalidParams(
    value === undefined ? `The parameter "${label}" is missing` : `"${label}" must be ${type}`,
  );
}
