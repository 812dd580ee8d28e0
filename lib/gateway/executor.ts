/**
 * How is a request sent and its answer read? Mechanics only: it does not check arguments, guard or interpret. What it keeps
 * to are limits, and the way that credentials take.
 */

import type { BaseUrl } from "./base_url.ts";
import type { Credential } from "./credential.ts";
import type { PlannedRequest } from "./request.ts";
import { withCredentials, withoutCredentials } from "./credential.ts";
import { Gate } from "./gate.ts";

/** As much of the web platform's `fetch` as is used. */
export type Fetch = (url: URL, init: RequestInit) => Promise<Response>;

/** What came back. */
export interface Answer {
  /** The status. */
  readonly status: number;
  /** The media type in lower case, without parameters; "" when nothing is said. */
  readonly type: string;
  /** The character set that the type names, in lower case; undefined when it names none. */
  readonly charset: string | undefined;
  /** What `Retry-After` says, as it is. */
  readonly retryAfter: string | undefined;
  /** The whole body. */
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** Why there is no answer. */
export type Failure = "connection" | "redirect" | "stream" | "timeout" | "too_large";

/** There is no whole answer. The message is for the operator's log. */
export class UpstreamError extends Error {
  /** Names the class in logs. */
  override readonly name = "UpstreamError";
  /** Why. */
  readonly kind: Failure;
  /** The status, where there was one. */
  readonly status: number | undefined;

  /** Says what went wrong on the way. */
  constructor(kind: Failure, message: string, status?: number, options?: ErrorOptions) {
    super(message, options);
    this.kind = kind;
    this.status = status;
  }
}

/** How far an executor goes. */
export interface ExecutorLimits {
  /** The largest answer, in bytes after decompression. */
  readonly maxBytes: number;
  /** How many requests are under way at once. */
  readonly concurrency: number;
}

/** More hops than any API needs. */
const MAX_REDIRECTS = 5;

/** Sends requests. */
export class Executor {
  readonly #base: BaseUrl;
  readonly #fetch: Fetch;
  readonly #limits: ExecutorLimits;
  readonly #gate: Gate;

  /** Takes where credentials may go to, and how far to go. */
  constructor(base: BaseUrl, fetch: Fetch, limits: ExecutorLimits) {
    this.#base = base;
    this.#fetch = fetch;
    this.#limits = limits;
    this.#gate = new Gate(limits.concurrency);
  }

  /**
   * Sends a request and reads its answer, whatever it says.
   *
   * @param timeoutMs For everything: waiting for other requests, redirects and the last byte.
   * @param signal Stops it.
   * @throws {UpstreamError} When there is no whole answer.
   * @throws {unknown} The reason of the signal.
   */
  async send(
    request: PlannedRequest,
    credentials: readonly Credential[],
    timeoutMs: number,
    signal: AbortSignal,
  ): Promise<Answer> {
    const controller = new AbortController();
    const stop = () => controller.abort(signal.reason);
    const timeout = new UpstreamError("timeout", `There was no whole answer within ${timeoutMs} ms`);
    const timer = setTimeout(() => controller.abort(timeout), timeoutMs);
    signal.addEventListener("abort", stop);
    try {
      signal.throwIfAborted();
      await this.#gate.enter(controller.signal);
      try {
        const response = await this.#follow(request, credentials, controller.signal);
        return await this.#read(response, controller);
      } finally {
        this.#gate.leave();
      }
    } catch (cause) {
      // Whatever a stopped request throws: what stopped it is the reason.
      if (controller.signal.aborted) throw controller.signal.reason;
      if (cause instanceof UpstreamError) throw cause;
      throw new UpstreamError("connection", "The connection broke or never came about", undefined, { cause });
    } finally {
      clearTimeout(timer);
      signal.removeEventListener("abort", stop);
    }
  }

  /** Follows redirects within the origin; credentials leave the base with none of them. */
  async #follow(
    { method, url, headers, body }: PlannedRequest,
    credentials: readonly Credential[],
    signal: AbortSignal,
  ): Promise<Response> {
    let target = url;
    for (let hops = 0;; hops++) {
      const own = this.#base.covers(target) ? credentials : [];
      const signed = withCredentials(target, headers, own);
      const response = await this.#fetch(signed.url, {
        method,
        headers: signed.headers,
        ...(body === undefined ? {} : { body }),
        redirect: "manual",
        credentials: "omit",
        referrerPolicy: "no-referrer",
        signal,
      });
      const { status } = response;
      if (status === 0 || response.type === "opaqueredirect") {
        throw new UpstreamError("redirect", "The redirect cannot be looked at here");
      }
      if (![301, 302, 303, 307, 308].includes(status)) return response;
      await discard(response);
      if (method !== "GET" && method !== "HEAD") {
        throw new UpstreamError(
          "redirect",
          `${method} was redirected: another request was not agreed to`,
          status,
        );
      }
      if (hops >= MAX_REDIRECTS) throw new UpstreamError("redirect", "There were too many redirects", status);
      // Where the API says what it was asked, the credential is in there: it leaves the base no more than any other.
      target = withoutCredentials(
        this.#next(response.headers.get("location"), target, status),
        credentials,
      );
    }
  }

  #next(location: string | null, from: URL, status: number): URL {
    if (location === null || !URL.canParse(location, from)) {
      throw new UpstreamError("redirect", "A redirect led to nowhere", status);
    }
    const next = new URL(location, from);
    if (next.origin !== this.#base.origin || next.username !== "" || next.password !== "") {
      throw new UpstreamError("redirect", "A redirect led to another origin", status);
    }
    return next;
  }

  async #read(response: Response, controller: AbortController): Promise<Answer> {
    const { status, headers } = response;
    const [type = "", ...parameters] = (headers.get("content-type") ?? "").toLowerCase().split(";")
      .map((part) => part.trim());
    const charset = parameters.find((part) => part.startsWith("charset="))?.slice(8).replaceAll('"', "");
    if (type === "text/event-stream") {
      await discard(response);
      throw new UpstreamError("stream", "The answer is a stream of events, which has no end", status);
    }
    const bytes = await readAll(response, this.#limits.maxBytes, controller.signal);
    return { status, type, charset, retryAfter: headers.get("retry-after") ?? undefined, bytes };
  }
}

async function readAll(
  response: Response,
  maxBytes: number,
  signal: AbortSignal,
): Promise<Uint8Array<ArrayBuffer>> {
  const reader = response.body?.getReader();
  if (!reader) return new Uint8Array();
  const chunks: Uint8Array[] = [];
  let length = 0;
  // Not every fetch stops a body that is being read.
  const stop = () => void reader.cancel().catch(() => {});
  signal.addEventListener("abort", stop);
  try {
    for (;;) {
      const { done, value } = await reader.read();
      signal.throwIfAborted();
      if (done) break;
      length += value.length;
      if (length > maxBytes) {
        stop();
        throw new UpstreamError("too_large", `The answer has more than ${maxBytes} bytes`, response.status);
      }
      chunks.push(value);
    }
  } finally {
    signal.removeEventListener("abort", stop);
  }
  const whole = new Uint8Array(length);
  let at = 0;
  for (const chunk of chunks) {
    whole.set(chunk, at);
    at += chunk.length;
  }
  return whole;
}

/** Lets go of a body that nobody wants. */
async function discard(response: Response): Promise<void> {
  // The connection may be gone already, which is all that is wanted.
  await response.body?.cancel().catch(() => {});
}
