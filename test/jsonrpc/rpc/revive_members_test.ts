import assert from "node:assert/strict";
import { test } from "node:test";
import type { RichMembers, RichType } from "../../../lib/jsonrpc/rpc/mod.ts";
import { reviveMembers, RpcError, toJsonValue } from "../../../lib/jsonrpc/rpc/mod.ts";

const EPOCH = "1970-01-01T00:00:00.000Z";

const revived = (value: unknown, type: RichType) =>
  (reviveMembers({ value }, { value: type }) as { value: unknown }).value;

test("reviveMembers() restores the values that toJsonValue() has written, for every type", () => {
  const table: [unknown, RichType][] = [
    [new Date(1_234_567_890_123), "date"],
    [new Date(8.64e15), "date"],
    [new Date(-62198755200001), "date"],
    [2n ** 70n, "bigint"],
    [-5n, "bigint"],
    [0n, "bigint"],
    [new Uint8Array([0, 1, 254, 255]), "bytes"],
    [new Uint8Array(70_000).fill(7), "bytes"],
    [new URL("https://example.org/?a=b#c"), "url"],
    [Symbol.for("red"), { symbol: ["red", "green"] }],
    [new Set([1, "a"]), "set"],
    [new Map([["a", 1]]), "map"],
    [new Map(), "map"],
    [new Map([[1, "a"], [2, "b"]]), "map"],
    [new Map([["__proto__", 1]]), "map"],
    [[new Date(0), new Date(1)], { list: "date" }],
    [new Set([1n, 2n]), { set: "bigint" }],
    [new Map([["a", new Set([1n])]]), { map: { set: "bigint" } }],
    [new Map([[5n, new Date(0)]]), { map: "date", keys: "bigint" }],
    [{ at: new Date(0), other: EPOCH }, { members: { at: "date" } }],
  ];
  for (const [value, type] of table) {
    const back = revived(JSON.parse(JSON.stringify(toJsonValue(value))), type);
    if (value instanceof URL) assert.equal(String(back), String(value));
    else assert.deepEqual(back, value);
  }
});

test("reviveMembers() accepts the documented forms, and leaves missing and undeclared members unchanged", () => {
  assert.deepEqual(revived("2026-11-22T10:00:00+01:00", "date"), new Date("2026-11-22T09:00:00Z"));
  assert.deepEqual(revived("2026-11-22T10:00:00.5Z", "date"), new Date("2026-11-22T10:00:00.500Z"));
  assert.equal(revived(7, "bigint"), 7n);
  const members: RichMembers = { since: "date", 0: "bigint" };
  assert.deepEqual(reviveMembers({ other: "2026-11-22T10:00:00Z" }, members), {
    other: "2026-11-22T10:00:00Z",
  });
  assert.deepEqual(reviveMembers(["1", "2"], members), [1n, "2"]);
  assert.equal(reviveMembers(undefined, members), undefined);
});

test("reviveMembers() treats only values with the same JSON as duplicates", () => {
  const sizes: [unknown, RichType, number][] = [
    [[1, "1", true, "true", null, "null"], "set", 6],
    [[{ a: 1 }, '{"a":1}', [1], "[1]", {}, []], "set", 6],
    [["2026-01-01T10:00:00Z", "2026-01-01T10:00:00.001Z"], { set: "date" }, 2],
    [["https://example.org/a", "https://example.org/A"], { set: "url" }, 2],
    [["AQID", "AQIE"], { set: "bytes" }, 2],
    [JSON.parse("[[1e999], [1e999], [null]]"), "set", 3],
    [[["2026-01-01T10:00:00Z", 1], ["2026-01-01T10:00:01Z", 1]], { map: "bigint", keys: "date" }, 2],
  ];
  for (const [value, type, size] of sizes) {
    assert.equal((revived(value, type) as Set<unknown>).size, size, JSON.stringify(value));
  }
});

test("reviveMembers() does not change the params", () => {
  const params = { at: "1970-01-01T00:00:00Z", deep: { at: ["1970-01-01T00:00:00Z"] } };
  const before = structuredClone(params);
  reviveMembers(params, { at: "date", deep: { members: { at: { list: "date" } } } });
  assert.deepEqual(params, before);
});

test("reviveMembers() refuses any other value with -32602 and its path", () => {
  const scalars: [RichType, unknown[]][] = [
    ["date", [
      "2026-02-30T00:00:00Z",
      "2026-13-01T00:00:00Z",
      "2026-01-01T24:00:00Z",
      "2026-01-01T00:00:00+24:00",
    ]],
    ["date", ["2026-01-01", "2026-01-01T00:00:00", "-000000-01-01T00:00:00Z", "+999999-01-01T00:00:00Z"]],
    ["date", ["yesterday", 0, null]],
    ["bigint", ["1.5", "0x10", "-0", "007", "", 1.5, 2 ** 53, "1".repeat(10_001)]],
    ["bytes", ["AQI", "AQJ=", "AQ==\n", "A_-=", [1]]],
    ["url", ["relative", 1]],
    [{ symbol: ["red"] }, ["blue"]],
    ["set", [{}]],
    ["map", ["x"]],
    [{ members: {} }, [null]],
  ];
  const refused: [unknown, RichType, string?][] = [
    ...scalars.flatMap(([type, values]) => values.map((value): [unknown, RichType] => [value, type])),
    [[1, 1], "set"],
    [[{ a: [1] }, { a: [1] }], "set"],
    [["2026-01-01T10:00:00Z", "2026-01-01T10:00:00Z"], { set: "date" }],
    [["2026-01-01T10:00:00Z", "2026-01-01T11:00:00.000+01:00"], { set: "date" }],
    [["https://example.org", "https://example.org/"], { set: "url" }],
    [["AQID", "AQID"], { set: "bytes" }],
    [["1", 1], { set: "bigint" }],
    [["red", "red"], { set: { symbol: ["red"] } }],
    [[[1, 2], [1, 2]], { set: "set" }],
    [[{ at: "1" }, { at: 1 }], { set: { members: { at: "bigint" } } }],
    [[["2026-01-01T10:00:00Z", 1], ["2026-01-01T10:00:00Z", 2]], { map: "bigint", keys: "date" }, "/value/1"],
    [
      { "2026-01-01T10:00:00Z": 1, "2026-01-01T10:00:00.0Z": 2 },
      { map: "bigint", keys: "date" },
      "/value/2026-01-01T10:00:00.0Z",
    ],
    [[[{ a: 1 }, 1], [{ a: 1 }, 2]], "map", "/value/1"],
    [[["a", 1], ["a", 2]], "map", "/value/1"],
    [[["a"]], "map", "/value/0"],
    [["1970-01-01T00:00:00Z", "x"], { list: "date" }, "/value/1"],
    [{ "a/b": "x" }, { map: "date" }, "/value/a~1b"],
    [[["x", 1]], { map: "map", keys: "date" }, "/value/0/0"],
    [{ at: 1 }, { members: { at: "date" } }, "/value/at"],
  ];
  for (const [value, type, path = "/value"] of refused) {
    assert.throws(() => revived(value, type), (cause: unknown) => {
      assert.ok(cause instanceof RpcError, `${JSON.stringify(value)}: ${cause}`);
      assert.deepEqual([cause.code, cause.data], [-32602, { path }]);
      assert.ok(cause.message.includes(`"${path}" must be `));
      return true;
    }, JSON.stringify(value));
  }
});
