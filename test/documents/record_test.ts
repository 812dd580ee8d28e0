import assert from "node:assert/strict";
import { test } from "node:test";
import type { DecisionRecord, Document } from "../../lib/documents/mod.ts";
import { documentProvider } from "../../lib/documents/mod.ts";
import { MemoryFiles, memoryStore } from "./stores.ts";

/** The records of these texts, each in a folder of its own. */
async function recordsOf(texts: readonly string[], name = "0007-queues"): Promise<readonly Document[]> {
  const entries = texts.map((text, index) => [`adr/${1000 + index}/${name}.md`, text]);
  return (await memoryStore(Object.fromEntries(entries))).catalogue.documents;
}

const BODY = `
## Context

Services call each other, and a slow one stops them all.

## Decision

We put queues between services.

## Consequences

Latency becomes visible.
`;
const TITLE = "# Queues between services";
const STATED = "status: accepted\ndate: 2026-07-28\nsupersedes: 0005-direct-calls.md";

/** One record, in the forms and spellings that teams use. */
const FORMS: Readonly<Record<string, string>> = {
  "MADR 3 and 4, front matter": `---\n${STATED}\n---\n\n${TITLE}\n${BODY}`,
  "quotes, comments, a list":
    `---\nstatus: "accepted"  # by all\ndate: '2026-07-28'\nsupersedes:\n  - 0005-direct-calls.md\ndecision-makers:\n  - A\n---\n\n${TITLE}\n${BODY}`,
  "upper-case keys and words":
    `---\nStatus: Accepted\nDATE: 2026-07-28\nSupersedes: [0005-direct-calls.md]\n---\n${TITLE}\n${BODY}`,
  "MADR 2, a list":
    `${TITLE}\n\n* Status: accepted <!-- optional -->\n* Deciders: all of us\n* Date: 2026-07-28\n* Supersedes: [ADR-0005](0005-direct-calls.md)\n${BODY}`,
  "log4brains, a list and links":
    `${TITLE}\n\n- Status: accepted\n- Date: 2026-07-28\n- Tags: messaging\n${BODY}\n## Links\n\n- Supersedes [0005-direct-calls](0005-direct-calls.md)\n`,
  "Nygard, sections":
    `${TITLE}\n\nDate: 2026-07-28\n\n## Status\n\nAccepted\n\nSupersedes [5. Direct calls](0005-direct-calls.md)\n${BODY}`,
  "underlined headings":
    `Queues between services\n=======================\n\nDate: 2026-07-28\n\nStatus\n------\n\nAccepted\n\nSupersedes [5. Direct calls](0005-direct-calls.md)\n${BODY}`,
  "a section for the date, fact behind a heading":
    `${TITLE}\n\n## Status: Accepted\n\n## Date\n\n2026-07-28\n\n- **Supersedes**: [5](0005-direct-calls.md)\n${BODY}`,
  "bold lines":
    `${TITLE}\n\n**Status:** Accepted\n**Date**: 2026-07-28\n**Supersedes:** 0005-direct-calls.md\n${BODY}`,
  "a table":
    `${TITLE}\n\n|   |   |\n| - | - |\n| Date | 2026-07-28 |\n| **Status** | Accepted |\n| Supersedes: | [5](0005-direct-calls.md) |\n| Superseded by | N/A |\n${BODY}`,
  "marks before the word":
    `${TITLE}\n\n- Date: 2026-07-28\n- Supersedes: 0005-direct-calls.md\n\n## Status\n\n✅ ~~Proposed~~ **Accepted**\n${BODY}`,
  "words quoted from a template":
    `${TITLE}\n\n- Date: 2026-07-28\n- Supersedes: 0005-direct-calls.md\n\n## Status\n\n> One of "Proposed", "Superseded by ADR-12"\n\nAccepted\n${BODY}`,
  "broken front matter, one line odd":
    `---\nstatus: accepted\nwhat is this\ndate: 2026-07-28\nsupersedes: 0005-direct-calls.md\n---\n\n${TITLE}\n${BODY}`,
  "broken front matter, never closed": `---\n${STATED}\n\n${TITLE}\n${BODY}`,
  "a date with a time":
    `---\nstatus: accepted\ndate: 2026-07-28T10:00:00Z\nsupersedes: [0005-direct-calls.md]\n---\n${TITLE}\n${BODY}`,
};
const WRITTEN: Readonly<Record<string, (text: string) => string>> = {
  "LF": (text) => text,
  "CRLF": (text) => text.replaceAll("\n", "\r\n"),
  "CR": (text) => text.replaceAll("\n", "\r"),
  "a byte order mark": (text) => `\ufeff${text}`,
  "no newline at the end": (text) => text.trimEnd(),
  "spaces at the ends": (text) => text.replaceAll("\n", "  \n"),
};

for (const [ends, write] of Object.entries(WRITTEN)) {
  test(`a record is read alike in all forms, written with ${ends}`, async () => {
    const documents = await recordsOf(Object.values(FORMS).map(write));
    for (const [index, form] of Object.keys(FORMS).entries()) {
      const { title, description, record } = documents[index]!;
      assert.equal(title, "Queues between services", form);
      assert.equal(description, "Services call each other, and a slow one stops them all.", form);
      assert.deepEqual(record, {
        number: 7,
        status: "accepted",
        date: "2026-07-28",
        supersedes: ["0005-direct-calls.md"],
        supersededBy: [],
      }, form);
    }
  });
}

type Stated = { readonly [K in keyof DecisionRecord]?: DecisionRecord[K] | undefined };

