/** The style of the graph. */

const COLORS = {
  ink: ["#1c2128", "#e6eaf0"],
  dim: ["#59636e", "#9aa4af"],
  paper: ["#fff", "#15191f"],
  line: ["#818b98", "#768390"],
  focus: ["#4050b5", "#a5b2ff"],
  inForce: ["#1a7f37", "#3fb950"],
  open: ["#9a6700", "#d29922"],
  over: ["#818b98", "#656c76"],
  rejected: ["#cf222e", "#f85149"],
} as const;

const RULES = `.graph{font:12px system-ui,sans-serif}
.graph text{fill:var(--ink);unicode-bidi:plaintext}
.graph rect{fill:var(--paper);stroke:var(--line)}
.graph [data-id]{color:var(--over)}
.graph .inForce{color:var(--inForce)}
.graph .open{color:var(--open)}
.graph .rejected{color:var(--rejected)}
.graph [data-id]>path{stroke:currentColor;stroke-width:4;stroke-linecap:round}
.graph :is(.over,.rejected) rect{stroke-dasharray:4 3}
.graph :is(.over,.rejected) text:not(.status){text-decoration:line-through}
.graph :is(.over,.rejected) text,.graph .status,.graph>text{fill:var(--dim)}
.graph .status{font-size:11px}
.graph a:is(:hover,:focus-visible) rect{stroke:var(--focus);stroke-width:2.5;stroke-dasharray:none}
.graph a:focus{outline:none}
.graph :is(.links,.legend) path{fill:none;stroke:var(--line);stroke-width:1.5}
.graph .amends path{stroke-dasharray:6 4}
.graph :is(.relates-to,.mentions) path{stroke-dasharray:1.5 4;stroke-linecap:round}
.graph :is(.links,.legend) .head{fill:var(--line);stroke:none}
`;
const colored = (scheme: 0 | 1) =>
  RULES.replace(/var\(--(\w+)\)/g, (_, name: keyof typeof COLORS) => COLORS[name][scheme]);
/** The style of a graph in a standalone file. It has no variables, because not all SVG viewers support them. */
export const OWN_STYLE: string = `<style>${colored(0)}@media (prefers-color-scheme:dark){${
  colored(1)
}}</style>\n`;
const VARIABLES = Object.entries(COLORS).map(([name, colors]) => `--${name}:light-dark(${colors.join(",")})`);

/** The style of graphs in pages: light or dark by `color-scheme`, with variables for colours: `--ink`, `--dim`, … */
export const GRAPH_STYLE: string = `:root{color-scheme:light dark;${VARIABLES.join(";")}}
${RULES}.graph{display:block;max-width:none}
.graph.lit :is([data-id],[data-ends]):not(.near){opacity:.25}
.graph .links .near path{stroke:var(--focus)}
.graph .links .near .head{fill:var(--focus)}
.graph-box{overflow:auto;max-height:80vh;border:1px solid var(--line);border-radius:6px}
.graph-tools{display:flex;gap:.5rem;margin:.5rem 0}
.graph-tools button{min-width:2.25rem;min-height:2.25rem;font:inherit}
@media print{.graph-box{overflow:visible;max-height:none;border:0}.graph{max-width:100%;height:auto}
.graph-tools{display:none}}
`;
