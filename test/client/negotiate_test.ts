import assert from "node:assert/strict";
import { test } from "node:test";
import { connect, ConnectError } from "../../lib/client/mod.ts";
import { connected, INFO, LEGACY, MODERN, Refusal, ScriptedServer } from "./scripted_server.ts";

test("a modern server is asked what it speaks, and never shaken hands with", async () => {
  const { client, server } = await connected(MODERN);
  assert.equal(client.era, "modern");
  assert.equal(client.version, "2026-07-28");
  assert.deepEqual(client.server.info, { name: "scripted", version: "1" });
  assert.deepEqual(server.methods, ["server/discover"]);
  assert.deepEqual(server.received[0]!.params._meta, {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": INFO,
    "io.modelcontextprotocol/clientCapabilities": {},
  });
  await client.close();
});

for (const code of [-32601, -32602, -32600, -32603, -32000, -32002, 0, 404]) {
  test(`a server that answers the modern question with ${code} is shaken hands with`, async () => {
    const script = {
      ...LEGACY,
      "server/discover": () => {
        throw new Refusal(code);
      },
    };
    const { client, server } = await connected(script);
    assert.equal(client.era, "legacy");
    assert.deepEqual(server.methods.slice(0, 2), ["server/discover", "initialize"]);
    await client.close();
    assert.equal(server.methods[2], "notifications/initialized");
  });
}

test("a server that answers the modern question with something else is shaken hands with", async () => {
  const { client } = await connected({ ...LEGACY, "server/discover": () => ({}) });
  assert.equal(client.era, "legacy");
  await client.close();
});

test("a server that is silent to the modern question is shaken hands with", async () => {
  const { client, server } = await connected({ ...LEGACY, "server/discover": () => undefined }, {
    probeMs: 20,
  });
  assert.equal(client.era, "legacy");
  assert.equal(client.version, "2025-11-25");
  assert.ok(!server.methods.includes("notifications/cancelled"));
  await client.close();
});

test("a modern server that is slow is not taken for a legacy one", async () => {
  let discover: () => void;
  const { client } = await connected({
    "server/discover": (request, server) => {
      discover = () => server.send({ id: request.id, result: MODERN["server/discover"]!(request, server) });
      return undefined;
    },
    // It came to itself when the handshake was tried, and answers in order.
    initialize: () => {
      discover();
      throw new Refusal(-32601);
    },
  }, { probeMs: 20 });
  assert.equal(client.era, "modern");
  await client.close();
});

test("a server that wants a modern revision that the client speaks too is asked again in it", async () => {
  let asked = 0;
  const { client } = await connected({
    "server/discover": (request, server) => {
      if (++asked === 1) throw new Refusal(-32022, "version", { supported: ["2026-07-28"], requested: "?" });
      return MODERN["server/discover"]!(request, server);
    },
  });
  assert.equal(client.era, "modern");
  assert.equal(asked, 2);
  await client.close();
});

test("a server that refuses every revision is not asked for ever", async () => {
  let asked = 0;
  const refuse = () => {
    asked++;
    throw new Refusal(-32022, "version", { supported: ["2026-07-28"], requested: "2026-07-28" });
  };
  await assert.rejects(connected({ "server/discover": refuse }), ConnectError);
  assert.ok(asked <= 3);
});

test("revisions that only one side speaks are named", async () => {
  const script = {
    "server/discover": () => {
      throw new Refusal(-32022, "version", { supported: ["2031-01-01"], requested: "2026-07-28" });
    },
  };
  await assert.rejects(connected(script), /the client speaks 2026-07-28, .*the server speaks 2031-01-01/);
  const handshake = { initialize: () => ({ protocolVersion: "2031-01-01", capabilities: {} }) };
  await assert.rejects(connected(handshake, { era: "legacy" }), /the server speaks 2031-01-01/);
});

test("a server that names modern and legacy revisions, and no modern one of ours, is shaken hands with", async () => {
  const { client } = await connected({
    ...LEGACY,
    "server/discover": () => {
      throw new Refusal(-32022, "version", {
        supported: ["2031-01-01", "2025-11-25"],
        requested: "2026-07-28",
      });
    },
  });
  assert.equal(client.era, "legacy");
  await client.close();
});

