import assert from "node:assert/strict";
import { test } from "node:test";
import { existsSync } from "node:fs";
import type { CallContext, Methods } from "../../../lib/jsonrpc/rpc/mod.ts";
import { createJsonRpcServer, ErrorCode, RpcError } from "../../../lib/jsonrpc/rpc/mod.ts";
import { makeSocketPath } from "../../harness/folder.ts";
import { until } from "../../harness/process.ts";
import type { Line } from "./client.ts";
import { call, Client, withServer } from "./client.ts";

const EPOCH = "1970-01-01T00:00:00.000Z";
const handlers: Methods = {
  echo: (params) => params,
  add: (params: number[]) => {
    if (Array.isArray(params)) return params[0]! + params[1]!;
    throw new RpcError(ErrorCode.invalidParams, "Two numbers are needed", { at: new Date(0) });
  },
  later: async (params) => {
    await Promise.resolve();
    return params;
  },
  fail: () => {
    throw new Error("a secret");
  },
  failLater: () => Promise.reject(new Error("a secret")),
};

test("createJsonRpcServer() answers requests with the result of a handler, at once or later", async () => {
  await withServer(handlers, async ({ connect }) => {
    const client = await connect();
    assert.deepEqual(await client.ask("add", [1, 2], "a"), { jsonrpc: "2.0", id: "a", result: 3 });
    assert.deepEqual(await client.ask("later", { x: 1 }, 7), { jsonrpc: "2.0", id: 7, result: { x: 1 } });
    assert.deepEqual(await client.ask("echo", undefined, 0), { jsonrpc: "2.0", id: 0, result: null });
    // JSON-RPC discourages null and fractions as ids, but allows them. Only a message without an id is a notification.
    for (const id of [null, 1.5, -0.125]) {
      assert.deepEqual(await client.ask("later", [id], id), { jsonrpc: "2.0", id, result: [id] });
    }
  });
});

test("a server answers each kind of mistake with its code, and continues", async () => {
  const failures: string[] = [];
  const cycle: unknown[] = [];
  cycle.push(cycle);
  const odd: Methods = {
    code: () => Promise.reject(new RpcError(NaN, "x")),
    data: () => Promise.reject(new RpcError(1, "x", () => 1)),
    cycle: () => cycle,
    text: () => Promise.reject("a secret"),
    object: () => Promise.reject({ code: 1, message: "a secret" }),
    null: () => Promise.reject(null),
  };
  await withServer({ ...handlers, ...odd }, async ({ connect }) => {
    const client = await connect();
    const sent: [unknown, number, unknown][] = [
      ["nonsense of a secret\n", -32700, null],
      ['{"jsonrpc":"2.0","method":"echo","id":1\n', -32700, null],
      [{ jsonrpc: "1.0", id: 1, method: "echo" }, -32600, 1],
      [{ jsonrpc: "2.0", id: 2, method: 1 }, -32600, 2],
      [{ jsonrpc: "2.0", id: true, method: "echo" }, -32600, null],
      [{ jsonrpc: "2.0", id: null, method: 1 }, -32600, null],
      [{ jsonrpc: "2.0", id: 1.5, method: "nothing" }, -32601, 1.5],
      ['{"jsonrpc":"2.0","id":9,"method":"echo","params":{"n":1,"n":2}}\n', -32600, 9],
      ['{"jsonrpc":"2.0","id":9,"id":10,"method":"echo"}\n', -32600, null],
      ['[{"jsonrpc":"2.0","id":9,"method":"echo","method":"add"}]\n', -32600, null],
      ['[1,{"jsonrpc":"2.0","id":9,"method":"echo","params":{"__proto__":{"a":1,"a":2}}}]\n', -32600, null],
      [{ jsonrpc: "2.0", id: 3, method: "echo", params: 1 }, -32600, 3],
      ["[]\n", -32600, null],
      ["1\n", -32600, null],
      [call("nothing", [], 4), -32601, 4],
      [call("toString", [], 5), -32601, 5],
      [call("__proto__", [], 5), -32601, 5],
      [call("add", { a: 1 }, 6), -32602, 6],
    ];
    for (const name of ["fail", "failLater", "code", "data", "cycle", "text", "object", "null"]) {
      sent.push([call(name, [], name), -32603, name]);
    }
    for (const [text, code, id] of sent) {
      client.send(text);
      const { error, ...rest } = (await client.next())!;
      assert.deepEqual([error?.code, rest.id], [code, id], JSON.stringify(text));
      assert.doesNotMatch(JSON.stringify(error), /secret/);
      if (code !== -32603) continue;
      // The cause is only reported to the operator.
      assert.deepEqual(error, { code, message: "Internal error", data: { reference: failures.at(-1) } });
    }
    assert.equal(failures.length, 8);
    const error = { code: -32602, message: "Two numbers are needed", data: { at: EPOCH } };
    assert.deepEqual((await client.ask("add", {})).error, error);
    assert.equal((await client.ask("add", [1, 2])).result, 3);
  }, { onfailure: (_, reference) => failures.push(reference) });
});

