/**
 * The official clients of both generations and ours do the same with servers of many authors: what they list, page by page,
 * what they get from calls, reads, prompts and completions, and how that fails.
 *
 * Most of the servers are packages of their own, which are large: `npm ci --prefix test/interop/servers` installs them, and
 * `npm test --prefix test/interop/servers` runs this file. Those that are missing are skipped by name.
 */

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import process from "node:process";
import { test } from "node:test";
import type { Era, JsonObject } from "../../lib/mcp/client/mod.ts";
import { connect, httpTransport, spawnTransport } from "../../lib/mcp/client/mod.ts";
import type { Opening, Reference } from "./clients.ts";
import { filledIn, ROOT, SAMPLED, V1, V2_AUTO_IN_PLACE } from "./clients.ts";
import type { Launch } from "./programs.ts";
import { Daemon, environment, freePort, HERE, NODE_RUNTIME, REPOSITORY, STRIP } from "./programs.ts";
import { MODERN_REVISION } from "../harness/conformance.ts";
import type { Setup } from "./setups.ts";
import { SETUPS } from "./setups.ts";

/** What every server is asked. */
const ASKS = `
  call no-such-tool {}
  prompt no-such-prompt {}`;

/** The requests of a text. */
function requestsOf(text: string): string[] {
  return text.split("\n").map((line) => line.trim()).filter((line) => line !== "");
}

// --- The clients, with one interface

/** The lists, and the methods of both clients that fetch them. */
const METHODS = {
  tools: "listTools",
  resources: "listResources",
  resourceTemplates: "listResourceTemplates",
  prompts: "listPrompts",
} as const;
type List = keyof typeof METHODS;
const LISTS = Object.keys(METHODS) as List[];
type Page = Readonly<Record<string, unknown>> & { readonly nextCursor?: string };
type Arguments = Record<string, string>;

/** A client that is connected. */
interface Side {
  readonly facts: Readonly<Record<string, unknown>> & { readonly capabilities: JsonObject };
  /** A page, or all of them in one. */
  list(list: List, cursor?: string): Promise<Page>;
  call(name: string, args: JsonObject): Promise<unknown>;
  read(uri: string): Promise<unknown>;
  prompt(name: string, args: Arguments): Promise<unknown>;
  complete(reference: Reference, argument: { name: string; value: string }): Promise<unknown>;
  close(): Promise<void>;
}

/** A server over HTTP. */
interface Endpoint {
  readonly url: string;
  readonly headers: Record<string, string>;
}
type Target = Launch | Endpoint;

async function official(target: Target, opening: Opening): Promise<Side> {
  const client = "url" in target
    ? await opening.connect(target.url, { requestInit: { headers: target.headers } })
    : await opening.connect(target);
  const { raw, revision: version, transport } = client;
  return {
    facts: {
      version,
      server: raw.getServerVersion(),
      capabilities: raw.getServerCapabilities() as JsonObject,
      instructions: raw.getInstructions(),
    },
    async list(list, cursor) {
      const page = (await raw[METHODS[list]](cursor === undefined ? undefined : { cursor })) as Page;
      // The second generation joins the pages.
      return client.v2 ? { [list]: page[list] } : page;
    },
    call: (name, args) => raw.callTool({ name, arguments: args }),
    read: (uri) => raw.readResource({ uri }),
    prompt: (name, args) => raw.getPrompt({ name, arguments: args }),
    complete: async (ref, argument) => (await raw.complete({ ref, argument })).completion,
    async close() {
      if ("url" in target) await transport.terminateSession().catch(() => {});
      await raw.close();
    },
  };
}

async function ours(target: Target, era: Era | "auto"): Promise<Side> {
  const inherited = Object.fromEntries(Object.keys(process.env).map((name) => [name, undefined]));
  const transport = "url" in target
    ? httpTransport(target.url, { headers: target.headers })
    : await spawnTransport({ ...target, env: { ...inherited, ...target.env }, onstderr: () => {} });
  const client = await connect(transport, {
    info: { name: "side-by-side", version: "1" },
    era,
    eras: new Map(),
    // On a busy machine, a server may take long to start.
    probeMs: 30_000,
    onform: (params) => filledIn({ params }),
    onurl: (params) => filledIn({ params }),
    onsample: () => SAMPLED,
    roots: [ROOT],
  });
  // The official client of the second generation drops it.
  const complete = async (asked: Promise<JsonObject>) => ({ ...(await asked), resultType: undefined });
  const { info: server, capabilities, instructions } = client.server;
  return {
    facts: { version: client.version, server, capabilities, instructions },
    async list(list, cursor) {
      if (era === "legacy") return await client[`${METHODS[list]}Paginated`](cursor);
      return { [list]: await Array.fromAsync<unknown>(client[list]()) };
    },
    call: (name, args) => complete(client.callTool(name, args)),
    read: (uri) => complete(client.readResource(uri)),
    prompt: (name, args) => complete(client.getPrompt(name, args)),
    complete: (reference, argument) => client.complete(reference, argument),
    close: () => client.close(),
  };
}

