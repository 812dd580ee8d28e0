import assert from "node:assert/strict";
import { test } from "node:test";
import { describe } from "../../lib/documents/describe.ts";
import { isOver, isStatus, standing } from "../../lib/documents/record.ts";

const BODY = `
## Context

Services call each other, and a slow one stops them all.

## Decision

We put queues between services.

## Consequences

Latency becomes visible.
`;

const STATED = "status: accepted\ndate: 2026-07-28\nsupersedes: 0005-direct-calls.md";

/** One record, in the forms and spellings that teams really write. */
const VARIANTS: Readonly<Record<string, string>> = {
  "MADR 3 and 4, front matter": `---\n${STATED}\n---\n\n# Queues between services\n${BODY}`,
  "quotes, comments, a list":
    `---\nstatus: "accepted"  # by all\ndate: '2026-07-28'\nsupersedes:\n  - 0005-direct-calls.md\ndecision-makers:\n  - A\n---\n\n# Queues between services\n${BODY}`,
  "upper-case keys and words":
    `---\nStatus: Accepted\nDATE: 2026-07-28\nSupersedes: [0005-direct-calls.md]\n---\n# Queues between services\n${BODY}`,
  "MADR 2, a list":
    `# Queues between services\n\n* Status: accepted <!-- optional -->\n* Deciders: all of us\n* Date: 2026-07-28\n* Supersedes: [ADR-0005](0005-direct-calls.md)\n${BODY}`,
  "log4brains, a list and links":
    `# Queues between services\n\n- Status: accepted\n- Date: 2026-07-28\n- Tags: messaging\n${BODY}\n## Links\n\n- Supersedes [0005-direct-calls](0005-direct-calls.md)\n`,
  "Nygard, sections":
    `# Queues between services\n\nDate: 2026-07-28\n\n## Status\n\nAccepted\n\nSupersedes [5. Direct calls](0005-direct-calls.md)\n${BODY}`,
  "underlined headings":
    `Queues between services\n=======================\n\nDate: 2026-07-28\n\nStatus\n------\n\nAccepted\n\nSupersedes [5. Direct calls](0005-direct-calls.md)\n${BODY}`,
  "a section for the date, fact behind a heading":
    `# Queues between services\n\n## Status: Accepted\n\n## Date\n\n2026-07-28\n\n- **Supersedes**: [5](0005-direct-calls.md)\n${BODY}`,
  "bold lines":
    `# Queues between services\n\n**Status:** Accepted\n**Date**: 2026-07-28\n**Supersedes:** 0005-direct-calls.md\n${BODY}`,
  "a table":
    `# Queues between services\n\n|   |   |\n| - | - |\n| Date | 2026-07-28 |\n| **Status** | Accepted |\n| Supersedes: | [5](0005-direct-calls.md) |\n| Superseded by | N/A |\n${BODY}`,
  "marks before the word":
    `# Queues between services\n\n- Date: 2026-07-28\n- Supersedes: 0005-direct-calls.md\n\n## Status\n\n✅ ~~Proposed~~ **Accepted**\n${BODY}`,
  "words quoted from a template":
    `# Queues between services\n\n- Date: 2026-07-28\n- Supersedes: 0005-direct-calls.md\n\n## Status\n\n> One of "Proposed", "Superseded by ADR-12"\n\nAccepted\n${BODY}`,
  "broken front matter, one line odd":
    `---\nstatus: accepted\nwhat is this\ndate: 2026-07-28\nsupersedes: 0005-direct-calls.md\n---\n\n# Queues between services\n${BODY}`,
  "broken front matter, never closed": `---\n${STATED}\n\n# Queues between services\n${BODY}`,
  "a number for a name":
    `---\nstatus: accepted\ndate: 2026-07-28T10:00:00Z\nsupersedes: [0005-direct-calls.md]\n---\n# Queues between services\n${BODY}`,
};

const WRITTEN: Readonly<Record<string, (text: string) => string>> = {
  "LF": (text) => text,
  "CRLF": (text) => text.replaceAll("\n", "\r\n"),
  "CR": (text) => text.replaceAll("\n", "\r"),
  "no newline at the end": (text) => text.trimEnd(),
  "spaces at the ends": (text) => text.replaceAll("\n", "  \n"),
};

for (const [form, text] of Object.entries(VARIANTS)) {
  for (const [ends, write] of Object.entries(WRITTEN)) {
    test(`describe() reads the same of a record in the form: ${form}, ${ends}`, () => {
      const { title, description, record } = describe(write(text), "0007-queues", true);
      assert.equal(title, "Queues between services");
      assert.equal(description, "Services call each other, and a slow one stops them all.");
      assert.deepEqual(record, {
        number: 7,
        status: "accepted",
        date: "2026-07-28",
        supersedes: ["0005-direct-calls.md"],
        supersededBy: [],
      });
    });
  }
}