test("a batch is answered with one list, without its notifications; a batch of notifications is not answered", async () => {
  const told: unknown[] = [];
  await withServer({ ...handlers, tell: (params) => void told.push(params) }, async ({ connect }) => {
    const client = await connect();
    client.send([call("tell", [1]), call("tell", [2])]);
    client.send([call("later", [1], 1), call("tell", [3]), 1, call("nothing", [], 2), call("echo", [4], 3)]);
    const responses = (await client.next<Line[]>())!;
    assert.deepEqual(responses.map(({ id }) => id).sort(), [1, 2, 3, null]);
    assert.deepEqual(responses.find(({ id }) => id === 2)?.error?.code, -32601);
    assert.deepEqual(told, [[1], [2], [3]]);
    assert.equal(client.lines.items.length, 0);
  });
});

test("a notification is never answered, and its failure is reported", async () => {
  const failures: unknown[] = [];
  await withServer(handlers, async ({ connect }) => {
    const client = await connect();
    client.send(call("fail"), call("failLater"), call("nothing"), call("add", {}));
    assert.equal((await client.ask("echo", [1], 9)).id, 9);
    await until("all are reported", () => failures.length === 3);
  }, { onfailure: (cause) => failures.push((cause as Error).message) });
});

test("a handler has the context of its call, and can notify the client while it runs", async () => {
  const seen: CallContext[] = [];
  const methods: Methods = {
    work: async (_, context) => {
      seen.push(context);
      const { notify } = context;
      notify("progress", { at: new Date(0), done: 1n });
      await Promise.resolve();
      return context.signal.aborted;
    },
    note: (_, context) => void seen.push(context),
  };
  await withServer(methods, async ({ connect }) => {
    const client = await connect();
    client.send(call("note"), call("work", [], "w"));
    const params = { at: EPOCH, done: "1" };
    assert.deepEqual(await client.next(), { jsonrpc: "2.0", method: "progress", params });
    assert.deepEqual(await client.next(), { jsonrpc: "2.0", id: "w", result: false });
    const address = `${client.socket.localAddress}:${client.socket.localPort}`;
    const contexts = seen.map(({ method, id, remoteAddress }) => [method, id, remoteAddress]);
    assert.deepEqual(contexts, [["note", undefined, address], ["work", "w", address]]);
    for (const { receivedAt } of seen) assert.ok(Math.abs(Date.now() - receivedAt) < 60_000);
    // The call is over, so it sends no more notifications.
    assert.equal(seen[1]!.notify("progress"), undefined);
    assert.equal((await client.ask("work", [], 2)).method, "progress");
  });
});

