/** What do clients see that have tools and nothing else? */

import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import process from "node:process";
import { test } from "node:test";
import type { Answer } from "../harness/program.ts";
import { makeFolder, writeFiles } from "../harness/folder.ts";
import { ON_DENO, Program, REPOSITORY } from "../harness/program.ts";

const VERSIONS = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"];
const NAMES = ["decisions_for", "list_documents", "read_document", "search_documents"];

const AWKWARD = "# 見出し 😀\r\n\r\n日本語の文章です。\r\n\r\n## Überblick\r\n\r\nä👩‍👩‍👧‍👦é\r\n\r\n" +
  "漢字😀\r\n".repeat(20);
const FILES = {
  "resources/adr/001-old.md":
    '---\nstatus: superseded\nsuperseded-by: 002-new.md\ndate: 2024-01-01\napplies-to: ["src/**"]\n---\n# Old\n\n## Context\n\nWhy.\n',
  "resources/adr/002-new.md":
    '---\nstatus: accepted\ndate: 2024-02-01\napplies-to: ["src/**"]\n---\n# New\n\n## Context\n\nWhy not.\n\n## Decision\n\nDo.\n',
  "resources/adr/003-one.md": "# One\n",
  "resources/adr/003-two.md": "# Two\n",
  "resources/guidelines/api.md": '---\napplies-to: ["src/api/*.ts", "*.proto"]\n---\n# API\n\nAbout it.\n',
  "resources/guidelines/awkward.md": AWKWARD,
  "resources/guidelines/bom.md": "\uFEFF# Marked\n\nText.\n",
  "resources/guidelines/empty.md": "",
};

// deno-lint-ignore no-explicit-any
type Data = Record<string, any>;

interface Client {
  readonly program: Program;
  ask(method: string, params?: object): Promise<Answer>;
  call(name: string, args?: object): Promise<Record<string, unknown>>;
  data(name: string, args?: object): Promise<Data>;
  /** Words for the model that say what went wrong. */
  refused(name: string, args: object): Promise<string>;
}

async function client(
  root: string,
  version = "2025-11-25",
  runtimeFlags: readonly string[] | undefined = undefined,
): Promise<Client> {
  const program = new Program(["--root", root], runtimeFlags ? { runtimeFlags } : {});
  const isModern = version === "2026-07-28";
  if (!isModern) await program.initialize(version);
  const ask = (method: string, params: object = {}) =>
    isModern ? program.askModern(method, params) : program.ask(method, params);
  const call = async (name: string, args: object = {}) => {
    const answer = await ask("tools/call", { name, arguments: args });
    assert.ok(answer.result, JSON.stringify(answer.error));
    return answer.result;
  };
  return {
    program,
    ask,
    call,
    async data(name, args) {
      const result = await call(name, args);
      assert.equal(result["isError"], undefined, JSON.stringify(result));
      return result["structuredContent"] as Record<string, unknown>;
    },
    async refused(name, args) {
      const { isError, content } = await call(name, args);
      assert.equal(isError, true);
      return (content as { text: string }[])[0]!.text;
    },
  };
}

const textsOf = (result: Record<string, unknown>) =>
  (result["content"] as { text: string }[]).map(({ text }) => text);

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
      const expected = FILES[`resources/guidelines/${name}.md` as keyof typeof FILES].replace(/^\uFEFF/, "");
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

test("what cannot be done is a sentence for the model that says what can be", async (t) => {
  const { program, refused } = await client(makeFolder(t, FILES));
  const awkward = "architecture://guidelines/awkward";
  assert.match(await refused("read_document", { uri: "architecture://adr/3" }), /003-one[^]*003-two/);
  for (
    const uri of [
      "architecture://adr/99",
      "",
      "/etc/passwd",
      "file:///etc/passwd",
      `architecture://adr/${"x".repeat(9000)}`,
    ]
  ) {
    const sentence = await refused("read_document", { uri });
    assert.match(sentence, /^There is no document .*list_documents/);
    assert.ok(sentence.length < 500);
  }
  assert.match(
    await refused("read_document", { uri: awkward, section: "none" }),
    /no section "none".*outline/,
  );
  assert.match(await refused("read_document", { uri: `${awkward}#none` }), /outline/);
  assert.match(await refused("read_document", { uri: awkward, offset: 3 }), /offset 3 .*nextOffset/);
  assert.match(await refused("read_document", { uri: awkward, offset: 1e6 }), /nextOffset/);
  assert.match(await refused("list_documents", { category: "none" }), /there are: adr, guidelines/);
  for (const odd of ["", "x"]) {
    const word = odd + "😀".repeat(300);
    for (const args of [{ uri: word }, { uri: awkward, section: word }]) {
      assert.ok((await refused("read_document", args)).isWellFormed());
    }
    assert.ok((await refused("list_documents", { category: word })).isWellFormed());
  }
  // Of no list, of another one, and of one that was written some other way.
  const key = "adr/001-old";
  for (
    const cursor of [
      "!",
      "a",
      "日本",
      "YQ==",
      "",
      "YQ",
      btoa(key).replaceAll("=", ""),
      btoa(`resources:${key}:1`),
    ]
  ) {
    assert.match(await refused("list_documents", { cursor }), /without one/, cursor);
  }
  for (
    const args of [{ paths: [] as string[] }, { paths: Array<string>(101).fill("a") }, {}, { paths: "a" }]
  ) {
    assert.match(await refused("decisions_for", args), /paths/);
  }
  assert.equal(await program.close(), 0);
  assert.equal(program.errors, "");
});

