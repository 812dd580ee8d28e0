/** Errors of HTTP: what is thrown to refuse a request, and the response that it becomes. */

import type { Id, Response } from "../../jsonrpc/message.ts";
import type { Fields, HttpExchange } from "../../platform/http.ts";
import { ErrorCode, failure, RpcError, toErrorObject } from "../../jsonrpc/message.ts";

/** Refuses a request with an HTTP status. Thrown anywhere before the response begins. */
export class HttpError extends RpcError {
  override readonly name = "HttpError";
  readonly fields: Fields | undefined;

  constructor(status: number, message: string, options: { fields?: Fields; retryAfter?: number } = {}) {
    super(ErrorCode.invalidRequest, message, undefined, { status, retryAfter: options.retryAfter });
    this.fields = options.fields;
  }
}

/** An error for a client that may succeed later. */
export function unavailable(reason: string, retryAfter: number = 1): HttpError {
  return new HttpError(503, `${reason}: try again later`, { retryAfter });
}

/** The header fields of every JSON response. Responses are for one client and change, so they must not be cached. */
export const JSON_FIELDS: Fields = Object.freeze({
  "content-type": "application/json",
  "cache-control": "no-store",
  "x-content-type-options": "nosniff",
});

/** What an error response takes from its request, and leaves with it for the audit log. */
interface RefusedRequest {
  /** The id of its message, if that was read and has one. */
  readonly id: Id | null | undefined;
  response: Response | readonly Response[] | undefined;
}

/** Responds with an error; anything but an `RpcError` is a generic 500. The request gives the id and keeps the response. */
export function respondWithError(exchange: HttpExchange, cause: unknown, request?: RefusedRequest): void {
  // A `MalformedMessageError` may have an id.
  type Known = Partial<Pick<HttpError, "status" | "fields" | "retryAfter"> & Pick<RefusedRequest, "id">>;
  const { status = 500, fields, retryAfter, id = request?.id }: Known = cause instanceof RpcError
    ? cause
    : {};
  const response = failure(id, toErrorObject(cause));
  if (request) request.response = response;
  const retry: Fields = retryAfter === undefined ? {} : { "retry-after": `${retryAfter}` };
  exchange.respond(status, { ...JSON_FIELDS, ...fields, ...retry }, [JSON.stringify(response)]);
}

/** Quotes a client's text in a message, cut to 100 characters. */
export function shown(text: string): string {
  return JSON.stringify(text.slice(0, 100));
}
