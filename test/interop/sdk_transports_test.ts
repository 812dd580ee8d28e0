/**
 * The official clients get from our server all that tools can do: over HTTP, our own transports and the official ones. Our
 * client reaches official servers over the same transports.
 */

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { JSONRPCMessage } from "@modelcontextprotocol/client";
import { InMemoryTransport as MemoryV2 } from "@modelcontextprotocol/client";
import { InMemoryTransport as MemoryV1 } from "@modelcontextprotocol/sdk/inMemory.js";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { z } from "zod";
import { connect } from "../../lib/client/mod.ts";
import type { Message } from "../../lib/jsonrpc/mod.ts";
import type { MessageContext, Transport } from "../../lib/transport/mod.ts";
import { memoryTransports } from "../../lib/transport/mod.ts";
import { listenTcp, tcpTransport } from "../../lib/transport/tcp.ts";
import type { OfficialClient, Opening, SdkTransport, Target } from "./clients.ts";
import { ROOT, V1, V2_AUTO, V2_LEGACY, V2_MODERN } from "./clients.ts";
import { createEverythingServer } from "./everything.ts";
import { onEachRuntime, serveEverything, serving } from "./programs.ts";
import { META_PREFIX, MODERN_REVISION } from "./rules.ts";

/** What the two contracts have in common to the letter. */
type Shared = Omit<SdkTransport, "onmessage" | "send">;

/**
 * Our transport, for a `Client` or a `Server` of the official packages. It is the transport itself: the compiler alone
 * objects, to two members. What comes with a message is our `MessageContext` and not their `MessageExtraInfo`; the two have
 * no member in common, and theirs has none that must be there. And their messages may have `params` that are undefined,
 * which ours leave out; written as JSON they are left out too.
 */
function forSdk(transport: Transport): SdkTransport {
  return transport satisfies Shared as Shared as SdkTransport;
}

/**
 * A transport of the official packages, for our `Server`. Theirs takes one message at a time where ours may be given all
 * answers to a batch, and each as plain values, where ours may be written as JSON already; it tells nothing of a message but
 * that it came, and may close more than once.
 */
class FromSdk implements Transport {
  onmessage: Transport["onmessage"];
  onerror: Transport["onerror"];
  /** Never called: they do not tell the end of what comes in from the end of all. */
  onend: Transport["onend"];
  onclose: Transport["onclose"];
  isOpen = false;
  readonly #transport: SdkTransport;

  constructor(transport: object) {
    this.#transport = transport as SdkTransport;
  }

  async start(): Promise<void> {
    this.isOpen = true;
    this.#transport.onmessage = (message: unknown) => {
      const context: MessageContext = { receivedAt: Date.now(), size: JSON.stringify(message).length };
      void this.onmessage?.(message, context);
    };
    this.#transport.onerror = (error) => this.onerror?.(error);
    this.#transport.onclose = () => this.#closed();
    await this.#transport.start();
  }

  async send(message: Message | readonly Message[]): Promise<void> {
    const plain = JSON.parse(JSON.stringify([message].flat())) as JSONRPCMessage[];
    for (const one of plain) await this.#transport.send(one);
  }

  async close(): Promise<void> {
    await this.#transport.close();
    this.#closed();
  }

  #closed(): void {
    if (!this.isOpen) return;
    this.isOpen = false;
    this.onclose?.();
  }
}

/** A client's end of a transport, and the end of the server at the other one. */
interface Ends<T> {
  readonly end: T;
  closed?(): Promise<unknown>;
}

/** A listener on TCP that serves with a function, and our transport to it. */
async function overTcp(serve: (transport: Transport) => void): Promise<Ends<Transport>> {
  const listener = await listenTcp({ port: 0 }, { onconnection: serve });
  const { port } = listener.address as { port: number };
  return { end: await tcpTransport({ port }), closed: () => listener.close() };
}

