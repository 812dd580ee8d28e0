import assert from "node:assert/strict";
import { test } from "node:test";
import { all, connected, LEGACY, MODERN } from "./scripted_server.ts";

for (const [era, opening] of Object.entries({ modern: MODERN, legacy: LEGACY })) {
  test(`${era}: each list takes a cursor and nothing else, and iterates over all pages`, async () => {
    const lists = {
      "tools/list": ["tools", "listToolsPaginated"],
      "resources/list": ["resources", "listResourcesPaginated"],
      "resources/templates/list": ["resourceTemplates", "listResourceTemplatesPaginated"],
      "prompts/list": ["prompts", "listPromptsPaginated"],
    } as const;
    const script = Object.fromEntries(
      Object.entries(lists).map((
        [method, [member]],
      ) => [method, ({ params }: { params?: { cursor?: string } }) => {
        const at = Number(params?.cursor ?? 0);
        return { [member]: [{ name: `n${at}` }], ...(at < 2 ? { nextCursor: String(at + 1) } : {}) };
      }]),
    );
    const { client, server } = await connected({ ...opening, ...script });
    for (const [method, [member, paginated]] of Object.entries(lists)) {
      const first = await client[paginated]() as Record<string, unknown>;
      assert.deepEqual(first[member], [{ name: "n0" }], method);
      const { _meta, ...params } = server.received.at(-1)!.params ?? {};
      assert.deepEqual(params, {});
      const second = await client[paginated](first["nextCursor"] as string) as Record<string, unknown>;
      assert.deepEqual(second[member], [{ name: "n1" }]);
      assert.equal(client[paginated].length <= 1, true);
    }
    assert.deepEqual((await all(client.tools())).map(({ name }) => name), ["n0", "n1", "n2"]);
    assert.equal((await all(client.resources())).length, 3);
    assert.equal((await all(client.resourceTemplates())).length, 3);
    assert.equal((await all(client.prompts())).length, 3);
    await client.close();
  });
}

test("a list that goes in circles ends with an error after what it had", async () => {
  const { client } = await connected({
    ...MODERN,
    "tools/list": ({ params }) => ({ tools: [{ name: "a" }], nextCursor: params.cursor === "x" ? "y" : "x" }),
  });
  const seen: string[] = [];
  await assert.rejects(async () => {
    for await (const { name } of client.tools()) seen.push(name);
  }, /goes in circles/);
  assert.equal(seen.length, 3);
  await client.close();
});

test("a list without an end is given up at the cap on its pages", async () => {
  let pages = 0;
  const { client } = await connected({
    ...MODERN,
    "prompts/list": () => ({ prompts: [], nextCursor: `c${++pages}` }),
  }, { maxPages: 50 });
  await assert.rejects(all(client.prompts()), /more than 50 pages; raise maxPages/);
  assert.equal(pages, 50);
  await client.close();
});

test("an empty cursor, or null, is the end", async () => {
  let pages = 0;
  const { client } = await connected({
    ...MODERN,
    "prompts/list": () => ({ prompts: [{ name: "a" }, 7, null], nextCursor: ++pages % 2 ? "" : null }),
  });
  assert.deepEqual(await all(client.prompts()), [{ name: "a" }]);
  assert.deepEqual(await all(client.prompts()), [{ name: "a" }]);
  assert.equal(pages, 2);
  await client.close();
});

test("whoever leaves the loop asks for no more pages", async () => {
  let pages = 0;
  const { client } = await connected({
    ...MODERN,
    "tools/list": () => ({ tools: [{ name: "a" }], nextCursor: `c${++pages}` }),
  });
  for await (const _ of client.tools()) break;
  assert.equal(pages, 1);
  await client.close();
});
