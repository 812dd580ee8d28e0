/** The tools over documents, for models that cannot read resources. */

import type { Glob } from "../base/glob.ts";
import type { Access } from "../server/context.ts";
import type { Tool, ToolView } from "../server/tool.ts";
import type { Catalogue, Document } from "./catalogue.ts";
import type { DocumentView, Shown } from "./document_tool.ts";
import type { Section } from "./markdown.ts";
import type { DocumentProvider } from "./provider.ts";
import { inSlices } from "../base/async.ts";
import { textHash } from "../base/bytes.ts";
import { isAbsolute, toFilePath, toGlob } from "../base/glob.ts";
import { compare, didYouMean, nearest, quoted, shortened } from "../base/text.ts";
import { ToolValidationError } from "../server/tool.ts";
import { text } from "../server/tool_result.ts";
import {
  documentFilter,
  documentTool,
  filters,
  fitting,
  integer,
  inventory,
  knownStatuses,
  lines,
  listOf,
  METADATA,
  NOTICE,
  objectOf,
  PAGE_SIZE,
  pageOf,
  statusesOf,
  string,
  SUCCESSORS,
} from "./document_tool.ts";
import { readMarkdown, sectionText } from "./markdown.ts";
import { currentStatus, isOver, recordFolder, shorten } from "./metadata.ts";
import { searchDocuments } from "./search.ts";
import { toUri } from "./uri.ts";

/** Defines all of them, in the order of their names. Their descriptions tell of what `access` allows. */
export function defineTools(documents: DocumentProvider, access?: Access, view?: string): readonly Tool[] {
  const ui = view === undefined ? undefined : { resourceUri: view };
  const catalogue = documents.store.catalogue.visibleTo(access);
  const defining = [decisionsFor, listDocuments, readDocument, searchDocuments];
  return defining.map((define) => define(documents, catalogue, ui));
}

function listDocuments(documents: DocumentProvider, catalogue: Catalogue, ui?: ToolView): Tool {
  return documentTool(documents, {
    name: "list_documents",
    ui,
    title: "List architecture documents",
    description:
      `Lists the team's architecture documents with their URI, title, status and date: ${
        inventory(catalogue)
      }. ` +
      `Gives ${PAGE_SIZE} at a time; pass nextCursor as cursor for more. To find documents about a subject, use search_documents.`,
    inputSchema: {
      type: "object",
      properties: { ...filters(catalogue), cursor: string("nextCursor of the page before") },
    },
    outputSchema: objectOf("documents total", {
      documents: listOf(
        objectOf("uri title category", { ...METADATA, ...SUCCESSORS, description: string() }),
      ),
      nextCursor: string("There when there are more"),
      total: integer("Of all pages together"),
    }),
    run({ category, status, cursor }, view) {
      view.requireCategory(category);
      const items = view.catalogue.documents.filter(documentFilter({ category, status }));
      const { content, documents, nextCursor } = pageOf({
        list: ["list_documents", category, status?.toLowerCase()],
        cursor,
        items,
        none: items.length > 0 ? "" : noneOf(view.catalogue, status),
        position: ({ key }) => key,
        show: (document) => {
          const supersededBy = view.successors(document);
          const { line, value } = view.show(document, { description: document.description, supersededBy });
          return { line: supersededBy ? `${line}, replaced by ${supersededBy.join(" and ")}` : line, value };
        },
      });
      return { content, value: { documents, nextCursor, total: items.length } };
    },
  });
}

/** With more different statuses than this, they are not listed. */
const MAX_STATUSES = 20;

/** What is said of an empty list; names the status that was probably meant. */
function noneOf({ documents }: Catalogue, status: string | undefined): string {
  const known = knownStatuses(documents);
  const unknown = statusesOf(status)?.filter((one) => !known.includes(one)) ?? [];
  if (status === undefined || unknown.length === 0) return "No document.";
  const meant = unknown.map((one) => didYouMean(nearest(one, known))).join("");
  const all = known.length > MAX_STATUSES ? "" : `; there are: ${known.map(shorten).join(", ") || "none"}`;
  return `No document has the status "${quoted(status, 100)}"${meant}${all}`;
}

const MAX_PATHS = 100;
/** How much `decisions_for` may say, in characters (about 3,000 tokens), and of that, the paths of one document. */
const ANSWER_BUDGET = 12_000, PATHS_BUDGET = 500;