// --- What a client sees of a server

/** What a request came to; an error without what each client puts around its message. */
async function outcome(request: Promise<unknown>): Promise<unknown> {
  try {
    return await request;
  } catch (error) {
    const { code, message } = error as { code?: number; message: string };
    return { error: { code, message: message.replace(/^(?:MCP error -?\d+: )+/, "") } };
  }
}

/** All lists, page by page, and the outcome of every request. */
async function see(side: Side, asks: string): Promise<Record<string, unknown>> {
  const { capabilities } = side.facts;
  const seen: Record<string, unknown> = { facts: side.facts };
  const requests = requestsOf(asks + ASKS);
  for (const list of LISTS) {
    if (!capabilities[list === "resourceTemplates" ? "resources" : list]) continue;
    const pages: Page[] = [];
    do pages.push((await outcome(side.list(list, pages.at(-1)?.nextCursor))) as Page); while (
      pages.at(-1)!.nextCursor !== undefined && pages.length < 10
    );
    seen[list] = pages;
    const resources = list === "resources" ? pages.flatMap((page) => page[list] as { uri: string }[]) : [];
    requests.push(...resources.slice(0, 3).map(({ uri }) => `read ${uri}`));
  }
  for (const request of requests) {
    const [, kind, name, rest] = /^(\w+) (\S+) ?(.*)$/.exec(request)!;
    const ask = () => {
      if (kind === "call") return side.call(name!, JSON.parse(rest!));
      if (kind === "read") return side.read(name!);
      if (kind === "prompt") return side.prompt(name!, JSON.parse(rest!));
      const [argument, value] = rest!.split(" ") as [string, string];
      const reference: Reference = name!.includes(":")
        ? { type: "ref/resource", uri: name! }
        : { type: "ref/prompt", name: name! };
      return side.complete(reference, { name: argument, value });
    };
    // The official clients ask nothing of a server that does not offer it.
    const isOffered = capabilities[kind === "call" ? "tools" : kind === "read" ? "resources" : "prompts"];
    if (isOffered) seen[request] = await outcome(ask());
  }
  return seen;
}

/** Replaces what is not the same twice, and drops what only our client keeps. */
function settled(seen: unknown, { varies, unknown = {} }: Setup, folder: string, port: string): unknown {
  const text = JSON.stringify(seen).replaceAll(folder, "FOLDER").replaceAll(`:${port}`, ":PORT");
  return JSON.parse(varies ? text.replace(varies, "VARIES") : text, (key, value) => {
    for (const part of [value].flat()) {
      for (const name of unknown[key] ?? []) delete part[name];
    }
    return value;
  });
}

/** The processes with a mark in their environment, as they were called. */
function processes(mark: string): Map<number, string> {
  const found = new Map<number, string>();
  for (const pid of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
    try {
      if (!readFileSync(`/proc/${pid}/environ`, "utf8").includes(mark)) continue;
      const command = readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ");
      // One that has ended, and was not waited for, has none.
      if (command !== "") found.set(Number(pid), command);
    } catch {
      // It has ended, or is that of another user.
    }
  }
  return found;
}

