import assert from "node:assert/strict";
import { test } from "node:test";
import { Program } from "../harness/program.ts";

const ping = (id: unknown) => ({ jsonrpc: "2.0", id, method: "ping" });

/** Every line here gets an error, and whatever comes next is served as if nothing had been. */
const REFUSED: [string, string | Uint8Array, number, unknown][] = [
  ["text that is no JSON", "hello", -32700, undefined],
  ["JSON that is cut off", '{"jsonrpc":"2.0","id":1', -32700, undefined],
  ["a lone surrogate escape in a method", '{"jsonrpc":"2.0","id":"s","method":"\\ud800"}', -32601, "s"],
  ["a number", "17", -32600, undefined],
  ["null", "null", -32600, undefined],
  ["an object of nothing", "{}", -32600, undefined],
  ["a null id", '{"jsonrpc":"2.0","id":null,"method":"ping"}', -32600, undefined],
  ["a fractional id", '{"jsonrpc":"2.0","id":1.5,"method":"ping"}', -32600, undefined],
  ["an id past 2^53", '{"jsonrpc":"2.0","id":9007199254740993,"method":"ping"}', -32600, undefined],
  ["no version", '{"id":3,"method":"ping"}', -32600, 3],
  ["a method that is no string", '{"jsonrpc":"2.0","id":4,"method":{}}', -32600, 4],
  ["params that are text", '{"jsonrpc":"2.0","id":5,"method":"ping","params":"x"}', -32600, 5],
  ["params by position", '{"jsonrpc":"2.0","id":6,"method":"ping","params":[1]}', -32602, 6],
  ["the key __proto__", '{"jsonrpc":"2.0","id":7,"method":"ping","params":{"__proto__":{"x":1}}}', -32600, 7],
  [
    "the key constructor",
    '{"jsonrpc":"2.0","id":8,"method":"ping","params":{"a":{"constructor":1}}}',
    -32600,
    8,
  ],
  [
    "nesting of 10,000 levels",
    `{"jsonrpc":"2.0","id":9,"method":"ping","params":{"a":${"[".repeat(10_000)}${"]".repeat(10_000)}}}`,
    -32600,
    9,
  ],
  ["a method with a newline's escape", '{"jsonrpc":"2.0","id":10,"method":"a\\nb"}', -32601, 10],
  [
    "a uri that is no text",
    '{"jsonrpc":"2.0","id":11,"method":"resources/read","params":{"uri":7}}',
    -32602,
    11,
  ],
  ["no uri", '{"jsonrpc":"2.0","id":12,"method":"resources/read"}', -32602, 12],
  [
    "a foreign cursor",
    '{"jsonrpc":"2.0","id":13,"method":"resources/list","params":{"cursor":"xx"}}',
    -32602,
    13,
  ],
  [
    "a cursor that is no text",
    '{"jsonrpc":"2.0","id":14,"method":"tools/list","params":{"cursor":1}}',
    -32602,
    14,
  ],
  [
    "a prompt by the name toString",
    '{"jsonrpc":"2.0","id":15,"method":"prompts/get","params":{"name":"toString"}}',
    -32602,
    15,
  ],
  ["no version to agree on", '{"jsonrpc":"2.0","id":16,"method":"initialize","params":{}}', -32602, 16],
  [
    "an unknown kind of reference",
    '{"jsonrpc":"2.0","id":17,"method":"completion/complete","params":{"ref":{"type":"x"},"argument":{"name":"a","value":""}}}',
    -32602,
    17,
  ],
];

test("every kind of bad line is answered with its error, and the next line is served", async () => {
  const program = new Program();
  await program.initialize("2025-06-18");
  for (const [name, line, code, id] of REFUSED) {
    program.send(line as string, ping("next"));
    // A feature that is loaded on its first use answers later than a ping.
    const [next, refused] = (await program.take(2)).sort((left) => left.id === "next" ? -1 : 1);
    assert.equal(refused?.error?.code, code, name);
    assert.equal(refused?.id ?? undefined, id, name);
    assert.doesNotMatch(JSON.stringify(refused), /node_modules|\.ts\b|at [A-Z]\w+\./, name);
    assert.deepEqual(next, { jsonrpc: "2.0", id: "next", result: {} }, name);
  }
  assert.equal(await program.close(), 0);
  assert.equal(program.errors, "");
});

test("bytes are put together whatever their chunks: single bytes, CRLF, blank lines and a byte order mark", async () => {
  const program = new Program();
  const text = `\uFEFF${JSON.stringify(ping("ä€𝄞"))}\r\n\r\n   \n\n${JSON.stringify(ping("last"))}\n`;
  for (const byte of new TextEncoder().encode(text)) {
    await new Promise<void>((resolve) => program.child.stdin.write(Uint8Array.of(byte), () => resolve()));
  }
  assert.deepEqual((await program.take(2)).map(({ id }) => id), ["ä€𝄞", "last"]);
  assert.equal(await program.close(), 0);
});

test("a line that is not UTF-8 is a parse error, and the next one is served", async () => {
  const program = new Program();
  program.child.stdin.write(Uint8Array.of(0x7b, 0xff, 0xfe, 0x7d, 0x0a));
  program.send(ping(1));
  const [refused, next] = await program.take(2);
  assert.equal(refused?.error?.code, -32700);
  assert.equal(next?.id, 1);
  await program.close();
});

test("a line over 4 MiB is refused once and skipped; one just under is read", async () => {
  const program = new Program();
  const line = (length: number) => {
    const frame = JSON.stringify({ ...ping(1), params: { _: "" } });
    return frame.replace('""', `"${"x".repeat(length - frame.length)}"`);
  };
  program.send(line(4 * 1024 * 1024), line(4 * 1024 * 1024 + 1), "x".repeat(20 * 1024 * 1024), ping(2));
  const answers = await program.take(4);
  assert.deepEqual(answers.map(({ id, error }) => error?.code ?? id), [1, -32600, -32600, 2]);
  assert.equal(await program.close(), 0);
});

test("10,000 pipelined requests are all answered, in order", async () => {
  const program = new Program();
  program.send(...Array.from({ length: 10_000 }, (_, id) => ping(id)));
  const answers = await program.take(10_000);
  assert.ok(answers.every(({ id }, index) => id === index));
  assert.equal(await program.close(), 0);
});

test("unknown notifications, answers to nothing and malformed cancellations are met with silence", async () => {
  const program = new Program();
  await program.initialize();
  program.send(
    { jsonrpc: "2.0", method: "notifications/unknown", params: { a: 1 } },
    { jsonrpc: "2.0", method: "notifications/cancelled" },
    { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: {} } },
    { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 99 } },
    { jsonrpc: "2.0", id: 3, result: {} },
    ping("after"),
  );
  assert.equal((await program.next()).id, "after");
  assert.equal(await program.close(), 0);
  assert.equal(program.errors, "");
});

test("a request that is cancelled before it is done is not answered", async () => {
  const program = new Program();
  await program.initialize();
  // The first list waits for the documents to be indexed, so the cancellation is read before it is done.
  program.send(
    { jsonrpc: "2.0", id: "slow", method: "resources/list" },
    { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: "slow", reason: "test" } },
  );
  const after = await program.ask("resources/templates/list");
  assert.ok(after.result?.["resourceTemplates"]);
  assert.equal(await program.close(), 0);
  assert.doesNotMatch(program.output, /"slow"/);
});
