/** Our transports carry the official clients and servers, and the official transports our own. */

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { InMemoryTransport as MemoryV2 } from "@modelcontextprotocol/client";
import { StdioClientTransport as StdioV2 } from "@modelcontextprotocol/client/stdio";
import { StdioClientTransport as StdioV1 } from "@modelcontextprotocol/sdk/client/stdio.js";
import { InMemoryTransport as MemoryV1 } from "@modelcontextprotocol/sdk/inMemory.js";
import { connect } from "../../lib/client/mod.ts";
import type { Transport } from "../../lib/transport/mod.ts";
import { memoryTransports } from "../../lib/transport/mod.ts";
import { listenTcp, tcpTransport } from "../../lib/transport/tcp.ts";
import type { OfficialClient, Target } from "./clients.ts";
import { V1, V2_AUTO, V2_LEGACY, V2_MODERN } from "./clients.ts";
import { createEverythingServer } from "./everything.ts";
import { NODE_RUNTIME, RUNTIMES } from "./programs.ts";
import type { SdkTransport } from "./sdk_transports.ts";
import { forSdk, FromSdk } from "./sdk_transports.ts";
import { greetingServer } from "./stdio_server.ts";

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
  describe(`${opening.name} with our server`, () => {
    const use = async (target: Target) => {
      const client = await opening.connect(target);
      await useEverything(client);
      await client.close(/progress notification for an unknown token/);
    };

    for (const [name, serve] of Object.entries(SERVED)) {
      it(`over ${name}`, async () => {
        const { end, closed } = await serve();
        await use(end);
        await closed?.();
      });
    }

    for (const generation of ["v1", "v2"]) {
      for (const { name, skip, script } of RUNTIMES) {
        it(`over the transport on stdio of ${generation}, on ${name}`, { skip }, () => {
          return use(script("stdio_server.ts", [generation]));
        });
      }
    }
  });
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
  ...Object.fromEntries(
    Object.entries({ v1: StdioV1, v2: StdioV2 }).map(([generation, Stdio]) => [
      `our transport on stdio and the transport of ${generation}`,
      async () => {
        const program = { ...NODE_RUNTIME.script("stdio_server.ts", ["ours"]), stderr: "inherit" } as const;
        return { end: new FromSdk(new Stdio(program)) };
      },
    ]),
  ),
};

describe("our client with an official server", () => {
  for (const [name, serve] of Object.entries(OFFICIAL)) {
    it(`over ${name}`, async () => {
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
});
