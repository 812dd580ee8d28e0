import assert from "node:assert/strict";
import process from "node:process";
import { test } from "node:test";
import { makeFolder, writeFiles } from "../harness/folder.ts";
import { assertFails, cli, cliJson } from "../harness/command.ts";
import { REPOSITORY } from "../harness/program.ts";

const RECORD =
  "---\nstatus: accepted\n---\n# T\n\n## Context\n\nC\n\n## Decision\n\nD\n\n## Consequences\n\nE\n";
const BROKEN = {
  "resources/adr/007-x.md": RECORD,
  "resources/adr/0007-y.md": `${RECORD}
[x](gone1.md)\n\n[x](gone2.md)\n\n[x](gone3.md)\n\n[x](gone4.md)\n\n[x](#nowhere)\n`,
  "resources/docs/binary.md": Uint8Array.of(0),
  "resources/docs/a.md": "No title.\n",
  "prompts/p.json": "{",
};
/** The findings of `check` with how often each is there: "error link-dead (4)". */
const rulesIn = (output: string) => output.match(/^\w+ [\w-]+ \(\d+\)/gm) ?? [];

test("check finds nothing in what comes with the program", async () => {
  const { code, output, errors } = await cli("check --root DIR/mcp", REPOSITORY);
  assert.match(output, /^\d+ documents and 3 prompts: 0 errors, 0 warnings\n$/);
  assert.deepEqual([code, errors], [0, ""]);
});

test("check groups findings by rule, errors and frequent ones first, with three places each", async (t) => {
  const root = makeFolder(t, BROKEN);
  const { code, output, errors } = await cli("check --root DIR", root);
  assert.equal(
    output,
    `error link-dead (4): Fix the link.
  adr/0007-y.md:18: The link leads to gone1.md, which is not served
  adr/0007-y.md:20: The link leads to gone2.md, which is not served
  adr/0007-y.md:22: The link leads to gone3.md, which is not served
  and 1 more: --rule link-dead shows all

error link-section-dead (1): Write the heading in lower case, hyphens for spaces, without other marks.
  adr/0007-y.md:26: The link leads to #nowhere, and adr/0007-y.md has no such section

error adr-number-duplicate (1): Give one of the two the next free number.
  adr/007-x.md: The number 7 is also that of adr/0007-y.md, so architecture://adr/7 names neither

error not-text (1): Save it as UTF-8, or give it another ending than .md.
  docs/binary.md: The file is not UTF-8 text and is not served

error prompt-definition (1): Fix the file; the guideline writing-prompts has the format.
  prompts/p.json: ${/prompts\/p\.json: (.*)/.exec(output)?.[1]}

warning title-missing (1): Begin it with a line "# Title", or write a title in its front matter.
  docs/a.md: The document has no title and is listed as "a"

3 documents and 0 prompts: 8 errors, 1 warning
`,
  );
  assert.deepEqual([code, errors], [1, ""]);
  const { output: duplicate } = await cli("check --root DIR --scheme file --rule adr-number-duplicate", root);
  assert.match(duplicate, /, so file:\/\/\/adr\/7\.md names neither/);
});

test("check counts one thing as one", async (t) => {
  const crlf = "# T\r\n";
  const folder = makeFolder(t, {
    "one/a.md": crlf,
    "two/a.md": crlf,
    "two/b.md": crlf,
    "odd/a.md": "# A\u202e\n",
  });
  const { findings } = await cliJson(
    "check --mount one=DIR/one --mount two=DIR/two --mount odd=DIR/odd",
    folder,
  );
  assert.deepEqual(findings.map(({ message }: { message: string }) => message), [
    "The text has 1 invisible character, the first of them U+202E",
    "The lines end with CRLF",
    "The lines end with CRLF, as in 1 more file of two",
  ]);
});

