/** HTTP servers for tests: a handler answers each request. */

import { once } from "node:events";
import { createServer } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { TestContext } from "node:test";
import type { Client, ClientOptions, HttpOptions } from "../../../lib/mcp/client/mod.ts";
import { httpTransport } from "../../../lib/mcp/client/mod.ts";
import { closeNow, listenLocally } from "../../harness/http.ts";
import type { Received } from "./scripted_server.ts";
import { connected, Inbox, INFO } from "./scripted_server.ts";

/** A request, and the ways to answer it. */
export class HttpCall {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage["headers"];
  /** The body. */
  readonly text: string;
  /** The message in it. */
  readonly message: Received;
  readonly response: ServerResponse;
  /** Settles when the connection is closed. */
  readonly closed: Promise<unknown>;

  constructor({ method = "", url = "", headers }: IncomingMessage, body: string, response: ServerResponse) {
    this.method = method;
    this.path = url;
    this.headers = headers;
    this.text = body;
    this.message = headers["content-type"] === "application/json" && body !== "" ? JSON.parse(body) : {};
    this.response = response;
    this.closed = once(response, "close");
  }

  get session(): string | undefined {
    return this.headers["mcp-session-id"] as string | undefined;
  }

  /** Answers with a result. */
  json(result: object, headers: Record<string, string> = {}): void {
    this.body(200, { jsonrpc: "2.0", id: this.message.id, result }, headers);
  }

  /** Answers with a status, and with an error where there is one. */
  fail(status: number, error?: object, id: unknown = null): void {
    this.body(status, error && { jsonrpc: "2.0", id, error });
  }

  /** Answers with a body: text as it is, and anything else as JSON. */
  body(status: number, body: unknown = "", headers: Record<string, string> = {}): void {
    this.response.writeHead(status, { "Content-Type": "application/json", ...headers });
    this.response.end(typeof body === "string" ? body : JSON.stringify(body));
  }

  /** Begins a stream of events. */
  events(): (event: { id?: string; retry?: number; message?: object }) => void {
    this.response.writeHead(200, { "Content-Type": "text/event-stream; charset=utf-8" }).flushHeaders();
    return ({ message, ...fields }) => {
      const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}\n`).join("");
      const data = message ? JSON.stringify({ jsonrpc: "2.0", ...message }) : "";
      this.response.write(`${lines}data: ${data}\n\n`);
    };
  }
}

export type HttpHandler = (call: HttpCall) => unknown;

export interface HttpServer {
  readonly url: string;
  /** All requests. */
  readonly calls: HttpCall[];
  /** The requests with messages of a method. */
  of(method: string): HttpCall[];
  /** The next request that matches, from now on. */
  next(matches: (call: HttpCall) => boolean): Promise<HttpCall>;
  /** Closes all connections; later ones are refused. */
  stop(): void;
}

/** Starts a server for the time of a test. */
export async function serveHttp(t: TestContext, handler: HttpHandler): Promise<HttpServer> {
  const inbox = new Inbox<HttpCall>();
  // On a busy machine, a connection is idle for longer than the five seconds that are usual.
  const server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
    let body = "";
    request.setEncoding("utf8").on("data", (text) => body += text);
    request.on("end", () => {
      const call = new HttpCall(request, body, response);
      inbox.add(call);
      handler(call);
    });
  });
  const stop = () => closeNow(server);
  t.after(stop);
  return {
    url: `${await listenLocally(server)}/mcp`,
    calls: inbox.all,
    of: (method) => inbox.all.filter(({ message }) => message.method === method),
    next: (matches) => inbox.next(matches),
    stop,
  };
}

/** The result of `server/discover`. */
export const DISCOVERY: object = { supportedVersions: ["2026-07-28"], capabilities: { tools: {} } };

/** The result of `initialize`. */
export const HANDSHAKE: object = {
  protocolVersion: "2025-11-25",
  capabilities: { tools: { listChanged: true }, resources: { subscribe: true } },
  serverInfo: INFO,
};

/** A client that is connected to a URL for the time of a test. */
export async function openUrl(
  t: TestContext,
  url: string,
  options: Partial<ClientOptions> & HttpOptions = {},
): Promise<{ client: Client; warnings: string[] }> {
  return await connected(t, httpTransport(url, options), { eras: new Map(), ...options });
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
