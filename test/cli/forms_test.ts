/** Forms of records that are edited, and forms that are refused with their line. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { cli, cliJson } from "../harness/command.ts";
import { filesIn, makeFolder } from "../harness/folder.ts";

const MOUNT = "--mount adr=DIR";

/** A text before and after an edit, which is written in it as "«before→after»". */
function edit(text: string): [before: string, after: string] {
  return [text.replace(/«(.*?)⇒.*?»/gs, "$1"), text.replace(/«.*?⇒(.*?)»/gs, "$1")];
}

/** Rows of a text with its edit, and the new status. Without an edit, the form is refused, with the line that the row names. */
const STATUS: Readonly<Record<string, readonly (readonly [text: string, status: string, line?: number])[]>> =
  {
    "tables with the labels in the first row": [
      ["# A\n\n| Status | Date |\n|---|---|\n| «Proposed⇒Accepted» | 2025-01-01 |\n", "accepted"],
      [
        "# A\n\n| ID | Status | Date |\n|----|--------|------|\n| 7 | «Proposed⇒Rejected» | 2025-01-01 |\n",
        "rejected",
      ],
      [
        "# A\n\n| Date | Status |\n|:---|---:|\n| 2025-01-01 | **«Accepted⇒Deprecated»** |\n\n## Context\n",
        "deprecated",
      ],
      ["# A\n\n|Status|Date|Owner|\n|-|-|-|\n|«draft⇒accepted»|2025-01-01|X|\n", "accepted"],
      [
        "# A\n\n| Status | Date | Deciders |\n| --- | --- | --- |\n| «accepted⇒rejected» | 2025-01-01 | a \\| b |\n",
        "rejected",
      ],
      [
        "# A\n\n## Status\n\n| Status | Date |\n|---|---|\n| «Proposed⇒Accepted» | 2025-01-01 |\n\n## Context\n",
        "accepted",
      ],
    ],
    "tables of labels and values": [
      ["# A\n\n| | |\n|---|---|\n| Status | «Proposed⇒Accepted» |\n| Date | 2025-01-01 |\n", "accepted"],
      ["# A\n\n| **Status** | «Proposed⇒Accepted» |\n|---|---|\n| **Date** | 2025-01-01 |\n", "accepted"],
      ["# A\n\n<table>\n<tr><th>Status</th><td>«Proposed⇒Accepted»</td></tr>\n</table>\n", "accepted"],
    ],
    "logs, which say what the status was": [
      [
        "# A\n\n## Status\n\n| Status | Date |\n|---|---|\n| Proposed | 2026-01-01 |\n| Accepted | 2026-01-02 |\n",
        "rejected",
        8,
      ],
      [
        "# A\n\n| Status | Date |\n|---|---|\n| Accepted | 2026-01-02 |\n| Proposed | 2026-01-01 |\n",
        "rejected",
        5,
      ],
      ["# A\n\n## Status\n\n* 2026-01-01: Proposed\n* 2026-01-02: Accepted\n", "rejected", 6],
      ["# A\n\n## Status\n\n- Proposed 2026-01-01\n- Accepted 2026-01-02\n", "deprecated", 6],
      ["# A\n\n## Status\n\n- Accepted 2026-01-02\n- Proposed 2026-01-01\n\n## Context\n", "deprecated", 5],
      ["# A\n\n## Status\n\nProposed → Accepted with changes\n", "rejected", 5],
      ["# A\n\n- Status: Draft -> In Review -> Approved\n", "rejected", 3],
      ["# A\n\nStatus: Was accepted, now deprecated\n", "accepted", 3],
    ],
    "lists to tick off": [
      [
        "# A\n\n## Status\n\n- [ ] Proposed\n- «[x]⇒[ ]» Accepted\n- «[ ]⇒[x]» Deprecated\n- [ ] Superseded\n",
        "deprecated",
      ],
      ["# A\n\n## Status\n\n* «[X]⇒[ ]» Proposed\n* «[ ]⇒[X]» Accepted\n", "accepted"],
      [
        "# A\n\n## Status\n\n- [ ] Proposed\n\n- «[x]⇒[ ]» Accepted\n\n- «[ ]⇒[x]» Rejected\n\n## Context\n",
        "rejected",
      ],
      [
        "# A\n\n## Status\n\n- [ ] Proposed\n- «[ ]⇒[x]» Accepted\n- [ ] Rejected\n\n## Context\n",
        "accepted",
      ],
      ["# A\n\n## Status\n\n«[x]⇒[ ]» Proposed\n«[ ]⇒[x]» Accepted\n", "accepted"],
      ["# A\n\n## Status\n\n- [ ] Proposed\n- [x] Accepted\n", "rejected", 6],
    ],
    "front matter of other kinds": [
      ['+++\ntitle = "A"\nstatus = «"proposed"⇒"accepted"»\n+++\n\n# A\n', "accepted"],
      ["+++\nstatus = «'proposed'⇒\"accepted\"» # since May\ndate = 2026-01-02\n+++\n# A\n", "accepted"],
      ['+++\ndate = 2026-01-02\nStatus = «"Draft"⇒"Accepted"»\n[extra]\nx = 1\n+++\n# A\n', "accepted"],
      ["---\nstate: «Approved⇒Rejected»\n---\n# A\n", "rejected"],
      ["---\nadr_status: «proposed⇒accepted»\n---\n# A\n", "accepted"],
      ["---\nstatus:\n  state: «proposed⇒accepted»\n---\n# A\n", "accepted"],
      ["---\nadr:\n  status: «proposed⇒accepted» # x\n  id: 7\n---\n# A\n", "accepted"],
    ],
    "decorated places": [
      ["# A\n\n## ⚡ Status\n\n«Proposed⇒Accepted»\n\n## Context\n", "accepted"],
      ["# A\n\n## Status {#status}\n\n«Proposed⇒Accepted»\n\n## Context\n", "accepted"],
      ["# A\n\n## Decision Status\n\n«Proposed⇒Accepted» on 2026-01-02\n\n## Context\n", "accepted"],
      ["# A\n\n## 1. Status\n\n«Proposed⇒Accepted»\n\n## 2. Context\n", "accepted"],
      ["# A\n\n## Status: «Proposed⇒Accepted»\n\n## Context\n", "accepted"],
      ['# A\n\n!!! info "Status"\n\n    «Proposed⇒Accepted»\n\n## Context\n', "accepted"],
      ["# A\n\n:::info Status\n«Proposed⇒Accepted»\n:::\n\n## Context\n", "accepted"],
      ["# A\n\n> [!NOTE]\n> **Status:** «Proposed⇒Accepted»\n\n## Context\n", "accepted"],
      ["# A\n\n**Status** — «Proposed⇒Accepted»\n", "accepted"],
      ["# A\n\n**Status**\n«Proposed⇒Accepted»\n\n## Context\n", "accepted"],
      ["# A\n\nStatus:: «Proposed⇒Accepted»\n", "accepted"],
      ["# A\n\n📌 **Status:** «Proposed⇒Accepted»\n", "accepted"],
    ],
    "other languages, which a status keeps": [
      ["# A\n\n**Status:** «Vorgeschlagen⇒Akzeptiert»\n", "accepted"],
      ["# A\n\n## Statut\n\n«Proposé⇒Accepté»\n\n## Contexte\n", "accepted"],
      ["# A\n\n- Estado: «propuesto⇒aceptado»\n", "accepted"],
      ["# A\n\n| Status | «Voorgesteld⇒Geaccepteerd» |\n|---|---|\n", "accepted"],
      ["---\nstatus: «akzeptiert⇒veraltet»\n---\n# A\n", "deprecated"],
    ],
  };