function recordOf(text: string, name = "0007-x") {
  return describe(text, name, true).record!;
}

test("describe() takes the date of a record from its name when nothing else says it", () => {
  assert.equal(recordOf("# X", "20260728-x").date, "2026-07-28");
  assert.equal(recordOf("# X\n\nDate: 28 July 2026", "20260101-x").date, "28 July 2026");
});

test("describe() gives the status that holds now", () => {
  const pairs = [
    ["Accepted\n\nSuperseded by [9](0009-y.md)", "superseded"],
    ["superseded by ADR-9", "superseded"],
    ["On hold", "on hold"],
    ["in-review", "in review"],
    ["Partly superseded by ADR-9", "partly superseded"],
    ["2026-01-01: Accepted by all", "accepted"],
    ["The points above have been implemented", "implemented"],
    ["Acepted", "acepted"],
  ] as const;
  for (const [text, status] of pairs) {
    assert.equal(recordOf(`# X\n\n## Status\n\n${text}\n`).status, status, text);
  }
});

test("describe() gives no status where a template was left as it was, or there is none", () => {
  const texts = [
    "{proposed | accepted}",
    "Proposed | Accepted | Rejected",
    "[proposed | accepted]",
    "TBD",
    "N/A",
    "<!-- say something -->",
    "> Superseded by ADR-12 is a status",
    "",
  ];
  for (const text of texts) assert.equal(recordOf(`# X\n\n## Status\n\n${text}\n`).status, undefined, text);
  assert.equal(recordOf("# X\n\n## Status quo\n\nAll is well\n").status, undefined);
  assert.equal(recordOf("# X\n\n```yaml\nstatus: accepted\n```\n").status, undefined);
  assert.equal(recordOf("# X\n\n## Context\n\n- Status: to do, in progress\n").status, undefined);
  assert.equal(recordOf("---\nstatus:\ndate:\n---\n# X\n").date, undefined);
  assert.equal(recordOf("# X\n\n* Date: [YYYY-MM-DD when it was decided]\n").date, undefined);
});

test("describe() takes a status that stands in a quote for one when it is nothing else", () => {
  assert.equal(recordOf("# X\n\n## Status\n\n> Accepted\n").status, "accepted");
});

test("describe() says what a record replaces and what replaces it", () => {
  const pairs = [
    ["---\nsupersedes: [4, 5]\n---", ["4", "5"], []],
    ["---\nsupersedes: ADR-4 and ADR-5\nsuperseded-by: 9\n---", ["ADR-4", "ADR-5"], ["9"]],
    ["---\nstatus: superseded by [ADR-9](0009-y.md)\n---", [], ["0009-y.md"]],
    ["## Status\n\nAccepted, supersedes ADR-4", ["ADR-4"], []],
    ["## Status\n\nSuperseded [0009](0009-y.md)", [], ["0009-y.md"]],
    ["## Status\n\nSuperseded (2026-01-01)", [], []],
    ["## Status\n\nThis supersedes the page in the wiki", [], []],
    ["## Status\n\nSuperseded by Queues and topics", [], ["Queues and topics"]],
    ["* Superseded by: n/a", [], []],
    ["- Replaced by [9](<0009-y.md>)", [], ["0009-y.md"]],
    ["```\n- Supersedes [4](4.md)\n```", [], []],
  ] as const;
  for (const [text, supersedes, supersededBy] of pairs) {
    const record = recordOf(`${text}\n`);
    assert.deepEqual([record.supersedes, record.supersededBy], [supersedes, supersededBy], text);
  }
});

test("isStatus() knows the words in use, also for a part of a decision", () => {
  for (const status of ["accepted", "on hold", "partly superseded"]) assert.ok(isStatus(status));
  for (const status of ["acepted", "partly", ""]) assert.ok(!isStatus(status));
});

test("standing() takes a record for superseded that names what replaces it, whatever its status says", () => {
  const pairs = [
    ["status: accepted\nsuperseded-by: 9", "superseded", true],
    ["status: accepted\nreplaced-by: 0009-y.md", "superseded", true],
    ["superseded-by: 9", "superseded", true],
    ["status: deprecated\nsuperseded-by: 9", "deprecated", true],
    ["status: partly superseded\nsuperseded-by: 9", "partly superseded", false],
    ["status: accepted\nsuperseded-by: n/a", "accepted", false],
    ["status: accepted\nsupersedes: 9", "accepted", false],
    ["status: rejected", "rejected", true],
    ["date: 2026-01-01", undefined, false],
  ] as const;
  for (const [front, status, over] of pairs) {
    const document = { record: recordOf(`---\n${front}\n---\n`) };
    assert.deepEqual([standing(document), isOver(document)], [status, over], front);
  }
  assert.equal(standing({ record: undefined }), undefined);
  assert.equal(isOver({ record: undefined }), false);
});
