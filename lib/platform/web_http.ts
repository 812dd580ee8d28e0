/** Answers HTTP with web objects (`Request`, `Response`): for Deno, which is fast with them, and other runtimes. */

import type { BodyPiece, HttpResponder } from "./http.ts";
import { pause } from "../base/async.ts";
import { concat, joinTexts, sizeOf } from "../base/bytes.ts";
import { readChunks } from "../base/responses.ts";
import { CHUNK_BYTES, MIN_CHUNKS, SEND_TIMEOUT_MS, SMALL_BYTES, TOO_MANY_CHUNKS } from "./http.ts";
import { Gate } from "./streams.ts";

/** What a runtime knows about a request, in addition to the `Request`. */
export interface FetchInfo {
  /** The address and port of the client: "127.0.0.1:51820". */
  readonly remoteAddress?: string | undefined;
  /** Settles when the response was sent or has failed. Read only for a response that may take a while. @default {not known} */
  readonly completed?: Promise<unknown> | undefined;
}

/** High-water mark of a stream, in bytes: about the size of the socket buffers. */
const BUFFER_BYTES = 64 * 1024;
/** How many times within `sendTimeoutMs` it is checked whether the client reads. */
const CHECKS = 10;

const encoder = new TextEncoder();

function encoded(pieces: readonly BodyPiece[]): Uint8Array[] {
  return joinTexts(pieces).map((piece) => typeof piece === "string" ? encoder.encode(piece) : piece);
}

/** Waits until the client has read what is queued. Drops the rest if the client reads nothing for `timeoutMs`. */
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

/** Makes a function that answers a `Request` with a `Response`. */
export function fetchListener(
  respond: HttpResponder,
): (request: Request, info?: FetchInfo) => Promise<Response> {
  return (request, info) =>
    new Promise((resolve) => {
      const { headers, method, url } = request;
      const ondisconnect: (() => void)[] = [];
      let hasLeft = false, isRead = false;
      const leave = () => {
        hasLeft = true;
        for (const callback of ondisconnect.splice(0)) callback();
      };
      void respond({
        method,
        target: url,
        remoteAddress: info?.remoteAddress,
        // Deno notices a disconnect after the request only when it writes to the client.
        noticesLeaving: false,
        sendTimeoutMs: SEND_TIMEOUT_MS,
        header: (name) => headers.get(name) ?? undefined,
        async readBody(limit, reserve) {
          const stated = Number(headers.get("content-length") ?? NaN);
          if (stated > limit) return undefined;
          if (stated > SMALL_BYTES) reserve(stated);
          // The runtime has checked the length. A long body would take several times the memory if it were read as a whole.
          if (stated <= BUFFER_BYTES) {
            isRead = true;
            return new Uint8Array(await request.arrayBuffer());
          }
          const chunks: Uint8Array[] = [];
          let length = 0;
          for await (const chunk of readChunks(request)) {
            length += chunk.length;
            if (length > limit) return undefined;
            if (Number.isNaN(stated)) reserve(chunk.length);
            if (chunks.length > MIN_CHUNKS + length / CHUNK_BYTES) throw new Error(TOO_MANY_CHUNKS);
            chunks.push(chunk);
          }
          isRead = true;
          return concat(chunks);
        },
        respond(status, fields, body) {
          // Deno would read the rest of a refused body. The announced length is one byte too long, so it closes the connection.
          const stated = headers.get("content-length");
          // On Deno, a DELETE without a body has a stream for it.
          const isLong = stated === null
            ? method === "POST" || headers.has("transfer-encoding")
            : Number(stated) > BUFFER_BYTES;
          const isCut = !isRead && request.body !== null && isLong;
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
          }, { highWaterMark: BUFFER_BYTES, size: (chunk) => chunk!.length });
          resolve(new Response(body, { status, headers: { ...this.fields, ...fields } }));
          return {
            write(pieces) {
              if (isOver) return undefined;
              const parts = encoded(pieces);
              // Short parts are queued as one chunk. Long parts are split without a copy.
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
/** The texts of bytes that are sent often because they are cached. */
const texts = new WeakMap<Uint8Array, string>();
/** The body as text, if possible: it costs much less than bytes, which the runtime copies. */
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
    // The bytes may end within a character.
  }
  return text;
}
