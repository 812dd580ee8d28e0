/**
 * The seam to HTTP: what is borrowed from a runtime to listen on a port, and the choice of the adapter that lends it.
 *
 * An exchange is as much of one request and its answer as MCP needs. Runtimes differ in what they make dear: whole
 * `Request` and `Response` objects cost Node more than the answer itself, and are what Deno is fast with.
 */

/** A stretch of a body: text that is yet to be encoded, or bytes. */
export type BodyPiece = string | Uint8Array;

/** The fields of an answer; names in lower case. */
export type Fields = Readonly<Record<string, string>>;

/** An answer that is written bit by bit. */
export interface HttpStream {
  /**
   * Writes all pieces at once; does nothing when the other side is gone.
   *
   * @returns A promise when there is no room for more before it settles.
   */
  write(pieces: readonly BodyPiece[]): Promise<void> | undefined;
  /** Ends the answer; what was written still arrives. */
  end(): void;
  /** Lets go of it at once: whoever does not read does not get the rest. */
  cut(): void;
}

/** One request and its answer. Exactly one of `respond` and `stream` is called, once. */
export interface HttpExchange {
  /** "POST", as it came. */
  readonly method: string;
  /** What is asked for, as it came: "/mcp?a=b", or a whole URL. */
  readonly target: string;
  /** The machine that asks: "127.0.0.1"; undefined where nobody knows. */
  readonly remoteHost: string | undefined;
  /** The connection that it asks on: "127.0.0.1:51820"; undefined where nobody knows. */
  readonly remoteAddress: string | undefined;
  /** A field of the request by its name in lower case; those that came more than once are joined by commas. */
  header(name: string): string | undefined;
  /**
   * The body; undefined when it is longer than the limit, and then the rest of it is not read. Called once.
   *
   * @throws {unknown} When it breaks off.
   */
  readBody(limit: number): Promise<Uint8Array | undefined>;
  /** Answers. The length is added. */
  respond(status: number, fields: Fields, body?: readonly BodyPiece[]): void;
  /** Answers with a stream. */
  stream(status: number, fields: Fields): HttpStream;
  /** Calls back, once, when the other side goes before it has the whole answer; perhaps also when it has it. */
  onDisconnect(callback: () => void): void;
  /** Whether that is certain before the answer begins. Otherwise it may be seen only once the answer is a stream. */
  readonly noticesLeaving: boolean;
}

/** What answers exchanges. It never throws and never rejects. */
export type HttpResponder = (exchange: HttpExchange) => void | Promise<void>;

/** Where and how to listen. */
export interface ListenOptions {
  /** "127.0.0.1", "::1", "0.0.0.0". */
  readonly hostname: string;
  /** 0 takes one that is free. */
  readonly port: number;
  /** The most connections at one time, where the runtime can tell. */
  readonly maxConnections: number;
  /** How long a request may take to arrive, its head and its body, in milliseconds, where the runtime can tell. */
  readonly requestTimeoutMs: number;
  /** The most bytes of the head of a request, where the runtime can tell. */
  readonly maxHeaderBytes: number;
  /** Answers. */
  readonly respond: HttpResponder;
}

/** A port that is listened on. */
export interface Listening {
  readonly hostname: string;
  readonly port: number;
  /** Takes no further connection from here on, where the runtime can do that while others are still open. */
  stop(): void;
  /** Closes all connections: those that still get an answer when they have it, or when this time is over. */
  close(graceMs: number): Promise<void>;
}

/** Listens, with the adapter of the runtime that this runs on; the other one is never loaded. */
export async function listenOn(options: ListenOptions): Promise<Listening> {
  const { listen } = "Deno" in globalThis ? await import("./deno_http.ts") : await import("./node_http.ts");
  return await listen(options);
}
