import assert from "node:assert/strict";
import { once } from "node:events";
import process from "node:process";
import { test } from "node:test";
import type { Handler, Methods } from "../../../lib/jsonrpc/rpc/mod.ts";
import { pause, until } from "../../harness/process.ts";
import { call, withServer } from "./client.ts";

const handlers: Methods = { echo: (params) => params, large: () => "x".repeat(100_000) };

test("a connection that sends single bytes and no complete message gets an error and is closed after the idle time", async () => {
  await withServer(handlers, async ({ server, connect }) => {
    const loris = await connect();
    const drip = setInterval(() => loris.send(" "), 10);
    assert.equal((await loris.next())?.error?.code, -32000);
    assert.equal(await loris.next(), undefined);
    clearInterval(drip);
    await loris.leave();
    await until("it is forgotten", () => server.connections.open === 0);
  }, { idleMs: 300 });
});

test("a connection with occasional requests, and one with a running handler, are not idle", async () => {
  const release = Promise.withResolvers<void>();
  await withServer({ ...handlers, wait: () => release.promise }, async ({ connect }) => {
    const idle = await connect();
    const waiting = await connect();
    const asking = await connect();
    waiting.send(call("wait", [], 1));
    // The idle one is closed, while the others stay open for longer than that.
    const gone = Promise.withResolvers<void>();
    const asks = (async () => {
      for (let isGone = false; !isGone;) {
        assert.equal((await asking.ask("echo", [1])).id, 1);
        isGone = await Promise.race([gone.promise.then(() => true), pause(20).then(() => false)]);
      }
    })();
    for (let turn = 0; turn < 2; turn++) {
      const client = turn === 0 ? idle : await connect();
      assert.equal((await client.next())?.error?.code, -32000);
      await client.leave();
    }
    gone.resolve();
    await asks;
    release.resolve();
    assert.equal((await waiting.next())?.id, 1);
  }, { idleMs: 500 });
});

test("a line of 100 MB is refused once and takes no memory, and the next request is answered", async () => {
  await withServer(handlers, async ({ connect }) => {
    const client = await connect();
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
  });
});

test("the server does not read from a client that never reads, and closes it after the idle time", async () => {
  await withServer(handlers, async ({ server, connect }) => {
    const client = await connect(false);
    client.socket.on("error", () => {});
    const before = process.memoryUsage().rss;
    // All answers together would have two gigabytes.
    for (let id = 0; id < 20_000; id++) client.send(call("large", [], id));
    await until("it is closed", () => server.connections.open === 0);
    assert.ok(server.requests.received < 2000, `${server.requests.received} requests were read`);
    assert.ok(process.memoryUsage().rss - before < 200 * 1024 * 1024);
    const other = await connect();
    assert.equal((await other.ask("echo", [1])).id, 1);
  }, { idleMs: 1000 });
});

test("when a client is gone, its handlers are aborted; one that has only ended its output gets all responses", async () => {
  const aborted = Promise.withResolvers<unknown>();
  const wait: Handler = (_, { signal }) =>
    new Promise((_, reject) => {
      signal.addEventListener("abort", () => {
        aborted.resolve(signal.reason);
        reject(signal.reason);
      });
    });
  await withServer({ ...handlers, wait }, async ({ connect }) => {
    const polite = await connect();
    polite.send(JSON.stringify(call("echo", [1], 1)));
    polite.socket.end();
    assert.deepEqual([(await polite.next())?.id, await polite.next()], [1, undefined]);
    const rude = await connect();
    rude.send(call("wait", [], 1), call("echo", [], 2));
    await rude.next();
    rude.socket.resetAndDestroy();
    assert.match(String(await aborted.promise), /closed/);
  });
});

test("the running handlers of a connection are limited: it is not read further, and other connections do not wait", async () => {
  const waiting: (() => void)[] = [];
  const wait = () => new Promise<void>((resolve) => void waiting.push(resolve));
  await withServer({ ...handlers, wait }, async ({ connect }) => {
    const greedy = await connect();
    for (let id = 0; id < 30; id++) greedy.send(call("wait", [], id), call("wait"));
    await until("all slots are taken", () => waiting.length === 10);
    const other = await connect();
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
  }, { maxInFlight: 10 });
});

