/** Which forms can be asked for, in which words, and what is read of the answers? */

import assert from "node:assert/strict";
import { test } from "node:test";
import type { FormSchema } from "../../lib/server/client_requests.ts";
import { checkForm, formFor, readForm } from "../../lib/server/input_requests.ts";
import { REVISIONS } from "../../lib/protocol/revisions.ts";
import { UnansweredError } from "../../lib/server/client_requests.ts";

const revision = (id: string) => REVISIONS.find((one) => one.id === id)!;
const form = (field: unknown, more: object = {}): FormSchema =>
  ({ type: "object", properties: { field }, ...more }) as FormSchema;

test("checkForm() refuses what no client can show, and says what is wrong", () => {
  const wrong: [unknown, RegExp][] = [
    [true, /must have "type": "object"/],
    [{ type: "array", items: {} }, /must have "type": "object"/],
    [{ type: "object" }, /"object" and properties/],
    [form({ type: "string" }, { allOf: [] }), /it has "allOf": a form is flat/],
    [form({ type: "string" }, { required: ["other"] }), /it requires "other", which is not a field/],
    [form(true), /the field "field" must be an object/],
    [form({}), /is of the type undefined/],
    [form({ type: "object", properties: {} }), /is of the type "object"/],
    [form({ type: ["string", "null"] }), /is of the type \["string","null"\]/],
    [form({ type: ["string"] }), /is of the type \["string"\]/],
    [form({ type: "toString" }), /is of the type "toString"/],
    [form({ type: "string", pattern: "a" }), /has "pattern", which clients do not know/],
    [form({ type: "string", format: "uuid" }), /has the format "uuid"/],
    [form({ type: "number", minLength: 1 }), /has "minLength"/],
    [form({ type: "string", enum: [] }), /must have an "enum" of strings/],
    [form({ type: "string", enum: [1] }), /must have an "enum" of strings/],
    [form({ type: "string", oneOf: [{ const: "a" }] }), /"oneOf" of choices/],
    [form({ type: "string", enum: ["a"], enumNames: ["A", "B"] }), /as many "enumNames"/],
    [form({ type: "string", enumNames: ["A"] }), /as many "enumNames"/],
    [form({ type: "array" }), /must have items/],
    [form({ type: "array", items: { type: "string" } }), /must have items/],
    [form({ type: "array", items: { type: "object" } }), /must have items/],
  ];
  for (const [schema, message] of wrong) {
    assert.throws(() => checkForm(schema as FormSchema), (cause) => {
      assert.ok(cause instanceof TypeError);
      assert.match(cause.message, /^Cannot ask with this form: /);
      assert.match(cause.message, message);
      return true;
    });
  }
});

test("formFor() gives a revision the form as it is, or the nearest that it has", () => {
  const schema = {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    type: "object",
    properties: {
      text: { type: "string", default: "x", maxLength: 3 },
      number: { type: "number", default: 1, minimum: 0 },
      sure: { type: "boolean", default: true },
      titled: { type: "string", title: "T", oneOf: [{ const: "a", title: "A" }] },
      several: {
        type: "array",
        title: "S",
        description: "Some.",
        items: { type: "string", enum: ["a", "b"] },
      },
      shown: { type: "array", items: { anyOf: [{ const: "a", title: "A" }] }, default: ["a"] },
    },
    required: ["text"],
    additionalProperties: false,
  } as const;
  checkForm(schema);
  const { additionalProperties: _, ...sent } = schema;
  assert.deepEqual(formFor(revision("2025-11-25"), schema), sent);
  assert.deepEqual(formFor(revision("2025-06-18"), schema), {
    type: "object",
    properties: {
      text: { type: "string", maxLength: 3 },
      number: { type: "number", minimum: 0 },
      sure: { type: "boolean", default: true },
      titled: { type: "string", title: "T", enum: ["a"], enumNames: ["A"] },
      several: {
        type: "string",
        title: "S",
        description: "Some.\nAny of these, separated by commas: a, b",
      },
      shown: { type: "string", description: "Any of these, separated by commas: a (A)" },
    },
    required: ["text"],
  });
  const comma = form({ type: "array", items: { type: "string", enum: ["a,b"] } });
  assert.throws(() => formFor(revision("2025-06-18"), comma), /"field" cannot be asked for .* comma/);
});

test("readForm() takes what fits, without what was not asked", () => {
  const modern = revision("2026-07-28");
  const fits: [unknown, unknown][] = [
    [{ type: "string", format: "email" }, "a@b.example"],
    [{ type: "string", format: "date" }, "2026-02-28"],
    [{ type: "integer", minimum: 1 }, 1],
    [{ type: "number" }, 1.5],
    [{ type: "boolean" }, false],
    [{ type: "string", oneOf: [{ const: "a", title: "A" }] }, "a"],
    [{ type: "string", enum: ["a"], enumNames: ["A"] }, "a"],
    [{ type: "array", items: { anyOf: [{ const: "a", title: "A" }] }, minItems: 1 }, ["a"]],
  ];
  for (const [field, value] of fits) {
    assert.deepEqual(readForm(modern, form(field), { field: value, other: 1 }), { field: value });
  }
  const unfit: [unknown, unknown][] = [
    [{ type: "string", format: "email" }, "nobody"],
    [{ type: "string", format: "date" }, "2026-02-30"],
    [{ type: "string", maxLength: 1 }, "ab"],
    [{ type: "integer" }, 1.5],
    [{ type: "number", maximum: 1 }, 2],
    [{ type: "boolean" }, "true"],
    [{ type: "string", oneOf: [{ const: "a", title: "A" }] }, "A"],
    [{ type: "array", items: { anyOf: [{ const: "a", title: "A" }] } }, ["b"]],
    [{ type: "array", items: { type: "string", enum: ["a"] }, maxItems: 1 }, ["a", "a"]],
    [{ type: "string" }, null],
  ];
  for (const [field, value] of unfit) {
    assert.throws(() => readForm(modern, form(field), { field: value }), (cause) => {
      assert.ok(cause instanceof UnansweredError);
      assert.equal(cause.code, -32602);
      assert.match(cause.message, /^The values do not fit the form: \/field/);
      return true;
    });
  }
  assert.deepEqual(readForm(modern, form({ type: "string" }), undefined), {});
  assert.throws(() => readForm(modern, form({ type: "string" }), []), /must be an object/);
  assert.throws(
    () => readForm(revision("2025-11-25"), form({ type: "string" }, { required: ["field"] }), {}),
    {
      code: -32603,
    },
  );
});

test("readForm() reads a list that came as text", () => {
  const schema = form({ type: "array", items: { type: "string", enum: ["a", "b"] } });
  const plain = revision("2025-06-18");
  for (const [text, list] of [["a, b", ["a", "b"]], ["a", ["a"]], ["", []], [" ,a,", ["a"]]] as const) {
    assert.deepEqual(readForm(plain, schema, { field: text }), { field: list });
  }
  assert.throws(() => readForm(plain, schema, { field: "a, c" }), /\/field/);
});
