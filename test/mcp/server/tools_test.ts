/** Which tools can be defined, and how a server holds them: as they were defined, frozen, and in sets that load later. */

import assert from "node:assert/strict";
import { test } from "node:test";
import type { AnySchema, Schema, Tool } from "../../../lib/mcp/server/mod.ts";
import { createServer, defineTool, image, ToolDefinitionError } from "../../../lib/mcp/server/mod.ts";
import { stopClock } from "../../harness/clock.ts";
import type { More } from "./tool_client.ts";
import { assertFrozen, connect, textOf, tool } from "./tool_client.ts";

const info = { name: "t", version: "1" };

/** Defines what no compiler would let pass. */
function define(more: object): Tool {
  return tool("odd", more as More);
}

test("defineTool() refuses a definition that could not be served, with the name of the tool and the reason", () => {
  for (const name of ["a", "A.b-c_9", "x".repeat(128)]) assert.equal(tool(name).name, name);
  const hasName = /: a name has 1 to 128 letters, digits,/, hasTime = /: its timeoutMs must be between 1 and/;
  const rows: [more: object, reason: RegExp][] = [
    ...["", " ", "a b", "a/b", "ä", "a\n", "x".repeat(129)].map((name) =>
      [{ name }, hasName] as [object, RegExp]
    ),
    ...[0, -1, NaN, Infinity, 2 ** 31].map((timeoutMs) => [{ timeoutMs }, hasTime] as [object, RegExp]),
    [{ name: undefined }, /: name must be a string/],
    [{ inputSchema: undefined }, /: inputSchema must be a schema/],
    [{ inputSchema: null }, /: inputSchema must be a schema/],
    [{ outputSchema: null }, /: outputSchema must be a schema/],
    [{ title: 1 }, /: title must be a string/],
    [{ _meta: [] }, /: _meta must be an object/],
    [{ outputField: "count" }, /: its outputField "count" needs an outputSchema/],
    [{ outputField: 1, outputSchema: { type: "string" } }, /: outputField must be a string/],
    [{ handler: undefined }, /: handler must be a function/],
    [{ handler: "done" }, /: handler must be a function/],
    [
      { annotations: { readOnlyHint: true, dangerous: true } },
      /: annotations has a member "dangerous", .* _meta/,
    ],
    [{ annotations: { toString: undefined } }, /: annotations has a member "toString"/],
    [{ annotations: { readOnlyHint: "yes" } }, /: annotations.readOnlyHint must be true or false/],
    [{ annotations: { title: true } }, /: annotations.title must be a string/],
  ];
  for (const [more, reason] of rows) {
    const { name } = { name: "odd", ...more };
    assert.throws(() => define(more), (cause) => {
      assert.ok(cause instanceof ToolDefinitionError, String(cause));
      return cause.message.startsWith(`Cannot define the tool "${name}": `) && reason.test(cause.message);
    });
  }
});

test("a tool is frozen with all of its data, and is no part of what it was defined with", async () => {
  const given = {
    name: "a",
    title: "A",
    description: "Does it.",
    inputSchema: { type: "object", properties: { x: { type: "string" } } } as const,
    outputSchema: { type: "string" } as const,
    annotations: { readOnlyHint: true },
    _meta: { "t/deep": { a: 1 } },
    handler: () => "done",
  };
  const made = defineTool(given);
  assertFrozen(made);
  given.annotations.readOnlyHint = false;
  Object.assign(given.inputSchema.properties, { injected: {} });
  const [listed] = await (await connect({ tools: [made] })).list();
  const inputSchema = { type: "object", properties: { x: { type: "string" } }, additionalProperties: false };
  assert.deepEqual([listed!["annotations"], listed!["inputSchema"]], [{ readOnlyHint: true }, inputSchema]);
});

test("what is undefined in a definition is not listed", async () => {
  const annotations = { title: undefined, readOnlyHint: true };
  const more = { annotations, outputField: undefined, timeoutMs: undefined };
  const [listed] = await (await connect({ tools: [define(more)] })).list();
  const inputSchema = { type: "object", additionalProperties: false };
  assert.deepEqual(listed, { name: "odd", inputSchema, annotations: { readOnlyHint: true } });
});

test("an instance of a class is a definition too, with all that it inherits", async () => {
  class Greeter {
    readonly name = "greet";
    readonly inputSchema = { type: "object" } as const;
    readonly #greeting: string = "hello";
    get description() {
      return `Says ${this.#greeting}.`;
    }
    handler() {
      return this.#greeting;
    }
  }
  const greeter = new Greeter();
  const client = await connect({ tools: [defineTool(greeter)] });
  greeter.handler = () => "changed";
  assert.equal((await client.list())[0]!["description"], "Says hello.");
  assert.equal(textOf(await client.call("greet")), "hello");
});

