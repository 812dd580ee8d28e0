/**
 * The command export: an index of the documents in the rules files of assistants, and a rule for each document that
 * `applies-to` some files. Only generated files, and what is between the markers of others, are changed.
 */

import type { Platform } from "../../deps.ts";
import type { Document } from "../documents/catalogue.ts";
import type { Options } from "./main.ts";
import type { Change } from "./write.ts";
import { toGlob } from "../base/glob.ts";
import { printable, shortened } from "../base/text.ts";
import { attempt, isInside } from "../documents/files.ts";
import { plain, readMarkdown, UNDERLINE } from "../documents/markdown.ts";
import { currentStatus, DECISION, isOver, pageKind } from "../documents/metadata.ts";
import { decode, toUri } from "../documents/uri.ts";
import { ConfigurationError, createLog, NAME_A_FOLDER } from "./program.ts";
import { assemble } from "./serve.ts";
import { readText, write, WriteError } from "./write.ts";

/** Rules for some files only. */
interface Rules {
  /** The folder, in the repository. */
  readonly folder: string;
  /** What file names end with. */
  readonly ending: string;
  /** The front matter of a rule for some files. */
  scoped(globs: readonly string[], description: string): readonly string[];
  /** What stands between patterns in one text; a pattern that has it cannot be written. */
  readonly separator?: string;
}

/** The files of one assistant. */
interface Target {
  /** The file with the index. */
  readonly index: string;
  /** The front matter of that file, when it is created. */
  readonly head?: readonly string[];
  readonly rules?: Rules;
}

const yamlList = (globs: readonly string[]) => globs.map((glob) => `  - ${JSON.stringify(glob)}`);

/** @see the documentation of each assistant, named in the guideline "Reaching the model" */
const TARGETS: Readonly<Record<string, Target>> = {
  agents: { index: "AGENTS.md" },
  gemini: { index: "GEMINI.md" },
  claude: {
    index: "CLAUDE.md",
    rules: { folder: ".claude/rules", ending: ".md", scoped: (globs) => ["paths:", ...yamlList(globs)] },
  },
  cursor: {
    index: ".cursor/rules/architrave.mdc",
    head: ["description: Architecture decisions", "globs:", "alwaysApply: true"],
    rules: {
      folder: ".cursor/rules",
      ending: ".mdc",
      separator: ",",
      scoped: (globs, description) => [
        `description: ${JSON.stringify(description)}`,
        `globs: ${globs.join(",")}`,
        "alwaysApply: false",
      ],
    },
  },
  copilot: {
    index: ".github/copilot-instructions.md",
    rules: {
      folder: ".github/instructions",
      ending: ".instructions.md",
      separator: ",",
      scoped: (globs) => [`applyTo: ${JSON.stringify(globs.join(","))}`],
    },
  },
  kiro: {
    index: ".kiro/steering/architrave.md",
    head: ["inclusion: always"],
    rules: {
      folder: ".kiro/steering",
      ending: ".md",
      scoped: (globs) => ["inclusion: fileMatch", "fileMatchPattern:", ...yamlList(globs)],
    },
  },
  windsurf: {
    index: ".windsurf/rules/architrave.md",
    head: ["trigger: always_on"],
    rules: {
      folder: ".windsurf/rules",
      ending: ".md",
      separator: ",",
      scoped: (globs, description) => [
        "trigger: glob",
        `description: ${JSON.stringify(description)}`,
        `globs: ${JSON.stringify(globs.join(","))}`,
      ],
    },
  },
};

/** What generated text begins and ends with; the rest of a file stays as it is. */
const BEGIN = "<!-- architrave:begin -->";
const END = "<!-- architrave:end -->";
/** What the names of rules begin with. */
const PREFIX = "architrave-";
/** The most bytes of an index, unless --max-bytes says otherwise. */
const MAX_INDEX_BYTES = 8192;
/** The longest and the shortest line about a document, the longest title and decision, in UTF-16 units. */
const MAX_ABOUT = 200, MIN_ABOUT = 40, MAX_TITLE = 100, MAX_DECISION = 2000;

/** A document as assistants are told of it. */
interface Entry {
  readonly document: Document;
  /** A path in the repository, else the URI. */
  readonly place: string;
  readonly title: string;
  /** What it decides or is about, in one line. */
  readonly about: string;
  /** The text of its decision. */
  readonly decision: string;
  /** Patterns of files, without braces. */
  readonly globs: readonly string[];
}

