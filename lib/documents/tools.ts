/** The tools over documents, for models that cannot read resources. */

import type { Glob } from "../base/glob.ts";
import type { Tool } from "../server/tool.ts";
import type { Catalogue, Document } from "./catalogue.ts";
import type { DocumentView } from "./document_tool.ts";
import type { DocumentProvider } from "./provider.ts";
import { inSlices } from "../base/async.ts";
import { hash } from "../base/bytes.ts";
import { toFilePath, toGlob } from "../base/glob.ts";
import {
  documentTool,
  FILTERS,
  integer,
  lines,
  listOf,
  METADATA,
  NOTICE,
  pageOf,
  string,
} from "./document_tool.ts";
import { readDocument } from "./read_document.ts";
import { currentStatus, isOver } from "./metadata.ts";
import { searchDocuments } from "./search_documents.ts";

/** Defines all of them, in the order of their names. */
export function defineTools(documents: DocumentProvider): readonly Tool[] {
  return [decisionsFor, listDocuments, readDocument, searchDocuments].map((define) => define(documents));
}

/** How many documents are on a page: about 5,000 tokens of lines. */
const PAGE_SIZE = 100;

function listDocuments(documents: DocumentProvider): Tool {
  return documentTool(documents, {
    name: "list_documents",
    title: "List architecture documents",
    description:
      "Lists the team's guidelines, patterns and architecture decision records with their URI, title, status and date. " +
      `Gives ${PAGE_SIZE} at a time; pass nextCursor as cursor for more. To find documents about a subject, use search_documents.`,
    inputSchema: {
      type: "object",
      properties: { ...FILTERS, cursor: string("nextCursor of the page before") },
    },
    output: {
      properties: {
        documents: listOf("uri title category", { ...METADATA, description: { type: "string" } }),
        nextCursor: string("There when there are more"),
        total: integer("Of all pages together"),
      },
      required: ["documents", "total"],
    },
    run({ category, status, cursor }, view) {
      view.requireCategory(category);
      const wanted = status?.toLowerCase();
      const items = view.catalogue.documents.filter((document) =>
        (category === undefined || document.category === category) &&
        (wanted === undefined || currentStatus(document) === wanted)
      );
      const list = ["list_documents", category, wanted] as const;
      const { page, omitted, nextCursor } = pageOf(list, cursor, items, ({ key }) => key, () => PAGE_SIZE);
      return {
        text: lines([
          ...page.map((document) => view.lines(document)),
          page.length === 0 ? "No document." : undefined,
          nextCursor && `(${omitted} more: call list_documents again with cursor "${nextCursor}")`,
        ]),
        value: {
          documents: page.map((document) => view.data(document, { description: document.description })),
          nextCursor,
          total: items.length,
        },
      };
    },
  });
}

/** The most files that are asked about at once. */
const MAX_PATHS = 100;
/** How much the answer of `decisions_for` may say, in characters: about 3,000 tokens. */
const ANSWER_BUDGET = 12_000;
/** How much of that the paths of one document may take; the caller knows them. */
const PATHS_BUDGET = 500;

function decisionsFor(documents: DocumentProvider): Tool {
  return documentTool(documents, {
    name: "decisions_for",
    title: "Find the decisions for files",
    description:
      "Names the team's decisions, patterns and guidelines that apply to the files you are about to create or change, the most " +
      "specific first. Call it before you edit, with paths from the root of the repository, and read what it names. " +
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
    output: {
      properties: {
        documents: listOf("uri title matched paths", {
          ...METADATA,
          description: { type: "string" },
          ...NOTICE,
          matched: string("The pattern of the document that the files match"),
          paths: {
            type: "array",
            items: { type: "string" },
            description: "Those of the files that match it, or the first of them",
          },
          morePaths: integer("How many more files match it, where there are any"),
        }),
        omitted: integer("How many more there are, less specific or after these by name"),
        nextCursor: string("There when there are more"),
      },
      required: ["documents", "omitted"],
    },
    async run({ paths, cursor }, view, { signal }) {
      const items = (await inSlices(findApplying(view.catalogue, paths, signal))).sort((left, right) =>
        Number(isOver(left.document)) - Number(isOver(right.document)) ||
        right.glob.specificity - left.glob.specificity || (left.document.key < right.document.key ? -1 : 1)
      );
      const shown = new Map<Applying, { line: string; value: object }>();
      const { page, omitted, nextCursor } = pageOf(
        ["decisions_for", hash(new TextEncoder().encode(JSON.stringify(paths)))],
        cursor,
        items,
        ({ document, glob }) => `${document.key} ${Number(isOver(document))} ${glob.specificity}`,
        (items) => {
          let spent = 0;
          const end = items.findIndex((item, index) => {
            const one = showApplying(item, view);
            shown.set(item, one);
            return (spent += one.line.length) > ANSWER_BUDGET && index > 0;
          });
          return end < 0 ? items.length : end;
        },
      );
      return {
        text: lines([
          ...page.map((item) => shown.get(item)!.line),
          items.length === 0
            ? "No document says that it applies to these files; search_documents may find some."
            : undefined,
          nextCursor &&
          `(${omitted} more: call decisions_for again with the same paths and cursor "${nextCursor}")`,
        ]),
        value: { documents: page.map((item) => shown.get(item)!.value), omitted, nextCursor },
      };
    },
  });
}

/** A document that applies to some of the files. */
interface Applying {
  readonly document: Document;
  /** Its most specific pattern that matches any of them. */
  readonly glob: Glob;
  /** The files that match it, as they were written. */
  readonly paths: readonly string[];
}

function showApplying(
  { document, glob, paths }: Applying,
  view: DocumentView,
): { line: string; value: object } {
  const { description } = document;
  const notice = view.notice(document);
  let spent = 0;
  const end = paths.findIndex((path, index) => (spent += path.length) > PATHS_BUDGET && index > 0);
  const named = end < 0 ? paths : paths.slice(0, end);
  const morePaths = paths.length - named.length || undefined;
  const files = `${named.join(", ")}${morePaths ? ` and ${morePaths} more` : ""}`;
  return {
    line: view.lines(document, `  for ${files} (${glob.pattern})`, description, notice),
    value: view.data(document, { description, notice, matched: glob.pattern, paths: named, morePaths }),
  };
}

/** Compiled patterns by their text, because many documents share one; kept while the documents are the same. */
const compiled = new WeakMap<Catalogue, Map<string, Glob>>();

/** Finds the documents that apply to any of some files. Throws the reason of the signal soon after it is aborted. */
function* findApplying(
  catalogue: Catalogue,
  paths: readonly string[],
  signal: AbortSignal,
): Generator<void, Applying[]> {
  const globs = compiled.get(catalogue) ?? new Map<string, Glob>();
  compiled.set(catalogue, globs);
  const normal = paths.map(toFilePath);
  const matching = new Map<Glob, readonly string[]>();
  const found: Applying[] = [];
  for (const document of catalogue.documents) {
    let best: Applying | undefined;
    for (const pattern of document.appliesTo) {
      const glob = globs.get(pattern) ?? toGlob(pattern);
      globs.set(pattern, glob);
      if (best && glob.specificity <= best.glob.specificity) continue;
      let matches = matching.get(glob);
      if (!matches) {
        const fits: string[] = [];
        for (const [index, path] of normal.entries()) {
          signal.throwIfAborted();
          if (glob.matches(path)) fits.push(paths[index]!);
          yield;
        }
        matching.set(glob, matches = fits);
      }
      if (matches.length > 0) best = { document, glob, paths: matches };
    }
    if (best) found.push(best);
    yield;
  }
  return found;
}
