/**
 * Compares what the program reads of public decision records with another reading of them, and counts its errors.
 *
 * Usage: node --experimental-strip-types run.ts FOLDERS [--all] [--differences]
 *
 * FOLDERS holds one folder for each line of folders.json: the markdown files and kep.yaml files below that path of that
 * commit. --all compares all records instead of 300; --differences prints each difference that decided.json does not decide.
 */
import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join, posix } from "node:path";
import { filesOf } from "../../harness/folder.ts";
import { table } from "../report.ts";
import { alike, listed, pathOf } from "./program.ts";
import type { Reading } from "./reading.ts";
import { readRecord, RELATIONS } from "./reading.ts";

interface Folder {
  name: string;
  repository: string;
  commit: string;
  path: string;
  /** A pattern for the paths of records; without it, their names have a number or a date. */
  records?: string;
}

/** A difference that was decided by looking at the record. */
interface Decided {
  record: string;
  field: string;
  /** What is right: the program's value is correct when it is equal to this. */
  right: string;
  why: string;
}

const FIELDS = ["recognised", "title", "status", "date", ...RELATIONS] as const;
const SAMPLE = 300, LEAST = 5;
const here = import.meta.dirname;
const [root, ...flags] = process.argv.slice(2);
if (!root) throw new Error("name the folder that holds the folders of records");
const read = <T>(name: string): T => JSON.parse(readFileSync(join(here, name), "utf8")) as T;
const decided = new Map(read<Decided[]>("decided.json").map((one) => [`${one.record} ${one.field}`, one]));

const NUMBERED = /(?:^|\/)(?:[A-Za-z]+[-_ ]){0,4}#?\d{1,8}(?![A-Za-z0-9])[^/]*(?:\.md|\/README\.md)$/i;
const TEMPLATE = /(?:^|\/)(?:[A-Z]+[-_ ])*(?:0+[-_ ])?template(?:\.md|\/README\.md|[-_][^/]*)$/i;

