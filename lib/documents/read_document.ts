/** The tool that reads a document, or a part of it that fits the budget of a model. */

import type { Document } from "./catalogue.ts";
import type { DocumentProvider } from "./provider.ts";
import type { Outline } from "./outline.ts";
import type { Tool } from "../server/tool.ts";
import { shorten } from "./describe.ts";
import { standing } from "./record.ts";
import { sectionText } from "./sections.ts";
import { toUri } from "./uri.ts";
import { FACTS, facts, line, READ_ONLY, warning } from "./metadata.ts";
import { quoted } from "../base/text.ts";
import { moreHeadings, outlineOf } from "./outline.ts";
import { defineTool, ToolValidationError } from "../server/tool.ts";
import { text, ToolResult } from "../server/tool_result.ts";

/** How much is read unless it is said otherwise, in bytes: some 5,000 tokens, below what any client cuts. */
const DEFAULT_LIMIT = 20_000;
/** The most that is read at once, in bytes. */
const MAX_LIMIT = 200_000;

interface Part {
  readonly text: string;
  readonly nextOffset: number | undefined;
  readonly size: number;
}

/** Defines `read_document`. */
export function readDocument(documents: DocumentProvider): Tool {
  return defineTool({
    name: "read_document",
    title: "Read an architecture document",
    description:
      "Reads one document of the team by its URI, such as architecture://guidelines/naming or architecture://adr/7 (a decision " +
      `record by its number). Gives at most limit bytes (${DEFAULT_LIMIT} unless given) and an outline; pass nextOffset as ` +
      "offset for what follows, or section for one section of the outline.",
    inputSchema: {
      type: "object",
      properties: {
        uri: { type: "string", description: "From list_documents, search_documents, or another document" },
        section: { type: "string", description: "The slug of one section, as the outline has it" },
        offset: { type: "integer", minimum: 0, description: "Where to begin, in bytes of UTF-8" },
        limit: {
          type: "integer",
          minimum: 4,
          maximum: MAX_LIMIT,
          description: "How much to read, in bytes of UTF-8",
        },
      },
      required: ["uri"],
    },
    outputSchema: {
      type: "object",
      properties: {
        notice: { type: "string", description: "Read this first: the decision holds no more" },
        ...FACTS,
        text: { type: "string" },
        offset: { type: "integer", description: "Where text begins, in bytes of UTF-8" },
        nextOffset: { type: "integer", description: "There when there is more" },
        size: { type: "integer", description: "Of the whole document or section, in bytes of UTF-8" },
        outline: {
          type: "array",
          items: {
            type: "object",
            properties: {
              level: { type: "integer" },
              title: { type: "string" },
              section: { type: "string" },
              line: { type: "integer" },
            },
            required: ["level", "title", "section", "line"],
          },
        },
        omittedHeadings: {
          type: "integer",
          description:
            "How many headings the outline leaves out, where it does; read with its last section, it begins there",
        },
      },
      required: ["uri", "title", "text", "offset", "size", "outline"],
    },
    annotations: READ_ONLY,
    async handler({ uri, section, offset = 0, limit = DEFAULT_LIMIT }) {
      const { shelf, scheme } = documents.room;
      const { document, fragment } = find(documents, uri);
      await shelf.settled(document);
      const whole = shelf.text(document);
      if (whole === undefined) throw unknown(uri);
      const slug = section ?? fragment;
      const chosen = slug === undefined ? whole : sectionText(whole, slug);
      if (chosen === undefined) throw unknownSection(uri, slug!, whole);
      const part = cut(chosen, offset, limit);
      const notice = warning(document, shelf.catalogue, scheme);
      const outline = outlineOf(whole, slug);
      const omitted = outline.total - outline.headings.length;
      const named = slug === undefined
        ? toUri(document.key, scheme)
        : `${toUri(document.key, scheme)}#${slug}`;
      return new ToolResult(toText(document, notice, outline, part, offset, named), {
        value: {
          ...(notice === undefined ? {} : { notice }),
          ...facts(document, scheme),
          text: part.text,
          offset,
          ...(part.nextOffset === undefined ? {} : { nextOffset: part.nextOffset }),
          size: part.size,
          outline: outline.headings,
          ...(omitted === 0 ? {} : { omittedHeadings: omitted }),
        },
      });
    },
  });
}

function find(
  documents: DocumentProvider,
  uri: string,
): { document: Document; fragment: string | undefined } {
  const { shelf, scheme } = documents.room;
  const found = shelf.catalogue.find(uri);
  if (found.kind === "none") throw unknown(uri);
  if (found.kind === "document") return { document: found.document, fragment: found.address.section };
  const candidates = found.candidates.map((document) => line(document, scheme)).join("\n");
  throw new ToolValidationError(`${quoted(uri, 300)} names more than one document:\n${candidates}`);
}

function unknown(uri: string): ToolValidationError {
  return new ToolValidationError(
    `There is no document ${quoted(uri, 300)}; list_documents lists all, search_documents finds some`,
  );
}

function unknownSection(uri: string, slug: string, whole: string): ToolValidationError {
  const { headings, total } = outlineOf(whole, undefined);
  const which = headings.length === total
    ? "its outline says which it has"
    : `it has ${total}: read it without a section for an outline that begins with the first ${headings.length}`;
  return new ToolValidationError(`${quoted(uri, 300)} has no section "${quoted(slug, 100)}"; ${which}`);
}

/**
 * A part of a text, cut where a character ends.
 *
 * @throws {ToolValidationError} When the offset is none.
 */
function cut(whole: string, offset: number, limit: number): Part {
  const bytes = new TextEncoder().encode(whole);
  if (offset > bytes.length || isInside(bytes, offset)) {
    throw new ToolValidationError(
      `There is no character at offset ${offset} of ${bytes.length} bytes; use nextOffset`,
    );
  }
  let end = Math.min(offset + limit, bytes.length);
  while (isInside(bytes, end)) end--;
  return {
    text: new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes.subarray(offset, end)),
    nextOffset: end < bytes.length ? end : undefined,
    size: bytes.length,
  };
}

/** Whether a place is in the middle of a character. */
function isInside(bytes: Uint8Array, place: number): boolean {
  return place < bytes.length && (bytes[place]! & 0xc0) === 0x80;
}

/** What comes before the text, the text as it is in a block of its own, and how to read on. */
function toText(
  document: Document,
  notice: string | undefined,
  outline: Outline,
  { text: body, nextOffset, size }: Part,
  offset: number,
  uri: string,
) {
  const isWhole = offset === 0 && nextOffset === undefined;
  const status = standing(document);
  const marked = `${shorten(document.title)}${status === undefined ? "" : ` (${shorten(status)})`}`;
  const sections = outline.headings.map(({ section }) => section);
  const head = [
    notice,
    `${uri} - ${marked}, ${size} bytes`,
    sections.length === 0 ? undefined : `Sections: ${sections.join(", ")}`,
    moreHeadings(outline),
  ].filter((line) => line !== undefined);
  const more = isWhole ? [] : [text(
    nextOffset === undefined
      ? `(bytes ${offset} to ${size} of ${size}: this is the end)`
      : `(bytes ${offset} to ${nextOffset} of ${size}: call read_document again with offset ${nextOffset})`,
  )];
  return [text(head.join("\n")), text(body), ...more];
}
