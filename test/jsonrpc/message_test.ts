import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonChunk, Message } from "../../lib/jsonrpc/mod.ts";
import {
  ALL_IDS,
  encodeMessage,
  MalformedMessageError,
  MAX_DEPTH,
  RawJson,
  readMessage,
  success,
} from "../../lib/jsonrpc/mod.ts";

/** The error of a value that is refused. */
function refused(value: unknown, text?: string): MalformedMessageError {
  try {
    readMessage(value, text);
  } catch (cause) {
    assert.ok(cause instanceof MalformedMessageError);
    assert.equal(cause.code, -32600);
    return cause;
  }
  throw new assert.AssertionError({ message: `not refused: ${JSON.stringify(value)}` });
}

function encoded(message: Message | readonly Message[]): string {
  return Buffer.concat(encodeMessage(message).map((chunk) => Buffer.from(chunk as string))).toString();
}

test("readMessage() takes each of the four shapes", () => {
  const error = { code: -1, message: "m" };
  const requests = [{ id: 1, method: "a" }, { id: "", method: "a", params: {} }, {
    id: 0,
    method: "a",
    params: [],
  }];
  const others = [{ method: "a" }, { id: "x", result: null }, { id: -7, error }, { id: null, error }, {
    error,
  }];
  for (const members of [...requests, ...others, { id: 1, method: "a", unknown: [{}] }]) {
    const message = { jsonrpc: "2.0", ...members };
    assert.equal(readMessage(message), message);
  }
});

test("readMessage() refuses what is none of them, and says under which id", () => {
  for (const value of [null, 1, "text", true, [], {}]) assert.equal(refused(value).id, undefined);
  assert.equal(refused({ id: "x", method: "a" }).id, "x");
  assert.equal(refused({ jsonrpc: "2.0", result: 1 }).id, undefined);
  for (
    const [id, members] of [
      { jsonrpc: "1.0", method: "a" },
      {},
      { method: 1 },
      { method: null },
      { method: "a", params: "text" },
      { method: "a", result: 1 },
      { result: 1, error: { code: 1, message: "" } },
      { error: { code: 1.5, message: "" } },
      { error: { code: 1 } },
      { error: null },
    ].entries()
  ) assert.equal(refused({ jsonrpc: "2.0", id, ...members }).id, id, JSON.stringify(members));
});

test("readMessage() leaves out params of null for MCP, and refuses them for JSON-RPC", () => {
  for (const members of [{ id: 1, method: "a" }, { method: "a" }, { id: "x", method: "a", unknown: null }]) {
    const message = { jsonrpc: "2.0", ...members };
    assert.deepEqual(readMessage({ ...message, params: null }), { ...message, params: undefined });
    const text = JSON.stringify({ ...message, params: null });
    assert.deepEqual(readMessage(JSON.parse(text), text), { ...message, params: undefined });
    assert.throws(() => readMessage({ ...message, params: null }, undefined, ALL_IDS), /"params"/);
  }
});

test("readMessage() refuses ids that cannot be echoed exactly", () => {
  for (const id of [null, 1.5, true, {}, [], 2 ** 53, -(2 ** 60)]) {
    const error = refused({ jsonrpc: "2.0", id, method: "a" });
    assert.equal(error.id, undefined);
    assert.match(error.message, /id/);
  }
  // JSON-RPC leaves the choice to the client.
  for (const id of [null, 1.5, -0.25]) {
    assert.ok(readMessage({ jsonrpc: "2.0", id, method: "a" }, undefined, ALL_IDS));
  }
  for (const id of [true, {}, [], 2 ** 53, Infinity, NaN]) {
    const read = () => readMessage({ jsonrpc: "2.0", id, method: "a" }, undefined, ALL_IDS);
    assert.throws(read, MalformedMessageError);
  }
});

test("readMessage() refuses hostile member names at any depth", () => {
  const message = (text: string) => JSON.parse(`{"jsonrpc":"2.0","id":1,"method":"a","params":${text}}`);
  const hostile = ['{"__proto__":1}', '{"\\u005f_proto__":{"x":1}}', '{"a":{"constructor":{"__proto__":1}}}'];
  hostile.push('{"a":[{"constructor":{"prototype":{"x":1}}}]}', '{"constructor":{"a":1,"prototype":null}}');
  for (const text of hostile) {
    const error = refused(message(text));
    assert.equal(error.id, 1);
    assert.match(error.message, /member name/);
  }
  // They are members of some APIs.
  const members = [
    '{"constructor":1}',
    '{"a":[{"constructor":{"name":"x"}}]}',
    '{"prototype":{"constructor":[]}}',
  ];
  for (const text of members) assert.deepEqual(readMessage(message(text)), message(text));
});

