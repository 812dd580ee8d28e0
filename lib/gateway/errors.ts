/** Errors for the operator of a gateway, and errors for the caller of a tool. */

import { ToolValidationError } from "../mcp/server/tool_errors.ts";

/** Thrown when an endpoint file, an OpenAPI document, an operation or an option cannot be used. */
export class GatewayError extends Error {
  /** Names the class in logs. */
  override readonly name = "GatewayError";
  /** The message without the pointer: a sentence without the full stop. */
  readonly reason: string;
  /** JSON pointer from the root of the file to the mistake; undefined if it is not in a file. */
  readonly pointer: string | undefined;

  /** Builds the message from the pointer and the reason. */
  constructor(reason: string, pointer?: string, options?: ErrorOptions) {
    super(pointer === undefined ? reason : `${pointer || "/"}: ${reason}`, options);
    this.reason = reason;
    this.pointer = pointer;
  }
}

/** Throws a `GatewayError`: the operator of the gateway has to correct something. */
export function refuse(reason: string, pointer?: string): never {
  throw new GatewayError(reason, pointer);
}

/** Throws a `ToolValidationError`: the caller of a tool has to correct something. */
export function reject(reason: string): never {
  throw new ToolValidationError(reason);
}

/** Returns the result of `work`, or that of `onerror` if `work` throws a `GatewayError`. */
export function recover<T>(work: () => T, onerror: (error: GatewayError) => T): T {
  try {
    return work();
  } catch (cause) {
    if (cause instanceof GatewayError) return onerror(cause);
    throw cause;
  }
}
