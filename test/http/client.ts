/** How is a server spoken to over HTTP in a test, in any revision? */

import { appendFileSync, mkdirSync } from "node:fs";
import process from "node:process";
import type { TestContext } from "node:test";
import type { HttpListening, HttpListenOptions } from "../../lib/http/mod.ts";
import { listenHttp } from "../../lib/http/mod.ts";
import type { ServerOptions } from "../../lib/server/mod.ts";
import { createServer, defineTool, ToolResult } from "../../lib/server/mod.ts";
import { handshake, modern } from "../harness/program.ts";
import { Source } from "../server/conversation.ts";
import type { Answered } from "./raw.ts";
import { open, requestOf } from "./raw.ts";

export const LEGACY = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"] as const;
export const MODERN = "2026-07-28";

type Fields = Readonly<Record<string, string | undefined>>;

/** What a test gets to see of a server that it started. */
export class Served {
  readonly listening: HttpListening;
  readonly source: Source;
  /** The calls of the tool `wait` that have begun, and how each can be finished. */
  readonly waiting: { readonly signal: AbortSignal; finish(): void }[];
  readonly failures: unknown[];

  constructor(listening: HttpListening, parts: Pick<Served, "source" | "waiting" | "failures">) {
    this.listening = listening;
    this.source = parts.source;
    this.waiting = parts.waiting;
    this.failures = parts.failures;
  }

  get port(): number {
    return this.listening.port;
  }

  /** Sends a request as it is written here, and waits for the whole answer. */
  async send(
    method: string,
    fields?: Fields,
    body?: string | Uint8Array,
    target?: string,
  ): Promise<Answered> {
    return await (await this.begin(method, fields, body, target)).whole();
  }

  /** Sends a request, and waits for the head of the answer. */
  async begin(
    method: string,
    fields?: Fields,
    body?: string | Uint8Array,
    target?: string,
  ): Promise<Answered> {
    const answered = await open(
      this.port,
      requestOf(method, target ?? "/mcp", { host: `127.0.0.1:${this.port}`, ...fields }, body),
    );
    await answered.head();
    return answered;
  }
}

