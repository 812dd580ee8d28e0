/** The tool `read_document`. */

import type { Section } from "../formats/markdown/sections.ts";
import type { Tool } from "../mcp/server/tool.ts";
import type { Catalogue } from "./catalogue.ts";
import type { DocumentProvider } from "./document_provider.ts";
import { nearest } from "../base/nearest.ts";
import { didYouMean, quoted, shortened } from "../base/text.ts";
import { sectionText } from "../formats/markdown/sections.ts";
import { readMarkdown } from "../formats/markdown/document.ts";
import { ToolResult } from "../mcp/server/content.ts";
import { ToolValidationError } from "../mcp/server/tool_errors.ts";
import { shorten } from "./metadata.ts";
import { nearestUris } from "./nearest.ts";
import { recordFolder } from "./records/name.ts";
import { currentStatus } from "./records/status.ts";
import {
  documentTool,
  fitting,
  integer,
  lines,
  listOf,
  METADATA,
  NOTICE,
  noticeOf,
  objectOf,
  showDocument,
  string,
} from "./tool_parts.ts";
import { toUri } from "./uri.ts";

/** How much is read by default, in bytes: about 5,000 tokens, less than any client cuts off. */
const DEFAULT_READ = 20_000;
/** How much is read at most, in bytes. */
const MAX_READ = 200_000;

export function readDocument(documents: DocumentProvider, { documents: all }: Catalogue): Tool {
  const record = all.find(({ record }) => record?.number !== undefined);
  const uriOf = (key: string) => toUri(key, documents.scheme);
  const numbered = record && uriOf(`${recordFolder(record.key)}/${record.record!.number}`);
  const examples = all[0] ? `, such as ${uriOf(all[0].key)}` : "";
  const byNumber = numbered ? ` or ${numbered} (a decision record by its number)` : "";
  return documentTool(documents, {
    name: "read_document",
    title: "Read an architecture document",
    description:
      `Reads one document of the team by its URI${examples}${byNumber}. Gives at most limit bytes (${DEFAULT_READ} unless ` +
      "given) and an outline; pass nextOffset as offset for what follows, or section for one section of the outline.",
    _meta: {
      "anthropic/alwaysLoad": false,
      "anthropic/searchHint": "read the text of an ADR, architecture decision record, guideline or pattern",
    },
    inputSchema: {
      type: "object",
      properties: {
        uri: string("From list_documents, search_documents, or another document"),
        section: string("The slug of one section, as the outline has it"),
        offset: { ...integer("Where to begin, in bytes of UTF-8"), minimum: 0 },
        limit: { ...integer("How much to read, in bytes of UTF-8"), minimum: 4, maximum: MAX_READ },
      },
      required: ["uri"],
    },
    checkOutput: false,
    outputSchema: objectOf("uri title text offset size outline", {
      ...NOTICE,
      ...METADATA,
      text: string(),
      offset: integer("Where text begins, in bytes of UTF-8"),
      nextOffset: integer("There when there is more"),
      size: integer("Of the whole document or section, in bytes of UTF-8"),
      outline: listOf(objectOf("level title section line", {
        level: integer(),
        title: string(),
        section: string(),
        line: integer(),
      })),
      omittedHeadings: integer(
        "How many headings the outline leaves out; read with its last section, it begins there",
      ),
    }),
    async run({ uri, section, offset = 0, limit = DEFAULT_READ }, view) {
      // Models sometimes leave out the scheme.
      const hasScheme = /^(?:[a-z][a-z0-9+.-]*:|$)/i.test(uri);
      const complete = hasScheme ? uri : `architecture://${uri.replace(/^\.?\/+/, "")}`;
      const { documents: found, address } = view.catalogue.find(complete), [document] = found;
      const asked = quoted(uri, 300);
      if (found.length > 1) {
        const candidates = found.map((one) => showDocument(view, one).line).join("\n");
        throw new ToolValidationError(`${asked} names more than one document:\n${candidates}`);
      }
      if (document) await view.store.readable(document);
      const whole = document && view.store.text(document);
      if (!document || whole === undefined) {
        const meant = didYouMean(nearestUris(view.store, view.catalogue, uri));
        const advice = "list_documents lists all, search_documents finds some";
        throw new ToolValidationError(`There is no document ${asked}${meant}; ${advice}`);
      }
      const slug = section ?? address!.section;
      const { sections } = readMarkdown(whole);
      const { outline, omitted, next } = outlineOf(sections, slug);
      const slugs = outline.map(({ section }) => section).join(", ");
      const chosen = slug === undefined ? whole : sectionText(whole, slug, sections);
      if (chosen === undefined) {
        const meant = didYouMean(nearest(slug!, sections.map((one) => one.slug)));
        const which = omitted === undefined
          ? `its outline: ${shortened(slugs, SECTIONS_BUDGET) || "none"}`
          : `it has ${sections.length}: read it without a section for an outline that begins with the first ${outline.length}`;
        throw new ToolValidationError(`${asked} has no section "${quoted(slug!, 100)}"${meant}; ${which}`);
      }
      const range = cut(chosen, offset, limit);
      const { nextOffset, size } = range;
      const notice = noticeOf(view, document);
      const status = currentStatus(document);
      const state = status === undefined ? "" : ` (${shorten(status)})`;
      const name = uriOf(document.key) + (slug === undefined ? "" : `#${slug}`);
      const head = lines([
        notice,
        `${name} - ${shorten(document.title)}${state}, ${size} bytes`,
        slugs && `Sections: ${slugs}`,
        omitted !== undefined && `(${omitted} of ${sections.length} sections are left out: ${next})`,
      ]);
      const end = nextOffset === undefined
        ? `(bytes ${offset} to ${size} of ${size}: this is the end)`
        : `(bytes ${offset} to ${nextOffset} of ${size}: call read_document again with offset ${nextOffset})`;
      const isWhole = offset === 0 && nextOffset === undefined;
      const data = { ...range, outline, omittedHeadings: omitted };
      const value = { notice, ...showDocument(view, document, data).value };
      return new ToolResult(isWhole ? [head, range.text] : [head, range.text, end], { value });
    },
  });
}

