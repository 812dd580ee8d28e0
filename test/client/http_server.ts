/** HTTP servers for tests: every request is answered by a handler, on a port of its own. */

import { once } from "node:events";
import { createServer } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { TestContext } from "node:test";
import type { Client, ClientOptions, HttpOptions } from "../../lib/client/mod.ts";
import { connect, httpTransport } from "../../lib/client/mod.ts";
import type { Received } from "./scripted_server.ts";
import { Inbox, INFO } from "./scripted_server.ts";

/** A request as it came. */
export interface Asked {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage["headers"];
  /** The message in it. */
  readonly message: Received;
  /** Settles when the connection is closed. */
  readonly closed: Promise<unknown>;
}

export interface HttpServer {
  readonly url: string;
  /** All requests. */
  readonly asked: Asked[];
  /** The requests with messages of a method. */
  of(method: string): Asked[];
  /** The next request that matches, from now on. */
  next(matches: (asked: Asked) => boolean): Promise<Asked>;
}

export type HttpHandler = (asked: Asked, response: ServerResponse) => void;

/** Starts a server for the time of a test. */
export async function serveHttp(t: TestContext, handler: HttpHandler): Promise<HttpServer> {
  const inbox = new Inbox<Asked>();
  const server = createServer(async (request, response) => {
    let body = "";
    try {
      for await (const chunk of request.setEncoding("utf8")) body += chunk;
    } catch {
      // The client has gone.
      return;
    }
    const { method = "", url = "", headers } = request;
    const message = body === "" ? {} : JSON.parse(body);
    const asked: Asked = { method, path: url, headers, message, closed: once(response, "close") };
    inbox.add(asked);
    handler(asked, response);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => {
    server.close();
    server.closeAllConnections();
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
    asked: inbox.all,
    of: (method) => inbox.all.filter(({ message }) => message.method === method),
    next: (matches) => inbox.next(matches),
  };
}

/** Answers with one message. */
export function json(
  response: ServerResponse,
  id: unknown,
  result: object,
  headers: Record<string, string> = {},
): void {
  response.writeHead(200, { "Content-Type": "application/json", ...headers });
  response.end(JSON.stringify({ jsonrpc: "2.0", id, result }));
}

/** Answers with a status, and with an error where there is one. */
export function refuse(response: ServerResponse, status: number, error?: object, id: unknown = null): void {
  response.writeHead(status, { "Content-Type": "application/json" });
  response.end(error ? JSON.stringify({ jsonrpc: "2.0", id, error }) : "");
}

/** Begins a stream of events. */
export function events(
  response: ServerResponse,
): (event: { id?: string; retry?: number; message?: object }) => void {
  response.writeHead(200, { "Content-Type": "text/event-stream; charset=utf-8" });
  return ({ id, retry, message }) => {
    const lines = [
      ...(id === undefined ? [] : [`id: ${id}`]),
      ...(retry === undefined ? [] : [`retry: ${retry}`]),
      `data: ${message ? JSON.stringify({ jsonrpc: "2.0", ...message }) : ""}`,
    ];
    response.write(`${lines.join("\n")}\n\n`);
  };
}

/** The result of `server/discover`. */
export const DISCOVERY: object = {
  resultType: "complete",
  supportedVersions: ["2026-07-28"],
  capabilities: { tools: {} },
  ttlMs: 0,
  cacheScope: "private",
};

/** The result of `initialize`. */
export const HANDSHAKE: object = {
  protocolVersion: "2025-11-25",
  capabilities: { tools: { listChanged: true }, resources: { subscribe: true } },
  serverInfo: { name: "test", version: "1" },
};

/** A client that is connected to a URL for the time of a test. */
export async function openUrl(
  t: TestContext,
  url: string,
  options: Partial<ClientOptions> & HttpOptions = {},
): Promise<{ client: Client; warnings: string[] }> {
  const warnings: string[] = [];
  const onwarning = (message: string) => void warnings.push(message);
  const all = { info: INFO, eras: new Map(), onwarning, ...options };
  const client = await connect(httpTransport(url, options), all);
  t.after(() => client.close());
  return { client, warnings };
}

/** The same with a server of its own. */
export async function openHttp(
  t: TestContext,
  handler: HttpHandler,
  options: Partial<ClientOptions> & HttpOptions = {},
): Promise<{ client: Client; server: HttpServer; warnings: string[] }> {
  const server = await serveHttp(t, handler);
  return { server, ...await openUrl(t, server.url, options) };
}
