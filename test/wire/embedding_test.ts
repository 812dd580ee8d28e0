/** Does a program that is built on the library live with code that misbehaves? Run as a process of its own, over pipes. */

import assert from "node:assert/strict";
import process from "node:process";
import { test } from "node:test";
import { Program, REPOSITORY } from "../harness/program.ts";

const embedding = () => new Program([], { module: `${REPOSITORY}/test/wire/embedding.ts` });
const read = (id: unknown, name: string) => ({
  jsonrpc: "2.0",
  id,
  method: "resources/read",
  params: { uri: `test://${name}` },
});
const text = ({ result }: { result?: Record<string, unknown> }) =>
  (result?.["contents"] as { text: string }[] | undefined)?.[0]?.text;

test("an exception of a provider is the error of its request, and nothing else", async () => {
  const program = embedding();
  await program.initialize();
  assert.equal((await program.ask("resources/list")).error?.code, -32603);
  assert.equal(((await program.ask("resources/list")).result?.["resources"] as unknown[]).length, 8);
  for (const [name, code] of [["throws", -32603], ["rejects", -32603], ["refuses", -32602]] as const) {
    const { error } = await program.ask("resources/read", { uri: `test://${name}` });
    assert.equal(error?.code, code);
    assert.doesNotMatch(JSON.stringify(error), /secret/);
    assert.equal(text(await program.ask("resources/read", { uri: "test://fine" })), "fine");
  }
  assert.equal(await program.close(), 0);
  const told = program.errors.match(/^failure: .*$/gm);
  assert.deepEqual(told, ["list", "throw", "rejection"].map((what) => `failure: secret of a ${what}`));
});

test("what nobody catches is reported, and the server goes on", async () => {
  const program = embedding();
  await program.initialize();
  for (const name of ["forgets", "times-out"]) {
    assert.equal(text(await program.ask("resources/read", { uri: `test://${name}` })), name);
    assert.equal(text(await program.ask("resources/read", { uri: "test://slow" })), "slow");
  }
  assert.equal(await program.close(), 0);
  assert.equal(
    program.errors,
    "uncaught: a promise that nobody awaits\nuncaught: a throw in a timer\nthe end\n",
  );
});

test("no method of the console writes to the wire after protectOutput()", async () => {
  const program = embedding();
  await program.initialize();
  assert.equal(text(await program.ask("resources/read", { uri: "test://prints" })), "prints");
  assert.equal(await program.close(), 0);
  assert.equal(program.output.split("\n").length, 3);
  for (const line of program.output.trimEnd().split("\n")) assert.equal(JSON.parse(line).jsonrpc, "2.0");
  assert.equal(program.errors.match(/^printed$/gm)?.length, 5);
  for (const printed of ["{ a: 1 }", "group", "another", "default: 1", "trace", "assertion", " ms"]) {
    assert.ok(program.errors.includes(printed), printed);
  }
});

test(
  "end() on a signal ends a program that has nothing else to do",
  { skip: process.platform === "win32" },
  async () => {
    const program = embedding();
    await program.initialize();
    program.send(read("slow", "slow"), { jsonrpc: "2.0", id: "after", method: "ping" });
    assert.equal((await program.next()).id, "after");
    process.kill(program.child.pid!, "SIGTERM");
    assert.equal(await program.exited, 0);
    assert.equal(text(await program.next()), "slow");
    assert.equal(program.errors, "the end\n");
  },
);