/** A part of a text, cut between characters. @throws {ToolValidationError} When no character begins at the offset. */
function cut(whole: string, offset: number, limit: number) {
  const bytes = new TextEncoder().encode(whole);
  const isContinuation = (place: number) => (bytes[place]! & 0xc0) === 0x80;
  if (offset > bytes.length || isContinuation(offset)) {
    throw new ToolValidationError(
      `There is no character at offset ${offset} of ${bytes.length} bytes; use nextOffset`,
    );
  }
  let end = Math.min(offset + limit, bytes.length);
  while (isContinuation(end)) end--;
  return {
    text: new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes.subarray(offset, end)),
    offset,
    nextOffset: end < bytes.length ? end : undefined,
    size: bytes.length,
  };
}

/** The maximum number of headings in an outline. */
const MAX_OUTLINE = 100;
/** The minimum number of headings, because the last one leads to the next outline. */
const MIN_OUTLINE = 2;
/** The maximum length of an outline, in characters: about 3,000 tokens. */
const OUTLINE_BUDGET = 12_000;
/** The maximum length of an outline in an error, in characters. */
const SECTIONS_BUDGET = 1000;

/**
 * The headings of a document, the number of omitted ones, and how to get those. If there are too many, they begin with the section
 * that is read, so that the last section of one outline leads to the next. Slugs are not cut, because sections are read by them.
 */
function outlineOf(sections: readonly Section[], section: string | undefined) {
  const all = sections.map(({ level, title, slug, line }) => {
    return { level, title: shorten(title), section: slug, line: line + 1 };
  });
  const from = (start: number) => {
    const part = all.slice(start, start + MAX_OUTLINE);
    return fitting(part, OUTLINE_BUDGET, ({ title, section }) => title.length + section.length, MIN_OUTLINE);
  };
  if (from(0).length === all.length) return { outline: all };
  const start = Math.max(0, all.findIndex((heading) => heading.section === section));
  const outline = from(start), last = outline.at(-1)!;
  const next = last === all.at(-1)
    ? "call read_document without section for the first ones"
    : `for those that follow, call read_document again with section "${last.section}"`;
  return { outline, omitted: all.length - outline.length, next };
}
