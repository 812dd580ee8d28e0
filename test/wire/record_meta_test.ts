/** What does a client that reads resources learn of a decision record besides its text? */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { makeFolder } from "../harness/folder.ts";
import { client, FILES } from "./tools_only_client.ts";

const RECORD = "architrave/record";

for (const version of ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"]) {
  test(`a superseded record that is read in ${version} is its file, marked beside its text where the revision can`, async (t) => {
    const root = makeFolder(t, FILES);
    const { program, ask } = await client(root, version);
    const read = async (uri: string) =>
      ((await ask("resources/read", { uri })).result!["contents"] as Record<string, unknown>[])[0]!;
    const listed = (await ask("resources/list")).result!["resources"] as Record<string, unknown>[];
    const mark = listed.find(({ uri }) => uri === "architecture://adr/001-old")!["_meta"];
    const marked = version >= "2025-06-18"
      ? {
        _meta: {
          [RECORD]: {
            number: 1,
            status: "superseded",
            date: "2024-01-01",
            supersededBy: ["architecture://adr/002-new"],
          },
        },
      }
      : {};
    assert.deepEqual(mark, marked._meta);
    const head = { uri: "architecture://adr/001-old", mimeType: "text/markdown" };
    const text = readFileSync(join(root, "resources/adr/001-old.md"), "utf8");
    assert.deepEqual(await read("architecture://adr/1"), { ...head, text, ...marked });
    // What is kept by now is given with the same words.
    assert.deepEqual(await read("architecture://adr/001-old"), { ...head, text, ...marked });
    assert.deepEqual(await read("architecture://adr/1#context"), {
      ...head,
      uri: `${head.uri}#context`,
      text: "## Context\n\nWhy.\n",
      ...marked,
    });
    assert.equal("_meta" in await read("architecture://guidelines/api"), false);
    assert.equal(await program.close(), 0);
    assert.equal(program.errors, "");
  });
}
