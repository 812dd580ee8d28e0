import assert from "node:assert/strict";
import { test } from "node:test";
import { MalformedMessageError, MAX_DEPTH, parseJson, readMessage } from "../../lib/jsonrpc/message.ts";

function refusal(value: unknown): MalformedMessageError {
  try {
    readMessage(value);
  } catch (cause) {
    assert.ok(cause instanceof MalformedMessageError);
    return cause;
  }
  throw new assert.AssertionError({ message: `not refused: ${JSON.stringify(value)}` });
}

test("parseJson() reports what is no JSON as a parse error and does not repeat it", () => {
  assert.throws(() => parseJson('{"secret'), (cause) => {
    assert.ok(cause instanceof MalformedMessageError);
    assert.equal(cause.code, -32700);
    assert.equal(cause.id, undefined);
    assert.doesNotMatch(cause.message, /secret/);
    return true;
  });
});

test("readMessage() takes each of the four shapes", () => {
  for (
    const message of [
      { jsonrpc: "2.0", id: 1, method: "a" },
      { jsonrpc: "2.0", id: "", method: "a", params: {} },
      { jsonrpc: "2.0", id: 0, method: "a", params: [] },
      { jsonrpc: "2.0", method: "a" },
      { jsonrpc: "2.0", id: "x", result: null },
      { jsonrpc: "2.0", id: -7, error: { code: -1, message: "m" } },
      { jsonrpc: "2.0", id: null, error: { code: -32700, message: "m" } },
      { jsonrpc: "2.0", error: { code: -32700, message: "m" } },
      { jsonrpc: "2.0", id: 1, method: "a", unknown: [{}] },
    ]
  ) assert.equal(readMessage(message), message);
});

test("readMessage() refuses what is none of them, and says under which id", () => {
  const cases: [unknown, string | number | undefined][] = [
    [null, undefined],
    [1, undefined],
    ["text", undefined],
    [true, undefined],
    [[], undefined],
    [{}, undefined],
    [{ jsonrpc: "1.0", id: 1, method: "a" }, 1],
    [{ id: "x", method: "a" }, "x"],
    [{ jsonrpc: "2.0", id: 4 }, 4],
    [{ jsonrpc: "2.0", id: 5, method: 1 }, 5],
    [{ jsonrpc: "2.0", id: 6, method: "a", params: "text" }, 6],
    [{ jsonrpc: "2.0", id: 7, method: "a", params: null }, 7],
    [{ jsonrpc: "2.0", id: 8, method: "a", result: 1 }, 8],
    [{ jsonrpc: "2.0", id: 9, result: 1, error: { code: 1, message: "" } }, 9],
    [{ jsonrpc: "2.0", id: 10, error: { code: 1.5, message: "" } }, 10],
    [{ jsonrpc: "2.0", result: 1 }, undefined],
  ];
  for (const [value, id] of cases) {
    const error = refusal(value);
    assert.equal(error.code, -32600);
    assert.equal(error.id, id);
  }
});

test("readMessage() refuses ids that cannot be echoed exactly", () => {
  for (const id of [null, 1.5, true, {}, [], 2 ** 53, -(2 ** 60)]) {
    const error = refusal({ jsonrpc: "2.0", id, method: "a" });
    assert.equal(error.id, undefined);
    assert.match(error.message, /id/);
  }
});

test("readMessage() refuses hostile member names at any depth", () => {
  for (const text of ['{"__proto__":1}', '{"a":[{"constructor":1}]}', '{"\\u005f_proto__":{"x":1}}']) {
    const message = JSON.parse(`{"jsonrpc":"2.0","id":1,"method":"a","params":${text}}`);
    const error = refusal(message);
    assert.equal(error.id, 1);
    assert.match(error.message, /member name/);
  }
  assert.equal(({} as Record<string, unknown>)["x"], undefined);
});

test("readMessage() takes exactly the allowed depth and refuses one level more", () => {
  // The message and its params are two levels.
  const nested = (levels: number) => JSON.parse("[".repeat(levels) + "]".repeat(levels));
  const message = (levels: number) => ({ jsonrpc: "2.0", id: 1, method: "a", params: { x: nested(levels) } });
  assert.ok(readMessage(message(MAX_DEPTH - 2)));
  assert.match(refusal(message(MAX_DEPTH - 1)).message, /deeper than 64/);
  assert.match(refusal(message(100_000 / 50)).message, /deeper than 64/);
});
