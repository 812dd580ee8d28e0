import assert from "node:assert/strict";
import { test } from "node:test";
import { makeFolder } from "../harness/folder.ts";
import { runHere } from "../harness/command.ts";

const RECORD =
  "---\nstatus: accepted\n---\n# T\n\n## Context\n\nC\n\n## Decision\n\nD\n\n## Consequences\n\nE\n";

test("check has nothing to say of what comes with the program", async () => {
  const { code, output, errors } = await runHere(["check"]);
  assert.match(output, /^\d+ documents and 3 prompts: 0 errors, 0 warnings\n$/);
  assert.deepEqual([code, errors], [0, ""]);
});

test("check writes one line for each finding, by place, and a summary", async (t) => {
  const root = makeFolder(t, {
    "resources/adr/007-x.md": RECORD,
    "resources/adr/0007-y.md": `${RECORD}\n[x](gone.md)\n[x](#nowhere)\n`,
    "resources/docs/binary.md": Uint8Array.of(0),
    "prompts/p.json": "{",
  });
  const { code, output, errors } = await runHere(["check", "--root", root]);
  const lines = output.trimEnd().split("\n");
  assert.equal(lines.at(-1), "2 documents and 0 prompts: 5 errors, 0 warnings");
  assert.deepEqual(lines.slice(0, -1).map((line) => line.slice(0, line.indexOf(": "))), [
    "adr/0007-y.md:18 error link-dead",
    "adr/0007-y.md:19 error link-section-dead",
    "adr/007-x.md error adr-number-duplicate",
    "docs/binary.md error not-text",
    "prompts/p.json error prompt-definition",
  ]);
  assert.equal(
    lines[0],
    "adr/0007-y.md:18 error link-dead: The link leads to gone.md, which is not served. Fix the link.",
  );
  assert.deepEqual([code, errors], [1, ""]);
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
  const hostile = makeFolder(t, { "resources/docs/\u001b[31mred\u202e.md": "x\n", "prompts/p.json": "{\n" });
  const mounted = makeFolder(t, { "0001-x.md": RECORD, "0002-y.md": "# Y\n" });
  const cases: [string[], number, RegExp][] = [
    [
      ["--root", root],
      0,
      /^docs\/a\.md warning title-missing: .*\n1 document and 0 prompts: 0 errors, 1 warning\n$/,
    ],
    [["--mount", `adr=${mounted}`], 0, /^adr\/0002-y\.md warning adr-status-missing: /],
    [["--root", hostile], 1, /^docs\/\\u\{1b\}\[31mred\\u\{202e\}\.md warning title-missing: /m],
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
    [["--root", `${folder}/gone`], /Cannot read --root: ".*gone" does not exist\./],
    [
      ["--mount", `adr=${folder}/file.md`],
      /Cannot read --mount adr: ".*file\.md" is not a folder\./,
    ],
    [["docs"], /Unexpected argument "docs" for check: the usage is "check".*/],
  ];
  for (const [options, message] of cases) {
    const { code, output, errors } = await runHere(["check", ...options]);
    assert.match(errors, new RegExp(`^architrave: ${message.source}\\n$`));
    assert.deepEqual([code, output], [2, ""]);
  }
});
