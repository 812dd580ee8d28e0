/** Errors of HTTP: a status, and a sentence as a JSON-RPC error. */

import type { Id, Request } from "../jsonrpc/message.ts";
import type { Fields, HttpExchange } from "../platform/http.ts";
import { ErrorCode, failure, RpcError, toErrorObject } from "../jsonrpc/message.ts";
import { McpErrorCode } from "../protocol/errors.ts";

/** A request is not served. Thrown anywhere before the response begins. */
export class HttpError extends RpcError {
  override readonly name = "HttpError";
  override readonly status: number;
  readonly fields: Fields;
  /** The id of the request, if it could be read. */
  readonly id: Id | null | undefined;

  constructor(
    status: number,
    message: string,
    { code = ErrorCode.invalidRequest, fields = {}, id, cause }: {
      readonly code?: number;
      readonly fields?: Fields;
      readonly id?: Id | null | undefined;
      /** For the operator. */
      readonly cause?: unknown;
    } = {},
  ) {
    super(code, message, undefined, cause === undefined ? undefined : { cause });
    this.status = status;
    this.fields = fields;
    this.id = id;
  }
}

/** A header field contradicts the body. */
export function headerMismatch(request: Request, reason: string): HttpError {
  return new HttpError(400, `Header mismatch: ${reason}`, {
    code: McpErrorCode.headerMismatch,
    id: request.id,
  });
}

/** The server cannot serve the request now. */
export function unavailable(reason: string): HttpError {
  return new HttpError(503, `${reason}: try again later`, { fields: { "retry-after": "1" } });
}

/** The header fields of every JSON response. Responses are for one client and change, so they must not be cached. */
export const JSON_FIELDS: Fields = Object.freeze({
  "content-type": "application/json",
  "cache-control": "no-store",
  "x-content-type-options": "nosniff",
});

/** Responds with an error; anything but an `HttpError` is a generic 500. */
export function respondWithError(exchange: HttpExchange, cause: unknown): void {
  const { status, fields, id } = cause instanceof HttpError
    ? cause
    : { status: 500, fields: {}, id: undefined };
  const body = JSON.stringify(failure(id, toErrorObject(cause instanceof HttpError ? cause : undefined)));
  exchange.respond(status, { ...JSON_FIELDS, ...fields }, [body]);
}