test("check says which folders hold decision records, and why", async (t) => {
  const root = makeFolder(t, {
    "resources/decisions/1-x.md": RECORD,
    "resources/decisions/2-y.md": "# Y\n",
    "resources/guides/1-start.md": "# Start\n",
    "resources/guides/2-go.md": "# Go\n",
    "resources/guides/3-end.md": RECORD,
  });
  const decisions = "decisions: decision records: 1 of 2 documents look like some " +
    "(2 by their name, 1 by their status, 1 by their sections)";
  const guides = "1 of 3 documents look like some (3 by their name, 1 by their status, 1 by their sections)";
  const rows: [options: string, said: string[]][] = [
    ["", [decisions, `guides: no decision records without --records guides: ${guides}`]],
    ["--records guides", [decisions]],
  ];
  for (const [options, said] of rows) {
    const { output } = await cli(`check --root DIR ${options}`, root);
    assert.deepEqual(output.match(/^\w+: .*/gm), said);
  }
  const { records, findings } = await cliJson("check --root DIR --records=guides --records=none", root);
  assert.deepEqual(records[1], { folder: "guides", isRecords: true, isForced: true, reason: guides });
  assert.equal(findings.find(({ rule }: { rule: string }) => rule === "records-missing").file, "none");
});

test("check reports what is chosen by rule, file and severity", async (t) => {
  const root = makeFolder(t, BROKEN);
  const all = "link-dead link-section-dead adr-number-duplicate not-text prompt-definition";
  const cases: [options: string, rules: string, code: number][] = [
    ["", `${all} title-missing`, 1],
    ["--errors-only", all, 1],
    ["--rule link-dead", "link-dead", 1],
    ["--rule=title-missing --rule=not-text", "not-text title-missing", 1],
    ["--rule=title-missing --errors-only", "", 0],
    ["--ignore=adr/** --ignore=*.json", "not-text title-missing", 1],
    ["--ignore=not-text --ignore=adr/ --ignore=p.json", "title-missing", 0],
  ];
  for (const [options, rules, expected] of cases) {
    const { code, output } = await cli(`check --root DIR ${options}`, root);
    assert.equal(rulesIn(output).map((found) => found.split(" ")[1]).join(" "), rules, options);
    assert.equal(code, expected);
    if (options === "--rule link-dead") assert.match(output, /gone4\.md/);
  }
});

test("check takes rules, excluded files, sections, code and a baseline from architrave.json", async (t) => {
  const folder = makeFolder(t, {
    "root/resources/.keep": "",
    "src/a.ts": "",
    ".github/w.yml": "",
    "node_modules/x/b.ts": "",
    "docs/adr/0001-x.md": RECORD.replace("---\n", "---\napplies-to: [src/*.ts, '**/b.ts', .github/*]\n"),
    "docs/adr/0002-y.md": "# Y\n# Z\n",
    "docs/adr/template.md":
      "# T\n\n## Context\n\n<!-- This is an optional element. -->\n## Links\n\n## Owner\n",
    "docs/adr/old/0009-z.md": "x\n",
    "docs/adr/architrave.json": JSON.stringify({
      check: {
        rules: { "title-repeated": "off", "adr-status-missing": "error" },
        exclude: ["old/", "adr/old/"],
        sections: { "adr/0001*": ["Decision", "Deciders"], "adr/**": "adr/template.md" },
        code: "../..",
      },
    }),
  });
  const line = "check --root DIR/root --mount adr=DIR/docs/adr";
  const { code, output } = await cli(line, folder);
  const found = [
    "error adr-status-missing (1)",
    "warning section-missing (2)",
    "warning applies-to-unmatched (1)",
  ];
  assert.deepEqual(rulesIn(output), found);
  assert.match(output, /0001-x\.md: The document has no section "Deciders"\n/);
  assert.match(output, /0002-y\.md: The document has no section "Context" and "Owner"\n/);
  assert.match(output, /0001-x\.md:2: The pattern "\*\*\/b\.ts" fits no file of the code\n/);
  assert.equal(code, 1);
  const baseline = await cli(`${line} --format baseline`, folder);
  assert.equal(baseline.code, 0);
  writeFiles(folder, { "known.json": baseline.output, "docs/adr/0003-z.md": "# Z\n" });
  const later = await cli(`${line} --baseline DIR/known.json`, folder);
  assert.deepEqual(rulesIn(later.output), ["error adr-status-missing (1)", "warning section-missing (1)"]);
  assert.match(later.output, /1 error, 1 warning; 4 in the baseline\n$/);
});

