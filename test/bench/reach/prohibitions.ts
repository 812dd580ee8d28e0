/**
 * Compares the prohibitions that are found in public records and guidelines with what two readers found in them, and the readers
 * with each other.
 *
 *     node --experimental-strip-types test/bench/reach/prohibitions.ts FOLDERS [--half HALF] [--errors]
 *
 * FOLDERS holds one folder for each line of `folders` in prohibitions.json: the files of that path of that commit. `--half` compares
 * one part of the records, `--errors` prints each error.
 *
 * The records were drawn by the hash of a seed and their path, before anything was found in them. Half of the repositories of the
 * first 170 records was for tuning, the other half for the test. A sentence forbids if, in the voice of the document, it says that
 * something must not be done or used, or who alone may do it, so that code or conduct could break it. Descriptions, freedoms,
 * reasons, conditions, alternatives and goals do not forbid. `unclear` are contrasts ("X, not Y"), statements that may be rules
 * ("features do not talk to each other"), limits, and parts of lists and tables: they count neither way.
 *
 * Two readers had these criteria in writing. `labels` is the first one. It read `tuning` and `test` twice, record by record and
 * sentence by sentence in a random order; where the two passes differ, the text decided. It read `later` and `last` once. What is
 * found was tuned with these labels. `second` is the second one, who read once, and saw neither labels nor what is found before the
 * end: all 84 records of `test`, and of `later` and `last` the first 20 of every second record. Nothing was tuned with it.
 *
 * The first table compares what is found with each reader: with the first over all records, and over those that both read. The second
 * table compares two readings: the passes of the first reader, or the readers. For kappa and F1, `unclear` counts as not forbidding;
 * the columns "clear" leave out each sentence that one of the two called unclear.
 *
 * At the first look, precision and recall against the first reader were 0.95 and 0.58 for `test`, which was used for tuning then;
 * 0.85 and 0.48 for `later` (67 other records), which was used too; and 1.00 and 0.93 for `last` (59 decisions). After the tuning,
 * at the first look, they were 1.00 and 0.77 against the second reader (51 of 51; 56 of 73), and 0.98 and 0.95 against the first one
 * over the same 124 records. In these records, of 2018 sentences the first reader says of 57 that they forbid, the second of 73, both
 * of 56: kappa and F1 are 0.86, and 0.97 over what is clear to both. The F1 of 0.98 and 0.99 is of two passes of one reader.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { decisionOf, writtenLines } from "../../../lib/documents/records/decision.ts";
import { prohibitions } from "../../../lib/documents/records/prohibitions.ts";
import { readMarkdown } from "../../../lib/formats/markdown/document.ts";
import { table } from "../report.ts";

const HALVES = ["tuning", "test", "later", "last"] as const;
type Meaning = "forbids" | "unclear" | "no";

interface Entry {
  record: string;
  half: (typeof HALVES)[number];
  sentences: number;
}

/** A sentence that a reader marked: the line of the paragraph, counted from 1, and the first words. */
interface Mark {
  record: string;
  line: number;
  words: string;
  is: Meaning;
}

interface Data {
  records: Entry[];
  labels: (Mark & { readings?: [Meaning, Meaning] })[];
  /** What the second reader marked in each record: the line and the first words. */
  second: ({ record: string } & { [is in "forbids" | "unclear"]?: [number, string][] })[];
}

const { values: options, positionals: [root] } = parseArgs({
  allowPositionals: true,
  options: { half: { type: "string" }, errors: { type: "boolean" } },
});
if (!root) throw new Error("name the folder that holds the folders of records");
const data = JSON.parse(readFileSync(join(import.meta.dirname, "prohibitions.json"), "utf8")) as Data;
const first: readonly Mark[] = data.labels;
const second = data.second.flatMap(({ record, ...marks }) =>
  (["forbids", "unclear"] as const).flatMap((is) => (marks[is] ?? []).map(([line, words]): Mark => ({ record, line, words, is })))
);
const readByBoth = new Set(data.second.map((one) => one.record));

const bare = (text: string): string => text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, "");
const share = (part: number, all: number): string => all === 0 ? "-" : (part / all).toFixed(2);

