/** The errors that a client throws. */

import type { JsonObject } from "../../base/json.ts";

/** The base class of failures other than error responses of the server. */
export class ClientError extends Error {
  /** The name of the class, for logs. */
  override readonly name: string = "ClientError";
}

/** No session could be opened: the server cannot be reached, or no revision is supported by both sides. */
export class ConnectError extends ClientError {
  /** The name of the class, for logs. */
  override readonly name = "ConnectError";
}

/** The server did not answer in time. */
export class TimeoutError extends ClientError {
  /** The name of the class, for logs. */
  override readonly name = "TimeoutError";
}

/** The server violated the protocol. Its response must not be used, other than to show it to a person. */
export class ProtocolError extends ClientError {
  /** The name of the class, for logs. */
  override readonly name = "ProtocolError";
  /** The result that does not have the required form, if there is one. It is not verified. */
  readonly result: JsonObject | undefined;

  /** Takes the message, the cause and the result. */
  constructor(message: string, options: ErrorOptions & { readonly result?: JsonObject } = {}) {
    super(message, options);
    this.result = options.result;
  }
}

/** The server answered an HTTP request with an error status and no JSON-RPC message. */
export class HttpStatusError extends ClientError {
  /** The name of the class, for logs. */
  override readonly name: string = "HttpError";
  /** The HTTP status: 401. */
  readonly status: number;

  /** Takes the message and the status. */
  constructor(message: string, status: number) {
    super(message);
    this.status = status;
  }
}

/** The server no longer knows the session. */
export class SessionLostError extends HttpStatusError {
  /** The name of the class, for logs. */
  override readonly name = "SessionLostError";
}
