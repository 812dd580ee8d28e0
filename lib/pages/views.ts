/** The HTML of every page, from a model and an address alone. All text passes `markup`, which escapes it. */

import type { Awaitable } from "../base/async.ts";
import type { JsonObject } from "../base/json.ts";
import type { Document } from "../documents/catalogue.ts";
import type { Finding } from "../documents/findings.ts";
import type { Facet, Model } from "./model.ts";
import { asArray, asObject, asString } from "../base/json.ts";
import { capitalized, compare, count, escapeHtml, printable } from "../base/text.ts";
import { ATX, readMarkdown } from "../formats/markdown/document.ts";
import { currentStatus, isOver, isOverdue, numberedTitle, standing } from "../documents/metadata.ts";
import { nearestDocuments } from "../documents/nearest.ts";
import { toUri } from "../documents/uri.ts";
import { KINDS } from "./relations.ts";
import { drawGraph } from "./graph.ts";
import { toHtml } from "../formats/markdown/render.ts";
import { tokenize } from "../search/tokenizer.ts";
import { MARK, POLICY } from "./assets.ts";
import { dayOf, facetsOf } from "./model.ts";

/** The most rows of lists, of short ones, and of the timeline; the most hits, and UTF-16 units of a document. */
const MAX_ROWS = 100, MAX_SHORT = 10, MAX_DATED = 2000, MAX_HITS = 20, MAX_TEXT = 1024 * 1024;

/** Calls a tool of the server; gives its data, or its text when it fails. */
export type CallTool = (name: string, args: JsonObject) => Promise<JsonObject | string>;

