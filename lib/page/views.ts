/** The HTML of every page, from a model and an address alone. All text passes `markup`, which escapes it. */

import type { JsonObject } from "../base/json.ts";
import type { Document } from "../documents/catalogue.ts";
import type { Finding } from "../documents/folder_store.ts";
import type { Countable, Filter, Model } from "./model.ts";
import { asArray, asObject, asString } from "../base/json.ts";
import { count, escapeHtml, printable } from "../base/text.ts";
import { ATX, readMarkdown } from "../documents/markdown.ts";
import { currentStatus, isOver, numberedTitle, standing } from "../documents/metadata.ts";
import { toUri } from "../documents/uri.ts";
import { WORDS } from "../graph/relations.ts";
import { drawGraph } from "../graph/svg.ts";
import { toHtml } from "../markdown/mod.ts";
import { tokenize } from "../search/tokenizer.ts";
import { MARK, POLICY } from "./assets.ts";
import { dayOf, filtered } from "./model.ts";

/** How many documents are on a page of the list, in a short list, and on the timeline. */
const PAGE_SIZE = 100, SHORT_LIST = 10, MAX_DATED = 2000;
/** How much of a document is shown, in UTF-16 units, and how much of its outline, of a chain of records, and of other lists. */
const MAX_TEXT = 1024 * 1024, MAX_OUTLINE = 200, MAX_CHAIN = 50, MAX_PLACES = 200;
/** The most values of a kind on the overview and in a filter, the most paths that are asked about, and the most hits. */
const MAX_VALUES = 30, MAX_CHOICES = 200, MAX_PATHS = 100, MAX_HITS = 20;

/** A page that is asked for. */
export interface PageRequest {
  readonly model: Model;
  /** Relative to the base: "index.html", "adr/007-use-x.html". */
  readonly address: string;
  /** What links begin with: "/" or "/path/". */
  readonly base: string;
  /** Whether a server answers forms and reports changes. */
  readonly isLive: boolean;
  /** The fields of a form. */
  readonly query: URLSearchParams;
  /** What the tool of the view has found, or why it found nothing. @default {it was not asked} */
  readonly found?: JsonObject | string | undefined;
}

