/** HTTP exchanges on Node's own objects and on web objects, which Deno is fast with, but cost Node more than a small response. */

import { Gate, pause } from "../base/async.ts";
import { concat, sizeOf } from "../base/bytes.ts";
import { readChunks } from "../base/http.ts";
import { hostAndPort } from "./tcp.ts";

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
export interface ListenOptions {
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
export interface Listening {
  readonly hostname: string;
  readonly port: number;
  /** Accepts no further connections, where the runtime can do that while others are open. */
  stop(): void;
  /** Closes all connections: each when its response is sent, at the latest after this time. */
  close(graceMs: number): Promise<void>;
}

/** Listens with the adapter of the current runtime; rejects when the port cannot be had. */
export async function listenOn(options: ListenOptions, respond: HttpResponder): Promise<Listening> {
  if ("Deno" in globalThis) {
    return await (await import("./deno_net.ts")).listenHttp(options, fetchListener(respond));
  }
  return await (await import("./node_net.ts")).listenHttp(options, nodeListener(respond));
}

/** Sends a request that `fetch` refuses: GET or HEAD with a body. Redirects are not followed, and nothing is decompressed. */
export async function requestWithBody(url: URL, init: RequestInit): Promise<Response> {
  return await (await import("./node_net.ts")).requestWithBody(url, init);
}

/** The default of `sendTimeoutMs`. */
const SEND_TIMEOUT_MS = 30_000;
/** Bodies of at most so many bytes are not counted: the number of requests bounds them. */
export const SMALL_BYTES: number = 16 * 1024;
/** A body may come in so many pieces, and one more for so many bytes: each costs much more than a byte. */
const MAX_PIECES = 256, PIECE_BYTES = 512, TOO_MANY = "The body comes in too many pieces";
const encoder = new TextEncoder();

/** The pieces with consecutive texts as one. */
function merged(pieces: readonly BodyPiece[]): BodyPiece[] {
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

function encoded(pieces: readonly BodyPiece[]): Uint8Array[] {
  return merged(pieces).map((piece) => typeof piece === "string" ? encoder.encode(piece) : piece);
}

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
  };
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

/** Limits the time that a client has to read a complete response, if the system has not taken all of it. */
function watch(exchange: HttpExchange, socket: NodeRequest["socket"], response: NodeResponse): void {
  if (response.destroyed) return;
  socket.setTimeout(exchange.sendTimeoutMs);
  exchange.sent = new Promise<void>((resolve) => response.on("close", resolve));
}

/**
 * Makes a listener of a handler, or of its `respond`, for `http.createServer` or a framework that passes on Node's own
 * objects. Nothing of Node is loaded.
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
      remoteAddress: hostAndPort(socket.remoteAddress, socket.remotePort),
      noticesLeaving: true,
      sendTimeoutMs: SEND_TIMEOUT_MS,
      header: (name) => {
        const value = headers[name];
        return typeof value === "object" ? value.join(", ") : value;
      },
      readBody(limit, reserve) {
        // The client may have left before: then no event comes any more.
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
            if (chunks.length > MAX_PIECES + length / PIECE_BYTES) throw new Error(TOO_MANY);
            if (length <= limit) return void chunks.push(chunk);
            resolve(undefined);
          } catch (cause) {
            reject(cause);
          }
          request.pause();
        });
        request.on("end", () => resolve(chunks.length === 1 ? chunks[0] : concat(chunks)));
        // Also emitted after an error, which needs no listener.
        request.on("close", reject);
        return promise;
      },
      respond(status, fields, body = []) {
        const head: Record<string, string | number> = { ...this.fields, ...fields };
        const parts = merged(body);
        let length = 0;
        for (const part of parts) length += Buffer.byteLength(part);
        if (status !== 204) head["content-length"] = length;
        // One gathered write: concatenating the parts would cost more than the rest of the response.
        response.cork();
        response.writeHead(status, head);
        const last = parts.pop();
        for (const part of parts) response.write(part);
        response.end(last);
        response.uncork();
        if (response.writableLength > 0) watch(this, socket, response);
      },
      stream(status, fields) {
        response.writeHead(status, { ...this.fields, ...fields });
        response.flushHeaders();
        const buffer = new Gate();
        response.on("drain", () => buffer.open());
        response.on("close", () => buffer.open());
        // A write to a connection that was just closed is noticed by its "close" event.
        response.on("error", () => {});
        return {
          write(pieces) {
            if (response.destroyed) return undefined;
            response.cork();
            for (const part of merged(pieces)) response.write(part);
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

/** The part of Node's buffers that is used here. */
declare const Buffer: { byteLength(piece: BodyPiece): number };

/** What a `Request` does not tell about itself. */
export interface FetchInfo {
  /** The address and port of the client: "127.0.0.1:51820". */
  readonly remoteAddress?: string | undefined;
  /** Settles when the response was sent, or cannot be. Only read when the response may take a while. @default {not known} */
  readonly completed?: Promise<unknown> | undefined;
}

/** How much fits into the buffers of the system, and so much of a stream may wait before its writers do. */
const BUFFER_BYTES = 64 * 1024;
/** How often it is checked whether a client still reads, within the time that it has. */
const CHECKS = 10;

/** Waits until the client has read what is queued; drops it when nothing was read for a while. */
async function drain(queue: ReadableStreamDefaultController, timeoutMs: number): Promise<void> {
  let stalled = 0;
  for (let before: number | null = null; stalled < CHECKS;) {
    await pause(timeoutMs / CHECKS);
    const { desiredSize } = queue;
    if (desiredSize === null || desiredSize >= 0) return;
    stalled = desiredSize === before ? stalled + 1 : 0;
    before = desiredSize;
  }
  queue.error(new Error("The client did not read the response"));
}

/** Makes a function from requests to responses, on any runtime that has these objects. */
export function fetchListener(
  respond: HttpResponder,
): (request: Request, info?: FetchInfo) => Promise<Response> {
  return (request, info) =>
    new Promise((resolve) => {
      const { headers, method, url } = request;
      const ondisconnect: (() => void)[] = [];
      let hasLeft = false;
      const leave = () => {
        hasLeft = true;
        for (const callback of ondisconnect.splice(0)) callback();
      };
      void respond({
        method,
        target: url,
        remoteAddress: info?.remoteAddress,
        // Deno does not notice a client that disconnects after its request until something is written to it.
        noticesLeaving: false,
        sendTimeoutMs: SEND_TIMEOUT_MS,
        header: (name) => headers.get(name) ?? undefined,
        async readBody(limit, reserve) {
          const stated = Number(headers.get("content-length") ?? NaN);
          if (stated > limit) return undefined;
          if (stated > SMALL_BYTES) reserve(stated);
          // The runtime has checked that the body has the stated length. As a whole, it takes several times the memory.
          if (stated <= BUFFER_BYTES) return new Uint8Array(await request.arrayBuffer());
          const chunks: Uint8Array[] = [];
          let length = 0;
          for await (const chunk of readChunks(request)) {
            length += chunk.length;
            if (length > limit) return undefined;
            if (Number.isNaN(stated)) reserve(chunk.length);
            if (chunks.length > MAX_PIECES + length / PIECE_BYTES) throw new Error(TOO_MANY);
            chunks.push(chunk);
          }
          return concat(chunks);
        },
        respond(status, fields, body) {
          // Deno reads the rest of a refused body, but closes the connection when the response is shorter than it says.
          const isCut = fields["connection"] === "close" && request.body !== null &&
            Number(headers.get("content-length") ?? Infinity) > BUFFER_BYTES;
          if (body && (isCut || sizeOf(body) > BUFFER_BYTES)) {
            const parts = encoded(body);
            const length = `${sizeOf(parts) + (isCut ? 1 : 0)}`;
            const stream = this.stream(status, { ...fields, "content-length": length });
            void stream.write(parts);
            return stream.end();
          }
          const whole = body ? toBody(body) : null;
          resolve(new Response(whole, { status, headers: { ...this.fields, ...fields } }));
        },
        stream(status, fields) {
          this.sent = info?.completed;
          let isOver = false;
          let controller!: ReadableStreamDefaultController<Uint8Array>;
          const buffer = new Gate();
          const finish = (close: () => void) => {
            if (isOver) return;
            isOver = true;
            close();
            buffer.open();
          };
          const body = new ReadableStream<Uint8Array>({
            start: (own) => void (controller = own),
            pull: () => buffer.open(),
            cancel: () => finish(leave),
          }, { highWaterMark: BUFFER_BYTES, size: (chunk) => chunk.length });
          resolve(new Response(body, { status, headers: { ...this.fields, ...fields } }));
          return {
            write(pieces) {
              if (isOver) return undefined;
              const parts = encoded(pieces);
              // Long ones are not copied, and are taken in pieces.
              for (const part of sizeOf(parts) > BUFFER_BYTES ? parts : [concat(parts)]) {
                for (let start = 0; start < part.length; start += BUFFER_BYTES) {
                  controller.enqueue(part.subarray(start, start + BUFFER_BYTES));
                }
              }
              if ((controller.desiredSize ?? 1) <= 0) buffer.close();
              return buffer.opened;
            },
            end: () => {
              if (isOver) return;
              isOver = true;
              controller.close();
              this.sent ??= buffer.opened;
              if (buffer.opened) void drain(controller, this.sendTimeoutMs).then(() => buffer.open());
            },
            cut: () => finish(() => controller.error(new Error("The response was abandoned"))),
          };
        },
        onDisconnect(callback) {
          if (hasLeft) return queueMicrotask(callback);
          if (ondisconnect.push(callback) > 1) return;
          const { signal } = request;
          if (signal.aborted) return queueMicrotask(leave);
          signal.addEventListener("abort", leave, { once: true });
        },
      });
    });
}

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
/** Texts of cached bytes, which are sent often. */
const texts = new WeakMap<Uint8Array, string>();
/** Responding with text costs much less than with bytes, which the runtime copies. */
function toBody(pieces: readonly BodyPiece[]): string | Uint8Array<ArrayBuffer> {
  let whole = "";
  for (const piece of pieces) {
    const text = typeof piece === "string" ? piece : textOf(piece);
    if (text === undefined) return concat(encoded(pieces));
    whole += text;
  }
  return whole;
}

function textOf(bytes: Uint8Array): string | undefined {
  let text = texts.get(bytes);
  if (text !== undefined || bytes.length > BUFFER_BYTES) return text;
  try {
    texts.set(bytes, text = decoder.decode(bytes));
  } catch {
    // A character may be cut at the end.
  }
  return text;
}
