import assert from "node:assert/strict";
import process from "node:process";
import { test } from "node:test";
import { makeFolder, writeFiles } from "../harness/folder.ts";
import { runHere } from "../harness/command.ts";
import { REPOSITORY } from "../harness/program.ts";

const RECORD =
  "---\nstatus: accepted\n---\n# T\n\n## Context\n\nC\n\n## Decision\n\nD\n\n## Consequences\n\nE\n";

test("check has nothing to say of what comes with the program", async () => {
  const { code, output, errors } = await runHere(["check", "--root", `${REPOSITORY}/mcp`]);
  assert.match(output, /^\d+ documents and 3 prompts: 0 errors, 0 warnings\n$/);
  assert.deepEqual([code, errors], [0, ""]);
});

const BROKEN = {
  "resources/adr/007-x.md": RECORD,
  "resources/adr/0007-y.md": `${RECORD}\n${
    [1, 2, 3, 4].map((n) => `[x](gone${n}.md)\n`).join("")
  }[x](#nowhere)\n`,
  "resources/docs/binary.md": Uint8Array.of(0),
  "resources/docs/a.md": "No title.\n",
  "prompts/p.json": "{",
};

test("check groups findings by rule, errors and frequent ones first, with three places each", async (t) => {
  const root = makeFolder(t, BROKEN);
  const { code, output, errors } = await runHere(["check", "--root", root]);
  assert.equal(
    output,
    `error link-dead (4): Fix the link.
  adr/0007-y.md:18: The link leads to gone1.md, which is not served
  adr/0007-y.md:19: The link leads to gone2.md, which is not served
  adr/0007-y.md:20: The link leads to gone3.md, which is not served
  and 1 more: --rule link-dead shows all

error link-section-dead (1): Write the heading in lower case, hyphens for spaces, without other marks.
  adr/0007-y.md:22: The link leads to #nowhere, and adr/0007-y.md has no such section

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
  const args = ["--scheme", "file", "--rule", "adr-number-duplicate"];
  assert.match(
    (await runHere(["check", "--root", root, ...args])).output,
    /, so file:\/\/\/adr\/7\.md names neither/,
  );
});

test("check says which folders hold decision records, and why", async (t) => {
  const root = makeFolder(t, {
    "resources/decisions/1-x.md": RECORD,
    "resources/decisions/2-y.md": "# Y\n",
    "resources/guides/1-start.md": "# Start\n",
    "resources/guides/2-go.md": "# Go\n",
    "resources/guides/3-end.md": RECORD,
  });
  const said = async (...options: string[]) => {
    const { output } = await runHere(["check", "--root", root, ...options]);
    return output.split("\n").filter((line) => /^\w+: /.test(line));
  };
  const decisions = "decisions: decision records: 1 of 2 documents look like some " +
    "(2 by their name, 1 by their status, 1 by their sections)";
  const guides = "1 of 3 documents look like some (3 by their name, 1 by their status, 1 by their sections)";
  assert.deepEqual(await said(), [
    decisions,
    `guides: no decision records without --records guides: ${guides}`,
  ]);
  assert.deepEqual(await said("--records", "guides"), [decisions]);
  const { output } = await runHere([
    "check",
    "--root",
    root,
    "--records=guides",
    "--records=none",
    "--format=json",
  ]);
  const { records, findings } = JSON.parse(output);
  assert.deepEqual(records[1], { folder: "guides", isRecords: true, isForced: true, reason: guides });
  assert.equal(findings.find(({ rule }: { rule: string }) => rule === "records-missing").file, "none");
});

test("check reports what is chosen by rule, file and severity", async (t) => {
  const root = makeFolder(t, BROKEN);
  const all = ["link-dead", "link-section-dead", "adr-number-duplicate", "not-text", "prompt-definition"];
  const cases: [args: string[], rules: string[], code: number][] = [
    [[], [...all, "title-missing"], 1],
    [["--errors-only"], all, 1],
    [["--rule", "link-dead"], ["link-dead"], 1],
    [["--rule=title-missing", "--rule=not-text"], ["not-text", "title-missing"], 1],
    [["--rule=title-missing", "--errors-only"], [], 0],
    [["--ignore=adr/**", "--ignore=*.json"], ["not-text", "title-missing"], 1],
    [["--ignore=not-text", "--ignore=adr/", "--ignore=p.json"], ["title-missing"], 0],
  ];
  for (const [args, rules, expected] of cases) {
    const { code, output } = await runHere(["check", "--root", root, ...args]);
    assert.deepEqual(
      Array.from(output.matchAll(/^\w+ ([\w-]+) \(/gm), ([, rule]) => rule),
      rules,
      args.join(" "),
    );
    assert.equal(code, expected);
  }
  const { output } = await runHere(["check", "--root", root, "--rule", "link-dead"]);
  assert.match(output, /gone4\.md/);
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
  const args = ["check", "--root", `${folder}/root`, "--mount", `adr=${folder}/docs/adr`];
  const rulesOf = (output: string) =>
    Array.from(output.matchAll(/^(\w+ [\w-]+ \(\d+\))/gm), ([, rule]) => rule);
  const { code, output } = await runHere(args);
  assert.deepEqual(rulesOf(output), [
    "error adr-status-missing (1)",
    "warning section-missing (2)",
    "warning applies-to-unmatched (1)",
  ]);
  assert.match(output, /0001-x\.md: The document has no section "Deciders"\n/);
  assert.match(output, /0002-y\.md: The document has no section "Context" and "Owner"\n/);
  assert.match(output, /0001-x\.md:2: The pattern "\*\*\/b\.ts" fits no file of the code\n/);
  assert.equal(code, 1);

  const baseline = await runHere([...args, "--format", "baseline"]);
  assert.equal(baseline.code, 0);
  writeFiles(folder, { "known.json": baseline.output, "docs/adr/0003-z.md": "# Z\n" });
  const later = await runHere([...args, "--baseline", `${folder}/known.json`]);
  assert.deepEqual(rulesOf(later.output), ["error adr-status-missing (1)", "warning section-missing (1)"]);
  assert.match(later.output, /1 error, 1 warning; 4 in the baseline\n$/);
});

test("check reports what most documents of a folder lack if the settings name the rule", async (t) => {
  const folder = makeFolder(t, { "s.json": '{"check":{"rules":{"title-missing":"error"}}}' });
  const names = ["a", "b", "c", "d", "e"];
  writeFiles(folder, Object.fromEntries(names.map((name) => [`docs/${name}.md`, "No title.\n"])));
  const args = ["check", "--mount", `docs=${folder}/docs`];
  const cases: [args: string[], summary: string][] = [
    [[], "0 errors, 0 warnings"],
    [["--rule=title-missing"], "0 errors, 0 warnings"],
    [["--config", `${folder}/s.json`], "5 errors, 0 warnings"],
  ];
  for (const [more, summary] of cases) {
    assert.match((await runHere([...args, ...more])).output, new RegExp(`: ${summary}\n$`));
  }
});

test("check knows the sections of the templates that come with the program", async (t) => {
  const folder = makeFolder(t, { "adr/0001-x.md": "# X\n", "s.json": "" });
  const madr = ["Context and Problem Statement", "Considered Options", "Decision Outcome"];
  const templates = {
    "nygard": ["Status", "Context", "Decision", "Consequences"],
    "madr": madr,
    "madr-minimal": madr,
  };
  for (const [template, sections] of Object.entries(templates)) {
    writeFiles(folder, { "s.json": JSON.stringify({ check: { sections: { "adr/**": template } } }) });
    const args = ["check", "--mount", `adr=${folder}/adr`, "--config", `${folder}/s.json`];
    const { output } = await runHere([...args, "--rule", "section-missing"]);
    assert.ok(
      output.includes(`has no section ${sections.map((title) => `"${title}"`).join(" and ")}\n`),
      output,
    );
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
      /Unknown template "madrid": use nygard, madr, madr-minimal, or a document /,
    ],
    [{ check: { code: "nowhere" } }, /Cannot read the code: ".*nowhere"/],
    [{ check: { baseline: "bad.json" } }, /Cannot read ".*bad\.json": it is not JSON/],
    [{ check: { baseline: "empty.json" } }, /Cannot use ".*empty\.json": .*known/],
  ];
  for (const [settings, message] of cases) {
    writeFiles(folder, { "s.json": JSON.stringify(settings) });
    const args = ["check", "--mount", `adr=${folder}/adr`, "--config", `${folder}/s.json`];
    const { code, errors } = await runHere(args);
    assert.match(errors, message);
    assert.equal(code, 2);
  }
  const { errors } = await runHere(["check", "--rule", "link-ded"]);
  assert.match(errors, /Unknown rule "link-ded" \(did you mean link-dead\?\): use one of .*link-dead/);
});

test("check --format github annotates files where they are, and sarif holds the same", async (t) => {
  const root = makeFolder(t, {
    "resources/docs/a, b%.md": "# A\n\n[x](gone.md)\n",
    "resources/docs/b.md": "x\n",
    "prompts/p.json": "{",
  });
  const path = root.replaceAll("\\", "/");
  const annotations = await runHere(["check", "--root", root, "--format", "github"]);
  const lines = annotations.output.split("\n");
  assert.equal(
    lines[0],
    `::error file=${
      path.replace(":", "%3A")
    }/resources/docs/a%2C b%25.md,line=3,title=link-dead::The link leads to gone.md, which is not served. Fix the link.`,
  );
  assert.match(lines[1]!, /^::warning file=.*\/resources\/docs\/b\.md,line=1,title=title-missing::/);
  assert.match(lines[2]!, /^::error file=.*\/prompts\/p\.json,line=1,title=prompt-definition::/);
  assert.match(lines[3]!, /^2 documents/);
  const { output } = await runHere(["check", "--root", root, "--format", "sarif"]);
  const { version, runs: [{ tool: { driver }, results }] } = JSON.parse(output);
  assert.deepEqual([version, driver.name, results.length], ["2.1.0", "architrave", 3]);
  const [{ ruleId, ruleIndex, level, locations: [{ physicalLocation }] }] = results;
  assert.deepEqual([ruleId, driver.rules[ruleIndex].id, level], ["link-dead", "link-dead", "error"]);
  assert.deepEqual(physicalLocation, {
    artifactLocation: { uri: `file://${path.replace(/^(\w):/, "/$1%3A")}/resources/docs/a%2C%20b%25.md` },
    region: { startLine: 3 },
  });
  // From the working directory, paths are relative: that is what code hosts can place.
  const here = await runHere([
    "check",
    "--rule",
    "title-missing",
    "--format",
    "github",
    "--mount",
    "adr=test",
  ]);
  assert.match(here.output, /^(?:::warning file=(?:test|mcp)\/.*\n)*\d+ documents/);
});

