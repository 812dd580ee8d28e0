/** The HTML of every view, from a model and an address alone. All text passes `markup`, which escapes it. */

import type { JsonObject } from "../base/json.ts";
import type { Document } from "../documents/catalogue.ts";
import type { Finding } from "../documents/folder_store.ts";
import type { Model } from "./model.ts";
import { asArray, asObject, asString } from "../base/json.ts";
import { escapeHtml, printable } from "../base/text.ts";
import { readMarkdown } from "../documents/markdown.ts";
import { currentStatus, isInForce, isOver } from "../documents/metadata.ts";
import { toUri } from "../documents/uri.ts";
import { tokenize } from "../search/tokenizer.ts";
import {
  addressOf,
  countBy,
  dayOf,
  filtered,
  listAddress,
  listPage,
  nameOf,
  PAGE_SIZE,
  pageCount,
  SHORT_LIST,
} from "./model.ts";

/** How much of a document is shown, in UTF-16 units, how much of its outline, and of the places of a rule. */
const MAX_TEXT = 1024 * 1024, MAX_OUTLINE = 200, MAX_PLACES = 200;
/** The most tags on the overview, values in a filter, and paths that are asked about. */
const MAX_TAGS = 30, MAX_CHOICES = 200, MAX_PATHS = 100;

