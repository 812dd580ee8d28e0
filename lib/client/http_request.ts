/** How does a request get to the server? With the credentials of whoever asks, and never to another origin. */

import type { HttpOptions } from "./http.ts";
import { ConnectError, reasonOf } from "./errors.ts";
import { drop } from "./http_body.ts";

/** How often a server may send a request on within its origin. */
const MAX_REDIRECTS = 3;

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
   * @throws {ConnectError} When the server cannot be reached, or sends the request on to another origin.
   * @throws {unknown} The reason of the signal.
   */
  async send(
    method: "POST" | "GET" | "DELETE",
    fields: Readonly<Record<string, string>>,
    signal: AbortSignal,
    body?: string,
  ): Promise<Response> {
    const headers = new Headers(await this.#ownFields());
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
      if (response.status !== 307 && response.status !== 308 || location === null) return response;
      drop(response);
      const next = URL.canParse(location, url) ? new URL(location, url) : undefined;
      if (next?.origin !== this.#url.origin || redirects >= MAX_REDIRECTS) {
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

  async #ownFields(): Promise<Readonly<Record<string, string>>> {
    const { headers = {} } = this.#options;
    return typeof headers === "function" ? await headers() : headers;
  }
}

/** Node says "fetch failed", and why only in the cause. */
function rootOf(cause: unknown): string {
  const inner = cause instanceof Error && cause.cause instanceof Error ? cause.cause : cause;
  const { code } = inner as { code?: unknown };
  return reasonOf(inner) || String(code);
}
