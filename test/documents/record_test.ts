import assert from "node:assert/strict";
import { test } from "node:test";
import type { DecisionRecord, Document } from "../../lib/documents/mod.ts";
import { standardWords } from "../../lib/documents/records/languages.ts";
import { englishWords, folded, splitWords } from "../../lib/documents/records/words.ts";
import { table } from "../harness/table.ts";
import { MemoryFiles, memoryProvider, memoryStore, openStore } from "./stores.ts";

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

/** Texts below a title, and what the record states by them; null for nothing. */
const STATEMENTS = String.raw`
  ## Status\n\nAccepted\n\nSuperseded by [9](0009-y.md)\n => {"status":"superseded"}
  ## Status\n\nsuperseded by ADR-9\n => {"status":"superseded"}
  ## Status\n\nOn hold\n => {"status":"on hold"}
  ## Status\n\nin-review\n => {"status":"in review"}
  ## Status\n\nPartly superseded by ADR-9\n => {"status":"partly superseded"}
  ## Status\n\n2026-01-01: Accepted by all\n => {"status":"accepted"}
  ## Status\n\nThe points above have been implemented\n => {"status":"implemented"}
  ## Status\n\nAcepted\n => {"status":"acepted"}
  ## Status\n\n> Accepted\n => {"status":"accepted"}
  // What a template leaves there is no status.
  ## Status\n\n{proposed | accepted}\n => {"status":null}
  ## Status\n\nProposed | Accepted | Rejected\n => {"status":null}
  ## Status\n\n[proposed | accepted]\n => {"status":null}
  ## Status\n\nTBD\n => {"status":null}
  ## Status\n\nN/A\n => {"status":null}
  ## Status\n\n<!-- say something -->\n => {"status":null}
  ## Status\n\n> Superseded by ADR-12 is a status\n => {"status":null}
  ## Status\n\n\n => {"status":null}
  ## Status quo\n\nAll is well\n => {"status":null}
  ${"```"}yaml\nstatus: accepted\n${"```"}\n => {"status":null}
  ## Context\n\n- Status: to do, in progress\n => {"status":null}
  Date: 28 July 2026 => {"date":"28 July 2026"}
  * Date: [YYYY-MM-DD when it was decided]\n => {"date":null}
  ## Status\n\nAccepted, supersedes ADR-4 => {"supersedes":["ADR-4"]}
  ## Status\n\nSuperseded [0009](0009-y.md) => {"supersededBy":["0009-y.md"]}
  ## Status\n\nSuperseded (2026-01-01) => {"supersededBy":[]}
  ## Status\n\nThis supersedes the page in the wiki => {"supersedes":[]}
  ## Status\n\nSuperseded by Queues and topics => {"supersededBy":["Queues and topics"]}
  * Superseded by: n/a => {"supersededBy":[]}
  - Replaced by [9](<0009-y.md>) => {"supersededBy":["0009-y.md"]}
  ${"```"}\n- Supersedes [4](4.md)\n${"```"} => {"supersedes":[]}
  // Only the status before the body, or beside the decision, is that of the record.
  ## Context\n\nC\n\n### Status\n\nThe status is as it was\n => {"status":null}
  ## Design\n\n### API\n\n#### Status\n\nActive pods\n => {"status":null}
  ## Context\n\nC\n\n## Decision\n\nD\n\n## Status\n\nAccepted\n => {"status":"accepted"}
  ## Summary\n\n### Decision\n\nD\n\n### Status\n\nDecided on B.\n\n## Details\n\nE\n => {"status":"decided"}
  ## Context\n\nC\n\n## Decision\n\nD\n\n### Status\n\nActive pods\n => {"status":null}
  Status: accepted\n\n## Decision\n\nD\n\n## Status\n\nRejected\n => {"status":"accepted"}
  // A successor after a date, misspelt, over several lines, or by a name for its link.
  Superseded: 2019-12-19 by [ADR 14](0014-x-and-y.md)\n => {"supersededBy":["0014-x-and-y.md"]}
  Superseded: 2019-12-19 by ADR-14\n => {"supersededBy":["ADR-14"]}
  * **Superseded**: 2019-12-19\n => {"supersededBy":[]}
  ## Status\n\nAccepted\n\nSuperseded: 2019-12-19 by [14](0014-x.md)\n => {"supersededBy":["0014-x.md"]}
  ## Status\n\nSuperseded on 2019-12-19 by ADR-14\n => {"status":"superseded","supersededBy":["ADR-14"]}
  ## Status\n\nsuperseeded by [2]\n\n[2]: 0002-y.md\n => {"status":"superseded","supersededBy":["0002-y.md"]}
  ## Status\n\nSuperceded by [2]\n => {"status":"superseded","supersededBy":["2"]}
  Status: superseded by [the new\none](0009-y.md)\n => {"status":"superseded","supersededBy":["0009-y.md"]}
  ## Status\n\nSuperseded by\n[KEP\n9](0009-y.md)\n => {"supersededBy":["0009-y.md"]}
  - Superseded by: [8][]\n\n[8]: <0008-x.md>\n => {"supersededBy":["0008-x.md"]}
  Superseded by:\n- [8](8.md)\n- [9](9.md)\n => {"supersededBy":["8.md","9.md"]}
  - Superseded by:\n  - ADR-8\n- Status: accepted\n => {"supersededBy":["ADR-8"],"status":"accepted"}
  ## Status\n\nClarifies [4. The proposed way](4.md)\n\nAccepted\n => {"status":"accepted"}
  ## Status\n\nAmends [4](4.md)\n\nAccepted\n => {"status":"accepted","amends":["4.md"]}
  This ADR is superseded by [9. Y](0009-y.md). It amends [4](4.md).\n => {"supersededBy":["0009-y.md"],"amends":null}
  ## Status\n\nAccepted\n\nAmends [4](4.md)\n\nAmended by [9](9.md)\n\nRelates to [5](5.md)\n => {"amends":["4.md"],"amendedBy":["9.md"],"relatesTo":["5.md"]}
  Amends: ADR-4\nRelated to: ADR-5, ADR-6\n => {"amends":["ADR-4"],"relatesTo":["ADR-5","ADR-6"]}
  ## Status\n\nAccepted (amended 2020-01-01)\n => {"amendedBy":null,"amends":null}
  - Start Date: 2014-09-03\n => {"date":"2014-09-03"}
  Date 09/04/2018\n => {"date":"09/04/2018"}
  Date of birth is stored\n => {"date":null}
  **Status:** Accepted | **Date:** 2026-07-28 | **Review:** 2027-07-28\n => {"status":"accepted","date":"2026-07-28"}
  Status: Accepted · Supersedes: [4](4.md) and [5](5.md)\n => {"status":"accepted","supersedes":["4.md","5.md"]}
  ## Status\n\n![Superseded](https://badge.example/x.svg)\n\nSuperseded by [9](0009-y.md)\n => {"status":"superseded","supersededBy":["0009-y.md"]}
  * Supersedes: NA\n => {"supersedes":[]}
  * Supersedes: [Note 7]( https://notes.example/7)\n => {"supersedes":["https://notes.example/7"]}
  ## Context\n\nC\n\n## Status\n\nImplemented\n => {"status":"implemented"}
  ## Context\n\nC\n\n## Status\n\nThe status is as it was\n => {"status":null}
  // Relations to a part, in other languages; and the title of another record is no status.
  ## Status\n\nAccepté — remplace la partie transport de l'ADR-0002\n => {"status":"accepted","partlySupersedes":["ADR-0002"],"supersedes":[]}
  ## Status\n\nAkzeptiert, ersetzt den Teil Transport von [ADR-2](0002-x.md)\n => {"status":"accepted","partlySupersedes":["0002-x.md"],"supersedes":[]}
  ## Estado\n\nAceptado; reemplaza la parte de transporte del ADR-0002\n => {"status":"accepted","partlySupersedes":["ADR-0002"],"supersedes":[]}
  ## Stato\n\nAccettato; sostituisce la parte sul trasporto di ADR-0002\n => {"status":"accepted","partlySupersedes":["ADR-0002"],"supersedes":[]}
  ## Status\n\nAangenomen; vervangt het deel transport van ADR-0002\n => {"status":"accepted","partlySupersedes":["ADR-0002"],"supersedes":[]}
  ## Statut\n\nAccepté, remplace l'ADR-0002\n => {"status":"accepted","supersedes":["ADR-0002"]}
  ## Status\n\nClarifies [9. An accepted X](0009.md)\n => {"status":null}
  ## Status\n\nClarified by [9. A rejected X](0009.md)\n => {"status":null}
  ## Status\n\nExtends [9. Deprecated calls](0009.md)\n => {"status":null}
  ## Status\n\nImplements [9. The draft of X](0009.md)\n\nProposed\n => {"status":"proposed"}
  // What the text at the head says of the record itself.
  Status: accepted\n\nThis RFC is superseded by [44](0044-x.md). The text\nbelow is kept.\n => {"status":"accepted","supersededBy":["0044-x.md"]}
  > This decision has been **replaced by [44](0044-x.md)**.\n => {"supersededBy":["0044-x.md"]}
  This ADR in part supersedes [4](4.md).\n => {"supersedes":[]}
  ## Context\n\nThis ADR is superseded by [4](4.md).\n => {"supersededBy":[]}
`;
/** The same for front matter. */
const FRONT = String.raw`
  status:\ndate: => {"status":null,"date":null}
  supersedes: [4, 5] => {"supersedes":["4","5"]}
  supersedes: ADR-4 and ADR-5\nsuperseded-by: 9 => {"supersedes":["ADR-4","ADR-5"],"supersededBy":["9"]}
  replaces: ADR-4\nsupersededBy: 9 => {"supersedes":["ADR-4"],"supersededBy":["9"]}
  superseded: true => {"supersededBy":[]}
  amends: 4\namended-by: [5]\nrelates-to: 6\nsee-also: [KEP-7] => {"amends":["4"],"amendedBy":["5"],"relatesTo":["6","KEP-7"]}
  creation-date: 2020-01-02\nlast-updated: 2021-01-01 => {"date":"2020-01-02"}
  status: Inactive (for lack of interest) => {"status":"inactive"}
  status: { accepted }\ndate: { 2026-07-28 } => {"status":"accepted","date":"2026-07-28"}
  status: { in-progress } => {"status":"in progress"}
  status: { say it }\ndate: { YYYY-MM-DD } => {"status":null,"date":null}
  stage: recommended => {"status":"recommended"}
  stage: beta\nstatus: accepted => {"status":"accepted"}
  see-also: [\n  "a.md",\n  "b.md",\n]\nstatus: draft => {"relatesTo":["a.md","b.md"],"status":"draft"}
  status: superseded by [ADR-9](0009-y.md) => {"status":"superseded","supersededBy":["0009-y.md"]}
`;

