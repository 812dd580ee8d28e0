import assert from "node:assert/strict";
import { test } from "node:test";
import { cli } from "../harness/command.ts";
import { makeFolder } from "../harness/folder.ts";

test("decisions takes more paths than one call of the tool, and only text from standard input", async (t) => {
  const folder = makeFolder(t, {
    "1-a.md": '---\napplies-to: ["lib/**", "*.md"]\n---\n# A\n',
    "2-b.md": "---\napplies-to: lib/a.ts\n---\n# B\n",
  });
  // The first document is found by two calls, with another pattern in each; the other one, more specific, by the second.
  const others = Array.from({ length: 100 }, (_, index) => `other/${index}.c`);
  const { output } = await cli(["decisions", "x.md", ...others, "lib/a.ts", "--mount", "adr=DIR"], folder);
  const first = "architecture://adr/2-b\t\t\tB\tlib/a.ts\tlib/a.ts\n";
  assert.equal(output, `${first}architecture://adr/1-a\t\t\tA\tlib/**\tx.md, lib/a.ts\n`);
  const binary = await cli("decisions - --mount adr=DIR", folder, { input: Uint8Array.of(0xff) });
  const errors = "architrave: Cannot read standard input: it is not valid UTF-8, or reading failed.\n";
  assert.deepEqual(binary, { code: 2, output: "", errors });
});
