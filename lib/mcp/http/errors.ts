/** HTTP errors: the error that refuses a request, and its response. */

import type { Id, Response } from "../../jsonrpc/message.ts";
import type { HeaderFields, HttpExchange } from "../../platform/http.ts";
import { printFailure } from "../../base/failures.ts";
import { ErrorCode, failure, RpcError, toErrorObject } from "../../jsonrpc/message.ts";
import { McpError } from "../protocol/errors.ts";

/** Refuses a request with an HTTP status. May be thrown until the response begins. */
export class HttpError extends McpError {
  override readonly name = "HttpError";
  readonly fields: HeaderFields | undefined;

  constructor(status: number, message: string, options: { fields?: HeaderFields; retryAfter?: number } = {}) {
    super(ErrorCode.invalidRequest, message, undefined, { status, retryAfter: options.retryAfter });
    this.fields = options.fields;
  }
}

/** What is done with unexpected errors unless the program receives them. */
export const printHttpFailure = (cause: unknown): void => printFailure("Serving over HTTP failed", cause);

/** The reason of every error after `close`. */
export const CLOSING = "The server is shutting down";

/** A 503, for a client that may succeed later. @param retryAfter In seconds. */
export function unavailable(reason: string, retryAfter: number = 1): HttpError {
  return new HttpError(503, `${reason}: try again later`, { retryAfter });
}

/** The header fields of every JSON response. Responses are for one client and change, so caches must not store them. */
export const JSON_FIELDS: HeaderFields = Object.freeze({
  "content-type": "application/json",
  "cache-control": "no-store",
  "x-content-type-options": "nosniff",
});

/** The part of a request that an error response needs. */
interface RefusedRequest {
  /** The id of its message, if it was read. */
  readonly id: Id | null | undefined;
  /** Set to the error response, for the audit log. */
  response: Response | readonly Response[] | undefined;
}

/** The HTTP status of errors about the request itself, by code. */
const STATUS: Readonly<Record<number, number>> = {
  [ErrorCode.parse]: 400,
  [ErrorCode.invalidRequest]: 400,
  [ErrorCode.methodNotFound]: 404,
};

/** The HTTP status of a response with an error; undefined when neither the error nor its code has one. */
export function statusOf(error: RpcError | undefined): number | undefined {
  const own = error instanceof McpError ? error.status : undefined;
  return own ?? (error && STATUS[error.code]);
}

/** The header field that tells the client how long to wait. */
export function retryFields(seconds: number | undefined): HeaderFields {
  return seconds === undefined ? {} : { "retry-after": `${seconds}` };
}

/** Responds with an error. Every error that is not an `RpcError` becomes a generic 500. */
export function respondWithError(exchange: HttpExchange, cause: unknown, request?: RefusedRequest): void {
  const error = cause instanceof RpcError ? cause : undefined;
  // A `MalformedMessageError` may have the id of its message.
  const { fields, retryAfter, id = request?.id } = (error ?? {}) as Partial<HttpError & RefusedRequest>;
  const response = failure(id, toErrorObject(cause));
  if (request) request.response = response;
  const all = { ...JSON_FIELDS, ...fields, ...retryFields(retryAfter) };
  exchange.respond(statusOf(error) ?? 500, all, [JSON.stringify(response)]);
}

/** Quotes text of a client in a message: at most 100 characters. */
export function shown(text: string): string {
  return JSON.stringify(text.slice(0, 100));
}