test("a record states its status, date and relations, and nothing that a template left there", async () => {
  const read = (rows: string, before: string, after: string) =>
    table(rows).map(([text, stated]) =>
      [before + text.replaceAll("\\n", "\n") + after, JSON.parse(stated) as Partial<DecisionRecord>] as const
    );
  const rows = [...read(STATEMENTS, "# X\n\n", ""), ...read(FRONT, "---\n", "\n---\n# X\n")];
  const documents = await recordsOf(rows.map(([text]) => text));
  for (const [index, [text, expected]] of rows.entries()) {
    for (const [key, value] of Object.entries(expected)) {
      assert.deepEqual(documents[index]!.record![key as keyof DecisionRecord] ?? null, value, text);
    }
  }
});

/** Records whose first heading names a part of them. */
const TITLES: Readonly<Record<string, string>> = {
  "# Meta\n- Name: Queues\n- Status: accepted\n\n# Summary\n\nS\n": "Queues",
  "- Start Date: 2014-09-03\n\n# Summary\n\nS\n": "0007-queues",
  "# 1. Motivation\n\nM\n": "0007-queues",
  "## Queues\n\n- Status: accepted\n\n## Summary\n\nS\n": "Queues",
  "- Status: accepted\n\n## Goals\n\nG\n": "0007-queues",
  "## Context\n\nC\n\n## Decision\n\nD\n": "0007-queues",
  "# Summary of queues\n\nS\n": "Summary of queues",
  "---\ntitle: Queues\n---\n# Abstract\n\nA\n": "Queues",
};

