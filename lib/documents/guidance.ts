/** What a hook tells an assistant of the documents that apply to the files of an edit, within a budget. */

import type { Summary } from "./summary.ts";
import { cutInline } from "../formats/markdown/cut.ts";
import { summaryLines, titleWithStatus } from "./summary.ts";

/** Maximum length of a guidance, in tokens, if no other is given. */
export const GUIDANCE_TOKENS = 350;
/** What a token is counted as, in UTF-16 units. */
const TOKEN = 4;
/** Maximum length of what a line says about a document, in UTF-16 units. */
const MAX_ABOUT = 100;
/** Length below which a part of a decision says nothing, in UTF-16 units. */
const LEAST = 60;

const INTRODUCTION = "Decisions of the team for the files of this edit:";

/**
 * The documents in order, each with what it forbids and decides, in at most `tokens` tokens of four characters. What does not fit
 * has one line, and so have the documents that were `told` before; `inFull` has the others. The lines of `first` come before them, and
 * are never left out.
 */
export function guidance(
  summaries: readonly Summary[],
  tokens: number,
  told: (summary: Summary) => boolean = () => false,
  first: readonly string[] = [],
): { text: string; inFull: ReadonlySet<Summary> } {
  const start = [...first, INTRODUCTION];
  let left = tokens * TOKEN - start.join("\n").length - MORE_LENGTH;
  const texts: string[] = [];
  for (const [index, summary] of summaries.entries()) {
    const share = left / (summaries.length - index);
    const long = toLine(summary, MAX_ABOUT), text = long.length < share ? long : toLine(summary, 0);
    if (text.length >= left) break;
    texts.push(text);
    left -= text.length + 1;
  }
  const inFull = new Set<Summary>();
  const replace = (index: number, text: string, most: number) => {
    const cost = text.length - texts[index]!.length;
    if (cost > most) return;
    texts[index] = text;
    left -= cost;
    inFull.add(summaries[index]!);
  };
  const shown = summaries.slice(0, texts.length).map((summary, index) => ({ summary, index }))
    .filter(({ summary }) => !told(summary));
  // What is forbidden is told of as many as possible, before any decision is told.
  for (const { summary, index } of shown) {
    if (summary.forbids.length > 0) replace(index, toBlock(summary, 0), left);
  }
  // The shortest first, so that what they do not need is left to the others.
  shown.sort((one, other) => one.summary.decision.length - other.summary.decision.length);
  for (const [rank, { summary, index }] of shown.entries()) {
    const share = left / (shown.length - rank);
    const most = Math.floor(share - toBlock(summary, 0).length + texts[index]!.length) - 2;
    if (most >= LEAST || most >= summary.decision.length) replace(index, toBlock(summary, most), share);
  }
  const more = summaries.length - texts.length;
  const text = [...start, ...texts, ...more > 0 ? [`${more} ${MORE}`] : []].join("\n");
  return { text, inFull };
}

const MORE = "more apply: call decisions_for, or run the command decisions.";
const MORE_LENGTH = MORE.length + 6;

function toLine(summary: Summary, most: number): string {
  const about = most === 0 ? "" : cutInline(summary.forbids[0] ?? summary.about, most);
  return `- ${titleWithStatus(summary)}${about && `: ${about}`} [${summary.place}]`;
}

function toBlock(summary: Summary, most: number): string {
  return ["", `## ${titleWithStatus(summary)}`, "", ...summaryLines(summary, most)].join("\n");
}
