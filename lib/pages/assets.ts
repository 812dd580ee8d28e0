/** The style and the script of all pages, as text. Pages are read without the script: it searches while one types and follows changes. */

import { GRAPH_SCRIPT, GRAPH_STYLE } from "./graph.ts";

export const POLICY: string =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
  "base-uri 'none'; form-action 'self'";
/** Stands at the beginning of every file that the command site makes. */
export const MARK = "architrave:site";

/** The colours of text have a contrast of at least 4.5 with what is behind it; most are those of the graph. */
export const STYLE: string = `${GRAPH_STYLE}
:root { --panel: light-dark(#f5f7f9, #1e242c); --mark: light-dark(#ffe9a3, #5c4a10); --soft: light-dark(#d8dee4, #30363d); }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 75rem; padding: 0.75rem 1rem; background: var(--paper); color: var(--ink);
  font: 1rem/1.6 var(--font, system-ui, sans-serif); overflow-wrap: anywhere; }
header { display: flex; flex-wrap: wrap; gap: 0.5rem 2rem; justify-content: space-between; padding-bottom: 0.5rem; border-bottom: 1px solid var(--soft); }
footer { color: var(--dim); border-top: 1px solid var(--soft); margin-top: 3rem; clear: both; font-size: 0.9rem; }
a { color: var(--focus); }
:focus-visible { outline: 3px solid var(--focus); outline-offset: 2px; }
.skip, .hidden { position: absolute; width: 1px; height: 1px; margin: 0; overflow: hidden; clip-path: inset(50%); }
.skip:focus { width: auto; height: auto; padding: 0.5rem 1rem; clip-path: none; background: var(--paper); z-index: 2; }
h1, h2, h3, h4, h5, h6 { line-height: 1.25; margin: 1.5em 0 0.5em; text-wrap: balance; }
h1 { font-size: 1.9rem; margin-top: 1rem; } h2 { font-size: 1.35rem; } h3 { font-size: 1.1rem; }
nav ul, .items, .counts, .timeline ul { list-style: none; margin: 0; padding: 0; }
header nav ul, .counts, .filters, search form { display: flex; flex-wrap: wrap; gap: 0.4rem 1rem; align-items: center; }
nav a, .counts a, .items > li > a, dd a { display: inline-block; min-height: 1.5rem; min-width: 1.5rem; text-decoration: none; }
header nav [aria-current] { color: var(--ink); box-shadow: 0 2px var(--focus); }
button, select, textarea, [name=q], [name=text] { font: inherit; color: inherit; background: var(--panel); max-width: 100%;
  min-height: 2.1rem; padding: 0.15rem 0.6rem; border: 1px solid var(--line); border-radius: 6px; }
.filters label { max-width: 100%; }
textarea { display: block; width: 100%; margin-bottom: 0.5rem; }
search { position: relative; } search form { flex-wrap: nowrap; column-gap: 0.5rem; } [name=q] { min-width: 0; flex: 1; }
#page\\.found:not(:empty) { position: absolute; right: 0; z-index: 1; width: min(40rem, calc(100vw - 2rem)); max-height: 75vh;
  overflow: auto; padding: 0 1rem; background: var(--paper); border: 1px solid var(--line); border-radius: 6px; }
.counts > li { background: var(--panel); border: 1px solid var(--soft); border-radius: 6px; padding: 0.1rem 0.6rem; }
.items > li { padding: 0.75rem 0; border-bottom: 1px solid var(--soft); } .items > li > a { font-weight: 600; }
.items p { margin: 0.15rem 0 0; max-width: 52rem; } .items p, .facts, .date { color: var(--dim); }
span.facts, dl.facts, .date { font-size: 0.9rem; } span.facts { display: inline-block; }
.timeline ul { border-left: 2px solid var(--line); padding-left: 1rem; }
.badge { border: 1px solid; border-radius: 1rem; padding: 0 0.5rem; font-size: 0.8rem; color: var(--dim); }
.badge.inForce { color: var(--inForce); } .badge.open { color: var(--open); } .badge.rejected { color: var(--rejected); }
.notice, .text { max-width: 50rem; }
.notice { border-left: 4px solid var(--rejected); padding: 0.5rem 1rem; background: var(--panel); }
dl.facts { display: grid; grid-template-columns: max-content 1fr; gap: 0.2rem 1rem; } dl.facts dd { margin: 0; color: var(--ink); }
.outline { border-left: 2px solid var(--soft); padding: 0 1rem; margin: 1.5rem 0; font-size: 0.9rem; max-height: 75vh; overflow: auto; }
.outline :is(.level3, .level4, .level5, .level6) { padding-left: 1rem; }
:target, mark { background: var(--mark); color: var(--ink); }
pre, code { font: 0.875em/1.5 ui-monospace, monospace; background: var(--panel); }
pre { white-space: pre-wrap; padding: 0.75rem 1rem; border: 1px solid var(--soft); } pre code { font-size: 1em; }
table { display: block; overflow-x: auto; border-collapse: collapse; font-size: 0.9rem; overflow-wrap: break-word; }
th, td { border: 1px solid var(--soft); padding: 0.3rem 0.6rem; text-align: left; vertical-align: top; }
blockquote { margin-inline: 0; padding-left: 1rem; border-left: 4px solid var(--soft); color: var(--dim); }
@media (min-width: 72rem) { dl.facts, .outline { float: right; clear: right; width: 18rem; } }
@media (scripting: none) { [data-index] :is(search, .filters) { display: none; } }
@media print { header, .skip, .outline, .filters { display: none; } .items > li, pre, tr { break-inside: avoid; } }
`;