for (const [kind, rows] of Object.entries(STATUS)) {
  test(`status edits or refuses: ${kind}`, async (t) => {
    for (const [text, status, line] of rows) {
      const [before, after] = edit(text);
      const folder = makeFolder(t, { "0001-a.md": before });
      const { code, errors } = await cli(`status 1 ${status} ${MOUNT} --write`, folder);
      const left = filesIn(folder)["0001-a.md"];
      if (before === after) {
        assert.equal(left, before);
        assert.match(
          errors,
          new RegExp(
            `^architrave: Cannot change 0001-a\\.md: the form of line ${line}, ".+", is not one that is edited; (?:make|tick) .* by hand\\n$`,
          ),
          text,
        );
        assert.equal(code, 1);
        continue;
      }
      assert.equal(left, after, errors);
      const { resources: [{ _meta }] } = await cliJson(`list ${MOUNT}`, folder);
      assert.equal(_meta["architrave/record"].status, status, after);
    }
  });
}

/** The old record with its edit; the new one has the edit of the second text. */
const NEW = "# B\n\n## Status\n\nAccepted«⇒\n\nSupersedes [1. A](0001-a.md)\n»";
const SUPERSEDE: readonly (readonly [old: string, now?: string])[] = [
  // Placeholders are replaced.
  ...[
    "None (current)",
    "none yet",
    "N/A (current)",
    "—",
    "TBD",
    "None to date",
    "ADR-XXX",
    "[none]",
    "n/a",
    "_none_",
  ].map((nothing) =>
    [
      `# A\n\n**Status:** «Accepted⇒Superseded»\n**Superseded by:** «${nothing}⇒[ADR-0002](0002-b.md)»\n`,
      `# B\n\n**Status:** Accepted\n**Supersedes:** «${nothing}⇒[ADR-0001](0001-a.md)»\n`,
    ] as const
  ),
  [
    "---\nstatus: «accepted⇒superseded»\nsuperseded-by: «null⇒ADR-0002»\n---\n# A\n",
    "---\nstatus: accepted\nsupersedes: «[]⇒ADR-0001»\n---\n# B\n",
  ],
  [
    "---\nstatus: «accepted⇒superseded»\nsuperseded_by: «none yet⇒ADR-0002»\n---\n# A\n",
    "---\nstatus: accepted\nsupersedes: «false⇒ADR-0001»\n---\n# B\n",
  ],
  ["# A\n\n| Status | Date |\n|---|---|\n| «Accepted⇒Superseded by [ADR-0002](0002-b.md)» | 2025-01-01 |\n"],
  ["# A\n\n| Status | Superseded by | Date |\n|---|---|---|\n| «Accepted⇒Superseded» |«⇒ [ADR-0002](0002-b.md)» | 2025-01-01 |\n"],
  ["# A\n\n| Status | Superseded by | Date |\n|---|---|---|\n| «Accepted⇒Superseded» | «None⇒[ADR-0002](0002-b.md)» | 2025-01-01 |\n"],
  ["# A\n\n## Status\n\n- [ ] Proposed\n- «[x] Accepted⇒[ ] Accepted»\n- «[ ] Superseded⇒[x] Superseded by [2. B](0002-b.md)»\n"],
  ["# A\n\n## Status\n\n- «[x] Accepted⇒[ ] Accepted»\n- «[ ] Superseded by ADR-XXX⇒[x] Superseded by [2. B](0002-b.md)»\n\n## Context\n"],
  [
    '+++\nstatus = «"accepted"⇒"superseded by ADR-0002"»\n+++\n# A\n',
    '+++\nstatus = "accepted"\n«⇒supersedes = "ADR-0001"\n»+++\n# B\n',
  ],
  [
    '+++\nstatus = «"accepted"⇒"superseded"»\nsuperseded_by = «[]⇒"ADR-0002"»\n+++\n# A\n',
    '+++\nstatus = "accepted"\nsupersedes = «["ADR-7"]⇒["ADR-7", "ADR-0001"]»\n+++\n# B\n',
  ],
  ["# A\n\n## ⚡ Status\n\n«Accepted⇒Superseded by [2. B](0002-b.md)»\n\n## Context\n"],
];

