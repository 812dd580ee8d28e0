/** Our server over HTTP for tests: in the process of the test, as a program, and as a handler. */

import type { TestContext } from "node:test";
import type { HttpListening, HttpListenOptions, HttpOptions } from "../../lib/mcp/http/mod.ts";
import { createHttpHandler, listenHttp } from "../../lib/mcp/http/mod.ts";
import type { ServerOptions } from "../../lib/mcp/server/mod.ts";
import { createServer, defineTool } from "../../lib/mcp/server/mod.ts";
import { Source } from "../mcp/server/tool_client.ts";
import { makeFolder } from "./folder.ts";
import { HttpPeer, peerAt } from "./http_client.ts";
import { until } from "./process.ts";
import { Program } from "./program.ts";
import { allow } from "./runtime.ts";

/** Lets a header field say who the client is. */
export const BY_NAME: HttpListenOptions = {
  authenticate: ({ header }) => ({ principal: header("x-name") ?? "first" }),
};

/** What a test gets of a server in its own process. */
export interface Served extends HttpPeer, Pick<HttpListening, "sessions" | "usage" | "close"> {
  readonly source: Source;
  readonly failures: unknown[];
}

/** Starts a server with resources and tools. */
export async function serve(
  test: Pick<TestContext, "after">,
  http: HttpListenOptions = {},
  options: Partial<ServerOptions> = {},
): Promise<Served> {
  const peer = new HttpPeer(), source = new Source(), failures: unknown[] = [];
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
          peer.waiting.push({ signal, finish: () => resolve("waited") });
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
  const { port, sessions, usage, close } = listening;
  return Object.assign(peer, { port, sessions, usage, close, source, failures });
}

/** Starts the command `http`; "FOLDER" in its arguments is replaced by the folder of the files. */
export async function startProgram(
  t: Pick<TestContext, "after">,
  args: readonly string[],
  files: Record<string, string> = {},
): Promise<{ program: Program; folder: string; served: HttpPeer }> {
  const folder = makeFolder(t, { "resources/guidelines/a.md": "# A\n\nText.\n", ...files });
  const given = args.map((arg) => arg.replace("FOLDER", folder));
  const line = ["http", "--root", folder, "--listen", "127.0.0.1:0", ...given];
  const program = new Program(line, { runtimeFlags: allow("net") });
  t.after(() => void program.child.kill("SIGKILL"));
  await until("it listens", () => /\/mcp[\n"]/.test(program.errors));
  const [, port] = /:(\d+)\/mcp/.exec(program.errors)!;
  return { program, folder, served: peerAt(Number(port)) };
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
