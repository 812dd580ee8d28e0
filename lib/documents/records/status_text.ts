/** Reads the text of a status: its word, and what it says of other records. Only a record whose own word says so is superseded. */

import type { RelationName, StatedRelation, ValuePart, ValuePlace } from "./record.ts";
import type { Words } from "./words.ts";
import { MAX_LINE, plain, toPattern } from "../../formats/markdown/lines.ts";
import { re } from "./pattern.ts";
import { recordNumber } from "./name.ts";
import { namesAfter } from "./references.ts";
import { hasEnded, isStatus } from "./status.ts";
import { ANY_DAY, DATE, statedText } from "./values.ts";
import { CONDITION, FUTURE, isEnglish, JOINED, NEGATED, PARTIAL } from "./words.ts";

/** What the text of a status says. */
export interface StatusReading {
  /** In English; undefined when the text states none. */
  readonly word: string | undefined;
  /** Verbatim, if it is a word of another language. */
  readonly own: string | undefined;
  readonly date: string | undefined;
  readonly place: ValuePlace | undefined;
  readonly relations: readonly StatedRelation[];
}

/** The maximum length of a day, in UTF-16 units. */
const MAX_DAY = 20;
/** The maximum number of phrases of one relation that are read in a line. */
const MAX_PHRASES = 10;
const SUPERSEDED = "super[sc]e+ded|replaced|obsoleted";
const NOTE = "(?:[ \\t]*(?:on[ \\t]+)?\\(?\\d{4}-\\d{2}-\\d{2}\\)?,?)?";
const MARKS = "[*_`]*[ \\t]*:?[*_`]*";
/** What a text in lower case says of other records. Each phrase is only looked for in a text with one of its stems. */
const PHRASES: readonly (readonly [relation: RelationName, stems: string, phrase: RegExp])[] = [
  [
    "supersededBy",
    "by with favo",
    toPattern(
      `(?<![\\p{L}-])(?:(?:${SUPERSEDED})[*_\`]*:?${NOTE}[ \\t,-]*(?:(?:in[ \\t]+part|partly|partially)[ \\t]*)?(?:by|with)(?![\\p{L}])|supersededby(?![\\p{L}])|(?:superseded|replaced|deprecated|obsolete|discontinued)[ \\t,]+(?:in|on)[ \\t]+favou?r[ \\t]+of(?![\\p{L}]))${MARKS}`,
      "g",
    ),
  ],
  [
    "supersedes",
    "edes replaces",
    toPattern(`(?<![\\p{L}-])(?:super[sc]e+des|replaces)(?![\\p{L}])${MARKS}`, "g"),
  ],
  ["amendedBy", "amended", toPattern(`(?<![\\p{L}-])(?:amended[ \\t]+by)(?![\\p{L}])${MARKS}`, "g")],
  ["amends", "amends", toPattern(`(?<![\\p{L}-])amends(?![\\p{L}])${MARKS}`, "g")],
  ["relatesTo", "relate", toPattern(`(?<![\\p{L}-])relate[sd][ \\t]+to(?![\\p{L}])${MARKS}`, "g")],
];
/** A status of "superseded" at the start of a text in lower case, which a name may follow: "Superseded - [002](./002-b.md)". */
const LEADING = toPattern(
  `^[^\\p{L}\\p{N}[(]*(?:\\d{4}-\\d{2}-\\d{2}[^\\p{L}\\p{N}]{1,5})?(?:${SUPERSEDED})[*_\`]*(?![\\p{L}])(?=[ \\t]*(?:[:,–—-]|→|->|=>|\\(|\\[|\uE000|adr|rfc|kep|\\d))[ \\t]*(?:[:,–—-]+>?|→|=>)?(?:[ \\t]*\\d{4}-\\d{2}-\\d{2}[,:]?(?:[ \\t]+by\\b)?)?`,
);
/** What ends a clause. */
export const CLAUSE: RegExp =
  re`/[;,()—–\n。、；，（）]|[.:!?](?=[ \t]|$)|[ \t]-[ \t]|(?<![\p{L}])(?:but|then|while|whereas)(?![\p{L}])/gi`;
