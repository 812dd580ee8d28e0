/**
 * Compares what the program reads of public decision records with labels. The labels were made without the program: once by a small
 * script and once by reading each record; where the two differed, the text of the record decided.
 *
 * Usage: node --experimental-strip-types labelled.ts FOLDERS [--half first|test] [--errors] [--folders]
 *
 * FOLDERS holds one folder for each line of labelled.json: the markdown files below that path of that commit. The test half of them
 * was not used to improve the program until it was measured once. --half compares one half; --errors prints each error; --folders counts by folder. The
 * variable PROGRAM names another program.
 *
 * labels.json has one line for each record. Where several texts are right, "|" separates them. `may` lists numbers that are right,
 * too, for example those of a relation that only a sentence states. Nothing is judged where the text leaves it open. A file without
 * a label is not a record. A record that is not recognised counts as an error in each field that has a value.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { table } from "../report.ts";
import type { Listed } from "./program.ts";
import { alike, listed, pathOf } from "./program.ts";

interface Folder {
  name: string;
  repository: string;
  commit: string;
  path: string;
  language: string;
  half: "first" | "test";
}

/** What a record says. Relations are the numbers of other records. */
interface Label {
  record: string;
  number: number;
  title: string;
  /** An English word. */
  status: string;
  /** Whether the decision holds, at least in part; not given if that cannot be known. */
  inForce?: boolean;
  date?: string;
  supersedes?: number[];
  supersededBy?: number[];
  /** Records that replace a part of this one, or the reverse. */
  partlySupersedes?: number[];
  partlySupersededBy?: number[];
  may?: Partial<Record<Relation, number[]>>;
}

const RELATIONS = ["supersedes", "supersededBy", "partlySupersedes", "partlySupersededBy"] as const;
type Relation = typeof RELATIONS[number];
const FIELDS = ["recognised", "number", "title", "status", "in force", "date", ...RELATIONS] as const;
type Field = typeof FIELDS[number];

/** The status words of a decision that holds. A record without a status holds, too. */
const HOLDS = "accepted|active|adopted|approved|complete|completed|final|implemented|living|";

const [root, ...flags] = process.argv.slice(2);
if (!root) throw new Error("name the folder that holds the folders of records");
const half = flags.includes("--half") ? flags[flags.indexOf("--half") + 1] : undefined;
const read = <T>(name: string): T => JSON.parse(readFileSync(join(import.meta.dirname, name), "utf8")) as T;
const folders = read<Folder[]>("labelled.json").filter((one) => half === undefined || one.half === half);
const labels = read<Label[]>("labels.json");

/** Whether a text is one of those between which a label lets choose. */
function isOne(text: string, label: string): boolean {
  return label.split("|").includes(text);
}

/** A title without the number at its start. */
function bare(title: string): string {
  return title.replace(/^(?:[A-Za-z]{1,6}[-_ ]?)?#?\d+(?:\s*[^\p{L}\p{N}\s]+\s*|\s+)/u, "");
}

/** The number of the record that a reference names; not a number if it names none. */
function numberOf(reference: string, name: string, numbers: ReadonlyMap<string, number>): number {
  const known = numbers.get(`${name}/${pathOf(name, reference)}.md`);
  if (known !== undefined) return known;
  const found = new Set(Array.from(reference.replace(/\d{4}-\d\d-\d\d/g, "").matchAll(/\d+/g), ([digits]) => Number(digits)));
  return found.size === 1 ? [...found][0]! : NaN;
}

/** Whether the numbers that were read are those of the label, and nothing more than it allows. */
function isRelation(found: readonly number[], wanted: readonly number[] = [], may: readonly number[] = []): boolean {
  return wanted.every((one) => found.includes(one)) && found.every((one) => wanted.includes(one) || may.includes(one));
}

/** The fields in which the program is wrong about a record, with what it says. */
function errorsOf(label: Label, name: string, document: Listed | undefined, numbers: ReadonlyMap<string, number>): Map<Field, unknown> {
  const errors = new Map<Field, unknown>();
  const judge = (field: Field, isRight: boolean, said: unknown): void => void (isRight || errors.set(field, said));
  const stated = document?._meta?.["architrave/record"];
  judge("recognised", stated !== undefined, stated !== undefined);
  judge("number", stated?.["number"] === label.number, stated?.["number"]);
  const title = document?.title ?? "";
  judge("title", alike(title, label.title) || alike(bare(title), bare(label.title)), title);
  const status = String(stated?.["status"] ?? "");
  judge("status", isOne(status, label.status), status);
  const date = String(stated?.["date"] ?? "");
  judge("date", isOne(date, label.date ?? ""), date);
  const list = (key: string): number[] => ((stated?.[key] ?? []) as string[]).map((one) => numberOf(one, name, numbers));
  for (const relation of RELATIONS) {
    const found = list(relation);
    judge(relation, isRelation(found, label[relation], label.may?.[relation]), found);
  }
  const isReplaced = list("supersededBy").length > 0 && !/^part/.test(status);
  const isInForce = !isReplaced && isOne(status.replace(/^part(?:ly|ially) superseded$/, "accepted"), HOLDS);
  judge("in force", label.inForce === undefined || label.inForce === isInForce, isInForce);
  return errors;
}

/** The records of a group, and its errors by field. */
interface Group {
  records: number;
  errors: Field[];
}

const groups = new Map<string, Group>();
const numbers = new Map(labels.map(({ record, number }) => [record, number]));

function count(title: string, records: number, errors: readonly Field[]): void {
  const group = groups.get(title) ?? { records: 0, errors: [] };
  group.records += records;
  group.errors.push(...errors);
  groups.set(title, group);
}

for (const { name, language, half } of folders) {
  const documents = listed(name, join(root, name));
  const wrong = new Map<string, Map<Field, unknown>>();
  const records = labels.filter(({ record }) => record.startsWith(`${name}/`));
  for (const label of records) {
    wrong.set(label.record, errorsOf(label, name, documents.get(label.record.slice(name.length + 1)), numbers));
  }
  for (const [file, document] of documents) {
    const record = `${name}/${file}`;
    if (!numbers.has(record) && document._meta?.["architrave/record"]) wrong.set(record, new Map([["recognised", true]]));
  }
  const errors = [...wrong.values()].flatMap((one) => [...one.keys()]);
  const group = language === "en" ? "English" : "other languages";
  const titles = flags.includes("--folders") ? [`${name} (${language}, ${half} half)`] : [group, `${group}, ${half} half`];
  for (const title of titles) count(title, records.length, errors);
  if (!flags.includes("--errors")) continue;
  for (const [record, fields] of wrong) {
    for (const [field, program] of fields) console.log(JSON.stringify({ record, field, program }));
  }
}

const rows = [...groups].sort(([one], [other]) => one < other ? -1 : 1).map(([title, { records, errors }]) => {
  const rates = FIELDS.map((field) => 100 * errors.filter((one) => one === field).length / records);
  return [title, String(records), ...rates.map((rate) => rate.toFixed(1))];
});
console.log(table(["errors for each hundred records", "records", ...FIELDS], rows));
