/** The tool `decisions_for`: which documents apply to some files. */

import type { Glob } from "../formats/glob.ts";
import type { Tool, ToolView } from "../mcp/server/tool.ts";
import type { Catalogue } from "./catalogue.ts";
import type { DocumentProvider } from "./document_provider.ts";
import { inSlices, nextTurn } from "../base/async.ts";
import { textHash } from "../base/bytes.ts";
import { compare } from "../base/text.ts";
import { isAbsolute, toFilePath, toGlob } from "../formats/glob.ts";
import { ToolResult } from "../mcp/server/content.ts";
import { isOver } from "./records/status.ts";
import {
  documentTool,
  fitting,
  integer,
  listOf,
  METADATA,
  NOTICE,
  noticeOf,
  objectOf,
  showDocument,
  showPage,
  string,
} from "./tool_parts.ts";

/** The maximum number of paths in a call. */
const MAX_PATHS = 100;
/** The maximum length of an answer, in characters: about 3,000 tokens. */
const ANSWER_BUDGET = 12_000;
/** The maximum length of the paths of a document in an answer, in characters. */
const PATHS_BUDGET = 500;

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
    async run({ paths, cursor }, view, { signal }) {
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

/** The first of some names, the number of further ones, and both as text: "a, b and 3 more". */
function shortList(names: readonly string[]) {
  const first = fitting(names, PATHS_BUDGET, ({ length }) => length);
  const more = names.length - first.length || undefined;
  return { first, more, list: first.join(", ") + (more ? ` and ${more} more` : "") };
}

/** Compiled patterns by their text, because many documents share them; cached while the documents are the same. */
const compiled = new WeakMap<Catalogue, Map<string, Glob>>();

/** A path from the root of the repository. Of an absolute path, the part after a folder of documents, else the part that matches. */
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
    // Sorts decisions in force first, then by specificity, then by key. Numbers are compared as text, so all have six digits.
    const place = [Number(isOver(document)), 999_999 - glob.specificity, document.key].join(" ");
    return [{ document, place, glob, paths: matching.get(glob.pattern)! }];
  });
  return { found, guessed: files.flatMap(({ path, file, isGuess }) => isGuess ? { path, as: file } : []) };
}