function decisionsFor(documents: DocumentProvider, _: Catalogue, ui?: ToolView): Tool {
  return documentTool(documents, {
    name: "decisions_for",
    ui,
    title: "Find the decisions for files",
    description:
      "Names the team's decisions, patterns and guidelines that apply to the files you are about to create or change, the most " +
      "specific first. Call it before you edit, best with paths from the root of the repository, and read what it names. " +
      "Where there are more than fit, pass nextCursor as cursor, with the same paths.",
    inputSchema: {
      type: "object",
      properties: {
        paths: {
          type: "array",
          items: { type: "string", maxLength: 1000 },
          minItems: 1,
          maxItems: MAX_PATHS,
          description: "Such as src/payments/api.ts",
        },
        cursor: string("nextCursor of the answer before, to the same paths"),
      },
      required: ["paths"],
    },
    outputSchema: objectOf("documents omitted", {
      documents: listOf(objectOf("uri title matched paths", {
        ...METADATA,
        description: string(),
        ...NOTICE,
        matched: string("The pattern of the document that the files match"),
        paths: listOf(string(), "Those of the files that match it, or the first of them"),
        morePaths: integer("How many more files match it, where there are any"),
      })),
      omitted: integer("How many more there are, less specific or after these by name"),
      guessed: listOf(
        objectOf("path as", { path: string(), as: string("From the root of the repository") }),
        "What absolute paths were taken for, because the patterns fit that best",
      ),
      nextCursor: string("There when there are more"),
    }),
    async run({ paths, cursor }, view, signal) {
      const { found, guessed } = await inSlices(findApplying(view.catalogue, paths, signal));
      const items = found.sort((left, right) => compare(left.place, right.place));
      const { content, ...value } = pageOf({
        list: ["decisions_for", textHash(JSON.stringify(paths))],
        cursor,
        items,
        none: "No document says that it applies to these files; search_documents may find some.",
        budget: ANSWER_BUDGET,
        position: ({ place }) => place,
        show: (applying) => showApplying(applying, view),
      });
      if (guessed.length === 0) return { content, value };
      const names = fitting(guessed, PATHS_BUDGET, ({ path, as }) => path.length + as.length);
      const guess = names.map(({ path, as }) => `${path} as ${as}`).join(", ");
      const more = guessed.length > names.length ? ` and ${guessed.length - names.length} more` : "";
      const note = `(Guessed: ${guess}${more}. Pass paths from the root of the repository to be sure.)`;
      return { content: [...content, text(note)], value: { ...value, guessed } };
    },
  });
}

interface Applying {
  readonly document: Document;
  /** Sorts what is in force before what is not, then the more specific ones first, then by key. */
  readonly place: string;
  /** Its most specific pattern that matches any of them. */
  readonly glob: Glob;
  /** The files that match it, as they were written. */
  readonly paths: readonly string[];
}

function showApplying({ document, glob: { pattern }, paths: all }: Applying, view: DocumentView): Shown {
  const { description } = document;
  const notice = view.notice(document);
  const paths = fitting(all, PATHS_BUDGET, ({ length }) => length);
  const morePaths = all.length - paths.length || undefined;
  const files = `${paths.join(", ")}${morePaths ? ` and ${morePaths} more` : ""}`;
  const data = { description, notice, matched: pattern, paths, morePaths };
  return view.show(document, data, `  for ${files} (${pattern})`, description, notice);
}

/** Compiled patterns by their text, because many documents share one; kept while the documents are the same. */
const compiled = new WeakMap<Catalogue, Map<string, Glob>>();

/** The path of a file from the unknown root of the repository: behind what it shares with the documents, or guessed. */
function* fileAt(path: string, anchored: readonly Glob[], folders: readonly string[], signal: AbortSignal) {
  const whole = toFilePath(path);
  if (!isAbsolute(path)) return { file: whole, isGuess: false };
  const names = whole.split("/");
  const common = folders.map((folder) => folder.split("/"))
    .map((others) => names.findIndex((name, index) => name !== others[index]));
  const shared = Math.max(0, ...common);
  for (const from of [shared, ...names.keys()]) {
    const file = names.slice(from).join("/");
    for (const glob of anchored) {
      signal.throwIfAborted();
      if (glob.matches(file)) return { file, isGuess: from > 0 && from !== shared };
      yield;
    }
  }
  return { file: whole, isGuess: false };
}