/** A server with something of everything. */
export async function serve(
  test: Pick<TestContext, "after">,
  http: HttpListenOptions = {},
  options: Partial<ServerOptions> = {},
): Promise<Served> {
  const source = new Source();
  const failures: unknown[] = [];
  const waiting: Served["waiting"] = [];
  const server = createServer({
    info: { name: "test", version: "1" },
    resources: [source.resources(), {
      list: () => [{ uri: "test://a", name: "a" }],
      read: (uri) => uri === "test://a" ? [{ uri, text: "Grüße" }] : undefined,
    }],
    tools: [
      defineTool({
        name: "echo",
        inputSchema: { type: "object", properties: { text: { type: "string" } } } as const,
        handler: ({ text }) => `${text}`,
      }),
      defineTool({
        name: "region",
        inputSchema: {
          type: "object",
          properties: {
            region: { type: "string", "x-mcp-header": "Region" },
            size: { type: "integer", "x-mcp-header": "Size" },
            deep: { type: "object", properties: { flag: { type: "boolean", "x-mcp-header": "Flag" } } },
          },
        } as never,
        handler: (args) => JSON.stringify(args),
      }),
      defineTool({
        name: "steps",
        inputSchema: { type: "object" } as const,
        handler: async (_args, { progress }) => {
          for (let step = 1; step <= 3; step++) progress(step, 3);
          await Promise.resolve();
          return "done";
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
      defineTool({
        name: "count",
        inputSchema: { type: "object" } as const,
        handler: (_args, { sessionId }) => `${sessionId ?? "none"}`,
      }),
      defineTool({
        name: "big",
        inputSchema: { type: "object", properties: { size: { type: "integer" } } } as const,
        handler: ({ size = 0 }) => new ToolResult([{ type: "text", text: "x".repeat(size) }]),
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
  return new Served(listening, { source, waiting, failures });
}

const TRANSCRIPTS = process.env["ARCHITRAVE_TRANSCRIPTS"];
let transcripts = 0;

/** A client in one revision, which sends what such a client has to. */
export class HttpClient {
  readonly served: Served;
  readonly version: string;
  session: string | undefined;
  fields: Fields = {};
  #nextId = 1;
  readonly #transcript: string | undefined;

  /** @param isRecorded Whether what it hears is an MCP server, and held against the schemas. */
  constructor(served: Served, version: string = MODERN, isRecorded = true) {
    this.served = served;
    this.version = version;
    if (!TRANSCRIPTS || !isRecorded) return;
    mkdirSync(TRANSCRIPTS, { recursive: true });
    this.#transcript = `${TRANSCRIPTS}/http-${process.pid}-${++transcripts}.jsonl`;
  }

  get isModern(): boolean {
    return this.version === MODERN;
  }

  /** Shakes hands, where the revision has that. */
  async start(capabilities: object = {}): Promise<this> {
    if (this.isModern) return this;
    const answered = await this.post({
      jsonrpc: "2.0",
      id: 0,
      method: "initialize",
      params: { ...handshake(this.version), capabilities },
    });
    this.session = answered.headers.get("mcp-session-id");
    if (this.session === undefined) throw new Error(`There is no session: ${answered.body}`);
    await this.post({ jsonrpc: "2.0", method: "notifications/initialized" });
    return this;
  }

  /** The fields of a request about this message. */
  fieldsOf(message: object): Fields {
    const { method, params } = message as { method?: string; params?: { name?: unknown; uri?: unknown } };
    const name = params?.name ?? params?.uri;
    const named = ["tools/call", "prompts/get", "resources/read"].includes(method ?? "");
    return {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      ...(this.isModern
        ? {
          "mcp-protocol-version": this.version,
          "mcp-method": method,
          ...(named && typeof name === "string" ? { "mcp-name": name } : {}),
        }
        : this.session === undefined
        ? {}
        : {
          "mcp-protocol-version": this.version === "2024-11-05" ? undefined : this.version,
          "mcp-session-id": this.session,
        }),
      ...this.fields,
    };
  }

  /** Sends a message and waits for the head of the answer. */
  async begin(message: object, fields: Fields = {}): Promise<Answered> {
    this.#record("sent", JSON.stringify(message));
    return await this.served.begin("POST", { ...this.fieldsOf(message), ...fields }, JSON.stringify(message));
  }

  /** Sends a message and waits for the whole answer. */
  async post(message: object, fields: Fields = {}): Promise<Answered> {
    const answered = await (await this.begin(message, fields)).whole();
    this.check(answered);
    return answered;
  }

  /** Takes what came into the transcript. */
  check(answered: Answered): void {
    if (answered.headers.get("content-type") === "text/event-stream") {
      for (const message of answered.messages()) {
        // How far a request has come belongs to no stream of changes.
        if (message["method"] === "notifications/progress") continue;
        this.#record("received", JSON.stringify(message));
      }
    } else if (answered.headers.get("content-type") === "application/json") {
      this.#record("received", JSON.stringify(answered.json));
    }
  }

  /** A request with what this revision wants in it. */
  request(method: string, params: object = {}, id: string | number = this.#nextId++): object {
    return { jsonrpc: "2.0", id, method, params: this.isModern ? modern(params, this.version) : params };
  }

  /** Asks one thing, and gives the answer. */
  async ask(method: string, params: object = {}, fields: Fields = {}): Promise<Record<string, unknown>> {
    const answered = await this.post(this.request(method, params), fields);
    if (answered.headers.get("content-type") === "text/event-stream") return answered.messages().at(-1)!;
    return answered.json;
  }

  /** Opens the stream of what is told unasked. */
  async listen(fields: Fields = {}): Promise<Answered> {
    return await this.served.begin("GET", {
      accept: "text/event-stream",
      "mcp-session-id": this.session,
      "mcp-protocol-version": this.version === "2024-11-05" ? undefined : this.version,
      ...this.fields,
      ...fields,
    });
  }

  #record(direction: "sent" | "received", line: string): void {
    if (this.#transcript) appendFileSync(this.#transcript, `${JSON.stringify({ [direction]: line })}\n`);
  }
}

/** Waits until something holds, and fails when it takes far longer than any machine needs. */
export async function untilTrue(what: string, holds: () => boolean): Promise<void> {
  const deadline = Date.now() + 30_000;
  while (!holds()) {
    if (Date.now() > deadline) throw new Error(`It never came to this: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
