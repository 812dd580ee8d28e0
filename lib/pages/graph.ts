/** Draws the graph of related documents as SVG: the layout, the style, and the script for a browser. */

import type { Document } from "../documents/catalogue.ts";
import type { Relation } from "./relations.ts";
import { escapeHtml, printable, quoted, shortened } from "../base/text.ts";
import { currentStatus, numberedTitle, standing } from "../documents/metadata.ts";
import { KINDS } from "./relations.ts";

type Drawn = Pick<Document, "key" | "title" | "record">;
type HrefOf = (document: Pick<Document, "key">) => string;

/** The size of a box, the space between columns, rows, lines and groups in pixels, and the columns for groups. */
const WIDTH = 216, HEIGHT = 60, COLUMN_STEP = 288, ROW_GAP = 14, LINE_GAP = 5, GROUP_GAP = 32, COLUMNS = 4;
/** The most boxes and links, relations a box names, characters of a label, columns crossed, and how often these are arranged. */
const MAX_BOXES = 1000, MAX_LINKS = 4000, MAX_NAMED = 12, MAX_LABEL = 200, MAX_CROSSED = 4000, SWEEPS = 24;

/** A place in a column: a box, or where a link crosses the column. */
interface Cell {
  readonly height: number;
  readonly left: Cell[];
  readonly right: Cell[];
  column: number;
  /** Its middle, and where that would best be. */
  y: number;
  wanted: number;
}

interface Box extends Cell {
  readonly id: number;
  readonly document: Drawn;
  readonly label: string;
  readonly links: Map<Box, Link>;
  readonly stated: string[];
}

interface Link {
  readonly from: Box;
  readonly to: Box;
  readonly kind: Relation["kind"];
  /** What it passes, with its two boxes, from left to right. */
  readonly cells: Cell[];
}

function toCell(height: number, column: number): Cell {
  return { height, left: [], right: [], column, y: 0, wanted: 0 };
}

/** Whether a link puts the newer document to the left of the older one. */
const isDirected = ({ kind }: Link): boolean => kind === "supersedes" || kind === "amends";

/**
 * Draws the decision records among some documents, and others that they are related to, as an SVG image: each group in
 * columns, with relations from left to right. Unrelated records are left out unless all are unrelated, and the image says how
 * many were left out. Boxes lead where `hrefOf` says; without it, the image is a file of its own, with the style in it. The same
 * arguments give the same image.
 */
export function drawGraph(
  documents: readonly Drawn[],
  relations: readonly Relation[],
  hrefOf?: HrefOf,
): string {
  const related = new Set(relations.flatMap(({ from, to }) => [from, to]));
  const nodes = documents.filter(({ key, record }) => record || related.has(key)).map((document, id): Box => {
    const label = shortened(printable(numberedTitle(document.title, document.record?.number)), MAX_LABEL);
    return { ...toCell(HEIGHT, -1), id, document, label, links: new Map(), stated: [] };
  });
  const byKey = new Map(nodes.map((box) => [box.document.key, box]));
  for (const [kind, [active, passive]] of Object.entries(KINDS)) {
    for (const relation of relations) {
      if (relation.kind !== kind) continue;
      const from = byKey.get(relation.from)!, to = byKey.get(relation.to)!;
      from.stated.push(`${active} ${to.label}`);
      to.stated.push(`${passive} ${from.label}`);
      if (from.links.has(to)) continue;
      const link: Link = { from, to, kind: relation.kind, cells: [] };
      from.links.set(to, link);
      to.links.set(from, link);
    }
  }
  const all = groupsOf(nodes), isRelated = all.some(({ length }) => length > 1);
  const groups = all.filter(({ length }) => length > 1 || !isRelated);
  const shown = new Set(groups.flat().slice(0, MAX_BOXES));
  let count = 0;
  for (const box of shown) {
    for (const other of box.links.keys()) {
      // Each link is counted at the end that has the smaller id.
      if (shown.has(other) && (other.id < box.id || count++ < MAX_LINKS)) continue;
      box.links.delete(other);
      other.links.delete(box);
    }
  }
  // Each group goes as high as its columns are free, the widest first.
  const drawings = groups.flatMap((group) => {
    const own = group.filter((box) => shown.has(box));
    return own.length > 0 ? drawGroup(own, hrefOf) : [];
  }).sort((one, two) => two.columns - one.columns || two.height - one.height);
  /** The height from which on each column is free. */
  const free = new Array<number>(Math.max(COLUMNS, drawings[0]?.columns ?? 0)).fill(0);
  const parts = drawings.map(({ text, columns, height }) => {
    const tops = free.slice(columns - 1).map((_, start) => Math.max(...free.slice(start, start + columns)));
    const y = Math.min(...tops), start = tops.indexOf(y);
    free.fill(y + height + GROUP_GAP, start, start + columns);
    return `<g transform="translate(${8 + start * COLUMN_STEP} ${8 + y})">\n${text}</g>\n`;
  });
  const used = free.findLastIndex((height) => height > 0) + 1, bottom = Math.max(...free);
  const kinds = Object.entries(KINDS).filter(([kind]) => relations.some((one) => one.kind === kind));
  const legend = kinds.map(([kind, [word]], index) =>
    `<g class="${kind}" transform="translate(${8 + 124 * index} ${bottom + 8})"><path d="M0 0h26"/>` +
    `${headOf(kind, 34, 0, -8)}<text x="42" y="4">${word}</text></g>`
  );
  const left = nodes.length - shown.size;
  const why = shown.size < MAX_BOXES ? ", because they have no relations" : "";
  const note = `Not shown: ${left} of ${nodes.length} documents${why}`;
  const width = Math.max(COLUMN_STEP * (used - 1) + WIDTH + 16, 520), height = bottom + 56;
  return `<svg xmlns="http://www.w3.org/2000/svg" class="graph" role="group" aria-label="Graph of decisions" ` +
    `width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">\n${hrefOf ? "" : OWN_STYLE}` +
    `${parts.join("")}<g class="legend" aria-hidden="true">${legend.join("")}</g>\n` +
    `${left > 0 ? `<text x="8" y="${bottom + 44}">${note}</text>` : ""}</svg>\n`;
}