/** Finds the documents that apply to any of some files. Throws the reason of the signal soon after it is aborted. */
function* findApplying(catalogue: Catalogue, paths: readonly string[], signal: AbortSignal) {
  let globs = compiled.get(catalogue);
  if (!globs) {
    const patterns = new Set(catalogue.documents.flatMap(({ appliesTo }) => appliesTo));
    compiled.set(catalogue, globs = new Map(Array.from(patterns, (pattern) => [pattern, toGlob(pattern)])));
  }
  const anchored = [...globs.values()].filter((glob) => glob.isAnchored);
  const folders = [...new Set(catalogue.documents.map(({ within }) => within))].map(toFilePath);
  /** What absolute paths were taken for, because a pattern fits that. */
  const guessed: { path: string; as: string }[] = [];
  const files: (readonly [path: string, file: string])[] = [];
  for (const path of paths) {
    const { file, isGuess } = yield* fileAt(path, anchored, folders, signal);
    files.push([path, file]);
    if (isGuess) guessed.push({ path, as: file });
  }
  const matching = new Map<string, readonly string[]>();
  for (const [pattern, glob] of globs) {
    const paths: string[] = [];
    for (const [path, file] of files) {
      signal.throwIfAborted();
      if (glob.matches(file)) paths.push(path);
      yield;
    }
    if (paths.length > 0) matching.set(pattern, paths);
  }
  const found = catalogue.documents.flatMap((document): Applying[] => {
    const [glob] = document.appliesTo.filter((pattern) => matching.has(pattern))
      .map((pattern) => globs.get(pattern)!).sort((one, other) => other.specificity - one.specificity);
    if (!glob) return [];
    const place = [Number(isOver(document)), 1e6 - glob.specificity, document.key].join(" ");
    return [{ document, place, glob, paths: matching.get(glob.pattern)! }];
  });
  return { found, guessed };
}

/** How much is read by default, in bytes (about 5,000 tokens, below what any client cuts), and at most. */
const DEFAULT_LIMIT = 20_000, MAX_LIMIT = 200_000;

