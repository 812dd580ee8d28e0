/** Checks whether a decision record is out of date: a limit of time has passed, or it was never decided. */

import type { CheckedDocument, Corpus } from "./check_corpus.ts";
import { isDay, quoted } from "../base/text.ts";
import { MAX_LINE, plain, toLines } from "../formats/markdown/lines.ts";
import { currentStatus, isOver } from "./records/status.ts";

/** Whether a decision is still to be made. What is in progress or on hold may have been decided. */
export function isUndecided(document: Pick<CheckedDocument["document"], "record">): boolean {
  const open = /^(?:proposed|draft|open|pending|(?:(?:in|under) )?(?:review|discussion))$/;
  return open.test(currentStatus(document) ?? "");
}

const MONTH = "(?:jan|feb|mar|apr|may|june?|july?|aug|sept?|oct|nov|dec)[a-z]{0,6}";
const DAY =
  `(?<day>\\d{4}-\\d\\d(?:-\\d\\d)?(?![\\d-])|\\d{1,2}\\.\\d{1,2}\\.\\d{4}(?!\\d)|(?:\\d{1,2}\\s)?${MONTH}\\s(?:\\d{1,2},\\s)?\\d{4}(?!\\d))`;
/** "provisional until 2026-01-17", "Valid until: 2026-01-17", "expires on 2026-01-17", "PROVISIONAL (2026-01-03 to 2026-01-17)". */
const LIMIT = new RegExp(
  `(?:(?<!\\p{L})|valid)(?:(?:until|till|bis(?: zum)?|jusqu['’]au|hasta(?: el)?|até|fino al?|tot(?: en met)?)(?:\\s(?:the\\s)?end\\sof)?|(?:expir(?:es?|y|ation)|lapses?|sunset)(?:[ _-](?:on|at|date))?|(?:provisional|temporary|interim|trial|pilot|experiment(?:al)?|vorläufig|befristet)[*_\`]{0,3}[\\s,:]{0,3}[(]?\\d{4}-\\d\\d-\\d\\d\\s?(?:to|until|bis|-|–|—|\\.\\.))[*_\`]{0,3}\\s{0,20}(?<mark>[:|=]?)[*_\`\\s|"']{0,20}${DAY}`,
  "iu",
);
/** What is said of the past, of a status that was followed by another one, of what begins on that day, and of comments. */
const NARRATIVE =
  /~~|(?<!\p{L})(?:was|were|had|been|did|used|ran|kept|previously|formerly|originally|initially|proposed|draft|then|later|confirmed|extended|renewed|permanent|comments?|feedback|vot(?:e|ing)|not|no|never|cannot|wait\p{L}*|defer\p{L}*|postpon\p{L}*|delay\p{L}*|block\p{L}*|war|wurde|nicht|kein\p{L}*|danach|était|non|não)(?!\p{L})|n['’]t(?!\p{L})/iu;
/** What a team decides to do for some time, and what it allows. */
const BINDING =
  /(?<!\p{L})(?:we|must|shall|keeps?|stays?|remains?|continues?|appl(?:y|ies)|holds?|valid|provisional(?:ly)?|temporar(?:y|ily)|in (?:force|effect)|allowed|permitted|accepted|tolerated|exempt|may (?:be|use|keep|stay)|(?:this|the) (?:decision|adr|record)|exception|exemption|waiver|acceptance|approval|permission|moratorium|freeze|wir|gilt|gelten|bleibt|muss|darf)(?!\p{L})/iu;
const CLAUSE = /[,:(]|(?<!\p{L})(?:which|that|because|since|as|whose)(?!\p{L})/u;
/** A sentence, or an item of a list. */
const SENTENCE = /(?:[^.!?;\n]|[.!?](?!\s)|\n(?![ \t]*(?:\n|[-*+|>]|\d{1,3}[.)]|$)))+/g;

/** Whether a date is before today. One without a day stands for the whole month. */
function isPast(date: string, today: string): boolean {
  const written = date.replace(/^(\d+)\.(\d+)\.(\d+)$/, "$2/$1/$3");
  const time = Date.parse(/^\d{4}-/.test(date) ? date : `${written} UTC`);
  const length = /^(?:\d{4}-\d\d|\p{L}+\s\d{4})$/u.test(date) ? 7 : 10;
  return !Number.isNaN(time) && new Date(time).toISOString().slice(0, length) < today.slice(0, length);
}

/** The limit of time in a text, and where it is, if it has passed and limits the decision. */
function passedLimit(written: string, kind: "field" | "status" | "decision", today: string) {
  const text = written.slice(0, MAX_LINE), found = LIMIT.exec(text), { day = "", mark } = found?.groups ?? {};
  if (!found || !isPast(day, today)) return undefined;
  const before = text.slice(0, found.index), after = text.slice(found.index + found[0].length);
  const isField = mark !== "" && /^[^\p{L}\d]{0,20}(?:\p{L}{1,20}[ _-]?){0,2}$/u.test(before);
  const clause = /\p{L}/u.test(before) ? before.split(CLAUSE).at(-1)! : found[0] + after;
  const isDecision = kind === "decision";
  const context = isDecision ? clause.replace(/\b(must|shall|may|do) not\b/g, "must") : before + after;
  const isOwn = kind === "status" || isField || (isDecision && BINDING.test(context));
  if (!isOwn || NARRATIVE.test(context)) return undefined;
  return { at: found.index, phrase: quoted(plain(found[0]), 100) };
}

/**
 * Reports a record that was not decided in the given number of days, and the first limit of time that it states for itself and that
 * has passed. `status` is the line of its status, and `decided` has the lines of its decision, all counted from 0.
 */
export function checkStale(
  { document, page: { lines, front, prose, sections }, report }: CheckedDocument,
  status: number | undefined,
  decided: readonly number[],
  { today, options: { proposedDays = 180 } }: Corpus,
): void {
  const { date = "", status: word } = document.record ?? {};
  const age = isUndecided(document) && isDay(date) ? Date.parse(today) - Date.parse(date) : 0;
  if (age > proposedDays * 86_400_000) {
    const message = `The record has been "${word}" since ${date}, for more than ${proposedDays} days`;
    report("adr-proposed-long", message, (status ?? -1) + 1);
  }
  if (isOver(document)) return;
  const say = (phrase: string, line: number) =>
    report("adr-expired", `The record says "${phrase}", and that time has passed`, line);
  const inner = sections.find(({ line, end, level }) => level > 1 && line < status! && status! < end);
  const body = sections.find(({ level }) => level > 1)?.line ?? lines.length;
  for (const at of [...lines.slice(0, front.bodyLine).keys(), ...prose]) {
    const isStatus = at === status || (inner && inner.line < at && at < inner.end);
    if (at >= body && !isStatus) continue;
    const limit = passedLimit(lines[at]!, isStatus ? "status" : "field", today);
    if (limit) return say(limit.phrase, at + 1);
  }
  const own = new Set(prose), kept = new Set(decided.filter((at) => own.has(at)));
  const text = lines.map((line, at) => kept.has(at) ? line : "").join("\n");
  for (const { 0: sentence, index } of text.matchAll(SENTENCE)) {
    const limit = /\d{4}/.test(sentence) ? passedLimit(sentence, "decision", today) : undefined;
    if (limit) return say(limit.phrase, toLines(text.slice(0, index + limit.at)).length);
  }
}
