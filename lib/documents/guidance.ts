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
/** Length below which a part of a decision says nothing, and of a useful text with its heading, in UTF-16 units. */
const LEAST = 60, USEFUL = 300;

const INTRODUCTION = "Decisions of the team for these files:";

/**
 * The documents in order, each with what it forbids and decides, in at most `tokens` tokens of four characters. What does not fit
 * has one line, and so have the documents that were `told` before; `inFull` has the others. The lines of `before` come first, and
 * are never left out.
 */
export function guidance(
  summaries: readonly Summary[],
  tokens: number,
  told: (summary: Summary) => boolean = () => false,
  before: readonly string[] = [],
): { text: string; inFull: ReadonlySet<Summary> } {
  const start = [...before, INTRODUCTION];
  let left = tokens * TOKEN - start.join("\n").length - MORE_LENGTH;
  // Half is left for what the first ones say.
  const least = left / 2;
  const texts: string[] = [];
  for (const summary of summaries) {
    const line = toLine(summary, 0);
    if (left - line.length <= least) break;
    texts.push(line);
    left -= line.length + 1;
  }
  const shown = summaries.slice(0, texts.length).map((summary, index) => ({ summary, index }));
  const inFull = new Set<Summary>();
  const replace = (index: number, text: string, most: number) => {
    const cost = text.length - texts[index]!.length;
    if (cost > most) return false;
    texts[index] = text;
    left -= cost;
    return true;
  };
  const untold = shown.filter(({ summary }) => !told(summary));
  // What is forbidden is told of as many as possible, before any decision is told.
  for (const { summary, index } of untold) {
    if (summary.forbids.length > 0 && replace(index, toBlock(summary, 0), left)) inFull.add(summary);
  }
  let needed = 0;
  const end = untold.findIndex(({ summary, index }) => {
    const whole = toBlock(summary, summary.decision.length).length - texts[index]!.length;
    needed += Math.min(whole, USEFUL);
    return needed > left;
  });
  // Of the first ones, the shortest first: what they do not need is left to the others.
  const first = untold.slice(0, end < 0 ? untold.length : Math.max(1, end))
    .sort((one, other) => one.summary.decision.length - other.summary.decision.length);
  for (const [rank, { summary, index }] of first.entries()) {
    const share = left / (first.length - rank);
    const most = Math.floor(share - toBlock(summary, 0).length + texts[index]!.length) - 4;
    const isEnough = most >= LEAST || most >= summary.decision.length;
    if (isEnough && replace(index, toBlock(summary, most), share)) inFull.add(summary);
  }
  for (const { summary, index } of shown) {
    if (!inFull.has(summary)) replace(index, toLine(summary, MAX_ABOUT), left);
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