/** Words of a clause that only lead to its verb, or name the record itself. */
const SELF =
  re`/(?<![\p{L}])(?:and|or|then|later|now|since|was|is|has|been|have|were|being|also|subsequently|fully|completely|entirely|wholly|this|the|that|it|itself|adr|rfc|kep|madr|record|decision|proposal|document|one|status|here|by|on|in|as|of|both|wurde|ist|diese|dieser|entscheidung|durch|et|est|foi|é|ha|sido|è|stato|stata)(?![\p{L}])/gi`;
const MONTH =
  re`/(?<![\p{L}])(?:jan|feb|mar|apr|may|june?|july?|aug|sep|sept|oct|nov|dec|january|february|march|april|august|september|october|november|december)\.?(?:[ \t]+\d{1,2}(?:st|nd|rd|th)?)?,?[ \t]+(?:\d{4})/gi`;
/** A relation of any name, as adr-tools links records: "Clarified by [9. X](0009-x.md)". */
const ANY_RELATION =
  re`/^[ \t]*(?:[-*+][ \t]+)?[*_]*([\p{L}]+)(?: by| to)?:?[*_]*:?[ \t]+\[.{1,300}\]\([^()]{0,300}\)\.?[ \t]*$/`;
const TICK = /^[ \t]*(?:[-*+][ \t]+)?\[([ xX✓✔])\][ \t]+/;
const ARROW = /[ \t]*(?:→|⟶|➔|➜|⇒|-{1,2}>|=>)[ \t]*/g;

/** Reads the lines of a status; `own` is the number of the record. */
export function readStatus(
  parts: readonly ValuePart[],
  words: Words,
  own: number | undefined,
): StatusReading {
  const none = { word: undefined, own: undefined, date: undefined, place: undefined, relations: [] };
  const whole = statedText(parts.map(({ text }) => text).join("\n"));
  if (whole === undefined) return none;
  const isOne = parts.length === 1;
  const alone = isOne && /^[a-z][a-z -]*$/i.test(whole) ? words.statusOf(whole) : undefined;
  if (alone !== undefined) {
    return { ...none, word: alone, own: foreign(whole), place: parts[0]!.place };
  }
  let lines = isOne
    ? [{ text: whole, place: parts[0]!.place }]
    : parts.map(({ text, place }) => ({ text: statedText(text) ?? "", place }))
      .filter(({ text }) => text !== "");
  const ticks = lines.filter(({ text }) => TICK.test(text));
  if (ticks.length > 0) {
    const ticked = ticks.filter(({ text }) => TICK.exec(text)![1] !== " ");
    if (ticked.length === 0) return none;
    lines = ticked.map(({ text, place }) => {
      const [mark] = TICK.exec(text)!;
      return { text: text.slice(mark.length), place: place && { ...place, kind: "tick" as const } };
    });
  }
  const readings = lines.map((line) => ({ ...line, ...readLine(line.text, words, own) }));
  const log = readings.filter(({ text, word }) =>
    word !== undefined && isStatus(word) && DATE.test(text) && isEntry(text, words)
  );
  const relations = readings.flatMap((line) => relationsIn(line, words, own));
  let chosen = readings.find(({ word, isOther }) => word !== undefined && isStatus(word) && !isOther);
  if (log.length > 1) {
    const day = (text: string) => DATE.exec(text)![0];
    chosen = log.reduce((best, entry) => day(entry.text) < day(best.text) ? best : entry);
    if (chosen.place) chosen = { ...chosen, place: { ...chosen.place, kind: "log" as const } };
  } else {
    const first = readings.find(({ word, isOther }) => word !== undefined && !isOther) ??
      readings.find(({ word }) => word !== undefined);
    // The first line says what the status is, unless its words are not understood and a later line is a status alone.
    const isAlone = chosen && isStatus(plain(chosen.text).toLowerCase());
    if (!chosen || (first && first !== chosen && !isAlone)) chosen = first;
  }
  const replaced = relations.find(({ relation, isWhole }) => relation === "supersededBy" && isWhole);
  const isOver = hasEnded(chosen?.word) && chosen?.word !== "superseded" && chosen?.word !== "replaced";
  const isReplaced = replaced !== undefined && !isOver && log.length < 2;
  const date =
    chosen?.word !== undefined && chosen.word !== "superseded" && isStatus(chosen.word) && !isReplaced
      ? statusDate(chosen.text)
      : undefined;
  const word = isReplaced ? "superseded" : chosen?.word;
  return { word, own: isReplaced ? undefined : chosen?.own, date, place: chosen?.place, relations };
}