test("rich values are always written, and are read if a method declares them", async () => {
  const methods: Methods = {
    out: () => [new Date(0), 2n ** 64n, new Set([1]), new Map([[1, "a"]]), Symbol.for("x")],
    plain: (params) => params,
    rich: {
      params: { at: "date", bytes: "bytes" },
      handler: ({ at, bytes }: { at: Date; bytes: Uint8Array }) => ({ year: at.getUTCFullYear(), bytes, at }),
    },
  };
  await withServer(methods, async ({ connect }) => {
    const client = await connect();
    assert.deepEqual((await client.ask("out")).result, [EPOCH, "18446744073709551616", [1], [[1, "a"]], "x"]);
    assert.deepEqual((await client.ask("plain", { at: EPOCH })).result, { at: EPOCH });
    const rich = { at: EPOCH, bytes: "AQID" };
    assert.deepEqual((await client.ask("rich", rich)).result, { year: 1970, ...rich });
    const message = 'Invalid params: "/at" must be a date and time as in RFC 3339';
    const { error } = await client.ask("rich", { at: "yesterday" });
    assert.deepEqual(error, { code: -32602, message, data: { path: "/at" } });
  });
});

test("a server reports its state, its address, and its numbers of connections and requests", async () => {
  const release = Promise.withResolvers<void>();
  await withServer({ ...handlers, wait: () => release.promise }, async ({ server, stop, connect }) => {
    assert.deepEqual([server.state, server.address.host], ["listening", "127.0.0.1"]);
    const client = await connect();
    await client.ask("echo");
    await client.ask("fail");
    client.send(call("wait", [], 1), call("echo", [], 2));
    assert.equal((await client.next())?.id, 2);
    assert.deepEqual(server.connections, { open: 1, accepted: 1, refused: 0 });
    assert.deepEqual(server.requests, { received: 4, unfinished: 1, succeeded: 2, failed: 1 });
    const stopped = stop();
    assert.equal(server.state, "stopping");
    release.resolve();
    await stopped;
    assert.equal(server.state, "stopped");
    assert.deepEqual(server.connections, { open: 0, accepted: 1, refused: 0 });
    assert.deepEqual(server.requests, { received: 4, unfinished: 0, succeeded: 3, failed: 1 });
    assert.ok(server.address.port! > 0);
  });
});

test("a server serves a Unix domain socket, and removes it when it stops", async (t) => {
  const path = makeSocketPath(t);
  const { server, stop } = await createJsonRpcServer({ path, handlers });
  assert.deepEqual(server.address, { path });
  const again = createJsonRpcServer({ path, handlers });
  await assert.rejects(again, /^TransportError: Cannot listen on .*(?:rpc\.sock|architrave-.*): /);
  const client = await Client.connect(server.address);
  assert.equal((await client.ask("add", [1, 2])).result, 3);
  client.socket.end();
  await stop();
  assert.equal(existsSync(path), false);
});

const NO_METHODS = /Cannot serve without methods: pass them by name as handlers/;

test("createJsonRpcServer() rejects invalid options, and names them", async () => {
  await withServer(handlers, async ({ server }) => {
    const refused: [object, RegExp][] = [
      [{}, /give either a port or the path/],
      [{ port: 0, path: "x" }, /either a port or the path/],
      [{ port: -1 }, /the port -1/],
      [{ port: 70_000 }, /from 0 to 65535/],
      [{ path: "" }, /empty path/],
      [{ port: 0, handlers: undefined }, NO_METHODS],
      [{ port: 0, handlers: null }, NO_METHODS],
      [{ port: 0, handlers: 1 }, NO_METHODS],
      [{ port: 0, handlers: { "rpc.x": () => 1 } }, /"rpc\.x"/],
      [{ port: 0, handlers: { x: 1 } }, /not a function/],
      [{ port: 0, handlers: { x: null } }, /not a function/],
      [{ port: 0, maxConnections: 0 }, /0 for maxConnections/],
      [{ port: 0, idleMs: Infinity }, /Infinity for idleMs/],
      [{ port: 0, host: "host.invalid" }, /Cannot listen on host\.invalid:0: /],
      [{ port: server.address.port }, /Cannot listen on 127\.0\.0\.1:\d+: /],
    ];
    for (const [options, reason] of refused) {
      await assert.rejects(createJsonRpcServer({ handlers, ...options } as never), reason);
    }
    for (const options of [undefined, null, 7, "x", [], true]) {
      await assert.rejects(createJsonRpcServer(options as never), NO_METHODS);
    }
  });
});