/** Waits until no process has a mark; those that stay are ended, and returned. */
async function leftOver(mark: string): Promise<readonly string[]> {
  if (!existsSync("/proc/self/environ")) return [];
  let left = processes(mark);
  for (const deadline = Date.now() + 5000; left.size > 0 && Date.now() < deadline; left = processes(mark)) {
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  for (const pid of left.keys()) process.kill(pid, "SIGKILL");
  return [...left.values()];
}

/** Runs our command `inspect`: what it prints as JSON, or else what it says. */
function inspect(
  target: Target,
  era: readonly string[],
  action: readonly string[],
  folder: string,
): Promise<JsonObject | string> {
  const isUrl = "url" in target;
  const token = isUrl && target.headers["Authorization"]?.replace("Bearer ", "");
  if (token) writeFileSync(`${folder}/token`, token);
  const args = isUrl
    ? [...(token ? ["--token-file", `${folder}/token`] : []), target.url, ...action]
    : [...action, "--", target.command, ...target.args];
  const program = [...STRIP, `${REPOSITORY}mod.ts`, "inspect", "--json", ...era];
  const options = { env: isUrl ? environment() : target.env, cwd: folder, maxBuffer: 2 ** 26 };
  return new Promise((resolve) =>
    execFile(NODE_RUNTIME.command, [...program, ...args], options, (_, stdout, stderr) => {
      resolve(stdout === "" ? stderr : JSON.parse(stdout));
    })
  );
}

/** What starts a server in a folder of its own, with a mark in its environment. */
function prepare(start: string, main: string, port: string) {
  const folder = mkdtempSync(`${tmpdir()}/architrave-side-`);
  const words = start.split(" ").filter(Boolean).map((word) =>
    word.replaceAll("FOLDER", folder).replace(/(?<==|^)PORT$/, port)
  );
  const isVariable = (word: string) => /^[A-Z_]+=/.test(word);
  const own = words.filter(isVariable).map((word) => word.split("=") as [string, string]);
  const mark = randomUUID();
  const launch: Launch = {
    command: NODE_RUNTIME.command,
    args: [...STRIP, main, ...words.filter((word) => !isVariable(word))],
    env: { ...environment(), ...Object.fromEntries(own), SIDE_BY_SIDE: mark },
    cwd: folder,
  };
  return { folder, mark, launch };
}

for (const [setup, start] of SETUPS.flatMap((one) => one.starts.map((start) => [one, start] as const))) {
  const { name, program, token, looksAtClient = false } = setup;
  const isHttp = start.includes("PORT");
  const places = ["", "node_modules/", "servers/node_modules/"].map((place) => HERE + place + program);
  const main = places.find((place) => existsSync(place)) ?? "";
  const needed = program.startsWith("servers/") ? places[2]!.replace(program, name) : main;
  const skip = !existsSync(needed) && `${name} is not installed: npm ci --prefix test/interop/servers`;
  const title = `${name} over ${isHttp ? "HTTP" : "stdio"}: the official clients and ours do the same`;
  test(title, { skip }, async (t) => {
    const port = isHttp ? String(await freePort()) : "none";
    const headers: Record<string, string> = token === undefined ? {} : { Authorization: `Bearer ${token}` };
    const endpoint: Endpoint = { url: `http://127.0.0.1:${port}/mcp`, headers };
    if (isHttp) {
      const { launch: { command, args, ...options }, mark } = prepare(start, main, port);
      const daemon = new Daemon(command, args, options.cwd, options);
      t.after(async () => {
        await daemon.stop();
        await leftOver(mark);
      });
      await daemon.until(async () => (await fetch(endpoint.url)).status > 0);
    }
    const run = async (isOurs: boolean, act: (target: Target, folder: string) => Promise<unknown>) => {
      const { folder, mark, launch } = prepare(start, main, port);
      try {
        return settled(await act(isHttp ? endpoint : launch, folder), setup, folder, port);
      } finally {
        const left = await leftOver(mark);
        rmSync(folder, { recursive: true, force: true });
        if (isOurs) assert.deepEqual(left, [], "no process is left behind");
        else if (left.length > 0) t.diagnostic(`The official client leaves behind ${left.join("; ")}`);
      }
    };
    const seenBy = (isOurs: boolean, open: (target: Target) => Promise<Side>) =>
      run(isOurs, async (target, folder) => {
        const side = await open(target);
        try {
          return await see(side, setup.asks.replaceAll("FOLDER", folder));
        } finally {
          await side.close();
        }
      }) as Promise<Record<string, unknown>>;
    const [request = ""] = requestsOf(setup.asks);
    const [, tool = "", given = ""] = /^call (\S+) (.*)$/.exec(request)!;
    const [legacy, first, automatic, second] = await Promise.all([
      seenBy(true, (target) => ours(target, "legacy")),
      seenBy(false, (target) => official(target, V1)),
      seenBy(true, (target) => ours(target, "auto")),
      seenBy(false, (target) => official(target, V2_AUTO_IN_PLACE)),
    ]);
    assert.deepEqual(legacy, first, "the first generation");
    assert.deepEqual(automatic, second, "the second generation");
    const { version } = automatic["facts"] as { version: string };
    const era = ["--era", version === MODERN_REVISION ? "modern" : "legacy"];
    const inspected = (...action: string[]) =>
      run(true, (target, folder) => {
        return inspect(target, era, action.map((word) => word.replaceAll("FOLDER", folder)), folder);
      });
    const [listed, called] = await Promise.all([inspected("list"), inspected("call", tool, given)]);
    const lists = listed as JsonObject;
    for (const [fact, value] of Object.entries(automatic["facts"]!)) {
      if (!looksAtClient) assert.deepEqual(lists[fact], value);
    }
    for (const list of LISTS) {
      const all = (automatic[list] as [Page] | undefined)?.[0][list] as { name: string }[] | undefined;
      const items = lists[list] as typeof all;
      const expected = looksAtClient
        ? all?.filter(({ name }) => items?.some((item) => item.name === name))
        : all;
      assert.deepEqual(items, expected, `inspect lists the ${list}`);
    }
    const answer = automatic[request] as { readonly error?: { readonly message: string } };
    if (answer.error) {
      assert.ok(String(called).includes(answer.error.message), String(called));
    } else {
      const { resultType: _, ...result } = (called as { result: JsonObject }).result;
      assert.deepEqual(result, answer);
    }
  });
}
