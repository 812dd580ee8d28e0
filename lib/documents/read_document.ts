/** The tool `read_document`: a document, or a part of it that fits the budget of a model, with an outline. */

import type { Tool } from "../server/tool.ts";
import type { Section } from "./markdown.ts";
import type { DocumentProvider } from "./provider.ts";
import { quoted } from "../base/text.ts";
import { ToolValidationError } from "../server/tool.ts";
import { text as block } from "../server/tool_result.ts";
import { documentTool, integer, lines, listOf, METADATA, NOTICE, string } from "./document_tool.ts";
import { readFrontMatter, readSections, sectionText, toLines } from "./markdown.ts";
import { shorten } from "./metadata.ts";
import { currentStatus } from "./metadata.ts";

/** How much is read by default, in bytes: about 5,000 tokens, below what any client cuts. */
const DEFAULT_LIMIT = 20_000;
/** The most that is read at once, in bytes. */
const MAX_LIMIT = 200_000;

/** Defines the tool. */
export function readDocument(documents: DocumentProvider): Tool {
  return documentTool(documents, {
    name: "read_document",
    title: "Read an architecture document",
    description:
      "Reads one document of the team by its URI, such as architecture://guidelines/naming or architecture://adr/7 (a decision " +
      `record by its number). Gives at most limit bytes (${DEFAULT_LIMIT} unless given) and an outline; pass nextOffset as ` +
      "offset for what follows, or section for one section of the outline.",
    inputSchema: {
      type: "object",
      properties: {
        uri: string("From list_documents, search_documents, or another document"),
        section: string("The slug of one section, as the outline has it"),
        offset: { ...integer("Where to begin, in bytes of UTF-8"), minimum: 0 },
        limit: { ...integer("How much to read, in bytes of UTF-8"), minimum: 4, maximum: MAX_LIMIT },
      },
      required: ["uri"],
    },
    output: {
      properties: {
        ...NOTICE,
        ...METADATA,
        text: { type: "string" },
        offset: integer("Where text begins, in bytes of UTF-8"),
        nextOffset: integer("There when there is more"),
        size: integer("Of the whole document or section, in bytes of UTF-8"),
        outline: listOf("level title section line", {
          level: { type: "integer" },
          title: { type: "string" },
          section: { type: "string" },
          line: { type: "integer" },
        }),
        omittedHeadings: integer(
          "How many headings the outline leaves out; read with its last section, it begins there",
        ),
      },
      required: ["uri", "title", "text", "offset", "size", "outline"],
    },
    async run({ uri, section, offset = 0, limit = DEFAULT_LIMIT }, view) {
      const { documents: [document, ...others], address } = view.catalogue.find(uri);
      if (!document) throw unknown(uri);
      if (others.length > 0) {
        const candidates = [document, ...others].map((one) => view.lines(one)).join("\n");
        throw new ToolValidationError(`${quoted(uri, 300)} names more than one document:\n${candidates}`);
      }
      await view.store.readable(document);
      const whole = view.store.text(document);
      if (whole === undefined) throw unknown(uri);
      const slug = section ?? address!.section;
      const outline = outlineOf(whole, slug);
      const chosen = slug === undefined ? whole : sectionText(whole, slug);
      if (chosen === undefined) throw unknownSection(uri, slug!, outline);
      const { text, nextOffset, size } = cut(chosen, offset, limit);
      const notice = view.notice(document);
      const status = currentStatus(document);
      const heading = `${view.uri(document)}${slug === undefined ? "" : `#${slug}`} - ${
        shorten(document.title)
      }`;
      const slugs = outline.headings.map(({ section }) => section);
      const head = lines([
        notice,
        `${heading}${status === undefined ? "" : ` (${shorten(status)})`}, ${size} bytes`,
        slugs.length === 0 ? undefined : `Sections: ${slugs.join(", ")}`,
        moreHeadings(outline),
      ]);
      const end = nextOffset === undefined
        ? `(bytes ${offset} to ${size} of ${size}: this is the end)`
        : `(bytes ${offset} to ${nextOffset} of ${size}: call read_document again with offset ${nextOffset})`;
      const isWhole = offset === 0 && nextOffset === undefined;
      return {
        text: [block(head), block(text), ...isWhole ? [] : [block(end)]],
        value: {
          notice,
          ...view.data(document),
          text,
          offset,
          nextOffset,
          size,
          outline: outline.headings,
          omittedHeadings: outline.total - slugs.length || undefined,
        },
      };
    },
  });
}

function unknown(uri: string): ToolValidationError {
  return new ToolValidationError(
    `There is no document ${quoted(uri, 300)}; list_documents lists all, search_documents finds some`,
  );
}

function unknownSection(uri: string, slug: string, { headings, total }: Outline): ToolValidationError {
  const which = headings.length === total
    ? "its outline says which it has"
    : `it has ${total}: read it without a section for an outline that begins with the first ${headings.length}`;
  return new ToolValidationError(`${quoted(uri, 300)} has no section "${quoted(slug, 100)}"; ${which}`);
}

/**
 * A part of a text, cut where a character ends; `limit` is at least 4.
 *
 * @throws {ToolValidationError} When no character begins at the offset.
 */
function cut(
  whole: string,
  offset: number,
  limit: number,
): { text: string; nextOffset: number | undefined; size: number } {
  const bytes = new TextEncoder().encode(whole);
  const isInside = (place: number): boolean => (bytes[place]! & 0xc0) === 0x80;
  if (offset > bytes.length || isInside(offset)) {
    throw new ToolValidationError(
      `There is no character at offset ${offset} of ${bytes.length} bytes; use nextOffset`,
    );
  }
  let end = Math.min(offset + limit, bytes.length);
  while (isInside(end)) end--;
  return {
    text: new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes.subarray(offset, end)),
    nextOffset: end < bytes.length ? end : undefined,
    size: bytes.length,
  };
}

/** The most headings in an outline. */
const MAX_HEADINGS = 100;
/** How much they may say, titles and slugs together, in characters: about 3,000 tokens. */
const OUTLINE_BUDGET = 12_000;
/** So many are given however long they are, because the last one leads on to those that follow it. */
const MIN_HEADINGS = 2;

/** The headings of a document, or some of them. */
interface Outline {
  /** Titles are cut, slugs are not: sections are read by them. Lines are counted from 1. */
  readonly headings: readonly { level: number; title: string; section: string; line: number }[];
  /** How many there are in all. */
  readonly total: number;
  /** How many there are behind the last one. */
  readonly after: number;
}

/**
 * The outline of a document. If it is too long, it begins with the section that is read, so that the last section of one
 * outline leads to the next outline.
 */
function outlineOf(whole: string, section: string | undefined): Outline {
  const lines = toLines(whole);
  const sections = readSections(lines, readFrontMatter(lines).bodyLine);
  const total = sections.length;
  let from = 0;
  let headings = firstHeadings(sections);
  if (headings.length < total) {
    from = Math.max(0, sections.findIndex(({ slug }) => slug === section));
    headings = firstHeadings(sections.slice(from));
  }
  return { headings, total, after: total - from - headings.length };
}

function firstHeadings(sections: readonly Section[]): Outline["headings"] {
  let spent = 0;
  const headings = sections.slice(0, MAX_HEADINGS).map(({ level, title, slug, line }) => {
    const heading = { level, title: shorten(title), section: slug, line: line + 1 };
    spent += heading.title.length + slug.length;
    return { heading, isWithin: spent <= OUTLINE_BUDGET };
  });
  return headings.filter(({ isWithin }, index) => isWithin || index < MIN_HEADINGS).map(({ heading }) =>
    heading
  );
}

/** Says that the outline leaves headings out, and how to get them; undefined when it does not. */
function moreHeadings({ headings, total, after }: Outline): string | undefined {
  const omitted = total - headings.length;
  if (omitted === 0) return undefined;
  const next = after === 0
    ? "call read_document without section for the first ones"
    : `for those that follow, call read_document again with section "${headings.at(-1)!.section}"`;
  return `(${omitted} of ${total} sections are left out: ${next})`;
}
