/** The short form of the schema of an object. */

import assert from "node:assert/strict";
import { test } from "node:test";
import type { FromSchema } from "../../../lib/formats/schema/mod.ts";
import { compileSchema, object } from "../../../lib/formats/schema/mod.ts";

test("object() writes the schema of an object as plain data", () => {
  const a = { type: "string" } as const, b = { type: "integer", minimum: 1 } as const;
  assert.deepEqual(object({}), { type: "object", properties: {}, required: [] });
  assert.deepEqual(object({ a, b }), { type: "object", properties: { a, b }, required: ["a", "b"] });
  assert.deepEqual(object({}, { b }), { type: "object", properties: { b }, required: [] });
  assert.deepEqual(object({ a }, { b }), { type: "object", properties: { a, b }, required: ["a"] });
  assert.deepEqual(object({ a: "string" }, { b }), object({ a }, { b }));
  const nested = object({ list: { type: "array", items: object({ a }) } });
  const check = compileSchema(nested);
  assert.deepEqual(check({ list: [{ a: "x" }] }), []);
  assert.equal(check({ list: [{}] }).length, 1);
  const value: FromSchema<typeof nested> = { list: [{ a: "x" }] };
  // @ts-expect-error `a` is a string.
  value.list[0]!.a = 1;
  const optional = object({ a: "string" }, { b: "integer" });
  const values: FromSchema<typeof optional>[] = [{ a: "x" }, { a: "x", b: 1 }];
  // @ts-expect-error `a` must be there.
  values.push({ b: 1 });
  // @ts-expect-error `b` is a number.
  values.push({ a: "x", b: "1" });
});