/** Shows what would change in the files of an assistant, changes them with `--write`, or fails with `--check`. */
export async function exportRules(platform: Platform, options: Options): Promise<number> {
  const target = TARGETS[options.operands[0]!]!;
  const into = options.get("into") ?? ".";
  const { documents, folders } = assemble(platform, options, createLog(platform, options, "error"), {
    watch: false,
  });
  // An assistant must not be told to follow the rules of another project.
  if (folders.isSample) throw new ConfigurationError(`Cannot export the sample: ${NAME_A_FOLDER}`);
  await documents.ready();
  const { store, scheme } = documents;
  const base = attempt(() => platform.files.realPath(into)) ?? into;
  const entries = store.catalogue.documents
    .filter((document) =>
      pageKind(document.label) === undefined && (!isOver(document) || isRejected(document))
    )
    .map((document): Entry => {
      const { path, key } = document;
      const inside = attempt(() =>
        relativePath(platform.files.realPath(path), base, platform.files.separator)
      );
      return toEntry(document, store.textOnce(document) ?? "", inside ?? toUri(key, scheme));
    });
  const lines = indexLines(entries, options.get<number>("max-bytes") ?? MAX_INDEX_BYTES);
  const generated = new Map<string, Generated>([
    [target.index, { head: target.head, lines, isRule: false }],
    ...target.rules ? rulesOf(entries, target.rules) : [],
  ]);
  const read = (path: string) => readText(platform.files, `${into}/${path}`, base);
  const plan = (): Change[] => {
    const { folder = "", ending = "" } = target.rules ?? {};
    const present = target.rules ? attempt(() => platform.files.list(`${into}/${folder}`)) ?? [] : [];
    const stale = present.flatMap(({ name }) => {
      const [path, before] = [`${folder}/${name}`, read(`${folder}/${name}`)];
      const isOwn = name.startsWith(PREFIX) && name.endsWith(ending) && before?.includes(BEGIN);
      return isOwn && !generated.has(path) ? [{ path: `${into}/${path}`, before, after: undefined }] : [];
    });
    const current = Array.from(generated, ([path, content]) => {
      const before = read(path);
      return { path: `${into}/${path}`, before, after: merged(path, before, content) };
    });
    return [...current, ...stale];
  };
  return await write(platform, options, { within: into, folder: into }, plan);
}

/** A path below a folder, with slashes; undefined when it is elsewhere. */
function relativePath(path: string, folder: string, separator: string): string | undefined {
  if (!isInside(path, folder, separator)) return undefined;
  return path.slice(folder.length).split(separator).filter((segment) => segment !== "").join("/");
}

function isRejected(document: Document): boolean {
  return /^(?:rejected|declined)$/.test(currentStatus(document) ?? "");
}

function toEntry(document: Document, text: string, place: string): Entry {
  const { title, record, description = "", appliesTo } = document;
  const { lines, front, prose, sections } = readMarkdown(text);
  const section = record && sections.find(({ title }) => title !== document.title && DECISION.test(title));
  const start = section?.line ?? Infinity;
  // Its subsections say why.
  const end = sections.find(({ line }) => line > start)?.line ?? Infinity;
  const body = prose.filter((line) => line > start && line < end).map((line) => lines[line]!);
  if (UNDERLINE.test(body[0] ?? "")) body.shift();
  const decision = body.join("\n").trim();
  const inline = plain(decision.replace(/^\s*(?:[-*+]|\d+[.)])\s+/gm, ""));
  const about = front.values.has("description") || inline === "" ? description : inline;
  return {
    document,
    place,
    title: safe(title),
    about: safe(about.replace(LEAD, "")),
    decision: (decision || description).split("\n").map(safe).join("\n"),
    globs: [...new Set(appliesTo.flatMap((pattern) => toGlob(pattern).forms))],
  };
}

/** What many documents begin with, and what tells none from another. */
const LEAD =
  /^(?:this (?:\w+ ){1,2}(?:captures|defines|describes|documents|outlines)|chosen option:|we decided(?: that)?:?) +/i;

/** Without control characters, and without what could end the generated part. */
function safe(text: string): string {
  return printable(text).replaceAll("<!--", "&lt;!--");
}

/** What a generated file holds, or the generated part of another one. */
interface Generated {
  readonly head: readonly string[] | undefined;
  readonly lines: readonly string[];
  /** Whether the front matter is generated, too. */
  readonly isRule: boolean;
}

