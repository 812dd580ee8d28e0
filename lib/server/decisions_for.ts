/** The tool that says which documents bear on the files that are being edited. */

import type { Document } from "../documents/catalogue.ts";
import type { Glob } from "../documents/glob.ts";
import type { DocumentProvider } from "./document_provider.ts";
import type { Tool } from "./tool.ts";
import { toGlob } from "../documents/glob.ts";
import { FACTS, facts, isOver, line, READ_ONLY, warning } from "./document_facts.ts";
import { defineTool } from "./tool.ts";
import { text, ToolResult } from "./tool_result.ts";

/** The most files that are asked about at once. */
const MAX_PATHS = 100;
/** How much the answer may say, in characters: some 3,000 tokens. */
const BUDGET = 12_000;

interface Match {
  readonly document: Document;
  readonly glob: Glob;
  readonly paths: readonly string[];
}

/** Patterns are compiled once for each document; a document that changes is another object. */
const compiled = new WeakMap<Document, readonly Glob[]>();

/** Defines `decisions_for`. */
export function decisionsFor(documents: DocumentProvider): Tool {
  return defineTool({
    name: "decisions_for",
    title: "Find the decisions that bear on files",
    description:
      "Names the team's decisions, patterns and guidelines that apply to the files you are about to create or change, the most " +
      "specific first. Call it before you edit, with paths from the root of the repository, and read what it names.",
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
                description: "Those of the files that match it",
              },
            },
            required: ["uri", "title", "matched", "paths"],
          },
        },
        omitted: { type: "integer", description: "How many more there are that would not fit" },
      },
      required: ["documents", "omitted"],
    },
    annotations: READ_ONLY,
    handler({ paths }) {
      const { shelf, scheme } = documents.room;
      const { catalogue } = shelf;
      const matches = catalogue.documents.flatMap((document) => match(document, paths)).sort(bySpecificity);
      const shown: { line: string; value: Record<string, unknown> }[] = [];
      let spent = 0;
      for (const { document, glob, paths } of matches) {
        const notice = warning(document, catalogue, scheme);
        const about = [
          line(document, scheme),
          `  for ${paths.join(", ")} (${glob.pattern})`,
          document.description,
          notice,
        ]
          .filter((part) => part !== undefined).join("\n  ");
        spent += about.length;
        if (spent > BUDGET && shown.length > 0) break;
        shown.push({
          line: about,
          value: {
            ...facts(document, scheme),
            ...(document.description === undefined ? {} : { description: document.description }),
            ...(notice === undefined ? {} : { notice }),
            matched: glob.pattern,
            paths,
          },
        });
      }
      const omitted = matches.length - shown.length;
      const lines = shown.map(({ line }) => line);
      if (lines.length === 0) {
        lines.push("No document says that it applies to these files; search_documents may find some.");
      }
      if (omitted > 0) lines.push(`(${omitted} more that are less specific: ask for fewer files)`);
      return new ToolResult([text(lines.join("\n"))], {
        value: { documents: shown.map(({ value }) => value), omitted },
      });
    },
  });
}

/** The most specific pattern of a document that any of the files matches. */
function match(document: Document, paths: readonly string[]): Match[] {
  let globs = compiled.get(document);
  if (!globs) compiled.set(document, globs = document.appliesTo.map(toGlob));
  let best: Match | undefined;
  for (const glob of globs) {
    if (best && glob.specificity <= best.glob.specificity) continue;
    const matching = paths.filter((path) => glob.matches(path));
    if (matching.length > 0) best = { document, glob, paths: matching };
  }
  return best ? [best] : [];
}

/** What holds no more comes last; ties in the order of the URIs. */
function bySpecificity(left: Match, right: Match): number {
  return Number(isOver(left.document)) - Number(isOver(right.document)) ||
    right.glob.specificity - left.glob.specificity || (left.document.key < right.document.key ? -1 : 1);
}