test("input schemas are closed, composed ones as a whole, unless they say otherwise", async () => {
  const inputs: Record<string, [object, object]> = {
    closed: [{}, { additionalProperties: false }],
    composed: [{ allOf: [{ properties: { a: {} } }] }, { unevaluatedProperties: false }],
    open: [{ additionalProperties: true }, {}],
    typed: [{ additionalProperties: { type: "string" } }, {}],
    whole: [{ anyOf: [{}], unevaluatedProperties: true }, {}],
    referred: [{ $ref: "#/$defs/a", $defs: { a: {} } }, { unevaluatedProperties: false }],
  };
  const tools = Object.entries(inputs).map(([name, [more]]) =>
    tool(name, { inputSchema: { type: "object", ...more } })
  );
  for (const { name, inputSchema } of await (await connect({ tools })).list()) {
    const [given, added] = inputs[String(name)]!;
    assert.deepEqual(inputSchema, { type: "object", ...given, ...added }, String(name));
  }
});

test("a schema that cannot be used is refused by defineTool, with the name of the tool", async () => {
  const at = (header: unknown, type = "string") => ({ type, "x-mcp-header": header });
  const withSchema = (inputSchema: object) => tool("odd", { inputSchema: inputSchema as AnySchema });
  const deep = { type: "object", properties: { c: at("C", "integer") } };
  await connect({ tools: [withSchema({ type: "object", properties: { a: at("A"), b: deep } })] });
  const unusable: object[] = [
    { type: "string" },
    {},
    { type: "object", minProperties: "x" },
    { type: "object", $ref: "#/none" },
    { type: "object", properties: { a: { type: "numbr" } } },
    { type: "object", properties: { a: "string" } },
    { type: "object", properties: [] },
    { type: "object", required: "a" },
    { type: "object", properties: { a: { pattern: "(" } } },
    { type: "object", allOf: [{ items: 1 }] },
    { type: ["object"] },
    // Arguments that are repeated in a header field are simple, and stand in properties.
    ...[
      { properties: { a: at("") } },
      { properties: { a: at("a b") } },
      { properties: { a: at("a\r\nb") } },
      { properties: { a: at(7) } },
      { properties: { a: at("A"), b: at("a") } },
      { properties: { a: at("A", "number") } },
      { properties: { a: at("A", "object") } },
      { properties: { a: { type: "array", items: at("A") } } },
      { anyOf: [{ properties: { a: at("A") } }] },
      { $defs: { a: at("A") } },
      { "x-mcp-header": "A" },
    ].map((schema) => ({ type: "object", ...schema })),
  ];
  for (const schema of unusable) {
    const refused = {
      name: "ToolDefinitionError",
      message: /^Cannot use the inputSchema of the tool "odd": /,
    };
    assert.throws(() => withSchema(schema), refused, JSON.stringify(schema));
  }
  const outputSchemas: object[] = [{ $ref: "#/none" }, { pattern: "(" }, { type: "numbr" }, {
    required: "a",
  }];
  for (const outputSchema of outputSchemas) {
    const refused = {
      name: "ToolDefinitionError",
      message: /^Cannot use the outputSchema of the tool "odd": /,
    };
    assert.throws(
      () => tool("odd", { outputSchema: outputSchema as AnySchema }),
      refused,
      JSON.stringify(outputSchema),
    );
  }
});

test("the compiler refuses a schema of arguments that says it is not of an object, and takes one that may be", () => {
  const handler = () => "", name = "odd", object = { type: "object" } as const;
  const schema: Schema = object, parsed = JSON.parse('{"type":"object"}');
  for (const inputSchema of [object, schema, parsed]) {
    assert.equal(defineTool({ name, inputSchema, handler }).name, name);
  }
  // @ts-expect-error -- a string
  const text = () => defineTool({ name, inputSchema: { type: "string" }, handler });
  // @ts-expect-error -- a list
  const list = () => defineTool({ name, inputSchema: { type: "array" }, handler });
  // @ts-expect-error -- an object or null
  const either = () => defineTool({ name, inputSchema: { type: ["object", "null"] }, handler });
  for (const define of [text, list, either]) assert.throws(define, /it must say "type": "object"/);
});

test("two tools of one name are refused when the server is built", () => {
  const set = { names: ["b", "a"], load: () => Promise.resolve([]) };
  for (const tools of [[tool("a"), tool("a")], [tool("a"), set], [set, set]]) {
    assert.throws(() => createServer({ info, tools }), /^TypeError: .*two tools called "[ab]"/);
  }
});

test("what defineTool() did not make is refused, and the message says what to do", async () => {
  const definition = { name: "made-up", inputSchema: { type: "object" }, handler: () => "done" };
  const made = tool("a");
  const copies = [{ name: "made-up", definition }, definition, { ...made, name: "x" }, Object.create(made)];
  for (const copy of [...copies, undefined, null, "made-up"]) {
    assert.throws(
      () => createServer({ info, tools: [made, copy as Tool] }),
      (cause) => cause instanceof TypeError && /pass its definition through defineTool/.test(cause.message),
    );
  }
  const load = () => Promise.resolve([copies[0] as Tool]);
  const client = await connect({ tools: [{ names: ["made-up"], load }] });
  assert.equal((await client.ask("tools/list")).error?.code, -32603);
  assert.match(String(client.failures[0]), /defineTool did not make it/);
});

