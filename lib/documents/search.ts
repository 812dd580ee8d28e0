/** What full-text search indexes of a document: its metadata, headings and lines. */

import type { Document } from "./catalogue.ts";
import type { Field, Heading, Piece } from "../search/mod.ts";
import type { FrontMatter, Section } from "./markdown.ts";
import { SearchIndex } from "../search/mod.ts";
import { plain, readFrontMatter, readSections, toLines } from "./markdown.ts";
import { currentStatus, isOver } from "./metadata.ts";

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

/** Filters documents by category, and by the effective status of a decision in any case; undefined allows all. */
export function documentFilter(
  { category, status }: { readonly category?: string | undefined; readonly status?: string | undefined },
): (document: Document) => boolean {
  const wanted = status?.toLowerCase();
  return (document) =>
    (category === undefined || document.category === category) &&
    (wanted === undefined || currentStatus(document) === wanted);
}

function* readPieces(document: Document, text = ""): Generator<Piece> {
  const lines = toLines(text);
  const front = readFrontMatter(lines);
  const sections = readSections(lines, front.bodyLine);
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