/** Groups the boxes that are linked, directly or not: the largest group first, and in each the box with the most links. */
function groupsOf(boxes: readonly Box[]): Box[][] {
  const seen = new Set<Box>();
  return boxes.toSorted((one, two) => two.links.size - one.links.size).flatMap((box) => {
    if (seen.has(box)) return [];
    const group = new Set([box]);
    for (const next of group) for (const other of next.links.keys()) group.add(other);
    for (const other of group) seen.add(other);
    return [[...group]];
  }).sort((one, two) => two.length - one.length);
}

/** Arranges a group in columns, so that its links are short and cross little. */
function arrange(boxes: readonly Box[]): Cell[][] {
  // The reversed order of a depth-first search leads from newer to older records, except where they form a circle.
  const seen = new Set<Box>(), order: Box[] = [];
  const walk = (box: Box): void => {
    if (seen.has(box)) return;
    seen.add(box);
    for (const [other, link] of box.links) if (link.to === other && isDirected(link)) walk(other);
    order.push(box);
  };
  boxes.forEach(walk);
  order.reverse();
  // Each box stands in another column than the boxes that it is linked to, and to the right of what replaces or amends it.
  for (const box of order) {
    const taken = new Set([...box.links.keys()].map(({ column }) => column));
    for (const [other, link] of box.links) {
      if (link.from === other && isDirected(link)) box.column = Math.max(box.column, other.column);
    }
    do box.column++; while (taken.has(box.column));
  }
  // A box with most of its links to the right moves there.
  for (const box of order.toReversed()) {
    const ends = [...box.links.keys()].map(({ column }) => column).filter((column) => column > box.column);
    if (ends.length * 2 > box.links.size) box.column = Math.min(...ends) - 1;
  }
  const used = [...new Set(boxes.map(({ column }) => column))].sort((one, two) => one - two);
  const columns: Cell[][] = used.map(() => []);
  for (const box of order) columns[box.column = used.indexOf(box.column)]!.push(box);
  let crossed = 0;
  for (const box of boxes) {
    for (const [end, { cells }] of box.links) {
      if (end.column < box.column) continue;
      cells.push(box);
      for (let at = box.column + 1; at < end.column && crossed < MAX_CROSSED; at++, crossed++) {
        const cell = toCell(0, at);
        columns[at]!.push(cell);
        cells.push(cell);
      }
      cells.push(end);
      cells.slice(1).forEach((cell, index) => {
        cells[index]!.right.push(cell);
        cell.left.push(cells[index]!);
      });
    }
  }
  for (const column of columns) placeCells(column, () => []);
  for (let sweep = 0; sweep < SWEEPS; sweep++) {
    const isRightward = sweep % 2 === 0, isLast = sweep > SWEEPS - 4;
    for (const column of isRightward ? columns : columns.toReversed()) {
      placeCells(column, ({ left, right }) => isLast ? [...left, ...right] : isRightward ? left : right);
    }
  }
  return columns;
}

