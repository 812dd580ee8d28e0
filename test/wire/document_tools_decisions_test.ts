/** Do the decisions for files stay within their bounds, however many there are, and however long the names of the files? */

import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { test } from "node:test";
import { makeFolder } from "../harness/folder.ts";
import type { Data } from "./tools_only_client.ts";
import { client, textsOf } from "./tools_only_client.ts";

/** What an answer says at most, in characters, and some more for the marker and for what stands around texts in JSON. */
const MOST_TEXT = 12_000 + 300;
const MOST_DATA = 2 * 12_000;

/** So many guidelines that apply to all files of TypeScript. */
function guidelines(count: number): Record<string, string> {
  const text = `---\napplies-to: "**/*.ts"\ndescription: ${"Words. ".repeat(25)}\n---\n# Rule\n`;
  return Object.fromEntries(
    Array.from(
      { length: count },
      (_, index) => [`resources/guidelines/g${String(index).padStart(3, "0")}.md`, text],
    ),
  );
}

test("every one of 200 decisions for one file can be reached, with the call that each answer names", async (t) => {
  const old = '---\nstatus: superseded\napplies-to: "src/*.ts"\n---\n# Old\n';
  const near = '---\napplies-to: "src/a.ts"\n---\n# Near\n';
  const { program, call } = await client(makeFolder(t, {
    ...guidelines(198),
    "resources/adr/001-old.md": old,
    "resources/patterns/near.md": near,
  }));
  const uris: string[] = [];
  let args: Data = { paths: ["src/a.ts"] };
  while (true) {
    const result = await call("decisions_for", args);
    const { documents, omitted, nextCursor } = result["structuredContent"] as Data;
    const text = textsOf(result)[0]!;
    assert.ok(text.length < MOST_TEXT);
    uris.push(...documents.map(({ uri }: Data) => uri));
    assert.equal(omitted, 200 - uris.length);
    assert.equal(nextCursor !== undefined, omitted > 0);
    if (nextCursor === undefined) break;
    assert.ok(text.endsWith(
      `\n(${omitted} more: call decisions_for again with the same paths and cursor "${nextCursor}")`,
    ));
    args = { paths: ["src/a.ts"], cursor: nextCursor };
  }
  assert.equal(new Set(uris).size, 200);
  assert.equal(uris[0], "architecture://patterns/near");
  assert.equal(uris.at(-1), "architecture://adr/001-old");
  assert.deepEqual(uris.slice(1, -1), uris.slice(1, -1).toSorted());
  assert.equal(await program.close(), 0);
  assert.equal(program.errors, "");
});

test("a cursor of decisions is of the same files, and of documents that are still there", async (t) => {
  const root = makeFolder(t, guidelines(120));
  const { program, data, refused } = await client(root);
  const paths = ["a.ts", "b.ts"];
  const { nextCursor: cursor, documents } = await data("decisions_for", { paths });
  const { nextCursor: listed } = await data("list_documents");
  for (
    const args of [
      { paths: ["a.ts"], cursor },
      { paths: ["b.ts", "a.ts"], cursor },
      { paths: ["a.md"], cursor },
      { paths, cursor: listed },
      { paths, cursor: `${cursor}A` },
      { paths, cursor: "" },
      { paths, cursor: "!" },
    ]
  ) {
    assert.match(await refused("decisions_for", args), /cursor .*without one/, JSON.stringify(args));
  }
  assert.ok((await data("decisions_for", { paths, cursor }))["documents"].length > 0);
  const last: string = documents.at(-1).uri;
  rmSync(`${root}/${last.replace("architecture://", "resources/")}.md`);
  assert.equal((await program.notice()).method, "notifications/resources/list_changed");
  assert.match(await refused("decisions_for", { paths, cursor }), /cursor .*without one/);
  await program.close();
});

test("of many files with long names that one document is about, some are named and the others counted", async (t) => {
  const { program, call, data } = await client(makeFolder(t, guidelines(30)));
  const paths = Array.from({ length: 100 }, (_, index) => `${"d/".repeat(450)}${index}.ts`);
  const result = await call("decisions_for", { paths });
  const { documents } = result["structuredContent"] as Data;
  assert.ok(documents.length > 5);
  for (const document of documents) {
    assert.deepEqual(document.paths, [paths[0]]);
    assert.equal(document.morePaths, 99);
  }
  const text = textsOf(result)[0]!;
  assert.ok(text.includes(`for ${paths[0]} and 99 more (**/*.ts)`));
  assert.ok(text.length < MOST_TEXT);
  assert.ok(JSON.stringify(result["structuredContent"]).length < MOST_DATA);

  const few = await data("decisions_for", { paths: ["a.ts", "b.ts", "c.js"] });
  assert.deepEqual(few["documents"][0].paths, ["a.ts", "b.ts"]);
  assert.equal("morePaths" in few["documents"][0], false);
  await program.close();
});

test("while the decisions for hostile paths are looked for, a ping is answered, and the call can be taken back", async (t) => {
  const patterns = Array.from(
    { length: 200 },
    (_, index) => `  - "${"*a".repeat(300 + index)}[x]"\n`,
  );
  const text = `---\napplies-to:\n${patterns.join("")}---\n# Hostile\n`;
  const { program, data } = await client(makeFolder(t, { "resources/guidelines/hostile.md": text }));
  await data("list_documents");
  const paths = Array<string>(100).fill("a".repeat(1000));
  program.send(
    {
      jsonrpc: "2.0",
      id: "long",
      method: "tools/call",
      params: { name: "decisions_for", arguments: { paths } },
    },
    { jsonrpc: "2.0", id: "ping", method: "ping" },
  );
  assert.equal((await program.next()).id, "ping");
  program.send({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: "long" } });
  assert.deepEqual((await data("decisions_for", { paths: ["b"] }))["documents"], []);
  assert.equal(await program.close(), 0);
  assert.equal(program.errors, "");
});
