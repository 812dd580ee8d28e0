/** The views that call a tool: decisions by path, and the search. */

import type { JsonObject } from "../base/json.ts";
import type { Document } from "../documents/document.ts";
import type { Part } from "./markup.ts";
import type { PageRequest, View } from "./components.ts";
import { asArray, asObject, asString } from "../base/json.ts";
import { count } from "../base/text.ts";
import { tokenize } from "../search/tokenizer.ts";
import { Markup, markup } from "./markup.ts";
import { items, MAX_ROWS, pageLink, patternsOf } from "./components.ts";

/** The maximum number of hits on the page. */
const MAX_HITS = 20;
/** The maximum number of hits below the field while the user types. */
const MAX_FEW = 10;

/** The search terms of a request. */
export const wordsOf = (query: URLSearchParams): string => query.get("q")?.trim() ?? "";

/** The documents that a tool found, each with more of its answer. */
function answerItems(
  request: PageRequest,
  answers: unknown,
  more: (answer: JsonObject, document: Document) => Part,
): Part {
  const found = new Map(
    asArray(answers).map(asObject).flatMap((answer) => {
      const { documents } = request.model.catalogue.find(`${answer["uri"]}`);
      return documents.map((document) => [document, answer] as const);
    }),
  );
  return items(request, [...found.keys()], MAX_ROWS, (document) => more(found.get(document)!, document));
}

/** The decisions that apply to paths; without a server, all documents with patterns. */
export async function pathsView(request: PageRequest): Promise<View> {
  const { model, query, base, callTool } = request;
  if (!callTool) {
    const stated = model.catalogue.documents.filter(({ appliesTo }) => appliesTo.length > 0);
    const text = markup`<p>Documents that say which files they apply to: ${stated.length}.</p>`;
    return { title: "Decisions by path", content: [text, items(request, stated, Infinity, patternsOf)] };
  }
  const lines = (query.get("paths") ?? "").split(/\r?\n/).map((path) => path.trim());
  const paths = lines.filter((path) => path !== "");
  const found = paths.length > 0 ? await callTool("decisions_for", { paths }) : undefined;
  const { documents, omitted } = asObject(found);
  const answer = answerItems(request, documents, ({ matched, paths }) => {
    return markup`applies to <code>${`${matched}`}</code>: ${asArray(paths).join(", ")}`;
  });
  const shown = paths.map((path) => [path, new Markup("\n")]);
  const none = asString(found) ?? "No document says that it applies to these files (applies-to).";
  const content = markup`<form action="${base}paths.html">
<label for="page.paths">Paths from the root of the repository, one per line</label>
<textarea id="page.paths" name="paths" rows="3" maxlength="4000">${shown}</textarea>
<button>Find</button></form>
${found !== undefined && (answer || markup`<p>${none}</p>`)}
${omitted !== undefined && omitted !== 0 && markup`<p>and ${`${omitted}`} more</p>`}`;
  return { title: "Which decisions apply to these files", content };
}

export async function searchView(request: PageRequest): Promise<View> {
  // The script asks for few results while the user types.
  const words = wordsOf(request.query), limit = request.query.has("few") ? MAX_FEW : MAX_HITS;
  const found = words === ""
    ? "Enter search terms."
    : await request.callTool?.("search_documents", { query: words, limit });
  const { hits, total } = asObject(found);
  const answer = answerItems(request, hits, ({ section, excerpt, matched }, document) => {
    const slug = asString(section);
    const place = slug !== undefined && [pageLink(request, document, `#${slug}`, slug), " "];
    return [place, highlighted(`${excerpt}`, matched)];
  });
  const says = asString(found) ?? `${count(Number(total), "document")} found for "${words}".`;
  const content = markup`<div id="page.results"><p class="status">${says}</p>${answer}</div>`;
  return { title: words === "" ? "Search" : `Search: ${words}`, content };
}

/** Marks the terms of a hit in a text. The hit lists them as "term in title, body" or "term as others, more in body". */
function highlighted(text: string, matched: unknown): Part {
  const terms = new Set(
    asArray(matched).flatMap((said) => {
      const [, term, others] = /^(.*?)(?: as (.*))? in [a-z, ]*$/s.exec(`${said}`) ?? [];
      return others?.split(", ") ?? term ?? [];
    }),
  );
  const parts: Part[] = [];
  let at = 0;
  tokenize(text, (term, start, end) => {
    if (!terms.has(term) || start < at) return;
    parts.push(text.slice(at, start), markup`<mark>${text.slice(start, end)}</mark>`);
    at = end;
  });
  return [...parts, text.slice(at)];
}
