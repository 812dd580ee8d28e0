/** How is a request refused? With a status, and a sentence in the form of a JSON-RPC error that has no id, or the id it is for. */

import type { Id } from "../jsonrpc/message.ts";
import type { Fields, HttpExchange } from "../platform/http.ts";
import { ErrorCode, failure, RpcError, toErrorObject } from "../jsonrpc/message.ts";

/** Why a request is not served. Thrown anywhere before the answer begins. */
export class Refusal extends RpcError {
  override readonly name = "Refusal";
  override readonly status: number;
  readonly fields: Fields;
  /** The request that is refused, where its id could be read. */
  readonly id: Id | null | undefined;

  constructor(
    status: number,
    message: string,
    { code = ErrorCode.invalidRequest, fields = {}, id, data, cause }: {
      readonly code?: number;
      readonly fields?: Fields;
      readonly id?: Id | null | undefined;
      readonly data?: unknown;
      /** What whoever runs the server should know of it. */
      readonly cause?: unknown;
    } = {},
  ) {
    super(code, message, data);
    this.status = status;
    this.fields = fields;
    this.id = id;
    if (cause !== undefined) this.cause = cause;
  }
}

/** The fields of every answer that is JSON. What is served changes, and is for one client only. */
export const JSON_FIELDS: Fields = Object.freeze({
  "content-type": "application/json",
  "cache-control": "no-store",
  "x-content-type-options": "nosniff",
});

/** Answers with what was thrown; what is no refusal is an internal error, and nothing is said of it. */
export function refuse(exchange: HttpExchange, cause: unknown): void {
  if (!(cause instanceof Refusal)) {
    exchange.respond(500, JSON_FIELDS, [JSON.stringify(failure(undefined, toErrorObject(undefined)))]);
    return;
  }
  const body = JSON.stringify(failure(cause.id, toErrorObject(cause)));
  exchange.respond(cause.status, { ...JSON_FIELDS, ...cause.fields }, [body]);
}
