/** Serves the pages on this machine: answers GET requests for views, style and script, and reports changes. It never writes. */

import type { HttpExchange, HttpStream } from "../platform/http.ts";
import type { Model } from "./model.ts";
import type { CallTool } from "./components.ts";
import { createGuard, LOOPBACK_HOSTS, TARGET } from "../mcp/http/checks.ts";
import { HttpError, respondWithError, unavailable } from "../mcp/http/errors.ts";
import { findImage } from "../documents/images.ts";
import { loadNetwork } from "../platform/load_network.ts";
import { bracketed } from "../platform/tcp.ts";
import { ASSETS, POLICY } from "./assets.ts";
import { renderPage } from "./page.ts";

interface PageOptions {
  /** A loopback address: on other addresses, other machines could read all documents. */
  readonly hostname: string;
  /** 0 lets the system choose a port. */
  readonly port: number;
  readonly model: () => Promise<Model>;
  readonly callTool: CallTool;
  /** Receives errors that are only logged. */
  readonly onerror: (cause: unknown) => void;
}

/** The maximum length of a request target, in UTF-16 units. */
const MAX_TARGET = 8192;
/** The maximum number of connections, and of open event streams. */
const MAX_CONNECTIONS = 200;
/** The time between two comments on an event stream. */
const KEEP_ALIVE_MS = 15_000;
/** How long closing waits for the last responses. */
const LAST_MS = 500;
const FIELDS = {
  "cache-control": "no-store",
  "content-security-policy": `${POLICY}; frame-ancestors 'none'`,
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
};
/** An SVG image that is opened runs nothing and loads nothing; it may have styles. */
const IMAGE_FIELDS = { "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'; sandbox" };

/**
 * Serves the pages until it is closed. `changed` tells all open pages that documents have changed; `close` settles when the
 * port is free. Needs permission to listen.
 */
export async function servePage(
  { hostname, port, model, callTool, onerror }: PageOptions,
): Promise<{ readonly url: string; changed(): void; close(): Promise<void> }> {
  const host = bracketed(hostname);
  const guard = createGuard([...LOOPBACK_HOSTS, host]);
  const streams = new Set<HttpStream>();
  const tell = (text: string): void => {
    for (const stream of streams) void stream.write([text]);
  };
  const show = async (exchange: HttpExchange): Promise<void> => {
    const { pathname, searchParams: query } = admit(exchange, guard);
    const address = pathname.slice(1) || "index.html";
    if (address === "events" && exchange.method === "GET") {
      if (streams.size >= MAX_CONNECTIONS) throw unavailable("Too many pages are open");
      const stream = exchange.stream(200, { "content-type": "text/event-stream" });
      streams.add(stream);
      exchange.onDisconnect(() => streams.delete(stream));
      return void stream.write(["retry: 1000\n\n"]);
    }
    const [type, asset] = ASSETS.get(address) ?? [];
    if (asset !== undefined) {
      return exchange.respond(200, { "content-type": `${type}; charset=utf-8` }, [asset]);
    }
    const shown = await model(), document = shown.catalogue.get(query.get("of") ?? "");
    if (document) {
      const up = "../".repeat(document.key.split("/").length - 1);
      const image = findImage(shown.options.files, document, up + address), bytes = image?.read();
      if (!image || !bytes) throw new HttpError(404, "There is no such image");
      return exchange.respond(200, { ...IMAGE_FIELDS, "content-type": image.type }, [bytes]);
    }
    const { isFound, html } = await renderPage({ model: shown, address, base: "/", query, callTool });
    exchange.respond(isFound ? 200 : 404, { "content-type": "text/html; charset=utf-8" }, [html]);
  };
  let connections = 0;
  const connect = () => {
    if (connections >= MAX_CONNECTIONS) return undefined;
    connections++;
    return () => void connections--;
  };
  const network = await loadNetwork();
  const listening = await network.listenHttp(
    { hostname, port, connect, requestTimeoutMs: 30_000 },
    (exchange) => {
      exchange.fields = FIELDS;
      return show(exchange).catch((cause) => {
        if (!(cause instanceof HttpError)) onerror(cause);
        respondWithError(exchange, cause);
      });
    },
  );
  const timer = setInterval(() => tell(":\n\n"), KEEP_ALIVE_MS);
  return {
    url: `http://${host}:${listening.port}/`,
    changed: (): void => tell("data: changed\n\n"),
    async close(): Promise<void> {
      clearInterval(timer);
      listening.stop();
      for (const stream of streams) stream.end();
      await listening.close(LAST_MS);
    },
  };
}

/** Checks a request and returns its URL. The path must be spelled as in links. @throws {HttpError} When it is refused. */
function admit(exchange: HttpExchange, guard: ReturnType<typeof createGuard>): URL {
  const { method, target, header } = exchange;
  if (target.length > MAX_TARGET) throw new HttpError(414, "The address is too long");
  const [whole, authority, path] = TARGET.exec(target)!;
  guard(exchange, authority);
  if (method !== "GET" && method !== "HEAD") {
    throw new HttpError(405, "This page is read-only: send GET", { fields: { allow: "GET, HEAD" } });
  }
  // Another site may link to a page, but must not embed or prefetch it. Chromium sends "none" for a prefetch.
  const isOther = !["same-origin", "none"].includes(header("sec-fetch-site") ?? "none");
  if (header("sec-purpose") || (isOther && header("sec-fetch-dest") !== "document")) {
    throw new HttpError(403, "Another site must not load this page");
  }
  const url = new URL(`http://localhost${path}${target.slice(whole.length)}`);
  const isPlain = url.pathname === path && !/\/\/|%(?:00|2e|2f)/i.test(path);
  if (!isPlain) throw new HttpError(400, "The path is not spelled as in the links of the pages");
  return url;
}
