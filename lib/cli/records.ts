/** The commands new, supersede and status: they plan changes of decision records, and `write` shows or makes them. */

import type { FileSystem, Platform } from "../../deps.ts";
import type { Options, Pair } from "./main.ts";
import type { RecordLink } from "./record_text.ts";
import type { Change } from "./write.ts";
import { didYouMean, findInvisible, isDay, nearest, oneLine, printable } from "../base/text.ts";
import { attempt } from "../documents/files.ts";
import { isStatus, recordDate, recordName, recordNumber } from "../documents/metadata.ts";
import { scanDocuments } from "../documents/scanner.ts";
import { ConfigurationError, isFolder, readTextFile, UsageError } from "./program.ts";
import { fillTemplate, RecordText } from "./record_text.ts";
import { readText, write, WriteError } from "./write.ts";

/** A record in a folder. */
interface DecisionFile {
  /** From the folder on: "0007-use-queues.md". */
  readonly label: string;
  readonly name: string;
  readonly number: number | undefined;
  readonly text: string;
}

/** A folder of records. */
interface RecordFolder {
  /** The folder that the user named. */
  readonly within: string;
  /** The one with the records: the same, or `resources/adr` in it. */
  readonly folder: string;
}

/** Plans a new record, and marks those that it replaces. */
export function createRecord(platform: Platform, options: Options): Promise<number> {
  const { files } = platform;
  const place = folderOf(files, options);
  const title = checkTitle([...options.operands, ...options.rest ?? []].join(" "));
  const date = options.get("date") ?? today();
  if (!isDay(date)) {
    throw new UsageError(`--date takes a date such as 2026-07-28, not "${date}"`);
  }
  const named = options.get("template");
  const given = named === undefined ? undefined : readTemplate(platform, options, named);
  return write(platform, options, place, () => {
    const records = recordsOf(files, place);
    const entries = attempt(() => files.list(place.folder)) ?? [];
    const { name, number } = nextName(entries.map((entry) => entry.name), title, date);
    const template = given ?? templateOf(files, place) ?? readTemplate(platform, options, formOf(records));
    const text = fillTemplate(template, { number, title, date }).toString();
    const own: DecisionFile = { label: `${name}.md`, name, number: recordNumber(name), text };
    const replaced = options.list("supersedes").map((reference) => find(records, reference, place));
    const [created, ...others] = relate(own, [...new Set(replaced)], records, place);
    return [{ ...created!, before: undefined }, ...others];
  });
}

/** Plans the edit of both sides of a relation. */
export function supersede(platform: Platform, options: Options): Promise<number> {
  const { files } = platform;
  const place = folderOf(files, options);
  const [old = "", now = ""] = options.operands;
  return write(platform, options, place, () => {
    const records = recordsOf(files, place);
    const [replaced, own] = [find(records, old, place), find(records, now, place)];
    if (replaced === own) {
      throw new WriteError(`A record cannot supersede itself: ${own.label}; name two records`);
    }
    return relate(own, [replaced], records, place);
  });
}

const USUAL = ["proposed", "accepted", "rejected", "deprecated"];

/** Plans the edit of a status. */
export function setStatus(platform: Platform, options: Options): Promise<number> {
  const { files } = platform;
  const place = folderOf(files, options);
  const [reference = "", word = ""] = options.operands;
  const status = word.toLowerCase();
  if (/^(?:superseded|replaced)$/.test(status)) {
    throw new UsageError(`A superseded record names its successor: use "supersede ${reference} NEW"`);
  }
  if (!isStatus(status)) {
    throw new UsageError(
      `Unknown status "${word}"${didYouMean(nearest(status, USUAL))}: use ${
        USUAL.join(", ")
      }, or another usual one`,
    );
  }
  return write(platform, options, place, () => {
    const { label, text } = find(recordsOf(files, place), reference, place);
    const edited = new RecordText(text);
    edited.setStatus(status);
    return [{ path: `${place.folder}/${label}`, before: text, after: edited.toString() }];
  });
}

