import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonChunk, Message } from "../../lib/jsonrpc/message.ts";
import {
  encodeMessage,
  failure,
  notification,
  RawJson,
  request,
  success,
} from "../../lib/jsonrpc/message.ts";

const bytes = (text: string) => new TextEncoder().encode(text);

function written(message: Message | readonly Message[]): string {
  const pieces = encodeMessage(message);
  return pieces.map((piece) => typeof piece === "string" ? piece : new TextDecoder().decode(piece)).join("");
}

test("encodeMessage() writes every shape with exactly its members", () => {
  assert.equal(written(request(1, "a")), '{"jsonrpc":"2.0","id":1,"method":"a"}');
  assert.equal(written(notification("a", { b: 1 })), '{"jsonrpc":"2.0","method":"a","params":{"b":1}}');
  assert.equal(written(success("x", { y: 1 })), '{"jsonrpc":"2.0","id":"x","result":{"y":1}}');
  assert.equal(written(success(1, undefined)), '{"jsonrpc":"2.0","id":1,"result":null}');
  const error = { code: -1, message: "m" };
  assert.equal(
    written(failure(null, error)),
    '{"jsonrpc":"2.0","id":null,"error":{"code":-1,"message":"m"}}',
  );
  assert.equal(written(failure(undefined, error)), '{"jsonrpc":"2.0","error":{"code":-1,"message":"m"}}');
});

test("encodeMessage() splices written results in, alone and in a batch", () => {
  const result = new RawJson([bytes('"text":"ä'), 'b"']).with('"ttlMs":0');
  const expected = { jsonrpc: "2.0", id: 7, result: { text: "äb", ttlMs: 0 } };
  assert.deepEqual(JSON.parse(written(success(7, result))), expected);
  assert.deepEqual(JSON.parse(written([success(7, result), success(8, 1)])), [
    expected,
    { jsonrpc: "2.0", id: 8, result: 1 },
  ]);
});

test("RawJson is immutable and reads back as the value it writes", () => {
  const object = new RawJson(['"a":1']);
  object.with('"b":2');
  assert.equal(JSON.stringify(object), '{"a":1}');
  assert.throws(() => (object.members as JsonChunk[]).push("x"), TypeError);
  assert.throws(() => Object.assign(object, { members: [] }), TypeError);
});
