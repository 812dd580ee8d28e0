/** The style of all pages. */

import { GRAPH_STYLE } from "./graph_style.ts";

/** Text has a contrast of at least 4.5 with its background. Most colours are those of the graph. */
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
