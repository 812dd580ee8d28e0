import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import process from "node:process";
import { test } from "node:test";
import type { Address } from "../../../lib/jsonrpc/rpc/mod.ts";
import { DEFAULT_LIMITS } from "../../../lib/jsonrpc/rpc/mod.ts";
import { examplesOf, writeExample } from "../../harness/examples.ts";
import { makeFolder } from "../../harness/folder.ts";
import { ON_DENO, Program, REPOSITORY, run } from "../../harness/program.ts";
import { Client } from "./client.ts";

const MODULE = `${REPOSITORY}/test/jsonrpc/rpc/program.ts`;
const FREE = ON_DENO ? ["--allow-all", "--no-check"] : ["--experimental-strip-types", "--no-warnings"];

/** Starts the program. */
async function start(options: object, runtimeFlags: string[] = FREE): Promise<[Program, Address]> {
  const program = new Program([JSON.stringify(options)], { module: MODULE, runtimeFlags });
  return [program, await program.next() as unknown as Address];
}

test("a program exits by itself after its server has stopped, even if clients are connected", async () => {
  const [program, address] = await start({ port: 0 });
  const clients = await Promise.all([1, 2, 3].map(() => Client.connect(address)));
  for (const client of clients) assert.equal((await client.ask("echo", [1])).id, 1);
  await clients[0]!.leave();
  assert.equal(await program.close(), 0);
  assert.equal(program.errors, "");
  for (const client of clients.slice(1)) {
    assert.equal(await client.next(), undefined);
    await client.leave();
  }
});

test("a server under Deno needs only the permission for its own address, or its own path", {
  skip: ON_DENO ? false : "only Deno has such permissions in every version",
}, async (t) => {
  const path = `${makeFolder(t, {})}/rpc.sock`;
  const places: [object, string[]][] = [
    [{ port: 0 }, ["--allow-net=127.0.0.1"]],
    [{ path }, [`--allow-net=unix:${path}`, `--allow-read=${path}`, `--allow-write=${path}`]],
  ];
  for (const [place, allowed] of places) {
    const [program, address] = await start(place, ["--no-prompt", "--no-check", ...allowed]);
    const client = await Client.connect(address);
    assert.deepEqual((await client.ask("echo", [1])).result, [1]);
    await client.leave();
    assert.equal(await program.close(), 0);
    assert.equal(program.errors, "");
    // Without a named permission, a program that Deno starts would get all permissions of its parent.
    const nothing = ["--no-prompt", "--no-check", "--allow-env=NOTHING"];
    const denied = await run([JSON.stringify(place)], "", { module: MODULE, runtimeFlags: nothing });
    assert.equal(denied.code, 1);
    assert.match(denied.errors, /Cannot listen on .*Requires (?:net|read|write) access/);
  }
});

const GUIDELINE = "mcp/resources/guidelines/json-rpc-server.md";

test("the example of the guideline prints what the guideline says", async (t) => {
  const [program, printed] = examplesOf(GUIDELINE).map(({ text }) => text);
  const runtimeFlags = ON_DENO ? ["--no-prompt", "--no-check", "--allow-net=127.0.0.1"] : FREE;
  const module = writeExample(makeFolder(t), program!);
  const { code, output, errors } = await run([], "", { module, runtimeFlags });
  assert.deepEqual([code, errors], [0, ""]);
  // The quotes and line breaks of printed values depend on the runtime.
  const plain = (text: string) => text.replaceAll(/['"\s]/g, "");
  assert.equal(plain(output), plain(printed!));
});

test("the guideline lists every limit with its default", () => {
  const text = readFileSync(`${REPOSITORY}/${GUIDELINE}`, "utf8");
  const rows = text.matchAll(/^\| `(\w+)` \| ([\d,]+) ?(MiB|minutes|seconds|)/gm);
  const units: Record<string, number> = { "": 1, "MiB": 2 ** 20, "minutes": 60_000, "seconds": 1000 };
  const shown = Array.from(
    rows,
    ([, name, value, unit]) => [name, Number(value!.replace(",", "")) * units[unit!]!],
  );
  assert.deepEqual(Object.fromEntries(shown), { ...DEFAULT_LIMITS });
});

/** The number of connections: ten thousand, if a process may open that many files. */
function connectionsPossible(): number {
  try {
    const most = /^Max open files\s+(\d+)/m.exec(readFileSync("/proc/self/limits", "utf8"))?.[1];
    return Math.min(2000, Number(most) - 200);
  } catch {
    return 200;
  }
}

test("two thousand idle connections take little memory each, another one is served, and all memory is freed", async (t) => {
  const count = connectionsPossible();
  const [program, address] = await start({ port: 0, maxConnections: count + 2 });
  const probe = await Client.connect(address);
  const memory = async () => (await probe.ask("memory")).result as { heapUsed: number; rss: number };
  const connected = async () => ((await probe.ask("connections")).result as { open: number }).open;
  const crowd = async (size: number, perClient: (client: Client) => unknown) => {
    const clients: Client[] = [];
    while (clients.length < size) {
      const more = Math.min(200, size - clients.length);
      clients.push(...await Promise.all(Array.from({ length: more }, () => Client.connect(address))));
    }
    await Promise.all(clients.map(perClient));
    while (await connected() < size + 1) await new Promise((resolve) => setImmediate(resolve));
    const full = await memory();
    await Promise.all(clients.map((client) => client.leave()));
    while (await connected() > 1) await new Promise((resolve) => setImmediate(resolve));
    return full;
  };
  await memory();
  const before = await memory();
  // The first group is the warm-up. The second one, with half a line each, must leave no memory in use.
  const full = await crowd(count, (client) => client.ask("echo", ["x"]));
  const between = await memory();
  await crowd(Math.ceil(count / 4), (client) => client.send('{"jsonrpc":'));
  const after = await memory();
  const each = Math.round((full.rss - before.rss) / count / 1024);
  const left = after.heapUsed - between.heapUsed;
  t.diagnostic(
    `${process.version}: ${count} connections, ${each} KiB each; ${Math.round(left / 1024)} KiB left behind`,
  );
  assert.ok(each < 64, `${each} KiB for each of ${count} connections`);
  assert.ok(left < 2 * 1024 * 1024, `${left} bytes of the heap are left behind`);
  await probe.leave();
  assert.equal(await program.close(), 0);
});