test("a set brings the tools that it said when the server was built; others, and names that are taken, are an error", async () => {
  const isOther = /it names .*, but loads a, b/;
  const rows: [names: string[] | undefined, brought: string[], listed: string[] | RegExp][] = [
    [["a", "b"], ["b", "a"], ["a", "b", "own"]],
    [undefined, ["b"], ["b", "own"]],
    [undefined, ["own"], /two tools called "own"/],
    [["a"], ["a", "b"], isOther],
    [["a", "b", "c"], ["a", "b"], isOther],
    [["a", "x"], ["a", "b"], isOther],
  ];
  for (const [names, brought, listed] of rows) {
    const set = { names, load: () => Promise.resolve(brought.map((name) => tool(name))) };
    const client = await connect({ tools: [set, tool("own")] });
    names?.push("b");
    if (Array.isArray(listed)) assert.deepEqual((await client.list()).map(({ name }) => name), listed);
    else {
      assert.equal((await client.ask("tools/list")).error?.code, -32603);
      assert.match(String(client.failures[0]), listed);
    }
  }
});

test("a set of tools is loaded once, when it is first needed", async () => {
  let loaded = 0;
  const brought = [tool("b")];
  const set = { names: ["b"], load: () => Promise.resolve(loaded++ === 0 ? brought : []) };
  const client = await connect({ tools: [set, tool("a")] });
  await client.ask("resources/list");
  assert.equal(loaded, 0);
  client.send(
    { id: 1, method: "tools/list" },
    { id: 2, method: "tools/call", params: { name: "b" } },
    { id: 3, method: "tools/list" },
  );
  assert.equal((await client.take(3)).filter(({ result }) => result).length, 3);
  brought.push(tool("intruder"));
  assert.deepEqual((await client.list()).map(({ name }) => name), ["a", "b"]);
  assert.equal(loaded, 1);
});

test("a set that could not be loaded is loaded again for the next request", async () => {
  let load = (): Promise<Tool[]> => Promise.reject(new Error("not yet"));
  const client = await connect({ tools: [{ names: ["a"], load: () => load() }] });
  assert.equal((await client.ask("tools/list")).error?.code, -32603);
  load = () => Promise.resolve([]);
  assert.equal((await client.call("a")).error?.code, -32603);
  load = () => Promise.resolve([tool("a")]);
  assert.equal(textOf(await client.call("a")), "done");
  load = () => assert.fail("it is loaded");
  assert.deepEqual((await client.list()).map(({ name }) => name), ["a"]);
  assert.match(String(client.failures[0]), /not yet/);
});

test("tools are listed by name in code-unit order, the same every time, a page at a time", async () => {
  const names = ["b", "a.b", "B", "a", "_", "a-b"];
  const client = await connect({ tools: names.map((name) => tool(name)), pageSize: 4 });
  const first = await client.ask("tools/list");
  assert.deepEqual(first, await client.ask("tools/list"));
  const second = await client.ask("tools/list", { cursor: first.result!["nextCursor"] });
  const listed = [first, second].flatMap(({ result }) => result!["tools"] as { name: string }[]);
  assert.deepEqual(listed.map(({ name }) => name), names.toSorted());
});

test("bytes of any length travel as Base64", () => {
  for (const length of [0, 1, 2, 3, 0x8000, 0x8001, 200_000]) {
    const bytes = Uint8Array.from({ length }, (_, index) => index * 7);
    const { data } = image(bytes, "image/png") as { data: string };
    assert.deepEqual(Uint8Array.from(atob(data), (character) => character.charCodeAt(0)), bytes);
  }
});

test("the arguments and the result of a handler have the types of their schemas", () => {
  defineTool({
    name: "typed",
    inputSchema: {
      type: "object",
      properties: { a: { type: "number" }, b: { enum: ["x", "y"] } },
      required: ["a"],
    },
    outputSchema: { type: "array", items: { type: "string" } },
    handler({ a, b }) {
      const known: number = a;
      const chosen: "x" | "y" | undefined = b;
      // @ts-expect-error: it is a number
      const wrong: string = a;
      // @ts-expect-error: it may be missing
      const present: "x" | "y" = b;
      return [String(known), String(chosen), wrong, present];
    },
  });
  const [name, inputSchema] = ["result", { type: "object" }] as const;
  // @ts-expect-error: the result is a number
  defineTool({ name, inputSchema, outputSchema: { type: "number" }, handler: () => "1" });
  // @ts-expect-error: without an output schema a result is text or content
  defineTool({ name, inputSchema, handler: () => 1 });
});

test("calls that are cancelled while they wait for their turn leave it to others", async (t) => {
  const clock = stopClock(t);
  const toolCalls = { burst: 1, perSecond: 10 };
  const client = await connect({ tools: [tool("now")], toolCalls });
  await client.call("now");
  for (let id = 100; id < 140; id++) {
    client.send({ id, method: "tools/call", params: { name: "now" } });
    client.send({ method: "notifications/cancelled", params: { requestId: id } });
  }
  await client.rest();
  assert.equal(textOf(await clock.until(client.call("now"))), "done");
  // With their places, it would be four seconds.
  assert.ok(clock.now <= 100, `${clock.now} ms`);
});
