import assert from "node:assert/strict";
import { test } from "node:test";
import type { ServerOptions } from "../../lib/server/server.ts";
import type { AnySchema, StandardResult, Tool, ToolDefinition } from "../../lib/server/tool.ts";
import type { Content } from "../../lib/server/tool_result.ts";
import { defineTool } from "../../lib/server/tool.ts";
import {
  audio,
  embeddedResource,
  image,
  resourceLink,
  text,
  ToolResult,
} from "../../lib/server/tool_result.ts";
import { connect, textOf, VERSIONS } from "./tool_client.ts";
import { fake } from "./tool_samples.ts";

type Options = Partial<ToolDefinition<AnySchema, AnySchema>>;

function giving(value: unknown, more: Options): Tool {
  return defineTool({
    name: "give",
    inputSchema: { type: "object" },
    handler: () => value as never,
    ...more,
  });
}

async function result(tool: Tool, version?: string): Promise<Record<string, unknown>> {
  const client = await connect({ tools: [tool] }, version);
  const answer = await client.call("give");
  assert.deepEqual(client.failures, []);
  return answer.result!;
}

async function published(tool: Tool): Promise<unknown> {
  const [listed] = await (await connect({ tools: [tool] })).list();
  return listed!["outputSchema"];
}

test("a value that is an object is sent as it is, any other under result", async () => {
  const rows: [unknown, AnySchema][] = [
    ["text", { type: "string" }],
    [0, { type: "number" }],
    [null, { type: "null" }],
    [[1, 2], { type: "array" }],
    [false, {}],
    ["x", { type: ["string", "null"] }],
  ];
  for (const [value, outputSchema] of rows) {
    const { structuredContent, content } = await result(giving(value, { outputSchema }));
    assert.deepEqual(structuredContent, { result: value });
    assert.deepEqual(content, [text(typeof value === "string" ? value : JSON.stringify(value))]);
  }
  const value = { a: "日本", b: [1] };
  const { structuredContent, content } = await result(giving(value, { outputSchema: { type: "object" } }));
  assert.deepEqual(structuredContent, value);
  assert.deepEqual(JSON.parse((content as { text: string }[])[0]!.text), value);
});

test("an outputField always wraps, an object too", async () => {
  const tool = giving({ a: 1 }, {
    outputSchema: { type: "object", properties: { a: {} } },
    outputField: "data",
  });
  assert.deepEqual((await result(tool))["structuredContent"], { data: { a: 1 } });
  assert.deepEqual(await published(tool), {
    type: "object",
    properties: { data: { type: "object", properties: { a: {} } } },
    required: ["data"],
    additionalProperties: false,
  });
});

test("a result that does not fit its schema is an internal error, which the log explains", async () => {
  const values = ["1", undefined, new ToolResult([text("1")]), new ToolResult([text("1")], { value: "1" })];
  for (const value of values) {
    const client = await connect({ tools: [giving(value, { outputSchema: { type: "number" } })] });
    const { error } = await client.call("give");
    assert.deepEqual([error?.code, error?.message], [-32603, "Internal error"]);
    assert.match(String(client.failures[0]), /The result of give does not fit its schema/);
  }
});

test("a result in parts has its own text and its data, and one that is an error needs no data", async () => {
  const outputSchema = { type: "number" } as const;
  const done = await result(
    giving(new ToolResult([text("one"), text("two")], { value: 1 }), { outputSchema }),
  );
  assert.deepEqual(done, { content: [text("one"), text("two")], structuredContent: { result: 1 } });
  const failed = await result(giving(new ToolResult([text("no")], { isError: true }), { outputSchema }));
  assert.deepEqual(failed, { content: [text("no")], isError: true });
});

test("without an output schema a result is text, a block, or blocks", async () => {
  const give = async (value: unknown) => (await result(giving(value, {})))["content"];
  assert.deepEqual(await give("a"), [text("a")]);
  assert.deepEqual(await give(text("a", { priority: 1 })), [{
    type: "text",
    text: "a",
    annotations: { priority: 1 },
  }]);
  assert.deepEqual(await give([text("a"), text("b")]), [text("a"), text("b")]);
  assert.deepEqual(await give([]), []);
  for (const value of [undefined, null]) {
    const client = await connect({ tools: [giving(value, {})] });
    assert.equal((await client.call("give")).error?.code, -32603);
  }
});

const annotations = { audience: ["user"], priority: 0.5, lastModified: "2026-01-01T00:00:00Z" } as const;
const BLOCKS: readonly Content[] = [
  text("t", annotations),
  image(new Uint8Array([0, 255]), "image/png", annotations),
  audio(new Uint8Array([1]), "audio/wav", annotations),
  embeddedResource({ uri: "x:y", text: "t" }, annotations),
  resourceLink({ uri: "x:y", name: "y", title: "Y", description: "About y." }, annotations),
];

