/** The style and the script of all pages, as text. Pages are read without the script: it searches while one types and follows changes. */

import { GRAPH_SCRIPT, GRAPH_STYLE } from "../graph/svg.ts";

/** What the browser may load: only what belongs to the pages. */
export const POLICY: string =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
  "base-uri 'none'; form-action 'self'";
/** Stands at the beginning of every file that the command site makes. */
export const MARK = "architrave:site";

/** The style of lists by year and of bars that lead to the years, with the colours of graphs. */
export const TIMELINE_STYLE = `.years .inForce,.timeline .inForce::before{color:var(--inForce)}
.years .open,.timeline .open::before{color:var(--open)}
.years .rejected,.timeline .rejected::before{color:var(--rejected)}
.years,.timeline,.timeline ol{list-style:none;padding:0}
.years{display:flex;flex-wrap:wrap;gap:.75rem}
.years a{display:flex;flex-direction:column;align-items:center}
.years rect{color:var(--over);fill:currentColor}
.timeline ol{border-left:2px solid var(--line);margin-left:.4rem}
.timeline ol li{position:relative;padding:.25rem 0 .25rem 1.25rem}
.timeline ol li::before{content:"";position:absolute;left:-7px;top:.7rem;width:8px;height:8px;color:var(--over);
background:currentColor;border:2px solid var(--paper);border-radius:50%}
.timeline :is(.over,.rejected) a{text-decoration:line-through}
:is(.timeline,.years) :is(.date,.status,.count){color:var(--dim);font-size:.85em}
.timeline .date{font-variant-numeric:tabular-nums;margin-right:.5rem}
`;

