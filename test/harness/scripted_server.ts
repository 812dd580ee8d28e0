/** Servers that answer as a test says, over memory and over HTTP, and a client of them for the time of a test. */

import { once } from "node:events";
import { createServer } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import type { TestContext } from "node:test";
import type { Client, ClientInfo, ClientOptions, HttpOptions } from "../../lib/mcp/client/mod.ts";
import type { Transport } from "../../lib/jsonrpc/transport/transport.ts";
import { connect, httpTransport } from "../../lib/mcp/client/mod.ts";
import { failure, RpcError, toErrorObject } from "../../lib/jsonrpc/mod.ts";
import { memoryTransports } from "../../lib/jsonrpc/transport/stream.ts";
import { closeNow, listenLocally } from "./http.ts";

export const INFO: ClientInfo = { name: "test", version: "1" };

/** A message as it came. */
export interface Received {
  readonly id?: string | number;
  readonly method?: string;
  // deno-lint-ignore no-explicit-any -- a test knows the shape
  readonly params?: any;
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string };
}

/** What came to a server. */
class Arrivals<T> {
  readonly all: T[] = [];
  readonly #methodOf: (one: T) => string | undefined;
  readonly #waiting: { matches(one: T): boolean; resolve(one: T): void }[] = [];

  constructor(methodOf: (one: T) => string | undefined) {
    this.#methodOf = methodOf;
  }

  add(one: T): void {
    this.all.push(one);
    for (const wait of this.#waiting.filter(({ matches }) => matches(one))) {
      this.#waiting.splice(this.#waiting.indexOf(wait), 1);
      wait.resolve(one);
    }
  }

