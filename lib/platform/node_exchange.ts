/**
 * HTTP exchanges over the objects of `node:http`, without a web `Request` in between, which would cost more than all the
 * rest of a small response. Nothing of Node is loaded: the objects come from a server, also from that of a framework.
 */

import type { BodyPiece, Fields, HttpExchange, HttpResponder, HttpStream } from "./http.ts";
import { concat } from "../base/bytes.ts";
import { hostAndPort } from "./tcp.ts";

/** The part of `http.IncomingMessage` that is used. */
export interface NodeRequest {
  /** As received. */
  readonly method?: string | undefined;
  /** As received. */
  readonly url?: string | undefined;
  /** By name in lower case. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** The connection. */
  readonly socket: {
    readonly remoteAddress?: string | undefined;
    readonly remotePort?: number | undefined;
    readonly destroyed?: boolean;
  };
  /** Adds an event listener. */
  on(event: string, listener: (argument: never) => void): unknown;
  /** Stops reading. */
  pause(): unknown;
}

/** The part of `http.ServerResponse` that is used. */
export interface NodeResponse {
  /** Whether the buffer is full. */
  readonly writableNeedDrain: boolean;
  /** Whether everything was handed to the system. */
  readonly writableFinished: boolean;
  /** Whether the connection is closed. */
  readonly destroyed: boolean;
  /** Writes the head. */
  writeHead(status: number, fields: Record<string, string | number>): unknown;
  /** Writes a piece of the body. */
  write(piece: string | Uint8Array): boolean;
  /** Ends the body. */
  end(piece?: string | Uint8Array): unknown;
  /** Buffers writes until `uncork`. */
  cork(): void;
  /** Sends buffered writes. */
  uncork(): void;
  /** Sends the head now. */
  flushHeaders(): void;
  /** Closes the connection. */
  destroy(): unknown;
  /** Adds an event listener. */
  on(event: string, listener: () => void): unknown;
  /** Adds a listener for one event. */
  once(event: string, listener: () => void): unknown;
}

/**
 * Makes a listener for `http.createServer`, or for a framework that passes on Node's own objects.
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
    return hostAndPort(remoteAddress, remotePort);
  }

  header(name: string): string | undefined {
    const value = this.#request.headers[name];
    return typeof value === "object" ? value.join(", ") : value;
  }

  async readBody(limit: number): Promise<Uint8Array | undefined> {
    const request = this.#request;
    if (Number(this.header("content-length") ?? 0) > limit) return undefined;
    const chunks: Uint8Array[] = [];
    const isWhole = await new Promise<boolean>((resolve, reject) => {
      let length = 0;
      request.on("data", (chunk: Uint8Array) => {
        length += chunk.length;
        if (length <= limit) return void chunks.push(chunk);
        request.pause();
        resolve(false);
      });
      request.on("end", () => resolve(true));
      request.on("error", reject);
      request.on("close", () => reject(new Error("The connection was closed before the end of the body")));
    });
    if (!isWhole) return undefined;
    return chunks.length === 1 ? chunks[0] : concat(chunks);
  }

  respond(status: number, fields: Fields, body: readonly BodyPiece[] = []): void {
    const response = this.#response;
    if (body.every((piece) => typeof piece === "string")) {
      // One text is sent in one piece with the head.
      const text = body.join("");
      const head: Record<string, string | number> = { ...fields };
      if (status !== 204) head["content-length"] = Buffer.byteLength(text);
      response.writeHead(status, head);
      return void response.end(text);
    }
    const parts = encoded(body);
    let length = 0;
    for (const part of parts) length += part.length;
    // One gathered write: concatenating the parts would cost more than the rest of the response.
    response.cork();
    response.writeHead(status, { ...fields, "content-length": length });
    for (const part of parts) response.write(part);
    response.end();
    response.uncork();
  }

  stream(status: number, fields: Fields): HttpStream {
    const response = this.#response;
    let full: Promise<void> | undefined;
    response.writeHead(status, { ...fields });
    response.flushHeaders();
    // A write to a connection that was just closed is noticed by its "close" event.
    response.on("error", () => {});
    return {
      write(pieces): Promise<void> | undefined {
        if (response.destroyed) return undefined;
        response.cork();
        for (const part of encoded(pieces)) response.write(part);
        response.uncork();
        if (!response.writableNeedDrain) return undefined;
        return full ??= new Promise((resolve) => {
          const settle = () => {
            full = undefined;
            resolve();
          };
          response.once("drain", settle);
          response.once("close", settle);
        });
      },
      end: () => {
        if (!response.destroyed) response.end();
      },
      cut: () => void response.destroy(),
    };
  }

  onDisconnect(callback: () => void): void {
    const response = this.#response;
    if (this.#request.socket.destroyed) return callback();
    response.once("close", () => {
      if (!response.writableFinished) callback();
    });
  }
}

/** The part of Node's buffers that is used here. */
declare const Buffer: { byteLength(text: string): number };
const encoder = new TextEncoder();

/** The pieces as bytes; consecutive texts are encoded together. */
function encoded(pieces: readonly BodyPiece[]): Uint8Array[] {
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