/** The colours of text have a contrast of at least 4.5 with what is behind it; most are those of the graph. */
const STYLE = `${GRAPH_STYLE}${TIMELINE_STYLE}
:root { --panel: light-dark(#f5f7f9, #1e242c); --mark: light-dark(#ffe9a3, #5c4a10); --soft: light-dark(#d8dee4, #30363d); }
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 1rem/1.6 system-ui, sans-serif; overflow-wrap: anywhere; }
header, main, footer { max-width: 75rem; margin: 0 auto; padding: 0.75rem 1rem; }
header { display: flex; flex-wrap: wrap; gap: 0.5rem 2rem; justify-content: space-between; border-bottom: 1px solid var(--soft); }
footer { color: var(--dim); border-top: 1px solid var(--soft); margin-top: 3rem; clear: both; font-size: 0.9rem; }
a { color: var(--focus); text-underline-offset: 0.2em; text-decoration-thickness: 1px; }
a:hover { text-decoration: underline; text-decoration-thickness: 2px; }
:focus-visible { outline: 3px solid var(--focus); outline-offset: 2px; }
main:focus { outline: none; }
.skip, .hidden { position: absolute; width: 1px; height: 1px; margin: 0; overflow: hidden; clip-path: inset(50%); }
.skip:focus { width: auto; height: auto; padding: 0.5rem 1rem; clip-path: none; background: var(--paper); z-index: 2; }
h1, h2, h3, h4, h5, h6 { line-height: 1.25; margin: 1.5em 0 0.5em; text-wrap: balance; }
h1 { font-size: 1.9rem; margin-top: 1rem; letter-spacing: -0.01em; } h2 { font-size: 1.35rem; } h3 { font-size: 1.1rem; }
nav ul, .items, .counts { list-style: none; margin: 0; padding: 0; }
nav ul, .counts, .filters, search form { display: flex; flex-wrap: wrap; gap: 0.4rem 1.1rem; align-items: center; }
nav a, .counts a, .items > li > a, dd a { display: inline-block; min-height: 1.5rem; min-width: 1.5rem; }
:is(nav a, .counts a, .items > li > a):not(:hover) { text-decoration: none; }
header nav a { color: var(--dim); padding: 0.2rem 0; } header nav [aria-current] { color: var(--ink); font-weight: 600; box-shadow: 0 2px var(--focus); }
button, select, textarea, [name=q], [name=text] { font: inherit; color: inherit; background: var(--panel); max-width: 100%;
  min-height: 2.1rem; padding: 0.15rem 0.6rem; border: 1px solid var(--line); border-radius: 6px; }
.filters label { min-width: 0; max-width: 100%; }
textarea { display: block; width: 100%; margin-bottom: 0.5rem; }
search { position: relative; } search form { flex-wrap: nowrap; column-gap: 0.5rem; } [name=q] { min-width: 0; flex: 1; }
#page\\.found:not(:empty) { position: absolute; right: 0; z-index: 1; width: min(40rem, calc(100vw - 2rem)); max-height: 75vh;
  overflow: auto; padding: 0 1rem; background: var(--paper); border: 1px solid var(--line); border-radius: 6px; box-shadow: 0 8px 24px #0004; }
.counts a { color: var(--ink); background: var(--panel); border: 1px solid var(--soft); border-radius: 6px; padding: 0.1rem 0.6rem; }
.counts { column-gap: 0.4rem; }
.items > li { padding: 0.75rem 0; border-bottom: 1px solid var(--soft); } .items > li > a { font-weight: 600; }
.items p { margin: 0.15rem 0 0; max-width: 52rem; } .items p, .facts { color: var(--dim); }
span.facts, dl.facts { font-size: 0.9rem; } span.facts { display: inline-block; }
.badge { border: 1px solid; border-radius: 1rem; padding: 0 0.5rem; font-size: 0.8rem; color: var(--dim); }
.badge.inForce { color: var(--inForce); } .badge.open { color: var(--open); } .badge.rejected { color: var(--rejected); }
.notice, .text { max-width: 50rem; }
.notice { border-left: 4px solid var(--rejected); padding: 0.5rem 1rem; background: var(--panel); }
dl.facts { display: grid; grid-template-columns: max-content 1fr; gap: 0.2rem 1rem; } dl.facts dd { margin: 0; color: var(--ink); }
.outline { border-left: 2px solid var(--soft); padding: 0 1rem; margin: 1.5rem 0; font-size: 0.9rem; max-height: 16rem; overflow: auto; }
.outline ul { display: block; columns: 16rem; }
.outline :is(.level3, .level4, .level5, .level6) { padding-left: 1rem; }
:target { scroll-margin-top: 1rem; background: var(--mark); } mark { background: var(--mark); color: var(--ink); }
pre, code { font: 0.875em/1.5 ui-monospace, monospace; background: var(--panel); border-radius: 4px; }
pre { white-space: pre-wrap; padding: 0.75rem 1rem; border: 1px solid var(--soft); } pre code { font-size: 1em; }
table { display: block; overflow-x: auto; border-collapse: collapse; font-size: 0.9rem; overflow-wrap: break-word; }
th, td { border: 1px solid var(--soft); padding: 0.3rem 0.6rem; text-align: left; vertical-align: top; } th { background: var(--panel); }
blockquote { margin-inline: 0; padding-left: 1rem; border-left: 4px solid var(--soft); color: var(--dim); }
@media (min-width: 72rem) {
  dl.facts, .outline { float: right; clear: right; width: 18rem; }
  .outline { position: sticky; top: 1rem; max-height: calc(100vh - 2rem); } .outline ul { columns: auto; }
}
@media (scripting: none) { [data-index] :is(search, .filters) { display: none; } }
@media print {
  header, .skip, .outline, .filters, .pages { display: none; }
  .items > li, pre, tr { break-inside: avoid; }
}
`;

