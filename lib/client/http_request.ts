/** How does a request get to the server? With the credentials of whoever asks, and never to another origin. */

import type { HttpOptions } from "./http.ts";
import { ConnectError, reasonOf } from "./errors.ts";
import { drop } from "./http_body.ts";

/** How often a server may send a request on within its origin. */
const MAX_REDIRECTS = 3;
/** The statuses that send it on. Browsers ask with GET after the first two; whoever sends a message on does not mean that. */
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 307, 308]);

/** Asks one server over HTTP. */
export class Requester {
  readonly #url: URL;
  readonly #options: HttpOptions;

  constructor(url: URL, options: HttpOptions) {
    this.#url = url;
    this.#options = options;
  }

  /**
   * Sends one request.
   *
   * @throws {ConnectError} When the server cannot be reached, or sends the request on to another origin; or when there are no
   * header fields to send.
   * @throws {unknown} The reason of the signal.
   */
  async send(
    method: "POST" | "GET" | "DELETE",
    fields: Readonly<Record<string, string>>,
    signal: AbortSignal,
    body?: string,
  ): Promise<Response> {
    const headers = await this.#ownFields();
    for (const [name, value] of Object.entries(fields)) headers.set(name, value);
    const ask = this.#options.fetch ?? fetch;
    let url = this.#url;
    for (let redirects = 0;; redirects++) {
      const response = await this.#reach(ask, url, {
        method,
        headers,
        signal,
        // Fields of ours must not travel to whoever the server names.
        redirect: "manual",
        ...(body === undefined ? {} : { body }),
      });
      const location = response.headers.get("location");
      if (response.status < 300 || response.status >= 400 || location === null) return response;
      drop(response);
      const next = URL.canParse(location, url) ? new URL(location, url) : undefined;
      const isFollowed = REDIRECTS.has(response.status) && redirects < MAX_REDIRECTS;
      if (next?.origin !== this.#url.origin || !isFollowed) {
        throw new ConnectError(
          `The server at ${this.#url} sends its clients on to ${location}; connect to that if you trust it`,
        );
      }
      url = next;
    }
  }

  async #reach(ask: NonNullable<HttpOptions["fetch"]>, url: URL, init: RequestInit): Promise<Response> {
    try {
      return await ask(url.href, init);
    } catch (cause) {
      init.signal?.throwIfAborted();
      throw new ConnectError(`Cannot reach ${url}: ${rootOf(cause)}`, { cause });
    }
  }

  async #ownFields(): Promise<Headers> {
    const { headers = {} } = this.#options;
    let given: Readonly<Record<string, string>>;
    try {
      given = typeof headers === "function" ? await headers() : headers;
    } catch (cause) {
      const message = `Cannot ask ${this.#url}: there are no header fields for it: ${reasonOf(cause)}`;
      throw new ConnectError(message, { cause });
    }
    try {
      return new Headers(given);
    } catch {
      // What the runtime says has the value in it, which may be a secret.
      const what = "a header field for it has what cannot be sent, such as a line break";
      throw new ConnectError(`Cannot ask ${this.#url}: ${what}`);
    }
  }
}

/** Node says "fetch failed", and why only in the cause. */
function rootOf(cause: unknown): string {
  const inner = cause instanceof Error && cause.cause instanceof Error ? cause.cause : cause;
  const { code } = inner as { code?: unknown };
  return reasonOf(inner) || String(code);
}