  /** The next one that matches, from now on. */
  readonly next = (matches: (one: T) => boolean): Promise<T> =>
    new Promise((resolve) => this.#waiting.push({ matches, resolve }));

  /** All that have messages of a method. */
  readonly of = (method: string): T[] => this.all.filter((one) => this.#methodOf(one) === method);
}

// --- Over memory

/** By method: returns the result; undefined when the server answers later or never. Calls `fail` for an error response. */
export type Script = Readonly<Record<string, (request: Received, server: ScriptedServer) => unknown>>;

/** Ends a script with an error response. */
export function fail(code: number, message?: string, data?: unknown): never {
  throw new RpcError(code, message ?? "refused", data);
}

export class ScriptedServer {
  /** The client's side. */
  readonly transport: Transport;
  readonly #near: Transport;
  readonly #arrivals = new Arrivals<Received>(({ method }) => method);
  readonly received: readonly Received[] = this.#arrivals.all;
  readonly next: Arrivals<Received>["next"] = this.#arrivals.next;
  readonly of: Arrivals<Received>["of"] = this.#arrivals.of;

  constructor(script: Script) {
    [this.transport, this.#near] = memoryTransports();
    this.#near.onmessage = (value) => {
      const message = value as Received;
      this.#arrivals.add(message);
      const { id, method } = message;
      if (method === undefined || id === undefined) return;
      try {
        const result = script[method] ? script[method](message, this) : fail(-32601, `no method ${method}`);
        if (result !== undefined) this.send({ id, result });
      } catch (cause) {
        if (!(cause instanceof RpcError)) throw cause;
        this.send(failure(id, toErrorObject(cause)));
      }
    };
    void this.#near.start();
  }

  /** Sends a message, or anything else that is JSON. */
  send(message: object): void {
    void this.#near.send({ jsonrpc: "2.0", ...message } as never);
  }

  /** Sends a notification; with the id of a subscription where it belongs to one. */
  notify(method: string, params?: object, subscription?: unknown): void {
    const _meta = { "io.modelcontextprotocol/subscriptionId": subscription };
    this.send({ method: `notifications/${method}`, params: { ...params, _meta } });
  }

  /** The next message of a method. */
  call(method: string): Promise<Received> {
    return this.next((message) => message.method === method);
  }

  close(): Promise<void> {
    return this.#near.close();
  }

  get methods(): (string | undefined)[] {
    return this.received.map(({ method }) => method);
  }
}

/** The result of `server/discover`. */
export const DISCOVERY: object = { supportedVersions: ["2026-07-28"], capabilities: { tools: {} } };
/** The result of `initialize`. */
export const HANDSHAKE: object = {
  protocolVersion: "2025-11-25",
  capabilities: {
    tools: { listChanged: true },
    resources: { subscribe: true, listChanged: true },
    prompts: {},
  },
  serverInfo: INFO,
};

/** How a server of each era opens. */
export const MODERN: Script = {
  "server/discover": () => ({
    ...DISCOVERY,
    capabilities: { tools: {}, resources: {}, prompts: {} },
    _meta: { "io.modelcontextprotocol/serverInfo": { name: "scripted", version: "1" } },
  }),
};
export const LEGACY: Script = {
  initialize: ({ params: { protocolVersion } }) => ({ ...HANDSHAKE, protocolVersion }),
};
export const ERAS: Readonly<Record<"modern" | "legacy", Script>> = { modern: MODERN, legacy: LEGACY };

// --- Over HTTP

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

export interface HttpServer extends Pick<Arrivals<HttpCall>, "next" | "of"> {
  readonly url: string;
  /** All requests. */
  readonly calls: HttpCall[];
  /** Closes all connections; later ones are refused. */
  stop(): void;
}

/** Starts a server for the time of a test. */
export async function serveHttp(t: TestContext, handler: HttpHandler): Promise<HttpServer> {
  const arrivals = new Arrivals<HttpCall>(({ message }) => message.method);
  // On a busy machine, a connection is idle for longer than the default of five seconds.
  const server = createServer({ keepAliveTimeout: 60_000 }, async (request, response) => {
    // A client may leave within its request.
    const body = await text(request).catch(() => undefined);
    if (body === undefined) return;
    const call = new HttpCall(request, body, response);
    arrivals.add(call);
    handler(call);
  });
  const stop = () => closeNow(server);
  t.after(stop);
  const { all: calls, next, of } = arrivals;
  return { url: `${await listenLocally(server)}/mcp`, calls, next, of, stop };
}

// --- Clients

/** A client for the time of a test, with its first warnings. */
export async function connected(
  t: TestContext,
  transport: Transport,
  options: Partial<ClientOptions> = {},
): Promise<{ client: Client; warnings: string[] }> {
  const warnings: string[] = [];
  const onwarning = (message: string) => void (warnings.length < 1000 && warnings.push(message));
  const client = await connect(transport, { info: INFO, onwarning, ...options });
  t.after(() => client.close());
  return { client, warnings };
}

/** A client that is connected to a script. */
export async function open(
  t: TestContext,
  script: Script,
  options: Partial<ClientOptions> = {},
): Promise<{ client: Client; server: ScriptedServer; warnings: string[] }> {
  const server = new ScriptedServer(script);
  return { server, ...await connected(t, server.transport, options) };
}

/** A client that is connected to a URL. */
export async function openUrl(
  t: TestContext,
  url: string,
  options: Partial<ClientOptions> & HttpOptions = {},
): Promise<{ client: Client; warnings: string[] }> {
  return await connected(t, httpTransport(url, options), { eras: new Map(), ...options });
}

/** A client that is connected to a server over HTTP. */
export async function openHttp(
  t: TestContext,
  handler: HttpHandler,
  options: Partial<ClientOptions> & HttpOptions = {},
): Promise<{ client: Client; server: HttpServer; warnings: string[] }> {
  const server = await serveHttp(t, handler);
  return { server, ...await openUrl(t, server.url, options) };
}

/** All items of an iterable, or the first ones. */
export async function all<T>(items: AsyncIterable<T>, count: number = Infinity): Promise<T[]> {
  const found: T[] = [];
  for await (const item of items) if (found.push(item) === count) break;
  return found;
}