const SCRIPT = `"use strict";
const byId = (id) => document.getElementById(id);
const load = async (url, signal) =>
  new DOMParser().parseFromString(await (await fetch(url, { signal })).text(), "text/html");
const { events, index } = document.documentElement.dataset;
let main = document.querySelector("main"), shown = main.innerHTML;

// Shows what is found for the words typed so far: on the page of the search in its place, else below the field.
const box = byId("page.q");
let asked = new AbortController(), typing;
const search = async () => {
  asked.abort();
  asked = new AbortController();
  const words = box.value.trim(), place = byId("page.results") ?? byId("page.found");
  if (index) return await searchIndex(words, place, asked.signal);
  const url = box.form.action + "?q=" + encodeURIComponent(words);
  const found = words && (await load(url, asked.signal)).getElementById("page.results");
  byId("page.status").textContent = found ? found.querySelector(".status").textContent : "";
  place.replaceChildren(...found ? found.childNodes : []);
  if (place.id === "page.results") history.replaceState(null, "", url);
};
const fail = ({ name }) => {
  if (name !== "AbortError") byId("page.status").textContent = "The search cannot be reached.";
};
box?.addEventListener("input", () => {
  clearTimeout(typing);
  typing = setTimeout(() => search().catch(fail), 60);
});
addEventListener("keydown", ({ key }) => {
  if (key !== "Escape" || !byId("page.found")?.hasChildNodes()) return;
  byId("page.found").replaceChildren();
  box.focus();
});

// Where no server answers, the list of all documents and an index of their words do.
const fold = (text) => text.normalize("NFKD").replace(/\\p{M}/gu, "").toLowerCase();
const termsOf = (text) => fold(text).match(/[\\p{L}\\p{N}]+/gu) ?? [];
let loading;
const readIndex = () => loading ??= Promise.all([load(box.form.action), fetch(index).then((got) => got.json())])
  .then(([page, { documents, words }]) => {
    const rows = [...page.querySelectorAll(".items > li")].map((row, at) => {
      const name = termsOf(row.querySelector("a").textContent);
      return { ...documents[at], row, name, text: fold(row.textContent) };
    });
    return { rows, words };
  }).catch((cause) => {
    loading = undefined;
    throw cause;
  });
const searchIndex = async (typed, place, signal) => {
  const { rows, words } = await readIndex(), terms = termsOf(typed);
  for (const one of rows) one.points = 0;
  for (const term of terms) {
    const fits = (text) => /^[ -~]{1,2}$/.test(term) ? text.startsWith(term) : text.includes(term);
    const having = new Set(words.filter(([word]) => fits(word)).flatMap(([, ...at]) => at));
    // A document without one of the words has no points.
    rows.forEach((one, at) => one.points += 2 * one.name.some(fits) + having.has(at) || NaN);
  }
  const found = rows.filter(({ points }) => points > 0).sort((one, other) => other.points - one.points);
  const hits = found.slice(0, 20).map(({ row }) => row.cloneNode(true));
  if (signal.aborted) return;
  byId("page.status").textContent = typed && found.length + (found.length === 1 ? " document" : " documents") + ' found for "' + typed + '".';
  place.replaceChildren(...hits.length > 0 ? [make("ul", { className: "items" }, ...hits)] : []);
  await Promise.all(hits.slice(0, 10).map((hit) => showPassage(hit, terms, signal)));
};
// Shows the first passage of a document that has one of the words, and its section.
const showPassage = async (hit, terms, signal) => {
  const link = hit.querySelector("a"), page = await load(link.href, signal), parts = new RegExp("(" + terms.join("|") + ")", "iu");
  let section = "";
  for (const block of page.querySelectorAll(".text :is([id], p, li, pre, th, td)")) {
    section = block.id || section;
    const said = block.textContent, at = said.search(parts), start = Math.max(0, at - 80);
    if (at < 0) continue;
    const place = section ? [make("a", { href: link.href + "#" + section }, "#" + section), " "] : [];
    const marked = said.slice(start, at + 160).split(new RegExp(parts, "giu")).map((part, number) =>
      number % 2 ? make("mark", {}, part) : part);
    hit.querySelector("p")?.remove();
    return hit.append(make("p", {}, ...place, start > 0 ? "…" : "", ...marked));
  }
};
const filters = document.querySelector(".filters");
const filter = async () => {
  const { rows } = await readIndex(), given = Object.fromEntries(new FormData(filters));
  const terms = fold(given.text).split(" ").filter(Boolean), all = [...document.querySelectorAll("main .items > li")];
  rows.forEach(({ category, status, tags, text }, at) => all[at].hidden = !(
    [category, ""].includes(given.category) && [status, ""].includes(given.status) &&
    (!given.tag || tags.includes(given.tag)) && terms.every((term) => text.includes(term))));
  byId("page.count").textContent = all.filter(({ hidden }) => !hidden).length + " of " + all.length + " documents";
  history.replaceState(null, "", "?" + new URLSearchParams(given));
};
if (index) addEventListener("submit", (event) => event.preventDefault());
if (index && filters) {
  filters.addEventListener("input", () => filter().catch(fail));
  for (const [name, value] of new URLSearchParams(location.search)) {
    const field = filters.elements.namedItem(name);
    if (field) field.value = value;
  }
  if (location.search) filter().catch(fail);
}

// Follows changes of the documents while the page is seen; what is typed and in focus stays.
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

/** The style and the script by their addresses, with their media types. */
export const ASSETS: ReadonlyMap<string, readonly [type: string, text: string]> = new Map([
  ["style.css", ["text/css", STYLE]],
  ["script.js", ["text/javascript", SCRIPT]],
]);
