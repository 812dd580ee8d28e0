import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import process from "node:process";
import { test } from "node:test";
import { assertFails, cli, cliJson, editMeanwhile } from "../harness/command.ts";
import { filesIn, makeFolder } from "../harness/folder.ts";
import { ON_DENO, REPOSITORY, run, sandbox } from "../harness/program.ts";
import { allow, ON_WINDOWS } from "../harness/runtime.ts";

/** The record that adr-tools makes, with its status. */
function nygard(number: number, title: string, status: string): string {
  return readFileSync(`${REPOSITORY}/mcp/templates/nygard.md`, "utf8").replace("NUMBER", String(number))
    .replace("TITLE", () => title).replace("DATE", "2026-07-28").replace("STATUS", () => status);
}

/** Where the records are, and the date of new ones. */
const MOUNT = "--mount adr=DIR", DATE = "--date 2026-07-28";
/** Runs a command line that writes, and checks that it succeeds; returns what it prints. */
async function write(line: string | readonly string[], folder: string): Promise<string> {
  const words = typeof line === "string" ? line.split(" ") : line;
  const { code, output, errors } = await cli([...words, ...MOUNT.split(" "), "--write"], folder);
  assert.equal(code, 0, `${line}: ${errors}`);
  assert.match(
    errors,
    words[0] === "supersede" ? /^architrave: "B".* supersedes ".*\.\n$/ : /^$/,
    String(line),
  );
  return output;
}

/** The rules that the records of a folder break. */
async function rulesOf(folder: string): Promise<string[]> {
  const { findings } = await cliJson(`check ${MOUNT} --ignore prompts/`, folder);
  return findings.map(({ rule }: { rule: string }) => rule);
}

/** A text before and after an edit, which is written in it as "«before→after»". */
function edit(text: string): [before: string, after: string] {
  return [text.replace(/«(.*?)→.*?»/gs, "$1"), text.replace(/«.*?→(.*?)»/gs, "$1")];
}

test("the templates are those of adr-tools 3 and MADR 4, byte for byte", () => {
  const hashes = {
    nygard: "68c7c24a9bb73419f823c818d7c08f888063eca9d0cdb80e96625b9faa088286",
    madr: "5692b8aa0702bed7de0f40eefcc794947060d2c7a6480608b8b36e3d93cab4ba",
    "madr-minimal": "1ba5eb74f5925442b04dd9c2418ce332f923be8aeadc83e3c081f54f9c9ec28f",
  };
  for (const [name, expected] of Object.entries(hashes)) {
    const template = readFileSync(`${REPOSITORY}/mcp/templates/${name}.md`, "utf8");
    const text = template.replace("---\nstatus:\ndate:\n---\n\n", "");
    assert.equal(createHash("sha256").update(text).digest("hex"), expected, name);
  }
});

test("new names a record by the scheme of its folder", async (t) => {
  const cases: [files: string[], title: string, expected: string][] = [
    [[], "Use queues", "0001-use-queues.md"],
    [["0001-a.md", "0009-b.md", "0002-c.md"], "Use queues", "0010-use-queues.md"],
    [["001-a.md", "002-b.md"], "Use queues", "003-use-queues.md"],
    [["099-a.md"], "Use queues", "100-use-queues.md"],
    [["7-a.md"], "Use queues", "8-use-queues.md"],
    [["0001-10-20-rule.md"], "Use queues", "0002-use-queues.md"],
    [["0005-one-pass-templates.md"], "Use queues", "0006-use-queues.md"],
    [["2021-06-05_001-a.md"], "Use queues", "2026-07-28_use-queues.md"],
    [["0008-a.md", "0012-pictures/x.png"], "Octal", "0013-octal.md"],
    [["ADR-007-a.md"], "Use queues", "ADR-008-use-queues.md"],
    [["adr_0007_some_thing.md"], "Use queues", "adr_0008_use_queues.md"],
    [["0001_some_thing.md"], "Use queues", "0002_use_queues.md"],
    [["2026-01-02-a.md", "2026-01-03-b.md"], "Use queues", "2026-07-28-use-queues.md"],
    [["20260102-a.md", "template.md"], "Use queues", "20260728-use-queues.md"],
    [["0001-a/README.md", "README.md", "index.md"], "Use queues", "0002-use-queues/README.md"],
    [["2026-01-02-a/README.md", "2026-01-03-b/README.md"], "Use queues", "2026-07-28-use-queues/README.md"],
    [["0001-a/index.md", "0002-b/index.md", "0003-c.md"], "Use queues", "0004-use-queues/index.md"],
    [["0001-a/README.md", "0002-b.md", "0003-c.md"], "Use queues", "0004-use-queues.md"],
    [["backend/adr-001-a.md", "backend/adr-002-b.md"], "Use queues", "backend/adr-003-use-queues.md"],
    [["backend/001-a/README.md", "README.md"], "Use queues", "backend/002-use-queues/README.md"],
    [["0001-a.md", "old/0009-b.md"], "Use queues", "0002-use-queues.md"],
    [["0000-adr-template.md"], "Use queues", "0001-use-queues.md"],
    // As in the tests of adr-tools.
    [[], "Something About Node.JS", "0001-something-about-node-js.md"],
    [[], "Slash/Slash/Slash/", "0001-slash-slash-slash.md"],
    [[], "../../etc/passwd", "0001-etc-passwd.md"],
    [[], "Größe 😀 messen", "0001-größe-messen.md"],
    [[], `Quote "it" & 'that' | $& \\1`, "0001-quote-it-that-1.md"],
  ];
  for (const [names, title, expected] of cases) {
    const folder = makeFolder(t, Object.fromEntries(names.map((name) => [name, "# A\n"])));
    const output = await write(["new", title, "--template=nygard", "--date=2026-07-28"], folder);
    assert.equal(output, `created ${folder}/${expected}\n`);
    const text = readFileSync(`${folder}/${expected}`, "utf8");
    assert.ok(text.split("\n", 1)[0]!.endsWith(title), text);
    assert.deepEqual(Object.keys(filesIn(folder)).sort(), [...names, expected].sort());
  }
  const dashed = makeFolder(t);
  const { output } = await cli(`new ${MOUNT} --write -- -Bar- and more`, dashed);
  assert.equal(output, `created ${dashed}/0001-bar-and-more.md\n`);
});

