/** The commands init, new, supersede and status: they plan new and changed documents, and `write` shows or makes them. */

import type { Platform } from "../platform/platform.ts";
import type { Options, Pair } from "./main.ts";
import type { RecordLink } from "./record_text.ts";
import type { Change } from "./write.ts";
import { findInvisible } from "../base/invisible.ts";
import { attempt, isDay, oneLine, printable } from "../base/text.ts";
import { walkFiles } from "../documents/files.ts";
import {
  isOver,
  numberedTitle,
  pageKind,
  recordDate,
  recordName,
  recordNumber,
} from "../documents/metadata.ts";
import { scanDocuments } from "../documents/scanner.ts";
import { followPath } from "../documents/uri.ts";
import { readTextFile } from "./io.ts";
import { CommandError, requireFolder, requireRoot, trimmedPath, UsageError } from "./main.ts";
import { fillTemplate, findRecord, readTemplate, RecordText } from "./record_text.ts";
import { write } from "./write.ts";

/** Plans copies of the documents in `mcp/starter/` and of the prompts that come with the program. */
export function init(platform: Platform, options: Options): Promise<number> {
  const { files } = platform;
  const folder = trimmedPath(options.operands[0]!);
  if (folder === "") throw new UsageError("init takes the folder to create, such as docs/architecture");
  const home = `${options.home}/mcp`, date = today();
  const copy = (from: string, to: string): Change[] => {
    requireFolder(platform, from, "the documents that come with the program");
    return [...walkFiles(files, from)].sort().map((name) => {
      const text = readTextFile(platform, `${from}/${name}`, "a document that comes with the program");
      // Templates and prompts keep the placeholder.
      const after = pageKind(name) ? text : text.replace(/^date: YYYY-MM-DD$/m, `date: ${date}`);
      return { path: `${to}/${name}`, before: undefined, after };
    });
  };
  const own = copy(`${home}/starter`, folder);
  // Beside the single file, the prompts are among them.
  const isComplete = own.some(({ path }) => path.startsWith(`${folder}/prompts/`));
  const changes = isComplete ? own : [...own, ...copy(`${home}/prompts`, `${folder}/prompts`)];
  return write(platform, options, folder, () => changes);
}

interface Records {
  readonly folder: string;
  readonly all: readonly RecordText[];
  find(reference: string): RecordText;
  read(name: string): string | undefined;
}

type Edit = (records: Records) => readonly RecordText[];

export function createRecord(platform: Platform, options: Options): Promise<number> {
  const title = checkTitle([...options.operands, ...options.rest ?? []].join(" "));
  const date = options.get("date") ?? today();
  if (!isDay(date)) throw new UsageError(`--date takes a date such as 2026-07-28, not "${date}"`);
  const named = options.get("template");
  const given = named === undefined ? undefined : readTemplate(platform, options, named);
  return edit(platform, options, (records) => {
    const names = (attempt(() => platform.files.list(records.folder)) ?? []).map(({ name }) => name).sort();
    const { name, number, last } = nextName(names, title, date);
    // As adr-tools, MADR or log4brains name the template of a folder.
    const isTemplate = (name: string) =>
      pageKind(name) === "template" && /^(?:.*[-_.])?template\.md$/i.test(name);
    const template = given ??
      ["templates/template.md", ...names.filter(isTemplate)].map(records.read).find((text) =>
        text !== undefined
      ) ??
      readTemplate(platform, options, formOf(records.all, last));
    const own = fillTemplate(template, `${name}.md`, { number, title, date });
    return relate(own, options.list("supersedes").map(records.find), records);
  });
}

export function supersede(platform: Platform, options: Options): Promise<number> {
  const [old = "", now = ""] = options.operands;
  return edit(platform, options, (records) => {
    const replaced = records.find(old), own = records.find(now);
    if (replaced === own) {
      throw new CommandError(`A record cannot supersede itself: ${own.path}; name two records`);
    }
    if (!isSuccessor(replaced, own, records)) return relate(own, [replaced], records);
    throw new CommandError(`${replaced.path} supersedes ${own.path} already: remove that first`);
  });
}

