/** The commands new, supersede and status: they plan changes of decision records, and `write` shows or makes them. */

import type { Platform } from "../platform/platform.ts";
import type { OptionPair, Options } from "./options.ts";
import type { FolderWords, RecordLink } from "./record_text.ts";
import { attempt, isDay, oneLine, printable, shortened } from "../base/text.ts";
import { isUndecided } from "../documents/check_stale.ts";
import { currentStatus, isInForce, isOver, numberedTitle } from "../documents/records/status.ts";
import { pageKind, recordName, recordNumber } from "../documents/records/name.ts";
import { scanDocuments } from "../documents/scanner.ts";
import { teamWords } from "../documents/records/languages.ts";
import { followPath } from "../documents/uri.ts";
import { CommandError, UsageError } from "./options.ts";
import { findRecord } from "./find_record.ts";
import { requireFolder, requireRoot, wordsIn } from "./folders.ts";
import { checkTitle, nextName, today } from "./record_name.ts";
import { fillLike, fillTemplate, folderOf, layoutOf, readTemplate } from "./record_template.ts";
import { RecordText } from "./record_text.ts";
import { write } from "./write.ts";

interface Records {
  readonly folder: string;
  readonly all: readonly RecordText[];
  find(reference: string): RecordText;
  read(name: string): string | undefined;
  readonly words: FolderWords;
}

type Edit = (records: Records) => readonly RecordText[];

export async function createRecord(platform: Platform, options: Options): Promise<number> {
  const title = checkTitle([...options.operands, ...options.rest ?? []].join(" "));
  const date = options.get("date") ?? today();
  if (!isDay(date)) throw new UsageError(`--date takes a date such as 2026-07-28, not "${date}"`);
  const template = options.get("template");
  const given = template === undefined ? undefined : readTemplate(platform, options, template);
  const notes: string[] = [];
  const code = await edit(platform, options, (records) => {
    const { within, page } = layoutOf(records.all);
    const listed = (path: string) =>
      (attempt(() => platform.files.list(path)) ?? []).map(({ name }) => name).sort();
    const { name: file, number, last } = nextName(listed(records.folder + within), title, date);
    const neighbour = records.all.find((record) =>
      folderOf(record) === within && recordName(record.label) === last
    );
    const names = listed(records.folder);
    // The names that adr-tools, MADR and log4brains give the template of a folder.
    const isTemplate = (name: string) =>
      pageKind(name) === "template" && /^(?:.*[-_.])?template\.md$/i.test(name);
    const form = given ??
      ["templates/template.md", ...names.filter(isTemplate)].map(records.read).find((text) =>
        text !== undefined
      );
    const path = `${within}/${file}`.slice(1) + (page === undefined ? ".md" : `/${page}`);
    const values = { number, title, date, words: records.words };
    const own = form === undefined
      ? fillLike(neighbour, path, values, (name) => readTemplate(platform, options, name))
      : fillTemplate(form, path, values);
    const replaced = options.list("supersedes").map(records.find);
    if (replaced.length === 0 || !isUndecided({ record: own.edited })) return relate(own, replaced, records);
    const name = recordName(own.label), reference = recordNumber(name) ?? name;
    const over = replaced.filter((record) => isOver({ record: record.stated }));
    const live = replaced.filter((record) => !over.includes(record));
    const listOf = (records: readonly RecordText[]) => records.map(named).join(", ");
    if (live.length > 0) {
      const way = `"status ${reference} accepted" will mark ${listOf(live)} as superseded`;
      notes.push(`The new record is a proposal: ${way}`);
    }
    if (over.length > 0) {
      const way = "name what replaced it, if the new record replaces that";
      notes.push(`No longer in force already: ${listOf(over)}; ${way}`);
    }
    return relate(own, replaced, records, false);
  });
  if (code === 0 && notes.length > 0) platform.print("error", `architrave: ${notes.join(". ")}.\n`);
  return code;
}

export function supersede(platform: Platform, options: Options): Promise<number> {
  const [old = "", now = ""] = options.operands;
  return edit(platform, options, (records) => {
    const replaced = records.find(old), own = records.find(now);
    if (replaced === own) {
      throw new CommandError(`A record cannot supersede itself: ${own.path}; name two records`);
    }
    if (isSuccessor(replaced, own, records)) {
      throw new CommandError(`${replaced.path} supersedes ${own.path} already: remove that first`);
    }
    const reason = states(replaced, "supersededBy", own, records) ? undefined : doubt(own, replaced);
    if (reason !== undefined && !options.has("force")) {
      throw new CommandError(
        `${named(own)} ${reason}: name the record that replaces ${
          named(replaced)
        } last, or confirm with --force`,
      );
    }
    platform.print("error", `architrave: ${named(own)} supersedes ${named(replaced)}.\n`);
    return relate(own, [replaced], records);
  });
}

/** How much of a title a message has, in UTF-16 units. */
const MAX_TITLE = 80;
/** The title and the path of a record, for messages. */
const named = ({ path, title }: RecordText): string =>
  title === undefined ? path : `"${shortened(printable(title), MAX_TITLE)}" (${path})`;

