/** The tool that finds documents. */

import type { Hit } from "./search.ts";
import type { Scheme } from "./uri.ts";
import type { DocumentProvider } from "./provider.ts";
import type { Tool } from "../server/tool.ts";
import { DEFAULT_LIMIT, MAX_LIMIT, SearchIndex } from "./search.ts";
import { FACTS, facts, line, READ_ONLY, requireCategory, warning } from "./metadata.ts";
import { defineTool } from "../server/tool.ts";
import { text, ToolResult } from "../server/tool_result.ts";

/** Defines `search_documents`. The index is made when it is first called, and follows the documents from then on. */
export function searchDocuments(documents: DocumentProvider): Tool {
  const index = new SearchIndex((document) => documents.room.shelf.textOnce(document));
  return defineTool({
    name: "search_documents",
    title: "Search architecture documents",
    description:
      "Finds the team's guidelines, patterns and decision records that say something about a subject, the best first, each with its " +
      "best section, line and an excerpt. Any word counts; a phrase goes in double quotes; typing errors and beginnings of words are " +
      "forgiven. Decisions that hold no more come late and are marked. Read a hit with read_document, with its uri and section.",
    inputSchema: {
      type: "object",
      properties: {
        query: {
          type: "string",
          minLength: 1,
          maxLength: 1000,
          description: "Words of the subject, in any language",
        },
        category: { type: "string", description: "Only of this category: guidelines, patterns, adr, ..." },
        status: {
          type: "string",
          description: "Only decision records with this status: accepted, superseded, ...",
        },
        limit: {
          type: "integer",
          minimum: 1,
          maximum: MAX_LIMIT,
          description: `How many hits at most, ${DEFAULT_LIMIT} unless given`,
        },
      },
      required: ["query"],
    },
    outputSchema: {
      type: "object",
      properties: {
        hits: {
          type: "array",
          items: {
            type: "object",
            properties: {
              ...FACTS,
              section: { type: "string", description: "What read_document takes as section" },
              line: { type: "integer", description: "Counted from 1" },
              excerpt: { type: "string" },
              score: { type: "number", description: "Says something only beside the other scores" },
              matched: {
                type: "array",
                items: { type: "string" },
                description: "The words that were found, and where",
              },
              notice: { type: "string", description: "Read this first: the decision holds no more" },
            },
            required: ["uri", "title", "category", "line", "excerpt", "score", "matched"],
          },
        },
        total: { type: "integer", description: "How many documents answer the query at all" },
        withoutText: {
          type: "integer",
          description: "How many documents can be found by title and name only, where there are any",
        },
      },
      required: ["hits", "total"],
    },
    annotations: READ_ONLY,
    async handler({ query, category, status, limit }) {
      const { shelf, scheme } = documents.room;
      const { catalogue } = shelf;
      requireCategory(category, catalogue);
      await index.update(catalogue);
      const { hits, total } = await index.search(query, { category, status, limit });
      const notices = hits.map((hit) => warning(hit.document, catalogue, scheme));
      const shown = hits.map((hit, place) => ({ ...toData(hit, scheme), ...noticeOf(notices[place]) }));
      const lines = hits.map((hit, place) => toText(hit, notices[place], scheme));
      if (lines.length === 0) {
        lines.push("Nothing found. Try other words, or call list_documents for all there is.");
      }
      if (total > hits.length) {
        lines.push(`(${total - hits.length} more: ask more narrowly, or with a higher limit)`);
      }
      const withoutText = index.withoutText.length;
      if (withoutText > 0) {
        lines.push(
          `(${withoutText} documents were searched by title and name only: list_documents names all)`,
        );
      }
      return new ToolResult([text(lines.join("\n"))], {
        value: { hits: shown, total, ...(withoutText > 0 ? { withoutText } : {}) },
      });
    },
  });
}

function toData(hit: Hit, scheme: Scheme): Record<string, unknown> {
  return {
    ...facts(hit.document, scheme),
    ...(hit.section ? { section: hit.section.slug } : {}),
    line: hit.line,
    excerpt: hit.excerpt,
    score: Math.round(hit.score * 1000) / 1000,
    matched: whyFound(hit),
  };
}

function noticeOf(notice: string | undefined): { notice?: string } {
  return notice === undefined ? {} : { notice };
}

/** "retry in title, body"; where another word was found than was asked for, both. */
function whyFound({ reasons }: Hit): string[] {
  return reasons.map(({ asked, found, fields }) => {
    const words = found.includes(asked) ? asked : `${asked} as ${found.join(", ")}`;
    return `${words} in ${fields.join(", ")}`;
  });
}

function toText(hit: Hit, notice: string | undefined, scheme: Scheme): string {
  const place = hit.section ? `#${hit.section.slug}, line ${hit.line}` : `line ${hit.line}`;
  return [
    line(hit.document, scheme),
    `${place}: ${hit.excerpt}`,
    `found: ${whyFound(hit).join("; ")}`,
    notice,
  ]
    .filter((part) => part !== undefined).join("\n  ");
}
