/** The tools over documents, for models that cannot read resources: what they share, `list_documents` and `decisions_for`. */

import type { Awaitable } from "../base/async.ts";
import type { Glob } from "../formats/glob.ts";
import type { AnySchema, Tool, ToolDefinition, ToolView, ValueOf } from "../mcp/server/tool.ts";
import type { Catalogue } from "./catalogue.ts";
import type { Document } from "./document.ts";
import type { DocumentProvider } from "./document_provider.ts";
import type { DocumentStore } from "./store.ts";
import { inSlices, nextTurn } from "../base/async.ts";
import { textHash } from "../base/bytes.ts";
import { fromCursor, toCursor } from "../mcp/protocol/page.ts";
import { isAbsolute, toFilePath, toGlob } from "../formats/glob.ts";
import { compact } from "../base/json.ts";
import { nearest } from "../base/nearest.ts";
import { compare, didYouMean, quoted } from "../base/text.ts";
import { ToolResult } from "../mcp/server/content.ts";
import { ToolValidationError } from "../mcp/server/errors.ts";
import { defineTool } from "../mcp/server/tool.ts";
import { shorten } from "./metadata.ts";
import { currentStatus, isOver } from "./records/status.ts";
import { toUri } from "./uri.ts";

type Properties = Readonly<Record<string, object>>;

interface DocumentTool<In extends AnySchema> extends Omit<ToolDefinition<In, AnySchema>, "handler"> {
  /** Its result has texts and a value, each complete, because some clients read only one of them. */
  run(args: ValueOf<In>, view: DocumentView, signal: AbortSignal): Awaitable<ToolResult>;
}

export function documentTool<const In extends AnySchema>(
  { store }: DocumentProvider,
  { run, ...definition }: DocumentTool<In>,
): Tool {
  return defineTool<In, AnySchema>({
    ...definition,
    annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
    handler: (args, { access, signal }) => run(args, { store, catalogue: store.visibleTo(access) }, signal),
  });
}

type Typed<T> = { readonly type: T; readonly description?: string };

export function string(description?: string): Typed<"string"> {
  return compact({ type: "string" as const, description });
}

export function integer(description?: string): Typed<"integer"> {
  return compact({ type: "integer" as const, description });
}

/** The schema of an object; the names of the required properties are separated by spaces. */
export function objectOf(required: string, properties: Properties): AnySchema & object {
  return { type: "object", properties, required: required.split(" ") } as AnySchema & object;
}

export function listOf(items: object, description?: string): object {
  return compact({ type: "array", items, description });
}

/** The properties of a document in the data of all tools; see `showDocument`. */
export const METADATA: Properties = {
  uri: string("What the document is read by"),
  title: string("Cut where it is very long"),
  category: string(),
  number: integer("Of a decision record"),
  status: string("Of a decision record: accepted, superseded, ..."),
  date: string("Of a decision record, as it is written"),
};
export const SUCCESSORS: Properties = { supersededBy: listOf(string(), "URIs of what replaces a decision") };
export const NOTICE: Properties = { notice: string("Read this first: the decision is no longer in force") };
export function filters(
  { categories, documents }: Catalogue,
): Record<"category" | "status", Typed<"string">> {
  const statuses = someOf(knownStatuses(documents));
  return {
    category: string(`Only of this category: ${someOf(categories)}`),
    status: string(`Only decision records with this status, or one of several with commas: ${statuses}`),
  };
}

function knownStatuses(documents: readonly Document[]): readonly string[] {
  return [...new Set(documents.flatMap((document) => currentStatus(document) ?? []))].sort();
}

/** The statuses of a list with commas, in lower case. */
function statusesOf(list: string): readonly string[] {
  return list.toLowerCase().split(",").map((status) => status.trim());
}

const MAX_NAMES = 20, MAX_SUCCESSORS = 10;

function someOf(names: readonly string[]): string {
  const all = names.slice(0, MAX_NAMES).map(shorten).join(", ");
  return names.length > MAX_NAMES ? `${all}, ...` : all || "none yet";
}