/** Why a record is not likely to replace another one; undefined if nothing speaks against it. */
function doubt(own: RecordText, replaced: RecordText): string | undefined {
  const { stated } = own, status = currentStatus({ record: stated });
  if (isOver({ record: stated })) return `is ${status}`;
  const [number, other] = [own, replaced].map(({ label }) => recordNumber(recordName(label)));
  const [date = "", otherDate = ""] = [own, replaced].map(({ stated }) => stated?.date);
  const isEarlier = isDay(date) && isDay(otherDate) ? date < otherDate : undefined;
  // A number may be reserved long before, and a date may be that of the last change: both have to say it, where both are known.
  const isOlder = number === undefined || other === undefined
    ? isEarlier
    : number < other && isEarlier !== false;
  return isOlder ? `is older than ${named(replaced)}` : undefined;
}

/** Whether a record states that it supersedes another one, or is superseded by it: "2", "ADR-2", "0002-b.md", "2. B". */
function states(
  from: RecordText,
  relation: "supersedes" | "supersededBy",
  other: RecordText,
  { all }: Records,
  record = from.stated,
): boolean {
  const find = (reference: string) => attempt(() => findRecord(all, reference));
  return record[relation].some((reference) => {
    const linked = all.find(({ path }) => followPath("", path) === followPath(from.path, reference));
    return (linked ?? find(reference) ?? find(`${recordNumber(reference)}`)) === other;
  });
}

/** Whether a record replaces another one, directly or through others, by what both sides state. */
function isSuccessor(record: RecordText, replaced: RecordText, records: Records): boolean {
  // The loop also visits the records that it adds.
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
  const successor = `A superseded record names its successor: use "supersede ${reference} NEW"`;
  return edit(platform, options, (records) => {
    const { find, words } = records;
    const status = teamWords(words.team).statusOf(word) ?? word.toLowerCase();
    if (/^(?:superseded|replaced)$/.test(status)) throw new UsageError(successor);
    const record = find(reference);
    record.setStatus(word);
    if (!status.startsWith("part")) record.dropSuccessors();
    if (currentStatus({ record: record.edited }) === "superseded") {
      const reason = "it names its successor outside of its status; remove that first";
      throw new CommandError(`Cannot make ${record.path} ${status}: ${reason}`);
    }
    const changed = ["status", "statusWord", "date", "supersededBy", "partlySupersededBy"];
    record.confirm(`make its status "${status}"`, changed, (edited) => edited.status === status);
    const now = { record: record.edited };
    if (!isInForce(now) || isUndecided(now)) return [record];
    const replaced = records.all.filter((other) =>
      !isOver({ record: other.stated }) && states(record, "supersedes", other, records)
    );
    return relate(record, replaced, records);
  });
}

/** Edits the records that `change` returns, in the folder that `--mount` names or in the one for decisions of the `--root`. */
function edit(platform: Platform, options: Options, change: Edit): Promise<number> {
  const { files } = platform;
  const mounts = options.list<OptionPair>("mount"), root = options.get("root");
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
    let used: readonly string[] | undefined;
    const words: FolderWords = {
      team: wordsIn(files, [within]),
      used: () => used ??= [...new Set([...records.values()].map(({ stated }) => stated.statusWord ?? ""))],
    };
    const records = new Map(found.flatMap((file) => {
      const text = read(file.path);
      const path = file.label.slice(category.length + 1);
      return text === undefined ? [] : [[file, new RecordText(path, text, words)]];
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
      words,
    });
    return edited.map((record) => {
      return { path: `${folder}/${record.path}`, before: record.before, after: `${record}` };
    });
  }, { within });
}

/** Writes that a record supersedes others: in all of them, or in itself alone, because a proposal replaces nothing yet. */
function relate(
  own: RecordText,
  replaced: readonly RecordText[],
  records: Records,
  inAll = true,
): RecordText[] {
  // The spelling of adr-tools. A folder keeps one spelling.
  const isOld = records.all.some(({ before }) => /^Supercede[sd] /m.test(before!));
  const [passive, active] = isOld ? ["Superceded", "Supercedes"] : ["Superseded", "Supersedes"];
  const others = new Set(replaced);
  const added = [...others].filter((record) => !states(own, "supersedes", record, records));
  for (const record of added) own.supersedes(linkTo(record, own), active!);
  if (added.length > 0) {
    own.confirm(
      `write what it supersedes`,
      ["supersedes", "partlySupersedes"],
      (edited) => replaced.every((record) => states(own, "supersedes", record, records, edited)),
    );
  }
  if (!inAll) return [own];
  for (const record of others) {
    // A relation that is stated already, in any form, is not stated again.
    const isStated = isOver({ record: record.stated }) && states(record, "supersededBy", own, records);
    if (!isStated) record.supersededBy(linkTo(own, record), passive!);
    const changed = ["status", "statusWord", "supersededBy", "partlySupersededBy"];
    record.confirm(
      `write that ${linkTo(own, record).id} supersedes it`,
      changed,
      (edited) =>
        isOver({ record: edited }) &&
        (own.before === undefined || states(record, "supersededBy", own, records, edited)),
    );
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
