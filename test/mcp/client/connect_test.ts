/** Connecting: the revision that is negotiated with servers of all known behaviours. */

import assert from "node:assert/strict";
import { createServer } from "node:net";
import { test } from "node:test";
import type { ClientOptions, Era } from "../../../lib/mcp/client/mod.ts";
import { connect, ConnectError } from "../../../lib/mcp/client/mod.ts";
import { tcpTransport } from "../../../lib/jsonrpc/transport/tcp.ts";
import { listenLocally } from "../../harness/http.ts";
import type { Received, Script } from "../../harness/scripted_server.ts";
import {
  DISCOVERY,
  fail,
  INFO,
  LEGACY,
  MODERN,
  open,
  ScriptedServer,
} from "../../harness/scripted_server.ts";

const discover = (request: Received, server: ScriptedServer) => MODERN["server/discover"]!(request, server);
const unsupported = (...supported: string[]) => () => fail(-32022, "version", { supported, requested: "?" });
const discovers = (answer: Script[string] = () => undefined): Script => ({ "server/discover": answer });
const initialized = (protocolVersion: string) => ({
  initialize: () => ({ protocolVersion, capabilities: {}, serverInfo: INFO }),
});

test("connect() sends a modern server one request, with the members of every request, and no handshake", async (t) => {
  const { client, server } = await open(t, MODERN);
  assert.deepEqual([client.era, client.version], ["modern", "2026-07-28"]);
  assert.deepEqual(client.server.info, { name: "scripted", version: "1" });
  assert.deepEqual(server.methods, ["server/discover"]);
  assert.deepEqual(server.received[0]!.params._meta, {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": INFO,
    "io.modelcontextprotocol/clientCapabilities": {},
  });
});

const CODES = [-32601, -32602, -32600, -32603, -32000, -32002, 0, 404];
const FALLBACKS: [name: string, answer: Script[string], options?: Partial<ClientOptions>][] = [
  ...CODES.map((code): [string, Script[string]] => [`error ${code}`, () => fail(code)]),
  ["a result without versions", () => ({})],
  ["silence", () => undefined, { probeMs: 20 }],
  ["silence until half of the time is over", () => undefined, { connectTimeoutMs: 400 }],
  ["an error with legacy revisions", unsupported("2031-01-01", "2025-11-25")],
  ["a result with legacy revisions", () => ({ supportedVersions: ["2025-06-18"] })],
];
for (const [name, answer, options] of FALLBACKS) {
  test(`connect() starts a handshake with a server that answers server/discover with ${name}`, async (t) => {
    const { client, server } = await open(t, { ...LEGACY, ...discovers(answer) }, options);
    assert.deepEqual([client.era, client.version], ["legacy", "2025-11-25"]);
    await client.close();
    assert.deepEqual(server.methods, ["server/discover", "initialize", "notifications/initialized"]);
  });
}

for (const version of ["2025-06-18", "2025-03-26", "2024-11-05"]) {
  test(`connect() agrees on ${version} with a server that answers the handshake with it`, async (t) => {
    assert.equal((await open(t, initialized(version))).client.version, version);
  });
}

const refuse = () => fail(-32601);
const SLOW: [name: string, era: Era, handshake: Script[string], again: Script[string]][] = [
  ["refuses the handshake", "modern", refuse, refuse],
  ["accepts the handshake and modern requests", "modern", LEGACY["initialize"]!, discover],
  ["accepts only the handshake", "legacy", LEGACY["initialize"]!, refuse],
];
for (const [name, era, handshake, again] of SLOW) {
  test(`connect() treats a slow server as ${era} if it ${name}`, async (t) => {
    let answer: (() => void) | undefined;
    const { client } = await open(t, {
      "server/discover": (request, server) => {
        if (answer) return again(request, server);
        answer = () => server.send({ id: request.id, result: discover(request, server) });
        return undefined;
      },
      // Once it has started, it answers in order.
      initialize: (request, server) => {
        answer!();
        return handshake(request, server);
      },
    }, { probeMs: 20 });
    assert.equal(client.era, era);
  });
}

test("connect() repeats server/discover in a revision that the server names, at most three times", async (t) => {
  for (const mismatches of [1, 3]) {
    let requests = 0;
    const answer: Script[string] = (request, server) =>
      ++requests <= mismatches ? unsupported("2026-07-28")() : discover(request, server);
    const connecting = open(t, discovers(answer));
    if (mismatches === 3) await assert.rejects(connecting, ConnectError);
    else assert.equal((await connecting).client.era, "modern");
    assert.equal(requests, mismatches === 3 ? 3 : 2);
  }
});