export function lines(parts: readonly (string | false | undefined)[]): string {
  return parts.filter(Boolean).join("\n");
}

/** The first items whose sizes are within a budget together; at least `least` of them. */
export function fitting<T>(items: readonly T[], budget: number, size: (item: T) => number, least = 1): T[] {
  let spent = 0;
  const end = items.findIndex((item, index) => (spent += size(item)) > budget && index >= least);
  return items.slice(0, end < 0 ? undefined : end);
}

/** A document in lines of text, and as data. */
export type Shown = { readonly line: string; readonly value: object };

/** The documents that a client may see, as tools show them. URIs are never cut; other texts are. */
export type DocumentView = { readonly store: DocumentStore; readonly catalogue: Catalogue };

/** Shows what identifies a document and what is known of it as a record, with more data and further lines. */
export function showDocument(
  { store }: DocumentView,
  document: Document,
  more: object = {},
  ...texts: readonly (string | undefined)[]
): Shown {
  const { category, record } = document;
  const uri = toUri(document.key, store.scheme);
  const title = shorten(document.title);
  const status = shorten(currentStatus(document) ?? "") || undefined;
  const date = shorten(record?.date ?? "") || undefined;
  const known = [status, date].filter(Boolean).join(", ");
  let line = `${uri} - ${title}${known && ` (${known})`}`;
  for (const text of texts) if (text !== undefined) line += `\n  ${text}`;
  return { line, value: { uri, title, category, number: record?.number, status, date, ...more } };
}

export function noticeOf(view: DocumentView, document: Document): string | undefined {
  if (!isOver(document)) return undefined;
  const { names } = successorsOf(view, document);
  const others = document.record!.supersededBy.length - names.length;
  if (others > 0) names.push(`${others} more that its text names`);
  const instead = names.length > 0 ? ` Read ${names.join(" and ")} in its place.` : "";
  return `This decision is ${currentStatus(document)}: do not follow it.${instead}`;
}

/** What replaces a decision: the URIs of the documents, if there are any, and what all of it is called in a sentence. */
export function successorsOf(
  { store, catalogue }: DocumentView,
  document: Document,
): { uris: readonly string[] | undefined; names: string[] } {
  const uris: string[] = [], names: string[] = [];
  for (const reference of document.record?.supersededBy.slice(0, MAX_SUCCESSORS) ?? []) {
    const target = catalogue.resolve(document, reference);
    const uri = target && toUri(target.key, store.scheme);
    if (uri) uris.push(uri);
    names.push(uri ? `${uri} (${shorten(target.title)})` : shorten(reference));
  }
  return { uris: uris.length > 0 ? uris : undefined, names };
}

/**
 * Filters documents by category, and by the current status of a decision; undefined allows all.
 * @throws {ToolValidationError} When there is no such category; the message names those that there are.
 */
export function filterBy(
  { catalogue: { categories } }: DocumentView,
  { category, status }: { readonly category?: string | undefined; readonly status?: string | undefined },
): (document: Document) => boolean {
  const wanted = status === undefined ? undefined : statusesOf(status);
  if (category !== undefined && !categories.includes(category)) {
    const all = didYouMean(nearest(category, categories)) + `; there are: ${someOf(categories)}`;
    throw new ToolValidationError(`There is no category "${quoted(category, 100)}"${all}`);
  }
  return (document) =>
    (category === undefined || document.category === category) &&
    (wanted?.some((one) => one === currentStatus(document)) ?? true);
}

/** The most documents on a page: about 5,000 tokens of lines. */
const PAGE_SIZE = 100;

/**
 * The page of a list behind a cursor, or the first one. The list is named by its tool and the arguments that it depends on; `place`
 * identifies an item and its place in the order; `left` is how many characters the page may have.
 * @throws {ToolValidationError} When the cursor is not of the list.
 */
