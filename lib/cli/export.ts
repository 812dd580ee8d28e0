/** The command export: an index of the documents in the rules files of assistants, and rules for some files. */

import type { Platform } from "../platform/platform.ts";
import type { AssistantRule } from "./assistants.ts";
import type { ExportEntry } from "./export_entries.ts";
import type { Generated } from "./generated_part.ts";
import type { Options } from "./options.ts";
import type { FileChange } from "./transaction.ts";
import { findInvisible } from "../base/invisible.ts";
import { attempt, printable } from "../base/text.ts";
import { summarizer, summaryLines } from "../documents/summary.ts";
import { decode } from "../documents/uri.ts";
import { cutInline } from "../formats/markdown/cut.ts";
import { fillHead, isGenerated, TARGETS } from "./assistants.ts";
import { ConfigurationError } from "./options.ts";
import { isExported, MAX_ABOUT, placesFrom, toExportEntry } from "./export_entries.ts";
import { indexLines } from "./export_index.ts";
import { foldersText } from "./folder_text.ts";
import { foldersOf, NAME_A_FOLDER, requireFolder } from "./folders.ts";
import { merged, userParts } from "./generated_part.ts";
import { assembleOnce } from "./once.ts";
import { parentOf } from "./paths.ts";
import { write } from "./write.ts";

/** Maximum size of the index, in bytes. */
const MAX_INDEX_BYTES = 8192;

/** Shows what would change in the files of an assistant, changes them with `--write`, or fails with `--check`. */
export async function exportRules(platform: Platform, options: Options): Promise<number> {
  const target = TARGETS[options.operands[0]!]!;
  const { files } = platform;
  const into = options.get("into") ?? ".";
  requireFolder(platform, into, options.has("into") ? "--into" : "the working directory");
  // An assistant must not be told to follow the rules of another project.
  if (foldersOf(platform, options).isSample) {
    throw new ConfigurationError(`Cannot export the sample: ${NAME_A_FOLDER}`);
  }
  const { documents, folders } = await assembleOnce(platform, options);
  await documents.ready();
  const { store } = documents;
  const placeOf = placesFrom(platform, documents, platform.files.realPath(into));
  const summarize = summarizer(store, store.catalogue, placeOf);
  const entries = store.catalogue.documents
    .filter((document) => isExported(document) && !isGenerated(placeOf(document)))
    .map((document) => toExportEntry(summarize(document)));
  if (entries.length === 0) {
    const where = foldersText(folders);
    throw new ConfigurationError(`There are no documents in force in ${where}: name another folder`);
  }
  noteSpelledOut(platform, entries);
  const lines = indexLines(entries, options.get<number>("max-bytes") ?? MAX_INDEX_BYTES);
  const generated = new Map<string, Generated>([[target.index, { head: target.head, lines, isRule: false }]]);
  const unwritten = target.rule ? addRules(entries, target.rule, generated) : [];
  if (unwritten.length > 0) {
    const reason =
      "because they are negated, lead out of the repository, or have a comma, a control or invisible character or <!--";
    const message = `No rule can have these patterns, ${reason}: ${unwritten.join(" ")}`;
    platform.print("error", `architrave: ${printable(message)}\n`);
  }
  return await write(platform, options, into, (read) => {
    const current = Array.from(generated, ([name, content]): FileChange => {
      const path = `${into}/${name}`, before = read(path);
      return { path, before, after: merged(name, before, content) };
    });
    const [start = "", ending = ""] = target.rule?.[0].split("*") ?? [];
    const folder = parentOf(start);
    const present = !target.rule ? [] : attempt(() => files.list(`${into}/${folder}`)) ?? [];
    const stale = present.flatMap(({ name, kind }): FileChange[] => {
      const rule = `${folder}/${name}`, path = `${into}/${rule}`;
      const isOwn = kind === "file" && rule.startsWith(start) && rule.endsWith(ending);
      const before = isOwn && !generated.has(rule) ? read(path) : undefined;
      const parts = userParts(before ?? "");
      if (!parts) return [];
      const after = parts.above + parts.below.replace(/^\r?\n/, "");
      return [{ path, before, after: after.trim() === "" ? undefined : after }];
    });
    return [...current, ...stale];
  });
}

/** Maximum number of documents that a message names. */
const MAX_NAMED = 5;

/** Says once which documents have invisible characters: an assistant reads what no reviewer saw. */
function noteSpelledOut(platform: Platform, entries: readonly ExportEntry[]): void {
  const places = entries.filter(({ isSpelledOut }) => isSpelledOut).map(({ place }) => place);
  if (places.length === 0) return;
  const more = places.length > MAX_NAMED ? ` and ${places.length - MAX_NAMED} more` : "";
  const named = places.slice(0, MAX_NAMED).join(", ") + more;
  const message = `Invisible characters are spelled out, and check says where they are: ${named}`;
  platform.print("error", `architrave: ${printable(message)}.\n`);
}

/** Maximum length of the name of a rule without its ending, in characters. File systems allow 255 bytes. */
const MAX_NAME = 60;
/** Maximum length of the decision in a rule, in UTF-16 units. */
const MAX_DECISION = 2000;

/** Adds a rule for each document that says which files it applies to. Returns the patterns that no rule can have. */
function addRules(
  entries: readonly ExportEntry[],
  [pattern, head]: AssistantRule,
  files: Map<string, Generated>,
): string[] {
  const [start = "", ending = ""] = pattern.split("*");
  const separator = head.includes("LIST") ? "\0" : ",";
  // Some assistants take a leading "!" for a negation.
  const isUsable = (glob: string) =>
    !/^(?:!|\.\.\/|\*\*\/$)|[\p{Cc}\u2028\u2029]|<!--/u.test(glob) && !findInvisible(glob) &&
    !glob.includes(separator);
  for (const entry of entries) {
    const { document, title, about, globs } = entry;
    const usable = globs.filter(isUsable);
    if (usable.length === 0) continue;
    const name = document.key.split("/").map(decode).join("-").replace(
      /[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}<>]/gu,
      "-",
    );
    const base = start + [...name].slice(0, MAX_NAME).join("");
    let path = `${base}${ending}`;
    for (let count = 2; files.has(path); count++) path = `${base}-${count}${ending}`;
    files.set(path, {
      head: fillHead(head, usable, cutInline(about || title, MAX_ABOUT)),
      isRule: true,
      lines: [`# ${title}`, "", ...summaryLines(entry, MAX_DECISION)],
    });
  }
  return entries.flatMap(({ globs }) => globs.filter((glob) => !isUsable(glob)));
}
