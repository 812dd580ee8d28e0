/** What can go wrong with a server, seen from its client? What the server itself answers with is an `RpcError`. */

/** No conversation could be opened: nobody is there, or no revision is spoken by both sides. */
export class ConnectError extends Error {
  /** Names the class in logs. */
  override readonly name = "ConnectError";
}

/** The server did not answer in the time that it had. */
export class TimeoutError extends Error {
  /** Names the class in logs. */
  override readonly name = "TimeoutError";
}

/** The server answered, and not as the protocol says: nothing in its answer can be relied on. */
export class ProtocolError extends Error {
  /** Names the class in logs. */
  override readonly name = "ProtocolError";
}

/** The server answered a request over HTTP with a status, and with nothing that is a message. */
export class HttpError extends Error {
  /** Names the class in logs. */
  override readonly name: string = "HttpError";
  /** The status, such as 401. */
  readonly status: number;

  /** Says what was answered. */
  constructor(message: string, status: number, options?: ErrorOptions) {
    super(message, options);
    this.status = status;
  }
}

/** The server knows the session no more: a new one has to be opened. */
export class SessionLostError extends HttpError {
  /** Names the class in logs. */
  override readonly name = "SessionLostError";
}

/** What a failure says of itself, for a sentence about it. */
export function reasonOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}