/** Whether a line of a log begins with a date or with a status. */
function isEntry(text: string, words: Words): boolean {
  const first = re`/[\p{L}\p{N}][\p{L}\p{N}-]*/`.exec(text)?.[0] ?? "";
  return DATE.test(first) || words.statusOf(first) !== undefined;
}

/** The day of a status, verbatim: "Accepted on 2026-01-05", "2026-01-06 accepted", "已接受（2026年1月10日）". */
function statusDate(text: string): string | undefined {
  if (!/\d/.test(text)) return undefined;
  const [found] =
    re`/^[^\p{L}\p{N}]*\d|^[^\p{L}]*[\p{L}][\p{L} -]{0,30}[*_\`]{0,2}[ \t]*(?:,|:|：|-|–|—)?[ \t]*[([（]?[ \t]*(?:[\p{L}]{1,5}[ \t]*)?\d/i`
      .exec(text) ?? [];
  const day = found === undefined ? null : ANY_DAY.exec(text.slice(found.length - 1, found.length + MAX_DAY));
  return day?.index === 0 ? day[0] : undefined;
}

/** Words that form a status with the next one: "in review", "partly superseded". */
const WITH_NEXT = re`/^(?:in|on|under|not|no|to|partly|partially)[ \t-]+[\p{L}]+/i`;

/** The status that one line states; `isOther` when it is about another record. */
function readLine(text: string, words: Words, own: number | undefined) {
  // An identifier of a team's own: "to_be_deleted".
  if (/^[A-Za-z\d]\w{0,58}[A-Za-z\d]$/.test(text.trim()) && text.includes("_", 1)) {
    return { word: text.trim().toLowerCase(), own: undefined, isOther: false };
  }
  const known = words.statusOf(text.trim());
  if (known !== undefined) return { word: known, own: foreign(text.trim()), isOther: false };
  const bare = plain(text.replace(/~~[^~\n]{0,300}~~/g, ""));
  const line = lastStep(bare, words);
  const relations = relationsIn({ text, place: undefined }, words, own);
  const leading = leadingRelation(text, words, relations);
  const isOther = leading !== undefined && leading !== "supersededBy";
  // The title of the other record may have the word of a status.
  if (leading === "other") return { word: undefined, own: undefined, isOther };
  const start = line.replace(re`/^[^\p{L}]+/`, "").replace(/^(?:status|state)[ \t]*[:：][ \t]*/i, "");
  const lower = start.replace(/\bsuper[sc]e+ded\b/gi, "superseded").toLowerCase();
  if (/^(?:(?:superseded|replaced) in part|(?:mostly|largely) superseded)\b/.test(lower)) {
    return { word: "partly superseded", own: undefined, isOther };
  }
  if (/^not (?:yet )?(?:superseded|replaced)\b/.test(lower)) {
    return { word: undefined, own: undefined, isOther };
  }
  const pair = WITH_NEXT.exec(lower)?.[0];
  if (pair !== undefined) {
    const word = pair.replace(/[ \t_-]+/, " ");
    return { word: words.statusOf(word) ?? word, own: undefined, isOther };
  }
  if (
    relations.some(({ relation, isWhole }) => relation === "supersededBy" && isWhole) &&
    !startsWithStatus(lower, words)
  ) {
    return { word: "superseded", own: undefined, isOther };
  }
  const found = statusWordIn(start, words);
  if (found) {
    // "取代 ADR-4", "缓存策略被 ADR-9 取代"
    const isPart = found.own !== undefined && found.word === "superseded" && relations.length > 0 &&
      !relations.some(({ isWhole }) => isWhole);
    const word = /^(?:partlyS|s)upersedes$/.test(leading ?? "") ? undefined : "partly superseded";
    return isPart ? { word, own: undefined, isOther } : { ...found, isOther };
  }
  words.doubt();
  const [first] = lower.match(re`/[\p{L}][\p{L}-]*/`) ?? [];
  return { word: first, own: undefined, isOther };
}

