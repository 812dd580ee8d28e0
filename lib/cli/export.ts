/** The command export: an index of the documents in the rules files of assistants, and rules for some files. */

import type { Platform } from "../platform/platform.ts";
import type { Document } from "../documents/document.ts";
import type { Options } from "./options.ts";
import type { FileChange } from "./write.ts";
import { toGlob } from "../formats/glob.ts";
import { attempt, oneLine, printable, shortened } from "../base/text.ts";
import { isInside } from "../documents/files.ts";
import { readMarkdown } from "../formats/markdown/document.ts";
import { SETEXT } from "../formats/markdown/body.ts";
import { plain } from "../formats/markdown/lines.ts";
import { pageKind } from "../documents/records/name.ts";
import { DECISION } from "../documents/records/signs.ts";
import { currentStatus, isInForce, isOver, isRejected } from "../documents/records/status.ts";
import { decode, toUri } from "../documents/uri.ts";
import { CommandError, ConfigurationError } from "./errors.ts";
import { foldersText } from "./folder_text.ts";
import { NAME_A_FOLDER, requireFolder } from "./folders.ts";
import { assembleOnce } from "./once.ts";
import { parentOf, write } from "./write.ts";

type Rule = readonly [path: string, head: string];

interface Target {
  /** The file with the index, and the front matter that it is created with. */
  readonly index: string;
  readonly head?: string;
  /** Templates of rules about some files: their path, in which "*" is the name, and their front matter, for `fillHead`. */
  readonly rule?: Rule;
}

/** @see the documentation of each assistant, named in the guideline "Reaching the model" */
const TARGETS: Readonly<Record<string, Target>> = {
  agents: { index: "AGENTS.md" },
  gemini: { index: "GEMINI.md" },
  claude: { index: "CLAUDE.md", rule: [".claude/rules/architrave-*.md", "paths:LIST"] },
  cursor: {
    index: ".cursor/rules/architrave.mdc",
    head: "description: Architecture decisions\nglobs:\nalwaysApply: true",
    rule: [".cursor/rules/architrave-*.mdc", "description: ABOUT\nglobs: PLAIN\nalwaysApply: false"],
  },
  copilot: {
    index: ".github/copilot-instructions.md",
    rule: [".github/instructions/architrave-*.instructions.md", "applyTo: QUOTED"],
  },
  kiro: {
    index: ".kiro/steering/architrave.md",
    head: "inclusion: always",
    rule: [".kiro/steering/architrave-*.md", "inclusion: fileMatch\nfileMatchPattern:LIST"],
  },
  windsurf: {
    index: ".windsurf/rules/architrave.md",
    head: "trigger: always_on",
    rule: [".windsurf/rules/architrave-*.md", "trigger: glob\ndescription: ABOUT\nglobs: QUOTED"],
  },
};

/** Fills in the front matter of a rule: its patterns, as a YAML list or as one text, and its description. */
function fillHead(head: string, globs: readonly string[], about: string): string {
  const joined = globs.join(",");
  const words: Readonly<Record<string, string>> = {
    ABOUT: JSON.stringify(about),
    LIST: globs.map((glob) => `\n  - ${JSON.stringify(glob)}`).join(""),
    PLAIN: joined,
    QUOTED: JSON.stringify(joined),
  };
  return head.replace(/\b[A-Z]{4,}\b/g, (word) => words[word]!);
}

/** The lines before and after generated text. The rest of a file is not changed. */
const BEGIN = "<!-- architrave:begin -->", END = "<!-- architrave:end -->";
const MARKS = new RegExp(`(${BEGIN}|${END})`);
/** Maximum length of the line about a document, in UTF-16 units. */
const MAX_ABOUT = 200;
/** Length at which these lines are no longer shortened, in UTF-16 units. */
const MIN_ABOUT = 40;
/** Maximum length of a title in the index, in UTF-16 units. */
const MAX_TITLE = 100;
/** Maximum length of the decision in a rule, in UTF-16 units. */
const MAX_DECISION = 2000;
/** Maximum size of the index, in bytes. */
const MAX_INDEX_BYTES = 8192;
/** Maximum length of the name of a rule without its ending, in characters. File systems allow 255 bytes. */
const MAX_NAME = 60;

