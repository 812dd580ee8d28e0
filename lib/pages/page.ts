/** Renders every page as HTML from a model and an address. */

import type { Awaitable } from "../base/async.ts";
import type { PageRequest, View } from "./components.ts";
import type { Model } from "./model.ts";
import { count } from "../base/text.ts";
import { nearestDocuments } from "../documents/nearest.ts";
import { MARK, POLICY } from "./assets.ts";
import { documentView } from "./document_view.ts";
import { Markup, markup } from "./markup.ts";
import { addressOf, items, section } from "./components.ts";
import { pathsView, searchView, wordsOf } from "./search_views.ts";
import { timelineView } from "./timeline.ts";
import { findingsView, graphView, listView, overviewView } from "./views.ts";

/** By address: the name of a view in the navigation ("" if it only answers a form), and the function that renders it. */
const VIEWS: ReadonlyMap<string, readonly [name: string, view: (request: PageRequest) => Awaitable<View>]> =
  new Map([
    ["index.html", ["Overview", overviewView]],
    ["documents.html", ["Documents", listView]],
    ["graph.html", ["Graph", graphView]],
    ["timeline.html", ["Timeline", timelineView]],
    ["findings.html", ["Findings", findingsView]],
    ["paths.html", ["By path", pathsView]],
    ["search.html", ["", searchView]],
  ]);

/** The addresses of all pages except those that answer forms, relative to the base. */
export function pageAddresses(model: Model): string[] {
  return [...viewsOf(model).map(([address]) => address), ...model.catalogue.documents.map(addressOf)];
}

/** The views in the navigation. Without patterns, there is nothing by path. */
const viewsOf = ({ hasPatterns }: Model) =>
  [...VIEWS].filter(([address, [name]]) => name !== "" && (hasPatterns || address !== "paths.html"));

export async function renderPage(request: PageRequest): Promise<{ isFound: boolean; html: string }> {
  const { model: { catalogue }, address, callTool } = request;
  const [key = "", ending] = address.split(/(\.html)$/), document = ending && catalogue.get(key);
  const view = document ? documentView(request, document) : VIEWS.get(address)?.[1](request);
  if (view) return { isFound: true, html: layout(request, await view) };
  const near = section("Did you mean", items(request, callTool ? nearestDocuments(catalogue, key) : []));
  const content =
    markup`<p>Go to the <a href="${request.base}index.html">overview</a>, or search.</p>\n${near}`;
  return { isFound: false, html: layout(request, { title: "There is no such page", content }) };
}

/** The mark: a beam on two columns. */
const MARK_PATH = "M1 3h22v5H1zM4 10h5v11H4zM15 10h5v11h-5z";
const ICON = new Markup(
  `data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 24 24'%3E%3Cpath fill='%236878d8' d='${MARK_PATH}'/%3E%3C/svg%3E`,
);

/** The frame of every page. Its ids have a dot, unlike the slugs of sections. */
function layout(
  { model, address, base, callTool, query }: PageRequest,
  { title, id = "", content }: View,
): string {
  const { note, repository: { title: project } } = model.options;
  const total = count(model.catalogue.documents.length, "document");
  const links = viewsOf(model).map(([to, [name]]) =>
    markup`<li><a href="${base}${to}"${to === address && markup` aria-current="page"`}>${name}</a></li>`
  );
  const search = markup`
<search><form action="${base}${
    callTool ? "search" : "documents"
  }.html"><label for="page.q" class="hidden">Search</label>
<input id="page.q" name="q" type="search" placeholder="Search" value="${
    wordsOf(query)
  }" maxlength="1000" autocomplete="off">
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
<title>${title === project ? title : `${title} · ${project}`}</title>
<link rel="icon" href="${ICON}">
<link rel="stylesheet" href="${base}style.css">
<script src="${base}script.js" defer></script>
</head>
<body>
<a class="skip" href="#page.main">Skip to content</a>
<header><a class="brand" href="${base}index.html"><svg viewBox="0 0 24 24" aria-hidden="true"><path d="${MARK_PATH}"/></svg>${project}</a>
<nav aria-label="Views"><ul>${links}</ul></nav>${search}</header>
<main id="page.main" tabindex="-1">
<h1${id !== "" && markup` id="${id}"`}>${title}</h1>
${content}
</main>
<footer><p>${total}, shown by Architrave. ${note}</p></footer>
</body>
</html>
`.text;
}