function readDocument(documents: DocumentProvider, { documents: all }: Catalogue): Tool {
  const record = all.find(({ record }) => record?.number !== undefined);
  const uriOf = (key: string) => toUri(key, documents.scheme);
  const numbered = record && uriOf(`${recordFolder(record.key)}/${record.record!.number}`);
  const examples = all[0] ? `, such as ${uriOf(all[0].key)}` : "";
  const byNumber = numbered ? ` or ${numbered} (a decision record by its number)` : "";
  return documentTool(documents, {
    name: "read_document",
    title: "Read an architecture document",
    description:
      `Reads one document of the team by its URI${examples}${byNumber}. Gives at most limit bytes (${DEFAULT_LIMIT} unless ` +
      "given) and an outline; pass nextOffset as offset for what follows, or section for one section of the outline.",
    inputSchema: {
      type: "object",
      properties: {
        uri: string("From list_documents, search_documents, or another document"),
        section: string("The slug of one section, as the outline has it"),
        offset: { ...integer("Where to begin, in bytes of UTF-8"), minimum: 0 },
        limit: { ...integer("How much to read, in bytes of UTF-8"), minimum: 4, maximum: MAX_LIMIT },
      },
      required: ["uri"],
    },
    outputSchema: objectOf("uri title text offset size outline", {
      ...NOTICE,
      ...METADATA,
      text: string(),
      offset: integer("Where text begins, in bytes of UTF-8"),
      nextOffset: integer("There when there is more"),
      size: integer("Of the whole document or section, in bytes of UTF-8"),
      outline: listOf(objectOf("level title section line", {
        level: integer(),
        title: string(),
        section: string(),
        line: integer(),
      })),
      omittedHeadings: integer(
        "How many headings the outline leaves out; read with its last section, it begins there",
      ),
    }),
    async run({ uri, section, offset = 0, limit = DEFAULT_LIMIT }, view) {
      const { documents: [document, ...others], address } = view.catalogue.lookUp(uri);
      const asked = quoted(uri, 300);
      if (others.length > 0) {
        const candidates = [document!, ...others].map((one) => view.show(one).line).join("\n");
        throw new ToolValidationError(`${asked} names more than one document:\n${candidates}`);
      }
      if (document) await view.store.readable(document);
      const whole = document && view.store.text(document);
      if (!document || whole === undefined) {
        const meant = didYouMean(view.store.nearest(uri, view.catalogue));
        const advice = "list_documents lists all, search_documents finds some";
        throw new ToolValidationError(`There is no document ${asked}${meant}; ${advice}`);
      }
      const slug = section ?? address!.section;
      const { sections } = readMarkdown(whole);
      const { outline, omitted, next } = outlineOf(sections, slug);
      const slugs = outline.map(({ section }) => section).join(", ");
      const chosen = slug === undefined ? whole : sectionText(whole, slug, sections);
      if (chosen === undefined) {
        const meant = didYouMean(nearest(slug!, sections.map((one) => one.slug)));
        const which = omitted === undefined
          ? `its outline: ${shortened(slugs, SECTIONS_BUDGET) || "none"}`
          : `it has ${sections.length}: read it without a section for an outline that begins with the first ${outline.length}`;
        throw new ToolValidationError(`${asked} has no section "${quoted(slug!, 100)}"${meant}; ${which}`);
      }
      const range = cut(chosen, offset, limit);
      const { nextOffset, size } = range;
      const notice = view.notice(document);
      const status = currentStatus(document);
      const state = status === undefined ? "" : ` (${shorten(status)})`;
      const name = view.uri(document) + (slug === undefined ? "" : `#${slug}`);
      const head = lines([
        notice,
        `${name} - ${shorten(document.title)}${state}, ${size} bytes`,
        slugs && `Sections: ${slugs}`,
        omitted === undefined ? omitted : `(${omitted} of ${sections.length} sections are left out: ${next})`,
      ]);
      const end = nextOffset === undefined
        ? `(bytes ${offset} to ${size} of ${size}: this is the end)`
        : `(bytes ${offset} to ${nextOffset} of ${size}: call read_document again with offset ${nextOffset})`;
      const isWhole = offset === 0 && nextOffset === undefined;
      const data = { ...range, outline, omittedHeadings: omitted };
      return {
        content: (isWhole ? [head, range.text] : [head, range.text, end]).map((one) => text(one)),
        value: { notice, ...view.show(document, data).value },
      };
    },
  });
}

/** A part of a text, cut where a character ends. @throws {ToolValidationError} When none begins at the offset. */
function cut(whole: string, offset: number, limit: number) {
  const bytes = new TextEncoder().encode(whole);
  const isInside = (place: number): boolean => (bytes[place]! & 0xc0) === 0x80;
  if (offset > bytes.length || isInside(offset)) {
    throw new ToolValidationError(
      `There is no character at offset ${offset} of ${bytes.length} bytes; use nextOffset`,
    );
  }
  let end = Math.min(offset + limit, bytes.length);
  while (isInside(end)) end--;
  return {
    text: new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes.subarray(offset, end)),
    offset,
    nextOffset: end < bytes.length ? end : undefined,
    size: bytes.length,
  };
}

/** How many headings an outline has, at least because the last one leads to the next outline. */
const MAX_HEADINGS = 100, MIN_HEADINGS = 2;
/** How much an outline may say, in characters (about 3,000 tokens), and how much of it an error. */
const OUTLINE_BUDGET = 12_000, SECTIONS_BUDGET = 1000;

/**
 * The headings of a document, how many are left out, and how to get those. If there are too many, they begin with the section
 * that is read, so that the last section of one outline leads to the next. Slugs are not cut: sections are read by them.
 */
function outlineOf(sections: readonly Section[], section: string | undefined) {
  const all = sections.map(({ level, title, slug, line }) => {
    return { level, title: shorten(title), section: slug, line: line + 1 };
  });
  const from = (start: number) => {
    const part = all.slice(start, start + MAX_HEADINGS);
    return fitting(part, OUTLINE_BUDGET, ({ title, section }) => title.length + section.length, MIN_HEADINGS);
  };
  if (from(0).length === all.length) return { outline: all };
  const start = Math.max(0, all.findIndex((heading) => heading.section === section));
  const outline = from(start), last = outline.at(-1)!;
  const next = last === all.at(-1)
    ? "call read_document without section for the first ones"
    : `for those that follow, call read_document again with section "${last.section}"`;
  return { outline, omitted: all.length - outline.length, next };
}