interface PageRequest {
  readonly model: Model;
  /** Relative to the base: "index.html", "adr/007-use-x.html". */
  readonly address: string;
  /** What links begin with: "/" or "/path/". */
  readonly base: string;
  readonly query: URLSearchParams;
  /** Missing in files: no server answers forms and reports changes. */
  readonly callTool?: CallTool;
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
const VIEWS: ReadonlyMap<string, readonly [name: string, view: (request: PageRequest) => Awaitable<View>]> =
  new Map([
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

export async function renderPage(request: PageRequest): Promise<{ isFound: boolean; html: string }> {
  const { model: { catalogue }, address, callTool } = request;
  const [key = "", ending] = address.split(/(\.html)$/), document = ending && catalogue.get(key);
  const view = document ? documentView(request, document) : VIEWS.get(address)?.[1](request);
  if (view) return { isFound: true, html: layout(request, await view) };
  const content = section("Did you mean", items(request, callTool ? nearestDocuments(catalogue, key) : []));
  return { isFound: false, html: layout(request, { title: "There is no such page", content }) };
}

const wordsOf = (query: URLSearchParams): string => query.get("q")?.trim() ?? "";

/** The frame of every page. Its ids have a dot, which the slugs of sections have not. */
function layout(
  { model, address, base, callTool, query }: PageRequest,
  { title, id = "", content }: View,
): string {
  const total = count(model.catalogue.documents.length, "document");
  const links = [...VIEWS].map(([to, [name]]) =>
    name !== "" &&
    markup`<li><a href="${base}${to}"${to === address && markup` aria-current="page"`}>${name}</a></li>`
  );
  const search = markup`
<search><form action="${base}${callTool ? "search" : "documents"}.html"><label for="page.q">Search</label>
<input id="page.q" name="q" type="search" value="${wordsOf(query)}" maxlength="1000" autocomplete="off">
<button>Search</button></form><p role="status" class="hidden" id="page.status"></p><div id="page.found"></div></search>`;
  const alone = markup`<meta name="generator" content="${MARK}">
<meta http-equiv="content-security-policy" content="${POLICY}">
<link rel="alternate" type="application/atom+xml" title="Decisions" href="${base}feed.xml">\n`;
  return markup`<!doctype html>
<html lang="en"${callTool ? markup` data-events="${base}events"` : markup` data-index="${base}search.json"`}>
<head>
<meta charset="utf-8">
${!callTool && alone}<meta name="viewport" content="width=device-width, initial-scale=1">
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
<footer><p>${total}, shown by Architrave. ${model.options.note}</p></footer>
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
function filterLink({ base }: PageRequest, name: Facet, value: string, text: Part = value): Part {
  const query = new URLSearchParams({ [name]: value });
  return markup`<a href="${base}documents.html?${query.toString()}">${text}</a>`;
}

const badge = (status = ""): Part =>
  status && markup`<span class="badge ${standing(status)}">${status}</span>`;

const patternsOf = ({ appliesTo }: Document): Part => appliesTo.map((one) => markup`<code>${one}</code> `);

export const nameOf = ({ title, record }: Document): string => numberedTitle(title, record?.number);

function pageLink({ base }: PageRequest, document: Document, text = nameOf(document), slug = ""): Part {
  return markup`<a href="${base}${addressOf(document)}${slug && `#${encodeURIComponent(slug)}`}">${text}</a>`;
}

/** A link to a document, and its status. */
function labelled(request: PageRequest, document: Document): Part {
  return [pageLink(request, document), " ", badge(currentStatus(document))];
}

/** A list of the first of some things, and how many more there are; nothing without any. */
function list<T>(name: string, all: readonly T[], most: number, row: (one: T) => Part): Part {
  const rows = all.slice(0, most).map((one) => markup`<li>${row(one)}</li>\n`);
  const more = all.length > most && markup`<p>and ${all.length - most} more</p>`;
  return all.length > 0 && markup`<ul class="${name}">\n${rows}</ul>${more}`;
}

/** A list of documents, each with a line of what is known of it, and its description or what else is said of it. */
function items(
  request: PageRequest,
  documents: readonly Document[],
  most: number = MAX_ROWS,
  more: (document: Document) => Part = ({ description }) => description,
): Part {
  return list("items", documents, most, (document) => {
    const facts = [dayOf(document), document.category].filter(Boolean).join(" · "), text = more(document);
    const name = labelled(request, document);
    return markup`${name} <span class="facts">${facts}</span>${text && markup`<p>${text}</p>`}`;
  });
}

function overview(request: PageRequest): View {
  const { catalogue: { documents, categories }, counts, newest, options: { today } } = request.model;
  const records = documents.filter(({ record }) => record);
  const overdue = documents.filter((document) => isOverdue(document, today))
    .sort((one, other) => compare(one.reviewBy!, other.reviewBy!));
  const statuses = list("counts", counts.status, MAX_ROWS, ([value, count]) => {
    return filterLink(request, "status", value, markup`${badge(value)} <b>${count}</b>`);
  });
  const all = count(documents.length, "document"), groups = count(categories.length, "category");
  const content = [
    markup`<p>${all} in ${groups}, with ${count(records.length, "decision record")}.</p>\n`,
    section("Decisions by status", statuses),
    section("Newest decisions", items(request, newest.slice(0, MAX_SHORT))),
    section(`Overdue reviews (${overdue.length})`, items(request, overdue, MAX_SHORT)),
  ];
  return { title: "Overview", content };
}

/** The documents that the fields of the form allow; "" allows all. */
function listView(request: PageRequest): View {
  const { model: { catalogue: { documents }, counts }, query, base, callTool } = request;
  const names = ["category", "status", "tag"] as const;
  const facets = names.map((name) => [name, query.get(name) ?? ""] as const);
  const text = query.get("text") ?? "", words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const found = documents.filter((document) =>
    facets.every(([name, value]) => value === "" || facetsOf(document)[name].includes(value)) &&
    words.every((word) => `${nameOf(document)} ${document.description ?? ""}`.toLowerCase().includes(word))
  );
  const choices = facets.map(([name, value]) => {
    const known = counts[name].slice(0, MAX_ROWS).map(([known]) => known);
    const options = [...new Set(["", value, ...known])].sort().map((one) => {
      return markup`<option value="${one}"${one === value && markup` selected=""`}>${one || "all"}</option>`;
    });
    return markup`<label>${capitalized(name)} <select name="${name}">${options}</select></label>\n`;
  });
  const most = callTool && !query.has("all") ? MAX_ROWS : Infinity;
  const all = new URLSearchParams([...query, ["all", ""]]).toString();
  const content = [
    markup`<form action="${base}documents.html" class="filters">${choices}
<label>Text <input name="text" value="${text}" maxlength="200"></label> <button>Filter</button></form>
<p id="page.count">${found.length} of ${documents.length} documents</p>\n`,
    items(request, found, most),
    found.length > most && markup`<p><a href="${base}documents.html?${all}">Show all</a></p>`,
  ];
  return { title: "Documents", content };
}

async function documentView(request: PageRequest, document: Document): Promise<View> {
  const { model } = request;
  const { category, label, tags, reviewBy, record, key } = document;
  await model.store.readable(document);
  const backlinks = await model.backlinks;
  const whole = model.store.text(document) ?? "", isLong = whole.length > MAX_TEXT;
  const text = isLong ? whole.slice(0, whole.lastIndexOf("\n", MAX_TEXT) + 1 || MAX_TEXT) : whole;
  const { outline, id, body } = readText(request, document, text);
  const related = model.relations.filter(({ from, to }) => from === key || to === key);
  const relations = list("", related, MAX_ROWS, ({ from, to, kind }) => {
    const [other, word] = from === key ? [to, KINDS[kind][0]] : [from, KINDS[kind][1]];
    return [capitalized(word), " ", labelled(request, model.catalogue.get(other)!)];
  });
  const chain = model.history(document);
  const history = list("", chain, MAX_ROWS, (one) => {
    const shown = [labelled(request, one), " ", dayOf(one)];
    return one === document ? markup`<span aria-current="true">${shown}</span>` : shown;
  });
  const facts: [name: string, value: Part][] = [
    ["Status", badge(currentStatus(document))],
    ["Date", record?.date],
    ["Category", filterLink(request, "category", category)],
    ["Tags", tags.map((tag, index) => [index > 0 && ", ", filterLink(request, "tag", tag)])],
    ["Applies to", patternsOf(document)],
    ["Review by", reviewBy],
    ["File", label],
    ["URI", markup`<code>${toUri(key, model.store.scheme)}</code>`],
  ];
  const known = facts.map(([name, value]) => textOf(value) && markup`<dt>${name}</dt><dd>${value}</dd>\n`);
  const notice = (isShown: boolean, text: string) => isShown && markup`<p class="notice">${text}</p>\n`;
  const content = [
    markup`<article>\n`,
    notice(isOver(document), "This decision is no longer in force."),
    notice(whole === "", "This document is empty, or cannot be read any more."),
    markup`<dl class="facts">${known}</dl>`,
    outline && markup`<nav aria-label="Outline" class="outline">${outline}</nav>`,
    markup`<div class="text">${body}</div>`,
    notice(isLong, `Only the first ${text.length} of ${whole.length} characters are shown.`),
    markup`</article>\n`,
    section("Relations", relations),
    section("History", chain.length > 1 && history),
    section("Linked from", items(request, [...backlinks.get(key) ?? []])),
  ];
  return { title: nameOf(document), id, content };
}

/** Characters that steer the direction of a text. */
const STEERING = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** The outline and the text of a document; a title in front of it becomes that of the page, and `id` is its slug. */
function readText({ model: { catalogue }, base }: PageRequest, document: Document, text: string) {
  const { lines, front: { bodyLine }, sections } = readMarkdown(text.toWellFormed());
  const [first] = sections;
  const isFirst = first?.level === 1 && first.title === document.title &&
    lines.slice(bodyLine, first.line).every((line) => line.trim() === "");
  const start = isFirst ? first.line + (ATX.test(lines[first.line]!) ? 1 : 2) : bodyLine;
  const named = sections.filter(({ slug, line }) => slug !== "" && line >= start);
  const inner = named.filter(({ level }) => level > 1);
  const outline = list("", inner, MAX_ROWS, ({ level, title, slug }) => {
    return markup`<a class="level${level}" href="#${encodeURIComponent(slug)}">${title}</a>`;
  });
  const link = (target: string): string | undefined => {
    const { documents = [], fragment = "" } = catalogue.follow(document, target) ?? {};
    if (documents.length !== 1) return undefined;
    const page = documents[0] === document ? "" : base + addressOf(documents[0]!);
    return fragment === "" ? page || "#" : `${page}#${encodeURIComponent(fragment)}`;
  };
  const ids = new Map(named.map(({ line, slug }) => [line - start, slug]));
  const html = toHtml(lines.slice(start).join("\n"), { link, ids });
  // Text is escaped, so "<table>" is a tag, which scrolls by keyboard, too. Entities may stand for steering characters.
  const body = html.replaceAll("<table>", '<table tabindex="0">').replace(STEERING, printable);
  return { outline: inner.length > 1 && outline, id: isFirst ? first.slug : "", body: new Markup(body) };
}

async function graphView({ model, base }: PageRequest): Promise<View> {
  const { catalogue: { documents }, relations } = model, backlinks = await model.backlinks;
  const title = "Graph of decisions", records = documents.filter(({ record }) => record);
  if (records.length === 0) return { title, content: markup`<p>There are no decision records.</p>` };
  // Records that state no relations may link to each other.
  const mentions = records.flatMap(({ key: to }) => {
    const linking = [...backlinks.get(to) ?? []].filter(({ record }) => record);
    return linking.map(({ key: from }) => ({ from, to, kind: "mentions" as const }));
  });
  const shown = relations.length > 0 ? relations : mentions;
  const drawing = drawGraph(documents, shown, (one) => base + addressOf(one));
  const box = markup`<div class="graph-box" role="region" aria-label="Graph" tabindex="0">`;
  return { title, content: [box, new Markup(drawing), markup`</div>`] };
}

function timelineView(request: PageRequest): View {
  const { newest } = request.model;
  const years = Map.groupBy(newest.slice(0, MAX_DATED), (document) => dayOf(document).slice(0, 4));
  const row = (document: Document) =>
    markup`<span class="date">${dayOf(document)}</span> ${labelled(request, document)}`;
  const lists = Array.from(years, ([year, own]) => section(year, list("", own, MAX_DATED, row)));
  const more = newest.length > MAX_DATED && markup`<p>and ${newest.length - MAX_DATED} more</p>`;
  const content = newest.length > 0 ? [lists, more] : markup`<p>No document has a date.</p>`;
  return { title: "Timeline", content: markup`<div class="timeline">${content}</div>` };
}

async function findingsView(request: PageRequest): Promise<View> {
  const { catalogue } = request.model, findings = await request.model.findings;
  const byLabel = new Map(catalogue.documents.map((document) => [document.label, document]));
  const groups = Map.groupBy(findings, ({ severity, rule }) => `${severity}: ${rule}`);
  const place = ({ file, line, message }: Finding) => {
    const document = byLabel.get(file), name = line === undefined ? file : `${file}, line ${line}`;
    return markup`${document ? pageLink(request, document, name) : name}<p>${message}</p>`;
  };
  const sections = [...groups].sort(([one], [other]) => compare(one, other)).map(([name, found]) => {
    const content = [markup`<p>${found[0]!.help}</p>`, list("items", found, MAX_ROWS, place)];
    return section(`${name} (${found.length})`, content);
  });
  const says = findings.length === 0 ? "nothing wrong" : count(findings.length, "problem");
  return { title: "Findings", content: markup`<p>check finds ${says}.</p>\n${sections}` };
}

/** The documents that a tool has found, each with more of what it says. */
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

async function pathsView(request: PageRequest): Promise<View> {
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
<label for="page.paths">Paths from the root of the repository, a line each</label>
<textarea id="page.paths" name="paths" rows="3" maxlength="4000">${shown}</textarea>
<button>Find</button></form>
${found !== undefined && (answer || markup`<p>${none}</p>`)}
${omitted !== undefined && omitted !== 0 && markup`<p>and ${`${omitted}`} more</p>`}`;
  return { title: "Which decisions apply to these files", content };
}

async function searchView(request: PageRequest): Promise<View> {
  // The script asks for few while someone types.
  const words = wordsOf(request.query), limit = request.query.has("few") ? MAX_SHORT : MAX_HITS;
  const found = words === ""
    ? "Type what to look for."
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

/** A text with the terms marked that a hit states as "term in title, body" or "term as others, more in body". */
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