/** A word of another language; undefined for one of English. */
const foreign = (written: string): string | undefined => isEnglish(written) ? undefined : written;

function startsWithStatus(text: string, words: Words): boolean {
  return words.statusOf(re`/[\p{L}][\p{L}-]*/`.exec(text)?.[0] ?? "") !== undefined;
}

/** The first known status in a text, if its clause does not say that it is none. */
function statusWordIn(text: string, words: Words): { word: string; own: string | undefined } | undefined {
  const all = [...text.slice(0, MAX_LINE).matchAll(re`/[\p{L}][\p{L}-]*/g`)].slice(0, 60);
  for (const [index, { 0: one, index: at }] of all.entries()) {
    const next = all[index + 1], after = all[index + 2];
    // Two or three words are looked up before one.
    const ends = [after, next, all[index]].flatMap((end) => end ? [end.index + end[0].length] : []);
    for (const end of ends) {
      const written = text.slice(at, end);
      if (end - at > 40 || re`/[^\p{L} -]/`.test(written)) continue;
      const word = words.statusOf(written.replace(/\s+/g, " "));
      if (word === undefined) continue;
      const before = text.slice(Math.max(0, at - 60), at).split(CLAUSE).at(-1) ?? "";
      const isPart = word === "superseded" && PARTIAL.test(before) && index > 0;
      if (NEGATED.test(before) || (word === "superseded" && FUTURE.test(before))) break;
      if (isPart) return isEnglish(written) ? undefined : { word: "partly superseded", own: undefined };
      if (index > 0) words.doubt();
      return { word, own: foreign(written) };
    }
    if (one.length > 300) break;
  }
  return undefined;
}

/** The last of some steps: "Proposed → Accepted", "Was accepted, now deprecated". */
function lastStep(text: string, words: Words): string {
  const now =
    re`/(?<![\p{L}])(?:now|currently|jetzt|maintenant|ahora|agora|adesso|nu|теперь)(?![\p{L}])[^\p{L}]*([\p{L}][\p{L}-]*)/i`
      .exec(text);
  const hasBefore = now &&
    re`/(?<![\p{L}])(?:was|were|formerly|previously|originally|initially|first|once)(?![\p{L}])/i`.test(
      text.slice(0, now.index),
    );
  if (now && hasBefore && words.statusOf(now[1]!) !== undefined) {
    return text.slice(now.index + now[0].length - now[1]!.length);
  }
  const past =
    re`/^[^\p{L}]*(?:was|formerly|previously|originally|initially)(?![\p{L}])[^,;.→]{0,60}[,;.][ \t]*/i`.exec(
      text,
    );
  if (past && startsWithStatus(text.slice(past[0].length), words)) return text.slice(past[0].length);
  const steps = text.split(ARROW);
  const last = steps.findLast((step, index) => index === 0 || startsWithStatus(step, words));
  return last ?? text;
}

