/**
 * The soak over HTTP: everything that clients leave behind must be freed. Idle connections by the thousand, requests that
 * stop half way, streams that are aborted or never read, sessions that are never ended; meanwhile ordinary requests must be answered.
 *
 *     node --experimental-strip-types test/bench/soak/http.ts [--minutes N] [--runtime node|deno] [--idle N]
 *
 * Exit code 1 when a request failed, or when memory or handles grew. Needs about twice as many open files as there are
 * idle connections (`ulimit -n`).
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { connect } from "node:net";
import type { Socket } from "node:net";
import { createInterface } from "node:readline";
import { setTimeout as pause } from "node:timers/promises";
import { parseArgs } from "node:util";
import { conclude, growthProblems, heldOf, META, probed, shown } from "./probe.ts";
import type { Held } from "./probe.ts";

/** How many more files may be open at the end than before the load. */
const SPARE_HANDLES = 20;
/** How many sessions a server keeps at most: from then on each new one takes the place of another. */
const MAX_SESSIONS = 10_000;

const { values } = parseArgs({
  options: {
    minutes: { type: "string", default: "2" },
    runtime: { type: "string", default: "node" },
    idle: { type: "string", default: "10000" },
  },
});
const idle = Number(values.idle);
const child = spawn(...probed(values.runtime, "http_program.ts", `${idle}`), { stdio: "pipe" });
const problems: string[] = [];
const samples: Held[] = [];
const errors: string[] = [];
const counts = new Map<string, number>();
const count = (what: string) => counts.set(what, (counts.get(what) ?? 0) + 1);
let port = 0;
let running = true;

createInterface({ input: child.stderr }).on("line", (line) => void errors.push(line));
const lines = createInterface({ input: child.stdout });
let heard: ((held: Held) => void) | undefined;
lines.on("line", (line) => {
  const held = heldOf(line, child.pid!);
  if (held) heard?.(held);
});

/** What the server holds once it has collected its garbage. */
function probe(): Promise<Held> {
  const { promise, resolve } = Promise.withResolvers<Held>();
  heard = resolve;
  child.stdin.write("\n");
  return promise;
}

const BOTH = { "content-type": "application/json", accept: "application/json, text/event-stream" };
const url = () => `http://127.0.0.1:${port}/mcp`;

/** A request of 2026-07-28. */
function modern(method: string, asked: Record<string, unknown>) {
  const name = asked["name"] === undefined ? {} : { "mcp-name": String(asked["name"]) };
  const params = { ...asked, _meta: { ...META, ...asked["_meta"] as object } };
  return {
    method: "POST",
    headers: { ...BOTH, "mcp-protocol-version": "2026-07-28", "mcp-method": method, ...name },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
  };
}

const ECHO = modern("tools/call", { name: "echo", arguments: { text: "again" } });
const SLOW = modern("tools/call", { name: "slow" });
const CHATTER = modern("tools/call", { name: "chatter", _meta: { progressToken: 1 } });
const LISTEN = modern("subscriptions/listen", { notifications: { toolsListChanged: true } });

