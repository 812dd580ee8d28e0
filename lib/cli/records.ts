/** The commands new, supersede and status: they plan changes of decision records, and `write` shows or makes them. */

import type { FileSystem, Platform } from "../../deps.ts";
import type { Options, Pair } from "./main.ts";
import type { RecordLink } from "./record_text.ts";
import type { Change } from "./write.ts";
import { findInvisible, oneLine, printable } from "../base/text.ts";
import { attempt } from "../documents/files.ts";
import { isStatus, recordDate, recordName, recordNumber } from "../documents/metadata.ts";
import { scanDocuments } from "../documents/scanner.ts";
import { isFolder, readTextFile, UsageError } from "./program.ts";
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
  if (!/^\d{4}-\d{2}-\d{2}$/.test(date) || Number.isNaN(Date.parse(date))) {
    throw new UsageError(`--date takes a date such as 2026-07-28, not "${date}"`);
  }
  const named = options.get("template");
  const given = named === undefined ? undefined : readTemplate(platform, options, named);
  return write(platform, options, place, () => {
    const records = recordsOf(files, place);
    const entries = attempt(() => files.list(place.folder)) ?? [];
    const { name, number } = nextName(entries.map((entry) => entry.name), title, date);
    const template = given ?? templateOf(files, place) ?? readTemplate(platform, options, formOf(records));
    const text = fillTemplate(template, { number, title, date });
    const own: DecisionFile = {
      label: `${name}.md`,
      name,
      number: recordNumber(name),
      text: text.toString(),
    };
    const replaced = options.list("supersedes").map((reference) => find(records, reference, place));
    const changes = replaced.length === 0 ? [] : relate(own, [...new Set(replaced)], records, place);
    const [first = { path: `${place.folder}/${own.label}`, after: own.text }, ...others] = changes;
    return [{ ...first, before: undefined }, ...others];
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
    return relate(own, [replaced], records, place).filter(({ before, after }) => before !== after);
  });
}

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
      `Unknown status "${word}": use one of proposed, accepted, rejected, deprecated, or another usual one`,
    );
  }
  return write(platform, options, place, () => {
    const record = find(recordsOf(files, place), reference, place);
    const edited = new RecordText(record.text);
    edited.setStatus(status);
    const after = edited.toString();
    return after === record.text
      ? []
      : [{ path: `${place.folder}/${record.label}`, before: record.text, after }];
  });
}

/** The folder that `--mount` names, or the one for decisions in the `--root`. */
function folderOf(files: FileSystem, options: Options): RecordFolder {
  const [mount, ...others] = options.list<Pair>("mount");
  const root = options.get("root");
  if (others.length > 0 || (mount && root !== undefined)) {
    throw new UsageError(
      "This command works on one folder of records: give one --mount NAME=DIR, or --root DIR",
    );
  }
  if (mount && isFolder(files, mount[1])) return { within: mount[1], folder: mount[1] };
  if (root !== undefined && isFolder(files, root)) return { within: root, folder: `${root}/resources/adr` };
  if (!mount && root === undefined) {
    throw new UsageError(
      "Name the folder of your records: --mount adr=DIR, or --root DIR with resources/adr/ in it",
    );
  }
  throw new UsageError(
    `Cannot read "${mount?.[1] ?? root}": it is not a folder, or the sandbox does not allow it`,
  );
}

function recordsOf(files: FileSystem, { folder, within }: RecordFolder): DecisionFile[] {
  const inner = attempt(() => files.realPath(folder));
  const outer = attempt(() => files.realPath(within));
  if (inner === undefined || outer === undefined) return [];
  const records: DecisionFile[] = [];
  for (const file of scanDocuments(files, { mounts: [{ name: "adr", path: folder }] }, () => {})) {
    if (typeof file === "string") continue;
    const text = readText(files, file.path, outer);
    if (text === undefined) continue;
    const name = recordName(file.label);
    records.push({ label: file.label.slice("adr/".length), name, number: recordNumber(name), text });
  }
  return records;
}

/** Finds a record by number, "ADR-7", file name, a part of it that no other name has, or URI. */
function find(records: readonly DecisionFile[], reference: string, { folder }: RecordFolder): DecisionFile {
  const wanted = reference.replace(/^architecture:\/\/[^/]*\//, "").replace(/^.*\//, "").replace(
    /\.md$/i,
    "",
  );
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
  throw new WriteError(
    found.length === 0
      ? `There is no record "${reference}" in ${folder}: ${known}`
      : `"${reference}" is not one record in ${folder}: write the file name, ${
        found.map(({ label }) => label).join(" or ")
      }`,
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
  const up = "../".repeat(from.label.split("/").length - 1);
  return {
    id: digits === undefined ? name : `ADR-${digits}`,
    title: isOpen ? numbered.replace(/[[\]]/g, "\\$&") : numbered,
    target: (up + label).replace(
      /[\s()<>%]/g,
      (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
    ),
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
  const names = taken.map((name) => name.replace(/\.md$/i, "")).filter((name) => !/template/i.test(name))
    .sort();
  const slug = (example: string) => toSlug(title, /_/.test(example) && !example.includes("-") ? "_" : "-");
  const dated = names.map((name) => /^\d{4}(-?)\d{2}\1\d{2}([-_. ]+)(.*)$/.exec(name)).filter((found) =>
    found !== null
  );
  const numbered = names.filter((name) => recordNumber(name) !== undefined && !recordDate(name))
    .map((name) => /^(\D*)(\d+)([-_. ]*)(.*)$/.exec(name)).filter((found) => found !== null)
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

/** The date here, not in Greenwich. */
export function today(): string {
  const now = new Date();
  return new Date(now.getTime() - now.getTimezoneOffset() * 60_000).toISOString().slice(
    0,
    "2026-07-28".length,
  );
}