test("250 documents are listed in pages, which stay right while documents come", async (t) => {
  const name = (index: number) => `resources/guidelines/g${String(index).padStart(3, "0")}.md`;
  const root = makeFolder(
    t,
    Object.fromEntries(Array.from({ length: 250 }, (_, index) => [name(index), `# G${index}\n`])),
  );
  const { program, data } = await client(root);
  const uris: string[] = [];
  const totals: number[] = [];
  for (let cursor: string | undefined = "";;) {
    const page: Data = await data("list_documents", cursor ? { cursor } : {});
    uris.push(...page["documents"].map(({ uri }: { uri: string }) => uri));
    totals.push(page["documents"].length);
    cursor = page["nextCursor"];
    if (cursor === undefined) break;
    // One before the place where the page ended; it must move nothing.
    writeFiles(root, { [`resources/guidelines/a${totals.length}.md`]: "# A\n" });
    await program.ask("resources/list");
  }
  assert.deepEqual(totals, [100, 100, 50]);
  assert.equal(new Set(uris).size, 250);
  assert.deepEqual(uris, uris.toSorted());
  await program.close();
});

test("a cursor is of one list only, and of no use when the document that it names is gone", async (t) => {
  const files = (folder: string) =>
    Array.from(
      { length: 101 },
      (_, index) => [`resources/${folder}/d${String(index).padStart(3, "0")}.md`, "# D\n"],
    );
  const root = makeFolder(t, Object.fromEntries([...files("guidelines"), ...files("patterns")]));
  const { program, data, refused } = await client(root);
  const cursorOf = async (args: object): Promise<string> =>
    (await data("list_documents", args))["nextCursor"];
  const cursor = await cursorOf({ category: "guidelines" });
  for (const args of [{}, { category: "patterns" }, { category: "guidelines", status: "accepted" }]) {
    assert.match(await refused("list_documents", { ...args, cursor }), /without one/);
  }
  const last = await data("list_documents", { category: "guidelines", cursor });
  assert.deepEqual(last["documents"].map(({ uri }: Data) => uri), ["architecture://guidelines/d100"]);
  rmSync(`${root}/resources/guidelines/d099.md`);
  assert.equal((await program.notice()).method, "notifications/resources/list_changed");
  assert.equal((await data("list_documents"))["total"], 201);
  assert.match(await refused("list_documents", { category: "guidelines", cursor }), /without one/);
  await program.close();
});

test("documents are listed by category and status", async (t) => {
  const { program, data, call } = await client(makeFolder(t, FILES));
  const uris = async (args: object) =>
    (await data("list_documents", args))["documents"].map(({ uri }: { uri: string }) => uri);
  assert.deepEqual(await uris({ status: "Accepted" }), ["architecture://adr/002-new"]);
  assert.equal((await uris({ category: "adr" })).length, 4);
  assert.deepEqual(await uris({ category: "guidelines", status: "accepted" }), []);
  assert.deepEqual(textsOf(await call("list_documents", { status: "none" })), ["No document."]);
  await program.close();
});

test("the decisions for a file come most specific first, those that hold no more last", async (t) => {
  const { program, data, call } = await client(makeFolder(t, FILES));
  const { documents, omitted } = await data("decisions_for", { paths: ["src\\api\\a.ts", "README.md"] });
  assert.deepEqual(
    documents.map(({ uri, matched }: Record<string, string>) => [uri, matched]),
    [
      ["architecture://guidelines/api", "src/api/*.ts"],
      ["architecture://adr/002-new", "src/**"],
      ["architecture://adr/001-old", "src/**"],
    ],
  );
  assert.equal(omitted, 0);
  assert.match(documents[2].notice, /002-new/);
  assert.deepEqual(documents[0].paths, ["src\\api\\a.ts"]);
  assert.deepEqual((await data("decisions_for", { paths: ["deep/x.proto"] }))["documents"].length, 1);
  assert.match(textsOf(await call("decisions_for", { paths: ["none"] }))[0]!, /search_documents/);
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
