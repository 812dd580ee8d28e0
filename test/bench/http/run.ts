/**
 * The benchmark over HTTP: the processor time of the server per request, as a ratio against a bare handler or against
 * another checkout.
 *
 *     npm ci --prefix test/bench
 *     node --experimental-strip-types test/bench/http/run.ts [--rounds N] [--seconds N] [--runtime node|deno] \
 *       [--servers a,b] [--against DIR]
 *
 * Needs wrk (Debian: `apt-get install wrk`) and Linux. `BENCH_NODE` and `BENCH_DENO` name other runtimes. All servers run
 * at the same time and are asked in turn, in rounds, so that whatever else the machine does meets all of them; ratios are
 * made within each round, and their median is shown. The checkout in DIR brings its own `peers/architrave.ts`.
 */
import { spawn, spawnSync } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { availableParallelism } from "node:os";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { parseArgs } from "node:util";
import { generateCorpus } from "../documents.ts";
import { cpuMs } from "../process.ts";
import { quantile, RATIO_TITLES, ratios, table } from "../report.ts";
import { findRuntime, REPOSITORY, UNIT } from "../servers.ts";
import type { Runtime } from "../servers.ts";

/** Connections of wrk: enough that the server always has something to do. */
const CONNECTIONS = 16;
const LUA = join(import.meta.dirname, "post.lua");
/** What the tool is called with. */
const ECHO = { name: "echo", arguments: { text: "The same again, and once more. ".repeat(3) } };
/** How long a server may take to start, in milliseconds. */
const START_MS = 30_000;
const clientInfo = { name: "bench", version: "1" };
const HANDSHAKE = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo };
const META = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientCapabilities": {},
  "io.modelcontextprotocol/clientInfo": clientInfo,
};
const HEADERS = { "content-type": "application/json", accept: "application/json, text/event-stream" };

type Era = "modern" | "legacy";
const BOTH: readonly Era[] = ["modern", "legacy"];

/** One row of the report. */
interface Peer {
  name: string;
  label: string;
  args: string[];
  eras: readonly Era[];
}

function peer(name: string, label: string, [file, ...flags]: string[], eras = BOTH, checkout = REPOSITORY): Peer {
  return { name, label, args: [join(checkout, "test", "bench", "http", "peers", file!), ...flags], eras };
}

const PEERS: readonly Peer[] = [
  peer(UNIT, "bare handler", ["bare.mjs"]),
  peer("architrave", "**Architrave**", ["architrave.ts"]),
  peer("mcp_lite", "mcp-lite", ["mcp_lite.mjs"], ["legacy"]),
  peer("sdk_v2", "official SDK v2", ["sdk_v2.mjs"]),
];

interface Scenario {
  title: string;
  era: Era;
  method: string;
  params: Record<string, unknown>;
  /** Part of the answer. */
  expected: string;
}

/** A server that runs. */
class HttpServer {
  /** Milliseconds of processor time per request, of each round. */
  readonly samples = new Map<Scenario, number[]>();
  readonly peer: Peer;
  readonly #url: string;
  readonly #child: ChildProcess;
  #session: Record<string, string> = {};

  private constructor(peer: Peer, url: string, child: ChildProcess) {
    this.peer = peer;
    this.#url = url;
    this.#child = child;
  }

  /** Starts one, and performs the handshake where it speaks a revision with one. */
  static async start(peer: Peer, runtime: Runtime, root: string): Promise<HttpServer> {
    const flags = runtime.name === "deno"
      ? ["run", "--no-prompt", "--no-lock", "--allow-read", "--allow-env", "--allow-net=127.0.0.1"]
      : ["--experimental-strip-types", "--no-warnings"];
    const args = [...flags, ...peer.args, "--root", root];
    const child = spawn(runtime.command, args, { stdio: ["ignore", "pipe", "inherit"] });
    const lines = createInterface({ input: child.stdout! });
    const [line] = await once(lines, "line", { signal: AbortSignal.timeout(START_MS) });
    const server = new HttpServer(peer, `http://127.0.0.1:${String(line).slice("port ".length)}/mcp`, child);
    if (peer.eras.includes("legacy")) await server.#openSession();
    return server;
  }

