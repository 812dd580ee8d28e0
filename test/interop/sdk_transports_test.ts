/** Do our carriers carry the official clients and servers, and the official transports our own? */

import assert from "node:assert/strict";
import process from "node:process";
import { describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { Client as ClientV2, InMemoryTransport as MemoryV2 } from "@modelcontextprotocol/client";
import { StdioClientTransport as StdioV2 } from "@modelcontextprotocol/client/stdio";
import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as StdioV1 } from "@modelcontextprotocol/sdk/client/stdio.js";
import { InMemoryTransport as MemoryV1 } from "@modelcontextprotocol/sdk/inMemory.js";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import type { Transport } from "../../lib/transport/mod.ts";
import type { SdkTransport } from "./sdk_transports.ts";
import { Connection, ErrorCode, failure, RpcError, toErrorObject } from "../../lib/jsonrpc/mod.ts";
import { memoryTransports } from "../../lib/transport/mod.ts";
import { listenTcp, tcpTransport } from "../../lib/transport/tcp.ts";
import { createEverythingServer } from "./everything.ts";
import { registerGreeting } from "./official_greeting.ts";
import { environment, RUNTIMES } from "./runtimes.ts";
import { MODERN_REVISION } from "./schemas.ts";
import { forSdk, FromSdk } from "./sdk_transports.ts";

const STDIO_SERVER = fileURLToPath(
  new URL("sdk_stdio_server.ts", import.meta.url),
);
const NOTHING = toErrorObject(
  new RpcError(ErrorCode.methodNotFound, "A client serves nothing"),
);

/** The official clients, connected over a transport. */
const CLIENTS: Readonly<
  Record<string, (transport: SdkTransport) => Promise<ClientV1 | ClientV2>>
> = {
  async "client v1"(transport) {
    const client = new ClientV1({ name: "interop", version: "1" });
    await client.connect(transport);
    return client;
  },
  "client v2, legacy": (transport) => connectV2(transport, "legacy"),
  "client v2, probing": (transport) => connectV2(transport, "auto"),
  "client v2, 2026-07-28": (transport) => connectV2(transport, { pin: MODERN_REVISION }),
};

async function connectV2(
  transport: SdkTransport,
  mode: "legacy" | "auto" | { pin: string },
): Promise<ClientV2> {
  const client = new ClientV2({ name: "interop", version: "1" }, {
    versionNegotiation: { mode },
  });
  await client.connect(transport);
  return client;
}

/** What our server says of itself to an official client, with progress on the way, and the end of it. */
async function useEverything(client: ClientV1 | ClientV2): Promise<void> {
  const closed = new Promise<void>((resolve) => client.onclose = resolve);
  const { contents } = await client.readResource({ uri: "test://static-text" });
  assert.match(JSON.stringify(contents), /static text resource/);
  const told: number[] = [];
  const onprogress = ({ progress }: { progress: number }) => void told.push(progress);
  const params = { name: "test_tool_with_progress", arguments: {} };
  if (client instanceof ClientV1) {
    await client.callTool(params, undefined, { onprogress });
  } else await client.callTool(params, { onprogress });
  // The clients take an answer before the progress that came with it in one piece, and drop that.
  assert.deepEqual(told.slice(0, 2), [0, 50]);
  const many = Array.from(
    { length: 50 },
    () => client.readResource({ uri: "test://static-binary" }),
  );
  assert.equal(
    new Set(
      (await Promise.all(many)).map(({ contents }) => JSON.stringify(contents)),
    ).size,
    1,
  );
  await assert.rejects(
    client.readResource({ uri: "test://none" }),
    /none|not found/i,
  );
  await client.close();
  await closed;
}

