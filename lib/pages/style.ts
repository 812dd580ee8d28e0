/** The style of all pages. */

import { GRAPH_STYLE } from "./graph_style.ts";

/** Text has a contrast of at least 4.5 with its background. Most colours are those of the graph. Sizes are steps of a scale of 1.2. */
export const STYLE: string = compact(`${GRAPH_STYLE}
:root { --panel: light-dark(#f6f7f9, #1d2229); --mark: light-dark(#ffe9a3, #5c4a10); --soft: light-dark(#e1e5ea, #2d343c);
  --tint: light-dark(#eef0fb, #232842); --measure: 60ch; } *, ::before { box-sizing: border-box; } [hidden] { display: none !important; }
body { margin: 0; min-height: 100vh; display: flex; flex-direction: column; background: var(--paper); color: var(--ink); font: 1rem/1.6 var(--font, system-ui, sans-serif); overflow-wrap: anywhere; }
header, main, footer { padding: 0.75rem max(1rem, calc((100% - 72rem) / 2)); } main { outline: none; flex: 1; }
header { background: var(--tint); border-bottom: 1px solid var(--soft); display: flex; flex-wrap: wrap; gap: 0.5rem 1.5rem; align-items: center; }
footer { color: var(--dim); border-top: 1px solid var(--soft); margin-top: 3rem; font-size: 0.833rem; } a { color: var(--focus); }
:focus-visible { outline: 3px solid var(--focus); outline-offset: 2px; }
.skip, .hidden { position: absolute; width: 1px; height: 1px; margin: 0; overflow: hidden; clip-path: inset(50%); }
.skip:focus { width: auto; height: auto; padding: 0.5rem 1rem; clip-path: none; background: var(--paper); z-index: 2; }
h1, h2, h3, h4, h5, h6 { line-height: 1.25; margin: 2em 0 0.5em; text-wrap: balance; }
h1 { font-size: clamp(1.44rem, 1.1rem + 2vw, 2.07rem); margin: 1rem 0 0.5rem; max-width: 36ch; letter-spacing: -0.02em; }
h2, .text h3 { font-size: 1.2rem; } .text h2 { font-size: 1.44rem; letter-spacing: -0.01em; } h3 { font-size: 1rem; } nav ul, .items, .counts, .timeline, .plain { list-style: none; margin: 0; padding: 0; }
.brand { display: flex; gap: 0.5rem; align-items: center; font-weight: 700; color: var(--ink); text-decoration: none; min-height: 2rem; }
.brand svg { width: 1.5rem; height: 1.5rem; flex: none; fill: var(--focus); } header nav ul { display: flex; flex-wrap: wrap; gap: 0 1.1rem; }
.counts, .filters, .byline, .pager { display: flex; flex-wrap: wrap; gap: 0.4rem 1rem; align-items: center; }
nav a, .counts a, .items > li > a, dd a { display: inline-block; min-height: 1.5rem; min-width: 1.5rem; text-decoration: none; }
header nav a { color: var(--dim); padding: 0.25rem 0; font-size: 0.9rem; }
header nav [aria-current] { color: var(--ink); font-weight: 600; box-shadow: inset 0 -2px var(--focus); } a:hover { text-decoration: underline; }
.filters label { max-width: 100%; }
button, select, textarea, [name=q], [name=text] { font: inherit; font-size: 0.9rem; color: inherit; background: var(--panel); max-width: 100%;
  min-height: 2.1rem; padding: 0.15rem 0.6rem; border: 1px solid var(--line); border-radius: 6px; }
textarea { display: block; width: 100%; margin-bottom: 0.5rem; } search { position: relative; margin-left: auto; }
search form { display: flex; gap: 0.5rem; } [name=q] { min-width: 0; width: 16rem; flex: 1; }
#page\\.found:not(:empty) { position: absolute; right: 0; z-index: 1; width: min(40rem, calc(100vw - 2rem)); max-height: 75vh; overflow: auto; padding: 0 1rem;
  background: var(--paper); border: 1px solid var(--line); border-radius: 8px; } .inForce { --own: var(--inForce); } .open { --own: var(--open); }
.rejected { --own: var(--rejected); } .new { --own: var(--focus); }
.badge { display: inline-flex; gap: 0.4em; align-items: baseline; font-size: 0.833rem; font-weight: 500; color: var(--own, var(--dim)); }
.badge::before, .node { content: ""; flex: none; width: 10px; height: 10px; border: 2px dotted var(--over); print-color-adjust: exact; }
.badge.inForce::before, .node.inForce { border: 0; background: var(--own); border-radius: 50%; }
.badge.open::before, .node.open { border: 2px solid var(--own); border-radius: 50%; }
.badge.over::before, .node.over { border: 0; background: var(--over); height: 4px; margin-bottom: 3px; }
.badge.rejected::before, .node.rejected { border: 0; background: var(--own);
  clip-path: polygon(20% 0, 50% 30%, 80% 0, 100% 20%, 70% 50%, 100% 80%, 80% 100%, 50% 70%, 20% 100%, 0 80%, 30% 50%, 0 20%); }
.items > li { padding: 0.7rem 0; border-bottom: 1px solid var(--soft); display: grid; grid-template-columns: auto 1fr; gap: 0 1rem; align-items: baseline; }
.timeline li > span > a, .plain a { font-weight: 600; text-decoration: none; } .plain li { padding: 0.25rem 0; } .plain .badge { margin-left: 0.3em; }
.items > li > a { font-weight: 600; grid-column: 1 / -1; width: fit-content; } .items p { grid-column: 1 / -1; margin: 0.15rem 0 0; max-width: var(--measure); }
.items p, .facts, .date, .lead { color: var(--dim); } .items p { font-size: 0.9rem; } .lead { font-size: 1.2rem; margin: 0; }
span.facts, dl.facts, .date, p.facts { font-size: 0.833rem; } .date { white-space: nowrap; }
.cards { display: grid; grid-template-columns: repeat(auto-fit, minmax(8rem, 1fr)); gap: 0.75rem; margin: 1.5rem 0 0.75rem; }
.card { border: 1px solid var(--soft); border-radius: 8px; padding: 0.7rem 1rem; border-top: 3px solid var(--own, var(--line)); }
.card h2 { margin: 0; font-size: 0.833rem; color: var(--dim); font-weight: 600; } .card p { font-size: 0.833rem; margin: 0; color: var(--dim); }
.card .big { font-size: 1.728rem; line-height: 1.3; font-weight: 700; color: var(--ink); } .card.new .big { font-size: 1.2rem; line-height: 1.87; }
.share { display: block; width: 100%; height: 0.5rem; border-radius: 4px; margin: 1rem 0 0.5rem; } .share rect { fill: var(--own, var(--line)); }
.timeline { --step: 12px; padding-left: calc(var(--lanes, 0) * var(--step)); }
.timeline > li { position: relative; border-left: 2px solid var(--soft); padding: 0.45rem 0 0.45rem 1.25rem; display: grid; grid-template-columns: 6.5rem 1fr;
  gap: 0 0.5rem; align-items: baseline; } .timeline > .year { display: block; } .year h2 { margin: 1rem 0 0; }
.timeline p { grid-column: 2; margin: 0; color: var(--dim); font-size: 0.833rem; }
.node { position: absolute; left: -6px; top: 1rem; box-shadow: 0 0 0 3px var(--paper); }
.node:not(.over, .inForce, .rejected) { background: var(--paper); } .node.over { top: calc(1rem + 3px); } .timeline .badge::before { display: none; }
.lane { position: absolute; top: 0; bottom: 0; right: 100%; width: calc((var(--lane, 0) + 1) * var(--step)); border-left: 2px solid var(--over); }
.lane.start { top: calc(1rem + 0.3em); border-top: 2px solid var(--over); border-top-left-radius: 8px; }
.lane.end { bottom: auto; height: calc(1rem + 0.4em); border-bottom: 2px solid var(--over); border-bottom-left-radius: 8px; } .lanes1 { --lanes: 1; }
.lanes2 { --lanes: 2; } .lanes3 { --lanes: 3; } .lanes4 { --lanes: 4; } .lanes5 { --lanes: 5; } .lane1 { --lane: 1; } .lane2 { --lane: 2; }
.lane3 { --lane: 3; } .lane4 { --lane: 4; }
.columns .items p { font-size: 0.833rem; display: -webkit-box; -webkit-box-orient: vertical; -webkit-line-clamp: 2; overflow: hidden; }
.gone:any-link { color: var(--dim); text-decoration: line-through; font-weight: 400; } .counts b { color: var(--ink); } .byline { font-size: 0.833rem; margin: 0 0 1.5rem; }
.notice { border-left: 4px solid var(--rejected); border-radius: 0 8px 8px 0; padding: 0.6rem 1rem; max-width: var(--measure);
  background: color-mix(in srgb, var(--rejected) 7%, var(--paper)); }
.text > :not(pre, table) { max-width: var(--measure); } .text img { max-width: 100%; height: auto; background: #fff; border-radius: 4px; }
.text > :first-child { margin-top: 0; } .text:first-child > :first-child { margin-top: 1rem; } dl.facts { display: grid; grid-template-columns: max-content 1fr; gap: 0.35rem 1rem; margin: 0 0 1.5rem; }
dl.facts dd { margin: 0; color: var(--ink); min-width: 0; } aside { border-top: 1px solid var(--soft); padding-top: 1rem; margin-top: 2rem; }
.outline { border-left: 2px solid var(--soft); padding-left: 1rem; font-size: 0.833rem; } .outline a { color: var(--dim); }
.outline a:not(.level2) { padding-left: 1rem; } .outline + .facts { margin-top: 1.5rem; } .rail { display: none; }
.pager { margin-top: 3rem; justify-content: space-between; align-items: stretch; }
.pager a { flex: 1 1 16rem; max-width: 28rem; border: 1px solid var(--soft); border-radius: 8px; padding: 0.6rem 1rem; }
.pager [rel=next] { text-align: right; margin-left: auto; } .pager small { display: block; color: var(--dim); }
:target, mark { background: var(--mark); color: var(--ink); }
pre, code { font: 0.875em/1.5 ui-monospace, monospace; background: var(--panel); border-radius: 4px; } code { padding: 0.1em 0.25em; }
.html { color: var(--dim); background: none; border: 0; font-weight: 400; } :is(h2, h3) .html { font-size: 0.6em; } pre { white-space: pre-wrap; padding: 0.75rem 1rem; border: 1px solid var(--soft); } pre code { font-size: 1em; padding: 0; }
table { display: block; overflow-x: auto; border-collapse: collapse; font-size: 0.9rem; overflow-wrap: break-word; }
th, td { border: 1px solid var(--soft); padding: 0.3rem 0.6rem; text-align: left; vertical-align: top; } th { background: var(--panel); }
blockquote { margin-inline: 0; padding-left: 1rem; border-left: 4px solid var(--soft); color: var(--dim); }
@media (min-width: 66rem) { article { display: grid; grid-template: repeat(7, auto) 1fr / minmax(0, 46rem) 17rem; justify-content: space-between; }
  article > * { grid-column: 1; } aside { grid-area: 1 / 2 / -1; align-self: start; position: sticky; top: 1rem; max-height: calc(100vh - 2rem);
  overflow: auto; border: 0; margin: 0; padding: 0; } main > .items > li { grid-template-columns: minmax(0, 1fr) 9rem 10rem; }
  main > .items > li > a { grid-column: 1; } main > .items p { grid-column: 1; } .columns { display: grid;
  grid-template-columns: minmax(0, 3fr) minmax(0, 2fr); gap: 0 4rem; } }
@media (min-width: 76rem) { main:has(> .rail) { display: grid; grid-template: repeat(9, auto) 1fr / 13rem minmax(0, 1fr); gap: 0 3rem; }
  main > * { grid-column: 2; } .rail { display: block; grid-area: 1 / 1 / -1; position: sticky; top: 1rem; align-self: start; margin-top: 1.4rem;
  max-height: calc(100vh - 2rem); overflow: auto; font-size: 0.833rem; line-height: 1.35; } .rail li { position: relative; padding: 0.3rem 0.3rem 0.3rem 1.2rem; }
  .rail a { color: var(--dim); } .rail [aria-current] { font-weight: 700; } .rail .node { left: 1px; top: 0.6rem; }
  .rail .node.over { top: calc(0.6rem + 3px); } main:has(> .rail) article { grid-template-columns: minmax(0, 40rem) 14rem; }
  article dl.facts { grid-template-columns: minmax(0, 1fr); gap: 0; } article dd { padding-bottom: 0.5rem; } }
@media (max-width: 40rem) { .card { padding: 0.5rem 0.6rem; } .card.new .big { font-size: 1rem; line-height: 2.25; } .timeline { --step: 6px; } .timeline > li { grid-template-columns: 1fr; } .timeline p { grid-column: 1; } .outline { display: none;
  } search { flex: 1; } [name=q] { width: 6rem; } search button { display: none; } header nav { order: 1; width: 100%; overflow-x: auto; }
  header nav ul { flex-wrap: nowrap; white-space: nowrap; } header nav a { outline-offset: -3px; } }
@media (scripting: none) { [data-index] :is(search, .filters) { display: none; } }
@media print { header, .skip, .outline, .filters, .pager, .rail, .edit { display: none; } .items > li, .timeline > li, pre, tr, .card { break-inside: avoid; }
  body { border: 0; } }
`);

/** Leaves out spaces that have no meaning. */
function compact(style: string): string {
  return style.replace(/\s+/g, " ").replace(/ ?([{};]) ?|([,:]) /g, "$1$2").replaceAll(";}", "}")
    .replace(/(?<=[\s(:,-])0(?=\.\d)/g, "");
}
