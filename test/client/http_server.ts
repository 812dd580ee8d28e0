/** What does a server over HTTP do in a test? What its handler says, request by request, on a port of its own. */

import { once } from "node:events";
import { createServer } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { TestContext } from "node:test";
import type { Received } from "./scripted_server.ts";

/** A request as it came. */
export interface Asked {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage["headers"];
  /** The message in it. */
  readonly message: Received;
  /** Settles when the client has closed the connection. */
  readonly closed: Promise<unknown>;
}

/** A server over HTTP. */
export interface HttpServer {
  readonly url: string;
  /** Everything that was asked. */
  readonly asked: Asked[];
  /** The next request that matches, from now on. */
  next(matches: (asked: Asked) => boolean): Promise<Asked>;
}

export type HttpHandler = (asked: Asked, response: ServerResponse) => void;

/** Starts a server; it ends with the test. */
export async function serveHttp(t: TestContext, handler: HttpHandler): Promise<HttpServer> {
  const asked: Asked[] = [];
  const waiting: { matches(one: Asked): boolean; resolve(one: Asked): void }[] = [];
  const server = createServer(async (request, response) => {
    let body = "";
    try {
      for await (const chunk of request.setEncoding("utf8")) body += chunk;
    } catch {
      // The client has gone before it had asked.
      return;
    }
    const one: Asked = {
      method: request.method!,
      path: request.url!,
      headers: request.headers,
      message: body === "" ? {} : JSON.parse(body),
      closed: once(response, "close"),
    };
    asked.push(one);
    handler(one, response);
    for (const wait of waiting.filter(({ matches }) => matches(one))) {
      waiting.splice(waiting.indexOf(wait), 1);
      wait.resolve(one);
    }
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => {
    server.close();
    server.closeAllConnections();
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
    asked,
    next: (matches) => new Promise((resolve) => waiting.push({ matches, resolve })),
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

/** Answers with an error in a body. */
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

/** What a modern server says of itself. */
export const DISCOVERY: object = {
  resultType: "complete",
  supportedVersions: ["2026-07-28"],
  capabilities: { tools: {} },
  ttlMs: 0,
  cacheScope: "private",
};

/** What a server with a handshake says of itself. */
export const HANDSHAKE: object = {
  protocolVersion: "2025-11-25",
  capabilities: { tools: { listChanged: true }, resources: { subscribe: true } },
  serverInfo: { name: "test", version: "1" },
};