test("check reports what most documents of a folder lack if the settings name the rule", async (t) => {
  const folder = makeFolder(t, { "s.json": '{"check":{"rules":{"title-missing":"error"}}}' });
  for (const name of "abcde") writeFiles(folder, { [`docs/${name}.md`]: "No title.\n" });
  const rows = { "": 0, "--rule=title-missing": 0, "--config DIR/s.json": 5 };
  for (const [options, errors] of Object.entries(rows)) {
    const { output } = await cli(`check --mount docs=DIR/docs ${options}`, folder);
    assert.match(output, new RegExp(`: ${errors} errors, 0 warnings\n$`));
  }
});

test("check knows the sections of the templates that come with the program", async (t) => {
  const folder = makeFolder(t, { "adr/0001-x.md": "# X\n" });
  const madr = '"Context and Problem Statement" and "Considered Options" and "Decision Outcome"';
  const nygard = '"Status" and "Context" and "Decision" and "Consequences"';
  for (const [template, sections] of Object.entries({ nygard, madr, "madr-minimal": madr })) {
    writeFiles(folder, { "s.json": JSON.stringify({ check: { sections: { "adr/**": template } } }) });
    const line = "check --mount adr=DIR/adr --config DIR/s.json --rule section-missing";
    const { output } = await cli(line, folder);
    assert.ok(output.includes(`has no section ${sections}\n`), output);
  }
});

test("check says what is wrong with its settings", async (t) => {
  const folder = makeFolder(t, { "adr/0001-x.md": RECORD, "bad.json": "[", "empty.json": "{}" });
  const cases: [settings: unknown, message: RegExp][] = [
    [{ chek: {} }, /Cannot use ".*s\.json": \/?chek/],
    [{ check: { rules: { "link-ded": "off" } } }, /Cannot use ".*s\.json": \/check\/rules/],
    [{ check: { rules: { "link-dead": "loud" } } }, /\/check\/rules\/link-dead/],
    [
      { check: { sections: { "adr/**": "madrid" } } },
      /Unknown template "madrid": use nygard, madr, madr-/,
    ],
    [{ check: { sections: { "*": "\u001b[31mX" } } }, /^[^\p{Cc}]+[^.]\.\n$/u],
    [{ check: { code: "nowhere" } }, /Cannot read the code: ".*nowhere"/],
    [{ check: { baseline: "bad.json" } }, /Cannot read ".*bad\.json": it is not JSON/],
    [{ check: { baseline: "empty.json" } }, /Cannot use ".*empty\.json": .*known/],
  ];
  for (const [settings, message] of cases) {
    writeFiles(folder, { "s.json": JSON.stringify(settings) });
    await assertFails([["check --mount adr=DIR/adr --config DIR/s.json", 2, message]], folder);
  }
  const unknown = /Unknown rule "link-ded" \(did you mean link-dead\?\): use one of .*link-dead/;
  await assertFails([["check --mount adr=DIR/adr --rule link-ded", 2, unknown]], folder);
});