/** Markup, which is written as it is. */
class Markup {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

type Part = Markup | string | number | boolean | undefined | readonly Part[];

/** Makes markup of a template. Other texts in it are escaped; `undefined` and `false` are left out. */
export function markup(strings: TemplateStringsArray, ...parts: readonly Part[]): Markup {
  return new Markup(strings.map((text, index) => text + textOf(parts[index])).join(""));
}

function textOf(part: Part): string {
  if (part instanceof Markup) return part.text;
  if (typeof part === "object") return part.map(textOf).join("");
  return part === undefined || typeof part === "boolean" ? "" : escapeHtml(printable(`${part}`));
}

/** What is between the frame; `id` is that of its heading. */
type View = { readonly title: string; readonly id?: string; readonly content: Part };

/** The views by their addresses: what navigation calls them, "" for one that only answers a form, and what makes them. */
const VIEWS: ReadonlyMap<string, readonly [name: string, view: (request: PageRequest) => View]> = new Map([
  ["index.html", ["Overview", overview]],
  ["documents.html", ["Documents", listView]],
  ["graph.html", ["Graph", graphView]],
  ["timeline.html", ["Timeline", timelineView]],
  ["findings.html", ["Findings", findingsView]],
  ["paths.html", ["By path", pathsView]],
  ["search.html", ["", searchView]],
]);

/** The addresses of all pages that answer no form, relative to their base. */
export function addressesOf({ catalogue }: Model): string[] {
  const views = [...VIEWS].flatMap(([address, [name]]) => name === "" ? [] : address);
  return [...views, ...catalogue.documents.map(addressOf)];
}

export const addressOf = ({ key }: Pick<Document, "key">): string => `${key}.html`;

/** Makes the whole page at an address; undefined when there is none. */
export function renderPage(request: PageRequest): string | undefined {
  const document = request.model.documentAt(request.address), [, view] = VIEWS.get(request.address) ?? [];
  return document ? layout(request, documentView(request, document)) : view && layout(request, view(request));
}

/** Makes the page for an address that has none. */
export function renderMissing(request: PageRequest): string {
  const near = request.model.catalogue.nearest(request.address.replace(/\.html$/, ""));
  const content = section("Did you mean", near.length > 0 && items(request, near));
  return layout(request, { title: "There is no such page", content });
}

/** The tool whose answer a view shows, with its arguments; undefined for none. */
export function toolOf({ address, query }: PageRequest): [name: string, args: JsonObject] | undefined {
  const words = wordsOf(query), paths = pathsOf(query);
  if (address === "paths.html" && paths.length > 0) return ["decisions_for", { paths }];
  if (address !== "search.html" || words === "") return undefined;
  return ["search_documents", { query: words, limit: MAX_HITS }];
}

const wordsOf = (query: URLSearchParams): string => query.get("q")?.trim() ?? "";

function pathsOf(query: URLSearchParams): string[] {
  const paths = query.get("paths")?.split(/\r?\n/).map((path) => path.trim()) ?? [];
  return paths.filter((path) => path !== "").slice(0, MAX_PATHS);
}

/** The frame of every page. Its ids have a dot, which the slugs of sections have not. */
function layout(
  { model, address, base, isLive, query }: PageRequest,
  { title, id = "", content }: View,
): string {
  const links = [...VIEWS].map(([to, [name]]) =>
    name !== "" &&
    markup`<li><a href="${base}${to}"${to === address && markup` aria-current="page"`}>${name}</a></li>`
  );
  const search = markup`
<search><form action="${base}${isLive ? "search" : "documents"}.html"><label for="page.q">Search</label>
<input id="page.q" name="q" type="search" value="${wordsOf(query)}" maxlength="1000" autocomplete="off">
<button>Search</button></form><p role="status" class="hidden" id="page.status"></p><div id="page.found"></div></search>`;
  const alone = markup`<meta name="generator" content="${MARK}">
<meta http-equiv="content-security-policy" content="${POLICY}">
<link rel="alternate" type="application/atom+xml" title="Decisions" href="${base}feed.xml">\n`;
  return markup`<!doctype html>
<html lang="en"${isLive ? markup` data-events="${base}events"` : markup` data-index="${base}search.json"`}>
<head>
<meta charset="utf-8">
${!isLive && alone}<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>${title}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${base}style.css">
<script src="${base}script.js" defer></script>
</head>
<body>
<a class="skip" href="#page.main">Skip to content</a>
<header><nav aria-label="Views"><ul>${links}</ul></nav>${search}</header>
<main id="page.main" tabindex="-1">
<h1${id !== "" && markup` id="${id}"`}>${title}</h1>
${content}
</main>
<footer><p>${
    count(model.catalogue.documents.length, "document")
  }, shown by Architrave. ${model.options.note}</p></footer>
</body>
</html>
`.text;
}

/** A part of a page with a heading; nothing without content. */
function section(title: string, content: Part): Part {
  return content && markup`<section><h2>${title}</h2>
${content}</section>\n`;
}

/** A link to the documents with a value, which the script shows where no server does. */
function filterLink({ base }: PageRequest, name: Countable, value: string, text: Part = value): Part {
  const query = new URLSearchParams({ [name]: value });
  return markup`<a href="${base}documents.html?${query.toString()}">${text}</a>`;
}

/** The status of a record, with the class of what it means. */
function badge(document: Document): Part {
  const status = currentStatus(document);
  return status !== undefined && markup`<span class="badge ${standing(status)}">${status}</span>`;
}

const patternsOf = ({ appliesTo }: Document): Part => appliesTo.map((one) => markup`<code>${one}</code> `);

/** How a document is called: by its title, with the number of a record in front. */
export function nameOf({ title, record }: Document): string {
  return numberedTitle(title, record?.number);
}

function pageLink({ base }: PageRequest, document: Document, text = nameOf(document), slug = ""): Part {
  return markup`<a href="${base}${addressOf(document)}${slug && `#${encodeURIComponent(slug)}`}">${text}</a>`;
}

/** A link to a document, and its status. */
function labelled(request: PageRequest, document: Document): Part {
  return [pageLink(request, document), " ", badge(document)];
}

/** A list of documents, each with a line of what is known of it, and its description or what else is said of it. */
function items(
  request: PageRequest,
  documents: readonly Document[],
  more: (document: Document) => Part = ({ description }) => description,
): Part {
  const rows = documents.map((document) => {
    const facts = [dayOf(document), document.category].filter(Boolean).join(" · "), text = more(document);
    const name = labelled(request, document);
    return markup`<li>${name} <span class="facts">${facts}</span>${text && markup`<p>${text}</p>`}</li>\n`;
  });
  return markup`<ul class="items">\n${rows}</ul>`;
}

/** The first of some things, and how many more there are; nothing without any. */
function first<T>(all: readonly T[], most: number, show: (shown: readonly T[]) => Part): Part {
  const more = all.length > most && markup`<p>and ${all.length - most} more</p>`;
  return all.length > 0 && [show(all.slice(0, most)), more];
}

function overview(request: PageRequest): View {
  const { model } = request, { documents, categories } = model.catalogue;
  const records = documents.filter(({ record }) => record);
  const counts = (name: Countable) => {
    const rows = model.counts[name].slice(0, MAX_VALUES).map(([value, count]) => {
      const example = name === "status" && records.find((record) => currentStatus(record) === value);
      const text = [example ? badge(example) : value, markup` <b>${count}</b>`];
      return markup`<li>${filterLink(request, name, value, text)}</li>`;
    });
    return rows.length > 0 && markup`<ul class="counts">${rows}</ul>`;
  };
  const short = (found: readonly Document[]) => first(found, SHORT_LIST, (shown) => items(request, shown));
  const overdue = model.overdue();
  const content = [
    markup`<p>${count(documents.length, "document")} in ${count(categories.length, "category")}, with ${
      count(records.length, "decision record")
    }.</p>\n`,
    section("Decisions by status", counts("status")),
    section("Newest decisions", short(model.newest.slice(0, SHORT_LIST))),
    section(`Overdue reviews (${overdue.length})`, short(overdue)),
    section("Categories", counts("category")),
    section("Tags", counts("tag")),
  ];
  return { title: "Overview", content };
}

function listView(request: PageRequest): View {
  const { model: { catalogue, counts }, query, base, isLive } = request;
  const value = (name: string) => query.get(name) ?? "", text = value("text");
  const filter: Filter = { category: value("category"), status: value("status"), tag: value("tag"), text };
  const found = filtered(catalogue, filter), size = isLive ? PAGE_SIZE : Infinity;
  const count = Math.max(1, Math.ceil(found.length / size));
  const page = Math.min(Math.max(1, Math.trunc(Number(value("page"))) || 1), count);
  const to = (number: number, text: string) => {
    const fields = Object.entries({ ...filter, page: `${number}` }).filter(([, text]) => text !== "");
    return markup`<a href="${base}documents.html?${new URLSearchParams(fields).toString()}">${text}</a>`;
  };
  const choice = (name: Countable, label: string) => {
    const known = new Set(counts[name].slice(0, MAX_CHOICES).map(([text]) => text));
    if (filter[name] !== "") known.add(filter[name]);
    const options = [...known].sort().map((text) =>
      markup`<option${text === filter[name] && markup` selected=""`}>${text}</option>`
    );
    return markup`<label>${label} <select name="${name}"><option value="">all</option>${options}</select></label>\n`;
  };
  const choices = [choice("category", "Category"), choice("status", "Status"), choice("tag", "Tag")];
  const content = [
    markup`<form action="${base}documents.html" class="filters">${choices}
<label>Text <input name="text" value="${text}" maxlength="200"></label> <button>Filter</button></form>
<p id="page.count">${found.length} of ${catalogue.documents.length} documents</p>\n`,
    found.length > 0 && items(request, found.slice((page - 1) * size, page * size)),
    count > 1 && markup`<nav aria-label="Pages" class="pages">${page > 1 && to(page - 1, "Previous")}
<span>Page ${page} of ${count}</span> ${page < count && to(page + 1, "Next")}</nav>`,
  ];
  return { title: page > 1 ? `Documents, page ${page}` : "Documents", content };
}

function documentView(request: PageRequest, document: Document): View {
  const { model } = request;
  const { category, label, tags, reviewBy, record, key } = document;
  const whole = model.store.text(document) ?? "", isLong = whole.length > MAX_TEXT;
  const text = isLong ? whole.slice(0, whole.lastIndexOf("\n", MAX_TEXT) + 1 || MAX_TEXT) : whole;
  const { outline, id, body } = readText(request, document, text);
  const relations = model.relations.flatMap(({ from, to, kind }) => {
    if (from !== key && to !== key) return [];
    const [other, end] = from === key ? [to, 0] as const : [from, 1] as const;
    const word = WORDS[kind][end].replace(/^./, (letter) => letter.toUpperCase());
    return markup`<li>${word} ${labelled(request, model.catalogue.get(other)!)}</li>\n`;
  });
  const steps = model.successors(document).map((one) => {
    const current = one === document && markup` aria-current="true"`;
    return markup`<li${current}>${labelled(request, one)} ${dayOf(one)}</li>\n`;
  });
  const facts: [name: string, value: Part][] = [
    ["Status", badge(document)],
    ["Date", record?.date],
    ["Category", filterLink(request, "category", category)],
    ["Tags", tags.map((tag, index) => [index > 0 && ", ", filterLink(request, "tag", tag)])],
    ["Applies to", patternsOf(document)],
    ["Review by", reviewBy],
    ["File", label],
    ["URI", markup`<code>${toUri(key, model.store.scheme)}</code>`],
  ];
  const known = facts.filter(([, value]) => textOf(value) !== "").map(([name, value]) =>
    markup`<dt>${name}</dt><dd>${value}</dd>\n`
  );
  const linking = [...model.backlinks.get(key) ?? []];
  const content = [
    markup`<article>\n`,
    isOver(document) && markup`<p class="notice">This decision is no longer in force.</p>`,
    whole === "" && markup`<p class="notice">This document is empty, or cannot be read any more.</p>`,
    markup`<dl class="facts">${known}</dl>`,
    outline.length > 1 && markup`<nav aria-label="Outline" class="outline"><ul>${outline}</ul></nav>`,
    markup`<div class="text">${body}</div>`,
    isLong &&
    markup`<p class="notice">Only the first ${text.length} of ${whole.length} characters are shown.</p>`,
    markup`</article>\n`,
    section("Relations", first(relations, MAX_PLACES, (shown) => markup`<ul>${shown}</ul>`)),
    section("History", steps.length > 1 && first(steps, MAX_CHAIN, (shown) => markup`<ol>${shown}</ol>`)),
    section("Linked from", first(linking, MAX_PLACES, (shown) => items(request, shown))),
  ];
  return { title: nameOf(document), id, content };
}

/** Characters that steer the direction of a text, or a terminal. */
// deno-lint-ignore no-control-regex
const STEERING = /(?![\t\n\r])[\u0000-\u001f\u007f-\u009f]|[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** The outline and the text of a document; a title in front of it becomes that of the page, and `id` is its slug. */
function readText({ model: { catalogue }, base }: PageRequest, document: Document, text: string) {
  const { lines, front: { bodyLine }, sections } = readMarkdown(text.toWellFormed());
  const [first] = sections;
  const isFirst = first?.level === 1 && first.title === document.title &&
    lines.slice(bodyLine, first.line).every((line) => line.trim() === "");
  const start = isFirst ? first.line + (ATX.test(lines[first.line]!) ? 1 : 2) : bodyLine;
  const named = sections.filter(({ slug, line }) => slug !== "" && line >= start);
  const outline = named.filter(({ level }) => level > 1).slice(0, MAX_OUTLINE).map(({ level, title, slug }) =>
    markup`<li class="level${level}"><a href="#${encodeURIComponent(slug)}">${title}</a></li>\n`
  );
  const link = (target: string): string | undefined => {
    const { documents = [], fragment = "" } = catalogue.follow(document, target) ?? {};
    if (documents.length !== 1) return /^(?:https?|mailto):/i.test(target) ? target : undefined;
    const page = documents[0] === document ? "" : base + addressOf(documents[0]!);
    return fragment === "" ? page || "#" : `${page}#${encodeURIComponent(fragment)}`;
  };
  const ids = new Map(named.map(({ line, slug }) => [line - start, slug]));
  const html = toHtml(lines.slice(start).join("\n").replace(STEERING, printable), { link, ids });
  // Text has no "<" of its own; entities stand for steering characters too. Tables scroll, also by keyboard.
  const body = html.replace(/<a (?=href="(?:https?|mailto):)/gi, '<a rel="noreferrer noopener" ')
    .replaceAll("<table>", '<table tabindex="0">').replace(STEERING, printable);
  return { outline, id: isFirst ? first.slug : "", body: new Markup(body) };
}

function graphView({ model, base }: PageRequest): View {
  const { catalogue, relations, backlinks } = model;
  if (!catalogue.documents.some(({ record }) => record)) {
    return { title: "Graph of decisions", content: markup`<p>There are no decision records.</p>` };
  }
  // Records that state no relations may link to each other.
  const mentions = [...backlinks].flatMap(([to, linking]) =>
    [...linking].flatMap(({ key: from, record }) =>
      record && catalogue.get(to)!.record ? { from, to, kind: "mentions" as const } : []
    )
  );
  const stated = relations.length > 0 ? relations : mentions;
  const drawing = new Markup(drawGraph(catalogue.documents, stated, (one) => base + addressOf(one)));
  const content =
    markup`<div class="graph-box" role="region" aria-label="Graph" tabindex="0">${drawing}</div>`;
  return { title: "Graph of decisions", content };
}

/** Documents by the year of their date: bars that lead to the years, and lists of links. */
function timelineView(request: PageRequest): View {
  const { newest } = request.model, shown = newest.slice(0, MAX_DATED);
  const years = [...Map.groupBy(shown, (document) => dayOf(document).slice(0, 4))];
  const most = Math.max(...years.map(([, { length }]) => length));
  const classOf = (document: Document) => standing(currentStatus(document)) ?? "other";
  const bars = years.toReversed().map(([year, own]) => {
    let y = 64;
    const groups = Map.groupBy(own, classOf);
    const parts = [...groups.keys()].sort().map((kind) => {
      const height = Math.ceil(60 * groups.get(kind)!.length / most);
      return markup`<rect class="${kind}" width="28" height="${height}" y="${y -= height}"/>`;
    });
    return markup`<li><a href="#y${year}"><svg width="28" height="64" aria-hidden="true">${parts}</svg>${year}
<span class="count">${own.length}</span></a></li>\n`;
  });
  const lists = years.map(([year, own]) => {
    const rows = own.map((document) => {
      const date = markup`<span class="date">${dayOf(document)}</span>`;
      return markup`<li class="${classOf(document)}">${date} ${labelled(request, document)}</li>\n`;
    });
    return markup`<h2 id="y${year}">${year}</h2>\n<ol>\n${rows}</ol>\n`;
  });
  const list = markup`<ol class="years">${bars}</ol>\n<div class="timeline">${lists}</div>`;
  const all = first(newest, MAX_DATED, () => list);
  return { title: "Timeline", content: all || markup`<p>No document has a date.</p>` };
}

function findingsView(request: PageRequest): View {
  const { findings, catalogue } = request.model;
  const byLabel = new Map(catalogue.documents.map((document) => [document.label, document]));
  const groups = Map.groupBy(findings, ({ severity, rule }) => `${severity}: ${rule}`);
  const place = ({ file, line, message }: Finding) => {
    const document = byLabel.get(file), name = line === undefined ? file : `${file}, line ${line}`;
    return markup`<li>${document ? pageLink(request, document, name) : name}<p>${message}</p></li>\n`;
  };
  const sorted = [...groups].sort(([one], [other]) => one < other ? -1 : 1);
  const sections = sorted.map(([name, found]) => {
    const list = first(found, MAX_PLACES, (shown) => markup`<ul class="items">${shown.map(place)}</ul>`);
    return section(`${name} (${found.length})`, [markup`<p>${found[0]!.help}</p>`, list]);
  });
  const says = findings.length === 0 ? "nothing wrong" : count(findings.length, "problem");
  const content = markup`<p>check finds ${says}.</p>\n${sections}`;
  return { title: "Findings", content };
}

/** The documents in the answer of a tool, each with more of it. */
function answerItems(
  request: PageRequest,
  member: "documents" | "hits",
  more: (answer: JsonObject, document: Document) => Part,
): Part {
  const found = new Map(
    asArray(asObject(request.found)[member]).map(asObject).flatMap((answer): [Document, Part][] => {
      const [document] = request.model.catalogue.find(`${answer["uri"]}`).documents;
      return document ? [[document, more(answer, document)]] : [];
    }),
  );
  return found.size > 0 && items(request, [...found.keys()], (document) => found.get(document));
}

function pathsView(request: PageRequest): View {
  const { model, found, query, base, isLive } = request;
  if (!isLive) {
    const stated = model.catalogue.documents.filter(({ appliesTo }) => appliesTo.length > 0);
    const text = markup`<p>Documents that say which files they apply to: ${stated.length}.</p>`;
    const content = [text, stated.length > 0 && items(request, stated, patternsOf)];
    return { title: "Decisions by path", content };
  }
  const list = answerItems(request, "documents", ({ matched, paths }) => {
    return markup`applies to <code>${`${matched}`}</code>: ${asArray(paths).join(", ")}`;
  });
  const none = asString(found) ?? "No document says that it applies to these files (applies-to).";
  const omitted = Number(asObject(found)["omitted"] ?? 0);
  const lines = pathsOf(query).map((path) => [path, new Markup("\n")]);
  const content = markup`<form action="${base}paths.html">
<label for="page.paths">Paths from the root of the repository, a line each</label>
<textarea id="page.paths" name="paths" rows="3" maxlength="4000">${lines}</textarea>
<button>Find</button></form>
${found !== undefined && (list || markup`<p>${none}</p>`)}
${omitted > 0 && markup`<p>and ${omitted} more</p>`}`;
  return { title: "Which decisions apply to these files", content };
}

function searchView(request: PageRequest): View {
  const { found } = request, words = wordsOf(request.query);
  const list = answerItems(request, "hits", ({ section, excerpt, matched }, document) => {
    const slug = asString(section);
    const place = slug !== undefined && [pageLink(request, document, `#${slug}`, slug), " "];
    return [place, highlighted(`${excerpt}`, termsOf(matched))];
  });
  const total = Number(asObject(found)["total"] ?? 0);
  const says = words === "" ? "Type what to look for." : `${count(total, "document")} found for "${words}".`;
  const content = markup`<div id="page.results"><p class="status">${
    asString(found) ?? says
  }</p>${list}</div>`;
  return { title: words === "" ? "Search" : `Search: ${words}`, content };
}

/** The terms that a hit has, from "term in title, body" and "term as others, more in body". */
function termsOf(matched: unknown): Set<string> {
  const forms = asArray(matched).map((text) => /^(.*?)(?: as (.*))? in [a-z, ]*$/s.exec(`${text}`));
  return new Set(forms.flatMap((form) => form?.[2]?.split(", ") ?? form?.[1] ?? []));
}

/** A text with some of its terms marked. */
function highlighted(text: string, terms: ReadonlySet<string>): Part {
  const parts: Part[] = [];
  let at = 0;
  tokenize(text, (term, start, end) => {
    if (!terms.has(term) || start < at) return;
    parts.push(text.slice(at, start), markup`<mark>${text.slice(start, end)}</mark>`);
    at = end;
  });
  return [...parts, text.slice(at)];
}
