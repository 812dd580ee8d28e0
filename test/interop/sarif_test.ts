/** `check --format sarif` against the schema of SARIF 2.1.0. */

import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { test } from "node:test";
import { Ajv } from "ajv";
import { makeFolder } from "../harness/folder.ts";
import { onEachRuntime, run } from "./programs.ts";

const require = createRequire(import.meta.url);
// It is of draft 4, whose `id` ajv does not take; nothing else in it differs.
const { id: _, ...schema } = require("@microsoft/jest-sarif/lib/schemas/sarif-2.1.0-rtm.5.json");
const isSarif = new Ajv({
  strict: false,
  validateFormats: false,
  validateSchema: false,
  unicodeRegExp: false,
}).compile(schema);

onEachRuntime("check --format sarif", (runtime) => {
  test("fits the schema, with and without findings", (t) => {
    const root = makeFolder(t, {
      "resources/docs/a b%.md": "# A\n\n[x](gone.md)\n",
      "resources/docs/b.md": "x\n",
      "resources/docs/c.md": Uint8Array.of(0),
      "prompts/p.json": "{",
    });
    for (const [rule, count] of [["link-dead", 1], ["adr-number-duplicate", 0], [undefined, 4]] as const) {
      const options = ["--format", "sarif", ...rule === undefined ? [] : ["--rule", rule]];
      const { command, args, cwd, env } = runtime.launch(root, ["check", ...options]);
      const { stdout } = run(command, args, { cwd, env });
      assert.ok(isSarif(JSON.parse(stdout)), JSON.stringify(isSarif.errors));
      assert.equal(JSON.parse(stdout).runs[0].results.length, count);
    }
    assert.equal(isSarif({ version: "2.1.0", runs: [{ results: [] }] }), false, "the schema was really read");
  });
});
