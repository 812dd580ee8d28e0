/** HTTP without a runtime: the exchange of one request and its response, and what the listeners of both runtimes share. */

/** A piece of a body: text to encode, or bytes. */
export type BodyPiece = string | Uint8Array;

/** Header fields of a response; names in lower case. */
export type Fields = Readonly<Record<string, string>>;

/** A response body that is written piece by piece. */
export interface HttpStream {
  /** Writes all pieces, unless the connection is closed. Returns what to wait for before writing more, if the buffer is full. */
  write(pieces: readonly BodyPiece[]): Promise<void> | undefined;
  /** Ends the response; what was written still arrives. */
  end(): void;
  /** Closes the connection at once; unsent bytes are lost. */
  cut(): void;
}

/** One request and its response. Exactly one of `respond` and `stream` is called, once. */
export interface HttpExchange {
  /** As received: "POST". */
  readonly method: string;
  /** The request target as received: "/mcp?a=b", or a whole URL. */
  readonly target: string;
  /** The address and port of the client: "127.0.0.1:51820"; undefined when unknown. */
  readonly remoteAddress: string | undefined;
  /** Whether a disconnect is noticed before the response begins. Otherwise possibly only while a stream is written. */
  readonly noticesLeaving: boolean;
  /** Fields of any response, in addition to its own. */
  fields?: Fields | undefined;
  /** How long the client may read nothing of a response that is complete, in milliseconds; then it is given up. */
  sendTimeoutMs: number;
  /** Settles when the response has left, or the connection is closed. Undefined when the system took all of it at once. */
  sent?: Promise<unknown> | undefined;
  /** Reads a header field by its name in lower case; repeated ones are joined by commas. */
  readonly header: (name: string) => string | undefined;
  /**
   * Reads the body; undefined when it is longer than the limit. Called once. Rejects when the connection closes before its end,
   * when it comes in many small pieces, and with what `reserve` throws.
   *
   * @param reserve Called with a length before that many bytes are kept; not for a small body of a stated length.
   */
  readBody(limit: number, reserve: (bytes: number) => void): Promise<Uint8Array | undefined>;
  /** Responds with a whole body, whose length is added to the fields. */
  respond(status: number, fields: Fields, body?: readonly BodyPiece[]): void;
  /** Responds with a stream. */
  stream(status: number, fields: Fields): HttpStream;
  /** Calls back, never at once, when the client disconnects before it has the whole response; possibly also afterwards. */
  onDisconnect(callback: () => void): void;
}

/** Responds to exchanges. It never throws and never rejects. */
export type HttpResponder = (exchange: HttpExchange) => void | Promise<void>;

/** Where and how to listen. */
export interface HttpServerOptions {
  /** "127.0.0.1", "::1", "0.0.0.0". */
  readonly hostname: string;
  /** 0 takes a free one. */
  readonly port: number;
  /** Called for each connection; returns what to call when it is closed, or undefined to close it at once. Node only. */
  connect(remoteAddress: string | undefined): (() => void) | undefined;
  /** How long a request may take to arrive, in milliseconds. Node only. */
  readonly requestTimeoutMs: number;
}

/** A listening HTTP server. */
export interface HttpServer {
  readonly hostname: string;
  readonly port: number;
  /** Accepts no further connections, where the runtime can do that while others are open. */
  stop(): void;
  /** Closes all connections: each when its response is sent, at the latest after this time. */
  close(graceMs: number): Promise<void>;
}

/** The default of `sendTimeoutMs`. */
export const SEND_TIMEOUT_MS: number = 30_000;
/** Bodies up to this length are not counted: the limit of requests bounds them. */
export const SMALL_BYTES: number = 16 * 1024;
/** How many chunks a body may have at least; each costs much more than a byte. */
export const MIN_CHUNKS: number = 256;
/** A body may have one more chunk for each time that it has this many bytes. */
export const CHUNK_BYTES: number = 512;
/** The error of a body with more chunks. */
export const TOO_MANY_CHUNKS: string = "The body comes in too many pieces";

/** The pieces with consecutive texts as one. */
export function merged(pieces: readonly BodyPiece[]): BodyPiece[] {
  const parts: BodyPiece[] = [];
  let text = "";
  for (const piece of pieces) {
    if (typeof piece === "string") {
      text += piece;
      continue;
    }
    if (text !== "") parts.push(text);
    text = "";
    parts.push(piece);
  }
  if (text !== "") parts.push(text);
  return parts;
}