/** Shows what would change in the files of an assistant, changes them with `--write`, or fails with `--check`. */
export async function exportRules(platform: Platform, options: Options): Promise<number> {
  const target = TARGETS[options.operands[0]!]!;
  const { files } = platform;
  const into = options.get("into") ?? ".";
  requireFolder(platform, into, options.has("into") ? "--into" : "the working directory");
  const { documents, folders } = await assembleOnce(platform, options);
  // An assistant must not be told to follow the rules of another project.
  if (folders.isSample) throw new ConfigurationError(`Cannot export the sample: ${NAME_A_FOLDER}`);
  await documents.ready();
  const { store, scheme } = documents;
  const base = files.realPath(into);
  const entries = store.catalogue.documents
    .filter((document) => !pageKind(document.label) && (!isOver(document) || isRejected(document)))
    .flatMap((document) => {
      const real = attempt(() => files.realPath(document.path)) ?? document.path;
      const path = isInside(real, base, files.separator)
        ? real.slice(base.length).split(files.separator).filter((segment) => segment !== "").join("/")
        : toUri(document.key, scheme);
      return isGenerated(path) ? [] : toEntry(document, store.textOnce(document) ?? "", path);
    });
  if (entries.length === 0) {
    const where = foldersText(folders);
    throw new ConfigurationError(`There are no documents in force in ${where}: name another folder`);
  }
  const lines = indexLines(entries, options.get<number>("max-bytes") ?? MAX_INDEX_BYTES);
  const generated = new Map<string, Generated>([[target.index, { head: target.head, lines, isRule: false }]]);
  const unwritten = target.rule ? addRules(entries, target.rule, generated) : [];
  if (unwritten.length > 0) {
    const reason =
      "because they are negated, lead out of the repository, or have a comma, a control character or <!--";
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
      const parts = partsOf(before ?? "");
      if (!parts) return [];
      const after = parts.above + parts.below.replace(/^\r?\n/, "");
      return [{ path, before, after: after.trim() === "" ? undefined : after }];
    });
    return [...current, ...stale];
  });
}

function isGenerated(path: string): boolean {
  return Object.values(TARGETS).some(({ index, rule: [rule] = [index] }) =>
    path === index || path.startsWith(rule.split("*", 1)[0]!)
  );
}

type Entry = ReturnType<typeof toEntry>;

/** What the index and the rules say of a document. `place` is a path or the URI. All text but the patterns is made safe. */
function toEntry(document: Document, text: string, place: string) {
  const { title, record, description = "", appliesTo } = document;
  const { lines, front, prose, sections } = readMarkdown(text);
  const section = record && sections.find(({ title }) => title !== document.title && DECISION.test(title));
  const start = section?.line ?? Infinity;
  // The subsections give reasons. Only the text before them is the decision.
  const end = sections.find(({ line }) => line > start)?.line ?? section?.end ?? 0;
  const isBody = (line: number) => line > start && line < end && !SETEXT.test(lines[line]!);
  const said = prose.filter(isBody).map((line) => lines[line]!.replace(/^\s*(?:[-*+]|\d+[.)])\s+/, ""));
  const inline = plain(said.join("\n"));
  const about = front.values.has("description") || inline === "" ? description : inline;
  const decision = lines.filter((_, line) => isBody(line)).join("\n").replace(/<!--[^]*?(?:-->|$)/g, "")
    .trim();
  return {
    document,
    place: safe(place),
    lead: leadOf(document, safe(place.slice(place.lastIndexOf("/") + 1)), safe(title)),
    title: safe(title),
    about: safe(about.replace(FILLER, "")),
    decision: (decision || description).split("\n").map(safe).join("\n"),
    globs: [...new Set(appliesTo.flatMap((pattern) => toGlob(pattern).forms))],
  };
}

