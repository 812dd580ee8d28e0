/** The tool that says which documents bear on the files that are being edited. */

import type { Applying } from "./applies_to.ts";
import type { Catalogue } from "./catalogue.ts";
import type { Scheme } from "./uri.ts";
import type { DocumentProvider } from "./provider.ts";
import type { Tool } from "../server/tool.ts";
import { findApplying } from "./applies_to.ts";
import { fingerprint } from "./fingerprint.ts";
import { isOver } from "./record.ts";
import { fromBase64Url, toBase64Url } from "../base/bytes.ts";
import { FACTS, facts, line, READ_ONLY, warning } from "./metadata.ts";
import { defineTool, ToolValidationError } from "../server/tool.ts";
import { text, ToolResult } from "../server/tool_result.ts";

/** The most files that are asked about at once. */
const MAX_PATHS = 100;
/** How much the answer may say, in characters: some 3,000 tokens. */
const BUDGET = 12_000;
/** How much of that the files of one document may take: who asks knows them, and the pattern says which they are. */
const PATHS_BUDGET = 500;

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** Defines `decisions_for`. */
export function decisionsFor(documents: DocumentProvider): Tool {
  return defineTool({
    name: "decisions_for",
    title: "Find the decisions that bear on files",
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
        cursor: { type: "string", description: "nextCursor of the answer before, to the same paths" },
      },
      required: ["paths"],
    },
    outputSchema: {
      type: "object",
      properties: {
        documents: {
          type: "array",
          items: {
            type: "object",
            properties: {
              ...FACTS,
              description: { type: "string" },
              notice: { type: "string", description: "Read this first: the decision holds no more" },
              matched: { type: "string", description: "The pattern of the document that the files match" },
              paths: {
                type: "array",
                items: { type: "string" },
                description: "Those of the files that match it, or the first of them",
              },
              morePaths: {
                type: "integer",
                description: "How many more files match it, where there are any",
              },
            },
            required: ["uri", "title", "matched", "paths"],
          },
        },
        omitted: {
          type: "integer",
          description: "How many more there are, less specific or after these by name",
        },
        nextCursor: { type: "string", description: "There when there are more" },
      },
      required: ["documents", "omitted"],
    },
    annotations: READ_ONLY,
    async handler({ paths, cursor }, { signal }) {
      const { shelf, scheme } = documents.room;
      const { catalogue } = shelf;
      const all = (await findApplying(catalogue, paths, signal)).sort(bySpecificity);
      const files = fingerprint(encoder.encode(JSON.stringify(paths)));
      const rest = all.slice(cursor === undefined ? 0 : readCursor(cursor, all, files));
      const shown: Shown[] = [];
      let spent = 0;
      for (const applying of rest) {
        const next = show(applying, catalogue, scheme);
        spent += next.line.length;
        if (spent > BUDGET && shown.length > 0) break;
        shown.push(next);
      }
      const omitted = rest.length - shown.length;
      const nextCursor = omitted > 0 ? writeCursor(rest[shown.length - 1]!, files) : undefined;
      const lines = shown.map(({ line }) => line);
      if (all.length === 0) {
        lines.push("No document says that it applies to these files; search_documents may find some.");
      }
      if (nextCursor !== undefined) {
        lines.push(
          `(${omitted} more: call decisions_for again with the same paths and cursor "${nextCursor}")`,
        );
      }
      return new ToolResult([text(lines.join("\n"))], {
        value: {
          documents: shown.map(({ value }) => value),
          omitted,
          ...(nextCursor === undefined ? {} : { nextCursor }),
        },
      });
    },
  });
}

/** A document of the answer, as text and as data. */
interface Shown {
  readonly line: string;
  readonly value: Readonly<Record<string, unknown>>;
}

function show({ document, glob, paths }: Applying, catalogue: Catalogue, scheme: Scheme): Shown {
  const { description } = document;
  const notice = warning(document, catalogue, scheme);
  const named = firstPaths(paths);
  const morePaths = paths.length - named.length;
  const files = `${named.join(", ")}${morePaths > 0 ? ` and ${morePaths} more` : ""}`;
  return {
    line: [line(document, scheme), `  for ${files} (${glob.pattern})`, description, notice]
      .filter((part) => part !== undefined).join("\n  "),
    value: {
      ...facts(document, scheme),
      ...(description === undefined ? {} : { description }),
      ...(notice === undefined ? {} : { notice }),
      matched: glob.pattern,
      paths: named,
      ...(morePaths > 0 ? { morePaths } : {}),
    },
  };
}

/** The first of some paths, at least one, as many as fit. */
function firstPaths(paths: readonly string[]): readonly string[] {
  let spent = 0;
  const end = paths.findIndex((path, index) => (spent += path.length) > PATHS_BUDGET && index > 0);
  return end < 0 ? paths : paths.slice(0, end);
}

/** What holds no more comes last; ties in the order of the URIs. */
function bySpecificity(left: Applying, right: Applying): number {
  return Number(isOver(left.document)) - Number(isOver(right.document)) ||
    right.glob.specificity - left.glob.specificity || (left.document.key < right.document.key ? -1 : 1);
}

/**
 * A cursor names the files and the last document of an answer with what it is sorted by; it stays right when other
 * documents come and go.
 */
function writeCursor({ document, glob }: Applying, files: number): string {
  const place = `${Number(isOver(document))} ${glob.specificity}`;
  return toBase64Url(encoder.encode(`decisions_for ${document.key} ${place} ${files}`));
}

/**
 * Where the answer after a cursor begins.
 *
 * @throws {ToolValidationError} When it is none of these files: of others, made up, or the document is gone or another.
 */
function readCursor(cursor: string, all: readonly Applying[], files: number): number {
  // Keys are encoded, so there is no blank in them.
  const [, key] = decoder.decode(fromBase64Url(cursor)).split(" ");
  const last = all.findIndex(({ document }) => document.key === key);
  // Written again, it must be the same: that checks every part of it at once.
  if (last >= 0 && writeCursor(all[last]!, files) === cursor) return last + 1;
  throw new ToolValidationError(
    "The cursor is not one of these paths and of the documents as they are now; call decisions_for again without one",
  );
}
