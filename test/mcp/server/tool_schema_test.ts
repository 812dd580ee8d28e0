/** Which schemas of tools are published, and how arguments and results are checked against them. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { compileSchema } from "../../../lib/formats/schema/mod.ts";
import type { AnySchema, StandardSchema } from "../../../lib/mcp/server/mod.ts";
import { defineTool, text, ToolDefinitionError, ToolResult } from "../../../lib/mcp/server/mod.ts";
import type { More, ToolClient } from "./tool_client.ts";
import { connect, fake, textOf, tool } from "./tool_client.ts";

/** A client of one tool that gives a value. */
async function giving(value: unknown, more: More): Promise<ToolClient> {
  return await connect({ tools: [tool("give", { handler: () => value as never, ...more })] });
}

/** What is published of the result, and what is sent. */
async function resultOf(client: ToolClient): Promise<{ schema: unknown; data: unknown }> {
  const [listed] = await client.list();
  const { result } = await client.call("give");
  assert.deepEqual(client.failures, []);
  return { schema: listed!["outputSchema"], data: result!["structuredContent"] };
}

test("what is published of a wrapped schema fits the same results, whatever it refers to", async () => {
  const array = (more: object) => ({ type: "array", ...more }) as AnySchema;
  const rows: [schema: AnySchema, fits: unknown[], not: unknown[]][] = [
    // The root, a part of it, and a definition under each of its names.
    [array({ items: { anyOf: [{ $ref: "#" }] } }), [[], [[]]], [[1]]],
    [array({ items: { $dynamicRef: "#" } }), [[[]]], [[1]]],
    [array({ prefixItems: [{ type: "string" }], items: { $ref: "#/prefixItems/0" } }), ["a", "b"], ["a", 1]],
    [array({ items: { $ref: "#/definitions/a" }, definitions: { a: { type: "string" } } }), ["a"], [1]],
    [array({ items: { $ref: "#/%24defs/a" }, $defs: { a: { type: "string" } } }), ["a"], [1]],
    [
      array({
        items: { $ref: "#/$defs/item" },
        $defs: { item: { type: "object", properties: { parts: { $ref: "#" } } } },
      }),
      [{ parts: [{ parts: [] }] }],
      [{ parts: [{ parts: {} }] }],
    ],
    // An anchor, a root with a URI, and a part with one.
    [array({ $anchor: "list", items: { $ref: "#list" } }), [[[]]], [[1]]],
    [
      array({
        $id: "https://example.com/list",
        items: { $ref: "#/$defs/a" },
        $defs: { a: { anyOf: [{ type: "string" }, { $ref: "#" }] } },
      }),
      ["a", ["b"]],
      [["b", 1]],
    ],
    [
      array({
        items: { $id: "https://example.com/item", type: "object", properties: { child: { $ref: "#" } } },
      }),
      [{ child: { child: {} } }],
      [{ child: { child: [] } }],
    ],
    // Members that are called like keywords, and values that look like references.
    [
      array({
        items: { type: "object", properties: { default: { $ref: "#" }, $ref: { type: "string" } } },
      }),
      [{ default: [], $ref: "#" }],
      [{ default: [1] }],
    ],
    [
      array({ items: { enum: [{ $ref: "#" }, "a"], default: { $ref: "#" } } }),
      [{ $ref: "#" }, "a"],
      [{ $ref: "#/properties/result" }],
    ],
  ];
  for (const [outputSchema, fits, not] of rows) {
    for (const field of ["result", "a/b~c %25 ö"]) {
      const { schema, data } = await resultOf(await giving(fits, { outputSchema, outputField: field }));
      const validate = compileSchema(schema);
      assert.deepEqual([data, validate(data)], [{ [field]: fits }, []], JSON.stringify(outputSchema));
      assert.notDeepEqual(validate({ [field]: not }), [], JSON.stringify(outputSchema));
      assert.notDeepEqual(compileSchema(outputSchema)(not), []);
    }
  }
});

