/** Finds and reads documents: what is indexed of them, and the tools `search_documents` and `read_document`. */

import type { Hit, Piece, SectionHeading } from "../search/mod.ts";
import type { Access } from "../mcp/server/access.ts";
import type { Tool } from "../mcp/server/tool.ts";
import type { Catalogue } from "./catalogue.ts";
import type { Document } from "./document.ts";
import type { Section } from "../formats/markdown/body.ts";
import type { DocumentProvider } from "./document_provider.ts";
import type { DocumentView, Shown } from "./tools.ts";
import { inBackground } from "../base/async.ts";
import { nearest } from "../base/nearest.ts";
import { didYouMean, quoted, shortened } from "../base/text.ts";
import { DEFAULT_LIMIT, MAX_LIMIT, SearchIndex } from "../search/mod.ts";
import { ToolResult } from "../mcp/server/content.ts";
import { ToolValidationError } from "../mcp/server/errors.ts";
import { readMarkdown } from "../formats/markdown/document.ts";
import { sectionText } from "../formats/markdown/body.ts";
import { MAX_LINE, plain } from "../formats/markdown/lines.ts";
import { shorten } from "./metadata.ts";
import { recordFolder } from "./records/name.ts";
import { currentStatus, isOver, isRejected } from "./records/status.ts";
import {
  decisionsFor,
  documentTool,
  filterBy,
  filters,
  fitting,
  integer,
  lines,
  listDocuments,
  listOf,
  METADATA,
  NOTICE,
  noticeOf,
  objectOf,
  showDocument,
  string,
  SUCCESSORS,
  successorsOf,
} from "./tools.ts";
import { nearestUris } from "./nearest.ts";
import { toUri } from "./uri.ts";

/** Defines all document tools, in the order of their names. Their descriptions name only what `access` allows. */
export function defineTools(documents: DocumentProvider, access?: Access, view?: string): readonly Tool[] {
  const ui = view === undefined ? undefined : { resourceUri: view };
  const catalogue = documents.store.visibleTo(access);
  const defining = [decisionsFor, listDocuments, readDocument, searchDocuments];
  return defining.map((define) => define(documents, catalogue, ui));
}

/** Makes an empty index of documents. `text` returns the text of a document, or undefined when it cannot be read. */
export function documentIndex(text: (document: Document) => string | undefined): SearchIndex<Document> {
  return new SearchIndex<Document>({
    size: ({ status }) => status.size,
    text,
    pieces: readPieces,
    boost: (document) => isOver(document) ? 0.5 : 1,
    plain,
  });
}

function* readPieces(document: Document, text = ""): Generator<Piece> {
  const { lines, front, sections } = readMarkdown(text);
  const title = sections.find(({ level, title }) => level === 1 && title !== "");
  const { record, category, tags } = document;
  const number = record?.number === undefined ? "" : `${category}-${record.number} `;
  const top = { line: title?.line ?? front.bodyLine, heading: undefined, continues: false };
  // Any description but that of the front matter is a part of the body.
  const name = number + document.name, description = front.values.get("description")?.join(", ");
  const metadata = { title: document.title, name, tags: tags.join(", "), description };
  for (const [field, text] of Object.entries(metadata)) {
    if (text) yield { ...top, field: field as keyof typeof metadata, text };
  }
  let heading: SectionHeading | undefined;
  let next = 0;
  let continues = false;
  let isComment = false;
  for (let line = front.bodyLine; line < lines.length; line++) {
    const section = sections[next];
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
      const text = lines[line]!;
      const isBlank = text.trim() === "";
      const isAside = isComment || text.includes("<!--") || isLinks(text);
      if (!isBlank) yield { field: "body", text, line, heading, continues, isAside };
      continues = !isBlank;
      // The last mark of a line tells whether the next one is in a comment.
      const start = text.lastIndexOf("<!--"), end = text.lastIndexOf("-->");
      if (start !== end) isComment = start > end;
    }
  }
}

const LINK = /!?\[[^\][]*\](?:\([^()]*\)|\[[^\][]*\]|:.*)|<[a-z]+:[^<>\s]+>|\bhttps?:\S+/gi;
/** With more words than this beside its links, a line is prose. */
const MAX_LINK_WORDS = 2;

