import assert from "node:assert/strict";
import { utimesSync } from "node:fs";
import { test } from "node:test";
import type { TestContext } from "node:test";
import { assertFails, cli, cliJson } from "../harness/command.ts";
import { makeFolder } from "../harness/folder.ts";

const record = (title: string, ...lines: string[]) =>
  `---\n${lines.join("\n")}\n---\n# ${title}\n\n## Context\n\nC.\n`;

const RECORDS = {
  "0001-a.md": record("Use [A] & <T>", "status: accepted", "date: 2026-01-01"),
  "0002-b.md": record('2. Use "B"', "status: accepted", "date: 2026-02-01", "supersedes: 1"),
  "0003-c.md": record("C\u001b[31m", "status: proposed", "date: 2026-03-01", "supersedes: 0002-b.md"),
  "0004-d.md": record("D", "status: accepted", "date: 2026-04-01", "superseded-by: 5"),
  "0005-e.md": record("E", "status: accepted", "date: 2026-05-01"),
  "0006-f.md": record("F", "status: accepted"),
};

/** A folder of records, and the options that name it. */
const OPTIONS = "--root DIR/root --mount adr=DIR --log-level silent";
function folderOf(t: TestContext, files: Readonly<Record<string, string>> = RECORDS): string {
  const folder = makeFolder(t, { ...files, "root/resources/.keep": "" });
  for (const name of Object.keys(files)) utimesSync(`${folder}/${name}`, 0, Date.parse("2026-02-15") / 1000);
  return folder;
}

test("graph draws who supersedes whom, from either side, in every format", async (t) => {
  const folder = folderOf(t);
  const draw = async (options = "") => (await cli(`graph ${OPTIONS} ${options}`, folder)).output;
  assert.equal(
    await draw(),
    `flowchart LR
  n1["1. Use [A] #38; #60;T#62; (accepted)"]
  n2["2. Use #34;B#34; (accepted)"]
  n3["3. C#92;u{1b}[31m (proposed)"]
  n4["4. D (superseded)"]
  n5["5. E (accepted)"]
  n2 -->|supersedes| n1
  n3 -->|supersedes| n2
  n5 -->|supersedes| n4
`,
  );
  assert.equal(
    await draw("--around 5 --format dot"),
    `digraph decisions {
  rankdir=LR;
  node [shape=box];
  n1 [label="4. D (superseded)"];
  n2 [label="5. E (accepted)"];
  n2 -> n1 [label="supersedes" style=solid];
}
`,
  );
  assert.deepEqual(await cliJson(`graph ${OPTIONS} --around architecture://adr/4`, folder), {
    nodes: [
      { uri: "architecture://adr/0004-d", number: 4, title: "D", status: "superseded" },
      { uri: "architecture://adr/0005-e", number: 5, title: "E", status: "accepted" },
    ],
    edges: [{ from: "architecture://adr/0005-e", to: "architecture://adr/0004-d", kind: "supersedes" }],
  });
  const { edges } = await cliJson(`graph ${OPTIONS} --around 5 --scheme file`, folder);
  const [from, to] = ["file:///adr/0005-e.md", "file:///adr/0004-d.md"];
  assert.deepEqual(edges, [{ from, to, kind: "supersedes" }]);
  assert.equal(await draw("--around 6"), 'flowchart LR\n  n1["6. F (accepted)"]\n');
  const svg = await draw("--format svg");
  assert.deepEqual(svg.match(/(?<=class="supersedes" data-ends=")[^"]+/g), ["1 0", "2 1", "4 3"]);
  const title = "1. Use [A] &amp; &lt;T&gt; (accepted)\nsuperseded by 2. Use &quot;B&quot;";
  assert.ok(svg.includes(`<title>${title}</title><rect `), svg);
  assert.doesNotMatch(svg, /[^\P{Cc}\n]|<T>/u);
});

test("graph draws what amends and relates to a record once, whichever of the two says so", async (t) => {
  const folder = folderOf(t, {
    "0001-a.md": record("A", "status: accepted", "amended-by: 2", "relates-to: 3"),
    "0002-b.md": record("B", "status: accepted", "amends: 1"),
    "0003-c.md": record("C", "status: accepted", "relates-to: 0001-a.md"),
  });
  const { output } = await cli(`graph ${OPTIONS}`, folder);
  assert.deepEqual(output.split("\n").slice(4), ["  n2 -.->|amends| n1", "  n3 --- n1", ""]);
});