const SCRIPT = `"use strict";
const byId = (id) => document.getElementById(id);
const load = async (url, signal) =>
  new DOMParser().parseFromString(await (await fetch(url, { signal })).text(), "text/html");
const { events, index } = document.documentElement.dataset;

// Shows below the field what is found for the words typed so far.
const box = byId("page.q");
let asked = new AbortController();
const search = async () => {
  asked.abort();
  const { signal } = asked = new AbortController(), words = box.value.trim();
  const [says, ...found] = words ? await (index ? findInFiles : findOnServer)(words, signal) : [""];
  signal.throwIfAborted();
  byId("page.status").textContent = says;
  byId("page.found").replaceChildren(...found);
};
const findOnServer = async (words, signal) => {
  const page = await load(box.form.action + "?few&q=" + encodeURIComponent(words), signal);
  return [page.querySelector(".status").textContent, ...page.getElementById("page.results").childNodes];
};
const fail = ({ name }) => {
  if (name !== "AbortError") byId("page.status").textContent = "The search cannot be reached.";
};
box.addEventListener("input", () => search().catch(fail));
addEventListener("keydown", ({ key }) => {
  if (key !== "Escape" || !byId("page.found").hasChildNodes()) return;
  byId("page.found").replaceChildren();
  box.focus();
});

// Where no server answers, the list of all documents and an index of their words do.
const fold = (text) => text.normalize("NFKD").replace(/\\p{M}/gu, "").toLowerCase();
const termsOf = (text) => fold(text).match(/[\\p{L}\\p{N}]+/gu) ?? [];
let reading;
const readIndex = () => reading ??= Promise.all([load(box.form.action), fetch(index).then((got) => got.json())])
  .then(([page, { documents, words }]) => {
    const rows = [...page.querySelectorAll(".items > li")];
    const read = (row) => ({ row, name: termsOf(row.querySelector("a").textContent), text: fold(row.textContent) });
    return { words, documents: documents.map((facets, at) => ({ facets, ...read(rows[at]) })) };
  }).catch((cause) => {
    reading = undefined;
    throw cause;
  });
const findInFiles = async (typed, signal) => {
  const { documents, words } = await readIndex(), terms = termsOf(typed);
  for (const one of documents) one.points = 0;
  for (const term of terms) {
    const fits = (text) => /^[ -~]{1,2}$/.test(term) ? text.startsWith(term) : text.includes(term);
    const having = new Set(words.filter(([word]) => fits(word)).flatMap(([, ...at]) => at));
    // A document without one of the words has no points.
    documents.forEach((one, at) => one.points += 2 * one.name.some(fits) + having.has(at) || NaN);
  }
  const found = documents.filter(({ points }) => points > 0).sort((one, other) => other.points - one.points);
  const hits = found.slice(0, 20).map(({ row }) => row.cloneNode(true));
  for (const hit of hits.slice(0, 10)) showPassage(hit, terms, signal).catch(fail);
  const says = found.length + (found.length === 1 ? " document" : " documents") + ' found for "' + typed + '".';
  return hits.length > 0 ? [says, make("ul", { className: "items" }, ...hits)] : [says];
};
// Shows the first passage of a document that has one of the words, and its section.
const showPassage = async (hit, terms, signal) => {
  const { href } = hit.querySelector("a"), words = new RegExp("(" + terms.join("|") + ")", "iu");
  let section = "";
  for (const block of (await load(href, signal)).querySelectorAll(".text :is([id], p, li, pre, th, td)")) {
    section = block.id || section;
    const said = block.textContent, at = said.search(words);
    if (at < 0) continue;
    const place = section ? [make("a", { href: href + "#" + section }, "#" + section), " "] : [];
    const parts = said.slice(Math.max(0, at - 80), at + 160).split(new RegExp(words, "giu"));
    hit.querySelector("p")?.remove();
    return hit.append(make("p", {}, ...place, ...parts.map((part, number) => number % 2 ? make("mark", {}, part) : part)));
  }
};
const filters = document.querySelector(".filters");
const filter = async () => {
  const { documents } = await readIndex(), given = Object.fromEntries(new FormData(filters));
  const terms = fold(given.text).split(" "), all = [...document.querySelectorAll("main .items > li")];
  documents.forEach(({ facets, text }, at) => all[at].hidden = !(
    Object.entries(facets).every(([name, values]) => ["", ...values].includes(given[name])) &&
    terms.every((term) => text.includes(term))));
  byId("page.count").textContent = all.filter(({ hidden }) => !hidden).length + " of " + all.length + " documents";
  history.replaceState(null, "", "?" + new URLSearchParams(given));
};
if (index) addEventListener("submit", (event) => event.preventDefault());
if (index && filters) {
  filters.addEventListener("input", () => filter().catch(fail));
  const given = new URLSearchParams(location.search);
  for (const field of filters.elements) field.value = given.get(field.name) ?? "";
  if (location.search) filter().catch(fail);
}

// Follows changes of the documents while the page is seen; what is typed and in focus stays.
let main = document.querySelector("main"), shown = main.innerHTML;
const refresh = async () => {
  const page = await load(location.href), now = page.querySelector("main");
  if (now.innerHTML === shown) return;
  shown = now.innerHTML;
  const [before, after] = [main, now].map((one) => [...one.querySelectorAll("a, button, input, select, textarea, [tabindex]")]);
  for (const field of after) if (field.name) field.value = before.find(({ name }) => name === field.name)?.value ?? field.value;
  const focused = before.indexOf(document.activeElement);
  main.replaceWith(now);
  main = now;
  document.title = page.title;
  after[focused]?.focus({ preventScroll: true });
  main.querySelectorAll("svg.graph").forEach(showGraph);
};
let source, isAgain = false;
const follow = () => {
  source?.close();
  if (!events || document.hidden) return;
  source = new EventSource(events);
  source.onmessage = () => refresh().catch(() => {});
  // Something may have changed while it was not connected.
  source.onopen = () => isAgain ? source.onmessage() : isAgain = true;
};
addEventListener("visibilitychange", follow);
follow();

${GRAPH_SCRIPT}`;

export const ASSETS: ReadonlyMap<string, readonly [type: string, text: string]> = new Map([
  ["style.css", ["text/css", STYLE]],
  ["script.js", ["text/javascript", SCRIPT]],
]);