/** The index, in at most so many bytes: all documents are shortened alike, and left out when that is not enough. */
function indexLines(entries: readonly Entry[], maxBytes: number): string[] {
  // Each category keeps as many documents as any other, the latest ones.
  const ranks = new Map<Entry, number>();
  for (const group of Map.groupBy(entries, ({ document }) => document.category).values()) {
    group.toReversed().forEach((entry, rank) => ranks.set(entry, rank));
  }
  const ranked = entries.toSorted((left, right) => ranks.get(left)! - ranks.get(right)!);
  const lines = (about: number, globs: number, count = entries.length): string[] => {
    const told = new Set(ranked.slice(0, count));
    const { inForce = [], against = [] } = Object.groupBy(
      entries.filter((entry) => told.has(entry)),
      ({ document }) => isRejected(document) ? "against" : "inForce",
    );
    const toLines = (part: readonly Entry[]) => {
      const folders = Map.groupBy(part, ({ place }) => place.slice(0, place.lastIndexOf("/") + 1));
      return [...folders].flatMap(([folder, group]) => {
        const told = group.map((entry) => indexLine(entry, about, globs));
        return [`In ${folder || "./"}:`, "", ...told, ""];
      });
    };
    return [
      "## Architecture decisions",
      "",
      `${INTRODUCTION}${entries.some(({ place }) => place.includes("://")) ? BY_URI : ""}`,
      "",
      ...toLines(inForce),
      ...count < entries.length ? [`There are ${entries.length - count} more documents.`, ""] : [],
      ...against.length > 0 ? ["These were decided against.", "", ...toLines(against)] : [],
    ].slice(0, -1);
  };
  /** The largest number up to `most` whose lines fit; undefined when none does. */
  const largest = (most: number, toLines: (value: number) => string[]): string[] | undefined => {
    let [least, found] = [0, undefined as string[] | undefined];
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
  return largest(1, (globs) => lines(0, globs)) ??
    largest(entries.length, (count) => lines(0, 0, count)) ?? [];
}

const INTRODUCTION =
  "These documents hold in this repository. Before you change code, read those about your task and those that name its " +
  "files in brackets.";
const BY_URI = " Read a URI with the tool read_document.";

/** "- 007-talk.md: Use queues (proposed): Services talk over queues. [services/**]". */
function indexLine({ document, place, title, about, globs }: Entry, maxAbout: number, count: number): string {
  const name = place.slice(place.lastIndexOf("/") + 1);
  const status = currentStatus(document) ?? "accepted";
  const state = IN_FORCE.test(status) || isRejected(document) ? "" : ` (${status})`;
  // Many names are made of the title.
  const known = wordsOf(name);
  const isNamed = wordsOf(title).every((word) => known.includes(word));
  const rest = title.replace(NUMBER, (lead, number) => known.includes(number) ? "" : lead);
  const subject = isNamed ? "" : `: ${shortened(rest, MAX_TITLE)}`;
  const detail = maxAbout > 0 && about !== "" ? `: ${shortened(about, maxAbout)}` : "";
  const shown = globs.slice(0, count).join(", ") + (globs.length > count ? ", …" : "");
  return `- ${name}${subject}${state}${detail}${count > 0 && shown !== "" ? ` [${shown}]` : ""}`;
}

const IN_FORCE = /^(?:accepted|approved|activ(?:e|ated)|completed?|final|implement(?:ed|able)|living)$/;
/** The number that a title begins with. */
const NUMBER = /^(?:[A-Z]+[ -])*#?0*(\d+)(?:[.:)]| -) +/;
const wordsOf = (text: string): string[] => text.toLowerCase().match(/[1-9]\p{N}*|\p{L}+/gu) ?? [];

/** A file of rules for each document that says which files it applies to. */
function rulesOf(
  entries: readonly Entry[],
  { folder, ending, scoped, separator }: Rules,
): Map<string, Generated> {
  const files = new Map<string, Generated>();
  for (const { document, place, title, about, decision, globs } of entries) {
    const usable = globs.filter((glob) => separator === undefined || !glob.includes(separator));
    if (usable.length === 0) continue;
    const base = `${folder}/${PREFIX}${document.key.split("/").map(decode).join("-")}`;
    let path = `${base}${ending}`;
    for (let count = 2; files.has(path); count++) path = `${base}-${count}${ending}`;
    const against = isRejected(document) ? ["This was decided against.", ""] : [];
    const text = shortened(decision || about, MAX_DECISION).trimEnd();
    files.set(path, {
      head: scoped(usable, shortened(about || title, MAX_ABOUT)),
      isRule: true,
      lines: [
        `# ${title}`,
        "",
        ...against,
        ...text.split("\n"),
        "",
        `Read all of it before you change these files: ${place}`,
      ],
    });
  }
  return files;
}

/** The text of a file with the generated part in it. */
function merged(path: string, before: string | undefined, { head, lines, isRule }: Generated): string {
  const newline = before?.includes("\r\n") ? "\r\n" : "\n";
  const front = head ? ["---", ...head, "---", ""].join(newline) : "";
  const part = [BEGIN, ...lines, END].join(newline);
  if (before === undefined) return `${front}${part}${newline}`;
  const [start, end] = [before.indexOf(BEGIN), before.indexOf(END)];
  if (start === -1 && end === -1 && !isRule) {
    const gap = before === "" ? "" : /\n$/.test(before) ? newline : newline + newline;
    return `${before}${gap}${part}${newline}`;
  }
  if (start === -1 || end < start || before.lastIndexOf(BEGIN) !== start || before.lastIndexOf(END) !== end) {
    const way = isRule ? "rename it if it is not generated" : "write both, or neither of them";
    throw new WriteError(
      `Cannot change "${path}": it must have ${BEGIN} once, and ${END} once behind it; ${way}`,
    );
  }
  // The patterns of a rule are in its front matter.
  const above = isRule ? before.slice(0, start).replace(FRONT, front) : before.slice(0, start);
  return above + part + before.slice(end + END.length);
}

const FRONT = /^---\r?\n(?:[^]*?\r?\n)?---\r?\n/;