const NAMED = { type: "object", properties: { a: { type: "string" } }, required: ["a"] } as const;
class Money {
  readonly #amount: number = 5;
  readonly currency: string = "EUR";
  toJSON(): string {
    return `${this.#amount} ${this.currency}`;
  }
}

class Row {
  readonly team: string = "a";
  readonly at: Date = new Date(0);
}

/** A list with a gap. */
const GAP: unknown[] = [1];
GAP[2] = 3;
const CIRCLE: Record<string, unknown> = {};
CIRCLE["self"] = CIRCLE;

/** A reference beside another keyword, which cannot be left out. */
const BESIDE = { $ref: "#/$defs/A", minProperties: 1, $defs: { A: NAMED } };

test("an output is published, checked and sent as an object of JSON, with what it refers to at its root", async () => {
  const $schema = "https://json-schema.org/draft/2020-12/schema",
    $defs = { item: { type: "integer" } } as const;
  const list = { type: "array", items: { $ref: "#/$defs/item" } } as const;
  const wrapper = { type: "object", required: ["result"], additionalProperties: false };
  const tree = { type: "object", properties: { child: { $ref: "#" } } } as const,
    any = { type: "object" } as const;
  const date = fake(
    (value) => value instanceof Date ? { value } : { issues: [{ message: "is no date" }] },
    { type: "string" },
  );
  const rows: [value: unknown, outputSchema: AnySchema, sent: object, published?: object][] = [
    [[1], { $schema, ...list, $defs }, { result: [1] }, {
      ...wrapper,
      $schema,
      properties: { result: list },
      $defs,
    }],
    [{ child: { child: {} } }, tree, { child: { child: {} } }, tree],
    [{ a: "x" }, { $ref: "#/$defs/A", $defs: { A: NAMED } }, { a: "x" }, NAMED],
    [{ a: "x" }, BESIDE as AnySchema, { result: { a: "x" } }],
    // A library checks what the handler returns.
    [new Date(0), date, { result: "1970-01-01T00:00:00.000Z" }],
    [new Money(), { type: "string" }, { result: "5 EUR" }],
    [new Row(), any, { team: "a", at: "1970-01-01T00:00:00.000Z" }],
    [{ rows: [new Row()] }, any, { rows: [{ team: "a", at: "1970-01-01T00:00:00.000Z" }] }],
    [GAP, { type: "array", items: { type: ["integer", "null"] } }, { result: [1, null, 3] }],
    [NaN, {}, { result: null }],
    [{ a: undefined }, { type: "object", properties: { a: { type: "string" } } }, {}],
  ];
  for (const [value, outputSchema, sent, published] of rows) {
    const { schema, data } = await resultOf(await giving(value, { outputSchema }));
    assert.deepEqual([data, published ?? schema], [sent, schema]);
    assert.deepEqual(compileSchema(schema)(sent), []);
  }
  const misfits: [value: unknown, outputSchema: AnySchema][] = [
    [new Money(), any],
    [new Date(0), any],
    [{ a: () => 1 }, { type: "object", required: ["a"] }],
    [GAP, { type: "array", items: { type: "integer" } }],
    [{ n: 1n }, any],
    [CIRCLE, any],
    [new Money(), fake((value) => ({ value: value as object }), any)],
  ];
  for (const [value, outputSchema] of misfits) {
    const client = await giving(value, { outputSchema });
    assert.equal((await client.call("give")).error?.code, -32603);
    assert.match(String(client.failures[0]), /^ContextError: The result of give cannot be sent: [/\w]/);
  }
  const parts = await giving(new ToolResult([text("t")], { value: new Money() }), {});
  assert.deepEqual((await parts.call("give")).result!["structuredContent"], { result: "5 EUR" });
  await assert.rejects(giving([], { outputSchema: { type: "array", items: { $ref: "#/properties/a" } } }), {
    name: "ToolDefinitionError",
    message: /"give".* has no target/,
  });
});

