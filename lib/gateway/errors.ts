/** Errors of descriptions, for the operator, and of arguments, for the caller of a tool. */

import { ToolValidationError } from "../mcp/server/errors.ts";

/** An endpoint file, an OpenAPI document, one of its operations, or an option cannot be used. */
export class GatewayError extends Error {
  /** Names the class in logs. */
  override readonly name = "GatewayError";
  /** The message without the pointer: a sentence without its full stop. */
  readonly reason: string;
  /** JSON pointer to the mistake, from the root of the file; undefined when it is not in a file. */
  readonly pointer: string | undefined;

  /** Makes the message from the pointer and the reason. */
  constructor(reason: string, pointer?: string, options?: ErrorOptions) {
    super(pointer === undefined ? reason : `${pointer || "/"}: ${reason}`, options);
    this.reason = reason;
    this.pointer = pointer;
  }
}

/** Throws what the operator of the gateway has to correct. */
export function refuse(reason: string, pointer?: string): never {
  throw new GatewayError(reason, pointer);
}

/** Throws what the caller of a tool has to correct. */
export function reject(reason: string): never {
  throw new ToolValidationError(reason);
}

/** Does some work; when it throws a `GatewayError`, returns what `onerror` makes of that. */
export function recover<T>(work: () => T, onerror: (error: GatewayError) => T): T {
  try {
    return work();
  } catch (cause) {
    if (cause instanceof GatewayError) return onerror(cause);
    throw cause;
  }
}
