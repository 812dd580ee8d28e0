/** Which servers are measured, and how is one started and asked? */
import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Runtime } from "../servers.ts";

/** The eras of the protocol. */
export type Era = "modern" | "legacy";

/** One row of the report. */
export interface Connection {
  readonly name: string;
  readonly label: string;
  readonly file: string;
  readonly flags: readonly string[];
  readonly eras: readonly Era[];
}

const BOTH: readonly Era[] = ["modern", "legacy"];

/** The row that all others of a runtime are divided by. */
export const UNIT = "bare";

export const PEERS: readonly Connection[] = [
  { name: UNIT, label: "bare handler", file: "bare.mjs", flags: [], eras: BOTH },
  {
    name: "unread",
    label: "bare handler that reads nothing of the body",
    file: "bare.mjs",
    flags: ["--unread"],
    eras: BOTH,
  },
  { name: "architrave", label: "**Architrave**", file: "architrave.ts", flags: [], eras: BOTH },
  { name: "mcp_lite", label: "mcp-lite", file: "mcp_lite.mjs", flags: [], eras: ["legacy"] },
  { name: "sdk_v2", label: "official SDK v2", file: "sdk_v2.mjs", flags: [], eras: BOTH },
];

/** How long a server may take to start, in milliseconds. */
const PATIENCE_MS = 30_000;

/** What is asked, as wrk needs it. */
export interface Asked {
  /** With `#ID#` where the id belongs. */
  readonly body: string;
  readonly fields: Readonly<Record<string, string>>;
}

const META = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientCapabilities": {},
  "io.modelcontextprotocol/clientInfo": { name: "bench", version: "1" },
};
const BOTH_FORMS = { "content-type": "application/json", accept: "application/json, text/event-stream" };

/** A server that runs. */
export class HttpServer {
  readonly peer: Connection;
  readonly url: string;
  readonly #child: ChildProcess;
  readonly #session: Readonly<Record<string, string>>;

  private constructor(peer: Connection, url: string, child: ChildProcess, session: Readonly<Record<string, string>>) {
    this.peer = peer;
    this.url = url;
    this.#child = child;
    this.#session = session;
  }

  /** Starts one, and shakes hands where there is anybody to shake hands with. */
  static async start(peer: Connection, runtime: Runtime, root: string, runtimeFlags: readonly string[] = []): Promise<HttpServer> {
    const flags = runtime.name === "deno"
      ? ["run", "--no-prompt", "--no-lock", "--allow-read", "--allow-env", "--allow-net=127.0.0.1"]
      : ["--experimental-strip-types", "--no-warnings"];
    const file = join(import.meta.dirname, "peers", peer.file);
    const args = [...flags, ...runtimeFlags, file, ...peer.flags, "--root", root];
    const child = spawn(runtime.command, args, { stdio: ["ignore", "pipe", "inherit"] });
    const [line] = await once(createInterface({ input: child.stdout! }), "line", {
      signal: AbortSignal.timeout(PATIENCE_MS),
    });
    const url = `http://127.0.0.1:${String(line).slice("port ".length)}/mcp`;
    return new HttpServer(peer, url, child, peer.eras.includes("legacy") ? await shakeHands(url) : {});
  }

  get pid(): number {
    return this.#child.pid!;
  }

  /** What a request of an era looks like to this server. */
  ask(era: Era, method: string, params: Readonly<Record<string, unknown>>): Asked {
    const all = era === "modern" ? { ...params, _meta: META } : params;
    const fields = era === "legacy" ? this.#session : {
      "mcp-protocol-version": "2026-07-28",
      "mcp-method": method,
      "mcp-name": String(params["name"] ?? params["uri"]),
    };
    return { body: `{"jsonrpc":"2.0","id":#ID#,"method":${JSON.stringify(method)},"params":${JSON.stringify(all)}}`, fields };
  }

  /** The text of the answer to one request, which must be a good one. */
  async answer({ body, fields }: Asked): Promise<string> {
    const response = await fetch(this.url, {
      method: "POST",
      headers: { ...BOTH_FORMS, ...fields },
      body: body.replace("#ID#", "1"),
    });
    const text = await response.text();
    if (response.ok && text.includes(`"result"`)) return text;
    throw new Error(`${this.peer.name} answers with ${response.status}: ${text.slice(0, 500)}`);
  }

  async stop(): Promise<void> {
    const exited = once(this.#child, "exit");
    this.#child.kill("SIGTERM");
    const timer = setTimeout(() => this.#child.kill("SIGKILL"), 3_000);
    await exited;
    clearTimeout(timer);
  }
}

async function shakeHands(url: string): Promise<Record<string, string>> {
  const params = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "bench", version: "1" } };
  const post = (fields: Record<string, string>, message: object) =>
    fetch(url, {
      method: "POST",
      headers: { ...BOTH_FORMS, ...fields },
      body: JSON.stringify({ jsonrpc: "2.0", ...message }),
    });
  const response = await post({}, { id: 0, method: "initialize", params });
  await response.text();
  const id = response.headers.get("mcp-session-id");
  const session = { "mcp-protocol-version": "2025-06-18", ...(id === null ? {} : { "mcp-session-id": id }) };
  await (await post(session, { method: "notifications/initialized" })).text();
  return session;
}