/** Sorts a column by the mean height of what its cells are linked to, and moves them there as far as their sizes allow. */
function placeCells(column: Cell[], nearOf: (cell: Cell) => readonly Cell[]): void {
  for (const cell of column) {
    const near = nearOf(cell);
    cell.wanted = near.length === 0 ? cell.y : near.reduce((sum, { y }) => sum + y, 0) / near.length;
  }
  column.sort((one, two) => one.wanted - two.wanted);
  // Neighbours that would overlap become a block, which moves as one (isotonic regression).
  const blocks: { shift: number; cells: Cell[] }[] = [];
  let before: Cell | undefined, offset = 0;
  for (const cell of column) {
    const heights = before ? before.height + cell.height : 0;
    if (before) offset += heights / 2 + (heights > 0 ? ROW_GAP : LINE_GAP);
    let block = { shift: cell.wanted - offset, cells: [cell] };
    [before, cell.y] = [cell, offset];
    for (let last = blocks.at(-1); last && last.shift > block.shift; last = blocks.at(-1)) {
      const one = last.cells.length, two = block.cells.length;
      last.cells.push(...block.cells);
      block = { shift: (last.shift * one + block.shift * two) / (one + two), cells: last.cells };
      blocks.pop();
    }
    blocks.push(block);
  }
  for (const { shift, cells } of blocks) for (const cell of cells) cell.y = Math.round(cell.y + shift);
}

/** A group as SVG, with its size. Boxes follow each other as they are read: by column, from the top. */
function drawGroup(group: readonly Box[], hrefOf: HrefOf | undefined) {
  const columns = arrange(group), cells = columns.flat();
  const top = Math.min(...cells.map(({ y, height }) => y - height / 2));
  for (const cell of cells) cell.y -= top;
  const links = new Set(group.flatMap((box) => [...box.links.values()]));
  const boxes = cells.flatMap((cell) => "id" in cell ? drawBox(cell as Box, hrefOf) : []);
  const height = Math.max(...cells.map(({ y, height }) => y + height / 2));
  const lines = Array.from(links, drawLink).join("");
  const text = `<g class="links" aria-hidden="true">\n${lines}</g>\n${boxes.join("")}`;
  return { text, columns: columns.length, height };
}

/** The height at which a link meets a cell: the links of a side are spread over it, in the order of the cells they lead to. */
function portOf({ y, height }: Cell, side: readonly Cell[], next: Cell): number {
  if (height === 0) return y;
  const place = side.filter((other) => other.y < next.y).length + 0.5 - side.length / 2;
  return y + Math.round(place * Math.min(12, (height - 14) / side.length));
}

/** The head of an arrow, with its tip at a point and its base `back` pixels to the right; undirected relations have none. */
function headOf(kind: string, x: number, y: number, back: number): string {
  return kind === "relates-to" ? "" : `<path class="head" d="M${x} ${y}l${back} -4v8z"/>`;
}

function drawLink({ from, to, kind, cells }: Link): string {
  const isTurned = cells[0] !== from;
  let path = "", head = "";
  cells.slice(1).forEach((next, index) => {
    const cell = cells[index]!, isEnd = index === (isTurned ? 0 : cells.length - 2);
    const x = cell.column * COLUMN_STEP + WIDTH, y = portOf(cell, cell.right, next);
    const endX = next.column * COLUMN_STEP, endY = portOf(next, next.left, cell);
    const middle = (x + endX) / 2;
    path += `${index === 0 ? "M" : "L"}${x} ${y}C${middle} ${y} ${middle} ${endY} ${endX} ${endY}`;
    if (isEnd) head = isTurned ? headOf(kind, x, y, 8) : headOf(kind, endX, endY, -8);
  });
  return `<g class="${kind}" data-ends="${from.id} ${to.id}"><path d="${path}"/>${head}</g>\n`;
}

function drawBox({ id, document, label, stated, column, y }: Box, hrefOf: HrefOf | undefined): string {
  const status = currentStatus(document);
  const more = stated.length > MAX_NAMED ? [`and ${stated.length - MAX_NAMED} more`] : [];
  const whole = [status ? `${label} (${status})` : label, ...stated.slice(0, MAX_NAMED), ...more].join("\n");
  const lines = linesOf(label), rows = status ? [...lines, quoted(status, 30)] : lines;
  const text = rows.map((row, index) => {
    const y = HEIGHT / 2 + 12 - 8 * rows.length + 16 * index, isStatus = index === lines.length;
    return `<text${isStatus ? ' class="status"' : ""} x="15" y="${y}">${escapeHtml(row)}</text>`;
  }).join("");
  const [tag, link] = hrefOf ? ["a", ` href="${escapeHtml(hrefOf(document))}"`] : ["g", ""];
  return `<${tag} class="${standing(status) ?? "other"}" data-id="${id}"${link} ` +
    `transform="translate(${column * COLUMN_STEP} ${y - HEIGHT / 2})"><title>${escapeHtml(whole)}</title>` +
    `<rect width="${WIDTH}" height="${HEIGHT}" rx="6"/><path d="M5 9v${HEIGHT - 18}"/>${text}</${tag}>\n`;
}