for (const version of VERSIONS) {
  test(`every block of a result has the nearest form of ${version}`, async () => {
    const hints = version >= "2025-06-18" ? annotations : { audience: ["user"], priority: 0.5 };
    const { content } = await result(giving(BLOCKS, {}), version);
    assert.deepEqual(content, [
      { type: "text", text: "t", annotations: hints },
      { type: "image", data: "AP8=", mimeType: "image/png", annotations: hints },
      version >= "2025-03-26" ? { type: "audio", data: "AQ==", mimeType: "audio/wav", annotations: hints } : {
        type: "resource",
        resource: { uri: "data:audio/wav,audio", mimeType: "audio/wav", blob: "AQ==" },
        annotations: hints,
      },
      { type: "resource", resource: { uri: "x:y", text: "t" }, annotations: hints },
      version >= "2025-06-18"
        ? {
          type: "resource_link",
          uri: "x:y",
          name: "y",
          title: "Y",
          description: "About y.",
          annotations: hints,
        }
        : { type: "text", text: "Y: x:y\nAbout y.", annotations: hints },
    ]);
  });
}

test("hints of which a revision knows none are left out there", async () => {
  const block = text("t", { lastModified: "2026-01-01T00:00:00Z" });
  assert.deepEqual((await result(giving(block, {}), "2025-03-26"))["content"], [text("t")]);
});

test("bytes of any length travel as Base64", () => {
  for (const length of [0, 1, 2, 3, 0x8000, 0x8001, 200_000]) {
    const bytes = Uint8Array.from({ length }, (_, index) => index * 7);
    const { data } = image(bytes, "image/png") as { data: string };
    assert.deepEqual(Uint8Array.from(atob(data), (character) => character.charCodeAt(0)), bytes);
  }
});

async function call(options: Partial<ServerOptions>, args: object) {
  const client = await connect(options);
  return { client, answer: await client.call("give", args) };
}

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
  assert.equal(textOf((await call({ tools: [tool] }, { age: "41" })).answer), "42");
  const { answer, client } = await call({ tools: [tool] }, { age: "x" });
  assert.equal(answer.result!["isError"], true);
  assert.equal(textOf(answer), "The arguments of give do not fit:\n- /age/0: is no number\n- Not so");
  assert.deepEqual((await client.list())[0]!["inputSchema"], { ...PERSON, additionalProperties: false });
  assert.equal(Object.isFrozen(PERSON.properties), false, "what is the library's stays as it was");
});

test("what a schema of a library leaves out of a result is neither in its data nor in its text", async () => {
  const outputSchema = fake((value) => ({ value: { age: (value as { age: string }).age } }), PERSON);
  const { structuredContent, content } = await result(giving({ age: "1", secret: "s" }, { outputSchema }));
  assert.deepEqual(structuredContent, { age: "1" });
  assert.deepEqual(content, [text('{"age":"1"}')]);
});

test("a schema of a library that cannot be written as JSON Schema is refused with its name", async () => {
  const schema = fake((value) => ({ value }));
  for (const more of [{ inputSchema: schema }, { outputSchema: schema }]) {
    await assert.rejects(
      connect({ tools: [giving("", more)] }),
      /"give": fake does not say how its (in|out)putSchema/,
    );
  }
});

test("a call that is cancelled while its arguments are checked never reaches its handler", async () => {
  const checking = Promise.withResolvers<void>();
  const checked = Promise.withResolvers<StandardResult<object>>();
  let calls = 0;
  const inputSchema = fake(() => {
    checking.resolve();
    return checked.promise;
  }, PERSON);
  const tool = defineTool({ name: "give", inputSchema, handler: () => String(++calls) });
  const { conversation } = await connect({ tools: [tool] });
  conversation.send({ id: 1, method: "tools/call", params: { name: "give" } });
  await checking.promise;
  conversation.send({ method: "notifications/cancelled", params: { requestId: 1 } });
  assert.deepEqual(await conversation.rest(), []);
  checked.resolve({ value: {} });
  assert.deepEqual(await conversation.rest(), []);
  assert.equal(calls, 0);
});

test("a library that fails is an internal error", async () => {
  const inputSchema = fake((): never => {
    throw new Error("secret");
  }, PERSON);
  const { answer } = await call({ tools: [giving("", { inputSchema })] }, {});
  assert.equal(answer.error?.code, -32603);
  assert.doesNotMatch(JSON.stringify(answer), /secret/);
});
