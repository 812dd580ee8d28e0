/** Do awkward names, odd texts and long lists come through whole? From the files to the official clients. */

import type { Fixture } from "./fixture.ts";
import type { ExpectedDocument } from "./shelf.ts";
import type { OfficialClient } from "./official.ts";
import { Buffer } from "node:buffer";
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { V1 } from "./client_v1.ts";
import { V2_LEGACY, V2_MODERN } from "./client_v2.ts";
import { buildFixture, MANY } from "./fixture.ts";
import { refusal, WELL } from "./official.ts";
import { RUNTIMES } from "./runtimes.ts";
import { encodeSegment, expectedCategories, expectedDocuments, expectedPrompts } from "./shelf.ts";

/** Names as people type them, in a URI that nothing is encoded in; "#" cannot be typed so, it begins a section. */
const RAW = [
  "guidelines/with space",
  "guidelines/Größe und Maß",
  "guidelines/Cafe\u0301 decomposed",
  "guidelines/Caf\u00e9 decomposed",
  "guidelines/決定の記録",
  "guidelines/🏛 emoji 👩‍💻",
  "guidelines/why?",
  "guidelines/100%",
  "guidelines/(draft) [v1] {x}",
  "guidelines/{{path}} <<code>>",
  "a category/b/c d/ä/deep",
  "日本/記録/一",
];

let fixture: Fixture;
let documents: readonly ExpectedDocument[];

before(() => {
  fixture = buildFixture();
  documents = expectedDocuments(fixture.root);
});

after(() => fixture.remove());

