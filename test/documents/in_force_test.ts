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
const JOINED_LANGUAGES = String.raw`
  ## 状态\n\n已接受\n\n第 2 节已被 [ADR-9](0009-y.md) 取代。 => {"status":"accepted","partlySupersededBy":["0009-y.md"],"supersededBy":null}
  - **状态**：已接受，缓存部分已由 ADR-9 替代 => {"status":"accepted","partlySupersededBy":["ADR-9"]}
  ## 状态\n\n已接受；部分内容被 ADR-9 取代，其余不变 => {"status":"accepted","partlySupersededBy":["ADR-9"]}
  > 本 ADR 的认证部分已被 [9](0009-y.md) 取代。\n\n状态：已接受 => {"status":"accepted","partlySupersededBy":["0009-y.md"]}
  ## 状态\n\n已接受（仅日志格式被 ADR-9 取代） => {"status":"accepted","partlySupersededBy":["ADR-9"]}
  ## 状态\n\n已接受\n\n缓存策略被 ADR-9 取代 => {"status":"accepted","partlySupersededBy":["ADR-9"]}
  ## 状态\n\n已接受（未实施）\n\n本决策部分取代 ADR-4 => {"status":"accepted","partlySupersedes":["ADR-4"],"supersedes":null}
  ## 状态\n\n已接受\n\n取代 ADR-4 的缓存部分 => {"status":"accepted","partlySupersedes":["ADR-4"]}
  ## 状态\n\n已接受\n\n取代 ADR-4 => {"status":"accepted","supersedes":["ADR-4"]}
  ## 状态\n\n已接受\n\n替代了 [4](0004-x.md) 第 3 节 => {"status":"accepted","partlySupersedes":["0004-x.md"]}
  状态：已接受\n部分取代：ADR-4 => {"status":"accepted","partlySupersedes":["ADR-4"]}
  状态：已接受\n部分被取代：ADR-9 => {"status":"accepted","partlySupersededBy":["ADR-9"]}
  ## 状态\n\n已接受。ADR-3 已被 ADR-9 取代。 => {"status":"accepted","supersededBy":null,"partlySupersededBy":null}
  ## 状态\n\n已接受。尚未被 ADR-9 取代。 => {"status":"accepted","supersededBy":null,"partlySupersededBy":null}
  ## 状态\n\n已接受。缓存部分将被 ADR-9 取代。 => {"status":"accepted","partlySupersededBy":null}
  ## 状态\n\n本 ADR 已被 ADR-9 取代 => {"status":"superseded","supersededBy":["ADR-9"]}
  ## 状态\n\n2024年5月1日被 ADR-9 取代 => {"status":"superseded","supersededBy":["ADR-9"]}
  ## ステータス\n\n承認\n\n認証部分は [ADR-9](0009-y.md) に置き換えられた => {"status":"accepted","partlySupersededBy":["0009-y.md"]}
  ## ステータス\n\n承認（一部は ADR-9 により置き換え済み） => {"status":"accepted","partlySupersededBy":["ADR-9"]}
  ## ステータス\n\n承認。第2章のみ ADR-9 で置き換え。 => {"status":"accepted","partlySupersededBy":["ADR-9"]}
  ## ステータス\n\n承認\n\nADR-9 によって一部置換 => {"status":"accepted","partlySupersededBy":["ADR-9"]}
  - ステータス：承認、キャッシュの節は ADR-9 に差し替え => {"status":"accepted","partlySupersededBy":["ADR-9"]}
  ## ステータス\n\n承認\n\nADR-4 の一部を置き換える => {"status":"accepted","partlySupersedes":["ADR-4"],"partlySupersededBy":null}
  ## ステータス\n\n承認\n\nこの決定は [4](0004-x.md) の認証部分を置き換えます => {"status":"accepted","partlySupersedes":["0004-x.md"]}
  ## ステータス\n\n承認\n\nADR-4 を置き換える => {"status":"accepted","supersedes":["ADR-4"]}
  ## ステータス\n\n承認\n\n一部置き換え先：ADR-9 => {"status":"accepted","partlySupersededBy":["ADR-9"]}
  ## ステータス\n\n承認。ADR-9 に置き換えられていない。 => {"status":"accepted","supersededBy":null}
  ## ステータス\n\n承認。一部は ADR-9 に置き換えられる予定。 => {"status":"accepted","partlySupersededBy":null}
  ## 상태\n\n승인됨\n\n인증 부분은 [9](0009-y.md)로 대체됨 => {"status":"accepted","partlySupersededBy":["0009-y.md"]}
  ## 상태\n\n승인됨 (일부는 ADR-9에 의해 대체됨) => {"status":"accepted","partlySupersededBy":["ADR-9"]}
  ## 상태\n\n승인됨. 2장은 ADR-9로 대체되었음. => {"status":"accepted","partlySupersededBy":["ADR-9"]}
  - 상태: 승인됨, 캐시 절만 ADR-9로 대체됨 => {"status":"accepted","partlySupersededBy":["ADR-9"]}
  ## 상태\n\n승인됨\n\nADR-9에 의해 부분적으로 대체됨 => {"status":"accepted","partlySupersededBy":["ADR-9"]}
  ## 상태\n\n승인됨\n\nADR-4의 일부를 대체함 => {"status":"accepted","partlySupersedes":["ADR-4"]}
  ## 상태\n\n승인됨\n\n이 결정은 [4](0004-x.md)의 캐시 부분을 대체한다 => {"status":"accepted","partlySupersedes":["0004-x.md"]}
  ## 상태\n\n승인됨\n\nADR-4를 대체함 => {"status":"accepted","supersedes":["ADR-4"]}
  ## 상태\n\n승인됨\n\nADR-9로 대체되지 않음 => {"status":"accepted","supersededBy":null}
  - **取代了**：ADR-1、\n  ADR-2 => {"supersedes":["ADR-1","ADR-2"]}
  ## 상태\n\nADR-9로 대체됨 => {"status":"superseded","supersededBy":["ADR-9"]}
  ## 상태\n\n이 결정은 ADR-9에 의해 대체됨 => {"status":"superseded","supersededBy":["ADR-9"]}
  ## 상태\n\n승인됨. ADR-3은 ADR-9로 대체됨. => {"status":"accepted","supersededBy":null}
  この決定の認証部分は [9](0009-y.md) に置き換えられました。\n\nステータス：承認 => {"status":"accepted","partlySupersededBy":["0009-y.md"]}
  이 결정의 인증 부분은 [9](0009-y.md)로 대체됨.\n\n상태: 승인됨 => {"status":"accepted","partlySupersededBy":["0009-y.md"]}
  此决策取代 [4](0004-x.md)。\n\n状态：已接受 => {"status":"accepted","supersedes":["0004-x.md"]}
  状态：取代 ADR-4 => {"status":null,"supersedes":["ADR-4"],"supersededBy":null}
  状态：未接受 => {"statusWord":null}
  状态：已取代 => {"status":"superseded"}
  状态：已废弃，被 ADR-9 取代 => {"status":"deprecated"}
  状态：已取代（见 ADR-9） => {"status":"superseded"}
  状态：已取代 → ADR-9 => {"status":"superseded"}
  状态：缓存策略被 ADR-9 取代 => {"status":"partly superseded","partlySupersededBy":["ADR-9"]}
  ステータス: 承認されていない => {"statusWord":null}
  Status: Akzeptiert\nTeilweise ersetzt durch: ADR-9 => {"status":"accepted","partlySupersededBy":["ADR-9"]}
  Statut: Accepté\nPartiellement remplacé par : ADR-9 => {"status":"accepted","partlySupersededBy":["ADR-9"]}
  Estado: Aceptado\nParcialmente reemplazado por: ADR-9 => {"status":"accepted","partlySupersededBy":["ADR-9"]}
  ## 状态\n\n已接受\n\n## 部分取代\n\n- [4](0004-x.md) => {"status":"accepted","partlySupersedes":["0004-x.md"]}
  状态：已接受。取代 ADR-3；缓存部分被 ADR-9 取代。 => {"status":"accepted","supersedes":["ADR-3"],"partlySupersededBy":["ADR-9"]}
  状态：已接受\n替代：ADR-3，ADR-4 => {"supersedes":["ADR-3","ADR-4"]}
  状态：已由 [9](0009-y.md) 替代 => {"status":"superseded","supersededBy":["0009-y.md"]}
  状态：自 2024-05-01 起被 ADR-9 完全取代 => {"status":"superseded","supersededBy":["ADR-9"]}
  Statut : partiellement remplacé par l'ADR-0009 => {"status":"partly superseded","partlySupersededBy":["ADR-0009"],"supersededBy":null}
  Statut : partiellement remplacée => {"status":"partly superseded"}
  Status: Teilweise ersetzt durch ADR-9 => {"status":"partly superseded","partlySupersededBy":["ADR-9"]}
  Status: Zum Teil abgelöst durch [9](0009-y.md) => {"status":"partly superseded","partlySupersededBy":["0009-y.md"]}
  Estado: Parcialmente reemplazada por ADR-9 => {"status":"partly superseded","partlySupersededBy":["ADR-9"]}
  Estado: Parcialmente substituído por ADR-9 => {"status":"partly superseded","partlySupersededBy":["ADR-9"]}
  Stato: Parzialmente sostituita da ADR-9 => {"status":"partly superseded","partlySupersededBy":["ADR-9"]}
  Status: Gedeeltelijk vervangen door ADR-9 => {"status":"partly superseded","partlySupersededBy":["ADR-9"]}
  Stan: Częściowo zastąpiona przez ADR-9 => {"status":"partly superseded","partlySupersededBy":["ADR-9"]}
  Статус: Частично заменено на ADR-9 => {"status":"partly superseded","partlySupersededBy":["ADR-9"]}
  状态：部分被 ADR-9 取代 => {"status":"partly superseded","partlySupersededBy":["ADR-9"]}
  状态：部分被取代 => {"status":"partly superseded"}
  状态：部分已被 [9](0009-y.md) 取代 => {"status":"partly superseded","partlySupersededBy":["0009-y.md"]}
  ステータス: 一部置き換え済み => {"status":"partly superseded"}
  ステータス: 一部は ADR-9 に置き換え済み => {"status":"partly superseded","partlySupersededBy":["ADR-9"]}
  상태: 일부 대체됨 => {"status":"partly superseded"}
  상태: ADR-9에 의해 일부 대체됨 => {"status":"partly superseded","partlySupersededBy":["ADR-9"]}
  상태: 승인되지 않음 => {"statusWord":null}
  상태: 승인됨\n일부 대체됨: ADR-9 => {"partlySupersededBy":["ADR-9"]}
  ステータス：承認\n一部置き換え先：ADR-9 => {"status":"accepted","partlySupersededBy":["ADR-9"]}
  상태: 대체됨 => {"status":"superseded"}
  状态：不采纳 => {"statusWord":null}
  상태: 미승인 => {"statusWord":null}
`;
/** Relations that continue in the next line. */
const CONTINUED = String.raw`
  Status: Accepted\nSupersedes: ADR-1,\nADR-2 => {"supersedes":["ADR-1","ADR-2"]}
  状态：已接受\n取代了：ADR-1、\nADR-2 => {"supersedes":["ADR-1","ADR-2"]}
  状态：已接受\n取代了：[1](1.md)，\n[2](2.md)，\n[3](3.md) => {"supersedes":["1.md","2.md","3.md"]}
  Status: Accepted\nSupersedes: [1](1.md)\nand [2](2.md) => {"supersedes":["1.md","2.md"]}
  Status: Accepted\nSupersedes: ADR-1 and\nADR-2 => {"supersedes":["ADR-1","ADR-2"]}
  Status: Akzeptiert\nErsetzt: ADR-1 und\nADR-2 => {"supersedes":["ADR-1","ADR-2"]}
  Statut: Accepté\nRemplace: ADR-1 et\nADR-2 => {"supersedes":["ADR-1","ADR-2"]}
  Status: Superseded\n**Superseded by:**\nADR-8,\nADR-9 => {"supersededBy":["ADR-8","ADR-9"]}
  ## 状态\n\n已接受\n\n## 取代了\n\n[1](1.md)、\n[2](2.md) => {"supersedes":["1.md","2.md"]}
  ## ステータス\n\nADR-8、\nADR-9 に置き換え済み => {"status":"superseded","supersededBy":["ADR-8","ADR-9"]}
  > **Supersedes:** [1](1.md),\n> [2](2.md) => {"supersedes":["1.md","2.md"]}
  Status: Accepted\nSupersedes: ADR-1,\nDate: 2026-01-02 => {"supersedes":["ADR-1"],"date":"2026-01-02"}
  状态：已接受\n取代了：[1](1.md)（旧方案）、[2](2.md)（另一个） => {"supersedes":["1.md","2.md"]}
  - **状态**：已接受\n- **Supersedes**：[1](1.md)（甲）、\n  [2](2.md)（乙）、\n  [3](3.md)（丙）、\n  [4](4.md) => {"supersedes":["1.md","2.md","3.md","4.md"]}
  ステータス：承認\n置き換え対象：ADR-1（旧案）、ADR-2（別案） => {"supersedes":["ADR-1","ADR-2"]}
  Status: Accepted\nSupersedes: ADR-1（old）, ADR-2 => {"supersedes":["ADR-1","ADR-2"]}
  상태: 승인됨\n대체 대상: ADR-1（이전）, ADR-2 => {"supersedes":["ADR-1","ADR-2"]}
`;
/** Dates that only the status has. */
const STATUS_DATES = String.raw`
  ## Statut\n\nAccepté (2024-05-01) => {"status":"accepted","date":"2024-05-01"}
  ## 状态\n\n已接受（2024年5月1日） => {"status":"accepted","date":"2024年5月1日"}
  ## Status\n\nAkzeptiert am 01.05.2024 => {"status":"accepted","date":"01.05.2024"}
  状态：已接受（2024-05-01） => {"status":"accepted","date":"2024-05-01"}
  ステータス: 承認（2024年5月1日） => {"status":"accepted","date":"2024年5月1日"}
  ステータス: 承認（2024/05/01） => {"status":"accepted","date":"2024/05/01"}
  상태: 승인됨 (2024년 5월 1일) => {"status":"accepted","date":"2024년 5월 1일"}
  상태: 승인됨 (2024. 5. 1.) => {"status":"accepted","date":"2024. 5. 1"}
  Статус: Принято (01.05.2024) => {"status":"accepted","date":"01.05.2024"}
  Estado: Aceptado (el 2024-05-01) => {"status":"accepted","date":"2024-05-01"}
  Stan: Przyjęta (1.5.2024) => {"status":"accepted","date":"1.5.2024"}
  Status: Akzeptiert (1.5.2024) => {"status":"accepted","date":"1.5.2024"}
  Status: Geaccepteerd op 2024-05-01 => {"status":"accepted","date":"2024-05-01"}
  Status: Accepted (2024-05-01) => {"status":"accepted","date":"2024-05-01"}
  状态：2024年5月1日 已接受 => {"status":"accepted","date":"2024年5月1日"}
  日期：2024年5月1日\n状态：已接受 => {"status":"accepted","date":"2024年5月1日"}
  Datum: 01.05.2024\nStatus: Akzeptiert => {"date":"01.05.2024"}
  Status: Akzeptiert (siehe Version 1.2.20) => {"status":"accepted","date":null}
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
  "of parts, in other languages": [JOINED_LANGUAGES, "# X\n\n", BODY],
  "over several lines": [CONTINUED, "# X\n\n", BODY],
  "with the date of the status": [STATUS_DATES, "# X\n\n", BODY],
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