/** Counts over records against one reader: what is found and right, wrong or unclear, and what is missed. `name` is for errors. */
function compare(own: readonly Entry[], marks: readonly Mark[], name?: string): (string | number)[] {
  let right = 0, wrong = 0, unclear = 0, found = 0, missed = 0;
  for (const { record } of own) {
    const page = readMarkdown(readFileSync(join(root!, record), "utf8")), { lines, sections, front } = page;
    const [title] = sections, start = title?.level === 1 ? title.line + 1 : front.bodyLine;
    const kept = decisionOf(title?.title ?? "", page)?.kept ?? writtenLines(lines, start, lines.length);
    const marked = marks.filter((one) => one.record === record), taken = new Set<Mark>();
    for (const { line, text } of prohibitions(page, kept)) {
      // A text that ends with a colon is given with its items. Each of them is a label of its own.
      const within = marked.filter((one) => one.line > line && !taken.has(one) && bare(text).includes(bare(one.words)));
      for (const one of within) taken.add(one);
      const is = (meaning: Meaning) => within.some((one) => one.is === meaning);
      if (is("forbids")) right++;
      else if (is("unclear")) unclear++;
      else {
        wrong++;
        if (options.errors && name) console.log(`wrong  (${name}) ${record}:${line + 1} ${text.slice(0, 100)}`);
      }
    }
    for (const one of marked.filter((one) => one.is === "forbids")) {
      if (taken.has(one)) found++;
      else {
        missed++;
        if (options.errors && name) console.log(`missed (${name}) ${record}:${one.line} ${one.words}`);
      }
    }
  }
  return [right, wrong, unclear, share(right, right + wrong), found, missed, share(found, found + missed)];
}

/** What two readings say of each sentence that one of them marked. */
function pairs(own: readonly Entry[], between: "passes" | "readers"): [Meaning, Meaning][] {
  const names = new Set(own.map((one) => one.record));
  if (between === "passes") {
    return data.labels.filter((one) => names.has(one.record)).flatMap((one) => one.readings ? [one.readings] : []);
  }
  const left = new Set(second.filter((one) => names.has(one.record)));
  const known = first.filter((one) => names.has(one.record)).map((one): [Meaning, Meaning] => {
    const words = bare(one.words);
    const other = [...left].find(({ record, line, words: its }) =>
      record === one.record && line === one.line && (words.includes(bare(its)) || bare(its).includes(words))
    );
    if (!other) return [one.is, "no"];
    left.delete(other);
    return [one.is, other.is];
  });
  return [...known, ...[...left].map((one): [Meaning, Meaning] => ["no", one.is])];
}

/** How far two readings agree on what forbids: the counts, kappa over all sentences, and F1. */
function agreement(own: readonly Entry[], read: readonly [Meaning, Meaning][]): (string | number)[] {
  const all = own.reduce((sum, one) => sum + one.sentences, 0);
  const counts = (some: readonly [Meaning, Meaning][], total: number) => {
    const one = some.filter(([is]) => is === "forbids").length, other = some.filter(([, is]) => is === "forbids").length;
    const both = some.filter(([is, its]) => is === "forbids" && its === "forbids").length;
    const agreed = (total - one - other + 2 * both) / total;
    const chance = (one * other + (total - one) * (total - other)) / (total * total);
    return { one, other, both, kappa: ((agreed - chance) / (1 - chance)).toFixed(2), f1: share(2 * both, one + other) };
  };
  const clear = read.filter((one) => !one.includes("unclear"));
  const whole = counts(read, all), sure = counts(clear, all - (read.length - clear.length));
  return [own.length, all, whole.one, whole.other, whole.both, whole.kappa, whole.f1, sure.kappa, sure.f1];
}

const found: (string | number)[][] = [], agreed: (string | number)[][] = [];
const asked = HALVES.filter((half) => options.half === undefined || options.half === half);
for (const half of [...asked, ...asked.length > 1 ? ["all"] : []]) {
  const own = data.records.filter((one) => half === "all" || one.half === half), isHalf = half !== "all";
  const both = own.filter((one) => readByBoth.has(one.record));
  found.push([half, "first", own.length, ...compare(own, first, isHalf ? "first" : undefined)]);
  if (both.length > 0) {
    if (both.length < own.length) found.push([half, "first", both.length, ...compare(both, first)]);
    found.push([half, "second", both.length, ...compare(both, second, isHalf ? "second" : undefined)]);
    agreed.push([half, "two readers", ...agreement(both, pairs(both, "readers"))]);
  }
  const passes = pairs(own, "passes");
  if (isHalf && passes.length > 0) agreed.push([half, "first reader, twice", ...agreement(own, passes)]);
}
console.log(table(
  ["half", "reader", "records", "right", "wrong", "unclear", "precision", "found", "missed", "recall"],
  found.map((row) => row.map(String)),
).trimEnd() + "\n");
console.log(table(
  ["half", "readings", "records", "sentences", "one", "other", "both", "kappa", "F1", "kappa, clear", "F1, clear"],
  agreed.map((row) => row.map(String)),
).trimEnd());