/** Texts below a title, and what the record states by them. */
const STATEMENTS: readonly (readonly [text: string, Stated])[] = [
  ...([
    ["Accepted\n\nSuperseded by [9](0009-y.md)", "superseded"],
    ["superseded by ADR-9", "superseded"],
    ["On hold", "on hold"],
    ["in-review", "in review"],
    ["Partly superseded by ADR-9", "partly superseded"],
    ["2026-01-01: Accepted by all", "accepted"],
    ["The points above have been implemented", "implemented"],
    ["Acepted", "acepted"],
    ["> Accepted", "accepted"],
    // What a template leaves there is no status.
    ["{proposed | accepted}", undefined],
    ["Proposed | Accepted | Rejected", undefined],
    ["[proposed | accepted]", undefined],
    ["TBD", undefined],
    ["N/A", undefined],
    ["<!-- say something -->", undefined],
    ["> Superseded by ADR-12 is a status", undefined],
    ["", undefined],
  ] as const).map(([text, status]): [string, Stated] => [`## Status\n\n${text}\n`, { status }]),
  ["## Status quo\n\nAll is well\n", { status: undefined }],
  ["```yaml\nstatus: accepted\n```\n", { status: undefined }],
  ["## Context\n\n- Status: to do, in progress\n", { status: undefined }],
  ["Date: 28 July 2026", { date: "28 July 2026" }],
  ["* Date: [YYYY-MM-DD when it was decided]\n", { date: undefined }],
  ["## Status\n\nAccepted, supersedes ADR-4", { supersedes: ["ADR-4"] }],
  ["## Status\n\nSuperseded [0009](0009-y.md)", { supersededBy: ["0009-y.md"] }],
  ["## Status\n\nSuperseded (2026-01-01)", { supersededBy: [] }],
  ["## Status\n\nThis supersedes the page in the wiki", { supersedes: [] }],
  ["## Status\n\nSuperseded by Queues and topics", { supersededBy: ["Queues and topics"] }],
  ["* Superseded by: n/a", { supersededBy: [] }],
  ["- Replaced by [9](<0009-y.md>)", { supersededBy: ["0009-y.md"] }],
  ["```\n- Supersedes [4](4.md)\n```", { supersedes: [] }],
];
/** The same for front matter. */
const FRONT: readonly (readonly [text: string, Stated])[] = [
  ["status:\ndate:", { status: undefined, date: undefined }],
  ["supersedes: [4, 5]", { supersedes: ["4", "5"] }],
  ["supersedes: ADR-4 and ADR-5\nsuperseded-by: 9", { supersedes: ["ADR-4", "ADR-5"], supersededBy: ["9"] }],
  ["replaces: ADR-4\nsupersededBy: 9", { supersedes: ["ADR-4"], supersededBy: ["9"] }],
  ["status: superseded by [ADR-9](0009-y.md)", { status: "superseded", supersededBy: ["0009-y.md"] }],
];

test("a record states its status, date and relations, and nothing that a template left there", async () => {
  const rows = [
    ...STATEMENTS.map(([text, expected]) => [`# X\n\n${text}`, expected] as const),
    ...FRONT.map(([front, expected]) => [`---\n${front}\n---\n# X\n`, expected] as const),
  ];
  const documents = await recordsOf(rows.map(([text]) => text));
  for (const [index, [text, expected]] of rows.entries()) {
    for (const [key, value] of Object.entries(expected)) {
      assert.deepEqual(documents[index]!.record![key as keyof DecisionRecord], value, text);
    }
  }
});

/** Bodies of records, and what they are about. */
const DESCRIPTIONS: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    ["Context", "Context and Problem Statement", "1. Context", "Background & Context", "Problem"].map((
      heading,
    ) => [
      `# A\n\nDate: x\n\n## Status\n\nOk.\n\n## ${heading}\n\nWhy.`,
      "Why.",
    ]),
  ),
  "# Context matters\n\nFirst.\n\n## Decision\n\nX.": "First.",
  "# A\n\n## Abstract\n\nShort.\n\n## Context\n\nLong.": "Short.",
  "# A\n\n## Status\n\nAccepted\n\n## Decision\n\nWe do.": "We do.",
  "# A\n\n## Context\n\n- only\n- items\n\n## Decision\n\nWe do.": "We do.",
};

test("a record is described by its context, else by what comes first except for its status", async () => {
  const documents = await recordsOf(Object.keys(DESCRIPTIONS));
  assert.deepEqual(documents.map(({ description }) => description), Object.values(DESCRIPTIONS));
});

test("a record that names what replaces it is listed as superseded, whatever its status says", async () => {
  const rows = [
    ["status: accepted\nsuperseded-by: 9", "superseded"],
    ["status: accepted\nreplaced-by: 0009-y.md", "superseded"],
    ["superseded-by: 9", "superseded"],
    ["status: deprecated\nsuperseded-by: 9", "deprecated"],
    ["status: partly superseded\nsuperseded-by: 9", "partly superseded"],
    ["status: accepted\nsuperseded-by: n/a", "accepted"],
    ["status: accepted\nsupersedes: 9", "accepted"],
    ["date: 2026-01-01", undefined],
  ] as const;
  const entries = rows.map(([front], index) => [`adr/${index + 10}-x.md`, `---\n${front}\n---\n# X\n`]);
  const { system } = new MemoryFiles(Object.fromEntries(entries), "/root/resources/");
  const provider = documentProvider({ files: system }, { root: "/root" });
  await provider.ready();
  const resources = await provider.list({} as never);
  for (const [index, [front, status]] of rows.entries()) {
    const meta = resources[index]!._meta!["architrave/record"] as { status?: string };
    assert.equal(meta.status, status, front);
  }
});