/** A label on one or two lines, which are broken at a space where there is one. */
function linesOf(label: string): string[] {
  const text = label.replace(/\s+/g, " ").trim(), wide = text.match(/[\p{Lu}mw@%]/gu)?.length ?? 0;
  const most = /[\u2e80-\uffff]/.test(text) ? 14 : Math.round(28 - 11 * wide / text.length);
  const [first] = new RegExp(`^.{8,${most}}(?= |$)`).exec(text) ?? [quoted(text, most)];
  return [first, shortened(text.slice(first.length).trim(), most - 1)].filter((line) => line !== "");
}

const COLORS = {
  ink: ["#1f2328", "#e6edf3"],
  dim: ["#59636e", "#9aa4af"],
  paper: ["#fff", "#161b22"],
  line: ["#818b98", "#768390"],
  focus: ["#0969da", "#4493f8"],
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
/** The style of a graph that is a file of its own; not all that show SVG know variables. */
const OWN_STYLE = `<style>${colored(0)}@media (prefers-color-scheme:dark){${colored(1)}}</style>\n`;
const VARIABLES = Object.entries(COLORS).map(([name, colors]) => `--${name}:light-dark(${colors.join(",")})`);

/** The style of graphs, light or dark by `color-scheme`; its colours are variables: `--ink`, `--dim`, … */
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

/**
 * The script of graphs, each of which stands in a scrolling box of its own: buttons and the keys plus, minus and 0 zoom,
 * the mouse pulls, and a document that is pointed at or in focus shows what it is related to. It defines `showGraph(svg)`
 * and calls it for the graphs of the page, and `make` for elements.
 */
export const GRAPH_SCRIPT = `function make(name, members, ...children) {
  const element = Object.assign(document.createElement(name), members);
  element.append(...children);
  return element;
}
function showGraph(svg) {
  const box = svg.parentElement, { width, height } = svg.viewBox.baseVal;
  let scale = 1;
  const zoom = (to) => {
    const middle = [box.scrollLeft + box.clientWidth / 2, box.scrollTop + box.clientHeight / 2].map((at) => at / scale);
    scale = Math.min(4, Math.max(0.1, to));
    svg.setAttribute("width", width * scale);
    svg.setAttribute("height", height * scale);
    box.scrollTo(middle[0] * scale - box.clientWidth / 2, middle[1] * scale - box.clientHeight / 2);
  };
  const fit = () => Math.min(1, box.clientWidth / width);
  const actions = { "+": () => zoom(scale * 1.25), "-": () => zoom(scale / 1.25), 0: () => zoom(scale === fit() ? 1 : fit()) };
  const tools = [["+", "Zoom in", "+"], ["-", "Zoom out", "−"], ["0", "Whole width", "Whole width"]].map(([key, ariaLabel, text]) =>
    make("button", { type: "button", ariaLabel, ariaKeyShortcuts: key, onclick: actions[key] }, text));
  box.before(make("div", { className: "graph-tools" }, ...tools));
  box.addEventListener("keydown", (event) => {
    const action = actions[event.key === "=" ? "+" : event.key];
    if (!action || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    action();
  });
  box.addEventListener("pointermove", (event) => {
    if (event.buttons === 1 && event.pointerType === "mouse") box.scrollBy(-event.movementX, -event.movementY);
  });
  const light = ({ target }) => {
    const id = target.closest("[data-id]")?.dataset.id, near = new Set([id]);
    for (const link of svg.querySelectorAll("[data-ends]")) {
      const ends = link.dataset.ends.split(" ");
      if (link.classList.toggle("near", ends.includes(id))) ends.forEach((end) => near.add(end));
    }
    for (const node of svg.querySelectorAll("[data-id]")) node.classList.toggle("near", near.has(node.dataset.id));
    svg.classList.toggle("lit", near.size > 1);
  };
  svg.addEventListener("pointerover", light);
  svg.addEventListener("focusin", light);
  svg.addEventListener("focusout", () => svg.classList.remove("lit"));
}
document.querySelectorAll("svg.graph").forEach(showGraph);
`;
