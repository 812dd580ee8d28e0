/** A decision in force is read as one that is, and one that is not as one that is not, whatever form its record has. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { table } from "../harness/table.ts";
import { memoryProvider } from "./stores.ts";

const BODY = "\n\n## Context\n\nWhy.\n\n## Decision\n\nWe do.\n";

/** Texts below the title, and what is listed of the record; null for nothing. */
const IN_FORCE = String.raw`
  // Nothing, with words after it.
  **Status:** Accepted\n**Superseded by:** None as of 2026-05-01 => {"status":"accepted","supersededBy":null}
  - Status: Accepted\n- Superseded by: none at present => {"status":"accepted","supersededBy":null}
  - Status: Accepted\n- Superseded by: N/A - current => {"status":"accepted","supersededBy":null}
  Status: Accepted\nSuperseded by: No successor => {"status":"accepted","supersededBy":null}
  Status: Accepted\nSuperseded by: nil (still valid) => {"status":"accepted","supersededBy":null}
  Status: Accepted\nSuperseded by: *none*, see ADR-0009 => {"status":"accepted","supersededBy":null}
  Status: Accepted\nSuperseded by: TBD => {"status":"accepted","supersededBy":null}
  Status: Accepted\nSuperseded by: ADR-NNNN => {"status":"accepted","supersededBy":null}
  Status: Accepted\nSuperseded by: [ADR-XXXX](xxxx-title.md) => {"status":"accepted","supersededBy":null}
  Status: Accepted\nSuperseded by: ADR-??? => {"status":"accepted","supersededBy":null}
  Status: Accepted\nSuperseded by: – => {"status":"accepted","supersededBy":null}
  Status: Accepted\nSuperseded by: => {"status":"accepted","supersededBy":null}
  | Status | Accepted |\n| -- | -- |\n| Superseded by | — |\n => {"status":"accepted","supersededBy":null}
  ## Status\n\nAccepted\n\n## Superseded by\n\nNone\n => {"status":"accepted","supersededBy":null}
  ## Status\n\nAccepted\n\n## Superseded by\n\nN/A (current)\n => {"status":"accepted","supersededBy":null}
  // A part.
  Status: Accepted (caching part superseded by ADR-9) => {"status":"accepted","partlySupersededBy":["ADR-9"]}
  Status: Accepted, in part replaced by [9](0009-y.md) => {"status":"accepted","partlySupersededBy":["0009-y.md"]}
  Status: Accepted\nPartially superseded by: [9](0009-y.md) => {"status":"accepted","partlySupersededBy":["0009-y.md"]}
  Status: Accepted\nSuperseded by (partially): ADR-9 => {"status":"accepted","partlySupersededBy":["ADR-9"]}
  Status: Accepted\nSuperseded by: ADR-9 (in part) => {"status":"accepted","partlySupersededBy":["ADR-9"]}
  Status: Accepted\nSuperseded by: [9](0009-y.md), section 4 only => {"status":"accepted","partlySupersededBy":["0009-y.md"]}
  Status: Accepted\nSuperseded by: section 2 of ADR-9 => {"status":"accepted","partlySupersededBy":["ADR-9"]}
  ## Status\n\nAccepted\n\nSuperseded by [9](0009-y.md) for batch jobs\n => {"status":"accepted","partlySupersededBy":["0009-y.md"]}
  ## Status\n\nAccepted\n\nSections 2 and 3 are superseded by [9](0009-y.md)\n => {"status":"accepted","partlySupersededBy":["0009-y.md"]}
  ## Status\n\nAccepted. The choice of the queue was superseded by ADR-9.\n => {"status":"accepted","partlySupersededBy":["ADR-9"]}
  ## Status\n\nAccepted; logging format replaced by ADR-9\n => {"status":"accepted","partlySupersededBy":["ADR-9"]}
  ## Status\n\nMostly superseded by ADR-9\n => {"status":"partly superseded","partlySupersededBy":["ADR-9"]}
  This ADR is partially superseded by [9](0009-y.md).\n\nStatus: accepted => {"status":"accepted","supersededBy":null,"partlySupersededBy":["0009-y.md"]}
  Status: Accepted\nPartly supersedes: ADR-4 => {"supersedes":null,"partlySupersedes":["ADR-4"]}
  Note: this ADR supersedes some aspects of [4](4.md) and [5](5.md).\n\nStatus: accepted => {"supersedes":null,"partlySupersedes":["4.md","5.md"]}
  Status: Accepted\nSupersedes: parts of ADR-4 => {"supersedes":null,"partlySupersedes":["ADR-4"]}
  - **状态**：已接受\n- **Superseded by**：[ADR-51](0051-y.md)（仅第 1 节；其余仍然有效） => {"status":"accepted","partlySupersededBy":["0051-y.md"]}
  - **状态**：已接受\n- **Superseded by**：[ADR-51](0051-y.md) 第 2 节 => {"status":"accepted","partlySupersededBy":["0051-y.md"]}
  - **Status**: 🟢 Accepted（2026-08-12）；**配色部分已被 [ADR-73](0073-y.md) 取代** => {"status":"accepted","partlySupersededBy":["0073-y.md"]}
  - **状态**：已接受\n- **Supersedes**：[44](0044-x.md) 第 4 节与第 1 节 => {"supersedes":null,"partlySupersedes":["0044-x.md"]}
  ## ステータス\n\n承認\n\n- **Superseded by**: [ADR-9](0009-y.md)（認証のみ） => {"status":"accepted","partlySupersededBy":["0009-y.md"]}
  ## Statut\n\naccepté pour les serveurs — topologie remplacée par l'ADR-0009 => {"status":"accepted","partlySupersededBy":["ADR-0009"]}
  ## Status\n\nakzeptiert, ein Teil wurde ersetzt durch [9](0009-y.md) => {"status":"accepted","partlySupersededBy":["0009-y.md"]}
  - **状态**：Accepted；配色部分已被 [ADR-73](0073-y.md) 取代 => {"status":"accepted","partlySupersededBy":["0073-y.md"]}
  - **状态**：已接受（2026-08-12）；一部分已被 ADR-73 取代 => {"status":"accepted","partlySupersededBy":["ADR-73"]}
  // Negated, future, conditional.
  ## Status\n\nAccepted. It has never been superseded.\n => {"status":"accepted","supersededBy":null}
  ## Status\n\nAccepted, not superseded by ADR-9\n => {"status":"accepted","supersededBy":null}
  ## Status\n\nAccepted. This isn't superseded by ADR-9.\n => {"status":"accepted","supersededBy":null}
  ## Status\n\nAccepted\n\nTo be superseded by ADR-9\n => {"status":"accepted","supersededBy":null}
  ## Status\n\nAccepted (may be superseded by ADR-9)\n => {"status":"accepted","supersededBy":null}
  ## Status\n\nAccepted. If accepted, ADR-9 will replace it; this would then be replaced by ADR-9.\n => {"status":"accepted","supersededBy":null}
  ## Status\n\nAccepted until superseded by ADR-9\n => {"status":"accepted","supersededBy":null}
  Status: Accepted\nSuperseded by: ADR-9 once it is accepted => {"status":"accepted","supersededBy":null}
  Status: Accepted\nSuperseded by: will be ADR-9 => {"status":"accepted","supersededBy":null}
  Status: Accepted, expected to be replaced by ADR-9 => {"status":"accepted","supersededBy":null}
  // Prose.
  ## Status\n\nAccepted. The former approach is superseded.\n => {"status":"accepted","supersededBy":null}
  ## Status\n\nAccepted\n\nSee ADR-9, which is superseded by ADR-10.\n => {"status":"accepted","supersededBy":null}
  ## Status\n\nAccepted\n\nADR-3 is superseded by ADR-9\n => {"status":"accepted","supersededBy":null}
  ## Status\n\nAccepted\n\nThis replaces the superseded ADR-3\n => {"status":"accepted","supersededBy":null}
  ## Status\n\nAccepted\n\nAmended 2026-08-14: the shim was replaced by ADR-9 tooling.\n => {"status":"accepted","supersededBy":null}
  ## Status\n\nAccepted. It records why we replaced X with 12 services\n => {"status":"accepted","supersededBy":null}
  ## Status\n\nAccepted (revised 2026-07-19, see #3246)\n => {"status":"accepted","amendedBy":null,"supersededBy":null}
  ## Status\n\nAccepted. Amended by issue 12 and PR #4411\n => {"status":"accepted","amendedBy":null}
  ## Status\n\nAccepted\n\nThis decision was superseded for a week, then reinstated.\n => {"status":"accepted","supersededBy":null}
`;
const OVER = String.raw`
  // A word of its own, or a successor that is named.
  Status: Superseded => {"status":"superseded"}
  Status: superseded (2026-01-01) => {"status":"superseded","supersededBy":null}
  Status: ~~Accepted~~ Superseded by [9](0009-y.md) => {"status":"superseded","supersededBy":["0009-y.md"]}
  Status: Accepted, superseded by ADR-9 => {"status":"superseded","supersededBy":["ADR-9"]}
  Status: Accepted 2020-01-01; superseded on 2021-01-01 by ADR-9 => {"status":"superseded","supersededBy":["ADR-9"]}
  Status: Was accepted, now superseded by ADR-9 => {"status":"superseded","supersededBy":["ADR-9"]}
  Status: Accepted → Superseded (by ADR-9) => {"status":"superseded"}
  Status: Accepted, but superseded by ADR-9 => {"status":"superseded","supersededBy":["ADR-9"]}
  Status: **Superseded** by **ADR-9** => {"status":"superseded","supersededBy":["ADR-9"]}
  Status: Replaced by [[0009-y]] => {"status":"superseded","supersededBy":["0009-y"]}
  Status: Superseded by architecture://adr/9 => {"status":"superseded","supersededBy":["architecture://adr/9"]}
  ## Status\n\n❌ Superseded by [ADR-0009: Use Y, not Z](./0009-y.md) on 2026-01-01\n => {"status":"superseded","supersededBy":["./0009-y.md"]}
  ## Status\n\nAccepted\n\nThis decision has been superseded by [9](0009-y.md).\n => {"status":"superseded","supersededBy":["0009-y.md"]}
  ## Status\n\nAccepted\n\nIt is now replaced by ADR-9.\n => {"status":"superseded","supersededBy":["ADR-9"]}
  ## Status\n\nAccepted\nSuperseded by ADR-9\n => {"status":"superseded","supersededBy":["ADR-9"]}
  ## Status\n\nAccepted\n\n## Superseded by\n\n- [9](0009-y.md)\n- [10](0010-z.md)\n => {"status":"superseded","supersededBy":["0009-y.md","0010-z.md"]}
  ## Status\n\nAccepted\n\n### Superseded by\n\nADR-9\n => {"status":"superseded","supersededBy":["ADR-9"]}
  Status: Accepted\nSuperseded by: ADR-9 (2026-01-01) => {"status":"superseded","supersededBy":["ADR-9"]}
  Status: Accepted\nSuperseded by: the new ADR-9 => {"status":"superseded","supersededBy":["ADR-9"]}
  Status: Accepted\nSuperseded by: 9 => {"status":"superseded","supersededBy":["9"]}
  Status: Accepted\nSuperseded by: https://adr.example/9 => {"status":"superseded","supersededBy":["https://adr.example/9"]}
  - [ ] Accepted\n- [x] Superseded => {"status":null}
  ## Status\n\n- [ ] Accepted\n- [x] Superseded\n => {"status":"superseded"}
  ## Status\n\n| Status | Date |\n|--|--|\n| Superseded | 2026-02-01 |\n| Accepted | 2026-01-01 |\n => {"status":"superseded"}
  ## Status\n\n- Accepted: 2026-01-01\n- Deprecated: 2026-02-01\n => {"status":"deprecated"}
  ## Status\n\n2026-02-01 Rejected\n2026-01-01 Proposed\n => {"status":"rejected"}
  Status: Deprecated, superseded by ADR-9 => {"status":"deprecated","supersededBy":["ADR-9"]}
  Status: Rejected in favour of ADR-9 => {"status":"rejected","supersededBy":null}
`;
/** The places of a status and a date. */
const PLACES = String.raw`
  // A block of code before any text.
  ~~~yaml\nstatus: draft\n~~~ => {"status":null}
  | Type | Length |\n|--|--|\n| date | 10 |\n\n~~~text\nStatus: Draft\n~~~ => {"status":null,"date":null}
  ~~~\nSEP: 7\nTitle: Queues\nStatus: Draft\nCreated: 2020-01-02\n~~~\n\n## Summary => {"status":"draft","date":"2020-01-02"}
  ## Preamble\n\n~~~text\nCAP: 0007\nStatus: Final\nCreated: 2020-01-02\n~~~ => {"status":"final","date":"2020-01-02"}
  ## Preamble\n\n~~~\nStatus: Final Comment Period (FCP)\n~~~ => {"status":"final comment period"}
  ## Preamble\n\n~~~\nStatus: Superseded by SEP-0009\n~~~ => {"status":"superseded","supersededBy":["SEP-0009"]}
  ~~~\nStatus: Draft => {"status":null}
  Status: Accepted\n\n~~~\nStatus: Draft\n~~~ => {"status":"accepted"}
  An example:\n\n~~~\nStatus: Draft\n~~~ => {"status":null}
  ## 🚦 Status\n\nApproved => {"status":"approved"}
  ## 3) Status\n\nAccepted => {"status":"accepted"}
  ## :rocket: ADR status\n\nAccepted => {"status":"accepted"}
  ## __Status__ {#the-status}\n\nAccepted => {"status":"accepted"}
  ## Record Status:\n\nAccepted => {"status":"accepted"}
  Status\n======\n\nAccepted => {"status":"accepted"}
  **Status**\n\nAccepted => {"status":"accepted"}
  **Status:**\nAccepted => {"status":"accepted"}
  __Status__: Accepted => {"status":"accepted"}
  ***Status:*** Accepted => {"status":"accepted"}
  🟢 Status: Accepted => {"status":"accepted"}
  **Status** – Accepted => {"status":"accepted"}
  Status：Accepted => {"status":"accepted"}
  Status:: #accepted => {"status":"accepted"}
  1. Status: Accepted\n2. Date: 2026-01-02 => {"status":"accepted","date":"2026-01-02"}
  > **Status**: Accepted\n> **Date**: 2026-01-02 => {"status":"accepted","date":"2026-01-02"}
  > [!NOTE]\n> Status: Accepted => {"status":"accepted"}
  > [!WARNING]\n> Superseded by [9](0009-y.md) => {"status":"superseded","supersededBy":["0009-y.md"]}
  !!! note "Status"\n\n    Accepted on 2026-01-02 => {"status":"accepted","date":"2026-01-02"}
  ::: info Status\nAccepted\n::: => {"status":"accepted"}
  :::note[Status]\nAccepted\n::: => {"status":"accepted"}
  ???+ info "ADR status"\n    Rejected => {"status":"rejected"}
  | Number | Date | Status |\n|:-:|:-:|:-:|\n| 7 | 2026-01-02 | Accepted |\n => {"status":"accepted","date":"2026-01-02"}
  | Title | Status |\n|--|--|\n| Queues | Accepted |\n => {"status":"accepted"}
  | Status | Accepted | Date | 2026-01-02 |\n|--|--|--|--|\n => {"status":"accepted","date":"2026-01-02"}
  | **Status** | ✅ Accepted |\n|--|--|\n| **Decision date** | 2026-01-02 |\n => {"status":"accepted","date":"2026-01-02"}
  <table>\n<tr><th>Status</th><td>Accepted</td></tr>\n<tr><th>Date</th><td>2026-01-02</td></tr>\n</table> => {"status":"accepted","date":"2026-01-02"}
  ![Status: Rejected](https://badge.example/x.svg) => {"status":"rejected"}
  Status: <b>Accepted</b> => {"status":"accepted"}
  Status: Proposed -> Accepted => {"status":"accepted"}
  Status: Draft ⇒ In review ⇒ Accepted by all => {"status":"accepted"}
  Status: accepted (was: proposed) => {"status":"accepted"}
  Status: formerly accepted; deprecated => {"status":"deprecated"}
  Status: NEEDS_CHANGES => {"status":"needs_changes"}
  2026-01-02\n\nStatus: accepted => {"date":"2026-01-02"}
  Status: accepted, 2026-01-02 => {"date":"2026-01-02"}
  Status: accepted as of 2026-01-02 => {"date":"2026-01-02"}
  Decided on: 2026-01-02 => {"date":"2026-01-02"}
  Date decided: 2026-01-02 => {"date":"2026-01-02"}
`;
const RELATIONS = String.raw`
  Supersedes: ADR-1, ADR-2 and ADR-3 => {"supersedes":["ADR-1","ADR-2","ADR-3"]}
  Supersedes: [1](1.md) & [2](2.md) => {"supersedes":["1.md","2.md"]}
  Supersedes: [1](1.md) (with [3](3.md)), 2 => {"supersedes":["1.md","2"]}
  Supersedes: [[0001-a]], [[0002-b|the other]] => {"supersedes":["0001-a","0002-b"]}
  Supersedes: [[Use queues]] => {"supersedes":["Use queues.md"]}
  Supersedes: 12.1 and 0012a => {"supersedes":["12.1","0012a"]}
  Supersedes: ADR-1: Use X, ADR-2: Use Y => {"supersedes":["ADR-1","ADR-2"]}
  Supersedes: ADR-1 because ADR-2 failed => {"supersedes":["ADR-1"]}
  Supersedes: 0001-use-x, 0002-use-y => {"supersedes":["0001-use-x","0002-use-y"]}
  Supersedes: 2026-01-01 => {"supersedes":null}
  Supersedes: issue 12 => {"supersedes":null}
  Supersedes: #4411 => {"supersedes":["#4411"]}
  Supersedes: [#12](https://git.example/x/pull/12) and [3](3.md) => {"supersedes":["https://git.example/x/pull/12","3.md"]}
  Supersedes: messages in [4](4.md) and states in [5](5.md) => {"supersedes":["4.md","5.md"]}
  - Supersedes: the formats that are described in\n  [4](4.md), [5](5.md), etc. => {"supersedes":["4.md","5.md"]}
  This RFC supersedes the original [RFC #353 "X"](0353-x.md). => {"supersedes":["0353-x.md"]}
  > Note: This RFC replaces the closely related RFC for [X](0004-x.md) => {"supersedes":["0004-x.md"]}
  ## Status\n\nAccepted\n\n## See also\n\n- [4](4.md)\n => {"relatesTo":null}
  Supersedes: none — new ground, see ADR-1 => {"supersedes":null}
  Related: ADR-1; ADR-2 => {"relatesTo":["ADR-1","ADR-2"]}
  See also: [1](1.md)\n => {"relatesTo":["1.md"]}
  ## Status\n\nAccepted\n\n## Supersedes\n\n| Record | Title |\n|--|--|\n| [1](1.md) | A |\n| [2](2.md) | B |\n => {"supersedes":["1.md","2.md"]}
  ## Status\n\nAccepted\n\n## Supersedes\n\n1. [1](1.md)\n2. ADR-2\n => {"supersedes":["1.md","ADR-2"]}
  ## Status\n\nAccepted\n\nAmends [1](1.md) and [2](2.md)\n => {"amends":["1.md","2.md"]}
`;
const OTHER_LANGUAGES = String.raw`
  ## Status\n\nAngenommen am 2026-01-02\n => {"status":"accepted"}
  **Stand:** Abgelehnt\n**Datum:** 2026-01-02 => {"status":"rejected","date":"2026-01-02"}
  ## Status\n\nAbgelöst durch [9](0009-y.md)\n => {"status":"superseded","supersededBy":["0009-y.md"]}
  ## Status\n\nAkzeptiert\n\nErsetzt [4](0004-x.md)\n => {"status":"accepted","supersedes":["0004-x.md"]}
  ## Status\n\nAkzeptiert, teilweise ersetzt durch ADR-9\n => {"status":"accepted","partlySupersededBy":["ADR-9"]}
  ## Status\n\nAkzeptiert. Nicht ersetzt durch ADR-9.\n => {"status":"accepted","supersededBy":null}
  Status: Ersetzt\nErsetzt durch: ADR-9 => {"status":"superseded","supersededBy":["ADR-9"]}
  Status: Vorgeschlagen\nErsetzt: ADR-4 => {"status":"proposed","supersedes":["ADR-4"]}
  Status: Akzeptiert\nErsetzt durch: keine => {"status":"accepted","supersededBy":null}
  ## Statut\n\nRemplacée par ADR-9\n => {"status":"superseded","supersededBy":["ADR-9"]}
  - Statut : Acceptée\n- Date : 2026-01-02 => {"status":"accepted","date":"2026-01-02"}
  **Estado:** Reemplazado por [9](0009-y.md) => {"status":"superseded","supersededBy":["0009-y.md"]}
  **Estado:** Aceptada\n**Fecha:** 2026-01-02 => {"status":"accepted","date":"2026-01-02"}
  ## Situação\n\nAprovado\n => {"status":"approved"}
  ## Stato\n\nSostituita da ADR-9\n => {"status":"superseded","supersededBy":["ADR-9"]}
  Stato: Accettata\nData: 2026-01-02 => {"status":"accepted","date":"2026-01-02"}
  Status: Vervangen door ADR-9\nDatum: 2026-01-02 => {"status":"superseded","supersededBy":["ADR-9"],"date":"2026-01-02"}
  Status: Geaccepteerd => {"status":"accepted"}
  ## Stan\n\nZaakceptowana\n => {"status":"accepted"}
  ## Status\n\nZastąpiona przez [9](0009-y.md)\n => {"status":"superseded","supersededBy":["0009-y.md"]}
  Статус: Отклонено => {"status":"rejected"}
  ## Статус\n\nЗаменено на [9](0009-y.md)\n => {"status":"superseded","supersededBy":["0009-y.md"]}
  ## ステータス\n\n提案中\n => {"status":"proposed"}
  ## ステータス\n\n[9](0009-y.md) により置き換えられました\n => {"status":"superseded","supersededBy":["0009-y.md"]}
  **状态**：已采纳\n**日期**：2026-01-02 => {"status":"accepted","date":"2026-01-02"}
  ## 状态\n\n已被 [9](0009-y.md) 取代\n => {"status":"superseded","supersededBy":["0009-y.md"]}
  ## 상태\n\n승인됨\n => {"status":"accepted"}
  ## 상태\n\n[9](0009-y.md)로 대체됨\n => {"status":"superseded","supersededBy":["0009-y.md"]}
`;
/** Front matter. */
const FRONT = String.raw`
  status: accepted\nsuperseded-by: none as yet => {"status":"accepted","supersededBy":null}
  status: accepted\nsuperseded-by: ~ => {"status":"accepted","supersededBy":null}
  status: accepted\nsuperseded-by: [] => {"status":"accepted","supersededBy":null}
  status: accepted\nsuperseded-by: "N/A" => {"status":"accepted","supersededBy":null}
  status: accepted\nsuperseded-by: no => {"status":"accepted","supersededBy":null}
  status: accepted\nsuperseded-by: 9 (sections 1 to 3) => {"status":"accepted","partlySupersededBy":["9"]}
  status: accepted\npartly-superseded-by: [9, 10] => {"status":"accepted","partlySupersededBy":["9","10"]}
  status: accepted\nsuperseded-by: "[[0009-y|Y]]" => {"status":"superseded","supersededBy":["0009-y"]}
  status: accepted\nsuperseded-by:\n  - "[9](0009-y.md)"\n  - ADR-10 => {"status":"superseded","supersededBy":["0009-y.md","ADR-10"]}
  status: accepted\nsuperseded-by: 0009-y.md => {"status":"superseded"}
  adr:\n  status: accepted\n  date: 2026-01-02\n  supersedes: ADR-4 => {"status":"accepted","date":"2026-01-02","supersedes":["ADR-4"]}
  status:\n  value: rejected\n  date: 2026-01-02 => {"status":"rejected","date":"2026-01-02"}
  decision_status: accepted\ndecision-date: 2026-01-02 => {"status":"accepted","date":"2026-01-02"}
  lifecycle: deprecated => {"status":"deprecated"}
  statut: acceptée => {"status":"accepted"}
  number: 12\nstatus: accepted => {"number":7}
`;

