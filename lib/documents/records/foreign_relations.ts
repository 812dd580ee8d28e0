/** Reads what texts in other languages say of other records. It is loaded with the words of those languages. */

import type { ForeignRelation, Words } from "./words.ts";
import type { RelationName } from "./record.ts";
import { re } from "./pattern.ts";
import { recordNumber } from "./name.ts";
import { namesAfter } from "./references.ts";
import { CLAUSE, clauseScope } from "./status_text.ts";
import { ANY_DAY } from "./values.ts";
import { FUTURE, JOINED, NEGATED, PARTIAL } from "./words.ts";

/** The maximum number of words, and of sentences, that are read in a line. */
const MAX_WORDS = 60;

const relationOf = (isNewer: boolean, isPart: boolean): RelationName =>
  isNewer ? (isPart ? "partlySupersedes" : "supersedes") : isPart ? "partlySupersededBy" : "supersededBy";

/**
 * The records that a line names: "Ersetzt durch [ADR-1](1.md)", "已被 ADR-3 取代". In `masked`, links are filled up.
 */
export function foreignRelations(
  line: string,
  masked: string,
  words: Words,
  own: number | undefined,
): ForeignRelation[] {
  if (JOINED.test(masked)) {
    const blank = (text: string, part: RegExp) => text.replace(part, (found) => " ".repeat(found.length));
    const dateless = blank(masked, new RegExp(ANY_DAY, "g"));
    const ends = [...dateless.matchAll(/[；;。\n]|[.!?](?=[ \t]|$)|$/g)].slice(0, MAX_WORDS);
    return ends.flatMap(({ index: end }, at) => {
      const start = at === 0 ? 0 : ends[at - 1]!.index + 1;
      const found = joinedRelation(line.slice(start, end), dateless.slice(start, end), words, own);
      return found ?? [];
    });
  }
  const found: ForeignRelation[] = [];
  for (const { index, 0: word } of [...masked.matchAll(re`/[\p{L}][\p{L}]{1,40}/g`)].slice(0, MAX_WORDS)) {
    const end = index + word.length,
      [by = "", next = ""] = re`/^[ \t]+([\p{L}]+)[ \t:]*/`.exec(masked.slice(end, end + 40)) ?? [];
    const isBy = words.by.includes(next.toLowerCase());
    const isSuperseded = words.statusOf(word) === "superseded" && isBy;
    const isSuperseding = !isSuperseded && words.supersedes.includes(word.toLowerCase());
    if (!isSuperseded && !isSuperseding) continue;
    const stated = line.slice(isSuperseded ? end + by.length : end).replace(/^[ \t]*:/, "");
    // "remplace la partie transport de l'ADR-2"
    const lead = /^[^.;:,()\n[\d]{1,80}?(?=\[|(?:ADR|RFC|KEP)[- ]?\d|\d)/i.exec(stated)?.[0] ?? "";
    const isLimited = PARTIAL.test(lead);
    const { names, rest } = namesAfter(isLimited ? stated.slice(lead.length) : stated);
    const before = masked.slice(Math.max(0, index - 200), index).split(CLAUSE).at(-1) ?? "";
    const scope = clauseScope(before, "", rest, words, own);
    if (names.length === 0 || scope === "none") continue;
    found.push({ relation: relationOf(isSuperseding, scope === "part" || isLimited), names });
  }
  return found;
}

/** A number of a section: "第 2 节", "2.1 章", "§3", "3절". */
const SECTION =
  /(?:第|제|§)[ \t]*[\d.,、与和至～~-]{1,20}(?:[ \t]*[节節章条條项項点點部番절장항])?|(?<![A-Za-z\d.-])\d[\d.]{0,10}[ \t]*(?:[节節章条條项項절장항]|番目)/g;
/** Where a record is named. */
const NAMED = /\uE000|(?:ADR|RFC|KEP|EP)[-_ #:]{0,2}\d|(?<![A-Za-z\d.])#?\d/i;
/** What the successor is named after, in Chinese. */
const BY = /被|由(?![于於])/;
/** What follows the name of a successor in Japanese and Korean, and what follows what is replaced. */
const BY_AFTER = /^[\s)）\]」』*_`]*(?:に|によって|により|で|へ|으?로|에[ \t]*의)/;
const SUBJECT_AFTER = /^[\s)）\]」』*_`]*(?:は|が|[은는이가](?=[ \t]))/;
const OBJECT = /を|[를을](?=[ \t])/;
/** A verb directly before what is replaced, in Chinese. */
const REPLACES = /(?<![已被由])(?:取代|替代|代替|替换|替換)了?[ \t：:「『（(*_]*$/;
/** Words that only lead to the verb, or name the record itself. */
const ITSELF =
  /本|该|該|此|这|這|项|項|个|個|号|號|决策|決策|决定|決定|记录|記錄|文档|文書|文件|記録|方案|内容|ADR|RFC|KEP|已经?|已|现在?|現在|后来|後來|后|後|于|於|在|自|起|从|從|目前|完全|全部|全面|全体|すべて|すでに|既に|その|この|後に|的|见|見|参见|參見|参照|참조|새|新|は|が|も|の|を|に|이|그|본|해당|결정|문서|기록|전체|완전히|현재|는|은|가|의|를|을|状态|狀態|ステータス|状態|상태|[\s\p{P}\p{S}]/giu;

/** What one sentence says in a language that writes words without spaces: it names one record, or several in a row. */
function joinedRelation(
  whole: string,
  masked: string,
  words: Words,
  own: number | undefined,
): ForeignRelation | undefined {
  const verb = [...masked.matchAll(re`/[\p{L}]{1,60}/g`)].slice(0, MAX_WORDS)
    .findLast(({ 0: word }) => JOINED.test(word) && words.statusOf(word)?.endsWith("superseded"));
  if (!verb) return undefined;
  const text = masked.replace(SECTION, (section) => " ".repeat(section.length));
  const by = BY.exec(text)?.index ?? -1, after = by < 0 ? -1 : text.slice(by).search(NAMED);
  const at = after < 0 ? text.search(NAMED) : by + after;
  if (at < 0) return undefined;
  // In Korean, a particle touches the name: "ADR-9에".
  const named = whole.slice(at).replace(
    /\d(?=[가-힣\u3040-\u30ff\u3400-\u9fff])/g,
    (digit, index: number) => masked[at + index] === "\uE000" ? digit : `${digit} `,
  );
  const { names, rest: object } = namesAfter(named);
  // "ADR-3은 ADR-9로 대체됨" is about another record.
  if (names.length === 0 || (SUBJECT_AFTER.test(object) && NAMED.test(object))) return undefined;
  const lead = masked.slice(0, at);
  const isNewer = after < 0 &&
    (verb.index < at
      ? REPLACES.test(lead) || words.fieldOf(lead.trim().replace(/[\s:：]+$/, "")) === "supersedes"
      : !BY_AFTER.test(object) && OBJECT.test(object));
  // The clause of the verb. "、" only separates names after the first one.
  const first = isNewer || after < 0 ? at : by;
  const before = masked.slice(0, first).split(/[,，、:：（()）—–→]/).at(-1)!;
  const end = Math.max(verb.index + verb[0].length, at);
  const clause = before + masked.slice(first, end) + masked.slice(end).split(/[,，:：（()）—–→]/, 1)[0]!;
  if (NEGATED.test(clause) || FUTURE.test(clause)) return undefined;
  const isOther = (subject: string) => {
    const number = recordNumber(subject.slice(subject.search(NAMED)).replace(/[^\w-]+/g, " ").trim());
    return NAMED.test(subject) && (number === undefined || number !== own);
  };
  if (isOther(text.slice(first - before.length, first))) return undefined;
  const said = isNewer ? object.split(/[,，。（(]|を|[를을] /, 1)[0]! : before;
  const isThing = re`/[\p{L}]/`.test(
    said.replace(re`/[\p{L}]{1,60}/g`, (word) => words.statusOf(word) === undefined ? word : " ")
      .replace(ITSELF, ""),
  );
  const isPart = PARTIAL.test(masked) || isThing;
  return { relation: relationOf(isNewer, isPart), names };
}