test("checkOutput: false publishes the schema, and sends what the handler returns unchecked", async () => {
  const outputSchema = { type: "array", items: { type: "integer" } } as const;
  assert.equal((await (await giving(["a"], { outputSchema })).call("give")).error?.code, -32603);
  const client = await giving(["a"], { outputSchema, checkOutput: false });
  const { schema, data } = await resultOf(client);
  assert.deepEqual(data, { result: ["a"] });
  assert.notDeepEqual(compileSchema(schema)(data), []);
  assert.throws(() => tool("give", { outputSchema, checkOutput: "no" as never }), ToolDefinitionError);
});

test("an object schema that is one of its definitions is published without that detour", async () => {
  const tree = {
    type: "object",
    properties: { kids: { type: "array", items: { $ref: "#/$defs/T" } } },
  } as const;
  const rows: [given: Record<string, unknown>, shown: object][] = [
    [{ $ref: "#/$defs/A", $defs: { A: NAMED } }, NAMED],
    [
      { $ref: "#/$defs/B", description: "It.", $defs: { A: NAMED, B: { $ref: "#/$defs/A" } } },
      { description: "It.", ...NAMED },
    ],
    [{ $ref: "#/$defs/T", $defs: { T: tree } }, { ...tree, $defs: { T: tree } }],
  ];
  for (const [given, shown] of rows) {
    const library = fake((value) => ({ value: value as object }), given);
    for (const schema of [given as AnySchema, library]) {
      const client = await giving({ a: "x" }, { inputSchema: schema, outputSchema: schema });
      const [listed] = await client.list();
      assert.deepEqual(listed!["outputSchema"], shown);
      assert.deepEqual(listed!["inputSchema"], { ...shown, additionalProperties: false });
      assert.equal((await client.call("give", { a: "x", b: 1 })).result!["isError"], true);
    }
  }
});

test("a reference at the root that cannot be left out stays: beside other keywords, to names, in a circle", async () => {
  const schemas: Record<string, unknown>[] = [
    BESIDE,
    { $ref: "#/$defs/A", $defs: { A: { ...NAMED, $anchor: "here" } } },
    { $ref: "#/$defs/A", $defs: { A: { $ref: "#/$defs/B" }, B: { $ref: "#/$defs/A" } } },
    { $ref: "#/$defs/toString", $defs: {} },
  ];
  for (const given of schemas) {
    const inputSchema = fake((value) => ({ value: value as object }), given);
    await assert.rejects(
      giving("", { inputSchema }),
      /inputSchema of the tool "give": it must say "type": "object"/,
    );
  }
});

test("a library that does not write its schema as JSON Schema is refused with the name of the tool, and why", async () => {
  const cause = new Error("Date cannot be represented");
  const fail = () => {
    throw cause;
  };
  const silent = fake((value) => ({ value }));
  const failing = {
    "~standard": { ...silent["~standard"], jsonSchema: { input: fail, output: fail } },
  } as StandardSchema<unknown, object>;
  for (const which of ["inputSchema", "outputSchema"]) {
    const start = `Cannot use the ${which} of the tool "give": fake `;
    await assert.rejects(
      giving("", { [which]: silent }),
      ({ message }: Error) => message.startsWith(`${start}does not say how it is written as JSON Schema`),
    );
    await assert.rejects(giving("", { [which]: failing }), (thrown) => {
      assert.ok(thrown instanceof ToolDefinitionError);
      assert.equal(thrown.message, `${start}cannot write it as JSON Schema: ${cause.message}`);
      return (thrown.cause as Error).cause === cause;
    });
  }
});