test("the title of a record is no heading of a part, but its name or that of its file", async () => {
  const documents = await recordsOf(Object.keys(TITLES));
  assert.deepEqual(documents.map(({ title }) => title), Object.values(TITLES));
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
  const { provider } = await memoryProvider(Object.fromEntries(entries));
  const resources = await provider.list({} as never);
  for (const [index, [front, status]] of rows.entries()) {
    const meta = resources[index]!._meta!["architrave/record"] as { status?: string };
    assert.equal(meta.status, status, front);
  }
});

const KEP = `
title: Queues
authors: ["@a"]
status: implementable
creation-date: 2020-01-02
see-also:
  - "/keps/sig/8-topics"
replaces:
  - KEP-5
`;

test("a record takes what it does not state from the kep.yaml beside it, and follows that file", async () => {
  const memory = new MemoryFiles({
    "keps/sig/7-queues/README.md":
      "# KEP-7: Queues\n\n## Summary\n\nS.\n\n## Motivation\n\nM.\n\n### Status\n\nas is\n",
    "keps/sig/7-queues/kep.yaml": KEP,
    "keps/sig/7-queues/notes.md": "# Notes\n",
    "keps/sig/8-topics/README.md":
      "---\nstatus: rejected\n---\n# Topics\n\n## Status\n\nIt was replaced by [7](/keps/sig/7-queues/).\n",
    "keps/sig/8-topics/kep.yaml": `${KEP}\nstatus: implemented\n`,
  }, "/root/resources/");
  const store = await openStore(memory.system, "/root");
  const recordOf = (key: string) => store.catalogue.get(key)?.record;
  assert.deepEqual(recordOf("keps/sig/7-queues/README"), {
    number: 7,
    status: "implementable",
    date: "2020-01-02",
    supersedes: ["KEP-5"],
    supersededBy: [],
    relatesTo: ["/keps/sig/8-topics"],
  });
  assert.equal(store.catalogue.get("keps/sig/7-queues/README")?.title, "KEP-7: Queues");
  assert.equal(recordOf("keps/sig/7-queues/notes"), undefined);
  assert.equal(recordOf("keps/sig/8-topics/README")?.status, "rejected");
  assert.deepEqual(recordOf("keps/sig/8-topics/README")?.supersededBy, ["/keps/sig/7-queues/"]);
  const topics = store.catalogue.get("keps/sig/8-topics/README")!;
  assert.equal(store.catalogue.resolve(topics, "/keps/sig/7-queues/")?.key, "keps/sig/7-queues/README");
  const find = (uri: string) => store.catalogue.find(uri).documents.map(({ key }) => key);
  assert.deepEqual(find("architecture://keps/7"), ["keps/sig/7-queues/README"]);
  assert.deepEqual(find("architecture://keps/sig/kep-7"), ["keps/sig/7-queues/README"]);
  memory.write("/root/resources/keps/sig/7-queues/kep.yaml", "status: implemented\n", Date.now() - 1000);
  await store.rescan();
  assert.equal(recordOf("keps/sig/7-queues/README")?.status, "implemented");
  const { catalogue } = store;
  await store.rescan();
  assert.equal(store.catalogue, catalogue, "nothing has changed");
  memory.remove("/root/resources/keps/sig/7-queues/kep.yaml");
  await store.rescan();
  assert.equal(store.catalogue.get("keps/sig/7-queues/README")?.record?.status, undefined);
});

