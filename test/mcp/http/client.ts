/** A server over HTTP for tests, and clients of it in any revision. */

import { once } from "node:events";
import type { TestContext } from "node:test";
import type { HttpListening, HttpListenOptions, HttpOptions } from "../../../lib/mcp/http/mod.ts";
import { createHttpHandler, listenHttp } from "../../../lib/mcp/http/mod.ts";
import type { ServerOptions } from "../../../lib/mcp/server/mod.ts";
import { createServer, defineTool } from "../../../lib/mcp/server/mod.ts";
import { makeFolder } from "../../harness/folder.ts";
import { pause, until } from "../../harness/process.ts";
import { handshake, modern, ON_DENO, Program } from "../../harness/program.ts";
import { Source } from "../server/tool_client.ts";
import type { Answered } from "./raw.ts";
import { open, requestOf } from "./raw.ts";

export const LEGACY = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"] as const;
export const MODERN = "2026-07-28";

/** Lets a header field say who the client is. */
export const BY_NAME: HttpListenOptions = {
  authenticate: ({ header }) => ({ principal: header("x-name") ?? "first" }),
};

export type Fields = Readonly<Record<string, string | undefined>>;

export class Served {
  port = 0;
  sessions!: HttpListening["sessions"];
  close!: HttpListening["close"];
  readonly source: Source = new Source();
  /** The calls of the tool `wait` that have begun, and how each can be finished. */
  readonly waiting: { readonly signal: AbortSignal; finish(): void }[] = [];
  readonly failures: unknown[] = [];

  /** Sends a request as it is, and waits for the head of the response. */
  async begin(
    method: string,
    fields?: Fields,
    body?: string | Uint8Array,
    target = "/mcp",
  ): Promise<Answered> {
    const all = { host: `127.0.0.1:${this.port}`, ...fields };
    const answered = await open(this.port, requestOf(method, target, all, body));
    await answered.head();
    return answered;
  }

  /** Sends a request as it is, and waits for the whole response. */
  async send(...request: Parameters<Served["begin"]>): Promise<Answered> {
    return await (await this.begin(...request)).whole();
  }

  /** A client that has done its handshake. */
  async client(version?: string, name?: string): Promise<HttpClient> {
    const client = new HttpClient(this, version);
    client.fields = { "x-name": name };
    return await client.start();
  }

  get(path: string, fields?: Fields): Promise<Answered> {
    return this.send("GET", fields, undefined, path);
  }
}

/** Starts a server with resources and tools. */
export async function serve(
  test: Pick<TestContext, "after">,
  http: HttpListenOptions = {},
  options: Partial<ServerOptions> = {},
): Promise<Served> {
  const parts = new Served();
  const { source, waiting, failures } = parts;
  const server = createServer({
    info: { name: "test", version: "1" },
    resources: [source.resources(), {
      list: () => [{ uri: "test://a", name: "a" }],
      read: (uri) => uri === "test://a" ? [{ uri, text: "Grüße" }] : undefined,
    }],
    tools: [
      defineTool({
        name: "echo",
        inputSchema: {
          type: "object",
          properties: { text: { type: "string" }, times: { type: "integer" }, tell: { type: "boolean" } },
        } as const,
        handler: ({ text, times = 1, tell }, { progress }) => {
          if (tell) progress(1);
          return `${text}`.repeat(times);
        },
      }),
      defineTool({
        name: "wait",
        timeoutMs: 60_000,
        inputSchema: { type: "object", properties: { tell: { type: "boolean" } } } as const,
        handler: ({ tell }, { signal, progress }) => {
          if (tell) progress(1);
          const { promise, resolve } = Promise.withResolvers<string>();
          waiting.push({ signal, finish: () => resolve("waited") });
          return promise;
        },
      }),
    ],
    toolCalls: { burst: 10_000, perSecond: 10_000 },
    logging: true,
    onfailure: (cause) => void failures.push(cause),
    ...options,
  });
  const listening = await listenHttp(server, {
    port: 0,
    onerror: (cause) => void failures.push(cause),
    ...http,
  });
  test.after(() => listening.close());
  const { port, sessions, close } = listening;
  return Object.assign(parts, { port, sessions, close });
}

/** Starts the command `http`; "FOLDER" in its arguments stands for the folder of the files. */
export async function startProgram(
  t: Pick<TestContext, "after">,
  args: readonly string[],
  files: Record<string, string> = {},
): Promise<{ program: Program; folder: string; served: Served }> {
  const folder = makeFolder(t, { "resources/guidelines/a.md": "# A\n\nText.\n", ...files });
  const given = args.map((arg) => arg.replace("FOLDER", folder));
  const runtimeFlags = ON_DENO
    ? ["--no-prompt", "--allow-read", "--allow-net"]
    : ["--experimental-strip-types", "--no-warnings"];
  const program = new Program(["http", "--root", folder, "--listen", "127.0.0.1:0", ...given], {
    runtimeFlags,
  });
  t.after(() => void program.child.kill("SIGKILL"));
  while (!/\/mcp\n/.test(program.errors)) {
    await once(program.child.stderr, "data", { signal: AbortSignal.timeout(30_000) });
  }
  const [, port] = /:(\d+)\/mcp/.exec(program.errors)!;
  return { program, folder, served: Object.assign(new Served(), { port: Number(port) }) };
}

