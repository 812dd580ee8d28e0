/** Skills (SEP-2640): the official client reads those of the program. The scenarios of the suite are in `conformance_test.ts`. */

import assert from "node:assert/strict";
import { it } from "node:test";
import { SkillsClient } from "@modelcontextprotocol/client/ext/skills";
import { parse } from "yaml";
import { makeFolder } from "../harness/folder.ts";
import { V2_MODERN } from "./clients.ts";
import { onEachRuntime } from "./programs.ts";

const MANIFEST = `---
name: refunds
description: >-
  Process refunds.
  Use when a customer asks.
license: MIT # see LICENSE
metadata:
  version: "2.1"
allowed-tools: ["Read", "Bash(git:*)"]
---

# Refunds
`;
const PROMPT = {
  name: "ask",
  description: "Asks.",
  messages: [{
    role: "user",
    content: { type: "text", text: "Read\n<<resource:architecture://patterns/*>>" },
  }],
};
const BYTES = [0, 255, 1, 254];
const FILES = {
  "resources/guidelines/Naming Things.md": "# Naming\n\nShort names.\n",
  "resources/patterns/retry.md": '---\ntitle: Retry\napplies-to: ["src/**"]\n---\n\n# Retry\n\nAgain.\n',
  "resources/adr/001-use-x.md":
    "# Use X\n\n## Status\n\nAccepted\n\n## Context\n\nWhy.\n\n## Decision\n\nX.\n",
  "prompts/ask.json": JSON.stringify(PROMPT),
  "skills/billing/refunds/SKILL.md": MANIFEST.replaceAll("\n", "\r\n"),
  "skills/billing/refunds/assets/a&b (1).bin": new Uint8Array(BYTES),
  "skills/billing/refunds/references/FORMS.md": "\uFEFF# Forms\n",
};

onEachRuntime("the official client on skills of the program", (runtime) => {
  it("lists, gets and verifies every file, of documents, prompts and a folder", async (t) => {
    const client = await V2_MODERN.connect(runtime.launch(makeFolder(t, FILES)));
    const skills = new SkillsClient(client.v2!, { parseFrontmatter: (yaml) => parse(yaml) });
    assert.ok(skills.supported && skills.directoryRead);
    const { skills: entries } = await skills.list();
    // The sandbox of Deno hides the prompts that come with the program.
    const own = entries.filter(({ uri }) => !/create-adr|against-patterns|suggest-patterns/.test(uri));
    assert.equal(entries.length - own.length, runtime.name === "node" ? 3 : 0);
    assert.deepEqual(own.map(({ uri }) => uri), [
      "skill://how-we-decide/SKILL.md",
      "skill://guidelines/naming-things/SKILL.md",
      "skill://patterns/retry/SKILL.md",
      "skill://prompts/ask/SKILL.md",
      "skill://billing/refunds/SKILL.md",
    ]);
    let files = 0;
    for (const entry of entries) {
      const { skill } = await skills.get(entry.uri);
      assert.deepEqual(skill, entry);
      assert.ok(Array.isArray(entry.resources));
      for (const { uri } of entry.resources) {
        assert.ok((await skills.read(entry, uri)).verified, uri);
        files++;
      }
    }
    assert.ok(files >= 8, `${files} files`);
    const refunds = entries.at(-1)!;
    assert.deepEqual(refunds.frontmatter, {
      name: "refunds",
      description: "Process refunds. Use when a customer asks.",
      license: "MIT",
      metadata: { version: "2.1" },
      "allowed-tools": ["Read", "Bash(git:*)"],
    });
    assert.deepEqual([...(await skills.read(refunds, "assets/a&b (1).bin")).bytes], BYTES);
    const { resources } = await skills.readDirectory("skill://billing/refunds");
    assert.deepEqual(resources.map(({ name, mimeType }) => [name, mimeType]), [
      ["refunds", "text/markdown"],
      ["assets", "inode/directory"],
      ["references", "inode/directory"],
    ]);
    await client.close();
  });
});