/** Whether a record states that it supersedes another one, or is superseded by it: "2", "ADR-2", "0002-b.md", "2. B". */
function states(
  from: RecordText,
  relation: "supersedes" | "supersededBy",
  other: RecordText,
  { all }: Records,
) {
  const find = (reference: string) => attempt(() => findRecord(all, reference));
  return from.stated?.[relation].some((reference) => {
    const linked = all.find(({ path }) => followPath("", path) === followPath(from.path, reference));
    return (linked ?? find(reference) ?? find(`${recordNumber(reference)}`)) === other;
  });
}

/** Whether a record replaces another one, directly or through others, by what both sides state. */
function isSuccessor(record: RecordText, replaced: RecordText, records: Records): boolean {
  // Grows while it is walked.
  const seen = new Set([replaced]);
  for (const one of seen) {
    const isNext = (other: RecordText) =>
      states(one, "supersededBy", other, records) || states(other, "supersedes", one, records);
    for (const other of records.all.filter(isNext)) seen.add(other);
  }
  return record !== replaced && seen.has(record);
}

export function status(platform: Platform, options: Options): Promise<number> {
  const [reference = "", word = ""] = options.operands;
  const status = word.toLowerCase();
  const successor = `A superseded record names its successor: use "supersede ${reference} NEW"`;
  if (/^(?:superseded|replaced)$/.test(status)) throw new UsageError(successor);
  return edit(platform, options, ({ find }) => {
    const record = find(reference);
    record.setStatus(status);
    if (!status.startsWith("part")) record.dropSuccessors();
    if (record.status !== "superseded") return [record];
    const reason = "it names its successor outside of its status; remove that first";
    throw new CommandError(`Cannot make ${record.path} ${status}: ${reason}`);
  });
}

/** Edits the records that `change` returns, in the folder that `--mount` names or in the one for decisions of the `--root`. */
function edit(platform: Platform, options: Options, change: Edit): Promise<number> {
  const { files } = platform;
  const mounts = options.list<Pair>("mount"), root = options.get("root");
  const [[category, within] = ["adr", root ?? ""]] = mounts;
  if (within === "" || mounts.length + Number(root !== undefined) > 1) {
    throw new UsageError("Name one folder of records: --mount adr=DIR, or --root DIR with resources/adr/");
  }
  if (root === undefined) requireFolder(platform, within, "the folder of records");
  else requireRoot(platform, root);
  const folder = root !== undefined ? `${within}/resources/adr` : within;
  return write(platform, options, folder, (read) => {
    const found = [...scanDocuments(files, { mounts: [{ name: category, path: folder }] }, () => {})]
      .filter((file) => typeof file !== "string").filter(({ label }) => !pageKind(label));
    const records = new Map(found.flatMap((file) => {
      const text = read(file.path);
      const path = file.label.slice(category.length + 1);
      return text === undefined ? [] : [[file, new RecordText(path, text)]];
    }));
    const edited = change({
      folder,
      all: [...records.values()],
      find: (reference) => {
        const file = findRecord(found, reference, ` in ${folder}`), record = records.get(file);
        if (record) return record;
        throw new CommandError(`Cannot read "${file.path}": check says what is wrong with it`);
      },
      read: (name) => read(`${folder}/${name}`),
    });
    return edited.map((record) => {
      return { path: `${folder}/${record.path}`, before: record.before, after: `${record}` };
    });
  }, { within });
}

