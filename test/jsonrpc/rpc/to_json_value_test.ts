import assert from "node:assert/strict";
import { test } from "node:test";
import { MAX_DEPTH, RawJson } from "../../../lib/jsonrpc/mod.ts";
import { toJsonValue } from "../../../lib/jsonrpc/rpc/mod.ts";

const EPOCH = "1970-01-01T00:00:00.000Z";

/** Writes a value and reads it as JSON. */
const read = (value: unknown) => JSON.parse(JSON.stringify(toJsonValue(value)));

class Point {
  readonly x = 1;
  readonly y = undefined;
  get sum(): number {
    return 2;
  }
}

test("toJsonValue() writes each kind of value by its table", () => {
  const shared = { at: new Date(0) };
  const table: [unknown, unknown][] = [
    // A value that occurs twice is not a cycle.
    [[shared, shared], [{ at: EPOCH }, { at: EPOCH }]],
    [new Date(0), EPOCH],
    [new Date(8.64e15), "+275760-09-13T00:00:00.000Z"],
    [9007199254740993n, "9007199254740993"],
    [-0n, "0"],
    [new Uint8Array([1, 2, 3, 255]), "AQID/w=="],
    [Buffer.from("a"), "YQ=="],
    [new Uint8Array(0), ""],
    [new URL("https://example.org/ä b"), "https://example.org/%C3%A4%20b"],
    [Symbol.for("enabled"), "enabled"],
    [Symbol("own"), "own"],
    [new Set([1, "a", 2n]), [1, "a", "2"]],
    [new Map([["a", 1], ["b", 2]]), { a: 1, b: 2 }],
    [new Map(), {}],
    [new Map<unknown, unknown>([[1, "a"], [new Date(0), "b"]]), [[1, "a"], [EPOCH, "b"]]],
    [new Map([["__proto__", 1]]), [["__proto__", 1]]],
    [new Map([["constructor", 1], ["a", 2]]), [["constructor", 1], ["a", 2]]],
    [{ [Symbol("a")]: 1, b: 2, [Symbol.for("c")]: undefined }, { a: 1, b: 2 }],
    [new Map<unknown, unknown>([[Symbol("a"), 1], ["b", 2]]), { a: 1, b: 2 }],
    [new Map<unknown, unknown>([[Symbol("a"), 1], [2, 3]]), [["a", 1], [2, 3]]],
    [new Map([[Symbol("__proto__"), 1]]), [["__proto__", 1]]],
    [Object.defineProperty({ a: 1 }, Symbol("hidden"), { value: 2 }), { a: 1 }],
    [{ toJSON: () => 1n }, "1"],
    [new Point(), { x: 1 }],
    [undefined, null],
    [{ a: undefined, b: null }, { b: null }],
    [[undefined, , 1], [null, null, 1]],
    ["\ud800", "\ud800"],
    [0.1 + 0.2, 0.30000000000000004],
    [{ deep: [new Map([["set", new Set([new Date(0)])]])] }, { deep: [{ set: [EPOCH] }] }],
  ];
  for (const [value, json] of table) assert.deepEqual(read(value), json, String(value && typeof value));
});

test("toJsonValue() makes a copy that shares no objects, with members of any name", () => {
  const value = JSON.parse('{"__proto__":{"polluted":true},"list":[]}');
  const written = toJsonValue(value) as Record<string, unknown>;
  assert.equal(JSON.stringify(written), '{"__proto__":{"polluted":true},"list":[]}');
  assert.equal(written["polluted"], undefined);
  assert.notEqual(written["list"], value.list);
  const raw = new RawJson(['"a":1']);
  assert.equal(toJsonValue(raw), raw);
});

test("toJsonValue() refuses values that JSON cannot represent, and names the path but not the value", () => {
  const circle: unknown[] = [];
  circle.push({ circle });
  const unwritable = [
    ...[NaN, new Date(NaN), () => 1, Symbol(), /secret/, new Error("secret"), Promise.resolve("secret")],
    ...[new WeakMap(), new ArrayBuffer(1), new Float64Array(1), new DataView(new ArrayBuffer(1))],
    ...[Object("secret"), [1].values()],
  ];
  const refused: [unknown, string][] = [
    ...unwritable.map((value): [unknown, string] => [value, ""]),
    [{ a: [Infinity] }, "/a/0"],
    [{ "a/b": { "~": -Infinity } }, "/a~1b/~0"],
    [{ f() {} }, "/f"],
    [circle, "/0/circle"],
    [new Map([["self", circle]]), "/self/0/circle"],
    [{ x: { [Symbol("a")]: 1, a: 2 } }, "/x"],
    [{ [Symbol("a")]: 1, [Symbol("a")]: 2 }, ""],
    [{ [Symbol()]: 1 }, ""],
    [[new Map<unknown, unknown>([[Symbol("a"), 1], ["a", 2]])], "/0"],
    [new Map<unknown, unknown>([[Symbol("a"), 1], ["a", 2], [3, 4]]), ""],
    [new Map([[Symbol(), 1]]), "/0/0"],
    [{ s: { [Symbol("f")]() {} } }, "/s/f"],
  ];
  for (const [value, path] of refused) {
    assert.throws(() => toJsonValue(value), (cause: unknown) => {
      assert.ok(cause instanceof TypeError, String(cause));
      assert.ok(cause.message.startsWith(`Cannot write the value at "${path}" as JSON: `), cause.message);
      assert.doesNotMatch(cause.message, /secret/);
      return true;
    });
  }
});

test("toJsonValue() allows exactly the depth of a message", () => {
  const nested = (levels: number) => {
    let value: unknown = 1;
    for (let level = 0; level < levels; level++) value = [value];
    return value;
  };
  toJsonValue(nested(MAX_DEPTH - 1));
  assert.throws(() => toJsonValue(nested(MAX_DEPTH)), /deeper than 64 levels/);
  assert.throws(() => toJsonValue(nested(100_000)), /deeper than 64 levels/);
  const endless: { toJSON(): unknown } = { toJSON: () => ({ ...endless }) };
  assert.throws(() => toJsonValue(endless), /deeper than 64 levels/);
});
