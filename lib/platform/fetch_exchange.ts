/** HTTP exchanges over web `Request` and `Response` objects, on any runtime that has them. */

import type { BodyPiece, Fields, HttpExchange, HttpResponder, HttpStream } from "./http.ts";
import { readBytes } from "../base/http.ts";

/** What a `Request` does not tell about itself. */
export interface FetchInfo {
  /** The address and port of the client: "127.0.0.1:51820". */
  readonly remoteAddress?: string | undefined;
  /** Called when a response begins that may take a while to be sent. @default {not called} */
  onlong?(): void;
}

/** Makes a function from requests to responses. */
export function fetchListener(
  respond: HttpResponder,
): (request: Request, info?: FetchInfo) => Promise<Response> {
  return (request, info) => new Promise((resolve) => void respond(new FetchExchange(request, info, resolve)));
}

/** What fits into the buffers of the system is sent at once. */
const LONG_BYTES = 64 * 1024;
/** How much of a stream may be buffered before writers wait. */
const BUFFER_BYTES = 64 * 1024;

class FetchExchange implements HttpExchange {
  /** Deno does not notice a client that disconnects after its request until something is written to it. */
  readonly noticesLeaving = false;
  readonly #request: Request;
  readonly #info: FetchInfo | undefined;
  readonly #resolve: (response: Response) => void;
  #hasLeft = false;
  readonly #ondisconnect: (() => void)[] = [];

  constructor(request: Request, info: FetchInfo | undefined, resolve: (response: Response) => void) {
    this.#request = request;
    this.#info = info;
    this.#resolve = resolve;
  }

  get remoteAddress(): string | undefined {
    return this.#info?.remoteAddress;
  }

  get remoteHost(): string | undefined {
    const address = this.remoteAddress;
    return address?.slice(0, address.lastIndexOf(":"));
  }

  get method(): string {
    return this.#request.method;
  }

  get target(): string {
    return this.#request.url;
  }

  header(name: string): string | undefined {
    return this.#request.headers.get(name) ?? undefined;
  }

  async readBody(limit: number): Promise<Uint8Array | undefined> {
    const request = this.#request;
    const length = this.header("content-length");
    // The runtime has checked that the body has the stated length.
    if (length === undefined) return await readBytes(request, limit);
    return Number(length) > limit ? undefined : new Uint8Array(await request.arrayBuffer());
  }

  respond(status: number, fields: Fields, body?: readonly BodyPiece[]): void {
    const whole = body ? toBody(body) : null;
    if (whole !== null && whole.length > LONG_BYTES) this.#info?.onlong?.();
    this.#resolve(new Response(whole, { status, headers: fields }));
  }

  stream(status: number, fields: Fields): HttpStream {
    this.#info?.onlong?.();
    let isOver = false;
    let controller!: ReadableStreamDefaultController<Uint8Array>;
    let full: PromiseWithResolvers<void> | undefined;
    const drain = () => {
      full?.resolve();
      full = undefined;
    };
    const finish = (close: () => void) => {
      if (isOver) return;
      isOver = true;
      close();
      drain();
    };
    const body = new ReadableStream<Uint8Array>({
      start: (own) => void (controller = own),
      pull: drain,
      cancel: () => finish(() => this.#leave()),
    }, { highWaterMark: BUFFER_BYTES, size: (chunk) => chunk.length });
    this.#resolve(new Response(body, { status, headers: fields }));
    return {
      write(pieces): Promise<void> | undefined {
        if (isOver) return undefined;
        controller.enqueue(toBytes(pieces));
        if ((controller.desiredSize ?? 1) > 0) return undefined;
        full ??= Promise.withResolvers<void>();
        return full.promise;
      },
      end: () => finish(() => controller.close()),
      cut: () => finish(() => controller.error(new Error("The response was abandoned"))),
    };
  }

  onDisconnect(callback: () => void): void {
    if (this.#hasLeft) return callback();
    if (this.#ondisconnect.push(callback) > 1) return;
    const { signal } = this.#request;
    if (signal.aborted) return this.#leave();
    signal.addEventListener("abort", () => this.#leave(), { once: true });
  }

  #leave(): void {
    this.#hasLeft = true;
    for (const callback of this.#ondisconnect.splice(0)) callback();
  }
}

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
/** Texts of cached bytes, which are sent often; "" for bytes that are no text by themselves. */
const texts = new WeakMap<Uint8Array, string>();
/** Longer ones are not kept twice. */
const MAX_TEXT_BYTES = 64 * 1024;

/** Responding with text costs much less than with bytes, which the runtime copies. */
function toBody(pieces: readonly BodyPiece[]): string | Uint8Array<ArrayBuffer> {
  let whole = "";
  for (const piece of pieces) {
    const text = typeof piece === "string" ? piece : textOf(piece);
    if (text === "" && piece.length > 0) return toBytes(pieces);
    whole += text;
  }
  return whole;
}

function textOf(bytes: Uint8Array): string {
  if (bytes.length > MAX_TEXT_BYTES) return "";
  let text = texts.get(bytes);
  if (text !== undefined) return text;
  try {
    text = decoder.decode(bytes);
  } catch {
    text = "";
  }
  texts.set(bytes, text);
  return text;
}

const encoder = new TextEncoder();
/** A longer text is encoded by itself: others get three bytes for each UTF-16 unit. */
const MAX_SHORT_TEXT = 4096;

/** All pieces in one array, which is allocated once: that costs more than what is written into it. */
function toBytes(pieces: readonly BodyPiece[]): Uint8Array<ArrayBuffer> {
  const parts = pieces.map((piece) =>
    typeof piece === "string" && piece.length > MAX_SHORT_TEXT ? encoder.encode(piece) : piece
  );
  let most = 0;
  for (const part of parts) most += typeof part === "string" ? part.length * 3 : part.length;
  const bytes = new Uint8Array(most);
  let end = 0;
  for (const part of parts) {
    if (typeof part === "string") end += encoder.encodeInto(part, bytes.subarray(end)).written;
    else {
      bytes.set(part, end);
      end += part.length;
    }
  }
  return bytes.subarray(0, end);
}
