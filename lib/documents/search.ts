/** Full-text search over documents: what is indexed of a document, and the tool `search_documents`. */

import type { Field, Heading, Hit, Piece } from "../search/mod.ts";
import type { Tool } from "../server/tool.ts";
import type { Document } from "./catalogue.ts";
import type { DocumentView, Shown } from "./document_tool.ts";
import type { FrontMatter, Section } from "./markdown.ts";
import type { DocumentProvider } from "./provider.ts";
import { DEFAULT_LIMIT, MAX_LIMIT, SearchIndex } from "../search/mod.ts";
import { text } from "../server/tool_result.ts";
import {
  documentFilter,
  documentTool,
  filters,
  integer,
  lines,
  listOf,
  METADATA,
  NOTICE,
  objectOf,
  string,
} from "./document_tool.ts";
import { plain, readMarkdown } from "./markdown.ts";
import { isOver } from "./metadata.ts";

/** Decisions that are no longer in force rank lower. */
const OUTDATED_BOOST = 0.5;

/** Makes an empty index of documents. `text` returns the text of a document, or undefined when it cannot be read. */
export function documentIndex(text: (document: Document) => string | undefined): SearchIndex<Document> {
  return new SearchIndex<Document>({
    size: ({ status }) => status.size,
    text,
    pieces: readPieces,
    boost: (document) => isOver(document) ? OUTDATED_BOOST : 1,
    plain,
  });
}

function* readPieces(document: Document, text = ""): Generator<Piece> {
  const { lines, front, sections } = readMarkdown(text);
  const title = sections.find(({ level, title }) => level === 1 && title !== "");
  for (const [field, value] of metadata(document, front)) {
    const line = title?.line ?? front.bodyLine;
    yield { field, text: value, line, heading: undefined, continues: false };
  }
  let heading: Heading | undefined;
  let next = 0;
  let continues = false;
  for (let line = front.bodyLine; line < lines.length; line++) {
    const section: Section | undefined = sections[next];
    if (section?.line === line) {
      next++;
      continues = false;
      const isTitle = section.level === 1 && section.title === document.title;
      heading = isTitle ? undefined : section;
      // The title is already indexed as metadata.
      if (!isTitle || section !== title) {
        yield { field: "heading", text: section.title, line, heading, continues };
      }
    } else {
      const isBlank = lines[line]!.trim() === "";
      if (!isBlank) yield { field: "body", text: lines[line]!, line, heading, continues };
      continues = !isBlank;
    }
  }
}

function metadata(document: Document, { values }: FrontMatter): [Field, string][] {
  const { record, category, name, title, tags } = document;
  const number = record?.number === undefined ? "" : `${category}-${record.number} `;
  const fields: [Field, string][] = [["title", title], ["name", number + name]];
  if (tags.length > 0) fields.push(["tags", tags.join(", ")]);
  // Any other description is a part of the body.
  const description = values.get("description")?.join(", ");
  if (description !== undefined) fields.push(["description", description]);
  return fields;
}

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
        query: { ...string("Words of the subject, in any language"), minLength: 1, maxLength: 1000 },
        ...filters(documents),
        limit: {
          ...integer(`How many hits at most, ${DEFAULT_LIMIT} unless given`),
          minimum: 1,
          maximum: MAX_LIMIT,
        },
      },
      required: ["query"],
    },
    output: objectOf("hits total", {
      hits: listOf(objectOf("uri title category line excerpt score matched", {
        ...METADATA,
        section: string("What read_document takes as section"),
        line: integer("Counted from 1"),
        excerpt: string(),
        score: { type: "number", description: "Comparable with the other scores only" },
        matched: listOf(string(), "The words that were found, and where"),
        ...NOTICE,
      })),
      total: integer("How many documents match the query"),
      withoutText: integer("How many documents can be found by title and name only, where there are any"),
    }),
    async run({ query, category, status, limit }, view) {
      view.requireCategory(category);
      await index.update(view.catalogue.documents);
      const { hits, total } = await index.search(query, {
        filter: documentFilter({ category, status }),
        limit,
      });
      const shown = hits.map((hit) => showHit(hit, view));
      const more = total - hits.length;
      const withoutText = index.withoutText.length || undefined;
      const answer = lines([
        ...shown.map(({ line }) => line),
        hits.length === 0
          ? "Nothing found. Try other words, or call list_documents for all there is."
          : undefined,
        more > 0 ? `(${more} more: ask more narrowly, or with a higher limit)` : undefined,
        withoutText === undefined
          ? undefined
          : `(${withoutText} documents were searched by title and name only: list_documents names all)`,
      ]);
      return {
        content: [text(answer)],
        value: { hits: shown.map(({ value }) => value), total, withoutText },
      };
    },
  });
}

function showHit(hit: Hit<Document>, view: DocumentView): Shown {
  const { document, section, line, excerpt } = hit;
  const notice = view.notice(document);
  // "retry in title, body"; if another word was found than was asked for, both.
  const matched = hit.matches.map(({ term, found, fields }) => {
    const words = found.includes(term) ? term : `${term} as ${found.join(", ")}`;
    return `${words} in ${fields.join(", ")}`;
  });
  const place = section ? `#${section.slug}, line ${line}` : `line ${line}`;
  const score = Math.round(hit.score * 1000) / 1000;
  const data = { section: section?.slug, line, excerpt, score, matched, notice };
  return view.show(document, data, `${place}: ${excerpt}`, `found: ${matched.join("; ")}`, notice);
}
