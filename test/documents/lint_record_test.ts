import assert from "node:assert/strict";
import { test } from "node:test";
import { brief, lintOf } from "./shelf.ts";

const PARTS = "\n## Context\n\nC.\n\n## Decision\n\nD.\n\n## Consequences\n\nE.\n";

/** A record with these lines of front matter. */
function record(...facts: string[]): string {
  const lines = facts.some((fact) => fact.startsWith("status")) ? facts : ["status: accepted", ...facts];
  return `---\n${lines.join("\n")}\n---\n\n# T\n${PARTS}`;
}

test("lint() says nothing of a record that is complete, in the forms of all schools", async (t) => {
  const findings = await lintOf(t, {
    "adr/001-ours.md": record("date: 2026-01-01"),
    "adr/0002-nygard.md": `# 2. T\n\nDate: 2026-01-01\n\n## Status\n\nAccepted\n${PARTS}`,
    "adr/0003-madr.md":
      "---\nstatus: proposed\n---\n# T\n\n## Context and Problem Statement\n\nC\n\n## Decision Outcome\n\nD\n\n### Positive Consequences\n\nE\n",
    "adr/20260101-log4brains.md":
      "# T\n\n- Status: draft\n\n## Context and Problem Statement\n\nC\n\n## Decision Outcome\n\nD\n\n### Negative Consequences <!-- optional -->\n\nE\n",
    "adr/ADR004_other.md": `# T\n\n**Status:** On hold\n${PARTS}`,
    "adr/0005-folder/README.md": record(),
  });
  assert.deepEqual(brief(findings), []);
});

test("lint() says nothing of pages beside the records, and of templates", async (t) => {
  const page = "# Page\n\nText.\n";
  const template = "# Template\n\n- Status: {proposed | accepted}\n\nSupersedes [ADR-5](0005-example.md)\n";
  const findings = await lintOf(t, {
    "adr/README.md": page,
    "adr/index.md": page,
    "adr/sub/README.md": page,
    "adr/template.md": template,
    "adr/adr-template-minimal.md": template,
    "adr/0000-TEMPLATE.md": template,
    "adr/templates/README.md": template,
  });
  assert.deepEqual(brief(findings), []);
});

test("lint() takes a decision about templates for a decision", async (t) => {
  const findings = await lintOf(t, { "adr/0009-use-a-template-engine.md": "# T\n\nText.\n" });
  assert.deepEqual(brief(findings), [
    "adr/0009-use-a-template-engine.md adr-status-missing",
    "adr/0009-use-a-template-engine.md adr-section-missing",
  ]);
});

test("lint() asks for a number or a date in the file name, and then for nothing else", async (t) => {
  const findings = await lintOf(t, {
    "adr/some-decision.md": "# T\n\nText.\n",
    "docs/some-page.md": "# T\n\nText.\n",
  });
  assert.deepEqual(brief(findings), ["adr/some-decision.md adr-file-name"]);
  assert.equal(findings[0]!.severity, "warning");
});

test("lint() asks for a status that readers know", async (t) => {
  const findings = await lintOf(t, {
    "adr/001-none.md": `# T\n${PARTS}`,
    "adr/002-open.md": record("status: {proposed | accepted}"),
    "adr/003-typo.md": record("status: acepted"),
    "adr/004-partly.md": record("status: partly superseded"),
  });
  assert.deepEqual(brief(findings), [
    "adr/001-none.md adr-status-missing",
    "adr/002-open.md adr-status-missing",
    "adr/003-typo.md:2 adr-status-unknown",
  ]);
  assert.ok(findings.every(({ severity }) => severity === "warning"));
});

test("lint() asks for the sections of a record, and names those that are missing", async (t) => {
  const findings = await lintOf(t, {
    "adr/001-none.md": "---\nstatus: draft\n---\n# Decision on context and consequences\n\nText.\n",
    "adr/002-one.md": "---\nstatus: draft\n---\n# T\n\n## Context\n\nC\n\n## Decision Drivers\n\nx\n",
    "adr/003-no-title.md": `---\nstatus: draft\ntitle: T\n---\n${PARTS}`,
  });
  assert.deepEqual(findings.map(({ message }) => message), [
    "The record has no section for its context and decision and consequences",
    "The record has no section for its decision and consequences",
  ]);
});

test("lint() finds records of one folder with one number", async (t) => {
  const findings = await lintOf(t, {
    "adr/007-x.md": record(),
    "adr/0007-y.md": record(),
    "adr/ADR-7-z.md": record(),
    "adr/sub/007-x.md": record(),
    "docs/007-x.md": "# T\n",
  });
  assert.deepEqual(brief(findings), [
    "adr/007-x.md adr-number-duplicate",
    "adr/ADR-7-z.md adr-number-duplicate",
  ]);
  assert.ok(
    findings.every(({ severity, message }) => severity === "error" && message.includes("adr/0007-y.md")),
  );
});

test("lint() finds references to records that are not there", async (t) => {
  const findings = await lintOf(t, {
    "adr/001-a.md": record("supersedes: 99"),
    "adr/002-b.md": record("status: superseded by ADR-98"),
    "adr/003-c.md": record("superseded-by: gone.md"),
    "adr/004-d.md": record("supersedes: the page in the wiki"),
    "adr/005-e.md": record("supersedes: ../../elsewhere/005-x.md"),
    "adr/006-f.md": record("supersedes: https://example.org/adr/5"),
    "adr/007-g.md": record("supersedes: n/a"),
  });
  assert.deepEqual(findings.map(({ file, line, rule, severity }) => `${file}:${line} ${rule} ${severity}`), [
    "adr/001-a.md:3 adr-reference-dangling error",
    "adr/002-b.md:2 adr-reference-dangling error",
    "adr/003-c.md:3 adr-reference-dangling error",
    "adr/004-d.md:3 adr-reference-dangling warning",
    "adr/005-e.md:3 adr-reference-dangling warning",
  ]);
});

test("lint() asks both records to say that one supersedes the other", async (t) => {
  const findings = await lintOf(t, {
    "adr/001-a.md": record(),
    "adr/002-b.md": record("supersedes: 1"),
    "adr/003-c.md": record("superseded-by: 4"),
    "adr/004-d.md": record(),
    "adr/005-e.md": record("superseded-by: 006-f.md"),
    "adr/006-f.md": record("supersedes: ADR-5"),
  });
  assert.deepEqual(brief(findings), [
    "adr/001-a.md adr-supersedes-one-sided",
    "adr/004-d.md adr-supersedes-one-sided",
  ]);
  assert.ok(findings.every(({ severity }) => severity === "warning"));
  assert.match(findings[0]!.help, /superseded-by: 2/);
  assert.match(findings[1]!.help, /supersedes: 3/);
});

test("lint() finds records that take each other's place", async (t) => {
  const findings = await lintOf(t, {
    "adr/001-a.md": record("supersedes: 3", "superseded-by: 2"),
    "adr/002-b.md": record("supersedes: 1", "superseded-by: 3"),
    "adr/003-c.md": record("supersedes: 2", "superseded-by: 1"),
    "adr/004-d.md": record("supersedes: 4", "superseded-by: 4"),
    "adr/005-e.md": record("supersedes: [6, 7]"),
    "adr/006-f.md": record("supersedes: 7", "superseded-by: 5"),
    "adr/007-g.md": record("superseded-by: [5, 6]"),
  });
  assert.deepEqual(brief(findings), [
    "adr/003-c.md adr-supersedes-circle",
    "adr/004-d.md adr-supersedes-circle",
  ]);
  assert.match(findings[1]!.message, /supersedes itself/);
});