function showPage<T>(
  list: readonly [tool: string, ...args: unknown[]],
  cursor: string | undefined,
  items: readonly T[],
  place: (item: T) => string,
  show: (item: T) => Shown,
  left = Infinity,
) {
  const again = `call ${list[0]} again with the same arguments`;
  const name = JSON.stringify(list);
  const last = cursor === undefined ? undefined : fromCursor(name, cursor);
  const start = last === undefined ? 0 : items.findIndex((item) => place(item) === last) + 1;
  if (start === 0 && cursor !== undefined) {
    throw new ToolValidationError(`The cursor is not one of this list as it is now; ${again}, without one`);
  }
  const rest = items.slice(start);
  const texts: string[] = [], documents: object[] = [];
  for (const item of rest.slice(0, PAGE_SIZE)) {
    const { line, value } = show(item);
    left -= line.length;
    if (left < 0 && texts.length > 0) break;
    texts.push(line);
    documents.push(value);
  }
  const omitted = rest.length - texts.length;
  const nextCursor = omitted > 0 ? toCursor(name, place(rest[texts.length - 1]!)) : undefined;
  if (nextCursor) texts.push(`(${omitted} more: ${again} and cursor "${nextCursor}")`);
  return { text: texts.join("\n"), documents, omitted, nextCursor };
}

export function listDocuments(documents: DocumentProvider, catalogue: Catalogue, ui?: ToolView): Tool {
  const groups = Map.groupBy(catalogue.documents, ({ category }) => category);
  const counts = catalogue.categories.map((name) => `${name} (${groups.get(name)?.length ?? 0})`);
  return documentTool(documents, {
    name: "list_documents",
    ui,
    title: "List architecture documents",
    description:
      `Lists the team's architecture documents with their URI, title, status and date: ${someOf(counts)}. ` +
      `Gives ${PAGE_SIZE} at a time; pass nextCursor as cursor for more. To find documents about a subject, use search_documents.`,
    inputSchema: {
      type: "object",
      properties: { ...filters(catalogue), cursor: string("nextCursor of the page before") },
    },
    checkOutput: false,
    outputSchema: objectOf("documents total", {
      documents: listOf(
        objectOf("uri title category", { ...METADATA, ...SUCCESSORS, description: string() }),
      ),
      nextCursor: string("There when there are more"),
      total: integer("Of all pages together"),
    }),
    run({ category, status, cursor }, view) {
      const items = view.catalogue.documents.filter(filterBy(view, { category, status }));
      const show = (document: Document) => {
        const { uris: supersededBy } = successorsOf(view, document);
        const { description } = document;
        const { line, value } = showDocument(view, document, { description, supersededBy });
        return { line: supersededBy ? `${line}, replaced by ${supersededBy.join(" and ")}` : line, value };
      };
      const list = ["list_documents", category, status?.toLowerCase()] as const;
      const { text, documents, nextCursor } = showPage(list, cursor, items, ({ key }) => key, show);
      const shown = items.length > 0 ? text : noneOf(view.catalogue, status);
      return new ToolResult([shown], { value: { documents, nextCursor, total: items.length } });
    },
  });
}

/** What is said of an empty list; names the status that was probably meant. */
function noneOf({ documents }: Catalogue, status: string | undefined): string {
  const known = knownStatuses(documents);
  const unknown = status === undefined ? [] : statusesOf(status).filter((one) => !known.includes(one));
  if (status === undefined || unknown.length === 0) return "No document.";
  const meant = unknown.map((one) => didYouMean(nearest(one, known))).join("");
  return `No document has the status "${quoted(status, 100)}"${meant}; there are: ${someOf(known)}`;
}

/** The most paths of a call; how long an answer may be, in characters (about 3,000 tokens), and in it, the paths of a document. */
const MAX_PATHS = 100, ANSWER_BUDGET = 12_000, PATHS_BUDGET = 500;

