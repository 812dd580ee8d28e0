/** The tool `search_documents`. */

import type { Tool } from "../mcp/server/tool.ts";
import type { Hit } from "../search/mod.ts";
import type { Catalogue } from "./catalogue.ts";
import type { Document } from "./document.ts";
import type { DocumentProvider } from "./document_provider.ts";
import type { DocumentView, Shown } from "./tool_parts.ts";
import { inBackground, inSlices, nextTurn, withTimeout } from "../base/async.ts";
import { quoted } from "../base/text.ts";
import { readMarkdown } from "../formats/markdown/document.ts";
import { MAX_LINE, plain } from "../formats/markdown/lines.ts";
import { ToolResult } from "../mcp/server/content.ts";
import { DEFAULT_LIMIT, MAX_LIMIT } from "../search/mod.ts";
import { findApplying } from "./applying.ts";
import { indexesOf } from "./document_index.ts";
import { shorten } from "./metadata.ts";
import { isRejected } from "./records/status.ts";
import {
  documentTool,
  filterBy,
  filters,
  integer,
  lines,
  listOf,
  METADATA,
  NOTICE,
  noticeOf,
  objectOf,
  showDocument,
  string,
  SUCCESSORS,
  successorsOf,
} from "./tool_parts.ts";

/** Time between the definition of the tool and the start of its index, in milliseconds. The current request is answered first. */
const PREPARE_AFTER_MS = 100;

/** The factor for a document that applies to the file of the caller, and not to all files. */
const APPLYING_FACTOR = 2.5;
const EVERYTHING = /^[*/]+$/;

/** Defines the tool. The index is made in the background or by the first call, and is updated by each call. */
export function searchDocuments(documents: DocumentProvider, catalogue: Catalogue): Tool {
  const indexOf = indexesOf(documents);
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
    _meta: {
      "anthropic/alwaysLoad": false,
      "anthropic/searchHint":
        "search ADRs, architecture decisions, project rules, coding standards, guidelines and patterns by subject",
    },
    inputSchema: {
      type: "object",
      properties: {
        query: { ...string("Words of the subject, in any language"), minLength: 1, maxLength: 1000 },
        path: { ...string("The file that you work on: what applies to it comes earlier"), maxLength: 1000 },
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
      indexed: integer("How many documents were searched, while the index is being built"),
    }),
    async run({ query, path, category, status, limit }, view, { signal, timeoutMs }) {
      const filter = filterBy(view, { category, status });
      const index = indexOf(view.catalogue);
      const updated = index.update(view.catalogue.documents);
      const isWhole = timeoutMs === Infinity
        ? await updated.then(() => true)
        : await withTimeout(updated.then(() => true), timeoutMs / 2, false);
      signal.throwIfAborted();
      const indexed = isWhole ? undefined : index.publish(), of = view.catalogue.documents.length;
      const applying = path === undefined ? undefined : await appliesTo(view, path);
      const factor = applying && ((document: Document) => applying.has(document) ? APPLYING_FACTOR : 1);
      const { hits, total, asWords } = await index.search(query, { filter, factor, limit, signal });
      const phrases = asWords.length === 0 ? undefined : asWords.map((phrase) => quoted(phrase, 100));
      const shown = hits.map((hit) => showHit(hit, view));
      const more = total - hits.length;
      const withoutText = index.withoutText.length || undefined;
      const answer = lines([
        indexed !== undefined &&
        `(The index is being built: searched ${indexed} of ${of} documents so far. Search again later for all.)`,
        phrases && `(Nothing has the phrase "${phrases.join('" and "')}": searched for the words.)`,
        ...shown.map(({ line }) => line),
        hits.length === 0 && "Nothing found. Try other words, or call list_documents for all there is.",
        more > 0 && `(${more} more: ask more narrowly, or with a higher limit)`,
        withoutText !== undefined &&
        `(${withoutText} documents were searched by title and name only: list_documents names all)`,
      ]);
      const value = { hits: shown.map(({ value }) => value), total, asWords: phrases, withoutText, indexed };
      return new ToolResult([answer], { value });
    },
  });
}

/** The documents that apply to a file, by a pattern that does not match all files. */
async function appliesTo({ catalogue }: DocumentView, path: string): Promise<ReadonlySet<Document>> {
  const { found } = await inSlices(findApplying(catalogue, [path]), nextTurn);
  return new Set(found.flatMap(({ document, matched }) => EVERYTHING.test(matched) ? [] : document));
}

function showHit(hit: Hit<Document>, view: DocumentView): Shown {
  const { document, section, line, excerpt } = hit;
  const notice = noticeOf(view, document);
  // "retry in title, body"; with both words if the word found is not the one asked for.
  const matched = hit.matches.map(({ term, kind, found, fields }) => {
    const words = kind === "synonym"
      ? `${found[0]}, for ${term},`
      : found.includes(term)
      ? term
      : `${term} as ${found.join(", ")}`;
    return `${words} in ${fields.join(", ")}`;
  });
  const place = section ? `#${section.slug}, line ${line}` : `line ${line}`;
  const score = Math.round(hit.score * 1000) / 1000;
  const reason = isRejected(document) ? rejectionReason(view.store.text(document) ?? "") : undefined;
  const { uris: supersededBy } = successorsOf(view, document);
  const data = { supersededBy, section: section?.slug, line, excerpt, score, matched, reason, notice };
  const texts = [notice, reason && `why: ${reason}`, `${place}: ${excerpt}`, `found: ${matched.join("; ")}`];
  return showDocument(view, document, data, ...texts);
}

/** "Rejected: too slow", "Status: rejected because it is too slow". A reason has at least three words. */
const REJECTION =
  /^(?:.{0,20}\bstatus\b\W+)?\W*(?:rejected|declined|withdrawn|abandoned|cancelled)\b[ \t:;,.(–—*_-]*(\S+[ \t]+\S+[ \t]+\S.*)/imu;
/** Headings of sections with a reason, the best first. */
const REASON_SECTIONS = [
  /^[\d. )]*(?:reasons?|rationale|why|rejected|rejection|justification|begründung|gründe)\b/iu,
  /^[\d. )]*(?:decision|resolution|conclusion|entscheidung)\b(?! drivers)/iu,
];

/** The reason for rejecting a decision, from its record: after the status, or in a section about it. */
function rejectionReason(text: string): string | undefined {
  const { lines, sections } = readMarkdown(text);
  const [why = "", decision = ""] = REASON_SECTIONS.map((form) => {
    const { line = 0, end = 0 } = sections.find(({ title }) => form.test(title)) ?? {};
    return plain(lines.slice(line + 1, end).join("\n").trim().split(/\n\s*\n/)[0]!);
  });
  return shorten(why || plain(REJECTION.exec(text.slice(0, MAX_LINE))?.[1] ?? "") || decision) || undefined;
}