const NYGARD = `# T\n\n## Status\n\nAccepted\n${BODY}`;
const MADR = "# T\n\n## Considered Options\n\n* A\n\n## Decision Outcome\n\nA\n";
const RFC = "# T\n\n## Motivation\n\nM\n\n## Drawbacks\n\nD\n";

/** Folders, which of their documents are decision records. */
const RECOGNISED: readonly (readonly [files: Readonly<Record<string, string>>, records: string])[] = [
  [{ "decisions/18-x.md": NYGARD, "decisions/README.md": "# All\n" }, "decisions/18-x"],
  [{ "adrs/use-x.md": NYGARD, "adrs/use-y.md": NYGARD, "adrs/process.md": NYGARD }, "adrs/use-x adrs/use-y"],
  [{ "decisions/0001-x.md": MADR, "decisions/0000-template.md": MADR }, "decisions/0001-x"],
  [{ "rfcs/0001-x.md": RFC, "rfcs/0002-y.md": "# Y\n" }, "rfcs/0001-x rfcs/0002-y"],
  [{ "eips/eip-20.md": "---\nstatus: Final\n---\n## Abstract\n\nA\n" }, "eips/eip-20"],
  [{ "rfcs/1-x.md": "---\nstage: recommended\n---\n# X\n" }, "rfcs/1-x"],
  [{ "guides/step-1.md": "---\nstatus: Final\n---\n# One\n" }, ""],
  [{ "log/20260101-x.md": "---\nstatus: accepted\n---\n# X\n" }, "log/20260101-x"],
  [
    { "docs/billing/adr/1-x.md": NYGARD, "docs/guide.md": "# G\n", "docs/adr/1-x.md": NYGARD },
    "docs/adr/1-x docs/billing/adr/1-x",
  ],
  // Where the others are records, a status alone makes one too.
  [{ "docs/1-x.md": NYGARD, "docs/a.md": "---\nstatus: accepted\n---\n# A\n" }, "docs/1-x docs/a"],
  [{ "docs/1-x.md": NYGARD, "docs/b.md": "# B\n" }, "docs/1-x"],
  // A sign alone is none, and neither is one record among others.
  [{ "guides/1-start.md": "# S\n", "guides/2-go.md": "# G\n" }, ""],
  [{ "guidelines/api.md": "---\nstatus: accepted\n---\n# API\n" }, ""],
  [{ "patterns/cache.md": "# C\n\n## Context\n\nC\n\n## Decision\n\nD\n" }, ""],
  [{ "docs/1-x.md": NYGARD, "docs/a.md": "# A\n", "docs/b.md": "# B\n" }, ""],
  [{ "adr/1-x.md": "# X\n", "adr/other.md": "# Y\n" }, "adr/1-x adr/other"],
];