test("graph ends, whatever circles there are, and says which record it does not know", async (t) => {
  const folder = folderOf(t, {
    "0001-a.md": record("A", "supersedes: [2, 1, 9]"),
    "0002-b.md": record("B", "supersedes: 1"),
    "sub/0002-c.md": record("C", "status: accepted"),
  });
  const { output: svg } = await cli(`graph ${OPTIONS} --format svg`, folder);
  assert.equal(svg.match(/<rect /g)?.length, 2);
  const wrong: [name: string, message: RegExp][] = [
    ["7", /There is no record "7": the numbers are 1 to 2\n/],
    ["0002-d", /There is no record "0002-d" \(did you mean .*0002-c.*\?\): /],
    ["architecture://elsewhere/2", /There is no record "architecture:\/\/elsewhere\/2"/],
    ["2", /"2" is not one record: write the file name, adr\/0002-b\.md or adr\/sub\/0002-c\.md\n/],
  ];
  await assertFails(wrong.map(([name, error]) => [`graph ${OPTIONS} --around ${name}`, 1, error]), folder);
  const names = "adr/sub/0002-c.md 0002-c.md sub/0002-c 2-c adr/sub/2 architecture://adr/sub/2";
  for (const name of [...names.split(" "), "architecture://adr/sub/0002%2Dc"]) {
    const { output } = await cli(`graph ${OPTIONS} --around ${name}`, folder);
    assert.equal(output, 'flowchart LR\n  n1["2. C (accepted)"]\n', name);
  }
  // The record of the folder itself, and what it is related to.
  const { output } = await cli(`graph ${OPTIONS} --around adr/2`, folder);
  assert.deepEqual(output.match(/"\d\. ./g), ['"1. A', '"2. B']);
});

test("toc prints a markdown list of links, and changes the documents since a date", async (t) => {
  const folder = folderOf(t);
  const toc = await cli(`toc ${OPTIONS} --prefix docs/`, folder);
  assert.equal(
    toc.output,
    `## adr

- [1. Use \\[A\\] & \\<T\\>](docs/0001-a.md)
- [2. Use "B"](docs/0002-b.md)
- [3. C\\u{1b}\\[31m](docs/0003-c.md) (proposed)
- [4. D](docs/0004-d.md) (superseded)
- [5. E](docs/0005-e.md)
- [6. F](docs/0006-f.md)
`,
  );
  const several = await cli(`toc ${OPTIONS} --mount more=${makeFolder(t, { "x.md": "# X\n" })}`, folder);
  const apart = /^## adr\n\n- .*\(adr\/0001-a\.md\)\n[^]*\n## more\n\n- \[X\]\(more\/x\.md\)\n$/;
  assert.match(several.output, apart);
  const changed = async (options: string) => {
    const { code, output, errors } = await cli(`changes ${OPTIONS} ${options}`, folder);
    assert.deepEqual([code, errors], [0, ""]);
    const rows = output.matchAll(/^(\S+)\tarchitecture:\/\/adr\/(\S+)\t/gm);
    return Array.from(rows, ([, date, name]) => `${date} ${name}`);
  };
  const recent = ["2026-05-01 0005-e", "2026-04-01 0004-d", "2026-03-01 0003-c"];
  assert.deepEqual(await changed("--since 2026-03-01"), recent);
  assert.deepEqual(await changed("--since 2026-02-01 --dated"), [...recent, "2026-02-01 0002-b"]);
  const touched = ["0001-a", "0002-b", "0006-f"].map((name) => `2026-02-15 ${name}`);
  assert.deepEqual(await changed("--since 2026-02-15"), [...recent, ...touched]);
  const date = /changes takes a date such as --since 2026-07-28/;
  const wrong = ["", "--since yesterday", "--since 2026-02-31"];
  await assertFails(wrong.map((options) => [`changes ${OPTIONS} ${options}`, 2, date]), folder);
});