test("the time of a tool is that of its checks too, and a handler does not begin when it is over", async () => {
  const checking = Promise.withResolvers<{ value: object }>();
  const schema = (settled: Promise<{ value: object }>) => fake(() => settled, { type: "object" });
  const never = new Promise<never>(() => {});
  let calls = 0;
  const handler = () => void calls++ as never;
  const client = await connect({
    tools: [
      tool("arguments", { timeoutMs: 20, inputSchema: schema(checking.promise), handler }),
      tool("result", { timeoutMs: 20, outputSchema: schema(never), handler: () => ({}) as never }),
    ],
  });
  for (const called of ["arguments", "result"]) {
    const answer = await client.call(called);
    assert.equal(answer.result!["isError"], true);
    assert.equal(textOf(answer), `${called} was stopped: it took longer than 20 ms`);
  }
  checking.resolve({ value: {} });
  assert.deepEqual(await client.rest(), []);
  assert.equal(calls, 0);
  assert.deepEqual(client.failures, []);
});

test("a call whose checks and handler are done at once is answered before anything else is begun", async () => {
  const order: string[] = [];
  const inputSchema = fake((value) => {
    queueMicrotask(() => order.push("later"));
    return { value: value as object };
  }, { type: "object" });
  const outputSchema = fake((value) => {
    order.push("checked");
    return { value: value as object };
  }, { type: "object" });
  const client = await giving({}, { inputSchema, outputSchema });
  await client.call("give");
  assert.deepEqual(order, ["checked", "later"]);
  order.length = 0;
  const slow = await giving(Promise.resolve({}), { inputSchema, outputSchema });
  await slow.call("give");
  assert.deepEqual(order, ["later", "checked"]);
});

const PERSON = { type: "object", properties: { age: { type: "string" } } };

test("a schema of a library checks the arguments in its own time, and may change them", async () => {
  const inputSchema = fake(async (value) => {
    await Promise.resolve();
    const { age } = value as { age: string };
    return /^\d+$/.test(age)
      ? { value: { age: Number(age) } }
      : { issues: [{ message: "is no number", path: ["age", { key: 0 }] }, { message: "Not so" }] };
  }, PERSON);
  const tool = defineTool({ name: "give", inputSchema, handler: ({ age }) => String(age + 1) });
  const client = await connect({ tools: [tool] });
  assert.equal(textOf(await client.call("give", { age: "41" })), "42");
  const answer = await client.call("give", { age: "x" });
  assert.equal(answer.result!["isError"], true);
  assert.equal(textOf(answer), "The arguments of give do not fit: /age/0: is no number; Not so.");
  assert.deepEqual((await client.list())[0]!["inputSchema"], { ...PERSON, additionalProperties: false });
  assert.equal(Object.isFrozen(PERSON.properties), false, "what is the library's stays as it was");
});

test("what a schema of a library leaves out of a result is not sent", async () => {
  const outputSchema = fake((value) => ({ value: { age: (value as { age: string }).age } }), PERSON);
  const { result } = await (await giving({ age: "1", secret: "s" }, { outputSchema })).call("give");
  assert.deepEqual(result, { content: [text('{"age":"1"}')], structuredContent: { age: "1" } });
});

test("a schema of a library that fails is an internal error", async () => {
  const inputSchema = fake((): never => {
    throw new Error("secret");
  }, PERSON);
  const answer = await (await giving("", { inputSchema })).call("give");
  assert.equal(answer.error?.code, -32603);
  assert.doesNotMatch(JSON.stringify(answer), /secret/);
});

test("a call that is cancelled while its arguments are checked never reaches its handler", async () => {
  const checking = Promise.withResolvers<void>();
  const checked = Promise.withResolvers<{ value: object }>();
  let calls = 0;
  const inputSchema = fake(() => {
    checking.resolve();
    return checked.promise;
  }, PERSON);
  const tool = defineTool({ name: "give", inputSchema, handler: () => String(++calls) });
  const client = await connect({ tools: [tool] });
  client.send({ id: 1, method: "tools/call", params: { name: "give" } });
  await checking.promise;
  client.send({ method: "notifications/cancelled", params: { requestId: 1 } });
  assert.deepEqual(await client.rest(), []);
  checked.resolve({ value: {} });
  assert.deepEqual(await client.rest(), []);
  assert.equal(calls, 0);
});