/** Whether a line is little else than links, as in a table of contents. */
function isLinks(line: string): boolean {
  if (!/[\]<]|:\/\//.test(line)) return false;
  const rest = line.slice(0, MAX_LINE).replace(LINK, "");
  return rest.length < line.length && (rest.match(/\p{L}+/gu)?.length ?? 0) <= MAX_LINK_WORDS;
}

/** How long after its definition the tool makes its index, in milliseconds, so that the request at hand is answered first. */
const PREPARE_AFTER_MS = 100;
/** The most indexes. Each is of the documents that some clients may see: scores would tell how frequent a word is in others. */
const MAX_INDEXES = 8;

/** Defines the tool. The index is made in the background or by the first call, and follows the documents from then on. */
function searchDocuments(documents: DocumentProvider, catalogue: Catalogue): Tool {
  const indexes = new Map<string, SearchIndex<Document>>();
  const indexOf = ({ hidden }: Catalogue): SearchIndex<Document> => {
    const index = indexes.get(hidden) ?? documentIndex((document) => documents.store.textOnce(document));
    indexes.delete(hidden);
    indexes.set(hidden, index);
    if (indexes.size > MAX_INDEXES) indexes.delete([...indexes.keys()][0]!);
    return index;
  };
  inBackground(PREPARE_AFTER_MS, () => {
    const { catalogue } = documents.store;
    void indexOf(catalogue).prepare(catalogue.documents, ({ title }) => title);
  });
  return documentTool(documents, {
    name: "search_documents",
    title: "Search architecture documents",
    description:
      "Finds the team's guidelines, patterns and decision records that say something about a subject, the best first, each with its " +
      "best section, line and an excerpt. Any word counts; a phrase goes in double quotes; typing errors and beginnings of words are " +
      "forgiven. Decisions no longer in force come late and are marked, with their successor or why they were rejected. Read a hit with read_document, with its uri and section.",
    inputSchema: {
      type: "object",
      properties: {
        query: { ...string("Words of the subject, in any language"), minLength: 1, maxLength: 1000 },
        ...filters(catalogue),
        limit: {
          ...integer(`How many hits at most, ${DEFAULT_LIMIT} unless given`),
          minimum: 1,
          maximum: MAX_LIMIT,
        },
      },
      required: ["query"],
    },
    checkOutput: false,
    outputSchema: objectOf("hits total", {
      hits: listOf(objectOf("uri title category line excerpt score matched", {
        ...METADATA,
        ...SUCCESSORS,
        section: string("What read_document takes as section"),
        line: integer("Counted from 1"),
        excerpt: string(),
        score: { type: "number", description: "Comparable with the other scores only" },
        matched: listOf(string(), "The words that were found, and where"),
        reason: string("Why the decision was rejected, as its record says"),
        ...NOTICE,
      })),
      total: integer("How many documents match the query"),
      asWords: listOf(string(), "The phrases that no document has; their words were searched"),
      withoutText: integer("How many documents can be found by title and name only, where there are any"),
    }),
    async run({ query, category, status, limit }, view, signal) {
      const filter = filterBy(view, { category, status });
      const index = indexOf(view.catalogue);
      await index.update(view.catalogue.documents);
      signal.throwIfAborted();
      const { hits, total, asWords } = await index.search(query, { filter, limit, signal });
      const phrases = asWords.length === 0 ? undefined : asWords.map((phrase) => quoted(phrase, 100));
      const shown = hits.map((hit) => showHit(hit, view));
      const more = total - hits.length;
      const withoutText = index.withoutText.length || undefined;
      const answer = lines([
        phrases && `(Nothing has the phrase "${phrases.join('" and "')}": searched for the words.)`,
        ...shown.map(({ line }) => line),
        hits.length === 0 && "Nothing found. Try other words, or call list_documents for all there is.",
        more > 0 && `(${more} more: ask more narrowly, or with a higher limit)`,
        withoutText !== undefined &&
        `(${withoutText} documents were searched by title and name only: list_documents names all)`,
      ]);
      const value = { hits: shown.map(({ value }) => value), total, asWords: phrases, withoutText };
      return new ToolResult([answer], { value });
    },
  });
}