test("a missing capability is a modern answer: there is no handshake after it", async () => {
  const server = new ScriptedServer({
    ...LEGACY,
    "server/discover": () => {
      throw new Refusal(-32021, "sampling");
    },
  });
  await assert.rejects(
    connect(server.transport, { info: INFO }),
    /refuses to be asked what it speaks: sampling/,
  );
  assert.deepEqual(server.methods, ["server/discover"]);
});

for (const version of ["2025-06-18", "2025-03-26", "2024-11-05"]) {
  test(`a server that speaks ${version} is spoken to in it`, async () => {
    const { client } = await connected({
      initialize: () => ({ protocolVersion: version, capabilities: {}, serverInfo: INFO }),
    });
    assert.equal(client.version, version);
    await client.close();
  });
}

test("a server that ends at the modern question is made again, and shaken hands with", async () => {
  const servers: ScriptedServer[] = [];
  const make = () => {
    const server = new ScriptedServer({
      ...LEGACY,
      "server/discover": (_, self) => void self.close(),
    });
    servers.push(server);
    return server.transport;
  };
  const client = await connect(make, { info: INFO });
  assert.equal(client.era, "legacy");
  assert.equal(servers.length, 2);
  assert.equal(servers[1]!.methods[0], "initialize");
  await client.close();
  // Without a way to make it again, that is the end.
  await assert.rejects(connect(make(), { info: INFO }), ConnectError);
});

test("the era of a server with an address is remembered, and found out anew when it is wrong", async () => {
  const eras = new Map<string, "legacy" | "modern">();
  const at = (script: Record<string, () => unknown> | typeof LEGACY) => {
    const server = new ScriptedServer(script);
    return { server, transport: Object.assign(server.transport, { address: "https://a.example/mcp" }) };
  };
  const first = at(LEGACY);
  await (await connect(first.transport, { info: INFO, eras })).close();
  assert.equal(eras.get("https://a.example/mcp"), "legacy");
  const second = at(LEGACY);
  await (await connect(second.transport, { info: INFO, eras })).close();
  assert.equal(second.server.methods[0], "initialize");
  const client = await connect(() => at(MODERN).transport, { info: INFO, eras });
  assert.equal(client.era, "modern");
  assert.equal(eras.get("https://a.example/mcp"), "modern");
  await client.close();
});

for (const [was, script] of [["modern", LEGACY], ["legacy", MODERN]] as const) {
  test(`a server that is remembered as ${was} and is not is asked anew on the same carrier`, async () => {
    const eras = new Map([["https://a.example/mcp", was as "legacy" | "modern"]]);
    const { transport } = new ScriptedServer(script);
    const client = await connect(Object.assign(transport, { address: "https://a.example/mcp" }), {
      info: INFO,
      eras,
    });
    assert.notEqual(client.era, was);
    assert.equal(eras.get("https://a.example/mcp"), client.era);
    await client.close();
  });
}

test("what is remembered of a server is forgotten when it cannot be connected to", async () => {
  const eras = new Map<string, "legacy" | "modern">([["https://a.example/mcp", "legacy"]]);
  const { transport } = new ScriptedServer({});
  await assert.rejects(
    connect(Object.assign(transport, { address: "https://a.example/mcp" }), { info: INFO, eras }),
    ConnectError,
  );
  assert.equal(eras.size, 0);
});

test("a server that is silent to the modern question has time for the other one, however little there is", async () => {
  const { client } = await connected({ ...LEGACY, "server/discover": () => undefined }, {
    connectTimeoutMs: 400,
  });
  assert.equal(client.era, "legacy");
  await client.close();
});

test("a server that never answers is given up in the time that it has", async () => {
  const silent = { "server/discover": () => undefined, initialize: () => undefined };
  await assert.rejects(connected(silent, { probeMs: 10, connectTimeoutMs: 50 }), /did not answer in 50 ms/);
});

test("an era that is asked for is the only one that is tried", async () => {
  await assert.rejects(connected(LEGACY, { era: "modern" }), /does not speak 2026-07-28/);
  const { client, server } = await connected({ ...LEGACY, ...MODERN }, { era: "legacy" });
  assert.equal(server.methods[0], "initialize");
  await client.close();
});

test("a limit that cannot be kept is refused", async () => {
  await assert.rejects(connected(MODERN, { timeoutMs: 0 }), RangeError);
});
