import assert from "node:assert/strict";
import { once } from "node:events";
import process from "node:process";
import { test } from "node:test";
import type { Methods } from "../../lib/rpc/mod.ts";
import { createJsonRpcServer } from "../../lib/rpc/mod.ts";
import { pause, until } from "../harness/process.ts";
import { call, Client, withServer } from "./client.ts";

const handlers: Methods = { echo: (params) => params, large: () => "x".repeat(100_000) };

test("a connection that sends single bytes and no whole message is told and let go after the idle time", async () => {
  await withServer(handlers, async (server) => {
    const loris = await Client.connect(server.address);
    const drip = setInterval(() => loris.send(" "), 10);
    assert.equal((await loris.next())?.error?.code, -32000);
    assert.equal(await loris.next(), undefined);
    clearInterval(drip);
    await loris.leave();
    await until("it is forgotten", () => server.connections.open === 0);
  }, { idleMs: 300 });
});

test("a connection that asks now and then, and one whose handler is at work, are not idle", async () => {
  const release = Promise.withResolvers<void>();
  await withServer({ ...handlers, wait: () => release.promise }, async (server) => {
    const idle = await Client.connect(server.address);
    const waiting = await Client.connect(server.address);
    const asking = await Client.connect(server.address);
    waiting.send(call("wait", [], 1));
    // The idle one goes, while the others stay for longer than that.
    const gone = Promise.withResolvers<void>();
    const asks = (async () => {
      for (let isGone = false; !isGone;) {
        assert.equal((await asking.ask("echo", [1])).id, 1);
        isGone = await Promise.race([
          gone.promise.then(() => true),
          pause(20).then(() => false),
        ]);
      }
    })();
    for (let turn = 0; turn < 2; turn++) {
      const client = turn === 0 ? idle : await Client.connect(server.address);
      assert.equal((await client.next())?.error?.code, -32000);
      await client.leave();
    }
    gone.resolve();
    await asks;
    release.resolve();
    assert.equal((await waiting.next())?.id, 1);
    await Promise.all([waiting.leave(), asking.leave()]);
  }, { idleMs: 500 });
});

test("a line of 100 MB is refused once, takes up no memory, and what follows is answered", async () => {
  await withServer(handlers, async ({ address }) => {
    const client = await Client.connect(address);
    const chunk = "x".repeat(1024 * 1024);
    const before = process.memoryUsage().rss;
    let most = 0;
    for (let sent = 0; sent < 100; sent++) {
      if (!client.socket.write(chunk)) await once(client.socket, "drain");
      most = Math.max(most, process.memoryUsage().rss);
    }
    client.send("\n", call("echo", ["after"], 2));
    assert.equal((await client.next())?.error?.code, -32600);
    assert.deepEqual((await client.next())?.result, ["after"]);
    assert.ok(most - before < 80 * 1024 * 1024, `${most - before} bytes more`);
    await client.leave();
  });
});

test("a client that never reads is not read either, and is let go after the idle time", async () => {
  await withServer(handlers, async (server) => {
    const client = await Client.connect(server.address, false);
    client.socket.on("error", () => {});
    const before = process.memoryUsage().rss;
    // Two gigabytes of answers, were they all made.
    for (let id = 0; id < 20_000; id++) client.send(call("large", [], id));
    await until("it is let go", () => server.connections.open === 0);
    assert.ok(server.requests.received < 2000, `${server.requests.received} requests were read`);
    assert.ok(process.memoryUsage().rss - before < 200 * 1024 * 1024);
    const other = await Client.connect(server.address);
    assert.equal((await other.ask("echo", [1])).id, 1);
    await Promise.all([client.leave(), other.leave()]);
  }, { idleMs: 1000 });
});

