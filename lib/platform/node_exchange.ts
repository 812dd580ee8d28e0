/**
 * How does a request of `node:http` become an exchange? Without a web `Request` in between, which costs more than all
 * the rest of a small answer.
 *
 * Nothing of Node is loaded here: the objects come from whoever listens, also a framework that hands on Node's own.
 */

import type { BodyPiece, Fields, HttpExchange, HttpResponder, HttpStream } from "./http.ts";

/** As much of `http.IncomingMessage` as is needed. */
export interface NodeRequest {
  /** As it came. */
  readonly method?: string | undefined;
  /** As it came. */
  readonly url?: string | undefined;
  /** By name in lower case. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** The connection. */
  readonly socket: {
    readonly remoteAddress?: string | undefined;
    readonly remotePort?: number | undefined;
    readonly destroyed?: boolean;
  };
  /** Listens to what comes. */
  on(event: string, listener: (argument: never) => void): unknown;
  /** Reads no more. */
  pause(): unknown;
}

/** As much of `http.ServerResponse` as is needed. */
export interface NodeResponse {
  /** Whether there is no room for more. */
  readonly writableNeedDrain: boolean;
  /** Whether all of it was handed to the system. */
  readonly writableFinished: boolean;
  /** Whether the connection is gone. */
  readonly destroyed: boolean;
  /** Writes the head. */
  writeHead(status: number, fields: Record<string, string | number>): unknown;
  /** Writes a piece of the body. */
  write(piece: string | Uint8Array): boolean;
  /** Ends the body. */
  end(piece?: string | Uint8Array): unknown;
  /** Holds what is written back. */
  cork(): void;
  /** Lets it go. */
  uncork(): void;
  /** Sends the head by itself. */
  flushHeaders(): void;
  /** Lets go of the connection. */
  destroy(): unknown;
  /** Listens to what happens to it. */
  on(event: string, listener: () => void): unknown;
  /** Listens once. */
  once(event: string, listener: () => void): unknown;
}

/**
 * Makes a listener for `http.createServer`, or for a framework that hands on Node's own objects.
 *
 * @example
 * ```ts
 * import { createServer as createNodeServer } from "node:http";
 * import { createServer } from "@architrave/architrave";
 * import { createHttpHandler, nodeListener } from "@architrave/architrave/http";
 *
 * const handler = createHttpHandler(createServer({ info: { name: "docs", version: "1.0.0" } }));
 * createNodeServer(nodeListener(handler.respond)).listen(8080, "127.0.0.1");
 * ```
 */
export function nodeListener(
  respond: HttpResponder,
): (request: NodeRequest, response: NodeResponse) => void {
  return (request, response) => void respond(new NodeExchange(request, response));
}

class NodeExchange implements HttpExchange {
  readonly noticesLeaving = true;
  readonly #request: NodeRequest;
  readonly #response: NodeResponse;

  constructor(request: NodeRequest, response: NodeResponse) {
    this.#request = request;
    this.#response = response;
  }

  get method(): string {
    return this.#request.method ?? "";
  }

  get target(): string {
    return this.#request.url ?? "";
  }

  get remoteHost(): string | undefined {
    return this.#request.socket.remoteAddress;
  }

  get remoteAddress(): string | undefined {
    const { remoteAddress, remotePort } = this.#request.socket;
    if (remoteAddress === undefined) return undefined;
    return remoteAddress.includes(":")
      ? `[${remoteAddress}]:${remotePort}`
      : `${remoteAddress}:${remotePort}`;
  }

  header(name: string): string | undefined {
    const value = this.#request.headers[name];
    return typeof value === "object" ? value.join(", ") : value;
  }

  readBody(limit: number): Promise<Uint8Array | undefined> {
    const request = this.#request;
    if (Number(this.header("content-length") ?? 0) > limit) return Promise.resolve(undefined);
    return new Promise((resolve, reject) => {
      const chunks: Uint8Array[] = [];
      let length = 0;
      let isOver = false;
      request.on("data", (chunk: Uint8Array) => {
        length += chunk.length;
        if (length <= limit) return void chunks.push(chunk);
        isOver = true;
        request.pause();
        resolve(undefined);
      });
      request.on("end", () => {
        isOver = true;
        resolve(chunks.length === 1 ? chunks[0] : joined(chunks, length));
      });
      request.on("error", reject);
      request.on("close", () => {
        if (!isOver) reject(new Error("The request broke off"));
      });
    });
  }

  respond(status: number, fields: Fields, body: readonly BodyPiece[] = []): void {
    const response = this.#response;
    if (status === 204) {
      response.writeHead(status, { ...fields });
      return void response.end();
    }
    if (body.every((piece) => typeof piece === "string")) {
      // One text leaves in one piece with the head.
      const text = body.join("");
      response.writeHead(status, { ...fields, "content-length": Buffer.byteLength(text) });
      return void response.end(text);
    }
    const parts = merged(body);
    let length = 0;
    for (const part of parts) length += part.length;
    // In one write, each part from where it is: memory to join them in costs more than the rest of the answer.
    response.cork();
    response.writeHead(status, { ...fields, "content-length": length });
    for (const part of parts) response.write(part);
    response.end();
    response.uncork();
  }

  stream(status: number, fields: Fields): HttpStream {
    this.#response.writeHead(status, { ...fields });
    this.#response.flushHeaders();
    return new NodeStream(this.#response);
  }

  onDisconnect(callback: () => void): void {
    const response = this.#response;
    if (this.#request.socket.destroyed) return callback();
    response.once("close", () => {
      if (!response.writableFinished) callback();
    });
  }
}

class NodeStream implements HttpStream {
  readonly #response: NodeResponse;
  #room: Promise<void> | undefined;

  constructor(response: NodeResponse) {
    this.#response = response;
    // A write to a socket that is just gone is noticed by its end.
    response.on("error", () => {});
  }

  write(pieces: readonly BodyPiece[]): Promise<void> | undefined {
    const response = this.#response;
    if (response.destroyed) return undefined;
    response.cork();
    for (const part of merged(pieces)) response.write(part);
    response.uncork();
    if (!response.writableNeedDrain) return undefined;
    return this.#room ??= new Promise((resolve) => {
      const settle = () => {
        this.#room = undefined;
        resolve();
      };
      response.once("drain", settle);
      response.once("close", settle);
    });
  }

  end(): void {
    if (!this.#response.destroyed) this.#response.end();
  }

  cut(): void {
    this.#response.destroy();
  }
}

/** As much of Node's buffers as is needed. */
declare const Buffer: { byteLength(text: string): number };
const encoder = new TextEncoder();

/** Bytes, with texts that follow each other encoded together. */
function merged(pieces: readonly BodyPiece[]): Uint8Array[] {
  const parts: Uint8Array[] = [];
  let text = "";
  for (const piece of pieces) {
    if (typeof piece === "string") {
      text += piece;
      continue;
    }
    if (text !== "") parts.push(encoder.encode(text));
    text = "";
    parts.push(piece);
  }
  if (text !== "") parts.push(encoder.encode(text));
  return parts;
}

function joined(chunks: readonly Uint8Array[], length: number): Uint8Array {
  const bytes = new Uint8Array(length);
  let offset = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, offset);
    offset += chunk.length;
  }
  return bytes;
}
