/**
 * HTTP: the contract of one exchange, and the import that picks the adapter when a server first listens.
 *
 * An exchange is as much of a request and its response as MCP needs. Web `Request` and `Response` objects are what Deno
 * is fast with, but cost Node more than a small response itself, so neither side is built on the other's objects.
 */

/** A piece of a body: text to encode, or bytes. */
export type BodyPiece = string | Uint8Array;

/** Header fields of a response; names in lower case. */
export type Fields = Readonly<Record<string, string>>;

/** A response body that is written piece by piece. */
export interface HttpStream {
  /**
   * Writes all pieces at once; does nothing when the connection is closed.
   *
   * @returns A promise to wait for before writing more, when the buffer is full.
   */
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
  /** The address of the client: "127.0.0.1"; undefined when unknown. */
  readonly remoteHost: string | undefined;
  /** The address and port of the client: "127.0.0.1:51820"; undefined when unknown. */
  readonly remoteAddress: string | undefined;
  /** A header field by its name in lower case; repeated ones are joined by commas. */
  header(name: string): string | undefined;
  /**
   * Reads the body; undefined when it is longer than the limit, and then the rest is not read. Called once.
   *
   * @throws {unknown} When the connection closes before the end of the body.
   */
  readBody(limit: number): Promise<Uint8Array | undefined>;
  /** Responds with a whole body, whose length is added to the fields. */
  respond(status: number, fields: Fields, body?: readonly BodyPiece[]): void;
  /** Responds with a stream. */
  stream(status: number, fields: Fields): HttpStream;
  /** Calls back once when the client disconnects before it has the whole response; possibly also afterwards. */
  onDisconnect(callback: () => void): void;
  /** Whether a disconnect is noticed before the response begins. Otherwise possibly only while a stream is written. */
  readonly noticesLeaving: boolean;
}

/** Responds to exchanges. It never throws and never rejects. */
export type HttpResponder = (exchange: HttpExchange) => void | Promise<void>;

/** Where and how to listen. */
export interface ListenOptions {
  /** "127.0.0.1", "::1", "0.0.0.0". */
  readonly hostname: string;
  /** 0 takes a free one. */
  readonly port: number;
  /** The most connections at one time. Node only. */
  readonly maxConnections: number;
  /** How long a request may take to arrive, in milliseconds. Node only. */
  readonly requestTimeoutMs: number;
  /** The most bytes of the head of a request. Node only. */
  readonly maxHeaderBytes: number;
  /** Responds to requests. */
  readonly respond: HttpResponder;
}

/** A listening HTTP server. */
export interface Listening {
  readonly hostname: string;
  readonly port: number;
  /** Accepts no further connections, where the runtime can do that while others are open. */
  stop(): void;
  /** Closes all connections: each when its response is sent, at the latest after this time. */
  close(graceMs: number): Promise<void>;
}

/** Listens with the adapter of the current runtime; rejects when the port cannot be had. */
export async function listenOn(options: ListenOptions): Promise<Listening> {
  const { listenHttp } = "Deno" in globalThis ? await import("./deno_net.ts") : await import("./node_net.ts");
  return await listenHttp(options);
}