async function listedOf(texts: readonly string[]): Promise<Record<string, unknown>[]> {
  const files = texts.map((text, index) => [`adr/${1000 + index}/0007-queues.md`, text]);
  const { provider } = await memoryProvider(Object.fromEntries(files), { records: ["adr"] });
  const resources = await provider.list({} as never);
  return resources.map(({ _meta }) => _meta?.["architrave/record"] as Record<string, unknown> ?? {});
}

const KINDS: Readonly<Record<string, readonly [rows: string, before: string, after: string]>> = {
  "in force": [IN_FORCE, "# X\n\n", BODY],
  "no longer in force": [OVER, "# X\n\n", BODY],
  "in every place": [PLACES, "# X\n\n", BODY],
  "related to others": [RELATIONS, "# X\n\n", BODY],
  "in other languages": [OTHER_LANGUAGES, "# X\n\n", BODY],
  "in front matter": [FRONT, "---\n", `\n---\n# X${BODY}`],
};
for (const [kind, [rows, before, after]] of Object.entries(KINDS)) {
  test(`a decision is read by what its record states: ${kind}`, async () => {
    const all = table(rows).map(([text, stated]) =>
      [before + text.replaceAll("\\n", "\n") + after, JSON.parse(stated) as Record<string, unknown>] as const
    );
    const listed = await listedOf(all.map(([text]) => text));
    const wrong = all.flatMap(([text, expected], index) =>
      Object.entries(expected).flatMap(([key, value]) => {
        const found = listed[index]![key] ?? null;
        return JSON.stringify(found) === JSON.stringify(value) ? [] : [
          `${JSON.stringify(text.slice(0, -BODY.length))}: ${key} is ${JSON.stringify(found)}, not ${
            JSON.stringify(value)
          }`,
        ];
      })
    );
    assert.deepEqual(wrong, []);
  });
}

