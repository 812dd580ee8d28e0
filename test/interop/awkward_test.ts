/** Awkward names, odd texts and long lists come through whole to the official clients. */

import { Buffer } from "node:buffer";
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { OfficialClient } from "./clients.ts";
import { errorOf, V1, V2_LEGACY, V2_MODERN } from "./clients.ts";
import { awkwardRoot, encodeSegment, MANY } from "./documents.ts";
import { expectedCategories, expectedDocuments, expectedPrompts } from "./documents.ts";
import { makeFolder } from "../harness/folder.ts";
import { withoutShipped } from "../harness/program.ts";
import { NODE_RUNTIME, RUNTIMES } from "./programs.ts";

/** What some documents are titled, by their name: in every line end and script. */
const TITLES: Readonly<Record<string, string>> = {
  "guidelines/Größe und Maß": "Größe und Maß",
  "guidelines/決定の記録": "決定の記録",
  "texts/crlf": "Windows",
  "texts/bom": "With a byte order mark",
  "texts/bom-crlf-front-matter": "All at once",
  "texts/no-final-newline": "No end",
  "texts/empty": "empty",
  "guidelines/UPPER": "Upper case ending",
};

const root = awkwardRoot(makeFolder({ after }));
const documents = expectedDocuments(root);

for (const runtime of RUNTIMES) {
  for (const opening of runtime === NODE_RUNTIME ? [V1, V2_LEGACY, V2_MODERN] : [V2_MODERN]) {
    describe(`awkward documents, ${opening.name} on ${runtime.name}`, { skip: runtime.skip }, () => {
      let client: OfficialClient;
      before(async () => void (client = await opening.connect(runtime.launch(root))));
      after(() => client.close());

      it("are listed, over several pages, in the order of their URIs, with their titles", async () => {
        const listed = await client.resources();
        assert.ok(listed.length > MANY, "more than a page");
        assert.deepEqual(
          listed.map(({ uri, size, name }) => ({ uri, size, name })),
          documents.map(({ uri, size, name }) => ({ uri, size, name })),
        );
        for (const { uri } of listed) {
          assert.match(uri, /^architecture:\/\/[\w.~%/-]+$/, "only what is unreserved");
          assert.equal(new URL(uri).href, uri, "what a URI parser leaves as it is");
        }
        const titles = new Map(listed.map(({ uri, title }) => [decodeURIComponent(uri), title]));
        for (const [name, title] of Object.entries(TITLES)) {
          assert.equal(titles.get(`architecture://${name}`), title);
        }
      });

      it("are read, all at once, byte for byte", async () => {
        const read = await Promise.all(documents.map(({ uri }) => client.read(uri)));
        for (const [index, { uri, text }] of documents.entries()) {
          assert.equal(read[index]!.uri, uri);
          assert.ok(Buffer.from(read[index]!.text).equals(text), uri);
        }
      });

      it("are read by section and by the number of a record, unless two have it", async () => {
        const { text } = await client.read("architecture://adr/2#consequences");
        assert.equal(text.trim(), "## Consequences\n\nMany.");
        assert.match((await client.read("architecture://adr/0001")).text, /^# 1\. First/);
        const { code, data } = await errorOf(client.read("architecture://adr/4"));
        const candidates = ["architecture://adr/0004-one", "architecture://adr/0004-other"];
        assert.deepEqual([code, (data as { candidates: string[] }).candidates], [-32602, candidates]);
      });

      it("are not read where they are hidden or no markdown", async () => {
        const names = ["guidelines/.hidden", "guidelines/notes.txt", "guidelines/notes", "prompts/plain"];
        for (const name of names) await errorOf(client.read(`architecture://${name}`));
      });

      it("have a template for each category, whose values are the paths to read", async () => {
        const categories = expectedCategories(root).map(encodeSegment);
        const templates = await client.templates();
        assert.deepEqual(
          templates.map(({ uriTemplate }) => uriTemplate).sort(),
          categories.map((category) => `architecture://${category}/{+path}`).sort(),
        );
        for (const category of categories) {
          const prefix = `architecture://${category}/`;
          const ref = { type: "ref/resource", uri: `${prefix}{+path}` } as const;
          const { values, total, hasMore } = await client.complete(ref, "path", "");
          const uris = documents.map(({ uri }) => uri).filter((uri) => uri.startsWith(prefix));
          const paths = uris.map((uri) => uri.slice(prefix.length));
          const expected = [paths.slice(0, 100), paths.length, paths.length > 100];
          assert.deepEqual([values, total, hasMore], expected, category);
          for (const value of values.slice(0, 20)) await client.read(prefix + value);
        }
      });

      it("fill prompts, with awkward arguments", async () => {
        const prompts = withoutShipped(await client.prompts());
        assert.deepEqual(prompts.map(({ name }) => name), expectedPrompts(root));
        assert.deepEqual(await client.prompt("plain"), [
          ["user", "No arguments, no documents."],
          ["assistant", "Understood: <<nothing>>."],
        ]);
        const args = { must: "{{may}}🏛", may: "<<must>>" };
        const [[, text]] = await client.prompt("every-kind", args) as [[string, string]];
        assert.ok(text.startsWith("{{may}}🏛|<<must>>|\n"));
        const embedded = [
          "A name with a space.",
          "日本語の文書です。𠮷野家も。",
          "Do it.",
          "# 1. First",
          "The third.",
        ];
        for (const one of embedded) assert.ok(text.includes(one), one);
        const section = text.slice(text.indexOf("#decision]"), text.indexOf("[architecture://adr/0001"));
        assert.ok(
          section.includes("Do it.") && !section.includes("Many."),
          "one section, and not the next one",
        );
        assert.match(text, /No document matches architecture:\/\/nowhere\/\*/);
        const { message } = await errorOf(client.prompt("every-kind", { must: "12345678901" }));
        assert.match(message, /"must".*10/);
        const ref = { type: "ref/prompt", name: "every-kind" } as const;
        const { values } = await client.complete(ref, "tone", "f");
        assert.deepEqual(values.slice(0, 2), ["formal", "friendly"]);
        assert.deepEqual((await client.complete(ref, "tone", "formal")).values, ["formal", "very formal"]);
      });
    });
  }
}
