/** HTTP for both runtimes: the types of an exchange and a listening server, and what the two listeners share. */

/** A piece of a body: text to encode, or bytes. */
export type BodyPiece = string | Uint8Array;

/** Header fields of a response; names in lower case. */
export type HeaderFields = Readonly<Record<string, string>>;

/** A response body that is written piece by piece. */
export interface HttpStream {
  /** Writes all pieces, unless the connection is closed. If the buffer is full, returns a promise to wait for. */
  write(pieces: readonly BodyPiece[]): Promise<void> | undefined;
  /** Ends the response. Bytes that were written before still arrive. */
  end(): void;
  /** Closes the connection at once and drops unsent bytes. */
  cut(): void;
}

/** One request and its response: `respond` or `stream` is called, once. */
export interface HttpExchange {
  /** As received: "POST". */
  readonly method: string;
  /** The request target as received: "/mcp?a=b", or a whole URL. */
  readonly target: string;
  /** The address and port of the client: "127.0.0.1:51820"; undefined when unknown. */
  readonly remoteAddress: string | undefined;
  /** Whether a disconnect is noticed before the response begins. If not, it may be noticed only while a stream is written. */
  readonly noticesLeaving: boolean;
  /** Header fields that are added to the response. */
  fields?: HeaderFields | undefined;
  /** How long a client may go without reading a complete response, in milliseconds. Then the connection is closed. */
  sendTimeoutMs: number;
  /** Settles when the response was sent or the connection closed. Undefined if the system took the whole response at once. */
  sent?: Promise<unknown> | undefined;
  /** Reads a header field by its name in lower case; repeated ones are joined by commas. */
  readonly header: (name: string) => string | undefined;
  /**
   * Reads the body; undefined if it is longer than the limit. Called once. Rejects if the connection closes too early, if the
   * body has too many chunks, or if `reserve` throws.
   *
   * @param reserve Called with a number of bytes before they are kept; not if Content-Length is at most `SMALL_BYTES`.
   */
  readBody(limit: number, reserve: (bytes: number) => void): Promise<Uint8Array | undefined>;
  /** Responds with a whole body. Its length is added to the fields. */
  respond(status: number, fields: HeaderFields, body?: readonly BodyPiece[]): void;
  /** Responds with a stream. */
  stream(status: number, fields: HeaderFields): HttpStream;
  /**
   * Calls back when the client disconnects before it has the whole response; may also call back after that. The callback
   * never runs within this call.
   */
  onDisconnect(callback: () => void): void;
}

/** Responds to an exchange. It never throws and never rejects. */
export type HttpResponder = (exchange: HttpExchange) => void | Promise<void>;

/** Where and how to listen. */
export interface HttpServerOptions {
  /** "127.0.0.1", "::1", "0.0.0.0". */
  readonly hostname: string;
  /** 0 lets the system pick a free one. */
  readonly port: number;
  /** Called for each connection. Returns a function to call when it closes, or undefined to close it at once. Node only. */
  connect(remoteAddress: string | undefined): (() => void) | undefined;
  /** How long a request may take to arrive, in milliseconds. Node only. */
  readonly requestTimeoutMs: number;
}

/** A listening HTTP server. */
export interface HttpServer {
  readonly hostname: string;
  readonly port: number;
  /** Stops accepting connections, if the runtime can do that while others are open. */
  stop(): void;
  /** Closes each connection when its response was sent, and all of them after this time. */
  close(graceMs: number): Promise<void>;
}

/** The default of `sendTimeoutMs`. */
export const SEND_TIMEOUT_MS: number = 30_000;
/** Bodies up to this size are not counted, because the number of requests is limited. In bytes. */
export const SMALL_BYTES: number = 16 * 1024;
/** The number of chunks that every body may have. A chunk costs much more than a byte. */
export const MIN_CHUNKS: number = 256;
/** One more chunk is allowed for each unit of this many bytes. */
export const CHUNK_BYTES: number = 512;
/** The message for a body with more chunks. */
export const TOO_MANY_CHUNKS: string = "The body has too many chunks";