test("a team adds words of its own to those of all languages", async () => {
  const words = {
    status: { accepted: ["gäller"], superseded: ["ersatt"], rejected: 7 as never },
    labels: { status: ["läge"], date: ["beslutsdatum"], "superseded by": ["ersatt av"] },
  };
  const files = {
    "adr/0001-a.md": `# A\n\n- Läge: Gäller\n- Beslutsdatum: 2026-01-02${BODY}`,
    "adr/0002-b.md": `# B\n\nLäge: Ersatt\nErsatt av: ADR-1${BODY}`,
  };
  const { provider } = await memoryProvider(files, { words });
  const records = provider.store.catalogue.documents.map(({ record }) => record!);
  assert.deepEqual(records.map(({ status }) => status), ["accepted", "superseded"]);
  assert.deepEqual([records[0]!.date, records[0]!.statusWord, records[1]!.supersededBy], [
    "2026-01-02",
    "Gäller",
    [
      "ADR-1",
    ],
  ]);
});

test("pages are no records, companions take no number, and other endings are counted", async () => {
  const record = `# X\n\nStatus: accepted${BODY}`;
  const texts: Readonly<Record<string, string>> = {
    "adr/0007-x.md": record,
    "adr/0007-x.de.md": record,
    "adr/0008-y.mdx": record,
    "adr/0008-y-appendix.md": "# Numbers\n\nTables.\n",
    "adr/design-review-ADR-0008-y.md": "# Review\n\nFindings.\n",
    "adr/0012-a.markdown": `# A\n\nStatus: superseded by 0012a${BODY}`,
    "adr/0012a-b.md": record,
    "adr/0012.1-c.md": record,
    "adr/README.md": "# Records\n\n## Status\n\nSuperseded by others\n",
    "adr/CONTRIBUTING.md": "# How\n\n## Status\n\nUse accepted.\n",
    "adr/glossary.md": "# Words\n\nStatus: draft\n",
    "adr/0009-z.adoc": "= Z\n",
    "adr/0010-z.rst": "Z\n",
  };
  const { provider } = await memoryProvider(texts);
  const { catalogue } = provider.store;
  const numbers = catalogue.documents.flatMap(({ name, record }) =>
    record ? [[name, record.number ?? null]] : []
  );
  assert.deepEqual(Object.fromEntries(numbers), {
    "0007-x": 7,
    "0007-x.de": null,
    "0008-y": 8,
    "0012-a": 12,
    "0012.1-c": null,
    "0012a-b": null,
  });
  const old = catalogue.get("adr/0012-a")!;
  assert.equal(catalogue.resolve(old, old.record!.supersededBy[0]!)?.name, "0012a-b");
  assert.deepEqual(
    catalogue.findings.map(({ message }) => message),
    ["2 files with the ending .adoc, .rst or .txt are not served"],
  );
});
