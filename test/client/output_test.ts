import assert from "node:assert/strict";
import { test } from "node:test";
import { endsSoon } from "../../lib/client/expressions.ts";
import { compileOutputSchema } from "../../lib/client/output_schema.ts";
import { connected, MODERN } from "./scripted_server.ts";

const COUNT = { type: "object", properties: { count: { type: "integer" } }, required: ["count"] };

/** Calls a tool that promises a schema and answers with a result. */
async function callWith(
  outputSchema: unknown,
  result: object,
): Promise<{ warnings: string[]; result: unknown }> {
  const { client, warnings } = await connected({
    ...MODERN,
    "tools/list": () => ({ tools: [{ name: "t", inputSchema: { type: "object" }, outputSchema }] }),
    "tools/call": () => ({ content: [], ...result }),
  });
  try {
    return { result: (await client.callTool("t")).structuredContent, warnings };
  } finally {
    await client.close();
  }
}

test("structuredContent that fits what the tool has promised is handed over", async () => {
  assert.deepEqual((await callWith(COUNT, { structuredContent: { count: 3 } })).result, { count: 3 });
});

test("structuredContent that does not fit is refused, and so is none at all", async () => {
  const wrong = callWith(COUNT, { structuredContent: { count: "3" } });
  await assert.rejects(wrong, /structuredContent of the tool "t" does not fit its output schema: \/count: /);
  await assert.rejects(callWith(COUNT, {}), /has an output schema, and its result has no structuredContent/);
});

test("a tool that has failed owes nothing, and one that has promised nothing may say anything", async () => {
  assert.equal((await callWith(COUNT, { isError: true })).result, undefined);
  assert.deepEqual((await callWith(undefined, { structuredContent: [1] })).result, [1]);
});

test("a schema that leads to another document is refused: nothing is fetched", async () => {
  const schema = { type: "object", properties: { a: { $ref: "https://a.example/schema.json" } } };
  await assert.rejects(
    callWith(schema, { structuredContent: {} }),
    /output schema of the tool "t" cannot be used: .*nothing is fetched/,
  );
});

test("a schema of an unknown dialect is refused", async () => {
  const schema = { $schema: "https://a.example/dialect", type: "object" };
  await assert.rejects(callWith(schema, { structuredContent: {} }), /the only dialect that is understood/);
});

test("draft-07, which most servers write, is read as what it says", () => {
  const { validate } = compileOutputSchema({
    $schema: "http://json-schema.org/draft-07/schema#",
    type: "object",
    definitions: { name: { type: "string", minLength: 2 } },
    properties: {
      name: { $ref: "#/definitions/name" },
      pair: { type: "array", items: [{ type: "integer" }, { type: "string" }], additionalItems: false },
      card: { type: "string" },
      // A member may be called as a keyword is.
      definitions: { type: "integer" },
    },
    dependencies: { card: ["name"], pair: { required: ["name"] } },
  });
  assert.deepEqual(validate({ name: "ab", pair: [1, "x"], card: "c", definitions: 1 }), []);
  for (
    const wrong of [
      { name: "a" },
      { pair: ["x"], name: "ab" },
      { pair: [1, "x", 2], name: "ab" },
      { card: "c" },
      { pair: [] },
      { definitions: "x" },
    ]
  ) {
    assert.notDeepEqual(validate(wrong), [], JSON.stringify(wrong));
  }
});

test("an expression that may never end is not run, and whoever wants to know is told", async () => {
  const schema = (pattern: string) => ({ type: "object", properties: { a: { type: "string", pattern } } });
  const structuredContent = { a: `${"a".repeat(5000)}!` };
  for (
    const pattern of ["^(a+)+$", "^(a|aa)*$", "(a*)*b", "a*a*a*a*b", "^(?=(a+)+$)", "(a)\\1*x", "([a-z]+)*$"]
  ) {
    const { warnings } = await callWith(schema(pattern), { structuredContent });
    assert.ok(warnings.some((text) => text.includes(pattern)), pattern);
  }
  await assert.rejects(callWith(schema("^[a-z]+$"), { structuredContent }), /does not fit/);
  const named = {
    type: "object",
    patternProperties: { "^(a+)+$": { type: "string" } },
    additionalProperties: false,
  };
  const { warnings } = await callWith(named, { structuredContent: { ["a".repeat(40) + "!"]: 1 } });
  assert.equal(warnings.length, 1);
});

test("expressions as people write them are run", () => {
  for (
    const source of [
      "^[a-z0-9-]+$",
      "^\\d{4}-\\d{2}-\\d{2}$",
      "^https?://",
      "^(foo|bar)$",
      "^#[0-9a-fA-F]{6}$",
      "\\S",
      "^[^@]+@[^@]+$",
      "^v?(\\d+)\\.(\\d+)$",
      "^(?:[a-z]{2})?$",
    ]
  ) {
    assert.ok(endsSoon(source), source);
  }
});

test("a tool that is not listed is called all the same, and is looked up once", async () => {
  const { client, server } = await connected({
    ...MODERN,
    "tools/list": () => ({ tools: [] }),
    "tools/call": () => ({ content: [{ type: "text", text: "done" }] }),
  });
  await client.callTool("hidden");
  await client.callTool("hidden");
  assert.deepEqual(server.methods, ["server/discover", "tools/list", "tools/call", "tools/call"]);
  await client.close();
});

test("a list that fails does not keep a tool from being called", async () => {
  const { client, warnings } = await connected({ ...MODERN, "tools/call": () => ({ content: [] }) });
  assert.deepEqual((await client.callTool("x")).content, []);
  assert.ok(warnings.some((text) => /Cannot look up the tool "x"/.test(text)));
  await client.close();
});
