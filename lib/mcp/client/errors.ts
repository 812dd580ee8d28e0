/** The errors of a client. */

/** What goes wrong between a client and its server, apart from the errors that the server answers with. */
export class ClientError extends Error {
  /** The name of the class, for logs. */
  override readonly name: string = "ClientError";
}

/** No session could be opened: the server cannot be reached, or there is no revision that both sides speak. */
export class ConnectError extends ClientError {
  /** The name of the class, for logs. */
  override readonly name = "ConnectError";
}

/** The server did not answer in time. */
export class TimeoutError extends ClientError {
  /** The name of the class, for logs. */
  override readonly name = "TimeoutError";
}

/** The server broke the protocol: nothing in its response can be relied on. */
export class ProtocolError extends ClientError {
  /** The name of the class, for logs. */
  override readonly name = "ProtocolError";
}

/** The server answered a request over HTTP with an error status and no message. */
export class HttpStatusError extends ClientError {
  /** The name of the class, for logs. */
  override readonly name: string = "HttpError";
  /** The status, such as 401. */
  readonly status: number;

  /** Takes the message and the status. */
  constructor(message: string, status: number) {
    super(message);
    this.status = status;
  }
}

/** The server does not know the session any more. */
export class SessionLostError extends HttpStatusError {
  /** The name of the class, for logs. */
  override readonly name = "SessionLostError";
}
