/** The style and script files of all pages. Pages work without the script, which adds search while typing and live updates. */

import { GRAPH_SCRIPT } from "./graph_script.ts";
import { STYLE } from "./style.ts";

export const POLICY: string =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
  "base-uri 'none'; form-action 'self'";
/** The mark at the start of every file that the command `site` writes. */
export const MARK = "architrave:site";

const SCRIPT = `"use strict";
const byId = (id) => document.getElementById(id);
const load = async (url, signal) =>
  new DOMParser().parseFromString(await (await fetch(url, { signal })).text(), "text/html");
const { events, index } = document.documentElement.dataset;

// Shows the search results for the typed words below the field.
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
addEventListener("keydown", (event) => {
  const { key } = event;
  if (key === "k" && (event.ctrlKey || event.metaKey)) {
    event.preventDefault();
    box.select();
  }
  if (key !== "Escape" || !byId("page.found").hasChildNodes()) return;
  byId("page.found").replaceChildren();
  box.focus();
});

// Without a server, the search uses the list of all documents and an index of their words.
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
    // Documents that lack one of the words get no points.
    documents.forEach((one, at) => one.points += 2 * one.name.some(fits) + having.has(at) || NaN);
  }
  const found = documents.filter(({ points }) => points > 0).sort((one, other) => other.points - one.points);
  const hits = found.slice(0, 20).map(({ row }) => row.cloneNode(true));
  for (const hit of hits.slice(0, 10)) showPassage(hit, terms, signal).catch(fail);
  const says = found.length + (found.length === 1 ? " document" : " documents") + ' found for "' + typed + '".';
  return hits.length > 0 ? [says, make("ul", { className: "items" }, ...hits)] : [says];
};
// Shows the first passage of a document with one of the words, and its section.
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
    Object.entries(facets).every(([name, values]) => ["", ...values].includes(given[name] ?? "")) &&
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

// Updates the page when documents change, while it is visible. Typed text and the focus are kept.
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
  // What changed before it was connected is not told: documents meanwhile, and findings that were not known for the first answer.
  source.onopen = () => {
    if (isAgain || main.querySelector(".pending")) source.onmessage();
    isAgain = true;
  };
};
addEventListener("visibilitychange", follow);
follow();

${GRAPH_SCRIPT}`;

export const ASSETS: ReadonlyMap<string, readonly [type: string, text: string]> = new Map([
  ["style.css", ["text/css", STYLE]],
  ["script.js", ["text/javascript", SCRIPT]],
]);
