/** The official clients call the document tools, in every revision, and hold each result against the schema that was listed. */

import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { OfficialClient } from "./clients.ts";
import { errorOf, V1, V2_AUTO, V2_EACH_LEGACY, V2_LEGACY, V2_MODERN } from "./clients.ts";
import { RUNTIMES } from "./programs.ts";

const NAMES = ["decisions_for", "list_documents", "read_document", "search_documents"];

for (const runtime of RUNTIMES) {
  for (const opening of [V1, V2_LEGACY, V2_MODERN, V2_AUTO, ...V2_EACH_LEGACY]) {
    const hasData = opening.revision >= "2025-06-18";

    describe(`tools for ${opening.name} on ${runtime.name}`, { skip: runtime.skip }, () => {
      let client: OfficialClient;
      before(async () => void (client = await opening.connect(runtime.launch())));
      after(() => client.close());

      it("are the four, described, as harmless as they are", async () => {
        const tools = await client.tools();
        assert.deepEqual(tools.map(({ name }) => name), NAMES);
        const isReadOnly = opening.revision >= "2025-03-26" ? true : undefined;
        for (const { name, description, annotations, outputSchema } of tools) {
          assert.ok((description ?? "").length > 40, name);
          assert.equal(annotations?.readOnlyHint, isReadOnly);
          assert.equal(outputSchema !== undefined, hasData, name);
        }
      });

      it("answer as their schemas promise", async () => {
        await client.tools();
        const calls: [string, Record<string, unknown>, RegExp][] = [
          ["decisions_for", { paths: ["lib/server/server.ts"] }, /./],
          ["list_documents", { category: "adr" }, /^architecture:\/\/adr\/001-zero-runtime-dependencies - /],
          [
            "read_document",
            { uri: "architecture://adr/1#consequences" },
            /001-zero-runtime-dependencies#consequences/,
          ],
          ["search_documents", { query: "dependencies", limit: 3 }, /architecture:\/\//],
        ];
        for (const [name, args, expected] of calls) {
          const { isError, texts, data } = await client.call(name, args);
          assert.equal(isError, false, name);
          assert.match(texts[0]!, expected);
          assert.equal(data !== undefined, hasData, name);
        }
      });

      it("say what is wrong with a call, to the side that can do something about it", async () => {
        const { isError, texts, data } = await client.call("read_document", {
          url: "architecture://adr/1",
          limit: 1,
        });
        assert.deepEqual(
          [isError, data, texts[0]!.split("\n- ").length],
          [true, undefined, 4],
          String(texts[0]),
        );
        assert.equal((await client.call("read_document", { uri: "architecture://adr/999" })).isError, true);
        assert.equal((await errorOf(client.call("no_such_tool"))).code, -32602);
      });

      // Older lists have no titles.
      if (!hasData) return;

      it("find every document by the words of its title", async () => {
        for (const { uri, title } of await client.resources()) {
          const text = await client.textOf("search_documents", { query: title, limit: 5 });
          assert.ok(text.split("\n").some((line) => line.startsWith(`${uri} - `)), `${title} finds ${uri}`);
        }
      });
    });
  }
}
