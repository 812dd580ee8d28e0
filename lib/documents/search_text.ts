/** What of a document can be found, and how much does it count? Its fields, in the order of the text. */

import type { Document } from "./catalogue.ts";
import type { FrontMatter } from "./markdown.ts";
import type { Section } from "./markdown.ts";
import { readFrontMatter, readSections, toLines } from "./markdown.ts";

/**
 * As much of a document as is indexed, in UTF-16 units. That is a book of a hundred pages; what is longer is nearly
 * always generated, and would drown the rest.
 */
export const MAX_DOCUMENT_UNITS: number = 256 * 1024;

/** Where a word can stand in a document. "name" is the name of its file, with the number of a record. */
export type Field = "title" | "name" | "tags" | "description" | "heading" | "body";

/** How much a word counts in each field, where it counts 1 in the body. */
export const FIELD_WEIGHT: Readonly<Record<Field, number>> = {
  title: 4,
  name: 1,
  tags: 2,
  description: 1,
  heading: 2,
  body: 1,
};

/** A line of a document, or what stands for one. */
export interface Piece {
  readonly field: Field;
  readonly text: string;
  /** Where it stands, counted from 0. */
  readonly line: number;
  /** The nearest heading above it, or this heading itself. */
  readonly section: Section | undefined;
  /** Whether it goes on with what the piece before it says. */
  readonly goesOn: boolean;
}

/** Reads the fields of a document; without a text, those that the catalogue knows. */
export function* readPieces(document: Document, text: string | undefined): Generator<Piece> {
  const lines = toLines((text ?? "").slice(0, MAX_DOCUMENT_UNITS));
  const front = readFrontMatter(lines);
  const sections = readSections(lines, front.bodyLine);
  const heading = sections.find(({ level, title }) => level === 1 && title !== "");
  for (const [field, said] of headFields(document, front)) {
    yield { field, text: said, line: heading?.line ?? front.bodyLine, section: undefined, goesOn: false };
  }
  let section: Section | undefined;
  let following = 0;
  let goesOn = false;
  for (let index = front.bodyLine; index < lines.length; index++) {
    const line = lines[index]!;
    if (sections[following]?.line === index) {
      section = sections[following++];
      goesOn = false;
      // The title has been read.
      if (section === heading && section?.title === document.title) continue;
      yield { field: "heading", text: section!.title, line: index, section, goesOn };
    } else {
      const isGap = line.trim() === "";
      if (!isGap) yield { field: "body", text: line, line: index, section, goesOn };
      goesOn = !isGap;
    }
  }
}

/** What is said of a document before its first line. */
function headFields(document: Document, { values }: FrontMatter): [Field, string][] {
  const { record, category, name, title, tags } = document;
  const number = record?.number === undefined ? "" : `${category}-${record.number} `;
  const fields: [Field, string][] = [["title", title], ["name", number + name]];
  if (tags.length > 0) fields.push(["tags", tags.join(", ")]);
  // Any other description is a part of the body.
  const description = values.get("description")?.join(", ");
  if (description !== undefined) fields.push(["description", description]);
  return fields;
}
