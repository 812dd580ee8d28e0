/** Sends requests and reads their answers. */

import type { BaseUrl } from "./base_url.ts";
import type { Credential } from "./credential.ts";
import type { PlannedRequest } from "./request.ts";
import type { Semaphore } from "./semaphore.ts";
import { withDeadline } from "../base/deadline.ts";
import { discardBody, followRedirects, mediaType, readBytes } from "../base/responses.ts";
import { withCredentials } from "./credential.ts";

const MAX_REDIRECTS = 5;

/** The part of `fetch` that the gateway uses. */
export type Fetch = (url: URL, init: RequestInit) => Promise<Response>;

/** A complete answer of an API, of any status. */
export interface Answer extends Pick<Response, "status" | "headers"> {
  readonly type: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** Thrown when the API does not give a complete answer. */
export class UpstreamError extends Error {
  /** Names the class in logs. */
  override readonly name = "UpstreamError";
  /** Why the answer is missing or incomplete. */
  readonly kind: "address" | "connection" | "redirect" | "stream" | "timeout" | "too_large";
  /** The HTTP status, if the API sent one. */
  readonly status: number | undefined;

  /** Omit the status if the API sent none. */
  constructor(kind: UpstreamError["kind"], message: string, status?: number, options?: ErrorOptions) {
    super(message, options);
    this.kind = kind;
    this.status = status;
  }
}

/** What sending needs. */
export interface Sender {
  readonly base: BaseUrl;
  readonly fetch: Fetch;
  readonly semaphore: Semaphore;
  readonly maxBytes: number;
}

/** Sends a request and reads the whole answer. Credentials are sent only below the base. @throws {UpstreamError} */
export async function send(
  { method, url, headers, body }: PlannedRequest,
  credentials: readonly Credential[],
  { base, fetch, semaphore, maxBytes }: Sender,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<Answer> {
  const init = { method, redirect: "manual", credentials: "omit", referrerPolicy: "no-referrer" } as const;
  const request = (signal: AbortSignal) =>
    followRedirects(url, (url) => {
      const signed = withCredentials(url, headers, credentials, base.covers(url));
      return fetch(signed.url, { ...init, ...(body && { body }), headers: signed.headers, signal });
    }, ({ status, target, hops }) => {
      const isInside = target !== undefined && base.hasOrigin(target);
      if (isInside && hops < MAX_REDIRECTS && (method === "GET" || method === "HEAD")) return target;
      const where = isInside
        ? "within its origin"
        : target
        ? "to another origin"
        : "without a valid Location";
      const reason = `${method} was redirected ${where}, after ${hops} other redirects`;
      throw new UpstreamError("redirect", reason, status || undefined);
    });
  // A stream that the description names is read to its end.
  const isStream = headers["accept"]?.includes("text/event-stream") ?? false;
  const timeout = new UpstreamError("timeout", `There was no complete answer within ${timeoutMs} ms`);
  return await withDeadline(timeoutMs, timeout, signal, (signal) =>
    semaphore.run(signal, async () => {
      try {
        return await readAnswer(await request(signal), maxBytes, isStream, signal);
      } catch (cause) {
        if (cause instanceof UpstreamError) throw cause;
        throw new UpstreamError("connection", "The connection failed", undefined, { cause });
      }
    }));
}

async function readAnswer(
  response: Response,
  maxBytes: number,
  isStream: boolean,
  signal: AbortSignal,
): Promise<Answer> {
  const { status, headers } = response;
  const type = mediaType(response);
  if (type === "text/event-stream" && !isStream) {
    discardBody(response);
    throw new UpstreamError("stream", "The answer is an event stream, which has no end", status);
  }
  const bytes = await readBytes(response, maxBytes, signal);
  if (!bytes) throw new UpstreamError("too_large", `The answer has more than ${maxBytes} bytes`, status);
  return { status, headers, type, bytes };
}