function showHit(hit: Hit<Document>, view: DocumentView): Shown {
  const { document, section, line, excerpt } = hit;
  const notice = noticeOf(view, document);
  // "retry in title, body"; if another word was found than was asked for, both.
  const matched = hit.matches.map(({ term, found, fields }) => {
    const words = found.includes(term) ? term : `${term} as ${found.join(", ")}`;
    return `${words} in ${fields.join(", ")}`;
  });
  const place = section ? `#${section.slug}, line ${line}` : `line ${line}`;
  const score = Math.round(hit.score * 1000) / 1000;
  const reason = isRejected(document) ? rejectionReason(view.store.text(document) ?? "") : undefined;
  const { uris: supersededBy } = successorsOf(view, document);
  const data = { supersededBy, section: section?.slug, line, excerpt, score, matched, reason, notice };
  const texts = [`${place}: ${excerpt}`, `found: ${matched.join("; ")}`, notice, reason && `why: ${reason}`];
  return showDocument(view, document, data, ...texts);
}

/** "Rejected: too slow", "Status: rejected because it is too slow"; a reason has three words at least. */
const REJECTION =
  /^(?:.{0,20}\bstatus\b\W+)?\W*(?:rejected|declined|withdrawn|abandoned|cancelled)\b[ \t:;,.(–—*_-]*(\S+[ \t]+\S+[ \t]+\S.*)/imu;
/** Headings of sections that say why, the best first. */
const REASON_SECTIONS = [
  /^[\d. )]*(?:reasons?|rationale|why|rejected|rejection|justification|begründung|gründe)\b/iu,
  /^[\d. )]*(?:decision|resolution|conclusion|entscheidung)\b(?! drivers)/iu,
];

/** Why a decision was rejected, as its record says behind its status or in a section about it. */
function rejectionReason(text: string): string | undefined {
  const { lines, sections } = readMarkdown(text);
  const [why = "", decision = ""] = REASON_SECTIONS.map((form) => {
    const { line = 0, end = 0 } = sections.find(({ title }) => form.test(title)) ?? {};
    return plain(lines.slice(line + 1, end).join("\n").trim().split(/\n\s*\n/)[0]!);
  });
  return shorten(why || plain(REJECTION.exec(text.slice(0, MAX_LINE))?.[1] ?? "") || decision) || undefined;
}

/** How much is read by default, in bytes (about 5,000 tokens, less than any client cuts off), and at most. */
const DEFAULT_READ = 20_000, MAX_READ = 200_000;

function readDocument(documents: DocumentProvider, { documents: all }: Catalogue): Tool {
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

/** A part of a text, cut where characters end. @throws {ToolValidationError} When no character begins at the offset. */
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

/** The most headings of an outline, and the fewest, as the last one leads to the next outline. */
const MAX_HEADINGS = 100, MIN_HEADINGS = 2;
/** How long an outline may be, in characters (about 3,000 tokens), and how much of it an error shows. */
const OUTLINE_BUDGET = 12_000, SECTIONS_BUDGET = 1000;

/**
 * The headings of a document, how many are left out, and how to get those. If there are too many, they begin with the section
 * that is read, so that the last section of one outline leads to the next. Slugs are not cut: sections are read by them.
 */
function outlineOf(sections: readonly Section[], section: string | undefined) {
  const all = sections.map(({ level, title, slug, line }) => {
    return { level, title: shorten(title), section: slug, line: line + 1 };
  });
  const from = (start: number) => {
    const part = all.slice(start, start + MAX_HEADINGS);
    return fitting(part, OUTLINE_BUDGET, ({ title, section }) => title.length + section.length, MIN_HEADINGS);
  };
  if (from(0).length === all.length) return { outline: all };
  const start = Math.max(0, all.findIndex((heading) => heading.section === section));
  const outline = from(start), last = outline.at(-1)!;
  const next = last === all.at(-1)
    ? "call read_document without section for the first ones"
    : `for those that follow, call read_document again with section "${last.section}"`;
  return { outline, omitted: all.length - outline.length, next };
}
