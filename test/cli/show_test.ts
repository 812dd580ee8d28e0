import assert from "node:assert/strict";
import { test } from "node:test";
import { cli } from "../harness/command.ts";
import { makeFolder } from "../harness/folder.ts";

const RECORD = (title: string, status: string, more = "") =>
  `---\nstatus: ${status}\ndate: 2026-01-02\n${more}---\n# ${title}\n\nRetries back off exponentially.\n`;
const FILES = {
  "adr/0001-use-queues.md": RECORD("Use queues", "superseded", "superseded-by: 2\napplies-to: lib/**\n"),
  "adr/0002-use-streams.md": RECORD("Use streams", "accepted", 'applies-to: [lib/http/**, "*.md"]\n'),
};

test("decisions reads paths from standard input as git writes them", async (t) => {
  const folder = makeFolder(t, FILES);
  const both =
    "architecture://adr/0002-use-streams\taccepted\t2026-01-02\tUse streams\tlib/http/**\tlib/http/a.ts\n" +
    "architecture://adr/0001-use-queues\tsuperseded\t2026-01-02\tUse queues\tlib/**\tlib/http/a.ts\n";
  const cases: [args: string[], input: string | Uint8Array, output: string][] = [
    [["-"], "lib/http/a.ts\n", both],
    [["-"], "lib/http/a.ts\r\nlib/http/a.ts\r\n\r\n", both],
    [["-"], "lib/http/a.ts\0other.c\0", both],
    [["other.c", "-"], "lib/http/a.ts", both],
    [["-"], '"lib/http/\\303\\244 \\"b\\".ts"\n', both.replaceAll("lib/http/a.ts", 'lib/http/ä "b".ts')],
    // More paths than one call of the tool takes, in which the first document is found twice.
    [
      ["README.md", ...Array.from({ length: 100 }, (_, index) => `other/${index}.c`), "lib/http/a.ts"],
      "",
      both.replace("lib/http/a.ts", "README.md, lib/http/a.ts"),
    ],
  ];
  for (const [args, input, output] of cases) {
    const line = ["decisions", ...args, "--mount", "adr=DIR/adr"];
    assert.deepEqual(await cli(line, folder, { input }), { code: 0, output, errors: "" });
  }
  assert.match(
    (await cli("decisions - --mount adr=DIR/adr", folder)).errors,
    /^architrave: No document says/,
  );
  const binary = await cli("decisions - --mount adr=DIR/adr", folder, { input: Uint8Array.of(0xff) });
  const errors = "architrave: Cannot read standard input: it is not UTF-8 or broken.\n";
  assert.deepEqual(binary, { code: 2, output: "", errors });
});

test("prompt takes an argument from standard input", async (t) => {
  const folder = makeFolder(t, {
    "prompts/echo.json": JSON.stringify({
      name: "echo",
      arguments: [{ name: "code" }, { name: "more" }],
      messages: [{ role: "user", content: { type: "text", text: "<<code>>|<<more>>" } }],
    }),
    "resources/.keep": "",
  });
  const typed = await cli("prompt echo code=- more=x=y --root DIR", folder, { input: "typed @x\n" });
  assert.deepEqual(typed, { code: 0, output: "typed @x\n|x=y\n", errors: "" });
});