/** Sends pings to a handler in this process, from any address. */
export function requester(
  http: HttpOptions,
): (fields?: Record<string, string>, address?: string) => Promise<Response> {
  const handler = createHttpHandler(createServer({ info: { name: "test", version: "1" } }), http);
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" });
  return (fields, address = "192.0.2.1") => {
    const headers = { host: "localhost", "content-type": "application/json", ...fields };
    const request = new Request("http://localhost/mcp", { method: "POST", headers, body });
    return handler.fetch(request, { remoteAddress: `${address}:1000` });
  };
}

/** A client of one revision, which sends what such a client has to. */
export class HttpClient {
  readonly served: Served;
  readonly version: string;
  readonly isModern: boolean;
  session: string | undefined;
  /** Sent with every request. */
  fields: Fields = {};
  #nextId = 1;

  constructor(served: Served, version: string = MODERN) {
    this.served = served;
    this.version = version;
    this.isModern = version === MODERN;
  }

  async start(capabilities: object = {}): Promise<this> {
    if (this.isModern) return this;
    const params = { ...handshake(this.version), capabilities };
    const answered = await this.post({ jsonrpc: "2.0", id: 0, method: "initialize", params });
    this.session = answered.headers.get("mcp-session-id");
    if (this.session === undefined) throw new Error(`There is no session: ${answered.body}`);
    await this.post({ jsonrpc: "2.0", method: "notifications/initialized" });
    return this;
  }

  /** A client that uses the session of this one at another server, or at the same. */
  at(served: Served): HttpClient {
    const { session, fields } = this;
    return Object.assign(new HttpClient(served, this.version), { session, fields });
  }

  fieldsOf(message: object): Fields {
    const { method = "", params } = message as { method?: string; params?: { name?: string; uri?: string } };
    const isNamed = ["tools/call", "prompts/get", "resources/read"].includes(method);
    return {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      ...this.#revisionFields(),
      ...this.isModern &&
        { "mcp-method": method, "mcp-name": isNamed ? params?.name ?? params?.uri : undefined },
      ...this.fields,
    };
  }

  /** Sends a message and waits for the head of the response. */
  async begin(message: object, fields: Fields = {}): Promise<Answered> {
    return await this.served.begin("POST", { ...this.fieldsOf(message), ...fields }, JSON.stringify(message));
  }

  /** Sends a message and waits for the whole response. */
  async post(message: object, fields: Fields = {}): Promise<Answered> {
    return await (await this.begin(message, fields)).whole();
  }

  request(method: string, params: object = {}, id: string | number = this.#nextId++): object {
    if (!this.isModern) return { jsonrpc: "2.0", id, method, params };
    const { _meta } = modern({}, this.version) as { _meta: object };
    const all = { ...params, _meta: { ..._meta, ...(params as { _meta?: object })._meta } };
    return { jsonrpc: "2.0", id, method, params: all };
  }

  async ask(method: string, params: object = {}, fields: Fields = {}): Promise<Record<string, unknown>> {
    const answered = await this.post(this.request(method, params), fields);
    return answered.headers.get("content-type") === "text/event-stream"
      ? answered.messages().at(-1)!
      : answered.json;
  }

  async status(method: string, fields: Fields = {}): Promise<number> {
    return (await this.post(this.request(method), fields)).status;
  }

  /** Sends a message until the response has a status. */
  async becomes(status: number, message: object, fields: Fields = {}): Promise<void> {
    const deadline = Date.now() + 30_000;
    while ((await this.begin(message, fields)).status !== status) {
      if (Date.now() > deadline) throw new Error(`The status never became ${status}`);
      await pause(50);
    }
  }

  /** Opens a notification stream: the one of the session, or a subscription. */
  async listen(
    fields: Fields = {},
    notifications: object = { resourcesListChanged: true },
  ): Promise<Answered> {
    if (this.isModern) return this.begin(this.request("subscriptions/listen", { notifications }), fields);
    const all = { accept: "text/event-stream", ...this.#revisionFields(), ...this.fields, ...fields };
    return await this.served.begin("GET", all);
  }

  async end(fields: Fields = {}): Promise<number> {
    const all = { "mcp-session-id": this.session, ...this.fields, ...fields };
    return (await this.served.send("DELETE", all)).status;
  }

  /**
   * Calls the tool `wait` and returns when its handler has begun, with what has arrived of the response.
   *
   * @param beforeBody Runs between the head and the body of the request.
   */
  async wait(params?: object, beforeBody?: () => Promise<unknown>): Promise<Answered> {
    const { port, waiting } = this.served;
    const before = waiting.length;
    const message = this.request("tools/call", { name: "wait", ...params }, "w");
    const body = JSON.stringify(message);
    const all = { host: "localhost", "content-length": `${body.length}`, ...this.fieldsOf(message) };
    const answered = await open(port, requestOf("POST", "/mcp", all));
    await beforeBody?.();
    answered.socket.write(body);
    await until("the handler has begun", () => waiting.length > before);
    return answered;
  }

  #revisionFields(): Fields {
    const isSent = this.isModern || (this.session !== undefined && this.version !== "2024-11-05");
    return { "mcp-protocol-version": isSent ? this.version : undefined, "mcp-session-id": this.session };
  }
}