/** Our server at the other end of a transport. */
const SERVED: Readonly<Record<string, () => Promise<Ends<SdkTransport>>>> = {
  async "our transport in memory"() {
    const [own, other] = memoryTransports();
    const { closed } = await createEverythingServer().connect(own);
    return { end: forSdk(other), closed: () => closed };
  },
  async "our transport on TCP"() {
    const server = createEverythingServer();
    const { end, ...ends } = await overTcp((transport) => void server.connect(transport));
    return { end: forSdk(end), ...ends };
  },
  ...Object.fromEntries(
    Object.entries({ v1: MemoryV1, v2: MemoryV2 }).map(([generation, Memory]) => [
      `the transport in memory of ${generation}`,
      async () => {
        const [own, other] = Memory.createLinkedPair();
        const { closed } = await createEverythingServer().connect(new FromSdk(own));
        return { end: other as SdkTransport, closed: () => closed };
      },
    ]),
  ),
};

/** A connection that breaks once, after the first event with a message of the first stream that answers a call of a tool. */
function breaksOnce(): typeof fetch {
  let isBroken = false;
  return async (url, init) => {
    const response = await fetch(url, init);
    const isCall = typeof init?.body === "string" && init.body.includes("tools/call");
    if (isBroken || !isCall || !response.body) return response;
    isBroken = true;
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    let seen = "";
    while (!/data: \{.*\n\n/.test(seen)) {
      const { value, done } = await reader.read();
      assert.ok(!done, "the answer is no stream that could break");
      seen += value;
    }
    await reader.cancel();
    return new Response(seen.slice(0, seen.lastIndexOf("\n\n") + 2), response);
  };
}

/** Keeps the progress that a call reports. */
function progressOf(): { all: number[]; onprogress: (report: { progress: number }) => void } {
  const all: number[] = [];
  return { all, onprogress: ({ progress }) => void all.push(progress) };
}

/** What an official client gets from our server, wherever that is. */
function clientTests(opening: Opening, serve: () => Promise<Ends<Target>>): void {
  const isModern = opening.revision === MODERN_REVISION;
  const check = (name: string, use: (client: OfficialClient) => Promise<void>) =>
    it(name, async () => {
      const { end, closed } = await serve();
      const client = await opening.connect(end);
      await use(client);
      // Without a network, the clients take an answer before the progress that came with it, and drop that.
      await client.close(typeof end === "string" ? undefined : /progress notification for an unknown token/);
      await closed?.();
    });

  check("answers what it is asked: once, all at once and in several rounds", async (client) => {
    const answers: readonly (readonly [tool: string, args: Record<string, unknown>, expected: RegExp])[] = [
      ["test_sampling", { prompt: "Say it" }, /what the model says/],
      ["test_elicitation", { message: "Who?" }, /"username":"the username"/],
      ["test_input_required_result_list_roots", {}, new RegExp(`^${ROOT.name} ${ROOT.uri}$`)],
      ["test_input_required_result_multiple_inputs", {}, /^what the model says the name \(1 roots\)$/],
      ["test_input_required_result_multi_round", {}, /^the name likes the color$/],
    ];
    for (const [tool, args, expected] of answers) assert.match(await client.textOf(tool, args), expected);
    const [[, text]] = await client.prompt("test_input_required_result_prompt") as [[string, string]];
    assert.match(text, /Use this context: the context/);
    assert.match((await client.read("test://static-text")).text, /static text resource/);
    const many = await Promise.all(Array.from({ length: 50 }, () => client.read("test://static-binary")));
    assert.equal(new Set(many.map((read) => JSON.stringify(read))).size, 1);
    await assert.rejects(client.read("test://none"), /none|not found/i);
  });

  check("hears of progress and of the log, if it wants to", async (client) => {
    const { all, onprogress } = progressOf();
    await client.call("test_tool_with_progress", {}, { onprogress });
    assert.deepEqual(all.slice(0, 2), [0, 50]);
    if (client.recording.exchanges.length > 0) assert.deepEqual(all, [0, 50, 100]);
    await client.call("test_tool_with_logging");
    assert.deepEqual(client.logs, []);
    if (!isModern) await client.raw.setLoggingLevel("info");
    const meta = isModern ? { [`${META_PREFIX}logLevel`]: "info" } : {};
    await client.call("test_tool_with_logging", {}, {}, meta);
    assert.deepEqual(client.logs, [
      "Tool execution started",
      "Tool processing data",
      "Tool execution completed",
    ]);
  });

  check("cancels a call, which the tool sees, and goes on", async (client) => {
    const count = async () => Number(await client.textOf("count_cancelled"));
    const before = await count();
    const controller = new AbortController();
    const { signal } = controller;
    const onprogress = () => controller.abort(new Error("no longer needed"));
    await assert.rejects(client.call("wait_until_cancelled", {}, { signal, onprogress }), /no longer needed/);
    // The news travels on its own; nothing tells the client when it came.
    while (await count() === before);
    assert.equal(await count(), before + 1);
  });
}

const OPENINGS = [V1, V2_LEGACY, V2_AUTO, V2_MODERN];
for (const opening of OPENINGS) {
  for (const [name, serve] of Object.entries(SERVED)) {
    describe(`${opening.name} over ${name}`, () => clientTests(opening, serve));
  }
}

onEachRuntime("HTTP", (runtime) => {
  const url = serving(() => serveEverything(runtime));

  for (const opening of OPENINGS) {
    describe(opening.name, () => clientTests(opening, () => Promise.resolve({ end: url() })));
  }

  for (const opening of [V1, V2_LEGACY]) {
    it(`${opening.name} comes back for the rest of an answer whose connection broke`, async () => {
      const client = await opening.connect(url(), { fetch: breaksOnce() });
      const { all, onprogress } = progressOf();
      const text = await client.textOf("test_tool_with_progress", {}, { onprogress });
      assert.equal(text, "Tool with progress executed successfully");
      // What comes in one piece with the answer, the client drops.
      assert.deepEqual(all.slice(0, 2), [0, 50]);
      const resumed = client.recording.exchanges.filter(({ method, lastEventId }) =>
        method === "GET" && lastEventId
      );
      assert.deepEqual(resumed.map(({ status }) => status), [200]);
      await client.close();
    });
  }
});

/** An official server with one tool, which is enough to see that what it says arrives. */
function greetingServer(): McpServer {
  const server = new McpServer({ name: "official", version: "1" });
  server.registerTool("greet", { description: "Greets", inputSchema: { name: z.string() } }, ({ name }) => {
    return { content: [{ type: "text", text: `Hello, ${name}!` }] };
  });
  return server;
}

/** An official server at the other end of a transport. */
const OFFICIAL: Readonly<Record<string, () => Promise<Ends<Transport>>>> = {
  async "our transport in memory"() {
    const [own, other] = memoryTransports();
    await greetingServer().connect(forSdk(other));
    return { end: own };
  },
  async "our transport on TCP"() {
    const ended = Promise.withResolvers<void>();
    const { end, closed } = await overTcp((transport) => {
      const server = greetingServer();
      server.server.onclose = ended.resolve;
      void server.connect(forSdk(transport));
    });
    return { end, closed: () => ended.promise.then(closed) };
  },
  async "the official transport in memory"() {
    const [own, other] = MemoryV1.createLinkedPair();
    await greetingServer().connect(other);
    return { end: new FromSdk(own) };
  },
};

for (const [name, serve] of Object.entries(OFFICIAL)) {
  it(`our client with an official server over ${name}`, async () => {
    const { end, closed } = await serve();
    const client = await connect(end, { info: { name: "own", version: "1" } });
    assert.deepEqual([client.era, client.server.info["name"]], ["legacy", "official"]);
    const { content } = await client.callTool("greet", { name: "Wörld 🏛" });
    assert.equal(content[0]!.text, "Hello, Wörld 🏛!");
    await assert.rejects(client.call("tools/none"), { code: -32601 });
    await client.close();
    await closed?.();
  });
}
