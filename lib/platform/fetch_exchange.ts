/** How does a web `Request` become an exchange, and its answer a `Response`? What every runtime with web APIs shares. */

import type { BodyPiece, Fields, HttpExchange, HttpResponder, HttpStream } from "./http.ts";

/** What a `Request` does not say of itself. */
export interface FetchInfo {
  /** Who asks: "127.0.0.1:51820". */
  readonly remoteAddress?: string | undefined;
  /** Called when an answer is about to begin that may take its time to leave. @default {nobody} */
  onlong?(): void;
}

/** Makes a function from requests to responses. */
export function fetchListener(
  respond: HttpResponder,
): (request: Request, info?: FetchInfo) => Promise<Response> {
  return (request, info) => {
    const exchange = new FetchExchange(request, info);
    void respond(exchange);
    return exchange.response;
  };
}

/** What fits into the buffers of the system leaves at once. */
const LONG = 64 * 1024;
/** How much of a stream may wait for a reader before it is full, in bytes. */
const ROOM_BYTES = 64 * 1024;

class FetchExchange implements HttpExchange {
  /** Deno does not look whether a client is there whose body came after its head, as long as nothing is written to it. */
  readonly noticesLeaving = false;
  readonly response: Promise<Response>;
  readonly #request: Request;
  readonly #info: FetchInfo | undefined;
  readonly #resolve: (response: Response) => void;
  #stream: FetchStream | undefined;
  #isGone = false;
  readonly #ondisconnect: (() => void)[] = [];

  constructor(request: Request, info: FetchInfo | undefined) {
    this.#request = request;
    this.#info = info;
    const { promise, resolve } = Promise.withResolvers<Response>();
    this.response = promise;
    this.#resolve = resolve;
  }

  get remoteAddress(): string | undefined {
    return this.#info?.remoteAddress;
  }

  get remoteHost(): string | undefined {
    const address = this.#info?.remoteAddress;
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
    const stated = request.headers.get("content-length");
    if (Number(stated ?? 0) > limit) return undefined;
    // A length that is stated is kept to by whoever parsed the request.
    if (stated !== null) return new Uint8Array(await request.arrayBuffer());
    const chunks: Uint8Array[] = [];
    let length = 0;
    for (const reader = request.body?.getReader(); reader;) {
      const { done, value } = await reader.read();
      if (done) break;
      length += value.length;
      if (length > limit) {
        void reader.cancel().catch(() => {});
        return undefined;
      }
      chunks.push(value);
    }
    return joined(chunks);
  }

  respond(status: number, fields: Fields, body?: readonly BodyPiece[]): void {
    const whole = body ? toBody(body) : null;
    if (whole !== null && whole.length > LONG) this.#info?.onlong?.();
    this.#resolve(new Response(whole, { status, headers: fields }));
  }

  stream(status: number, fields: Fields): HttpStream {
    this.#info?.onlong?.();
    this.#stream = new FetchStream();
    this.#stream.oncancel = () => this.#leave();
    this.#resolve(new Response(this.#stream.readable, { status, headers: fields }));
    return this.#stream;
  }

  onDisconnect(callback: () => void): void {
    if (this.#isGone) return callback();
    if (this.#ondisconnect.push(callback) > 1) return;
    const { signal } = this.#request;
    if (signal.aborted) return this.#leave();
    signal.addEventListener("abort", () => this.#leave(), { once: true });
  }

  #leave(): void {
    this.#isGone = true;
    for (const callback of this.#ondisconnect.splice(0)) callback();
  }
}

class FetchStream implements HttpStream {
  readonly readable: ReadableStream<Uint8Array>;
  oncancel: (() => void) | undefined;
  #controller!: ReadableStreamDefaultController<Uint8Array>;
  #isOver = false;
  #room: PromiseWithResolvers<void> | undefined;

  constructor() {
    this.readable = new ReadableStream<Uint8Array>({
      start: (controller) => void (this.#controller = controller),
      pull: () => this.#makeRoom(),
      cancel: () => {
        this.#isOver = true;
        this.#makeRoom();
        this.oncancel?.();
      },
    }, { highWaterMark: ROOM_BYTES, size: (chunk) => chunk.length });
  }

  write(pieces: readonly BodyPiece[]): Promise<void> | undefined {
    if (this.#isOver) return undefined;
    this.#controller.enqueue(toBytes(pieces));
    if ((this.#controller.desiredSize ?? 1) > 0) return undefined;
    this.#room ??= Promise.withResolvers<void>();
    return this.#room.promise;
  }

  end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#controller.close();
  }

  cut(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#controller.error(new Error("The reader takes nothing"));
    this.#makeRoom();
  }

  #makeRoom(): void {
    this.#room?.resolve();
    this.#room = undefined;
  }
}

const encoder = new TextEncoder();

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
/** Bytes that are kept go out often; undefined where they are no text by themselves. */
const texts = new WeakMap<Uint8Array, { readonly text: string | undefined }>();
/** Longer ones are not kept twice. */
const MAX_TEXT = 64 * 1024;

function toBody(pieces: readonly BodyPiece[]): string | Uint8Array<ArrayBuffer> {
  let whole = "";
  for (const piece of pieces) {
    const text = typeof piece === "string" ? piece : textOf(piece);
    if (text === undefined) return toBytes(pieces);
    whole += text;
  }
  return whole;
}

/** A text costs much less to answer with than bytes, for which memory has to be found twice. */
function textOf(bytes: Uint8Array): string | undefined {
  if (bytes.length > MAX_TEXT) return undefined;
  let known = texts.get(bytes);
  if (!known) {
    try {
      known = { text: decoder.decode(bytes) };
    } catch {
      known = { text: undefined };
    }
    texts.set(bytes, known);
  }
  return known.text;
}

/** A longer text is encoded by itself: what is made room for here is three bytes for each unit of UTF-16. */
const MAX_SHORT = 4096;

/** All pieces in one stretch of memory, which is asked for once: that costs more than what is written into it. */
function toBytes(pieces: readonly BodyPiece[]): Uint8Array<ArrayBuffer> {
  const parts = pieces.map((piece) =>
    typeof piece === "string" && piece.length > MAX_SHORT ? encoder.encode(piece) : piece
  );
  let room = 0;
  for (const part of parts) room += typeof part === "string" ? part.length * 3 : part.length;
  const bytes = new Uint8Array(room);
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

function joined(chunks: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  let length = 0;
  for (const chunk of chunks) length += chunk.length;
  const bytes = new Uint8Array(length);
  let offset = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, offset);
    offset += chunk.length;
  }
  return bytes;
}