test("supersede replaces placeholders, and edits cells, ticks and TOML", async (t) => {
  for (const [old, now = NEW] of SUPERSEDE) {
    const [[oldBefore, oldAfter], [nowBefore, nowAfter]] = [edit(old), edit(now)];
    const folder = makeFolder(t, { "0001-a.md": oldBefore, "0002-b.md": nowBefore });
    const { code, errors } = await cli(`supersede 1 2 ${MOUNT} --write`, folder);
    assert.equal(code, 0, `${old}: ${errors}`);
    assert.deepEqual(filesIn(folder), { "0001-a.md": oldAfter, "0002-b.md": nowAfter }, old);
    const again = await cli(`supersede 1 2 ${MOUNT} --write`, folder);
    assert.equal(again.output, "There is nothing to change.\n", old);
  }
});

test("supersede refuses a form that it cannot edit, and changes neither record", async (t) => {
  const rows: readonly (readonly [old: string, line: number])[] = [
    ["# A\n\n## Status\n\n- [ ] Proposed\n- [x] Accepted\n", 6],
    ["# A\n\n## Status\n\n* 2026-01-01: Proposed\n* 2026-01-02: Accepted\n", 6],
    ["# A\n\n| Status | Date |\n|---|---|\n| Proposed | 2026-01-01 |\n| Accepted | 2026-01-02 |\n", 6],
    [
      "# A\n\n| Status | Date |\n|---|---|\n| Accepted | 2026-01-02 |\n| Proposed | 2026-01-01 |\n\n## Context\n",
      5,
    ],
  ];
  for (const [old, line] of rows) {
    const files = { "0001-a.md": old, "0002-b.md": "# B\n\n## Status\n\nAccepted\n" };
    const folder = makeFolder(t, files);
    const { code, errors } = await cli(`supersede 1 2 ${MOUNT} --write`, folder);
    assert.equal(code, 1, old);
    assert.match(
      errors.split("\n").at(-2)!,
      new RegExp(
        `Cannot change 0001-a\\.md: the form of line ${line}, ".+", is not one that is edited; .* by hand$`,
      ),
    );
    assert.deepEqual(filesIn(folder), files, old);
  }
});
