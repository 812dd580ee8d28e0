/** The tool that lists the documents. */

import type { Document } from "./catalogue.ts";
import type { DocumentProvider } from "./provider.ts";
import type { Tool } from "../server/tool.ts";
import { fromBase64Url, toBase64Url } from "../base/bytes.ts";
import { FACTS, facts, line, passes, READ_ONLY, requireCategory } from "./metadata.ts";
import { defineTool, ToolValidationError } from "../server/tool.ts";
import { text, ToolResult } from "../server/tool_result.ts";

/** How many documents are on a page: some 5,000 tokens of lines. */
const PAGE = 100;

const encoder = new TextEncoder();
const decoder = new TextDecoder();

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
      const filter = { category, status };
      const rest = all.slice(cursor === undefined ? 0 : readCursor(cursor, all, filter));
      const page = rest.slice(0, PAGE);
      const nextCursor = rest.length > PAGE ? writeCursor(page.at(-1)!.key, filter) : undefined;
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

/** What a list is of. */
interface Filter {
  readonly category: string | undefined;
  readonly status: string | undefined;
}

/** A cursor names the list and the last document of a page; it stays right when others come and go. */
function writeCursor(key: string, { category = "", status = "" }: Filter): string {
  return toBase64Url(encoder.encode(`list_documents ${key} ${category} ${status.toLowerCase()}`));
}

/**
 * Where the page after a cursor begins.
 *
 * @throws {ToolValidationError} When it is none of this list: of another one, made up, or the document is gone.
 */
function readCursor(cursor: string, all: readonly Document[], filter: Filter): number {
  // Keys are encoded, so there is no blank in them.
  const [, key = ""] = decoder.decode(fromBase64Url(cursor)).split(" ");
  const last = all.findIndex((document) => document.key === key);
  // Written again, it must be the same: that checks every part of it at once.
  if (last >= 0 && writeCursor(key, filter) === cursor) return last + 1;
  throw new ToolValidationError(
    "The cursor is not one of this list as it is now; call list_documents again without one",
  );
}