const FAILURES: [script: Script, expected: RegExp, requests: number, options?: Partial<ClientOptions>][] = [
  [discovers(unsupported("2031-01-01")), /client supports 2026-07-28, .*server supports 2031-01-01/, 1],
  [initialized("2031-01-01"), /the server supports 2031-01-01/, 1, { era: "legacy" }],
  [{ initialize: () => ({ protocolVersion: "2025-11-25" }) }, /has no capabilities/, 2],
  [{ ...LEGACY, ...discovers(() => fail(-32021, "sampling")) }, /refuses server\/discover: sampling/, 1],
  [{}, /no method initialize \(server\/discover failed with: no method server\/discover\)/, 2],
  [LEGACY, /does not support 2026-07-28/, 1, { era: "modern" }],
  [{ ...discovers(), initialize: () => undefined }, /answer in 400 ms/, 2, {
    probeMs: 10,
    connectTimeoutMs: 400,
  }],
];
for (const [script, expected, requests, options] of FAILURES) {
  test(`connect() rejects with a ConnectError: ${expected}`, async () => {
    const server = new ScriptedServer(script);
    const connecting = connect(server.transport, { info: INFO, ...options });
    await assert.rejects(connecting, new RegExp(`^ConnectError: .*${expected.source}`));
    assert.equal(server.methods.length, requests);
  });
}

test("connect() refuses an invalid limit, and a client without a name and a version", async () => {
  const start = () => assert.fail("the options are checked before anything is started");
  for (const options of [undefined, {}, { info: { name: "t" } }, { info: { version: "1" } }]) {
    const message = "Cannot connect: options.info must have the name and the version of the client";
    await assert.rejects(connect(start, options as never), { name: "TypeError", message });
  }
  await assert.rejects(connect(start, { info: INFO, timeoutMs: 0 }), RangeError);
});

test("connect() starts a server again that exits at server/discover, if it is given a function", async () => {
  const servers: ScriptedServer[] = [];
  const make = () => {
    servers.push(new ScriptedServer({ ...LEGACY, "server/discover": (_, self) => void self.close() }));
    return servers.at(-1)!.transport;
  };
  const client = await connect(make, { info: INFO });
  assert.equal(client.era, "legacy");
  assert.deepEqual(servers.map(({ methods }) => methods[0]), ["server/discover", "initialize"]);
  await client.close();
  await assert.rejects(connect(make(), { info: INFO }), ConnectError);
});

const ADDRESS = "https://a.example/mcp";
type Remembered = [known: Era | undefined, script: Script, era: Era | "auto", first: string, after?: Era];
const REMEMBERED: Remembered[] = [
  [undefined, LEGACY, "auto", "server/discover", "legacy"],
  ["legacy", LEGACY, "auto", "initialize", "legacy"],
  ["modern", LEGACY, "auto", "server/discover", "legacy"],
  ["legacy", MODERN, "auto", "initialize", "modern"],
  // Only a detected era is remembered.
  [undefined, { ...LEGACY, ...MODERN }, "legacy", "initialize"],
  ["legacy", {}, "auto", "initialize"],
];
test("connect() remembers the era of an address, and detects it again if it is wrong", async () => {
  for (const [known, script, era, first, after] of REMEMBERED) {
    const eras = new Map(known ? [[ADDRESS, known]] : []);
    const server = new ScriptedServer(script);
    const transport = Object.assign(server.transport, { address: ADDRESS });
    const client = await connect(transport, { info: INFO, eras, era }).catch((cause) => {
      assert.ok(cause instanceof ConnectError);
    });
    await client?.close();
    assert.deepEqual([server.methods[0], eras.get(ADDRESS)], [first, after]);
  }
});

test("a server that resets its TCP connection is unreachable, and the reset is not taken for an answer", async (t) => {
  const server = createServer((socket) => {
    socket.on("error", () => {}).on("data", (data) => {
      const { id, method } = JSON.parse(String(data));
      if (method !== "server/discover") return void socket.resetAndDestroy();
      socket.write(`${JSON.stringify({ jsonrpc: "2.0", id, result: DISCOVERY })}\n`);
    });
  });
  t.after(() => server.close());
  const port = Number(new URL(await listenLocally(server)).port);
  const client = await connect(await tcpTransport({ host: "127.0.0.1", port }), { info: INFO });
  const gone = { name: "TransportError", message: /ended before tools\/list was answered/ };
  for (let count = 0; count < 2; count++) await assert.rejects(client.listToolsPaginated(), gone);
});