/** The start of a line of the index: "007-talk.md: Use queues (proposed)". A title whose words are in the name is left out. */
function leadOf(document: Document, name: string, title: string): string {
  const wordsOf = (text: string): string[] => text.toLowerCase().match(/[1-9]\p{N}*|\p{L}+/gu) ?? [];
  const known = wordsOf(name);
  const isNamed = wordsOf(title).every((word) => known.includes(word));
  const rest = title.replace(NUMBER, (lead, number) => known.includes(number) ? "" : lead);
  const state = isInForce(document) || isRejected(document) ? "" : ` (${currentStatus(document)})`;
  return `${name}${isNamed ? "" : `: ${shortened(rest, MAX_TITLE)}`}${state}`;
}

const NUMBER = /^(?:[A-Z]+[ -])*#?0*(\d+)(?:[.:)]| -) +/;
/** Openings that many documents share. They say nothing about the document. */
const FILLER =
  /^(?:this (?:\w+ ){1,2}(?:captures|defines|describes|documents|outlines)|chosen option:|we decided(?: that)?:?) +/i;

/** One line that cannot end the generated part; a bare "@path" would make some assistants read that file. */
function safe(text: string): string {
  return oneLine(text).replaceAll("<!--", "&lt;!--").replace(/(?<=^|[\s("'])@(?=[\w~./])/g, "`@`");
}

/** The content of a generated file, or the generated part of another file. The front matter of a rule is generated too. */
type Generated = { head: string | undefined; lines: readonly string[]; isRule: boolean };

/** The index in at most `maxBytes` bytes. All lines are shortened equally; if that is not enough, documents are left out. */
function indexLines(entries: readonly Entry[], maxBytes: number): string[] {
  // Each category keeps the same number of documents, the latest ones.
  const ranked = [...Map.groupBy(entries, ({ document }) => document.category).values()]
    .flatMap((group) => group.toReversed().map((entry, rank) => ({ entry, rank })))
    .sort((left, right) => left.rank - right.rank).map(({ entry }) => entry);
  const isOpen = entries.some(({ document }) => currentStatus(document) === "proposed");
  const hasUris = entries.some(({ place }) => place.includes("://"));
  const introduction = INTRODUCTION + (isOpen ? UNDECIDED : "") + (hasUris ? BY_URI : "");
  const lines = (maxAbout: number, maxGlobs: number, count = entries.length): string[] => {
    const kept = new Set(ranked.slice(0, count));
    const toLine = ({ lead, about, globs }: Entry) => {
      const detail = maxAbout > 0 && about !== "" ? `: ${shortened(about, maxAbout)}` : "";
      const shown = globs.slice(0, maxGlobs).map(safe).join(", ") + (globs.length > maxGlobs ? ", …" : "");
      return `- ${lead}${detail}${maxGlobs > 0 && shown !== "" ? ` [${shown}]` : ""}`;
    };
    const folders = (isAgainst: boolean) => {
      const shown = entries.filter((entry) => kept.has(entry) && isRejected(entry.document) === isAgainst);
      return [...Map.groupBy(shown, ({ place }) => parentOf(place))]
        .flatMap(([folder, group]) => [`In ${folder || "."}/:`, "", ...group.map(toLine), ""]);
    };
    const against = folders(true);
    const missing = entries.length - count;
    const are = missing === 1 ? "document is" : "documents are";
    return [
      "## Architecture decisions",
      "",
      introduction,
      "",
      ...folders(false),
      ...missing > 0 ? [`${missing} more ${are} not listed; search for them.`, ""] : [],
      ...against.length > 0 ? ["These were decided against.", "", ...against] : [],
    ].slice(0, -1);
  };
  /** The lines for the largest number up to `most` for which they fit; undefined when they never fit. */
  const largest = (most: number, toLines: (value: number) => string[]): string[] | undefined => {
    let least = 0, found: string[] | undefined;
    while (least <= most) {
      const middle = Math.ceil((least + most) / 2);
      const text = toLines(middle);
      if (new TextEncoder().encode(text.join("\n")).length <= maxBytes) [least, found] = [middle + 1, text];
      else most = middle - 1;
    }
    return found;
  };
  for (const globs of [3, 1, 0]) {
    const found = largest(MAX_ABOUT - MIN_ABOUT, (more) => lines(MIN_ABOUT + more, globs));
    if (found) return found;
  }
  return largest(1, (globs) => lines(0, globs)) ?? largest(entries.length, (kept) => lines(0, 0, kept)) ?? [];
}

const INTRODUCTION =
  "These documents hold in this repository. Before you change code, read those about your task, and those whose brackets " +
  "match the files you change.";
const UNDECIDED = " What is marked as proposed is not decided yet.";
const BY_URI = " Read a URI with the tool read_document.";

/** Adds a rule for each document that says which files it applies to. Returns the patterns that no rule can have. */
function addRules(entries: readonly Entry[], [pattern, head]: Rule, files: Map<string, Generated>): string[] {
  const [start = "", ending = ""] = pattern.split("*");
  const separator = head.includes("LIST") ? "\0" : ",";
  // Some assistants take a leading "!" for a negation.
  const isUsable = (glob: string) =>
    !/^(?:!|\.\.\/|\*\*\/$)|[\p{Cc}\u2028\u2029]|<!--/u.test(glob) && !glob.includes(separator);
  for (const { document, place, title, about, decision, globs } of entries) {
    const usable = globs.filter(isUsable);
    if (usable.length === 0) continue;
    const name = document.key.split("/").map(decode).join("-").replace(/[\p{Cc}\p{Cf}<>]/gu, "-");
    const base = start + [...name].slice(0, MAX_NAME).join("");
    let path = `${base}${ending}`;
    for (let count = 2; files.has(path); count++) path = `${base}-${count}${ending}`;
    const against = isRejected(document) ? ["This was decided against.", ""] : [];
    const text = shortened(decision || about, MAX_DECISION).trimEnd();
    const read = `Read all of it before you change these files: ${place}`;
    files.set(path, {
      head: fillHead(head, usable, shortened(about || title, MAX_ABOUT)),
      isRule: true,
      lines: [`# ${title}`, "", ...against, ...text.split("\n"), "", read],
    });
  }
  return entries.flatMap(({ globs }) => globs.filter((glob) => !isUsable(glob)));
}

/** What is above and below the generated part of a file; undefined when it does not have one, or more than one. */
function partsOf(text: string): { readonly above: string; readonly below: string } | undefined {
  const [above, begin, , end, below, ...more] = text.split(MARKS);
  const isPair = begin === BEGIN && end === END && more.length === 0;
  return isPair ? { above: above!.replace(FRONT, "$1"), below: below! } : undefined;
}

function merged(path: string, before: string | undefined, { head, lines, isRule }: Generated): string {
  const newline = before?.includes("\r\n") ? "\r\n" : "\n";
  const front = head ? ["---", ...head.split("\n"), "---", ""].join(newline) : "";
  const part = [BEGIN, ...lines, END].join(newline);
  if (before === undefined) return `${front}${part}${newline}`;
  const parts = partsOf(before);
  // The patterns of a rule are in its front matter.
  if (parts && isRule) return parts.above.replace(/^\uFEFF?/, (mark) => mark + front) + part + parts.below;
  if (parts) return before.slice(0, before.indexOf(BEGIN)) + part + parts.below;
  if (isRule || MARKS.test(before)) {
    const way = isRule ? "rename it if it is yours, else delete it" : "correct that, or delete both";
    throw new CommandError(
      `Cannot change "${path}": it must have ${BEGIN} once, and ${END} once after it; ${way}`,
    );
  }
  const gap = before === "" ? "" : /\n$/.test(before) ? newline : newline + newline;
  return `${before}${gap}${part}${newline}`;
}

/** Front matter, after a byte order mark if there is one. */
const FRONT = /^(\uFEFF?)---\r?\n(?:[^]*?\r?\n)?---\r?\n/;
