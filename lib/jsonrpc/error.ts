/**
 * How does an error reach the wire? Through `toErrorObject`, the one door.
 *
 * Two families: an `RpcError` is meant for the other side and crosses with its code, message and data; every
 * other error is ours alone and crosses as a bare -32603.
 */

import type { ErrorObject } from "./message.ts";

/** The codes that JSON-RPC 2.0 defines (section 5.1). */
export const ErrorCode: {
  /** It is not JSON. */
  readonly parse: -32700;
  /** It is JSON, and no message. */
  readonly invalidRequest: -32600;
  /** There is no such method. */
  readonly methodNotFound: -32601;
  /** The method cannot be called with these params. */
  readonly invalidParams: -32602;
  /** Something failed that is not the other side's doing. */
  readonly internal: -32603;
} = Object.freeze({
  parse: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internal: -32603,
});

/**
 * An error that is meant for the other side: throw it from a handler to answer with this code.
 *
 * @example
 * ```ts
 * import { ErrorCode, RpcError } from "@architrave/architrave/jsonrpc";
 *
 * throw new RpcError(ErrorCode.invalidParams, 'The argument "path" is missing', { argument: "path" });
 * ```
 */
export class RpcError extends Error {
  /** Names the class in logs; a derived one has its own. */
  override readonly name: string = "RpcError";
  /** The code on the wire. */
  readonly code: number;
  /** The data on the wire; undefined leaves the member out. */
  readonly data: unknown;

  /**
   * Says what the other side is told; only the `cause` stays here.
   *
   * @param code One of `ErrorCode`, or an integer that both sides know.
   * @param message One sentence for the other side: never a path, a stack or an internal name.
   * @param data Anything more that it can act on, as JSON. @default {left out}
   */
  constructor(code: number, message: string, data?: unknown, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
    this.data = data;
  }
}

/**
 * Turns whatever was thrown into what the wire may carry.
 *
 * @param cause What was thrown.
 * @param reference Names the failure in the server's own log, so that an operator can find the cause that the
 * other side must not see. It crosses as `data.reference`, and only with a bare -32603.
 */
export function toErrorObject(cause: unknown, reference?: string): ErrorObject {
  if (cause instanceof RpcError && isWritable(cause.data)) {
    return cause.data === undefined
      ? { code: cause.code, message: cause.message }
      : { code: cause.code, message: cause.message, data: cause.data };
  }
  const internal = { code: ErrorCode.internal, message: "Internal error" };
  return reference === undefined ? internal : { ...internal, data: { reference } };
}

function isWritable(data: unknown): boolean {
  try {
    JSON.stringify(data);
    return true;
  } catch {
    // A bigint, a cycle: it is ours to mend, and nothing that the other side could use.
    return false;
  }
}