const TEMPLATES =
  "vorlage muster modele modèle gabarit plantilla modelo modello sjabloon szablon шаблон テンプレート 雛形 模板 템플릿 서식 template"
    .split(" ");

test("a template is no record, in any language", async () => {
  for (const name of TEMPLATES.flatMap((word) => [`0000-${word}`, word, `adr-${word}`])) {
    const { documents } = (await memoryStore({ "adr/1-x.md": NYGARD, [`adr/${name}.md`]: NYGARD })).catalogue;
    assert.equal(documents.filter(({ record }) => record).length, 1, name);
  }
});

const SECTIONS =
  `Kontext Entscheidung, Contexte Décision, Contexto Decisión, Contexto Decisão, Contesto Decisione,
  Achtergrond Besluit, Kontekst Decyzja, Контекст Решение, 背景 決定, 背景 决策, 맥락 결정`.split(/,\s+/);

test("the usual sections are known in any language", async () => {
  for (const [context = "", decision = ""] of SECTIONS.map((pair) => pair.split(" "))) {
    const text = `# X\n\nStatus: accepted\n\n## ${context}\n\nC\n\n## ${decision}\n\nD\n`;
    const { documents } = (await memoryStore({ "log/a.md": text, "log/b.md": text })).catalogue;
    assert.deepEqual(documents.map(({ record }) => record?.status), ["accepted", "accepted"], context);
  }
});

test("each label of another language makes the program load the languages, and those of English do not", () => {
  const english = englishWords();
  const isUnsure = (label: string) => (english.fieldOf(label), english.takeDoubt());
  for (const { labels } of standardWords().languages) {
    for (const label of Object.values(labels).flatMap(splitWords)) {
      if (english.fieldOf(label) === undefined) assert.ok(isUnsure(label) && isUnsure(folded(label)), label);
    }
  }
  for (
    const label of [
      "Context",
      "Alternatives",
      "Detailed design",
      "Data model",
      "Review Manager",
      "Author",
      "Status",
    ]
  ) {
    assert.ok(!isUnsure(label), label);
  }
});

test("records are recognised in any folder by what most of its documents look like", async () => {
  for (const [files, records] of RECOGNISED) {
    const { documents } = (await memoryStore(files)).catalogue;
    assert.equal(documents.filter(({ record }) => record).map(({ key }) => key).join(" "), records);
  }
});

test("a folder that is named is read as records, whatever it looks like, and the others stay as they are", async () => {
  const contents = { "log/a/x.md": "# X\n", "log/b/y.md": "# Y\n", "docs/1-z.md": "# Z\n" };
  const { provider } = await memoryProvider(contents, { records: ["log/a", "docs"] });
  const { catalogue } = provider.store;
  const records = catalogue.documents.filter(({ record }) => record).map(({ key }) => key);
  assert.deepEqual(records, ["docs/1-z", "log/a/x"]);
  assert.equal(catalogue.find("architecture://docs/1").documents.length, 1);
});

test("a folder becomes one of records, and ceases to be one, as its documents change", async () => {
  const memory = new MemoryFiles({ "docs/1-x.md": "# X\n" }, "/root/resources/");
  const store = await openStore(memory.system, "/root");
  const isRecord = () => store.catalogue.documents[0]!.record !== undefined;
  assert.equal(isRecord(), false);
  for (const [text, expected] of [[NYGARD, true], ["# X\n\nNo more.\n", false]] as const) {
    memory.write("/root/resources/docs/1-x.md", text, Date.now() - 1000);
    await store.rescan();
    assert.equal(isRecord(), expected);
  }
});