test("a client that sends no more gets all that it asked for, and then the end", async () => {
  const release = Promise.withResolvers<void>();
  await withServer({ ...handlers, wait: () => release.promise }, async (server) => {
    const client = await Client.connect(server.address);
    client.send(call("wait", [], 1), call("echo", [], 2));
    client.end();
    assert.equal((await client.next())?.id, 2);
    release.resolve();
    assert.equal((await client.next())?.id, 1);
    assert.equal(await client.next(), undefined);
    await until("it is forgotten", () => server.connections.open === 0);
  });
});

test("a last line without an end is a line, and a client that is gone aborts its handlers", async () => {
  const aborted = Promise.withResolvers<unknown>();
  const wait: Methods["wait"] = (_, { signal }) =>
    new Promise((_, reject) => {
      signal.addEventListener("abort", () => {
        aborted.resolve(signal.reason);
        reject(signal.reason);
      });
    });
  await withServer({ ...handlers, wait: wait! }, async ({ address }) => {
    const polite = await Client.connect(address);
    polite.send(JSON.stringify(call("echo", [1], 1)));
    polite.end();
    assert.equal((await polite.next())?.id, 1);
    const rude = await Client.connect(address);
    rude.send(call("wait", [], 1), call("echo", [], 2));
    await rude.next();
    rude.socket.resetAndDestroy();
    assert.match(String(await aborted.promise), /closed/);
  });
});

test("handlers at work are bounded for each connection: what follows is not read, and nobody else has to wait", async () => {
  const waiting: (() => void)[] = [];
  const wait = () => new Promise<void>((resolve) => void waiting.push(resolve));
  await withServer({ ...handlers, wait }, async (server) => {
    const greedy = await Client.connect(server.address);
    for (let id = 0; id < 30; id++) greedy.send(call("wait", [], id), call("wait"));
    await until("all places are taken", () => waiting.length === 10);
    const other = await Client.connect(server.address);
    assert.equal((await other.ask("echo", [1])).id, 1);
    assert.equal(waiting.length, 10);
    for (let answered = 0; answered < 60; answered++) {
      await until("there is one more", () => waiting.length > answered);
      waiting[answered]!();
      assert.ok(waiting.length - answered <= 10);
    }
    const ids = new Set();
    for (let id = 0; id < 30; id++) ids.add((await greedy.next())?.id);
    assert.equal(ids.size, 30);
    await Promise.all([greedy.leave(), other.leave()]);
  }, { maxInFlight: 10 });
});

test("one connection too many is told so and let go, and there is room again when somebody leaves", async () => {
  await withServer(handlers, async (server) => {
    const clients = await Promise.all(Array.from({ length: 3 }, () => Client.connect(server.address)));
    for (const client of clients) assert.equal((await client.ask("echo", [1])).id, 1);
    for (let tries = 1; tries <= 100; tries++) {
      const late = await Client.connect(server.address);
      const line = await late.next();
      assert.equal(line?.error?.code, -32000);
      assert.equal(await late.next(), undefined);
      late.end();
      await late.closed;
      assert.deepEqual(server.connections, { open: 3, accepted: 3, refused: tries });
    }
    await clients[0]!.leave();
    await until("it is forgotten", () => server.connections.open === 2);
    const next = await Client.connect(server.address);
    assert.equal((await next.ask("echo", [1])).id, 1);
    await Promise.all([...clients, next].map((client) => client.leave()));
  }, { maxConnections: 3 });
});