/** The head of a request as it stands on the connection. */
function raw({ headers, body }: typeof ECHO, length = body.length): string {
  const fields = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`).join("");
  return `POST /mcp HTTP/1.1\r\nHost: localhost\r\n${fields}Content-Length: ${length}\r\n\r\n`;
}

/** Requests that must be answered, whatever else happens. */
async function ask(): Promise<void> {
  for (; running; await pause(2)) {
    const response = await fetch(url(), ECHO);
    const text = await response.text();
    if (response.status === 200 && text.includes(`"again"`)) count("answered");
    else problems.push(`${response.status}: ${text.slice(0, 200)}`);
  }
}

/** Streams that begin and are aborted, and calls that the client gives up. */
async function abort(): Promise<void> {
  while (running) {
    for (const init of [LISTEN, SLOW]) {
      const controller = new AbortController();
      const asked = fetch(url(), { ...init, signal: controller.signal });
      if (init === LISTEN) await (await asked).body!.getReader().read();
      else await pause(20);
      controller.abort();
      await asked.catch(() => {});
      count("aborted");
    }
  }
}

/** Performs a handshake, and gives what names the session. */
async function beginSession(): Promise<Record<string, string>> {
  const clientInfo = { name: "soak", version: "1" };
  const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo };
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params });
  const response = await fetch(url(), { method: "POST", headers: BOTH, body });
  await response.text();
  return { "mcp-session-id": response.headers.get("mcp-session-id")! };
}

/** Sessions that open a stream, and are ended or forgotten. */
async function holdSessions(): Promise<void> {
  for (let number = 0; running; number++) {
    const session = await beginSession();
    const controller = new AbortController();
    const stream = await fetch(url(), { headers: { ...BOTH, ...session }, signal: controller.signal });
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

/** What clients do to a connection, by name; each closes it in the end. */
const MISUSES: Readonly<Record<string, (socket: Socket) => Promise<unknown>>> = {
  "half a head": async (socket) => {
    socket.write(raw(ECHO).slice(0, -"\r\n".length));
    await pause(50);
  },
  "half a body": async (socket) => {
    socket.write(`${raw(ECHO, 1000)}{"jsonrpc":`);
    await pause(20);
    socket.resetAndDestroy();
  },
  "half a body, and half closed": async (socket) => {
    socket.end(`${raw(ECHO, 1000)}{"jsonrpc":`);
    await Promise.race([once(socket.resume(), "close"), pause(5_000)]);
  },
  "a stream on a socket that is half closed": async (socket) => {
    socket.end(raw(LISTEN) + LISTEN.body);
    await Promise.race([once(socket, "data"), pause(1_000)]);
  },
  "a stream that is never read": async (socket) => {
    socket.pause();
    socket.write(raw(CHATTER) + CHATTER.body);
    await pause(300);
  },
};

async function misuse(what: string): Promise<void> {
  for (; running; await pause(5)) {
    const socket = await open(what.includes("half closed"));
    await MISUSES[what]!(socket);
    socket.destroy();
    count(what);
  }
}

/** Many connections that send nothing stay for a while, and go all at once. */
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

try {
  const [line] = await once(lines, "line");
  port = Number(String(line).slice("port ".length));
  // What is loaded by the first of each is no leak.
  await (await fetch(url(), ECHO)).text();
  await Promise.all(Array.from({ length: 8 }, async () => {
    for (let number = 0; number < MAX_SESSIONS / 8; number++) await beginSession();
  }));
  const first = await probe();
  const all = [ask(), ask(), abort(), holdSessions(), idleOn(), ...Object.keys(MISUSES).map(misuse)];
  const end = performance.now() + Number(values.minutes) * 60_000;
  while (performance.now() < end) {
    await pause(1_000);
    samples.push(await probe());
  }
  running = false;
  await Promise.all(all);
  // The connections that fetch keeps in this process go after some seconds.
  let last = await probe();
  const hasSpare = () => last.handles > first.handles + SPARE_HANDLES;
  for (const until = performance.now() + 30_000; hasSpare() && performance.now() < until; await pause(500)) {
    last = await probe();
  }
  if (hasSpare()) problems.push(`${last.handles} handles are left, of ${first.handles} at first`);
  child.kill("SIGTERM");
  const [code] = await once(child, "exit");
  if (code !== 0) problems.push(`exit code ${code}`);
  if (errors.length > 0) {
    problems.push(`stderr, ${errors.length} lines: ${errors.slice(0, 5).join(" | ").slice(0, 800)}`);
  }
  const most = (what: keyof Held) => Math.max(...samples.map((held) => held[what]));
  const done = [...counts].map(([what, times]) => `${times} ${what}`).join(", ");
  console.log(`${values.runtime}, ${values.minutes} min: ${done}`);
  console.log(`at first: ${shown(first)}`);
  console.log(`the most: ${shown({ heapUsed: most("heapUsed"), rss: most("rss"), handles: most("handles") })}`);
  console.log(`at the end: ${shown(last)}`);
  problems.push(...growthProblems(samples, ["heapUsed"]));
} finally {
  child.kill("SIGKILL");
}
conclude(problems);
