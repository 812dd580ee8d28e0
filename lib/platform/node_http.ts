/** Answers HTTP with Node's own request and response: on Node, web objects cost more than the rest of a small response. */

import type { BodyPiece, HttpExchange, HttpResponder } from "./http.ts";
import { concat, joinTexts } from "../base/bytes.ts";
import { CHUNK_BYTES, MIN_CHUNKS, SEND_TIMEOUT_MS, SMALL_BYTES, TOO_MANY_CHUNKS } from "./http.ts";
import { hostAndPort } from "./tcp.ts";
import { Gate } from "./streams.ts";

/** The part of `http.IncomingMessage` that is used. */
export type NodeRequest = {
  readonly method?: string | undefined;
  readonly url?: string | undefined;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly destroyed?: boolean;
  readonly socket: {
    readonly remoteAddress?: string | undefined;
    readonly remotePort?: number | undefined;
    setTimeout(ms: number): unknown;
    destroy?(): unknown;
  };
  readonly complete?: boolean;
  on(event: string, listener: (chunk: Uint8Array) => void): unknown;
  pause(): unknown;
};

/** The part of `http.ServerResponse` that is used. */
export type NodeResponse = Record<"flushHeaders" | "cork" | "uncork", () => void> & {
  readonly destroyed: boolean;
  readonly writableNeedDrain: boolean;
  readonly writableLength: number;
  writeHead(status: number, fields: Record<string, string | number>): unknown;
  write(piece: BodyPiece): boolean;
  end(piece?: BodyPiece): unknown;
  destroy(): unknown;
  on(event: string, listener: () => void): unknown;
};

/** The part of `Buffer` that is used. */
declare const Buffer: { byteLength(piece: BodyPiece): number };

/** How much of a refused body is read, in bytes, so that the client can read why; each chunk counts 512 more. */
const MAX_DISCARDED = 8 * 1024 * 1024;

/** The addresses of the open connections, which many requests share. */
const addresses = new WeakMap<NodeRequest["socket"], string | undefined>();

function addressOf(socket: NodeRequest["socket"]): string | undefined {
  if (!addresses.has(socket)) addresses.set(socket, hostAndPort(socket.remoteAddress, socket.remotePort));
  return addresses.get(socket);
}

/** Limits how long the client may take to read a complete response that the system has not taken as a whole. */
function watch(exchange: HttpExchange, socket: NodeRequest["socket"], response: NodeResponse): void {
  if (response.destroyed) return;
  socket.setTimeout(exchange.sendTimeoutMs);
  exchange.sent = new Promise<void>((resolve) => response.on("close", resolve));
}

/** Reads the rest of a body that nobody wants, as Node does. Ends the connection if it is long, or in many small chunks. */
function discard(request: NodeRequest): void {
  let left = MAX_DISCARDED;
  request.on("data", ({ length }) => {
    left -= length + CHUNK_BYTES;
    if (left < 0) request.socket.destroy?.();
  });
}

/**
 * Makes a listener from a handler, or from its `respond`, for `http.createServer` or a framework that passes on Node's own
 * objects. It loads no module of Node.
 *
 * @example
 * ```ts
 * import { createServer as createNodeServer } from "node:http";
 * import { createServer } from "@architrave/architrave";
 * import { createHttpHandler, nodeListener } from "@architrave/architrave/http";
 *
 * const handler = createHttpHandler(createServer({ info: { name: "docs", version: "1.0.0" } }));
 * createNodeServer(nodeListener(handler)).listen(8080, "127.0.0.1");
 * ```
 */
export function nodeListener(
  handler: HttpResponder | { readonly respond: HttpResponder },
): (request: NodeRequest, response: NodeResponse) => void {
  const respond = typeof handler === "function" ? handler : handler?.respond;
  if (typeof respond !== "function") {
    throw new TypeError("Cannot make a listener: give nodeListener() what createHttpHandler() has returned");
  }
  return (request, response) => {
    const { method = "", url = "", headers, socket } = request;
    void respond({
      method,
      target: url,
      remoteAddress: addressOf(socket),
      noticesLeaving: true,
      sendTimeoutMs: SEND_TIMEOUT_MS,
      header: (name) => {
        const value = headers[name];
        return typeof value === "object" ? value.join(", ") : value;
      },
      readBody(limit, reserve) {
        // If the client has already disconnected, no event follows.
        if (request.destroyed) return Promise.reject(new Error("The connection is closed"));
        const stated = Number(headers["content-length"] ?? NaN);
        if (stated > limit) return Promise.resolve(undefined);
        if (stated > SMALL_BYTES) reserve(stated);
        const { promise, resolve, reject } = Promise.withResolvers<Uint8Array | undefined>();
        const chunks: Uint8Array[] = [];
        let length = 0;
        request.on("data", (chunk: Uint8Array) => {
          length += chunk.length;
          try {
            if (Number.isNaN(stated)) reserve(chunk.length);
            if (chunks.length > MIN_CHUNKS + length / CHUNK_BYTES) throw new Error(TOO_MANY_CHUNKS);
            if (length <= limit) return void chunks.push(chunk);
            resolve(undefined);
          } catch (cause) {
            reject(cause);
          }
          request.pause();
        });
        request.on("end", () => resolve(chunks.length === 1 ? chunks[0] : concat(chunks)));
        // "close" also follows an error, so "error" needs no listener.
        request.on("close", reject);
        return promise;
      },
      respond(status, fields, body = []) {
        const head: Record<string, string | number> = { ...this.fields, ...fields };
        const parts = joinTexts(body);
        let length = 0;
        for (const part of parts) length += Buffer.byteLength(part);
        if (status !== 204) head["content-length"] = length;
        // The parts leave in one write. To concatenate them would cost more than the rest of the response.
        response.cork();
        response.writeHead(status, head);
        const last = parts.pop();
        for (const part of parts) response.write(part);
        response.end(last);
        response.uncork();
        if (response.writableLength > 0) watch(this, socket, response);
        if (request.complete === false) discard(request);
      },
      stream(status, fields) {
        response.writeHead(status, { ...this.fields, ...fields });
        response.flushHeaders();
        const buffer = new Gate();
        response.on("drain", () => buffer.open());
        response.on("close", () => buffer.open());
        // A write to a connection that has just closed fails; its "close" event is enough.
        response.on("error", () => {});
        return {
          write(pieces) {
            if (response.destroyed) return undefined;
            response.cork();
            for (const part of joinTexts(pieces)) response.write(part);
            response.uncork();
            if (response.writableNeedDrain) buffer.close();
            return buffer.opened;
          },
          end: () => {
            if (response.destroyed) return;
            response.end();
            if (response.writableLength > 0) watch(this, socket, response);
          },
          cut: () => void response.destroy(),
        };
      },
      onDisconnect(callback) {
        if (response.destroyed) queueMicrotask(callback);
        else response.on("close", callback);
      },
    });
  };
}