/** What our own peer gets from an official server. */
async function beGreeted(transport: Transport): Promise<void> {
  const peer = new Connection(transport, {
    onrequest: ({ id }) => failure(id, NOTHING),
  });
  await peer.start();
  const params = {
    protocolVersion: "2025-11-25",
    capabilities: {},
    clientInfo: { name: "own", version: "1" },
  };
  const opened = await peer.request("initialize", params) as {
    serverInfo: { name: string };
  };
  assert.equal(opened.serverInfo.name, "official");
  peer.notify("notifications/initialized");
  const called = await peer.request("tools/call", {
    name: "greet",
    arguments: { name: "Wörld 🏛" },
  });
  assert.match(JSON.stringify(called), /Hello, Wörld 🏛!/);
  await assert.rejects(peer.request("tools/none"), { code: -32601 });
  await peer.close();
}

const official = () => registerGreeting(new McpServer({ name: "official", version: "1" }));

for (const [name, connect] of Object.entries(CLIENTS)) {
  describe(`${name} with our server`, () => {
    it("over our carrier in memory", async () => {
      const [own, other] = memoryTransports();
      const conversation = await createEverythingServer().connect(own);
      await useEverything(await connect(forSdk(other)));
      await conversation.closed;
    });

    it("over our carrier on TCP", async () => {
      const server = createEverythingServer();
      const listener = await listenTcp({ port: 0 }, {
        onconnection: (transport) => void server.connect(transport),
      });
      const { port } = listener.address as { port: number };
      await useEverything(await connect(forSdk(await tcpTransport({ port }))));
      await listener.close();
    });

    for (
      const [generation, Memory] of [["v1", MemoryV1], [
        "v2",
        MemoryV2,
      ]] as const
    ) {
      it(`over the transport in memory of ${generation}`, async () => {
        const [own, other] = Memory.createLinkedPair();
        const conversation = await createEverythingServer().connect(
          new FromSdk(own),
        );
        await useEverything(await connect(other as SdkTransport));
        await conversation.closed;
      });
    }

    for (const generation of ["v1", "v2"]) {
      for (
        const { command, name: runtime, skip } of RUNTIMES.map((one) => ({
          ...one,
          ...one.launch(),
        }))
      ) {
        it(`over the transport on stdio of ${generation}, on ${runtime}`, {
          skip,
        }, async () => {
          const Stdio = name === "client v1" ? StdioV1 : StdioV2;
          const flags = runtime === "node"
            ? ["--experimental-strip-types", "--no-warnings"]
            : ["run", "-A", "--no-config", "--node-modules-dir=manual"];
          const args = [...flags, STDIO_SERVER, generation];
          const transport = new Stdio({
            command,
            args,
            env: environment(),
            stderr: "inherit",
          });
          await useEverything(await connect(transport as SdkTransport));
        });
      }
    }
  });
}

describe("our peer with an official server", () => {
  it("over our carrier in memory", async () => {
    const [own, other] = memoryTransports();
    await official().connect(forSdk(other));
    await beGreeted(own);
  });

  it("over our carrier on TCP", async () => {
    const ended = Promise.withResolvers<void>();
    const listener = await listenTcp({ port: 0 }, {
      onconnection(transport) {
        const server = official();
        server.server.onclose = ended.resolve;
        void server.connect(forSdk(transport));
      },
    });
    const { port } = listener.address as { port: number };
    await beGreeted(await tcpTransport({ port }));
    await ended.promise;
    await listener.close();
  });

  it("over the official transport in memory", async () => {
    const [own, other] = MemoryV1.createLinkedPair();
    await official().connect(other);
    await beGreeted(new FromSdk(own));
  });

  for (
    const [generation, Stdio] of [["v1", StdioV1], ["v2", StdioV2]] as const
  ) {
    it(`over our carrier on stdio and the transport of ${generation}`, async () => {
      const args = [
        "--experimental-strip-types",
        "--no-warnings",
        STDIO_SERVER,
        "ours",
      ];
      const transport = new Stdio({
        command: process.execPath,
        args,
        env: environment(),
        stderr: "inherit",
      });
      await beGreeted(new FromSdk(transport));
    });
  }
});
