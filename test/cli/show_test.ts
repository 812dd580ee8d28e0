import assert from "node:assert/strict";
import { test } from "node:test";
import { assertFails, cli, cliJson } from "../harness/command.ts";
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

test("list says that a folder has no documents, on standard error only", async (t) => {
  const folder = makeFolder(t, {
    ...{ "empty/.keep": "", "other/a.txt": "x", "other/b.adoc": "x", "hidden/.a.md": "# A\n" },
    ...{ "root/prompts/p.json": "{}", "one/a.md": "# A\n", "sub/below/.keep": "" },
  });
  const rows: [options: string, where: string][] = [
    ["--mount adr=DIR/empty", "DIR/empty"],
    ["--mount adr=DIR/other", "DIR/other"],
    ["--mount adr=DIR/hidden --format json", "DIR/hidden"],
    ["--mount adr=DIR/sub", "DIR/sub"],
    ["--root DIR/root --log-level silent", "DIR/root"],
    ["--mount adr=DIR/empty --mount more=DIR/other", "DIR/empty, DIR/other"],
  ];
  for (const [options, where] of rows) {
    const { code, errors } = await cli(`list ${options}`, folder);
    const text = `There are no documents in ${where}: name another folder`.replaceAll("DIR", folder);
    assert.deepEqual([code, errors], [0, `architrave: ${text}.\n`]);
  }
  assert.equal((await cli("list --mount adr=DIR/empty --mount more=DIR/one", folder)).errors, "");
});

test("decisions --code reads the files, and gives first what they cite", async (t) => {
  const folder = makeFolder(t, {
    "docs/0001-a.md": '---\nstatus: accepted\napplies-to: "src/**"\n---\n# 1. A\n',
    "docs/0002-b.md": "---\nstatus: accepted\n---\n# 2. B\n",
    "src/a.ts": "// ADR-2 says why.\n",
    "src/b.ts": "export {};\n",
  });
  const titles = async (words: string) =>
    (await cliJson(`decisions ${words} --mount adr=DIR/docs`, folder)).documents
      .map(({ title, matched }: { title: string; matched: string }) => `${title}: ${matched}`);
  const [own, cited] = ["1. A: src/**", "2. B: cited here"];
  assert.deepEqual(await titles("src/a.ts src/b.ts --code DIR"), [cited, own]);
  assert.deepEqual(await titles("src/a.ts src/b.ts"), [own]);
  for (const path of ["src/b.ts", "src/none.ts", "../src/a.ts"]) {
    assert.deepEqual(await titles(`${path} --code DIR`), [own], path);
  }
  await assertFails(
    [["decisions src/a.ts --code DIR/none --mount adr=DIR/docs", 2, /Cannot read --code/]],
    folder,
  );
});