test("check --format github annotates files where they are, and sarif holds the same", async (t) => {
  const root = makeFolder(t, {
    "resources/docs/a, b%.md": "# A\n\n[x](gone.md)\n",
    "resources/docs/b.md": "x\n",
    "prompts/p.json": "{",
    "skills/bad/SKILL.md": "# No front matter\n",
    "skills/Other/SKILL.md": "---\nname: Other\ndescription: x\n---\n",
  });
  const path = root.replaceAll("\\", "/");
  const { code, output: annotations } = await cli("check --format github --root DIR", root);
  assert.equal(code, 1);
  const rows: [start: string, file: string, rest: RegExp][] = [
    [
      "error",
      "resources/docs/a%2C b%25.md",
      /,line=3,title=link-dead::The .* not served\. Fix the link\.$/,
    ],
    ["warning", "resources/docs/b.md", /,line=1,title=title-missing::/],
    ["error", "prompts/p.json", /,line=1,title=prompt-definition::/],
    ["error", "skills/Other/SKILL.md", /,line=1,title=skill-name::.*Rename it/],
    ["error", "skills/bad/SKILL.md", /,line=1,title=skill-invalid::/],
  ];
  const lines = annotations.split("\n");
  for (const [severity, file, rest] of rows) {
    const start = `::${severity} file=${path.replace(":", "%3A")}/${file}`;
    assert.match(lines.find((line) => line.startsWith(start))?.slice(start.length) ?? annotations, rest);
  }
  assert.match(lines[0]!, /a%2C b%25\.md/);
  assert.match(lines[5]!, /^2 documents/);
  const sarif = await cli("check --format sarif --root DIR", root);
  const { version, runs: [{ tool: { driver }, results }] } = JSON.parse(sarif.output);
  assert.deepEqual([version, driver.name, results.length], ["2.1.0", "architrave", 5]);
  const [{ ruleId, ruleIndex, level, locations: [{ physicalLocation }] }] = results;
  assert.deepEqual([ruleId, driver.rules[ruleIndex].id, level], ["link-dead", "link-dead", "error"]);
  assert.deepEqual(physicalLocation, {
    artifactLocation: { uri: `file://${path.replace(/^(\w):/, "/$1%3A")}/resources/docs/a%2C%20b%25.md` },
    region: { startLine: 3 },
  });
  // From the working directory, paths are relative: that is what code hosts can place.
  const here = await cli("check --rule title-missing --format github --mount adr=test");
  assert.match(here.output, /^(?:::warning file=(?:test|mcp)\/.*\n)*\d+ documents/);
});

test("check --format json is the findings with everything that is known of them", async (t) => {
  const folder = makeFolder(t, { "docs/a.md": "# A\n\n[x](gone.md)\n", "docs/b.md": "x\n" });
  const dead = { file: "docs/a.md", line: 3, severity: "error", rule: "link-dead", help: "Fix the link." };
  const missing = { file: "docs/b.md", severity: "warning", rule: "title-missing" };
  const help = 'Begin it with a line "# Title", or write a title in its front matter.';
  assert.deepEqual(await cliJson("check --mount docs=DIR/docs", folder), {
    findings: [
      { ...dead, message: "The link leads to gone.md, which is not served" },
      { ...missing, message: 'The document has no title and is listed as "b"', help },
    ],
    ...{ records: [], errors: 1, warnings: 1, documents: 2, prompts: 0 },
  });
});

test("check prints no path of the machine, and nothing that steers a terminal", async (t) => {
  // Windows allows no control characters in names.
  const name = process.platform === "win32" ? "red\u202e" : "\u001b[31mred\u202e";
  const root = makeFolder(t, { [`resources/docs/${name}.md`]: "x\n", "prompts/p.json": "{\n" });
  const { output } = await cli("check --root DIR", root);
  assert.match(output, /^ {2}docs\/(?:\\u\{1b\}\[31m)?red\\u\{202e\}\.md: The document has no title/m);
  assert.ok(!output.includes(root), output);
  const { output: annotations } = await cli("check --format github --root DIR", root);
  assert.deepEqual((output + annotations).match(/[^\P{C}\n]/gu), null);
});
