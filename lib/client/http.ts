/** Where is the server, and who asks? What has to be known before the first request over HTTP. */

import type { ClientTransport } from "./carrier.ts";
import { ConnectError } from "./errors.ts";
import { HttpTransport } from "./http_transport.ts";

/** How a server is reached over HTTP. */
export interface HttpOptions {
  /** Sends the requests: for credentials, proxies and tests. @default {the `fetch` of the runtime} */
  readonly fetch?: (url: string, init: RequestInit) => Promise<Response>;
  /** Header fields for every request, such as `Authorization`; asked for before each one where they change. @default {none} */
  readonly headers?:
    | Readonly<Record<string, string>>
    | (() => Readonly<Record<string, string>> | Promise<Readonly<Record<string, string>>>);
}

/**
 * The carrier to a server over HTTP, in both eras.
 *
 * Needs the permission to connect there. Redirects are followed within the origin alone.
 *
 * @param url Where the server is: "https://example.com/mcp".
 * @throws {ConnectError} When it is no address of HTTP.
 *
 * @example
 * ```ts
 * import { connect, httpTransport } from "@architrave/architrave/client";
 *
 * const transport = httpTransport("http://127.0.0.1:3000/mcp", { headers: { Authorization: "Bearer …" } });
 * const client = await connect(transport, { info: { name: "our-client", version: "1.0.0" } });
 * for await (const tool of client.tools()) console.log(tool.name);
 * await client.close();
 * ```
 */
export function httpTransport(url: string | URL, options: HttpOptions = {}): ClientTransport {
  const parsed = URL.canParse(String(url)) ? new URL(url) : undefined;
  if (!parsed || !/^https?:$/.test(parsed.protocol)) {
    throw new ConnectError(
      `Cannot connect to "${url}": it is no address that begins with http:// or https://`,
    );
  }
  if (parsed.username !== "" || parsed.password !== "") {
    throw new ConnectError("Cannot connect with credentials in the address: give them as header fields");
  }
  parsed.hash = "";
  return new HttpTransport(parsed, options);
}
