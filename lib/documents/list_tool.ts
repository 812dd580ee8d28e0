/** The tool `list_documents`. */

import type { Tool, ToolView } from "../mcp/server/tool.ts";
import type { Catalogue } from "./catalogue.ts";
import type { Document } from "./document.ts";
import type { DocumentProvider } from "./document_provider.ts";
import { nearest } from "../base/nearest.ts";
import { didYouMean, quoted } from "../base/text.ts";
import { ToolResult } from "../mcp/server/content.ts";
import {
  documentTool,
  filterBy,
  filters,
  integer,
  knownStatuses,
  listOf,
  METADATA,
  objectOf,
  PAGE_SIZE,
  showDocument,
  showPage,
  someOf,
  statusesOf,
  string,
  SUCCESSORS,
  successorsOf,
} from "./tool_parts.ts";

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
    _meta: {
      "anthropic/alwaysLoad": false,
      "anthropic/searchHint":
        "list of all ADRs, architecture decision records, guidelines and patterns, with status",
    },
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
        const { description, record } = document;
        const supersededBy = record && successorsOf(view, document).uris;
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

/** The text for an empty list. It suggests a status for an unknown one. */
function noneOf({ documents }: Catalogue, status: string | undefined): string {
  const known = knownStatuses(documents);
  const unknown = status === undefined ? [] : statusesOf(status).filter((one) => !known.includes(one));
  if (status === undefined || unknown.length === 0) return "No document.";
  const meant = unknown.map((one) => didYouMean(nearest(one, known))).join("");
  return `No document has the status "${quoted(status, 100)}"${meant}; there are: ${someOf(known)}`;
}
