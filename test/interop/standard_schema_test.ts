/** Tools take the schemas of Zod, Valibot and ArkType. */

import assert from "node:assert/strict";
import { test } from "node:test";
import type { TestContext } from "node:test";
import { Ajv2020 } from "ajv/dist/2020.js";
import { toStandardJsonSchema } from "@valibot/to-json-schema";
import { type } from "arktype";
import * as v from "valibot";
import { z } from "zod";
import type { Client } from "../../lib/mcp/client/mod.ts";
import { connect } from "../../lib/mcp/client/mod.ts";
import type { Tool } from "../../lib/mcp/server/mod.ts";
import { createServer, defineTool } from "../../lib/mcp/server/mod.ts";
import { memoryTransports } from "../../lib/jsonrpc/transport/mod.ts";

const DAYS = (text: string): Date => new Date(`${text}T00:00:00Z`);
const greet = (name: string, since: Date, tags: readonly string[]) => {
  return { greeting: [name, ...tags].join(" "), year: since.getUTCFullYear() };
};

const tools: readonly Tool[] = [
  defineTool({
    name: "zod",
    inputSchema: z.object({
      name: z.string().min(2),
      since: z.string().transform(DAYS),
      tags: z.array(z.string()).default([]),
    }),
    outputSchema: z.object({ greeting: z.string(), year: z.number().int() }),
    // The types are those of the library: a transformed member is what it was transformed into.
    handler: ({ name, since, tags }) => greet(name, since, tags),
  }),
  defineTool({
    name: "valibot",
    inputSchema: toStandardJsonSchema(v.object({
      name: v.pipe(v.string(), v.minLength(2)),
      since: v.string(),
      tags: v.optional(v.array(v.string()), []),
    })),
    outputSchema: toStandardJsonSchema(
      v.object({ greeting: v.string(), year: v.pipe(v.number(), v.integer()) }),
    ),
    handler: ({ name, since, tags }) => greet(name, DAYS(since), tags),
  }),
  defineTool({
    name: "arktype",
    inputSchema: type({ name: "string >= 2", since: "string", "tags?": "string[]" }),
    outputSchema: type({ greeting: "string", year: "number.integer" }),
    handler: ({ name, since, tags = [] }) => greet(name, DAYS(since), tags),
  }),
];

async function open(t: TestContext, served: readonly Tool[]): Promise<Client> {
  const [own, other] = memoryTransports();
  await createServer({ info: { name: "libraries", version: "1" }, tools: served }).connect(other);
  const client = await connect(own, { info: { name: "test", version: "1" } });
  t.after(() => client.close());
  return client;
}

/** The tools as they are listed, by name. */
async function listed(client: Client): Promise<Map<string, { inputSchema: any; outputSchema: any }>> {
  const all = await Array.fromAsync(client.tools());
  return new Map(all.map(({ name, inputSchema, outputSchema }) => [name, { inputSchema, outputSchema }]));
}

for (const name of ["zod", "valibot", "arktype"]) {
  test(`a tool takes the schemas of ${name}: published, checked, and closed`, async (t) => {
    const client = await open(t, tools);
    const { inputSchema, outputSchema } = (await listed(client)).get(name)!;
    assert.equal(inputSchema.type, "object");
    assert.equal(inputSchema.additionalProperties, false);
    assert.equal(inputSchema.properties.name.minLength, 2);
    assert.deepEqual([...inputSchema.required].sort(), ["name", "since"]);
    assert.deepEqual([...outputSchema.required].sort(), ["greeting", "year"]);

    const fine = await client.callTool(name, { name: "Ada", since: "1842-10-18", tags: ["L."] });
    assert.deepEqual(fine.structuredContent, { greeting: "Ada L.", year: 1842 });
    assert.deepEqual(JSON.parse(fine.content[0]!.text!), fine.structuredContent);
    const least = await client.callTool(name, { name: "Ada", since: "1842-10-18" });
    assert.deepEqual(least.structuredContent, { greeting: "Ada", year: 1842 });

    const wrong: readonly (readonly [args: Record<string, unknown>, members: readonly string[]])[] = [
      [{ name: "A", tags: "L.", extra: 1 }, ["name", "since", "tags", "extra"]],
      [{ name: "Ada", since: "1842-10-18", toString: 1 }, ["toString"]],
    ];
    for (const [args, members] of wrong) {
      const { isError, content } = await client.callTool(name, args);
      assert.equal(isError, true);
      for (const member of members) assert.match(content[0]!.text!, new RegExp(member));
    }
  });
}

interface ItemOf {
  name: string;
  parts: ItemOf[];
}
const Item = z.object({
  name: z.string(),
  get parts(): z.ZodArray<z.ZodType<ItemOf>> {
    return List;
  },
}).meta({ id: "Item" });
const List: z.ZodArray<z.ZodType<ItemOf>> = z.array(Item);

test("schemas of zod that have names and refer to each other are published so that results fit them", async (t) => {
  const Named = z.object({ a: z.string() }).meta({ id: "Named" });
  const parts: ItemOf[] = [{ name: "a", parts: [{ name: "b", parts: [] }] }];
  const client = await open(t, [
    defineTool({ name: "list", inputSchema: Named, outputSchema: List, handler: () => parts }),
    defineTool({ name: "object", inputSchema: Named, outputSchema: Named, handler: (args) => args }),
    defineTool({ name: "tree", inputSchema: Named, outputSchema: Item, handler: () => parts[0]! }),
  ]);
  const schemas = await listed(client);
  const results = { list: { result: parts }, object: { a: "x" }, tree: parts[0]! };
  for (const [name, result] of Object.entries(results)) {
    const { inputSchema, outputSchema } = schemas.get(name)!;
    assert.deepEqual(Object.keys(inputSchema.properties), ["a"]);
    assert.equal(inputSchema.additionalProperties, false);
    const { structuredContent } = await client.callTool(name, { a: "x" });
    assert.deepEqual(structuredContent, result);
    const fits = new Ajv2020({ strict: false }).compile(outputSchema);
    assert.ok(fits(structuredContent), JSON.stringify(fits.errors));
    assert.equal(fits({ ...result, name: 1, a: 1, result: [1] }), false);
  }
});

test("what zod cannot write as JSON Schema is an error that names the tool", async (t) => {
  const rows: readonly object[] = [
    { outputSchema: z.object({ at: z.date() }) },
    { outputSchema: z.string().transform(DAYS) },
    { inputSchema: z.object({ at: z.date() }) },
  ];
  for (const more of rows) {
    const odd = () => defineTool({ name: "odd", inputSchema: z.object({}), handler: () => "", ...more });
    await assert.rejects(
      async () => open(t, [odd()]),
      /the (in|out)putSchema of the tool "odd": zod cannot write it as JSON Schema: /,
    );
  }
});
