/** What do clients see that have tools and nothing else? */

import assert from "node:assert/strict";
import process from "node:process";
import { test } from "node:test";
import { makeFolder } from "../harness/folder.ts";
import { ON_DENO, REPOSITORY } from "../harness/program.ts";
import type { Data } from "./tools_only_client.ts";
import { AWKWARD, client, FILES, textsOf } from "./tools_only_client.ts";

const VERSIONS = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"];
const NAMES = ["decisions_for", "list_documents", "read_document", "search_documents"];

for (const version of VERSIONS) {
  test(`a client of ${version} that has tools alone lists every document and reads every one, byte for byte`, async (t) => {
    const { program, ask, call } = await client(makeFolder(t, FILES), version);
    const resources = (await ask("resources/list")).result!["resources"] as { uri: string }[];
    const [listing] = textsOf(await call("list_documents"));
    const uris = listing!.split("\n").map((line) => line.split(" - ")[0]!);
    assert.deepEqual(uris, resources.map(({ uri }) => uri));
    for (const uri of uris) {
      const contents = (await ask("resources/read", { uri })).result!["contents"] as { text: string }[];
      const result = await call("read_document", { uri });
      assert.equal(textsOf(result)[1], contents[0]!.text, uri);
      const data = result["structuredContent"] as { text: string } | undefined;
      assert.equal(data?.text, version >= "2025-06-18" ? contents[0]!.text : undefined);
    }
    assert.equal(await program.close(), 0);
    assert.equal(program.errors, "");
  });

  test(`the tools of ${version} are named, described and hinted, with schemas that every client can read`, async (t) => {
    const { program, ask } = await client(makeFolder(t, FILES), version);
    const tools = (await ask("tools/list")).result!["tools"] as Data[];
    assert.deepEqual(tools.map((tool) => tool["name"]), NAMES);
    for (const tool of tools) {
      const { name, title, description, annotations, inputSchema, outputSchema } = tool;
      assert.ok(description.length > 40, name);
      assert.equal(typeof title, version >= "2025-06-18" ? "string" : "undefined");
      assert.deepEqual(
        annotations,
        version === "2024-11-05"
          ? undefined
          : { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
      );
      assert.equal(outputSchema !== undefined, version >= "2025-06-18", name);
      for (const schema of [inputSchema, outputSchema]) {
        if (schema === undefined) continue;
        assert.equal(schema.type, "object");
        checkSchema(schema, name);
      }
      assert.equal(inputSchema.additionalProperties, false);
    }
    await program.close();
  });
}

const AVOIDED = [
  "anyOf",
  "oneOf",
  "allOf",
  "$ref",
  "const",
  "uniqueItems",
  "exclusiveMinimum",
  "examples",
  "multipleOf",
];

function checkSchema(schema: Data, place: string): void {
  for (const keyword of AVOIDED) assert.ok(!(keyword in schema), `${place} has ${keyword}`);
  if (schema["type"] === "array") assert.ok(schema["items"], `${place} has items`);
  for (const [name, member] of Object.entries(schema["properties"] ?? {})) {
    checkSchema(member as object, `${place}/${name}`);
  }
  if (schema["items"]) checkSchema(schema["items"], `${place}/items`);
}

test("a document is read in pieces of any size, cut where characters end, and the pieces are the document", async (t) => {
  const root = makeFolder(t, FILES);
  for (const limit of [4, 7, 64, 200_000]) {
    // One connection may not call as often as the smallest pieces need.
    const { program, call } = await client(root);
    for (const name of ["awkward", "bom", "empty"]) {
      const expected = FILES[`resources/guidelines/${name}.md` as keyof typeof FILES]!.replace(/^\uFEFF/, "");
      let [data, content] = ["", ""];
      for (let offset: number | undefined = 0; offset !== undefined;) {
        const result: Data = await call("read_document", {
          uri: `architecture://guidelines/${name}`,
          offset,
          limit,
        });
        const part = result["structuredContent"];
        assert.equal(part.offset, offset);
        assert.ok(new TextEncoder().encode(part.text).length <= limit);
        assert.equal(part.size, new TextEncoder().encode(expected).length);
        data += part.text;
        content += textsOf(result)[1];
        offset = part.nextOffset;
        if (offset !== undefined) assert.ok(textsOf(result)[2]!.includes(`offset ${offset}`));
      }
      assert.equal(data, expected);
      assert.equal(content, expected);
    }
    await program.close();
  }
});

test("a document of 2 MB is bounded unless it is said otherwise, and can be read on", async (t) => {
  const text = `# Big\n\n${"All work and no play 日本.\n".repeat(80_000)}`;
  const uri = "architecture://guidelines/big";
  const { program, call, data, refused } = await client(
    makeFolder(t, { "resources/guidelines/big.md": text }),
  );
  assert.ok(JSON.stringify(await call("read_document", { uri })).length < 60_000);
  const chunks: string[] = [];
  for (let offset: number | undefined = 0; offset !== undefined;) {
    const part: Data = await data("read_document", { uri, offset, limit: 200_000 });
    chunks.push(part["text"]);
    offset = part["nextOffset"];
  }
  assert.equal(chunks.join(""), text);
  assert.match(await refused("read_document", { uri, limit: 200_001 }), /\/limit/);
  await program.close();
});

test("a section is read by its slug, as an argument or in the URI", async (t) => {
  const { program, data, call } = await client(makeFolder(t, FILES));
  for (
    const args of [{ uri: "architecture://adr/2", section: "decision" }, {
      uri: "architecture://adr/2#decision",
    }]
  ) {
    const { text, outline, uri } = await data("read_document", args);
    assert.equal(text.trim(), "## Decision\n\nDo.");
    assert.equal(uri, "architecture://adr/002-new");
    assert.deepEqual(outline.map(({ section }: { section: string }) => section), [
      "new",
      "context",
      "decision",
    ]);
    assert.match(
      textsOf(await call("read_document", args))[0]!,
      /^architecture:\/\/adr\/002-new#decision - New \(accepted\)/,
    );
  }
  await program.close();
});

test("the outline of a document with many headings leads to all of them", async (t) => {
  const uri = "architecture://guidelines/many";
  const { program, call, refused } = await client(makeFolder(t, {
    "resources/guidelines/many.md": Array.from({ length: 250 }, (_, number) => `## H${number}\n\n`).join(""),
  }));
  assert.match(
    await refused("read_document", { uri, section: "h250" }),
    /it has 250.*without a section.*first 100/,
  );
  const seen = new Set<string>();
  let asked: string | undefined;
  for (let after = 1, calls = 0; after > 0; calls++) {
    assert.ok(calls < 5);
    const result: Data = await call("read_document", asked === undefined ? { uri } : { uri, section: asked });
    const { outline, omittedHeadings } = result["structuredContent"];
    assert.equal(outline.length + omittedHeadings, 250);
    assert.equal(outline[0].section, asked ?? "h0");
    for (const { section, line } of outline) {
      seen.add(section);
      assert.equal(line, 2 * Number(section.slice(1)) + 1);
    }
    asked = outline.at(-1).section;
    after = 249 - Number(asked!.slice(1));
    const said = after > 0 ? `read_document again with section "${asked}"` : "read_document without section";
    const [head] = textsOf(result);
    assert.ok(
      head!.includes(`(${omittedHeadings} of 250 sections are left out: `) && head!.includes(said),
      head!,
    );
  }
  assert.equal(seen.size, 250);
  assert.equal(await program.close(), 0);
});

test("an answer is bounded however long headings, titles and facts are; URIs and sections are whole", async (t) => {
  const words = (word: string) => `${word} `.repeat(1900 / (word.length + 1)).trim();
  const many = Array.from({ length: 40 }, (_, number) => `## ${words(`zebra${number}`)}\n\n`).join("");
  const others = Array.from({ length: 100 }, (_, number) => `  - "${words(`other${number}`)}"\n`).join("");
  const head = `---\nstatus: accepted\ndate: 2${
    "9".repeat(1900)
  }\nsuperseded-by:\n${others}applies-to: "*.ts"\n---\n`;
  const { program, call, data } = await client(makeFolder(t, {
    ...Object.fromEntries(
      Array.from({ length: 20 }, (_, number) => [
        `resources/guidelines/${number}.md`,
        `# ${words("zebra")}\n\n${many}`,
      ]),
    ),
    "resources/adr/001-x.md": `${head}# ${words("zebra")}\n`,
  }));
  const bounds: readonly [name: string, args: object, most: number][] = [
    ["read_document", { uri: "architecture://guidelines/1", limit: 4 }, 40_000],
    ["read_document", { uri: "architecture://adr/1", limit: 4 }, 10_000],
    ["list_documents", {}, 20_000],
    // The name of a section of each hit, twice.
    ["search_documents", { query: "zebra" }, 60_000],
    ["decisions_for", { paths: ["a.ts"] }, 15_000],
  ];
  for (const [name, args, most] of bounds) {
    const { length } = JSON.stringify(await call(name, args));
    assert.ok(length < most, `${name} answers with ${length} characters`);
  }
  const { title, outline } = await data("read_document", { uri: "architecture://guidelines/1" });
  assert.equal(title, `${words("zebra").slice(0, 199).trimEnd()}…`);
  assert.equal(outline[1].title, `${words("zebra0").slice(0, 199).trimEnd()}…`);
  assert.equal(outline[1].section, words("zebra0").replaceAll(" ", "-"));
  const { text } = await data("read_document", {
    uri: "architecture://guidelines/1",
    section: outline[1].section,
  });
  assert.equal(text, `## ${words("zebra0")}\n\n`);
  const { notice } = await data("read_document", { uri: "architecture://adr/1", limit: 4 });
  assert.match(notice, / and 90 more that its text names in its place\.$/);
  assert.equal(await program.close(), 0);
});

test("a decision that holds no more says so before anything else, and names what holds in its place", async (t) => {
  const { program, call } = await client(makeFolder(t, FILES));
  const result = await call("read_document", { uri: "architecture://adr/1" });
  const notice =
    "This decision is superseded: do not follow it. Read architecture://adr/002-new (New) in its place.";
  assert.ok(textsOf(result)[0]!.startsWith(notice), textsOf(result)[0]!);
  assert.equal(Object.keys(result["structuredContent"] as object)[0], "notice");
  assert.equal((result["structuredContent"] as { notice: string }).notice, notice);
  await program.close();
});

test("the tools work with read access to the root and nothing else", async (t) => {
  const root = makeFolder(t, FILES);
  const permission = process.allowedNodeEnvironmentFlags.has("--permission")
    ? "--permission"
    : "--experimental-permission";
  const flags = ON_DENO
    ? [
      "--no-prompt",
      `--allow-read=${root}`,
      "--deny-env",
      "--deny-net",
      "--deny-run",
      "--deny-write",
      "--deny-sys",
    ]
    : ["--experimental-strip-types", "--no-warnings", permission]
      .concat([root, `${root}/*`, `${REPOSITORY}/*`].map((folder) => `--allow-fs-read=${folder}`));
  const { program, data } = await client(root, "2025-11-25", flags);
  assert.equal((await data("list_documents"))["total"], 8);
  assert.equal((await data("read_document", { uri: "architecture://guidelines/awkward" }))["text"], AWKWARD);
  assert.equal((await data("decisions_for", { paths: ["src/a.ts"] }))["documents"].length, 2);
  assert.equal(await program.close(), 0);
  assert.equal(program.errors, "");
});