  async #openSession(): Promise<void> {
    const opened = await this.#post({ id: 0, method: "initialize", params: HANDSHAKE });
    const id = opened.headers.get("mcp-session-id");
    this.#session = { "mcp-protocol-version": "2025-06-18", "mcp-session-id": id ?? "none" };
    await this.#post({ method: "notifications/initialized" }, this.#session);
  }

  async #post(message: object, more: Record<string, string> = {}): Promise<{ text: string; headers: Headers }> {
    const body = JSON.stringify({ jsonrpc: "2.0", ...message });
    const response = await fetch(this.#url, { method: "POST", headers: { ...HEADERS, ...more }, body });
    return { headers: response.headers, text: await response.text() };
  }

  #asked({ era, method, params }: Scenario): { message: object; headers: Record<string, string> } {
    if (era === "legacy") return { message: { method, params }, headers: this.#session };
    const headers = {
      "mcp-protocol-version": "2026-07-28",
      "mcp-method": method,
      "mcp-name": String(params["name"] ?? params["uri"]),
    };
    return { message: { method, params: { ...params, _meta: META } }, headers };
  }

  /** @throws {Error} When the answer is wrong. */
  async check(scenario: Scenario): Promise<void> {
    if (!this.peer.eras.includes(scenario.era)) return;
    const { message, headers } = this.#asked(scenario);
    const { text } = await this.#post({ id: 1, ...message }, headers);
    if (text.includes(JSON.stringify(scenario.expected).slice(1, -1))) return;
    throw new Error(`${this.peer.name} answers ${scenario.title} with ${text.slice(0, 500)}`);
  }

  /** Puts a load on it for some seconds; gives the processor time per request, in milliseconds. */
  load(scenario: Scenario, seconds: number): number {
    const { message, headers } = this.#asked(scenario);
    const body = JSON.stringify({ jsonrpc: "2.0", id: "#ID#", ...message }).replace('"#ID#"', "#ID#");
    const fields = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
    const options = ["-t1", `-c${CONNECTIONS}`, `-d${seconds}s`, "-s", LUA, this.#url, "--", body, ...fields];
    const before = cpuMs(this.#child.pid!);
    const { stdout, status, error } = spawnSync("wrk", options, { encoding: "utf8" });
    const used = cpuMs(this.#child.pid!) - before;
    if (error || status !== 0) throw new Error(`wrk cannot be run: ${error?.message ?? stdout}`);
    if (/Non-2xx or 3xx responses|Socket errors/.test(stdout)) {
      throw new Error(`${this.peer.name} fails: ${stdout}`);
    }
    return used / Number(/(\d+) requests in/.exec(stdout)?.[1]);
  }

  async stop(): Promise<void> {
    const exited = once(this.#child, "exit");
    this.#child.kill("SIGTERM");
    const timer = setTimeout(() => this.#child.kill("SIGKILL"), 3_000);
    await exited;
    clearTimeout(timer);
  }
}

const { values } = parseArgs({
  options: {
    rounds: { type: "string" },
    seconds: { type: "string", default: "1" },
    runtime: { type: "string" },
    servers: { type: "string" },
    against: { type: "string" },
  },
});
const rounds = Number(values.rounds ?? (values.against === undefined ? 9 : 15));
const corpus = generateCorpus(0);
const { uri, text } = corpus.ordinary.documents[0]!;
const scenarios: Scenario[] = BOTH.flatMap((era) => [
  { title: `read 10 kB, ${era}`, era, method: "resources/read", params: { uri }, expected: text },
  { title: `call a tool, ${era}`, era, method: "tools/call", params: ECHO, expected: ECHO.arguments.text },
]);
const wanted = values.servers?.split(",");
const peers = values.against === undefined
  ? PEERS.filter(({ name }) => name === UNIT || !wanted || wanted.includes(name))
  : [REPOSITORY, resolve(values.against)].map((checkout) =>
    peer("architrave", checkout, ["architrave.ts"], BOTH, checkout)
  );

function measure(servers: readonly HttpServer[]): void {
  // The first round warms up.
  for (let round = -1; round < rounds; round++) {
    for (const scenario of scenarios) {
      // In another order each time: the first does not have the caches of the last.
      for (const server of round % 2 === 0 ? servers : servers.toReversed()) {
        if (!server.peer.eras.includes(scenario.era)) continue;
        const sample = server.load(scenario, round < 0 ? 2 : Number(values.seconds));
        if (round >= 0) server.samples.set(scenario, [...server.samples.get(scenario) ?? [], sample]);
      }
    }
  }
}

/** The ratios of a server to another, in each round. */
function ratiosOf(server: HttpServer, unit: HttpServer, scenario: Scenario): number[] {
  return (server.samples.get(scenario) ?? []).map((sample, index) =>
    sample / unit.samples.get(scenario)![index]!
  );
}

function reportOf(servers: readonly HttpServer[]): string {
  const [unit, other] = servers as [HttpServer, HttpServer];
  if (values.against !== undefined) {
    const rows = scenarios.map((scenario) => [scenario.title, ...ratios(ratiosOf(unit, other, scenario))]);
    return table(["figure", ...RATIO_TITLES], rows);
  }
  const cell = (server: HttpServer, scenario: Scenario) =>
    server.samples.has(scenario) ? quantile(ratiosOf(server, unit, scenario), 0.5).toFixed(2) : "–";
  const rows = servers.map((server) => [server.peer.label, ...scenarios.map((one) => cell(server, one))]);
  const units = scenarios.map((one) =>
    `${one.title} ${(quantile(unit.samples.get(one)!, 0.5) * 1000).toFixed(0)} µs`
  );
  return `${table(["server", ...scenarios.map(({ title }) => title)], rows)}The unit: ${units.join(", ")}.\n`;
}

try {
  for (const name of ["node", "deno"] as const) {
    if (values.runtime !== undefined && values.runtime !== name) continue;
    const runtime = findRuntime(name);
    if (!runtime) {
      console.error(`${name} is skipped: it cannot be started`);
      continue;
    }
    const servers: HttpServer[] = [];
    try {
      for (const peer of peers) servers.push(await HttpServer.start(peer, runtime, corpus.ordinary.path));
      for (const server of servers) for (const scenario of scenarios) await server.check(scenario);
      measure(servers);
      const title = `processor time per request, as ratios; medians of ${rounds} rounds`;
      console.log(`\n${name} ${runtime.version}, ${availableParallelism()} processors: ${title}\n`);
      console.log(reportOf(servers));
    } finally {
      await Promise.all(servers.map((server) => server.stop()));
    }
  }
} finally {
  corpus.remove();
}