for (const runtime of RUNTIMES) {
  for (const opening of [V1, V2_LEGACY, V2_MODERN]) {
    describe(`an awkward shelf, ${opening.name} on ${runtime.name}`, { skip: runtime.skip }, () => {
      let client: OfficialClient;

      before(async () => {
        client = await opening.connect(runtime.launch(fixture.root));
      });

      after(async () => {
        assert.deepEqual(await client.close(), WELL);
        assert.deepEqual(client.complaints, []);
      });

      it("lists all of it, over several pages, in the order of the URIs", async () => {
        const listed = await client.resources();
        assert.ok(listed.length > MANY, "more than a page");
        assert.deepEqual(listed.map(({ uri }) => uri), documents.map(({ uri }) => uri));
        assert.deepEqual(listed.map(({ size }) => size), documents.map(({ size }) => size));
        assert.deepEqual(listed.map(({ name }) => name), documents.map(({ name }) => name));
        for (const { uri } of listed) {
          assert.match(uri, /^architecture:\/\/[\w.~%/-]+$/, "only what is unreserved");
          assert.equal(new URL(uri).href, uri, "what a URI parser leaves as it is");
        }
      });

      it("lists what the documents say of themselves, in every line end and script", async () => {
        const title = new Map(
          (await client.resources()).map((one) => [decodeURIComponent(one.uri), one.title]),
        );
        const titles: readonly (readonly [string, string])[] = [
          ["guidelines/Größe und Maß", "Größe und Maß"],
          ["guidelines/決定の記録", "決定の記録"],
          ["texts/crlf", "Windows"],
          ["texts/bom", "With a byte order mark"],
          ["texts/bom-crlf-front-matter", "All at once"],
          ["texts/no-final-newline", "No end"],
          ["texts/empty", "empty"],
          ["guidelines/UPPER", "Upper case ending"],
        ];
        for (const [name, expected] of titles) {
          assert.equal(title.get(`architecture://${name}`), expected, name);
        }
      });

      it("reads every document, all at once, byte for byte", async () => {
        const read = await Promise.all(documents.map(({ uri }) => client.read(uri)));
        for (const [index, { uri, text }] of documents.entries()) {
          assert.equal(read[index]!.uri, uri);
          assert.ok(Buffer.from(read[index]!.text).equals(text), uri);
        }
      });

      it("reads documents by names that nothing is encoded in, and by half encoded ones", async () => {
        for (const name of RAW) {
          const encoded = `architecture://${name.split("/").map(encodeSegment).join("/")}`;
          const expected = await client.read(encoded);
          assert.deepEqual(await client.read(`architecture://${name}`), expected, name);
          assert.deepEqual(
            await client.read(`architecture://${name.replaceAll(" ", "%20")}`),
            expected,
            name,
          );
          assert.equal((await client.read(`file:///${name}.md`)).text, expected.text, name);
        }
      });

      it("reads one section of a record, and a record by its number, unless two have it", async () => {
        assert.equal(
          (await client.read("architecture://adr/2#consequences")).text.trim(),
          "## Consequences\n\nMany.",
        );
        assert.match((await client.read("architecture://adr/0001")).text, /^# 1\. First/);
        const { code, data } = await refusal(client.read("architecture://adr/4"));
        assert.equal(code, -32602);
        assert.deepEqual((data as { candidates: string[] }).candidates, [
          "architecture://adr/0004-one",
          "architecture://adr/0004-other",
        ]);
      });

      it("does not serve what is hidden or no markdown", async () => {
        for (
          const name of ["guidelines/.hidden", "guidelines/notes.txt", "guidelines/notes", "prompts/plain"]
        ) {
          await refusal(client.read(`architecture://${name}`));
        }
      });

      it("has a template for each category, whose values are the paths to read", async () => {
        const templates = await client.templates();
        const categories = expectedCategories(fixture.root).map(encodeSegment);
        assert.deepEqual(
          templates.map(({ uriTemplate }) => uriTemplate).sort(),
          categories.map((category) => `architecture://${category}/{+path}`).sort(),
        );
        for (const category of categories) {
          const uri = `architecture://${category}/{+path}`;
          const { values, total, hasMore } = await client.complete({ type: "ref/resource", uri }, "path", "");
          const paths = documents.filter((one) => one.uri.startsWith(`architecture://${category}/`))
            .map((one) => one.uri.slice(`architecture://${category}/`.length));
          assert.deepEqual(values, paths.slice(0, 100), category);
          assert.equal(total, paths.length);
          assert.equal(hasMore, paths.length > 100);
          for (const value of values.slice(0, 20)) await client.read(`architecture://${category}/${value}`);
        }
      });

      it("fills prompts with awkward documents and arguments", async () => {
        assert.deepEqual((await client.prompts()).map(({ name }) => name), expectedPrompts(fixture.root));
        assert.deepEqual(await client.prompt("plain"), [
          ["user", "No arguments, no documents."],
          ["assistant", "Understood: <<nothing>>."],
        ]);
        const [[, text]] = await client.prompt("every-kind", { must: "{{may}}🏛", may: "<<must>>" }) as [
          [string, string],
        ];
        assert.ok(text.startsWith("{{may}}🏛|<<must>>|\n"));
        for (
          const embedded of [
            "A name with a space.",
            "日本語の文書です。𠮷野家も。",
            "Do it.",
            "# 1. First",
            "The third.",
          ]
        ) {
          assert.ok(text.includes(embedded), embedded);
        }
        const section = text.slice(text.indexOf("#decision]"), text.indexOf("[architecture://adr/0001"));
        assert.ok(
          section.includes("Do it.") && !section.includes("Many."),
          "one section, and not the next one",
        );
        assert.match(text, /No document matches architecture:\/\/nowhere\/\*/);
        assert.match(
          (await refusal(client.prompt("every-kind", { must: "12345678901" }))).message,
          /"must".*10/,
        );
        const ref = { type: "ref/prompt", name: "every-kind" } as const;
        assert.deepEqual((await client.complete(ref, "tone", "f")).values.slice(0, 2), [
          "formal",
          "friendly",
        ]);
        assert.deepEqual((await client.complete(ref, "tone", "formal")).values, ["formal", "very formal"]);
      });
    });

    describe(`pages of every size, ${opening.name} on ${runtime.name}`, { skip: runtime.skip }, () => {
      for (const size of [1, 7, 100, 1_000, 100_000]) {
        // One document on a page takes as many requests as there are documents: once is enough.
        if (size === 1 && opening !== V2_MODERN) continue;

        it(`${size}: every document is listed once`, async () => {
          const client = await opening.connect(runtime.launch(fixture.root, ["--page-size", String(size)]));
          const listed = await client.resources();
          assert.deepEqual(listed.map(({ uri }) => uri), documents.map(({ uri }) => uri));
          assert.equal((await client.templates()).length, expectedCategories(fixture.root).length);
          assert.equal((await client.prompts()).length, expectedPrompts(fixture.root).length);
          assert.deepEqual(await client.close(), WELL);
        });
      }
    });
  }
}