/** What a line begins with, as adr-tools writes it: "amends" of "Amends [9. X](0009-x.md)", "other" of "Clarified by [9. X](0009-x.md)". */
export function leadingRelation(
  text: string,
  words: Words,
  [leading]: readonly StatedRelation[] = relationsIn({ text, place: undefined }, words, undefined),
): RelationName | "other" | undefined {
  if (!leading) {
    const word = ANY_RELATION.exec(text)?.[1];
    return word !== undefined && words.statusOf(word) === undefined ? "other" : undefined;
  }
  const [, , phrase] = PHRASES.find(([name]) => name === leading.relation.replace(/^partlyS/, "s")) ?? [];
  const at = phrase ? inLowerCase(text).search(phrase) : -1;
  if (at >= 0) return re`/[\p{L}\p{N}]/`.test(text.slice(0, at)) ? undefined : leading.relation;
  // In another language, it begins with the word, or is about the whole line.
  const first = re`/[\p{L}]+/`.exec(text)?.[0] ?? "";
  const isFirst = words.statusOf(first) === "superseded" || words.fieldOf(first) === "supersedes";
  return isFirst || JOINED.test(text) ? leading.relation : undefined;
}

/** What a text says of other records: only what a phrase names directly after it. */
export function relationsIn(
  { text, place }: ValuePart,
  words: Words,
  own: number | undefined,
): StatedRelation[] {
  const line = (statedText(text) ?? "").slice(0, MAX_LINE);
  // A single word names no record.
  if (!re`/[^\p{L}.]/`.test(line)) return [];
  const masked = !line.includes("[") ? line : line.replace(
    /\[\[[^\][]{0,200}\]\]|\[(?:[^\][]|\[[^\][]{0,100}\]){0,300}\]\([^()]{0,500}\)/g,
    (link) => "\u{E000}".repeat(link.length),
  );
  const found: StatedRelation[] = [];
  const add = (relation: RelationName, from: number, to: number, isLeading: boolean) => {
    const before = masked.slice(Math.max(0, from - 200), from).split(CLAUSE).at(-1) ?? "";
    // What is between the phrase and the first name may limit it: "supersedes some aspects of [15](0015-x.md)".
    const rest = line.slice(to), phrase = line.slice(from, to) + /^[^[\d]{0,80}(?=[[\d])|/.exec(rest)![0];
    const { names, rest: after } = namesAfter(rest);
    const scope = clauseScope(before, phrase, after, words, own);
    if (scope === "none") return;
    const isAlone = relation === "supersededBy" && scope === "whole" && names.length === 0 && !isLeading &&
      !re`/[\p{L}\p{N}]/`.test(masked.slice(0, from)) && isTitle(rest);
    const all = isAlone ? [plain(rest).replace(/[.:]+$/, "")] : names;
    if (all.length === 0) return;
    const isPart = scope === "part" && /^supersede/.test(relation);
    found.push({
      relation: isPart ? (relation === "supersedes" ? "partlySupersedes" : "partlySupersededBy") : relation,
      names: all,
      place,
      isWhole: relation === "supersededBy" && !isPart,
    });
  };
  const hasPhrase = /super[sc]|replace|obsolete|amend|relate|deprecated|discontinued/i.test(masked);
  const lower = inLowerCase(masked);
  for (const [relation, stems, phrase] of hasPhrase ? PHRASES : []) {
    if (!stems.split(" ").some((stem) => lower.includes(stem))) continue;
    for (const { index, 0: match } of [...lower.matchAll(phrase)].slice(0, MAX_PHRASES)) {
      add(relation, index, index + match.length, false);
    }
  }
  const leading = !hasPhrase || found.some(({ relation }) => /supersededBy$/i.test(relation))
    ? null
    : LEADING.exec(lower);
  if (leading) add("supersededBy", 0, leading[0].length, true);
  return [...found, ...inOtherLanguages(line, masked, place, words, own)];
}

/** A text in lower case, with all characters at the same places. */
function inLowerCase(text: string): string {
  const lower = text.toLowerCase();
  return lower.length === text.length ? lower : text;
}

/** The title of a record after "superseded by". */
function isTitle(text: string): boolean {
  const title = plain(text).trim();
  return title !== "" && title.length <= 100 && namesAfter(text).names.length === 0 &&
    /^\p{Lu}/u.test(title) && statedText(title) !== undefined &&
    !/^(?:None|Nothing|N\/A|No|Not|TBD|Adr-?[Xx]+|ADR-[XN?]+|Any|The|A|An|Another|Some|This|That|It|We|If|When)\b/
      .test(title);
}

/** What a text in another language says: a reader that is loaded with the words of all languages. */
function inOtherLanguages(
  line: string,
  masked: string,
  place: ValuePlace | undefined,
  words: Words,
  own: number | undefined,
): readonly StatedRelation[] {
  const isForeign = re`/[\p{L}]/`.test(line) && (words.hasLabels || /[^ -~\s]/.test(line) ||
    /(?<![a-z])(?:ersetzt|remplac|reemplaz|sustitu|substitu|sostitu|super(?:ado|ato)|vervang|abgeloest|zast)/i
      .test(line));
  if (!isForeign) return [];
  words.doubt();
  const found = words.relationsIn?.(line, masked, words, own) ?? [];
  return found.map((one) => ({ ...one, place, isWhole: one.relation === "supersededBy" }));
}

type Scope = "whole" | "part" | "none";

/** Whether a clause is about the whole record, a part of it, or says that nothing has happened. */
export function clauseScope(
  before: string,
  phrase: string,
  after: string,
  words: Words,
  own: number | undefined,
): Scope {
  const lead = before.replace(MONTH, " ").replace(/\d{4}-\d{2}-\d{2}/g, " ");
  if (NEGATED.test(lead) || FUTURE.test(lead) || CONDITION.test(after)) return "none";
  if (PARTIAL.test(lead) || PARTIAL.test(phrase) || isPartial(after)) return "part";
  const subject = lead.replace(
    re`/[\p{L}][\p{L}]*/g`,
    (word) => words.statusOf(word) === undefined ? word : " ",
  )
    .replace(SELF, " ");
  if (!re`/[\p{L}\p{N}\uE000]/`.test(subject)) return "whole";
  const number = recordNumber(subject.trim().replace(/\s+/g, "-"));
  if (number !== undefined || /^[\s\d]*$/.test(subject)) {
    return number === own || Number(subject) === own ? "whole" : "none";
  }
  return "part";
}

/** Whether what follows the name of a successor limits it to a part. */
function isPartial(after: string): boolean {
  const note = /^[\s*_`]*(?:[(（]([^()（）]{0,200})[)）]|[,;—–-]?[ \t]*([^.;\n]{0,60}))/.exec(after);
  const text = note?.[1] ?? note?.[2] ?? "";
  return re`/^(?:[^\p{L}§]*)(?:only|in part|partly|partially|partial|mostly|section|sections|part|parts|for|regarding|as regards|as for|with (?:regard|respect) to|where|on(?![ \t]+\(?\d))(?![\p{L}])/i`
    .test(text) ||
    (note?.[1] !== undefined && PARTIAL.test(note[1])) ||
    re`/^[^\p{L}]*(?:第|仅|僅|部分|のみ|だけ|の?一部)/`.test(text);
}

/** What the value of a field "superseded by" or "supersedes" is about. */
export function scopeOf(value: string, field: string): Scope {
  const [at = value.length] = [...value.matchAll(/\[|\d|\bADR\b/g)].map(({ index }) => index);
  const lead = value.slice(0, at).replace(MONTH, " ");
  const after = value.replace(/^.*?(?:\]\([^)]{0,500}\)|\]\]|\d(?!.*\]\()[\w.-]*)/s, "");
  if (FUTURE.test(lead) || NEGATED.test(lead) || (field === "supersededby" && CONDITION.test(after))) {
    return "none";
  }
  return PARTIAL.test(lead) || isPartial(after) ? "part" : "whole";
}