/** A page that is asked for. */
export interface PageRequest {
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
function markup(strings: TemplateStringsArray, ...parts: readonly Part[]): Markup {
  return new Markup(strings.map((text, index) => text + textOf(parts[index])).join(""));
}

function textOf(part: Part): string {
  if (part instanceof Markup) return part.text;
  if (typeof part === "object") return part.map(textOf).join("");
  return part === undefined || typeof part === "boolean" ? "" : escapeHtml(printable(`${part}`));
}

interface View {
  readonly title: string;
  readonly content: Markup;
}

/** Makes the whole page at an address; undefined when there is none. */
export function renderPage(model: Model, request: PageRequest): string | undefined {
  const { address, isLive } = request;
  if (!model.has(address, isLive)) return undefined;
  const document = model.documentAt(address);
  const view = document
    ? documentView(model, request, document)
    : VIEWS[address]?.(model, request) ?? listView(model, request);
  return layout(model, request, view);
}

/** Makes the page for an address that has none. */
export function renderMissing(model: Model, request: PageRequest): string {
  const near = model.catalogue.nearest(request.address.replace(/\.html$/, ""));
  const meant = near.length > 0 && markup`<p>Was one of these meant?</p>${items(request, near)}`;
  const content =
    markup`<h1>There is no such page</h1><p><a href="${request.base}">See all documents</a></p>${meant}`;
  return layout(model, request, { title: "Not found", content });
}

/** The tool that a view shows the answer of, with its arguments; undefined for none. */
export function toolOf({ address, query }: PageRequest): [name: string, args: JsonObject] | undefined {
  if (address === "search.html") {
    const text = query.get("q")?.trim() ?? "";
    return text === "" ? undefined : ["search_documents", { query: text, limit: 20 }];
  }
  const paths = address === "paths.html" ? pathsOf(query) : [];
  return paths.length === 0 ? undefined : ["decisions_for", { paths }];
}

function pathsOf(query: URLSearchParams): string[] {
  const paths = (query.get("paths") ?? "").split(/\r?\n/).map((path) => path.trim());
  return paths.filter((path) => path !== "").slice(0, MAX_PATHS);
}

const NAVIGATION: readonly (readonly [address: string, text: string])[] = [
  ["index.html", "Overview"],
  ["documents.html", "Documents"],
  ["findings.html", "Findings"],
  ["paths.html", "By path"],
];

/** The ids of this page have a dot, which the slugs of documents have not. */
function layout(
  model: Model,
  { address, base, isLive, query }: PageRequest,
  { title, content }: View,
): string {
  const links = NAVIGATION.filter(([to]) => model.has(to, isLive)).map(([to, text]) =>
    markup`<li><a href="${base}${to === "index.html" ? "" : to}"${to === address && CURRENT}>${text}</a></li>`
  );
  const words = address === "search.html" ? query.get("q") ?? "" : "";
  const search =
    markup`<search><form action="${base}search.html" class="search"><label for="page.q">Search</label>
<input id="page.q" name="q" type="search" value="${words}" maxlength="1000" autocomplete="off">
<button>Search</button></form><p role="status" class="hidden" id="page.status"></p><div id="page.found"></div></search>`;
  const note = model.options.note;
  return markup`<!doctype html>
<html lang="en"${isLive && markup` data-events="${base}events"`}>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${base}style.css">
<script src="${base}script.js" defer></script>
</head>
<body>
<a class="skip" href="#page.main">Skip to content</a>
<header><nav aria-label="Views"><ul>${links}</ul></nav>
${isLive && search}</header>
<main id="page.main" tabindex="-1">
${content}
</main>
<footer>${
    note !== undefined && markup`<p>${note}</p>`
  }<p>${model.catalogue.documents.length} documents, shown by Architrave</p></footer>
</body>
</html>
`.text;
}

const CURRENT = markup` aria-current="page"`;

type Render = (model: Model, request: PageRequest) => View;

const VIEWS: Readonly<Record<string, Render>> = {
  "index.html": overview,
  "findings.html": findingsView,
  "paths.html": pathsView,
  "search.html": searchView,
};

function overview(model: Model, request: PageRequest): View {
  const { documents, categories } = model.catalogue;
  const records = documents.filter(({ record }) => record);
  const counts = (name: string, values: readonly [value: string, count: number][]) => {
    const rows = values.map(([value, count]) => {
      const example = name === "status" && records.find((record) => currentStatus(record) === value);
      const text = markup`${example ? badge(example) : value} <b>${count}</b>`;
      return markup`<li>${filterLink(request, name, value, text)}</li>`;
    });
    return rows.length > 0 && markup`<ul class="counts">${rows}</ul>`;
  };
  const short = (found: readonly Document[]) => {
    const more = found.length > SHORT_LIST && markup`<p>and ${found.length - SHORT_LIST} more</p>`;
    return found.length > 0 && [items(request, found.slice(0, SHORT_LIST)), more];
  };
  const tags = countBy(documents, ({ tags }) => [...new Set(tags)]).slice(0, MAX_TAGS);
  const overdue = model.overdue();
  const content = markup`<h1>Overview</h1>
<p>${documents.length} documents in ${categories.length} categories; ${records.length} of them are decision records.</p>
${section("Decisions by status", counts("status", countBy(records, currentStatus)))}
${section("Newest decisions", short(model.newest().slice(0, SHORT_LIST)))}
${section(`Overdue reviews (${overdue.length})`, short(overdue))}
${section("Categories", counts("category", countBy(documents, ({ category }) => category)))}
${section("Tags", counts("tag", tags))}`;
  return { title: "Overview", content };
}

/** A part of a page with a heading; nothing without content. */
function section(title: string, content: Part): Part {
  return content && markup`<section><h2>${title}</h2>${content}</section>`;
}

/** A link to the documents with a value; only its text where no server answers it. */
function filterLink({ base, isLive }: PageRequest, name: string, value: string, text: Part = value): Part {
  const query = new URLSearchParams({ [name]: value });
  return isLive ? markup`<a href="${base}documents.html?${query.toString()}">${text}</a>` : text;
}

/** The status of a record, with the class of what it means. */
function badge(document: Document): Part {
  const status = currentStatus(document);
  const kind = isOver(document) ? "over" : isInForce(document) ? "good" : "open";
  return status !== undefined && markup`<span class="badge ${kind}">${status}</span>`;
}

function pageLink(
  { base }: PageRequest,
  document: Document,
  text: Part = nameOf(document),
  fragment = "",
): Markup {
  return markup`<a href="${base}${addressOf(document)}${fragment}">${text}</a>`;
}

/** A list of documents, each with a line of what is known of it, and more. */
function items(
  request: PageRequest,
  documents: readonly Document[],
  more?: (document: Document, index: number) => Part,
): Markup {
  const rows = documents.map((document, index) => {
    const facts = [dayOf(document), document.category].filter(Boolean).join(" · ");
    const text = more
      ? more(document, index)
      : document.description && markup`<p>${document.description}</p>`;
    return markup`<li>${pageLink(request, document)} ${
      badge(document)
    } <span class="facts">${facts}</span>${text}</li>
`;
  });
  return markup`<ul class="items">
${rows}</ul>`;
}

function listView(model: Model, request: PageRequest): View {
  const { catalogue } = model;
  const { address, query, base, isLive } = request;
  const value = (name: string) => query.get(name) ?? "";
  const filter = {
    category: value("category"),
    status: value("status"),
    tag: value("tag"),
    text: value("text"),
  };
  const found = filtered(catalogue, filter);
  const count = pageCount(found.length), page = Math.min(listPage(address) ?? 1, count);
  const shown = found.slice((page - 1) * PAGE_SIZE, page * PAGE_SIZE);
  const kept = new URLSearchParams(Object.entries(filter).filter(([, text]) => text !== "")).toString();
  const to = (number: number, text: Part, rel: string) =>
    markup`<a rel="${rel}" href="${base}${listAddress(number)}${kept && `?${kept}`}">${text}</a>`;
  const pages = count > 1 &&
    markup`<nav aria-label="Pages" class="pages">${page > 1 && to(page - 1, "Previous", "prev")}
<span>Page ${page} of ${count}</span> ${page < count && to(page + 1, "Next", "next")}</nav>`;
  const { documents } = catalogue;
  const choice = (
    name: "category" | "status" | "tag",
    label: string,
    values: readonly [string, number][],
  ) => {
    const known = values.slice(0, MAX_CHOICES).map(([text]) => text);
    const all = filter[name] === "" || known.includes(filter[name]) ? known : [filter[name], ...known];
    const options = all.sort().map((text) =>
      markup`<option${text === filter[name] && markup` selected`}>${text}</option>`
    );
    return markup`<label>${label} <select name="${name}"><option value="">all</option>${options}</select></label>
`;
  };
  const form = isLive && markup`<form action="${base}documents.html" class="filters">
${choice("category", "Category", countBy(documents, ({ category }) => category))}${
    choice("status", "Status", countBy(documents, currentStatus))
  }${
    choice("tag", "Tag", countBy(documents, ({ tags }) => tags))
  }<label>Text <input name="text" value="${filter.text}" maxlength="200"></label>
<button>Filter</button>${kept && markup` <a href="${base}documents.html">Show all</a>`}</form>`;
  const content = markup`<h1>Documents</h1>
${form}
<p>${found.length} of ${documents.length} documents</p>
${shown.length > 0 && items(request, shown)}${pages}`;
  return { title: page > 1 ? `Documents, page ${page}` : "Documents", content };
}

function documentView(model: Model, request: PageRequest, document: Document): View {
  const { category, label, tags, appliesTo, reviewBy, record, key } = document;
  const whole = model.text(document);
  const text = shownText(whole ?? "");
  const { sections } = readMarkdown(text);
  const terms: [name: string, value: Part][] = [
    ["Status", badge(document)],
    ["Date", record?.date],
    ["Category", filterLink(request, "category", category)],
    ["Tags", tags.map((tag, index) => [index > 0 && ", ", filterLink(request, "tag", tag)])],
    ["Applies to", appliesTo.map((pattern) => markup`<code>${pattern}</code> `)],
    ["Review by", reviewBy],
    ["File", label],
    ["URI", markup`<code>${toUri(key, model.scheme)}</code>`],
  ];
  const facts = terms.filter(([, value]) => textOf(value) !== "")
    .map(([name, value]) =>
      markup`<dt>${name}</dt><dd>${value}</dd>
`
    );
  const outline = sections.filter(({ level, slug }) => level > 1 && slug !== "").slice(0, MAX_OUTLINE).map((
    { level, title, slug },
  ) =>
    markup`<li class="level${level}"><a href="#${encodeURIComponent(slug)}">${title}</a></li>
`
  );
  const notice = whole === undefined
    ? "This document cannot be read any more."
    : isOver(document)
    ? "This decision is no longer in force."
    : undefined;
  const linking = model.backlinks.get(key) ?? [];
  const content = markup`<article>
<h1>${nameOf(document)}</h1>
${notice !== undefined && markup`<p class="notice">${notice}</p>`}
<dl class="facts">${facts}</dl>
${
    outline.length > 1 &&
    markup`<nav aria-label="Outline" class="outline"><h2>Outline</h2><ul>${outline}</ul></nav>`
  }
<div class="text"><pre>${plainText(text)}</pre></div>
${
    text.length < (whole ?? "").length &&
    markup`<p class="notice">Only the first ${text.length} of ${whole!.length} characters are shown.</p>`
  }
</article>
${section("Linked from", linking.length > 0 && items(request, linking))}`;
  return { title: nameOf(document), content };
}

/** A text as it is written, with anchors at its sections. */
function plainText(text: string): Markup {
  const { lines, sections } = readMarkdown(text);
  const slugs = new Map(sections.map(({ line, slug }) => [line, slug]));
  return new Markup(
    lines.map((line, index) => {
      const slug = slugs.get(index) ?? "";
      return slug === "" ? escapeHtml(line) : `<b id="${escapeHtml(slug)}">${escapeHtml(line)}</b>`;
    }).join("\n"),
  );
}

/** Characters that steer the direction of a text, or a terminal. */
// deno-lint-ignore no-control-regex
const STEERING = /(?![\t\n\r])[\u0000-\u001f\u007f-\u009f]|[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** As much of a text as is shown, up to the end of a line, with such characters spelled out. */
function shownText(text: string): string {
  const part = text.length <= MAX_TEXT
    ? text
    : text.slice(0, text.lastIndexOf("\n", MAX_TEXT) + 1 || MAX_TEXT);
  return part.toWellFormed().replace(STEERING, printable);
}

function findingsView({ findings, catalogue }: Model, request: PageRequest): View {
  const byLabel = new Map(catalogue.documents.map((document) => [document.label, document]));
  const groups = [...Map.groupBy(findings, ({ severity, rule }) => `${severity}: ${rule}`)]
    .sort(([one], [other]) => one < other ? -1 : 1);
  const place = ({ file, line, message }: Finding) => {
    const document = byLabel.get(file);
    const name = line === undefined ? file : `${file}, line ${line}`;
    return markup`<li>${document ? pageLink(request, document, name) : name}<p>${message}</p></li>
`;
  };
  const sections = groups.map(([name, found]) => {
    const more = found.length > MAX_PLACES && markup`<p>and ${found.length - MAX_PLACES} more</p>`;
    return section(
      `${name} (${found.length})`,
      markup`<p>${found[0]!.help}</p>
<ul class="items">${found.slice(0, MAX_PLACES).map(place)}</ul>${more}`,
    );
  });
  const content = markup`<h1>Findings</h1>
<p>${findings.length === 0 ? "check finds nothing wrong." : `check finds ${findings.length} problems.`}</p>
${sections}`;
  return { title: "Findings", content };
}

function pathsView(model: Model, request: PageRequest): View {
  const { found, query, base } = request;
  const documents = asArray(asObject(found)["documents"]).map(asObject);
  const list = answerItems(
    model,
    request,
    documents,
    ({ matched, paths }) =>
      markup`<p>applies to <code>${asString(matched)}</code>: ${asArray(paths).join(", ")}</p>`,
  );
  const omitted = Number(asObject(found)["omitted"] ?? 0);
  const content = markup`<h1>Which decisions apply to these files</h1>
<form action="${base}paths.html" class="paths"><label for="page.paths">Paths from the root of the repository, a line each</label>
<textarea id="page.paths" name="paths" rows="3" maxlength="4000">${new Markup(
    escapeHtml(pathsOf(query).map(printable).join("\n")),
  )}</textarea>
<button>Find</button></form>
${typeof found === "string" && markup`<p class="notice">${found}</p>`}
${
    typeof found === "object" && documents.length === 0 &&
    markup`<p>No document says that it applies to these files (applies-to).</p>`
  }
${list}${omitted > 0 && markup`<p>and ${omitted} more, less specific</p>`}`;
  return { title: "Decisions by path", content };
}

/** The documents of an answer of a tool, each with more of it. */
function answerItems(
  { catalogue }: Model,
  request: PageRequest,
  answers: readonly JsonObject[],
  more: (answer: JsonObject, document: Document) => Part,
): Part {
  const known = answers.flatMap((answer) => {
    const [document] = catalogue.find(asString(answer["uri"]) ?? "").documents;
    return document ? [{ document, answer }] : [];
  });
  return known.length > 0 &&
    items(
      request,
      known.map(({ document }) => document),
      (document, index) => more(known[index]!.answer, document),
    );
}

function searchView(model: Model, request: PageRequest): View {
  const { found, query } = request;
  const hits = asArray(asObject(found)["hits"]).map(asObject);
  const words = query.get("q")?.trim() ?? "";
  const list = answerItems(model, request, hits, ({ section, excerpt, matched }, document) => {
    const text = highlighted(asString(excerpt) ?? "", wordsOf(matched));
    const slug = asString(section);
    const place = slug === undefined
      ? undefined
      : pageLink(request, document, `#${slug}`, `#${encodeURIComponent(slug)}`);
    return markup`<p>${place} ${text}</p>`;
  });
  const total = Number(asObject(found)["total"] ?? 0);
  const says = typeof found === "string"
    ? found
    : words === ""
    ? "Type what to look for."
    : `${total} documents match "${words}".`;
  const content = markup`<h1>Search</h1>
<div id="page.results"><p class="status">${says}</p>${list}</div>`;
  return { title: words === "" ? "Search" : `Search: ${words}`, content };
}

/** The terms that a hit has, from "term in title, body" and "term as others, more in body". */
function wordsOf(matched: unknown): Set<string> {
  const forms = asArray(matched).map((text) => /^(.*?)(?: as (.*))? in [a-z, ]*$/s.exec(`${text}`));
  return new Set(forms.flatMap((form) => form?.[2]?.split(", ") ?? form?.[1] ?? []));
}

/** A text with the words that were found marked. */
function highlighted(text: string, words: ReadonlySet<string>): Part {
  const parts: Part[] = [];
  let at = 0;
  tokenize(text, (term, start, end) => {
    if (!words.has(term) || start < at) return;
    parts.push(text.slice(at, start), markup`<mark>${text.slice(start, end)}</mark>`);
    at = end;
  });
  return [...parts, text.slice(at)];
}
