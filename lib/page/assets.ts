/** The style and the script of all pages, as text. Pages are read without the script: it searches while one types and follows changes. */

/** Colours are named once for each scheme; their contrast with the ground is at least 4.5. */
export const STYLE = `:root {
  color-scheme: light dark;
  --ground: #fff; --text: #1c2024; --soft: #59616b; --line: #c9ced6; --panel: #f4f6f8; --link: #0b57a8;
  --good: #17692f; --over: #a32222; --open: #7a5200; --mark: #ffe9a3; --focus: #b3261e;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #14171a; --text: #e6e9ec; --soft: #a3abb5; --line: #434a53; --panel: #1e2327; --link: #8ab9f5;
    --good: #7ccf92; --over: #f59a94; --open: #e3b96a; --mark: #5c4a10; --focus: #ffb4ab;
  }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--ground); color: var(--text); font: 1rem/1.55 system-ui, sans-serif; overflow-wrap: anywhere; }
header, main, footer { max-width: 72rem; margin: 0 auto; padding: 0.5rem 1rem; }
header { display: flex; flex-wrap: wrap; gap: 0.5rem 2rem; justify-content: space-between; border-bottom: 1px solid var(--line); }
footer { color: var(--soft); border-top: 1px solid var(--line); margin-top: 2rem; }
a { color: var(--link); }
:focus-visible { outline: 3px solid var(--focus); outline-offset: 2px; }
main:focus { outline: none; }
.skip { position: absolute; left: -99rem; padding: 0.5rem 1rem; background: var(--ground); }
.skip:focus { left: 0; top: 0; z-index: 2; }
.hidden { position: absolute; width: 1px; height: 1px; margin: 0; overflow: hidden; clip-path: inset(50%); }
h1, h2, h3 { line-height: 1.25; margin: 1.25em 0 0.4em; }
h1 { font-size: 1.8rem; } h2 { font-size: 1.3rem; } h3 { font-size: 1.1rem; }
nav ul, .items, .counts { list-style: none; margin: 0; padding: 0; }
nav ul, .counts, .filters { display: flex; flex-wrap: wrap; gap: 0.25rem 1rem; align-items: center; }
nav a, .counts a, button, input, select { display: inline-block; min-height: 1.75rem; padding: 0.15rem 0.3rem; }
nav [aria-current] { font-weight: bold; color: var(--text); text-decoration-thickness: 3px; }
button, input, select, textarea { font: inherit; color: inherit; background: var(--panel); border: 1px solid var(--soft); border-radius: 4px; }
button { padding: 0.15rem 0.8rem; cursor: pointer; }
textarea, .paths label { display: block; width: 100%; margin-bottom: 0.5rem; }
input, select { max-width: 100%; }
search { position: relative; }
#page\\.found:not(:empty) { position: absolute; right: 0; z-index: 1; width: min(40rem, calc(100vw - 2rem)); max-height: 75vh;
  overflow: auto; padding: 0 1rem; background: var(--ground); border: 1px solid var(--line); box-shadow: 0 4px 16px #0004; }
.items > li { padding: 0.5rem 0; border-bottom: 1px solid var(--line); }
.items p { margin: 0.15rem 0 0; color: var(--soft); }
.items > li > a { display: inline-block; padding: 0.1rem 0; min-height: 1.5rem; }
.facts { color: var(--soft); font-size: 0.9rem; }
.badge { border: 1px solid; border-radius: 1rem; padding: 0 0.5rem; font-size: 0.85rem; white-space: nowrap; }
.good { color: var(--good); } .over { color: var(--over); } .open { color: var(--open); }
.notice { border-left: 4px solid var(--over); padding: 0.25rem 0.75rem; background: var(--panel); }
dl.facts { display: grid; grid-template-columns: max-content 1fr; gap: 0.15rem 1rem; }
dl.facts dd { margin: 0; color: var(--text); }
.outline { background: var(--panel); padding: 0.25rem 1rem 0.75rem; margin: 1rem 0; }
.outline ul { display: block; columns: 18rem; }
.outline .level3 { padding-left: 1rem; } .outline .level4, .outline .level5, .outline .level6 { padding-left: 2rem; }
.text { max-width: 48rem; }
.text :target, :target { scroll-margin-top: 1rem; background: var(--mark); }
pre, code { font: 0.9em/1.45 ui-monospace, monospace; }
pre { white-space: pre-wrap; background: var(--panel); padding: 0.75rem; }
table { border-collapse: collapse; display: block; overflow-x: auto; }
th, td { border: 1px solid var(--line); padding: 0.25rem 0.6rem; text-align: left; }
blockquote { margin-inline: 0; padding-left: 1rem; border-left: 4px solid var(--line); color: var(--soft); }
mark { background: var(--mark); color: inherit; }
@media (max-width: 30rem) { dl.facts { display: block; } dl.facts dd { margin-bottom: 0.4rem; } }
@media print {
  header, .skip, .outline, .filters, .pages { display: none; }
  body { font-size: 10.5pt; } .items > li, pre, tr { break-inside: avoid; } .text { max-width: none; }
}
`;

export const SCRIPT = `"use strict";
const byId = (id) => document.getElementById(id);
const load = async (url, signal) => {
  const response = await fetch(url, { signal });
  return new DOMParser().parseFromString(await response.text(), "text/html");
};

// Shows what is found for the words typed so far: on the page of the search in its place, else below the field.
const box = byId("page.q");
let asked = new AbortController();
const show = async () => {
  asked.abort();
  asked = new AbortController();
  const words = box.value.trim();
  const place = byId("page.results") ?? byId("page.found");
  if (words === "") {
    byId("page.status").textContent = "";
    return place.replaceChildren();
  }
  const page = await load(box.form.action + "?q=" + encodeURIComponent(words), asked.signal);
  const found = page.getElementById("page.results");
  byId("page.status").textContent = found.querySelector(".status").textContent;
  place.replaceChildren(...found.childNodes);
};
const search = () => show().catch((cause) => {
  if (cause.name !== "AbortError") byId("page.status").textContent = "The search cannot be reached.";
});
let typing;
box?.addEventListener("input", () => {
  clearTimeout(typing);
  typing = setTimeout(search, 60);
});
addEventListener("keydown", ({ key }) => {
  if (key !== "Escape" || !byId("page.found")?.hasChildNodes()) return;
  byId("page.found").replaceChildren();
  box.focus();
});

// Follows changes of the documents while the page is seen; what is typed and focused in it stays.
const FIELDS = "a, button, input, select, textarea, summary, [tabindex]";
const refresh = async () => {
  const old = document.querySelector("main");
  const page = await load(location.href);
  const now = page.querySelector("main");
  if (!now || now.isEqualNode(old)) return;
  const [before, after] = [old, now].map((main) => [...main.querySelectorAll(FIELDS)]);
  const focused = before.indexOf(document.activeElement);
  for (const field of now.querySelectorAll("input, select, textarea")) {
    const typed = before.find(({ name }) => name === field.name);
    if (typed) field.value = typed.value;
  }
  old.replaceWith(now);
  document.title = page.title;
  if (focused >= 0) after[focused]?.focus({ preventScroll: true });
};
const { events } = document.documentElement.dataset;
let source;
const follow = () => {
  source?.close();
  source = undefined;
  if (!events || document.hidden) return;
  source = new EventSource(events);
  // Something may have changed while it was not connected.
  source.onopen = source.onmessage = () => refresh().catch(() => {});
};
document.addEventListener("visibilitychange", follow);
follow();
`;
