/** The tool `search_documents`, and what full-text search indexes of a document. */

import type { Tool } from "../server/tool.ts";
import type { DocumentView } from "./document_tool.ts";
import type { DocumentProvider } from "./provider.ts";
import type { Hit } from "../search/mod.ts";
import type { Document } from "./catalogue.ts";
import { documentTool, FILTERS, integer, lines, listOf, METADATA, NOTICE, string } from "./document_tool.ts";
import { DEFAULT_LIMIT, MAX_LIMIT } from "../search/mod.ts";
import { documentFilter, documentIndex } from "./search.ts";

/** Defines the tool. The index is made by the first call, and follows the documents from then on. */
export function searchDocuments(documents: DocumentProvider): Tool {
  const index = documentIndex((document) => documents.store.textOnce(document));
  return documentTool(documents, {
    name: "search_documents",
    title: "Search architecture documents",
    description:
      "Finds the team's guidelines, patterns and decision records that say something about a subject, the best first, each with its " +
      "best section, line and an excerpt. Any word counts; a phrase goes in double quotes; typing errors and beginnings of words are " +
      "forgiven. Decisions no longer in force come late and are marked. Read a hit with read_document, with its uri and section.",
    inputSchema: {
      type: "object",
      properties: {
        query: {
          type: "string",
          minLength: 1,
          maxLength: 1000,
          description: "Words of the subject, in any language",
        },
        ...FILTERS,
        limit: {
          type: "integer",
          minimum: 1,
          maximum: MAX_LIMIT,
          description: `How many hits at most, ${DEFAULT_LIMIT} unless given`,
        },
      },
      required: ["query"],
    },
    output: {
      properties: {
        hits: listOf("uri title category line excerpt score matched", {
          ...METADATA,
          section: string("What read_document takes as section"),
          line: integer("Counted from 1"),
          excerpt: { type: "string" },
          score: { type: "number", description: "Comparable with the other scores only" },
          matched: {
            type: "array",
            items: { type: "string" },
            description: "The words that were found, and where",
          },
          ...NOTICE,
        }),
        total: integer("How many documents match the query"),
        withoutText: integer("How many documents can be found by title and name only, where there are any"),
      },
      required: ["hits", "total"],
    },
    async run({ query, category, status, limit }, view) {
      view.requireCategory(category);
      await index.update(view.catalogue.documents);
      const { hits, total } = await index.search(query, {
        filter: documentFilter({ category, status }),
        limit,
      });
      const shown = hits.map((hit) => showHit(hit, view));
      const more = total - hits.length;
      const withoutText = index.withoutText.length;
      return {
        text: lines([
          ...shown.map(({ line }) => line),
          shown.length > 0
            ? undefined
            : "Nothing found. Try other words, or call list_documents for all there is.",
          more > 0 ? `(${more} more: ask more narrowly, or with a higher limit)` : undefined,
          withoutText > 0
            ? `(${withoutText} documents were searched by title and name only: list_documents names all)`
            : undefined,
        ]),
        value: { hits: shown.map(({ value }) => value), total, withoutText: withoutText || undefined },
      };
    },
  });
}

function showHit(hit: Hit<Document>, view: DocumentView): { line: string; value: object } {
  const { document, section, line, excerpt, score } = hit;
  const notice = view.notice(document);
  // "retry in title, body"; if another word was found than was asked for, both.
  const matched = hit.matches.map(({ term, found, fields }) => {
    const words = found.includes(term) ? term : `${term} as ${found.join(", ")}`;
    return `${words} in ${fields.join(", ")}`;
  });
  const place = section ? `#${section.slug}, line ${line}` : `line ${line}`;
  return {
    line: view.lines(document, `${place}: ${excerpt}`, `found: ${matched.join("; ")}`, notice),
    value: view.data(document, {
      section: section?.slug,
      line,
      excerpt,
      score: Math.round(score * 1000) / 1000,
      matched,
      notice,
    }),
  };
}