test("new fills in MADR's templates, the template of the folder, and that of a file", async (t) => {
  const madr = readFileSync(`${REPOSITORY}/mcp/templates/madr.md`, "utf8");
  const log4brains =
    "# [short title]\n\n- Status: [draft | proposed | … | superseded by [xxx](yyyymmdd-xxx.md)] <!-- optional -->\n" +
    "- Date: [YYYY-MM-DD when the decision was last updated] <!-- optional -->\n\n## Context\n";
  const own = "\uFEFF---\r\ntitle: Template\r\nstatus: draft\r\n---\r\n\r\nADR-NNN: x\r\n=====\r\n";
  const filledOwn =
    '---\r\ntitle: "Use queues"\r\nstatus: proposed\r\n---\r\n\r\nADR-0001: Use queues\r\n=====\r\n';
  const file = `${makeFolder(t, { "own.md": own })}/own.md`;
  const given: Record<string, string> = {
    "status: ": "proposed",
    "date: ": DATE.slice(7),
    "# ": "Use queues",
  };
  const filledIn = madr.replace(/^(status: |date: |# (?=\{)).*$/gm, (_, start) => start + given[start]);
  const minimal = /^---\nstatus: proposed\ndate: 2026-07-28\n---\n\n# Use queues\n\n## Context and P/;
  const numbered = "# ADR-NNNN: {title}\n\n## Status\n\n{proposed | accepted}\n";
  const adrTools = "# Use queues\n\n# Status\n\nProposed\n\nNumber: 1\nDate: 2026-07-28\n";
  // Front matter, numbers in titles and sections are those of the last record.
  const plainMadr =
    "# Use queues\n\n- Status: proposed\n- Date: 2026-07-28\n\n## Context and Problem Statement\n";
  const sections = "## Context\n\n## Decision\n\n## Consequences\n";
  const cases: [files: Record<string, string>, expected: string | RegExp, options?: string][] = [
    [
      { "0007-a.md": `---\ntitle: "A"\nstatus: accepted\ntags: [x]\n---\n\n# A\n\n${sections}` },
      `---\ntitle: "Use queues"\nstatus: proposed\n---\n\n# Use queues\n\n${sections}`,
    ],
    [
      { "0007-a.md": `# ADR-0007: A\n\n## Status\n\nAccepted\n\n${sections}` },
      /^# ADR-0008: Use queues\n\nDate: 2026-07-28\n\n## Status\n\nProposed\n/,
    ],
    [{ "0007-a.md": `# 0007. A\n\n${sections}` }, /^# 0008\. Use queues\n\nDate: /],
    [{ "0007-a.md": `# 7. A\n\n${sections}` }, /^# 8\. Use queues\n\nDate: /],
    [{ "0007-a.md": `# A\n\n${sections}` }, /^# Use queues\n\nDate: /],
    [{ "0007-a.md": `# 12 factors\n\n${sections}` }, /^# Use queues\n\nDate: /],
    [
      {
        "001-a.md":
          "# ADR 001 - A\n\n| Status | Accepted |\n|---|---|\n| Date | 2026-01-02 |\n\n## Summary\n\nS\n\n### Deep\n\n## Options\n\nO\n",
      },
      "# ADR 002 - Use queues\n\n| Status | Proposed |\n|---|---|\n| Date | 2026-07-28 |\n\n## Summary\n\n## Options\n",
    ],
    [
      {
        "001-a/README.md":
          "# A\n\n**Status:** Accepted  \n**Date:** 2026-01-02\n\n## Why\n\nX\n\n## What\n\nY\n",
      },
      "# Use queues\n\n**Status:** Proposed  \n**Date:** 2026-07-28\n\n## Why\n\n## What\n",
    ],
    [
      { "0001-a.md": "# A\n\n## 1. Status\n\nAccepted\n\n## 2. Problem\n\nX\n\n## 3. Solution\n\nY\n" },
      "# Use queues\n\n## 1. Status\n\nProposed\n\n## 2. Problem\n\n## 3. Solution\n",
    ],
    [
      {
        "0001-a.md":
          "# 1. A\n\n- Status: Akzeptiert\n- Datum: 2026-01-02\n\n## Kontext\n\nX\n\n## Entscheidung\n\nY\n\n## Konsequenzen\n\nZ\n",
      },
      "# 2. Use queues\n\n- Status: Vorgeschlagen\n- Datum: 2026-07-28\n\n## Kontext\n\n## Entscheidung\n\n## Konsequenzen\n",
    ],
    [
      { "0001-a.md": "# A\n\n## Statut\n\naccepté\n\n## Contexte\n\nX\n\n## Décision\n\nY\n" },
      "# Use queues\n\n## Statut\n\nProposé\n\n## Contexte\n\n## Décision\n",
    ],
    [
      {
        "0001-a.md":
          "# A\n\n**Estado:** Aceptado  \n**Fecha:** 2026-01-02\n\n## Contexto\n\nX\n\n## Decisión\n\nY\n",
      },
      "# Use queues\n\n**Estado:** Propuesto  \n**Fecha:** 2026-07-28\n\n## Contexto\n\n## Decisión\n",
    ],
    [
      { "0001-a.md": "# A\n\n## 状态\n\n已接受\n\n## 背景\n\nX\n\n## 决策\n\nY\n" },
      /^# Use queues\n\n## 状态\n\n\p{L}+\n\n## 背景\n\n## 决策\n$/u,
    ],
    [
      {
        "0001-a.md":
          "---\nstatus: akzeptiert\ndatum: 2026-01-02\n---\n\n# A\n\n## Kontext\n\nX\n\n## Entscheidung\n\nY\n",
      },
      /^---\nstatus: vorgeschlagen\ndatum: 2026-07-28\n---\n/,
    ],
    [{}, filledIn, "--template madr"],
    [{}, minimal, "--template madr-minimal"],
    [{}, nygard(1, "Use queues", "Proposed")],
    [{ "0001-a.md": "---\nstatus: accepted\n---\n# A\n" }, /^---\n# These.*\nstatus: proposed\n/],
    [{ "0001-a.md": "# A\n\n## Context and Problem Statement\n" }, plainMadr],
    [
      {
        "0001-a.md": "---\nstatus: accepted\n---\n# A\n",
        "0002-b.md": "---\nstatus: accepted\n---\n",
        "2024-06-04-x.md": "# X\n",
      },
      /^---\n# These/,
    ],
    [{ "20240604-a.md": "# A\n\n## Context and Problem Statement\n" }, plainMadr],
    [{ "templates/template.md": "# TITLE\n\n# Status\n\nSTATUS\n\nNumber: NUMBER\nDate: DATE\n" }, adrTools],
    [{ "template.md": log4brains }, "# Use queues\n\n- Status: proposed\n- Date: 2026-07-28\n\n## Context\n"],
    [{ "adr-template.md": numbered }, "# ADR-0001: Use queues\n\n## Status\n\nProposed\n"],
    [{ "0001-use-a-template.md": "# A\n", "template.md": "# TITLE\n\nX\n" }, "# Use queues\n\nX\n"],
    [{ "adr-template.md": "## Status\n\n## X\n" }, "# Use queues\n\n## Status\n\nProposed\n\n## X\n"],
    [{}, filledOwn, `--template ${file}`],
  ];
  for (const [files, expected, options = ""] of cases) {
    const folder = makeFolder(t, files);
    const output = await write(`new Use queues ${DATE} ${options}`.trim(), folder);
    const text = readFileSync(/^created (.*)\n$/.exec(output)![1]!, "utf8");
    if (typeof expected === "string") assert.equal(text, expected);
    else assert.match(text, expected);
  }
});

test("supersede edits both records in the form that each has", async (t) => {
  const cases: [what: string, old: string, now: string][] = [
    [
      "front matter",
      '---\nstatus: «"accepted"→superseded by ADR-0002» # since May\ndate: 2026-01-02\n---\n# A\n',
      "---\ndate: 2026-01-03\nstatus: accepted\n«→supersedes: ADR-0001\n»tags: [x]\n---\n# B\n",
    ],
    [
      "more than one relation",
      "---\nstatus: superseded by ADR-0007«→, ADR-0002»\n---\n# A\n",
      "---\nstatus: accepted\nsupersedes:«\n  - 5\n  - 6→ [5, 6, ADR-0001]»\n---\n# B\n",
    ],
    [
      "lines as in log4brains and MADR 2",
      "# A\n\n- Status: «accepted→superseded by [ADR-0002](0002-b.md)»\n- Date: 2026-01-02\n\n## Context\n",
      "# B\n\n* Status: accepted\n\n## Context\n\nC\n\n## Links\n\n* Refines [x](x.md)\n«→* Supersedes [ADR-0001](0001-a.md)\n»",
    ],
    [
      "a part that was replaced before, in a section",
      "# A\n\n## Status\n\n«P→S»«artly s→»uperseded by [7. X](0007-x.md)\n\n«→Superseded by [2. B](0002-b.md)\n\n»## Context\n",
      "# B\n\n- Status: accepted\n\n## Links\n\n- Supersedes [x](x.md)\n«→- Supersedes [ADR-0001](0001-a.md)\n»",
    ],
    [
      "a part that was replaced before, in a line; names beside links",
      "# A\n\n- Status: «partly superseded by [7. X](0007-x.md)→superseded by [7. X](0007-x.md), [ADR-0002](0002-b.md)»\n",
      "---\nsupersedes: «7→[7, ADR-0001]»\n---\n# B\n",
    ],
    [
      "a field of its own",
      "# A\n\n| Status | «Accepted→Superseded» |\n|---|---|\n| Superseded by |«→ [ADR-0002](0002-b.md)» |\n",
      "# B\n\n- Status: accepted\n- Supersedes: «none→[ADR-0001](0001-a.md)»\n",
    ],
    [
      "a field with a list below it",
      "# A\n\n- Superseded by:\n  - ADR-7\n- Status: «accepted→superseded by [ADR-0002](0002-b.md)»\n",
      "# B\n\n## Status\n\nAccepted«→\n\nSupersedes [1. A](0001-a.md)\n»",
    ],
    [
      "a number in quotes",
      "---\nstatus: superseded\nsuperseded-by: «'0012'→[\"0012\", ADR-0002]»\n---\n# A\n",
      "---\n«→supersedes: ADR-0001\n»---\n# B\n",
    ],
    [
      "a stage",
      "---\nstage: «accepted→superseded by ADR-0002»\n---\n# A\n",
      "---\n«→supersedes: ADR-0001\n»stage: accepted\n---\n# B\n",
    ],
    [
      "two fields in a line",
      "# A\n\n**Status:** «Accepted→Superseded by [ADR-0002](0002-b.md)» | **Date:** 2026-01-02\n",
      "# B\n\nDate: 2026-01-03 | Status: accepted<br>\nX: y«→\n\n## Links\n\n- Supersedes [ADR-0001](0001-a.md)»\n",
    ],
    [
      "other lines, a table, no end of line",
      "# A\n\n| Status | «Accepted→Superseded by [ADR-0002](0002-b.md)» |\n|---|---|\n",
      "# B\n\n**Status:** Accepted\n\n## Context\n\nC«→\n\n## Links\n\n- Supersedes [ADR-0001](0001-a.md)\n»",
    ],
    [
      "sections, with CRLF, a byte order mark, and more in them",
      "\uFEFF# 1. A [draft\r\n\r\n## Status\r\n\r\n«Accepted\r\n\r\n→»Amends [9. X](x.md)\r\n\r\n" +
      "«→Superseded by [2. B](0002-b.md)\r\n\r\n»## Context\r\n",
      "# B\n\n## Status\n\nAccepted«→\n\nSupersedes [1. A \\[draft](0001-a.md)\n»",
    ],
    [
      "keys for relations, filled in or not",
      "---\nstatus: «Accepted→Superseded»\nsuperseded_by: «[\n  ADR-0007\n]→[ADR-0007, ADR-0002]»\n---\n# A\n",
      "---\nsupersedes: «none→ADR-0001»\n---\n# B\n\n## Status\n\nAccepted\n",
    ],
    [
      "a record without a status",
      "«→---\nstatus: superseded by ADR-0002\n---\n\n»# A\n\n```\n## Status\n```\n",
      "---\n«→supersedes: ADR-0001\n»tags: [x]\n---\n# B\n",
    ],
  ];
  for (const [what, old, now] of cases) {
    const [[oldBefore, oldAfter], [nowBefore, nowAfter]] = [edit(old), edit(now)];
    const folder = makeFolder(t, { "0001-a.md": oldBefore, "0002-b.md": nowBefore });
    const output = await write("supersede 1 ADR-0002", folder);
    assert.equal(output, `changed ${folder}/0002-b.md\nchanged ${folder}/0001-a.md\n`, what);
    assert.deepEqual(filesIn(folder), { "0001-a.md": oldAfter, "0002-b.md": nowAfter }, what);
    // Both sides are read again as they were written.
    assert.doesNotMatch(String(await rulesOf(folder)), /one-sided|circle|status-unknown/, what);
    assert.equal(await write("supersede 1 ADR-0002", folder), "There is nothing to change.\n", what);
  }
});

test("supersede does not state again what a record states in another form", async (t) => {
  const replaced = [
    "---\nsuperseded-by: 2\n---\n# A\n\n## Status\n\nAccepted\n",
    "---\nstatus: superseded\nsuperseded-by: 0002-b.md\n---\n# A\n",
    '---\nstatus: "superseded by [ADR-2](0002-b.md)"\n---\n# A\n',
    "# A\n\n* Status: accepted\n* Superseded by: 2. B\n",
    "# A\n\n## Status\n\nSuperseded by\n[2. B, as it was](./0002-b.md)\n",
    "# A\n\nThis ADR is superseded by [2. B](0002-b.md). See there.\n\n## Status\n\nAccepted\n",
  ];
  const successors = [
    "---\nstatus: accepted\nsupersedes: [1]\n---\n# B\n",
    "---\nsupersedes: 0001\n---\n# B\n\n## Status\n\nAccepted\n",
    "# B\n\n- Status: accepted\n- Supersedes: ADR-1\n",
    "# B\n\n## Status\n\nAccepted\n\n- Supersedes [the first](0001-a.md)\n",
  ];
  for (const [index, old] of replaced.entries()) {
    const files = { "0001-a.md": old, "0002-b.md": successors[index % successors.length]! };
    const folder = makeFolder(t, files);
    assert.equal(await write("supersede 1 2", folder), "There is nothing to change.\n", old);
    assert.doesNotMatch(String(await rulesOf(folder)), /one-sided/, old);
  }
});

test("status changes one word, wherever the record has it, and of all relations ends that to a successor", async (t) => {
  const cases: [text: string, status: string][] = [
    ["---\nstatus: «proposed→accepted»\n---\n# A\n", "accepted"],
    ["---\nStatus: «'Proposed'→Accepted»\n---\n# A\n", "accepted"],
    ["---\nstatus:«→ accepted»\n---\n# A\n", "accepted"],
    ["# A\n\nStatus: «Proposed→Rejected» (2026-01-02)  \nDate: x\n", "rejected"],
    ["# A\n\n**Status**: **«In Review→Accepted»**\n", "accepted"],
    ["# A\n\n**Status:** «Proposed→Accepted» | **Date:** 2026-01-02\n", "accepted"],
    ["# A\n\nDate: 2026-01-02 · Status: «Proposed→Accepted»<br>\nX: y\n", "accepted"],
    ["# A\n\n## Status\n\n~~Draft~~ «Proposed→Accepted» <!-- or rejected -->\n", "accepted"],
    ["---\nstage: «proposed→accepted»\n---\n# A\n", "accepted"],
    ["---\nstage: alpha\n---\n# A\n\n- Status: «proposed→accepted»\n", "accepted"],
    ["# A\n\n## Status\n\n«Proposed→Accepted» on 2026-01-02\n\n## C\n", "Accepted"],
    ["# A\n\n## Status\n\n«→Accepted\n\n»## C\n", "accepted"],
    ["# A\n\n## Status\n\n«Superseded by [2. B](b.md)→Accepted»\n", "accepted"],
    ["# A\n\n## Status\n\nAmends [9. X](x.md)\n\n«Superseded by [2. B](b.md)→Accepted»\n", "accepted"],
    ["# A\n\n## Status\n\nClarified by [9. X](x.md)\n\n«Superseded by [2. B](b.md)→Accepted»\n", "accepted"],
    ["# A\n\n## Status\n\n«→Accepted\n\n»Clarifies [9. An accepted X](x.md)\n\n## C\n", "accepted"],
    ["# A\n\n## Status\n\n«Superseded by\n[2. B](b.md)→Accepted»\n\nAmends [9. X](x.md)\n", "accepted"],
    ["# A\n\n## Status\n\nAccepted\n\n«Superseded by [2. B](b.md)\n\n→»Amends [9. X](x.md)\n", "accepted"],
    [
      "# A\n\n## Status\n\n- «Accepted→Deprecated»\n- Amends [9. X](x.md)«\n- Replaced by [2. B](b.md)→»\n",
      "deprecated",
    ],
    ["# A\n\n| Status | «Accepted→Rejected» |\n|---|---|\n| Superseded by | N/A |\n", "rejected"],
    ["# A\n\nStatus\n------\n\n«→Accepted\n\n»Supersedes [9. X](x.md)\n", "accepted"],
    ["# A\n\n## Status\n«→\nAccepted\n\n»Supersedes [9. X](x.md)\n", "accepted"],
    ["# A\n\n## Status\n\n- Amends [9. X](x.md)\n- «Superseded by [2. B](b.md)→Accepted»\n", "accepted"],
    ["# A\n\n- Status: «superseded→accepted»\n- Superseded by:« [2](b.md)→»\n- Amends: 9\n", "accepted"],
    ["# A\n\n- Status: «superseded→accepted»\n- SupersededBy:« [2](b.md)→»\n", "accepted"],
    ["---\nstatus: «superseded→accepted»\nsuperseded-by:« 2→»\namends: 9\n---\n# A\n", "accepted"],
    ["# A\n\n### Status\n\n«Draft→Accepted»\n", "accepted"],
    ["«→---\nstatus: accepted\n---\n\n»# A\n\n## Part\n\n### Status\n\nDraft\n", "accepted"],
    ["«→---\nstatus: accepted\n---\n\n»# A\n\nText.\n", "accepted"],
  ];
  for (const [text, status] of cases) {
    const [before, after] = edit(text);
    const root = makeFolder(t, { "resources/adr/0001-a.md": before });
    const file = `${root}/resources/adr/0001-a.md`;
    chmodSync(file, 0o640);
    const line = `status 0001 ${status} --root DIR`;
    const shown = await cli(line, root);
    assert.match(shown.output, /^--- a\/[^/].*\n\+\+\+ b\/[^/].*\n@@ /, text);
    assert.equal(readFileSync(file, "utf8"), before, "nothing is written without --write");
    const { code, errors } = await cli(`${line} --write`, root);
    assert.deepEqual([code, errors], [0, ""]);
    assert.equal(readFileSync(file, "utf8"), after);
    // It is read again as it was written.
    const { resources: [{ _meta }] } = await cliJson("list --root DIR", root);
    assert.equal(_meta["architrave/record"].status, status.toLowerCase(), after);
    if (!ON_WINDOWS) assert.equal(statSync(file).mode & 0o777, 0o640);
  }
  const folder = makeFolder(t, { "0001-a.md": "# A\n\nThis ADR is superseded by [2. B](b.md).\n" });
  const elsewhere =
    /Cannot make 0001-a\.md accepted: it names its successor outside of its status; remove that first/;
  await assertFails([[`status 1 accepted ${MOUNT}`, 1, elsewhere]], folder);
});

test("wrong input is one sentence that says what to do, and nothing is written", async (t) => {
  const folder = makeFolder(t, {
    "adr/0001-a.md": "# A\n",
    "adr/0002-b.md": "# B\n",
    "adr/0002-c.md": "# C\n",
    "other/0001-a.md": Uint8Array.of(255),
    "file": "",
  });
  const before = filesIn(folder);
  const several = /"2" is not one record in .*: write the file name, adr\/0002-b\.md or adr\/0002-c\.md\n/;
  const mount = "--mount adr=DIR/adr --write",
    titled = (title: string) => ["new", title, ...mount.split(" ")];
  await assertFails([
    ["new x", 2, /Name one folder of records: --mount adr=DIR/],
    ["new x --root DIR/none", 2, /Cannot read --root: ".*none" does not exist: /],
    ["new x --root DIR", 2, /has neither resources\/ nor prompts\/; .* name it with --mount NAME=/],
    ["new x --mount adr=DIR/file", 2, /is not a folder/],
    [`new x ${mount} --root DIR`, 2, /Name one folder/],
    [titled(""), 2, /no letter or digit/],
    [titled("!?/"), 2, /no letter or digit/],
    [titled("a\nb"), 2, /"a\\u\{a\}b" has control characters/],
    [titled("a\u001b[31mb"), 2, /"a\\u\{1b\}\[31mb" has control/],
    [titled("a\u202eb"), 2, /invisible/],
    [titled("long ".repeat(60)), 2, /299 bytes, and 200 are allowed/],
    [`new x --date yesterday ${mount}`, 2, /--date takes a date such as/],
    [`new x --template DIR/missing.md ${mount}`, 2, /Cannot read the template .*missing\.md/],
    [`new x --supersedes 9 ${mount}`, 1, /There is no record "9" in .*: the numbers are 1 to 2\n/],
    [`new x --supersedes 2 ${mount}`, 1, several],
    [`supersede 1 1 ${mount}`, 1, /cannot supersede itself/],
    [`supersede 1 ../../file ${mount}`, 1, /There is no record/],
    [`supersede 1 architecture://other/2 ${mount}`, 1, /There is no record/],
    [["status", "", "accepted", ...mount.split(" ")], 1, /There is no record ""/],
    [`status 1 superseded ${mount}`, 2, /use "supersede 1 NEW"/],
    [`status 1 fine ${mount}`, 2, /Unknown status "fine": use one of proposed, accepted/],
    [`status 1 acepted ${mount}`, 2, /"acepted" \(did you mean accepted\?\)/],
    [`status 0001-b accepted ${mount}`, 1, /There is no record "0001-b" .*did you mean 0001-a/],
    [
      "status 1 accepted --mount adr=DIR/other",
      1,
      /Cannot read ".*0001-a\.md": check says what is wrong with it/,
    ],
    [["init", "", "--write"], 2, /takes the folder to create/],
    ["init DIR/file", 1, /Cannot write in ".*file": it is a file; name a folder/],
    ["init DIR/file/inner --write", 1, /a file is in the place of a folder/],
  ], folder);
  assert.deepEqual(filesIn(folder), before);
});

const LINKED = "nothing is written outside of the named folder, however it is linked";
test(LINKED, { skip: ON_WINDOWS }, async (t) => {
  const outside = makeFolder(t, { "0001-a.md": "# A\n" });
  const roots = [makeFolder(t, { "resources/x.md": "" }), makeFolder(t)];
  symlinkSync(outside, `${roots[0]}/resources/adr`);
  symlinkSync(outside, `${roots[1]}/resources`);
  const out = [["new x --root DIR --write", 1, /a link leads out/]] as const;
  for (const root of roots) await assertFails(out, root);
  const folder = makeFolder(t, { "0002-b.md": "# B\n" });
  symlinkSync(`${outside}/0001-a.md`, `${folder}/0001-a.md`);
  symlinkSync(`${outside}/gone.md`, `${folder}/0003-x.md`);
  await assertFails([[`status 1 accepted ${MOUNT} --write`, 1, /There is no record "1"/]], folder);
  // A link that leads nowhere has a number like any other file, and is not followed.
  assert.match(await write("new x", folder), /0004-x\.md/);
  const starter = makeFolder(t);
  symlinkSync(outside, `${starter}/prompts`);
  await assertFails([["init DIR --write", 1, /a link leads out/]], starter);
  assert.ok(!existsSync(`${starter}/resources/adr/template.md`), "all files or none");
  assert.deepEqual(filesIn(outside), { "0001-a.md": "# A\n" });
  // A link inside is followed, and stays a link.
  mkdirSync(`${folder}/deep`);
  writeFileSync(`${folder}/deep/real.md`, "# R\n\nStatus: proposed\n");
  symlinkSync("deep/real.md", `${folder}/0009-r.md`);
  await write("status real accepted", folder);
  assert.equal(readFileSync(`${folder}/0009-r.md`, "utf8"), "# R\n\nStatus: accepted\n");
});

test("a record that is edited meanwhile is not overwritten, and what was written before is taken back", async (t) => {
  const [a, b] = ["A", "B"].map((title) => `# ${title}\n\nStatus: accepted\n`);
  const proposal = "---\nstatus: proposed\nsupersedes: [1, 2]\n---\n# C\n";
  const folder = makeFolder(t, { "0001-a.md": a!, "0002-b.md": b!, "0003-c.md": proposal });
  const before = filesIn(folder);
  const line = `status 3 accepted ${MOUNT} --write`;
  const reads = await editMeanwhile(line, folder, "0002-b.md", ({ code, errors }) => {
    const reason = `Cannot change "${folder}/0002-b.md": it has changed in the meantime; try again`;
    assert.deepEqual([code, errors], [1, `architrave: ${reason}\n`]);
    assert.deepEqual(filesIn(folder), { ...before, "0002-b.md": "# Edited\n" });
  });
  assert.ok(reads > 2, "the record is read again before each step");
});

test("what changes between the plan and the write is an error, and nothing is written", async (t) => {
  const folder = makeFolder(t, { "0001-a.md": "# A\n\nStatus: accepted\n" });
  const before = filesIn(folder);
  // The name is free when it is chosen, before the template is read.
  const { code, errors } = await cli(`new B --supersedes 1 ${MOUNT} --write`, folder, {
    open(path, open) {
      if (path.endsWith("nygard.md")) writeFileSync(`${folder}/0002-b.md`, "# Other\n");
      return open(path);
    },
  });
  const reason =
    `Cannot create "${folder}/0002-b.md": it exists, and is not overwritten; choose another name or folder`;
  assert.deepEqual([code, errors], [1, `architrave: ${reason}\n`]);
  assert.deepEqual(filesIn(folder), { ...before, "0002-b.md": "# Other\n" });
});

test("a folder that cannot be written is named", { skip: process.platform !== "linux" }, async (t) => {
  // No user can create folders in /sys; permissions do not hold for root.
  const folder = process.getuid?.() === 0 ? "/sys" : makeFolder(t);
  if (folder !== "/sys") chmodSync(folder, 0o555);
  const reason =
    /Cannot write ".*": (?:its permissions do not allow it; change|the (?:system does not allow it|file system is read-only); name)/;
  await assertFails([["init DIR/x --write", 1, reason]], folder);
  if (folder !== "/sys") await assertFails([[`new x ${MOUNT} --write`, 1, reason]], folder);
});

test("two new at once get two numbers; a lock that is left behind is named", async (t) => {
  const folder = makeFolder(t);
  // Writing is allowed in this folder only.
  const flags = ON_DENO ? allow(`write=${folder}`) : [...sandbox(folder), `--allow-fs-write=${folder}`];
  const titles = ["a", "b", "c"];
  const results = await Promise.all(
    titles.map((title) =>
      run(["new", title, "--mount", `adr=${folder}`, "--write"], "", { runtimeFlags: flags })
    ),
  );
  assert.deepEqual(results.map(({ code, errors }) => [code, errors]), titles.map(() => [0, ""]));
  assert.deepEqual(readdirSync(folder).map((name) => name.slice(0, 4)).sort(), ["0001", "0002", "0003"]);
  // This waits for as long as the command waits for another one.
  writeFileSync(`${folder}/.architrave-lock`, "");
  const left =
    /another command is writing there; if none is, one was interrupted: delete ".*\.architrave-lock"/;
  await assertFails([[`new x ${MOUNT} --write`, 1, left]], folder);
});

test("a sandbox that does not allow writing is named, and a diff needs no more than reading", async (t) => {
  const folder = makeFolder(t, { "0001-a.md": "# A\n\nStatus: accepted\n" });
  const args = ["new", "B", "--supersedes", "1", "--mount", "adr=."];
  const options = { cwd: folder, runtimeFlags: sandbox(folder, `${REPOSITORY}/mcp`) };
  const shown = await run(args, "", options), refused = await run([...args, "--write"], "", options);
  assert.equal(shown.code, 0);
  assert.match(shown.errors, /^architrave: Nothing is written yet: --write makes these changes\.$/m);
  assert.match(shown.output, /^--- \/dev\/null\n/);
  assert.equal(refused.code, 1);
  assert.match(
    refused.errors,
    /^architrave: Cannot write "\.": the sandbox does not allow it; add --allow-(?:fs-)?write="\." before mod\.ts$/m,
  );
  assert.deepEqual(readdirSync(folder), ["0001-a.md"]);
});

test("init makes a folder that check finds nothing in, and overwrites no file", async (t) => {
  const parent = makeFolder(t);
  const folder = `${parent}/docs/architecture`;
  const shown = await cli("init DIR", folder);
  assert.equal(shown.code, 0);
  assert.ok(!existsSync(folder));
  const { code, output, errors } = await cli("init DIR/ --write", folder);
  assert.deepEqual([code, errors], [0, ""]);
  assert.deepEqual(output.trim().split("\n").map((line) => line.replace(`created ${folder}/`, "")).sort(), [
    "prompts/create-adr.json",
    "prompts/review-code-against-patterns.json",
    "prompts/suggest-patterns.json",
    "resources/adr/001-record-architecture-decisions.md",
    "resources/adr/002-serve-decisions-to-assistants.md",
    "resources/adr/template.md",
    "resources/guidelines/reviewing-changes.md",
    "resources/guidelines/writing-documents.md",
    "resources/patterns/one-place-for-each-rule.md",
  ]);
  // Only records are dated: templates and prompts keep the placeholder.
  const made = filesIn(folder);
  const undated = Object.keys(made).filter((name) => made[name]!.includes("YYYY-MM-DD")).sort();
  assert.deepEqual(undated, ["prompts/create-adr.json", "resources/adr/template.md"]);
  const check = () => cli("check --root DIR", folder);
  const fine = "documents and 3 prompts: 0 errors, 0 warnings\n";
  assert.deepEqual(await check(), { code: 0, output: `6 ${fine}`, errors: "" });
  // The template is a document, and no record.
  const listed = await cli("list --root DIR --status proposed", folder);
  assert.match(listed.output, /^architecture:\/\/adr\/002-serve-decisions-to-assistants\t2\tproposed\t.*\n$/);
  const added = await cli("new Use queues --supersedes 1 --root DIR --write", folder);
  assert.match(added.output, /created .*resources\/adr\/003-use-queues\.md\n/);
  assert.match(
    (await check()).output,
    /adr-unwritten \(1\)[^]*\n7 documents and 3 prompts: 0 errors, 1 warning\n$/,
  );
  const before = filesIn(folder);
  const exists = /adr\/001-record-architecture-decisions\.md": it exists, and is not overwritten/;
  await assertFails([["init DIR --write", 1, exists]], folder);
  assert.deepEqual(filesIn(folder), before);
});

test("supersede makes no circle, whichever record states what is known", async (t) => {
  const front = (...lines: string[]) => `---\n${lines.join("\n")}\n---\n\n# X\n`;
  const byFirst = "# B\n\n## Status\n\nSuperseded by [A](0001-a.md)\n";
  const states: readonly (readonly [a: string, b: string, c?: string])[] = [
    [front("status: accepted"), byFirst],
    [front("status: accepted", "supersedes: ADR-0002"), front("status: accepted")],
    [front("status: accepted"), front("status: superseded by ADR-0003"), byFirst],
  ];
  for (const [a, b, c] of states) {
    const files = { "0001-a.md": a, "0002-b.md": b, ...c === undefined ? {} : { "0003-c.md": c } };
    const folder = makeFolder(t, files);
    const known = /0001-a\.md supersedes 0002-b\.md already: remove that first/;
    await assertFails([[`supersede 1 2 ${MOUNT} --write`, 1, known]], folder);
    assert.deepEqual(filesIn(folder), files);
  }
});

test("supersede asks for --force where the successor is older or not in force, and names both", async (t) => {
  const record = (title: string, status: string, date?: string) =>
    `# ${title}\n\n- Status: ${status}\n${date === undefined ? "" : `- Date: ${date}\n`}\n## Links\n`;
  const of = (one: string, two: string) => ({ "0001-a.md": one, "0002-b.md": two });
  const rows: readonly (readonly [files: Record<string, string>, line: string, reason?: RegExp])[] = [
    [of(record("A", "accepted"), record("B", "accepted")), "1 2"],
    [of(record("A", "accepted"), record("B", "proposed")), "1 2"],
    [of(record("A", "accepted"), record("B", "draft")), "1 2"],
    [of(record("A", "accepted"), "# B\n"), "1 2"],
    [
      of(record("A", "accepted"), record("B", "accepted")),
      "2 1",
      /^"A" \(0001-a\.md\) is older than "B" \(0002-b\.md\): /,
    ],
    [
      of(record("A", "accepted", "2026-01-01"), record("B", "accepted", "2026-01-02")),
      "2 1",
      /"A" .* older than "B"/,
    ],
    [of(record("A", "accepted", "2026-01-03"), record("B", "accepted", "2026-01-02")), "2 1"],
    [of(record("A", "accepted", "2026-01-02"), record("B", "accepted", "2026-01-02")), "2 1"],
    [of(record("A", "accepted", "2026-01-03"), record("B", "accepted", "2026-01-02")), "1 2"],
    [
      of(record("A", "accepted"), record("B", "rejected")),
      "1 2",
      /^"B" \(0002-b\.md\) is rejected: name the record that replaces "A" \(0001-a\.md\) last/,
    ],
    [of(record("A", "accepted"), record("B", "deprecated")), "1 2", /is deprecated/],
    [of(record("A", "accepted"), record("B", "withdrawn")), "1 2", /is withdrawn/],
    [
      {
        ...of(record("A", "accepted"), record("B", "superseded by [3](0003-c.md)")),
        "0003-c.md": record("C", "accepted"),
      },
      "1 2",
      /is superseded/,
    ],
    [
      { "2026-01-01-a.md": record("A", "accepted"), "2026-01-02-b.md": record("B", "accepted") },
      "2026-01-02-b 2026-01-01-a",
      /"A" \(2026-01-01-a\.md\) is older than "B"/,
    ],
    [
      { "2026-01-01-a.md": record("A", "accepted"), "2026-01-02-b.md": record("B", "accepted") },
      "2026-01-01-a 2026-01-02-b",
    ],
  ];
  for (const [files, operands, reason] of rows) {
    const folder = makeFolder(t, files);
    for (const way of ["", "--write"]) {
      const { code, output, errors } = await cli(`supersede ${operands} ${MOUNT} ${way}`, folder);
      const what = JSON.stringify([files, operands, errors]);
      assert.equal(code, reason ? 1 : 0, what);
      assert.match(
        errors.replace("architrave: ", "").replace(/^architrave: Nothing is written yet.*\n/m, ""),
        reason ?? /^"[AB]" \([^ ]+\) supersedes "[AB]" \([^ ]+\)\.\n$/,
        what,
      );
      if (reason) assert.equal(output, "");
    }
    if (!reason) continue;
    assert.deepEqual(filesIn(folder), files);
    const forced = await cli(`supersede ${operands} ${MOUNT} --write --force`, folder);
    assert.match(forced.errors, /^architrave: "[AB]" .* supersedes "[AB]" /);
    assert.notDeepEqual(filesIn(folder), files);
  }
  // A new record is the successor of what it is said to replace.
  const folder = makeFolder(t, of(record("A", "accepted", "2099-01-01"), record("B", "rejected")));
  assert.equal((await cli(`new C --supersedes 1 --supersedes 2 ${MOUNT} ${DATE} --write`, folder)).code, 0);
});