test("what a browser sends is refused as a whole: no line of it is a call", async () => {
  const called: unknown[] = [];
  await withServer({ hit: (params) => void called.push(params) }, async (server) => {
    const message = JSON.stringify(call("hit", ["body"], 1));
    const long = "x".repeat(1024 * 1024);
    for (
      const [head, errors] of [
        ["POST / HTTP/1.1\r\nHost: localhost\r\n\r\n", 1],
        ["GET /\r\n", 1],
        ["OPTIONS * HTTP/1.1\r\n", 1],
        // The first line is too long to read.
        [`POST /${long} HTTP/1.1\r\nhost: localhost\r\n\r\n`, 2],
      ] as const
    ) {
      for (const isCut of [false, true]) {
        const browser = await Client.connect(server.address);
        browser.socket.setNoDelay(true);
        if (isCut) {
          browser.send(head.slice(0, 2));
          await until("it is connected", () => server.connections.open === 1);
          browser.send(head.slice(2));
        } else browser.send(head);
        browser.send(`\n${message}\n`);
        for (let error = 0; error < errors; error++) {
          assert.equal((await browser.next())?.error?.code, -32600);
        }
        assert.equal(await browser.next(), undefined);
        await browser.leave();
        await until("it is forgotten", () => server.connections.open === 0);
      }
    }
    assert.deepEqual(called, []);
    // Words that only begin alike are an ordinary mistake.
    const client = await Client.connect(server.address);
    client.send("GETTING\n");
    assert.equal((await client.next())?.error?.code, -32700);
    assert.equal((await client.ask("hit", ["line"])).id, 1);
    await client.leave();
  });
});

test("stop() lets what is at work finish, answers it, and closes; it may be called again", async () => {
  const release = Promise.withResolvers<void>();
  const { server, stop } = await createJsonRpcServer({ port: 0, handlers: { wait: () => release.promise } });
  const idle = await Client.connect(server.address);
  const busy = await Client.connect(server.address);
  busy.send([call("wait", [], 1), call("wait", [], 2)], call("wait", [], 3));
  await until("they are at work", () => server.requests.unfinished === 3);
  const stops = [stop(), stop(), server.stop()];
  await assert.rejects(Client.connect(server.address));
  assert.equal(await idle.next(), undefined);
  release.resolve();
  const answers = [await busy.next<unknown>(), await busy.next<unknown>()].flat() as { id: number }[];
  assert.deepEqual(answers.map(({ id }) => id).sort(), [1, 2, 3]);
  assert.equal(await busy.next(), undefined);
  idle.end();
  busy.end();
  await Promise.all(stops);
  await stop();
  assert.equal(server.state, "stopped");
});

test("stop() waits for no longer than the grace, whatever handlers and clients do", async () => {
  let aborted = 0;
  const wait: Methods["wait"] = (_, { signal }) =>
    new Promise(() => signal.addEventListener("abort", () => aborted++));
  const { server, stop } = await createJsonRpcServer({
    port: 0,
    handlers: { ...handlers, wait: wait! },
    graceMs: 300,
  });
  const stuck = await Client.connect(server.address);
  const deaf = await Client.connect(server.address, false);
  const open = await Client.connect(server.address);
  stuck.send(call("wait", [], 1));
  deaf.socket.on("error", () => {});
  for (let id = 0; id < 1000; id++) deaf.send(call("large", [], id));
  await until("all are served", () => server.requests.unfinished === 1 && server.requests.received > 10);
  const start = performance.now();
  await stop();
  assert.ok(performance.now() - start < 3000);
  assert.equal(aborted, 1);
  assert.equal(server.connections.open, 0);
  await Promise.all([stuck, deaf, open].map((client) => client.leave()));
});

test("a notification is worked on although its sender has left, and stop() waits for it, but not for ever", async () => {
  for (const finishes of [true, false]) {
    const release = Promise.withResolvers<void>();
    const done: string[] = [];
    const note: Methods["note"] = async (_, { signal }) => {
      signal.addEventListener("abort", () => done.push("aborted"));
      await release.promise;
      done.push("done");
    };
    const { server, stop } = await createJsonRpcServer({
      port: 0,
      handlers: { note: note! },
      graceMs: finishes ? 30_000 : 100,
    });
    const client = await Client.connect(server.address);
    client.send(call("note"));
    client.end();
    assert.equal(await client.next(), undefined);
    await until("it is forgotten", () => server.connections.open === 0);
    assert.deepEqual(done, []);
    const stopped = stop();
    await new Promise((resolve) => setImmediate(resolve));
    assert.equal(server.state, "stopping");
    if (finishes) release.resolve();
    await stopped;
    assert.deepEqual(done, finishes ? ["done", "aborted"] : ["aborted"]);
    release.resolve();
  }
});
