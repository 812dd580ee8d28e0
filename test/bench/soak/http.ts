/**
 * The soak of HTTP: is everything freed that clients leave behind? Idle connections by the thousand, requests that stop half
 * way, streams that are aborted or never read, sessions that nobody ends; and all the while requests that must be answered.
 *
 *     node --experimental-strip-types test/bench/soak/http.ts [--minutes N] [--runtime node|deno] [--idle N]
 *
 * `BENCH_NODE` and `BENCH_DENO` name other runtimes. Exit code 1 when a request failed, or when memory or handles grew after
 * the first half of the time. Needs about twice as many open files as there are idle connections (`ulimit -n`).
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync } from "node:fs";
import { connect } from "node:net";
import type { Socket } from "node:net";
import process from "node:process";
import { createInterface } from "node:readline";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

/** What memory may grow by from the second quarter of the time to the last, and still be called flat. */
const FLAT = 1.15;
/** How many more files may be open at the end than before anybody came. */
const SPARE_HANDLES = 20;

/** How many sessions a server has at hand at most. */
const SESSIONS_AT_HAND = 10_000;

const { values } = parseArgs({
  options: {
    minutes: { type: "string", default: "2" },
    runtime: { type: "string", default: "node" },
    idle: { type: "string", default: "10000" },
  },
});
const idle = Number(values.idle);
const program = fileURLToPath(new URL("http_program.ts", import.meta.url));
const flags = ["--expose-gc", "--experimental-strip-types", "--no-warnings"];
const child = values.runtime === "deno"
  ? spawn(process.env["BENCH_DENO"] ?? "deno", ["run", "--allow-all", "--v8-flags=--expose-gc", program, `${idle}`])
  : spawn(process.env["BENCH_NODE"] ?? process.execPath, [...flags, program, `${idle}`]);

interface Held {
  readonly heapUsed: number;
  readonly rss: number;
  readonly handles: number;
}

const problems: string[] = [];
const samples: Held[] = [];
const counts = new Map<string, number>();
let port = 0;
let running = true;

const handles = () => readdirSync(`/proc/${child.pid}/fd`).length;
const count = (what: string) => counts.set(what, (counts.get(what) ?? 0) + 1);
const errors: string[] = [];
createInterface({ input: child.stderr }).on("line", (line) => void errors.push(line));
const lines = createInterface({ input: child.stdout });
let heard: ((held: Held) => void) | undefined;
lines.on("line", (line) => {
  if (!line.startsWith("probe ")) return;
  const held: Held = { ...JSON.parse(line.slice("probe ".length)), handles: handles() };
  heard?.(held);
});

/** What the server holds once it has collected its garbage. */
async function probe(): Promise<Held> {
  const { promise, resolve } = Promise.withResolvers<Held>();
  heard = resolve;
  child.stdin.write("\n");
  return await promise;
}

const META = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientCapabilities": {},
};
const FORMS = { "content-type": "application/json", accept: "application/json, text/event-stream" };

function modern(method: string, params: Record<string, unknown>): RequestInit {
  const name = params["name"] ?? params["uri"];
  const fields = { "mcp-protocol-version": "2026-07-28", "mcp-method": method };
  return {
    method: "POST",
    headers: { ...FORMS, ...fields, ...(name === undefined ? {} : { "mcp-name": String(name) }) },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params: { ...params, _meta: META } }),
  };
}

const url = () => `http://127.0.0.1:${port}/mcp`;

/** Requests that must be answered, whatever else happens. */
async function ask(): Promise<void> {
  const init = modern("tools/call", { name: "echo", arguments: { text: "again" } });
  for (; running; await pause(2)) {
    const response = await fetch(url(), init);
    const text = await response.text();
    if (response.status === 200 && text.includes(`"again"`)) count("answered");
    else problems.push(`${response.status}: ${text.slice(0, 200)}`);
  }
}

/** Streams that begin and are aborted, and calls that nobody waits for. */
async function abort(): Promise<void> {
  while (running) {
    for (const init of [modern("subscriptions/listen", { notifications: { toolsListChanged: true } }), modern("tools/call", { name: "slow" })]) {
      const controller = new AbortController();
      const asked = fetch(url(), { ...init, signal: controller.signal });
      const response = init.body!.toString().includes("listen") ? await asked : undefined;
      await response?.body!.getReader().read();
      await pause(response ? 0 : 20);
      controller.abort();
      await asked.catch(() => {});
      count("aborted");
    }
  }
}

/** Shakes hands, and gives what names the session. */
async function beginSession(): Promise<Record<string, string>> {
  const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "soak", version: "1" } };
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params });
  const response = await fetch(url(), { method: "POST", headers: FORMS, body });
  await response.text();
  return { "mcp-session-id": response.headers.get("mcp-session-id")! };
}

/** Sessions that open a stream, and are ended or forgotten. */
async function holdSessions(): Promise<void> {
  for (let number = 0; running; number++) {
    const session = await beginSession();
    const controller = new AbortController();
    const stream = await fetch(url(), { headers: { ...FORMS, ...session }, signal: controller.signal });
    if (stream.status !== 200) problems.push(`a stream of a session: ${stream.status}`);
    controller.abort();
    if (number % 2 === 0) await (await fetch(url(), { method: "DELETE", headers: session })).text();
    count("sessions");
    await pause(5);
  }
}

async function open(allowHalfOpen = false): Promise<Socket> {
  const socket = connect({ port, host: "127.0.0.1", allowHalfOpen });
  socket.on("error", () => {});
  await once(socket, "connect");
  return socket;
}

