/** Do tools take the schemas of the libraries that people use? Zod, Valibot and ArkType, each in one server. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { Ajv2020 } from "ajv/dist/2020.js";
import { toStandardJsonSchema } from "@valibot/to-json-schema";
import { type } from "arktype";
import * as v from "valibot";
import { z } from "zod";
import { createServer, defineTool, type Tool } from "../../lib/server/mod.ts";
import { memoryTransports, type MessageContext } from "../../lib/transport/mod.ts";
import { Connection } from "../../lib/jsonrpc/mod.ts";

const DAYS = (text: string): Date => new Date(`${text}T00:00:00Z`);

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
    handler: ({ name, since, tags }) => ({
      greeting: [name, ...tags].join(" "),
      year: since.getUTCFullYear(),
    }),
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
    handler: ({ name, since, tags }) => ({
      greeting: [name, ...tags].join(" "),
      year: DAYS(since).getUTCFullYear(),
    }),
  }),
  defineTool({
    name: "arktype",
    inputSchema: type({ name: "string >= 2", since: "string", "tags?": "string[]" }),
    outputSchema: type({ greeting: "string", year: "number.integer" }),
    handler: ({ name, since, tags = [] }) => ({
      greeting: [name, ...tags].join(" "),
      year: DAYS(since).getUTCFullYear(),
    }),
  }),
];

async function connect(served = tools): Promise<Connection<MessageContext>> {
  const [left, right] = memoryTransports();
  await createServer({ info: { name: "libraries", version: "1" }, tools: served }).connect(right);
  const peer = new Connection<MessageContext>(left, { onrequest: () => assert.fail("nothing is asked") });
  await peer.start();
  await peer.request("initialize", {
    protocolVersion: "2025-11-25",
    capabilities: {},
    clientInfo: { name: "test", version: "1" },
  });
  return peer;
}

for (const { name } of tools) {
  test(`a tool takes the schemas of ${name}: published, checked, and closed`, async () => {
    const peer = await connect();
    const call = async (args: object) =>
      await peer.request("tools/call", { name, arguments: args }) as {
        isError?: boolean;
        content: { text: string }[];
        structuredContent?: unknown;
      };

    const { tools } = await peer.request("tools/list") as {
      tools: { name: string; inputSchema: any; outputSchema: any }[];
    };
    const { inputSchema, outputSchema } = tools.find((tool) => tool.name === name)!;
    assert.equal(inputSchema.type, "object");
    assert.equal(inputSchema.additionalProperties, false);
    assert.equal(inputSchema.properties.name.minLength, 2);
    assert.deepEqual([...inputSchema.required].sort(), ["name", "since"]);
    assert.deepEqual([...outputSchema.required].sort(), ["greeting", "year"]);

    const fine = await call({ name: "Ada", since: "1842-10-18", tags: ["L."] });
    assert.deepEqual(fine.structuredContent, { greeting: "Ada L.", year: 1842 });
    assert.deepEqual(JSON.parse(fine.content[0]!.text), fine.structuredContent);
    assert.deepEqual((await call({ name: "Ada", since: "1842-10-18" })).structuredContent, {
      greeting: "Ada",
      year: 1842,
    });

    const wrong = await call({ name: "A", tags: "L.", extra: 1 });
    assert.equal(wrong.isError, true);
    for (const member of ["name", "since", "tags", "extra"]) {
      assert.match(wrong.content[0]!.text, new RegExp(member));
    }
    const unknown = await call({ name: "Ada", since: "1842-10-18", toString: 1 });
    assert.equal(unknown.isError, true);
    assert.match(unknown.content[0]!.text, /toString/);
    await peer.close();
  });
}

const Item = z.object({
  name: z.string(),
  get parts(): z.ZodArray<z.ZodType<ItemOf>> {
    return List;
  },
}).meta({ id: "Item" });
const List: z.ZodArray<z.ZodType<ItemOf>> = z.array(Item);
interface ItemOf {
  name: string;
  parts: ItemOf[];
}

test("schemas of zod that have names and refer to each other are published so that results fit them", async () => {
  const Named = z.object({ a: z.string() }).meta({ id: "Named" });
  const parts: ItemOf[] = [{ name: "a", parts: [{ name: "b", parts: [] }] }];
  const peer = await connect([
    defineTool({ name: "list", inputSchema: Named, outputSchema: List, handler: () => parts }),
    defineTool({ name: "object", inputSchema: Named, outputSchema: Named, handler: (args) => args }),
    defineTool({ name: "tree", inputSchema: Named, outputSchema: Item, handler: () => parts[0]! }),
  ]);
  const { tools } = await peer.request("tools/list") as {
    tools: { name: string; inputSchema: any; outputSchema: any }[];
  };
  const results: Readonly<Record<string, unknown>> = {
    list: { result: parts },
    object: { a: "x" },
    tree: parts[0],
  };
  for (const { name, inputSchema, outputSchema } of tools) {
    assert.deepEqual(Object.keys(inputSchema.properties), ["a"]);
    assert.equal(inputSchema.additionalProperties, false);
    const { structuredContent } = await peer.request("tools/call", { name, arguments: { a: "x" } }) as {
      structuredContent: unknown;
    };
    assert.deepEqual(structuredContent, results[name]);
    const fits = new Ajv2020({ strict: false }).compile(outputSchema);
    assert.ok(fits(structuredContent), JSON.stringify(fits.errors));
    assert.equal(fits({ ...results[name] as object, name: 1, a: 1, result: [1] }), false);
  }
  await peer.close();
});

test("what zod cannot write as JSON Schema is an error that names the tool", async () => {
  const odd = (more: object) =>
    defineTool({ name: "odd", inputSchema: z.object({}), handler: () => "", ...more });
  const rows = [
    { outputSchema: z.object({ at: z.date() }) },
    { outputSchema: z.string().transform(DAYS) },
    { inputSchema: z.object({ at: z.date() }) },
  ];
  for (const more of rows) {
    await assert.rejects(
      connect([odd(more)]),
      /"odd": zod cannot write its (in|out)putSchema as JSON Schema: /,
    );
  }
});
