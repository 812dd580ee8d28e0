/** Our transports carry the official clients and servers, and the official transports our own. */

import assert from "node:assert/strict";
import { it } from "node:test";
import type { JSONRPCMessage } from "@modelcontextprotocol/client";
import { InMemoryTransport as MemoryV2 } from "@modelcontextprotocol/client";
import { InMemoryTransport as MemoryV1 } from "@modelcontextprotocol/sdk/inMemory.js";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { z } from "zod";
import { connect } from "../../lib/client/mod.ts";
import type { Message } from "../../lib/jsonrpc/mod.ts";
import type { MessageContext, Transport } from "../../lib/transport/mod.ts";
import { memoryTransports, TransportError } from "../../lib/transport/mod.ts";
import { listenTcp, tcpTransport } from "../../lib/transport/tcp.ts";
import type { OfficialClient, SdkTransport } from "./clients.ts";
import { V1, V2_AUTO, V2_LEGACY, V2_MODERN } from "./clients.ts";
import { createEverythingServer } from "./everything.ts";

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
  readonly type = "sdk";
  onmessage: Transport["onmessage"];
  onerror: Transport["onerror"];
  /** Never called: they do not tell the end of what comes in from the end of all. */
  onend: Transport["onend"];
  onclose: Transport["onclose"];
  readonly #transport: SdkTransport;
  #state: "new" | "open" | "closed" = "new";

  constructor(transport: object) {
    this.#transport = transport as SdkTransport;
  }

  get isOpen(): boolean {
    return this.#state === "open";
  }

  async start(): Promise<void> {
    if (this.#state !== "new") throw new TransportError(`Cannot start the transport: it is ${this.#state}`);
    this.#state = "open";
    this.#transport.onmessage = (message: unknown) => {
      const context: MessageContext = { receivedAt: Date.now(), size: JSON.stringify(message).length };
      void this.onmessage?.(message, context);
    };
    this.#transport.onerror = (error) => this.onerror?.(error);
    this.#transport.onclose = () => this.#closed();
    await this.#transport.start();
  }

  async send(message: Message | readonly Message[]): Promise<void> {
    if (this.#state !== "open") {
      throw new TransportError(`Cannot send over the transport: it is ${this.#state}`);
    }
    const plain = JSON.parse(JSON.stringify([message].flat())) as JSONRPCMessage[];
    for (const one of plain) await this.#transport.send(one);
  }

  async close(): Promise<void> {
    if (this.#state === "closed") return;
    await this.#transport.close();
    this.#closed();
  }

  #closed(): void {
    if (this.#state === "closed") return;
    this.#state = "closed";
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

/** What an official client gets from our server, with progress on the way. */
async function useEverything(client: OfficialClient): Promise<void> {
  assert.match((await client.read("test://static-text")).text, /static text resource/);
  const reports: number[] = [];
  const onprogress = ({ progress }: { progress: number }) => void reports.push(progress);
  await client.call("test_tool_with_progress", {}, { onprogress });
  // The clients take an answer before the progress that came with it in one piece, and drop that.
  assert.deepEqual(reports.slice(0, 2), [0, 50]);
  const many = await Promise.all(Array.from({ length: 50 }, () => client.read("test://static-binary")));
  assert.equal(new Set(many.map((read) => JSON.stringify(read))).size, 1);
  await assert.rejects(client.read("test://none"), /none|not found/i);
}

for (const opening of [V1, V2_LEGACY, V2_AUTO, V2_MODERN]) {
  for (const [name, serve] of Object.entries(SERVED)) {
    it(`${opening.name} with our server over ${name}`, async () => {
      const { end, closed } = await serve();
      const client = await opening.connect(end);
      await useEverything(client);
      await client.close(/progress notification for an unknown token/);
      await closed?.();
    });
  }
}

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
