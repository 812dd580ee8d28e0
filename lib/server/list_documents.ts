/** The tool that lists the documents. */

import type { DocumentProvider } from "./document_provider.ts";
import type { Tool } from "./tool.ts";
import { FACTS, facts, line, passes, READ_ONLY, requireCategory } from "./document_facts.ts";
import { defineTool, ToolValidationError } from "./tool.ts";
import { text, ToolResult } from "./tool_result.ts";

/** How many documents are on a page: some 5,000 tokens of lines. */
const PAGE = 100;

/** Defines `list_documents`. */
export function listDocuments(documents: DocumentProvider): Tool {
  return defineTool({
    name: "list_documents",
    title: "List architecture documents",
    description:
      "Lists the team's guidelines, patterns and architecture decision records with their URI, title, status and date. " +
      `Gives ${PAGE} at a time; pass nextCursor as cursor for more. To find documents about a subject, use search_documents.`,
    inputSchema: {
      type: "object",
      properties: {
        category: { type: "string", description: "Only of this category: guidelines, patterns, adr, ..." },
        status: {
          type: "string",
          description: "Only decision records with this status: accepted, superseded, ...",
        },
        cursor: { type: "string", description: "nextCursor of the page before" },
      },
    },
    outputSchema: {
      type: "object",
      properties: {
        documents: {
          type: "array",
          items: {
            type: "object",
            properties: { ...FACTS, description: { type: "string" } },
            required: ["uri", "title", "category"],
          },
        },
        nextCursor: { type: "string", description: "There when there are more" },
        total: { type: "integer", description: "Of all pages together" },
      },
      required: ["documents", "total"],
    },
    annotations: READ_ONLY,
    handler({ category, status, cursor }) {
      const { shelf, scheme } = documents.room;
      requireCategory(category, shelf.catalogue);
      const all = shelf.catalogue.documents.filter((document) => passes(document, category, status));
      const after = cursor === undefined ? "" : readCursor(cursor);
      const rest = all.filter(({ key }) => key > after);
      const page = rest.slice(0, PAGE);
      const nextCursor = rest.length > PAGE ? writeCursor(page.at(-1)!.key) : undefined;
      const lines = page.map((document) => line(document, scheme));
      const more = nextCursor === undefined
        ? []
        : [`(${rest.length - PAGE} more: call list_documents again with cursor "${nextCursor}")`];
      return new ToolResult([text([...(lines.length > 0 ? lines : ["No document."]), ...more].join("\n"))], {
        value: {
          documents: page.map((document) => ({
            ...facts(document, scheme),
            ...(document.description === undefined ? {} : { description: document.description }),
          })),
          ...(nextCursor === undefined ? {} : { nextCursor }),
          total: all.length,
        },
      });
    },
  });
}

/** A cursor is the place after a document; it stays right when others come and go. */
function writeCursor(key: string): string {
  // Keys are encoded, so they are ASCII.
  return btoa(key).replaceAll("=", "");
}

function readCursor(cursor: string): string {
  try {
    const key = atob(cursor);
    if (writeCursor(key) === cursor) return key;
  } catch (cause) {
    if (!(cause instanceof DOMException)) throw cause;
  }
  throw new ToolValidationError("The cursor is not one of list_documents; call it again without one");
}
