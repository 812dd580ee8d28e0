/** What lists does a client get that has tools and nothing else? */

import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { test } from "node:test";
import { makeFolder, writeFiles } from "../harness/folder.ts";
import type { Data } from "./tools_only_client.ts";
import { client, FILES, textsOf } from "./tools_only_client.ts";

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

test("a record that only names what replaces it is superseded for every tool and every resource", async (t) => {
  const head = 'applies-to: "src/**"';
  const { program, ask, call, data } = await client(makeFolder(t, {
    "resources/adr/001-old.md": `---\nstatus: accepted\nsuperseded-by: 2\n${head}\n---\n# Old queues\n`,
    "resources/adr/002-new.md": `---\nstatus: accepted\n${head}\n---\n# New queues\n`,
  }));
  const [old, now] = ["architecture://adr/001-old", "architecture://adr/002-new"];
  const notice = `This decision is superseded: do not follow it. Read ${now} (New queues) in its place.`;

  const read = await call("read_document", { uri: old });
  assert.ok(textsOf(read)[0]!.startsWith(`${notice}\n${old} - Old queues (superseded), `), textsOf(read)[0]!);
  const lists = [
    (await data("search_documents", { query: "queues" }))["hits"],
    (await data("decisions_for", { paths: ["src/a.ts"] }))["documents"],
  ];
  for (const list of lists) {
    assert.deepEqual(list.map(({ uri, notice }: Data) => [uri, notice]), [[now, undefined], [old, notice]]);
  }
  for (const [status, uri] of [["superseded", old], ["accepted", now]]) {
    const listed = (await data("list_documents", { status }))["documents"];
    assert.deepEqual(listed.map((document: Data) => [document["uri"], document["status"]]), [[uri, status]]);
    const { hits } = await data("search_documents", { query: "queues", status });
    assert.deepEqual(hits.map((hit: Data) => [hit["uri"], hit["status"]]), [[uri, status]]);
  }
  const [listed] = (await ask("resources/list")).result!["resources"] as Data[];
  const record = { number: 1, status: "superseded", supersededBy: [now] };
  assert.deepEqual(listed!["_meta"], { "architrave/record": record });
  assert.equal(await program.close(), 0);
});