function relate(own: RecordText, replaced: readonly RecordText[], records: Records): RecordText[] {
  // adr-tools spells it this way; one folder has one spelling.
  const isOld = records.all.some(({ before }) => /^Supercede[sd] /m.test(before!));
  const [passive, active] = isOld ? ["Superceded", "Supercedes"] : ["Superseded", "Supersedes"];
  const others = new Set(replaced);
  for (const record of others) {
    // Each says it once, in whichever form.
    const isStated = isOver({ record: record.stated }) && states(record, "supersededBy", own, records);
    if (!isStated) record.supersededBy(linkTo(own, record), passive!);
    if (!states(own, "supersedes", record, records)) own.supersedes(linkTo(record, own), active!);
  }
  return [own, ...others];
}

function linkTo({ label, path, title: stated }: RecordText, from: RecordText): RecordLink {
  const name = recordName(label);
  const number = recordNumber(name);
  const title = numberedTitle(oneLine(stated ?? name).trim(), number);
  const isOpen = /[[\]]/.test(title.replace(/\[[^\][]*\]/g, ""));
  const target = "../".repeat(from.path.split("/").length - 1) + path;
  return {
    id: number === undefined ? name : `ADR-${/\d+/.exec(name)![0]}`,
    title: isOpen ? title.replace(/[[\]]/g, "\\$&") : title,
    target: target.replace(/[ ()<>%]/g, (character) => `%${character.charCodeAt(0).toString(16)}`),
  };
}

/** The longest name that a new file gets, in bytes; most file systems take 255. */
const MAX_NAME_BYTES = 200;

/** A title in one line that makes a file name. Throws a `UsageError` for any other. */
function checkTitle(title: string): string {
  const text = title.trim();
  const { length } = new TextEncoder().encode(toSlug(text, "-"));
  const problem = /[\p{Cc}\u2028\u2029]/u.test(text) || findInvisible(text)
    ? `"${printable(text)}" has control characters or invisible ones: write it without them`
    : length === 0
    ? `"${text}" has no letter or digit to make a file name of`
    : length > MAX_NAME_BYTES
    ? `makes a file name of ${length} bytes, and ${MAX_NAME_BYTES} are allowed: shorten it`
    : undefined;
  if (problem !== undefined) throw new UsageError(`The title ${problem}`);
  return text;
}

function toSlug(title: string, gap: string): string {
  const words = title.normalize("NFC").toLowerCase().split(/[^\p{L}\p{M}\p{N}]+/u);
  return words.filter((word) => word !== "").join(gap);
}

/** The name of the next record, in the form of the others; the first one is called as adr-tools and MADR call it. */
function nextName(taken: readonly string[], title: string, date: string) {
  const names = taken.filter((name) => !pageKind(name)).map((name) => name.replace(/\.md$/i, ""));
  const dated = names.filter((name) => recordDate(name)?.length === 10);
  const numbered = names.filter((name) => recordNumber(name) !== undefined && recordDate(name) === undefined)
    .sort((left, right) => recordNumber(left)! - recordNumber(right)!);
  const isDated = dated.length > numbered.length;
  const last = (isDated ? dated : numbered).at(-1) ?? "0000-";
  // The groups: what is before the date or number, the date or number, the dash in a date, the separator, the rest.
  const form = isDated ? /^()(\d{4}(-?)\d{2}\3\d{2})([-_. ]*)(.*)$/ : /^(\D*)(\d+)()([-_. ]*)(.*)$/;
  const [, before = "", stamp = "", dash = "", gap, rest = ""] = form.exec(last)!;
  const number = isDated ? undefined : String(Number(stamp) + 1).padStart(stamp.length, "0");
  const slug = toSlug(title, /_/.test(rest) && !rest.includes("-") ? "_" : "-");
  return { name: before + (number ?? date.replaceAll("-", dash)) + (gap || "-") + slug, number, last };
}

function formOf(records: readonly RecordText[], name: string): string {
  const last = records.find(({ path, label }) => !path.includes("/") && recordName(label) === name);
  return /^## Context and Problem Statement|^status:/m.test(last?.before ?? "") ? "madr" : "nygard";
}

function today(): string {
  const here = Date.now() - new Date().getTimezoneOffset() * 60_000;
  return new Date(here).toISOString().slice(0, "2026-07-28".length);
}