const HEAD = "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\n";
const LISTEN = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "subscriptions/listen", params: { notifications: { toolsListChanged: true }, _meta: META } });
const CHATTER = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "chatter", _meta: { ...META, progressToken: 1 } } });
const modernHead = (method: string, name = "") => `${HEAD}MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: ${method}\r\n${name && `Mcp-Name: ${name}\r\n`}`;

/** Sockets that do not do what sockets should. */
const MISDEEDS: Readonly<Record<string, () => Promise<void>>> = {
  async "half a head"() {
    const socket = await open();
    socket.write(HEAD);
    await pause(50);
    socket.destroy();
  },
  async "half a body, and gone"() {
    const socket = await open();
    socket.write(`${HEAD}Content-Length: 1000\r\n\r\n{"jsonrpc":`);
    await pause(20);
    socket.resetAndDestroy();
  },
  async "half a body, and half closed"() {
    const socket = await open(true);
    socket.end(`${HEAD}Content-Length: 1000\r\n\r\n{"jsonrpc":`);
    await Promise.race([once(socket.resume(), "close"), pause(5_000)]);
    socket.destroy();
  },
  async "a stream on a socket that is half closed"() {
    const socket = await open(true);
    socket.end(`${modernHead("subscriptions/listen")}Content-Length: ${LISTEN.length}\r\n\r\n${LISTEN}`);
    await Promise.race([once(socket, "data"), pause(1_000)]);
    socket.destroy();
  },
  async "a stream that is never read"() {
    const socket = await open();
    socket.pause();
    socket.write(`${modernHead("tools/call", "chatter")}Content-Length: ${CHATTER.length}\r\n\r\n${CHATTER}`);
    await pause(300);
    socket.destroy();
  },
};

async function misbehave(deed: string): Promise<void> {
  while (running) {
    await MISDEEDS[deed]!();
    count(deed);
    await pause(5);
  }
}

/** Many connections that say nothing, or one thing and then nothing; they stay for a while, and go all at once. */
async function idleOn(): Promise<void> {
  while (running) {
    const sockets: Socket[] = [];
    for (let opened = 0; opened < idle && running; opened += 100) {
      sockets.push(...await Promise.all(Array.from({ length: 100 }, () => open())));
    }
    for (const socket of sockets) socket.resume();
    count(`waves of ${idle} idle connections`);
    await pause(2_000);
    for (const socket of sockets) socket.destroy();
    await pause(1_000);
  }
}

/** The lowest of the last quarter against the lowest of the second one: garbage comes and goes, leaks stay. */
function growth(of: (held: Held) => number): number {
  const quarter = Math.max(1, Math.floor(samples.length / 4));
  const lowest = (some: readonly Held[]) => Math.min(...some.map(of));
  return lowest(samples.slice(-quarter)) / lowest(samples.slice(quarter, 2 * quarter));
}

const shown = (held: Held) => `${(held.heapUsed / 2 ** 20).toFixed(1)} MiB heap, ${(held.rss / 2 ** 20).toFixed(0)} MiB resident, ${held.handles} handles`;

try {
  const [line] = await once(lines, "line");
  port = Number(String(line).slice("port ".length));
  // What is loaded by the first of each is no leak.
  await (await fetch(url(), modern("tools/call", { name: "echo", arguments: { text: "again" } }))).text();
  // Sessions stay at hand up to a number: from then on each takes the place of another.
  const begun = Array.from({ length: 8 }, async () => {
    for (let number = 0; number < SESSIONS_AT_HAND / 8; number++) await beginSession();
  });
  await Promise.all(begun);
  const first = await probe();
  const all = [ask(), ask(), abort(), holdSessions(), idleOn(), ...Object.keys(MISDEEDS).map(misbehave)];
  const end = performance.now() + Number(values.minutes) * 60_000;
  while (performance.now() < end) {
    await pause(1_000);
    samples.push(await probe());
  }
  running = false;
  await Promise.all(all);
  // The connections of this process to the server that fetch keeps.
  let last = await probe();
  for (const until = performance.now() + 30_000; last.handles > first.handles + SPARE_HANDLES && performance.now() < until; await pause(500)) {
    last = await probe();
  }
  const grown = growth(({ heapUsed }) => heapUsed);
  if (grown > FLAT) problems.push(`heap grew by the factor ${grown.toFixed(2)}`);
  if (last.handles > first.handles + SPARE_HANDLES) problems.push(`${last.handles} handles are left, of ${first.handles} at first`);
  child.kill("SIGTERM");
  const [code] = await once(child, "exit");
  if (code !== 0) problems.push(`exit code ${code}`);
  if (errors.length > 0) problems.push(`stderr, ${errors.length} lines: ${errors.slice(0, 5).join(" | ").slice(0, 800)}`);
  console.log(`${values.runtime}, ${values.minutes} min: ${[...counts].map(([what, times]) => `${times} ${what}`).join(", ")}`);
  console.log(`at first: ${shown(first)}`);
  console.log(`the most: ${Math.max(...samples.map((held) => held.handles))} handles, ${(Math.max(...samples.map(({ heapUsed }) => heapUsed)) / 2 ** 20).toFixed(1)} MiB heap, ${(Math.max(...samples.map(({ rss }) => rss)) / 2 ** 20).toFixed(0)} MiB resident`);
  console.log(`at the end: ${shown(last)}; heap from the second quarter to the last x ${grown.toFixed(2)}`);
} finally {
  child.kill("SIGKILL");
}
for (const problem of problems.slice(0, 20)) console.error(problem);
process.exitCode = problems.length > 0 ? 1 : 0;