/** The folder that `--mount` names, or the one for decisions in the `--root`. */
function folderOf(files: FileSystem, options: Options): RecordFolder {
  const named = [
    ...options.list<Pair>("mount").map(([, path]) => path),
    ...[options.get("root") ?? []].flat(),
  ];
  const [within, ...others] = named.map((path) => path.replace(/(?<=.)[/\\]+$/, ""));
  if (within === undefined || others.length > 0) {
    throw new UsageError(
      "Name one folder of records: --mount adr=DIR, or --root DIR with resources/adr/ in it",
    );
  }
  if (!isFolder(files, within)) {
    throw new ConfigurationError(
      `Cannot read "${within}": it is not a folder, or the sandbox does not allow it`,
    );
  }
  return { within, folder: options.has("root") ? `${within}/resources/adr` : within };
}

function recordsOf(files: FileSystem, { folder, within }: RecordFolder): DecisionFile[] {
  const real = files.realPath(within);
  const found = [...scanDocuments(files, { mounts: [{ name: "adr", path: folder }] }, () => {})];
  return found.filter((item) => typeof item !== "string").flatMap(({ label, path }) => {
    const text = readText(files, path, real);
    const name = recordName(label);
    return text === undefined
      ? []
      : { label: label.slice("adr/".length), name, number: recordNumber(name), text };
  });
}