export function decisionsFor(documents: DocumentProvider, _: Catalogue, ui?: ToolView): Tool {
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
    checkOutput: false,
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
      const rest = () => nextTurn().then(() => signal.throwIfAborted());
      const { found, guessed } = await inSlices(findApplying(view.catalogue, paths), rest);
      const items = found.sort((left, right) => compare(left.place, right.place));
      const show = ({ document, glob: { pattern }, paths }: (typeof items)[0]) => {
        const { description } = document, notice = noticeOf(view, document);
        const { first, more, list } = shortList(paths);
        const data = { description, notice, matched: pattern, paths: first, morePaths: more };
        return showDocument(view, document, data, `  for ${list} (${pattern})`, description, notice);
      };
      const list = ["decisions_for", textHash(JSON.stringify(paths))] as const;
      const { text, ...value } = showPage(list, cursor, items, ({ place }) => place, show, ANSWER_BUDGET);
      const none = "No document says that it applies to these files; search_documents may find some.";
      const texts = [text || none];
      if (guessed.length === 0) return new ToolResult(texts, { value });
      const guesses = shortList(guessed.map(({ path, as }) => `${path} as ${as}`)).list;
      texts.push(`(Guessed: ${guesses}. Pass paths from the root of the repository to be sure.)`);
      return new ToolResult(texts, { value: { ...value, guessed } });
    },
  });
}

/** The first of some names, how many more there are, and both as a list: "a, b and 3 more". */
function shortList(names: readonly string[]) {
  const first = fitting(names, PATHS_BUDGET, ({ length }) => length);
  const more = names.length - first.length || undefined;
  return { first, more, list: first.join(", ") + (more ? ` and ${more} more` : "") };
}

/** Compiled patterns by their text, because many documents share one; kept while the documents are the same. */
const compiled = new WeakMap<Catalogue, Map<string, Glob>>();

/** The path from the root of the repository; of an absolute path, what follows a folder of documents, or else fits a pattern. */
function* fileAt(path: string, anchored: readonly Glob[], folders: readonly string[]) {
  const whole = toFilePath(path);
  if (!isAbsolute(path)) return { file: whole, isGuess: false };
  const names = whole.split("/");
  const common = folders.map((folder) => folder.split("/"))
    .map((others) => names.findIndex((name, index) => name !== others[index]));
  const shared = Math.max(0, ...common);
  for (const from of [shared, ...names.keys()]) {
    const file = names.slice(from).join("/");
    for (const glob of anchored) {
      if (glob.matches(file)) return { file, isGuess: from > 0 && from !== shared };
      yield;
    }
  }
  return { file: whole, isGuess: false };
}

/** Finds the documents that apply to any of some files. */
function* findApplying(catalogue: Catalogue, paths: readonly string[]) {
  let globs = compiled.get(catalogue);
  if (!globs) {
    const patterns = new Set(catalogue.documents.flatMap(({ appliesTo }) => appliesTo));
    compiled.set(catalogue, globs = new Map(Array.from(patterns, (pattern) => [pattern, toGlob(pattern)])));
  }
  const anchored = [...globs.values()].filter((glob) => glob.isAnchored);
  const folders = [...new Set(catalogue.documents.map(({ within }) => within))].map(toFilePath);
  const files: { path: string; file: string; isGuess: boolean }[] = [];
  for (const path of paths) files.push({ path, ...yield* fileAt(path, anchored, folders) });
  const matching = new Map<string, readonly string[]>();
  for (const [pattern, glob] of globs) {
    const paths: string[] = [];
    for (const { path, file } of files) {
      if (glob.matches(file)) paths.push(path);
      yield;
    }
    if (paths.length > 0) matching.set(pattern, paths);
  }
  const found = catalogue.documents.flatMap((document) => {
    // The most specific of its patterns that match a file.
    const [glob] = document.appliesTo.filter((pattern) => matching.has(pattern))
      .map((pattern) => globs.get(pattern)!).sort((one, other) => other.specificity - one.specificity);
    if (!glob) return [];
    // Sorts what is in force first, then what is more specific, then by key. Numbers are compared as text, so all have six digits.
    const place = [Number(isOver(document)), 999_999 - glob.specificity, document.key].join(" ");
    return [{ document, place, glob, paths: matching.get(glob.pattern)! }];
  });
  return { found, guessed: files.flatMap(({ path, file, isGuess }) => isGuess ? { path, as: file } : []) };
}