test("check --format json is the findings with everything that is known of them", async (t) => {
  const root = makeFolder(t, {
    "resources/docs/a.md": "# A\n\n[x](gone.md)\n",
    "resources/docs/b.md": "x\n",
  });
  const { code, output, errors } = await runHere(["check", "--root", root, "--format", "json"]);
  assert.deepEqual(JSON.parse(output), {
    findings: [
      {
        file: "docs/a.md",
        line: 3,
        severity: "error",
        rule: "link-dead",
        message: "The link leads to gone.md, which is not served",
        help: "Fix the link.",
      },
      {
        file: "docs/b.md",
        severity: "warning",
        rule: "title-missing",
        message: 'The document has no title and is listed as "b"',
        help: 'Begin it with a line "# Title", or write a title in its front matter.',
      },
    ],
    records: [],
    errors: 1,
    warnings: 1,
    documents: 2,
    prompts: 0,
  });
  assert.deepEqual([code, errors], [1, ""]);
});

test("check ends with 0 when there are only warnings, in mounted folders too; what it prints is safe", async (t) => {
  const root = makeFolder(t, { "resources/docs/a.md": "No title.\n" });
  // Windows allows no control characters in names.
  const name = process.platform === "win32" ? "red\u202e" : "\u001b[31mred\u202e";
  const hostile = makeFolder(t, { [`resources/docs/${name}.md`]: "x\n", "prompts/p.json": "{\n" });
  const mounted = makeFolder(t, { "0001-x.md": RECORD, "0002-y.md": "# Y\n" });
  const cases: [string[], number, RegExp][] = [
    [
      ["--root", root],
      0,
      /^warning title-missing \(1\): .*\n {2}docs\/a\.md: .*\n\n1 document and 0 prompts: 0 errors, 1 warning\n$/,
    ],
    [["--mount", `adr=${mounted}`], 0, /^warning adr-status-missing \(1\): .*\n {2}adr\/0002-y\.md: /m],
    [["--root", hostile], 1, /^ {2}docs\/(?:\\u\{1b\}\[31m)?red\\u\{202e\}\.md: The document has no title/m],
  ];
  for (const [options, expected, message] of cases) {
    const { code, output } = await runHere(["check", ...options]);
    assert.match(output, message);
    assert.equal(code, expected);
    assert.ok([root, hostile, mounted].every((folder) => !output.includes(folder)), "no path of the machine");
    assert.deepEqual(output.match(/[^\P{C}\n]/gu), null);
  }
});

test("check of a folder that is not there, or of anything else, is one sentence and exit code 2", async (t) => {
  const folder = makeFolder(t, { "file.md": "" });
  const cases: [string[], RegExp][] = [
    [["--root", `${folder}/gone`], /Cannot read --root: ".*gone" does not exist: .+\./],
    [
      ["--mount", `adr=${folder}/file.md`],
      /Cannot read --mount adr: ".*file\.md" is not a folder: .+\./,
    ],
    [["docs"], /Unexpected argument "docs" for check: the usage is "check".*/],
  ];
  for (const [options, message] of cases) {
    const { code, output, errors } = await runHere(["check", ...options]);
    assert.match(errors, new RegExp(`^architrave: ${message.source}\\n$`));
    assert.deepEqual([code, output], [2, ""]);
  }
});

test("check reports skills that are not served, with the path of their file", async (t) => {
  const root = makeFolder(t, {
    "resources/a/x.md": "# X\n",
    "skills/bad/SKILL.md": "# No front matter\n",
    "skills/Other/SKILL.md": "---\nname: Other\ndescription: x\n---\n",
  });
  const { code, output } = await runHere(["check", "--root", root, "--format", "github"]);
  assert.equal(code, 1);
  assert.match(output, /::error file=[^,]*\/skills\/bad\/SKILL\.md,line=1,title=skill-invalid::/);
  assert.doesNotMatch(output, /resources\/skills/);
  assert.match(output, /\/skills\/Other\/SKILL\.md,line=1,title=skill-name::.*Rename it/);
});