test("readMessage() refuses a name that occurs twice in one object, under the id unless that does", () => {
  const message = (rest: string) => `{"jsonrpc":"2.0","id":1,"method":"a"${rest}}`;
  const params = (json: string) => message(`,"params":${json}`);
  const rows: [text: string, id: number | undefined][] = [
    [message(',"id":1'), undefined],
    [message(',"\\u0069d":2'), undefined],
    [params('{"n":1,"n":2},"id":1'), undefined],
    [message(',"method":"b"'), 1],
    [message(',"jsonrpc":"2.0"'), 1],
    [params('{},"params":{}'), 1],
    [params('{"n":1,"n":2}'), 1],
    [params('{"n":1,"n":1}'), 1],
    [params('{"id":1,"id":2}'), 1],
    [params('{"n":1,"\\u006e":2}'), 1],
    [params('{"n" :1, "m"\n:2,"n"\t:3 }'), 1],
    [params('[[{"a":{"b":[{"n":1,"x":{},"n":[]}]}}]]'), 1],
    [params('{"a":[1],"n":1,"n":2}'), 1],
    [params('{"":1,"":2}'), 1],
    [params('{"n":"a:b","n":{"x:y":":"}}'), 1],
    [params('{"\\"":1,"\\u0022":2}'), 1],
    // An escaped colon makes up for the one that is lost.
    [params('{"x":"\\u003a","n":1,"n":2}'), 1],
    [params('{"x":"\\u003A\\u003a","n":"a:b","n":2}'), 1],
  ];
  for (const [text, id] of rows) {
    const error = refused(JSON.parse(text), text);
    assert.equal(error.id, id);
    assert.equal(error.message, "Invalid request: a member name occurs twice in one object");
  }
  const unique = [
    '{"n":{"n":{"n":[{"n":1},{"n":2}]}}}',
    '{"n":"\\"n\\":1,\\"n\\":2","N":":::"}',
    '{"a:b":1,"c:d":{"a:b":2},"\\u003a":"\\u003a"}',
    '{"a":1,"\\\\u0061":2,"a\\"":3,"a\\\\":4}',
    '{"uri":"architrave://a/b:c","text":"{\\"x\\": 1}"}',
    "[1,2,[],{},null,true]",
  ];
  for (const text of unique.map(params)) assert.ok(readMessage(JSON.parse(text), text));
  // It takes the text to tell.
  assert.ok(readMessage(JSON.parse(rows[5]![0])));
});

test("readMessage() takes exactly the allowed depth and refuses one level more", () => {
  // The message and its params are two levels.
  const nested = (levels: number) => JSON.parse("[".repeat(levels) + "]".repeat(levels));
  const message = (levels: number) => ({ jsonrpc: "2.0", id: 1, method: "a", params: { x: nested(levels) } });
  assert.ok(readMessage(message(MAX_DEPTH - 2)));
  for (const levels of [MAX_DEPTH - 1, 2000]) {
    assert.match(refused(message(levels)).message, /deeper than 64/);
  }
});

test("encodeMessage() splices raw results in, alone and in a batch, and writes none as null", () => {
  const result = new RawJson([new TextEncoder().encode('"text":"ä'), 'b"']).with('"ttlMs":0');
  const expected = { jsonrpc: "2.0", id: 7, result: { text: "äb", ttlMs: 0 } };
  const other = { jsonrpc: "2.0", id: 8, result: 1 };
  assert.deepEqual(JSON.parse(encoded(success(7, result))), expected);
  assert.deepEqual(JSON.parse(encoded([success(7, result), success(8, 1)])), [expected, other]);
  assert.equal(encoded(success("x", undefined)), '{"jsonrpc":"2.0","id":"x","result":null}');
});

test("RawJson is immutable and reads back as the value it writes", () => {
  const object = new RawJson(['"a":1']);
  object.with('"b":2');
  assert.equal(JSON.stringify(object), '{"a":1}');
  assert.throws(() => (object.members as JsonChunk[]).push("x"), TypeError);
  assert.throws(() => Object.assign(object, { members: [] }), TypeError);
});