test("a connection over the limit gets an error and is closed, until another client leaves", async () => {
  await withServer(handlers, async ({ server, connect }) => {
    const clients = await Promise.all(Array.from({ length: 3 }, () => connect()));
    for (const client of clients) assert.equal((await client.ask("echo", [1])).id, 1);
    for (let tries = 1; tries <= 100; tries++) {
      const late = await connect();
      const line = await late.next();
      assert.equal(line?.error?.code, -32000);
      assert.equal(await late.next(), undefined);
      late.socket.end();
      await late.closed;
      assert.deepEqual(server.connections, { open: 3, accepted: 3, refused: tries });
    }
    await clients[0]!.leave();
    await until("it is forgotten", () => server.connections.open === 2);
    const next = await connect();
    assert.equal((await next.ask("echo", [1])).id, 1);
  }, { maxConnections: 3 });
});

test("a request of a browser is refused as a whole: no line of it is a call", async () => {
  const called: unknown[] = [];
  await withServer({ hit: (params) => void called.push(params) }, async ({ server, connect }) => {
    const message = JSON.stringify(call("hit", ["body"], 1));
    const long = "x".repeat(1024 * 1024);
    const heads = ["POST / HTTP/1.1\r\nHost: localhost\r\n\r\n", "GET /\r\n", "OPTIONS * HTTP/1.1\r\n"];
    // The first line is too long, which is another error.
    for (const head of [...heads, `POST /${long} HTTP/1.1\r\nhost: localhost\r\n\r\n`]) {
      for (const cut of [0, 2]) {
        const browser = await connect();
        browser.socket.setNoDelay(true);
        browser.send(head.slice(0, cut));
        await until("it is connected", () => server.connections.open === 1);
        browser.send(`${head.slice(cut)}\n${message}\n`);
        if (head.includes(long)) assert.equal((await browser.next())?.error?.code, -32600);
        assert.equal((await browser.next())?.error?.code, -32600);
        assert.equal(await browser.next(), undefined);
        await browser.leave();
        await until("it is forgotten", () => server.connections.open === 0);
      }
    }
    assert.deepEqual(called, []);
    // A word that only starts like a method is an ordinary parse error.
    const client = await connect();
    client.send("GETTING\n");
    assert.equal((await client.next())?.error?.code, -32700);
    assert.equal((await client.ask("hit", ["line"])).id, 1);
  });
});

test("stop() lets running handlers finish, sends their responses, and closes, and may be called again", async () => {
  const release = Promise.withResolvers<void>();
  await withServer({ wait: () => release.promise }, async ({ server, stop, connect }) => {
    const idle = await connect();
    const busy = await connect();
    busy.send([call("wait", [], 1), call("wait", [], 2)], call("wait", [], 3));
    await until("they are at work", () => server.requests.unfinished === 3);
    const stops = [stop(), stop(), server.stop()];
    await assert.rejects(connect());
    assert.equal(await idle.next(), undefined);
    release.resolve();
    const responses = [await busy.next<unknown>(), await busy.next<unknown>()].flat() as { id: number }[];
    assert.deepEqual(responses.map(({ id }) => id).sort(), [1, 2, 3]);
    assert.equal(await busy.next(), undefined);
    idle.socket.end();
    busy.socket.end();
    await Promise.all(stops);
    await stop();
    assert.equal(server.state, "stopped");
  });
});

test("stop() does not wait longer than the grace period", async () => {
  let aborted = 0;
  const wait: Handler = (_, { signal }) =>
    new Promise(() => signal.addEventListener("abort", () => aborted++));
  await withServer({ ...handlers, wait }, async ({ server, stop, connect }) => {
    const stuck = await connect();
    const deaf = await connect(false);
    await connect();
    stuck.send(call("wait", [], 1));
    deaf.socket.on("error", () => {});
    for (let id = 0; id < 1000; id++) deaf.send(call("large", [], id));
    await until("all are served", () => server.requests.unfinished === 1 && server.requests.received > 10);
    const start = performance.now();
    await stop();
    assert.ok(performance.now() - start < 30_000);
    assert.equal(aborted, 1);
    assert.equal(server.connections.open, 0);
  }, { graceMs: 300 });
});

for (const finishes of [true, false]) {
  const outcome = finishes ? "waits for it" : "does not wait longer than the grace period";
  test(`a notification is handled even if its sender has left, and stop() ${outcome}`, async () => {
    const release = Promise.withResolvers<void>();
    const done: string[] = [];
    const note: Handler = async (_, { signal }) => {
      signal.addEventListener("abort", () => done.push("aborted"));
      await release.promise;
      done.push("done");
    };
    await withServer({ note }, async ({ server, stop, connect }) => {
      const client = await connect();
      client.send(call("note"));
      client.socket.end();
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
    }, { graceMs: finishes ? 30_000 : 100 });
  });
}