/** Finds a record by number, "ADR-7", file name, a part of it that no other name has, or URI. */
function find(records: readonly DecisionFile[], reference: string, { folder }: RecordFolder): DecisionFile {
  const wanted = reference.replace(/^.*\//, "").replace(/\.md$/i, "");
  const isNumber = /^(?:adr[-_ ]?)?#?\d{1,6}$/i.test(wanted);
  const tests: ((record: DecisionFile) => boolean)[] = isNumber
    ? [({ number }) => number === recordNumber(wanted)]
    : [({ name }) => name === wanted, ({ name }) => wanted !== "" && name.includes(wanted)];
  const found = tests.map((test) => records.filter(test)).find(({ length }) => length > 0) ?? [];
  if (found.length === 1) return found[0]!;
  const numbers = records.flatMap(({ number }) => number ?? []);
  const known = numbers.length > 0
    ? `the numbers are ${Math.min(...numbers)} to ${Math.max(...numbers)}`
    : `it has ${records.length} records`;
  const names = found.map(({ label }) => label).join(" or ");
  throw new WriteError(
    names === ""
      ? `There is no record "${reference}" in ${folder}${
        didYouMean(nearest(wanted, records.map(({ name }) => name)))
      }: ${known}`
      : `"${reference}" is not one record in ${folder}: write the file name, ${names}`,
  );
}

/** The changes by which a record replaces others: its own first. */
function relate(
  own: DecisionFile,
  replaced: readonly DecisionFile[],
  records: readonly DecisionFile[],
  { folder }: RecordFolder,
): Change[] {
  // adr-tools spells it this way; one folder has one spelling.
  const isOld = records.some(({ text }) => /^Supercede[sd] /m.test(text));
  const [passive, active] = isOld ? ["Superceded", "Supercedes"] : ["Superseded", "Supersedes"];
  const edited = new RecordText(own.text);
  const others = replaced.map((record) => {
    const text = new RecordText(record.text);
    text.supersededBy(linkTo(own, record), passive!);
    edited.supersedes(linkTo(record, own), active!);
    return { path: `${folder}/${record.label}`, before: record.text, after: text.toString() };
  });
  return [{ path: `${folder}/${own.label}`, before: own.text, after: edited.toString() }, ...others];
}

/** How one record names another one. */
function linkTo({ label, name, number, text }: DecisionFile, from: DecisionFile): RecordLink {
  const heading = oneLine(new RecordText(text).title ?? name).trim();
  const digits = number === undefined ? undefined : /\d+/.exec(name)![0];
  const numbered = digits === undefined || /^(?:adr[-_ ]?)?#?\d/i.test(heading)
    ? heading
    : `${number}. ${heading}`;
  const isOpen = /[[\]]/.test(numbered.replace(/\[[^\][]*\]/g, ""));
  const path = "../".repeat(from.label.split("/").length - 1) + label;
  const encode = (character: string) => `%${character.charCodeAt(0).toString(16)}`;
  return {
    id: digits === undefined ? name : `ADR-${digits}`,
    title: isOpen ? numbered.replace(/[[\]]/g, "\\$&") : numbered,
    target: path.replace(/[ ()<>%]/g, encode),
  };
}

/** The longest name that a new file gets, in bytes; most file systems take 255. */
const MAX_NAME_BYTES = 200;

/** A title in one line that makes a file name. Throws a `UsageError` for any other. */
function checkTitle(title: string): string {
  const text = title.trim();
  if (/[\p{Cc}\u2028\u2029]/u.test(text) || findInvisible(text)) {
    throw new UsageError(
      `The title "${printable(text)}" has control characters or invisible ones: write it without them`,
    );
  }
  const { length } = new TextEncoder().encode(toSlug(text, "-"));
  if (length === 0) throw new UsageError(`The title "${text}" has no letter or digit to make a file name of`);
  if (length > MAX_NAME_BYTES) {
    throw new UsageError(
      `The title makes a file name of ${length} bytes, and ${MAX_NAME_BYTES} are allowed: shorten it`,
    );
  }
  return text;
}

function toSlug(title: string, gap: string): string {
  const words = title.normalize("NFC").toLowerCase().split(/[^\p{L}\p{M}\p{N}]+/u);
  return words.filter((word) => word !== "").join(gap);
}

/**
 * The name of the next record, in the form of the others: number or date, number of digits, separators. The first record of a
 * folder is called as adr-tools and MADR call it.
 */
function nextName(
  taken: readonly string[],
  title: string,
  date: string,
): { name: string; number: string | undefined } {
  const names = taken.filter((name) => !/template/i.test(name)).map((name) => name.replace(/\.md$/i, ""))
    .sort();
  const match = (form: RegExp) => names.map((name) => form.exec(name)).filter((found) => found !== null);
  const slug = (example: string) => toSlug(title, /_/.test(example) && !example.includes("-") ? "_" : "-");
  const dated = match(/^\d{4}(-?)\d{2}\1\d{2}([-_. ]+)(.*)$/);
  const numbered = match(/^(\D*)(\d+)([-_. ]*)(.*)$/)
    .filter(([name]) => recordNumber(name) !== undefined && !recordDate(name))
    .sort(([, , left], [, , right]) => Number(left) - Number(right));
  if (dated.length > numbered.length) {
    const [, dash, gap, rest] = dated.at(-1)!;
    return { name: date.replaceAll("-", dash!) + gap + slug(rest!), number: undefined };
  }
  const [, before = "", digits = "0000", gap = "-", rest = ""] = numbered.at(-1) ?? [];
  const number = String(Number(digits) + 1).padStart(digits.length, "0");
  return { name: before + number + (gap || "-") + slug(rest), number };
}

/** A template by its name, or a file. */
function readTemplate(platform: Platform, { home }: Options, name: string): string {
  const path = /^(?:nygard|madr|madr-minimal)$/.test(name) ? `${home}/mcp/templates/${name}.md` : name;
  return readTextFile(platform, path, "the template (nygard, madr, madr-minimal, or a file)");
}

/** The template that a folder has for itself, named as adr-tools, MADR or log4brains would have it. */
function templateOf(files: FileSystem, { folder, within }: RecordFolder): string | undefined {
  const outer = attempt(() => files.realPath(within)) ?? within;
  const names = attempt(() => files.list(folder))?.map(({ name }) => name) ?? [];
  const found = names.filter((name) => /^(?:.*[-_.])?template\.md$/i.test(name)).sort();
  return ["templates/template.md", ...found].map((name) => readText(files, `${folder}/${name}`, outer))
    .find((text) => text !== undefined);
}

/** The form of the last record. */
function formOf(records: readonly DecisionFile[]): string {
  const last = records.findLast(({ label, number }) => number !== undefined && !label.includes("/"));
  return /^## Context and Problem Statement|^status:/m.test(last?.text ?? "") ? "madr" : "nygard";
}

/** The local date. */
export function today(): string {
  const now = new Date();
  now.setMinutes(now.getMinutes() - now.getTimezoneOffset());
  return now.toISOString().slice(0, "2026-07-28".length);
}