function hash(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

/** What a reference means: the path of a file, or its text. */
function resolver(files: readonly string[], from: string): (reference: string) => string {
  const known = new Set(files);
  const nameOf = (path: string): string => /(?:^|\/)(?:README|index)\.md$/i.test(path) ? posix.basename(posix.dirname(path)) : posix.basename(path);
  const folderOf = (path: string): string => posix.dirname(/(?:^|\/)(?:README|index)\.md$/i.test(path) && path.includes("/") ? posix.dirname(path) : path);
  const numberOf = (text: string): number | undefined => {
    const found = /^(?:\.\/)?(?:[A-Za-z]+[-_ ]){0,3}#?(\d{1,6})(?![A-Za-z0-9])/.exec(text);
    return found ? Number(found[1]) : undefined;
  };
  return (reference) => {
    const target = decodeURIComponent(reference.replace(/[?#].*$/, ""));
    const path = posix.normalize(posix.join(posix.dirname(from), target));
    for (const one of [path, `${path}.md`, `${path}/README.md`]) if (known.has(one)) return one;
    const number = numberOf(posix.basename(target).replace(/^\W+/, ""));
    const same = files.filter((file) => folderOf(file) === folderOf(from) && numberOf(nameOf(file)) === number);
    return number !== undefined && same.length === 1 ? same[0]! : reference.toLowerCase().replace(/^\W+|\W+$/g, "");
  };
}

/** Whether the status that the program gives is that of the text. */
function isStatus(word: string, { status, supersededBy }: Reading): boolean {
  const text = status.toLowerCase();
  if (/\b(?:super[sc]e+ded|replaced) by\b/.test(text) || supersededBy.length > 0) return /superseded/.test(word);
  const plain = text.replace(/^[^\p{L}]+/u, "").replace(/[ -]+/g, " ");
  return word === "" ? plain === "" : plain.startsWith(word.replace(/[ -]+/g, " "));
}

function isDate(value: string, stated: string, name: string): boolean {
  const inName = /(?:^|\/)(\d{4})-?(\d{2})-?(\d{2})/.exec(name)?.slice(1).join("-") ?? "";
  const day = /\d{4}-\d{2}-\d{2}/.exec(stated)?.[0] ?? stated;
  return alike(value, /\d/.test(day) ? day : inName);
}

interface Row {
  folder: string;
  records: number;
  compared: number;
  differences: number;
  errors: Record<string, number>;
}

const folders = read<Folder[]>("folders.json");
const records = new Map(folders.map(({ name, records }) => {
  const form = records ? new RegExp(records) : NUMBERED;
  const files = filesOf(join(root, name)).filter((file) => file.endsWith(".md"));
  return [name, { files, found: files.filter((file) => form.test(file) && !TEMPLATE.test(file)) }];
}));
const shuffled = folders.flatMap(({ name }) => records.get(name)!.found.map((file) => ({ name, file })))
  .sort((one, other) => hash(`${one.name}/${one.file}`) < hash(`${other.name}/${other.file}`) ? -1 : 1);
const least = folders.flatMap(({ name }) => shuffled.filter((one) => one.name === name).slice(0, LEAST));
const others = shuffled.filter((one) => !least.includes(one)).slice(0, SAMPLE - least.length);
const sample = new Set(flags.includes("--all") ? shuffled : [...least, ...others]);

const rows: Row[] = [];
let undecided = 0;
for (const { name } of folders) {
  const folder = join(root, name);
  const { files, found } = records.get(name)!;
  const documents = listed(name, folder);
  const compared = shuffled.filter((one) => one.name === name && sample.has(one));
  const row: Row = { folder: name, records: found.length, compared: compared.length, differences: 0, errors: {} };
  const judge = (record: string, field: string, isSame: boolean, program: string, other: string): void => {
    const decision = decided.get(`${record} ${field}`);
    if (isSame && !decision) return;
    if (!isSame) row.differences++;
    const isRight = decision ? decision.right === program : isSame;
    if (!decision) undecided++;
    if (!isRight) row.errors[field] = (row.errors[field] ?? 0) + 1;
    if (flags.includes("--differences") && !isRight) {
      console.log(`${JSON.stringify({ record, field, program, other })}${decision ? ` decided: ${decision.right}` : ""}`);
    }
  };
  for (const { file } of compared) {
    const record = `${name}/${file}`;
    const beside = join(folder, dirname(file), "kep.yaml");
    const isPage = /(?:^|\/)README\.md$/.test(file);
    const ownName = isPage ? posix.basename(posix.dirname(file)) : posix.basename(file, ".md");
    const reading = readRecord(readFileSync(join(folder, file), "utf8"), ownName, isPage && existsSync(beside) ? readFileSync(beside, "utf8") : undefined);
    const document = documents.get(file);
    // The program says nothing of a record that states nothing.
    const isEmpty = !/\d/.test(ownName) && [reading.status, reading.date, ...RELATIONS.flatMap((one) => reading[one])].join("") === "";
    const stated = document?._meta?.["architrave/record"] ?? (isEmpty ? {} : undefined);
    judge(record, "recognised", stated !== undefined, String(stated !== undefined), "true");
    if (!document || !stated) continue;
    judge(record, "title", alike(document.title, reading.title), document.title, reading.title);
    const status = String(stated.status ?? "");
    judge(record, "status", isStatus(status, reading), status, reading.status);
    const date = String(stated.date ?? "");
    judge(record, "date", isDate(date, reading.date, ownName), date, reading.date);
    const resolve = resolver(files, file);
    for (const relation of RELATIONS) {
      const list = (references: readonly string[]): string => [...new Set(references.map((one) => resolve(one)))].sort().join(", ");
      const mine = list(((stated[relation] ?? []) as string[]).map((one) => one.startsWith(`architecture://${name}/`) ? `${"../".repeat(file.split("/").length - 1)}${pathOf(name, one)}` : one));
      const theirs = list(reading[relation]);
      judge(record, relation, mine === theirs, mine, theirs);
    }
  }
  // What is no record by its path must not be listed as one.
  for (const [file, document] of documents) {
    if (found.includes(file) || !document._meta?.["architrave/record"]) continue;
    judge(`${name}/${file}`, "recognised", false, "true", "false");
  }
  rows.push(row);
}

const total = (field: string): number => rows.reduce((sum, { errors }) => sum + (errors[field] ?? 0), 0);
const count = rows.reduce((sum, { compared }) => sum + compared, 0);
const titles = ["folder", "records", "compared", "differences", "errors of the program"];
console.log(table(titles, rows.map(({ folder, records, compared, differences, errors }) => {
  const list = Object.entries(errors).map(([field, number]) => `${field} ${number}`).join(", ");
  return [folder, ...[records, compared, differences].map(String), list || "none"];
})));
console.log(`${count} records of ${folders.length} folders; errors per hundred: ${FIELDS.map((field) => `${field} ${(100 * total(field) / count).toFixed(1)}`).join(", ")}`);
if (undecided > 0) console.log(`${undecided} differences are undecided and count as errors of the program (--differences lists them)`);
