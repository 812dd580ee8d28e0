/**
 * Compares the prohibitions that are found in public records and guidelines with labels, and the two readings that made the labels.
 *
 *     node --experimental-strip-types test/bench/reach/prohibitions.ts FOLDERS [--half HALF] [--errors]
 *
 * FOLDERS holds one folder for each line of `folders` in prohibitions.json: the files of that path of that commit. `--half` compares
 * one part of the records, `--errors` prints each error.
 *
 * The records were drawn by the hash of a seed and their path, before anything was found in them. Half of the repositories of the
 * first 170 records was for tuning, the other half for the test. Two readings were made by one reader from written criteria: record
 * by record, and sentence by sentence in a random order; where they differ, the text decided. A sentence forbids if, in the voice
 * of the document, it says that something must not be done or used, or who alone may do it, so that code or conduct could break it.
 * Descriptions, freedoms, reasons, conditions, alternatives and goals do not forbid. `unclear` are contrasts ("X, not Y"),
 * statements that may be rules ("features do not talk to each other"), limits, and parts of lists and tables: they count neither
 * way. At the first look, precision and recall were 0.95 and 0.58 for `test`, which was used for tuning then; 0.85 and 0.48 for
 * `later` (67 other records, one reading), which was used too; and 1.00 and 0.93 for `last` (59 decisions, one reading).
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { decisionOf, writtenLines } from "../../../lib/documents/records/decision.ts";
import { prohibitions } from "../../../lib/documents/records/prohibitions.ts";
import { readMarkdown } from "../../../lib/formats/markdown/document.ts";

const HALVES = ["tuning", "test", "later", "last"] as const;
type Meaning = "forbids" | "unclear" | "no";

interface Labels {
  records: { record: string; half: (typeof HALVES)[number]; sentences: number }[];
  /** Sentences that a reading marked: the line of the paragraph, counted from 1, and the first words. */
  labels: { record: string; line: number; words: string; readings?: [Meaning, Meaning]; is: Meaning }[];
}

const { values: options, positionals: [root] } = parseArgs({
  allowPositionals: true,
  options: { half: { type: "string" }, errors: { type: "boolean" } },
});
if (!root) throw new Error("name the folder that holds the folders of records");
const { records, labels } = JSON.parse(readFileSync(join(import.meta.dirname, "prohibitions.json"), "utf8")) as Labels;

const bare = (text: string): string => text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, "");
const share = (part: number, all: number): string => all === 0 ? "-" : (part / all).toFixed(2);

/** Counts of one half: what is found and right, wrong or unclear, and what is missed. */
function compare(half: string): string[] {
  let right = 0, wrong = 0, unclear = 0, found = 0, missed = 0;
  const own = records.filter((one) => one.half === half);
  for (const { record } of own) {
    const page = readMarkdown(readFileSync(join(root!, record), "utf8")), { lines, sections, front } = page;
    const [first] = sections, start = first?.level === 1 ? first.line + 1 : front.bodyLine;
    const kept = decisionOf(first?.title ?? "", page)?.kept ?? writtenLines(lines, start, lines.length);
    const marked = labels.filter((one) => one.record === record), taken = new Set<(typeof marked)[0]>();
    for (const { line, text } of prohibitions(page, kept)) {
      // A text that ends with a colon is given with its items. Each of them is a label of its own.
      const within = marked.filter((one) => one.line > line && !taken.has(one) && bare(text).includes(bare(one.words)));
      for (const one of within) taken.add(one);
      const is = (meaning: Meaning) => within.some((one) => one.is === meaning);
      if (is("forbids")) right++;
      else if (is("unclear")) unclear++;
      else {
        wrong++;
        if (options.errors) console.log(`wrong  ${record}:${line + 1} ${text.slice(0, 100)}`);
      }
    }
    for (const one of marked.filter((one) => one.is === "forbids")) {
      if (taken.has(one)) found++;
      else {
        missed++;
        if (options.errors) console.log(`missed ${record}:${one.line} ${one.words}`);
      }
    }
  }
  const precision = share(right, right + wrong), recall = share(found, found + missed);
  return [half, own.length, right, wrong, unclear, precision, found, missed, recall, ...agreement(own)].map(String);
}

/** How far two readings agree on what forbids: kappa over all sentences, and F1. */
function agreement(own: Labels["records"]): string[] {
  const names = new Set(own.map((one) => one.record));
  const read = labels.filter((one) => one.readings && names.has(one.record)).map((one) => one.readings!);
  if (read.length === 0) return ["-", "-"];
  const all = own.reduce((sum, one) => sum + one.sentences, 0);
  const first = read.filter(([one]) => one === "forbids").length, second = read.filter(([, one]) => one === "forbids").length;
  const both = read.filter(([one, other]) => one === "forbids" && other === "forbids").length;
  const agreed = (all - first - second + 2 * both) / all;
  const chance = (first * second + (all - first) * (all - second)) / (all * all);
  return [((agreed - chance) / (1 - chance)).toFixed(2), (2 * both / (first + second)).toFixed(2)];
}

console.log("| half | records | right | wrong | unclear | precision | found | missed | recall | kappa | F1 |");
console.log("| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |");
for (const half of HALVES) {
  if (options.half === undefined || options.half === half) console.log(`| ${compare(half).join(" | ")} |`);
}
