/** Relations between documents as a graph of links in SVG, and documents by year, with their style and script. */

import type { Catalogue, Document } from "../documents/catalogue.ts";
import { escapeHtml, isDay, printable, quoted } from "../base/text.ts";
import { currentStatus, numberedTitle, standing } from "../documents/metadata.ts";

/** What one document says of another, by their keys, from the newer one to the older one. */
export interface Relation {
  readonly from: string;
  readonly to: string;
  readonly kind: "supersedes" | "amends" | "relates-to" | "mentions";
}

/** What is used of a document. */
type Drawn = Pick<Document, "key" | "title" | "record">;

/** How a graph is drawn. */
export interface GraphOptions {
  /** Where the box of a document leads. @default {nowhere} */
  readonly hrefOf?: (document: Pick<Document, "key">) => string;
  /** The most documents that are drawn. @default {1000} */
  readonly most?: number | undefined;
  /** Whether it is a file of its own, with the style in it. @default {false} */
  readonly standalone?: boolean | undefined;
}

/** The fields that state a relation; some state it from its other end. */
const FIELDS = [
  ["supersedes", "supersedes", false],
  ["supersededBy", "supersedes", true],
  ["amends", "amends", false],
  ["amendedBy", "amends", true],
  ["relatesTo", "relates-to", false],
] as const;
/** The words for a relation, from both of its ends; the first kind wins where two documents have several. */
const WORDS = [
  ["supersedes", "supersedes", "superseded by"],
  ["amends", "amends", "amended by"],
  ["relates-to", "relates to", "relates to"],
  ["mentions", "mentions", "mentioned by"],
] as const;
/** The kinds that put the newer document to the left of the older one. */
const DIRECTED: ReadonlySet<string> = new Set(["supersedes", "amends"]);

/** The size of a box, and the space between columns, rows, lines and groups, in pixels. */
const WIDTH = 216, HEIGHT = 60, STEP = 288, DOWN = 14, BETWEEN = 5, APART = 32;
/** The width of a line of text in average characters, and the columns that groups are arranged for. */
const LINE = 25, COLUMNS = 4;
/** The most relations that are drawn, that a box names, and the most columns that all relations cross together. */
const MAX_LINKS = 4000, MAX_NAMED = 12, MAX_CROSSED = 4000;
/** How often the columns are arranged by those beside them. */
const SWEEPS = 24;

/** What the records of a catalogue state of each other, whichever of the two says so; sorted by `from`. */
export function relations(catalogue: Catalogue): Relation[] {
  const found = new Map<string, Relation>();
  for (const document of catalogue.documents) {
    for (const [field, kind, isBackward] of FIELDS) {
      for (const reference of document.record?.[field] ?? []) {
        const other = catalogue.resolve(document, reference);
        if (!other || other === document) continue;
        const pair = [document.key, other.key] as const;
        // A relation has no direction, and both records may state it.
        const isTurned = kind === "relates-to" ? pair[0] < pair[1] : isBackward;
        const [from, to] = isTurned ? [pair[1], pair[0]] : pair;
        found.set(`${from} ${kind} ${to}`, { from, to, kind });
      }
    }
  }
  return [...found.values()].sort((one, two) => one.from < two.from ? -1 : one.from > two.from ? 1 : 0);
}

/** A place in a column: a box, or where a relation crosses the column. */
interface Cell {
  readonly height: number;
  readonly left: Cell[];
  readonly right: Cell[];
  /** Counted from 0, and -1 before it is known. */
  column: number;
  /** Its middle, and where that would best be. */
  y: number;
  wanted: number;
}

interface Box extends Cell {
  readonly id: number;
  readonly document: Drawn;
  readonly label: string;
  readonly links: Link[];
  /** What its relations say, a line each. */
  readonly said: string[];
}

interface Link {
  readonly from: Box;
  readonly to: Box;
  readonly kind: Relation["kind"];
  /** What it passes, from left to right. */
  cells: readonly Cell[];
}

function toCell(height: number, column: number): Cell {
  return { height, left: [], right: [], column, y: 0, wanted: 0 };
}

const otherEnd = ({ from, to }: Link, box: Box): Box => from === box ? to : from;

/**
 * Draws the decision records among some documents, and others that they are related to, as an SVG image: each group in
 * columns, with relations from left to right. Unrelated records are left out unless all are unrelated, and the image says how
 * many were left out. The same arguments give the same image.
 */
export function drawGraph(
  documents: readonly Drawn[],
  relations: readonly Relation[],
  { hrefOf, most = 1000, standalone = false }: GraphOptions = {},
): string {
  const related = new Set(relations.flatMap(({ from, to }) => [from, to]));
  const nodes = documents.filter(({ key, record }) => record || related.has(key));
  const near = new Map(nodes.map(({ key }) => [key, new Set<string>()]));
  const known = relations.filter(({ from, to }) => from !== to && near.has(from) && near.has(to));
  for (const { from, to } of known) {
    near.get(from)!.add(to);
    near.get(to)!.add(from);
  }
  const groups = groupsOf(near).filter(({ length }) => length > 1 || known.length === 0);
  const kept = new Set(groups.flat().slice(0, most));
  const boxes = new Map(
    nodes.filter(({ key }) => kept.has(key)).map((document, id): [string, Box] => [
      document.key,
      { ...toCell(HEIGHT, -1), id, document, label: labelOf(document), links: [], said: [] },
    ]),
  );
  const drawn = new Set<string>();
  for (const [kind, active, passive] of WORDS) {
    for (const relation of known) {
      const [from, to] = [boxes.get(relation.from), boxes.get(relation.to)];
      if (relation.kind !== kind || !from || !to) continue;
      from.said.push(`${active} ${to.label}`);
      to.said.push(`${passive} ${from.label}`);
      const pair = `${Math.min(from.id, to.id)} ${Math.max(from.id, to.id)}`;
      if (drawn.has(pair) || drawn.size >= MAX_LINKS) continue;
      drawn.add(pair);
      const link: Link = { from, to, kind, cells: [] };
      from.links.push(link);
      to.links.push(link);
    }
  }
  // Each group goes where its columns are free first.
  const pictures = groups.flatMap((group) => {
    const own = group.flatMap((key) => boxes.get(key) ?? []);
    return own.length > 0 ? drawGroup(own, hrefOf) : [];
  }).sort((one, two) => two.columns - one.columns || two.height - one.height);
  const free = new Array<number>(Math.max(COLUMNS, pictures[0]?.columns ?? 0)).fill(0);
  const parts = pictures.map(({ text, columns, height }) => {
    const tops = free.slice(columns - 1).map((_, start) => Math.max(...free.slice(start, start + columns)));
    const y = Math.min(...tops), start = tops.indexOf(y);
    free.fill(y + height + APART, start, start + columns);
    return `<g transform="translate(${8 + start * STEP} ${8 + y})">\n${text}</g>\n`;
  });
  const used = free.findLastIndex((height) => height > 0) + 1, bottom = Math.max(...free);
  const legend = WORDS.filter(([kind]) => known.some((relation) => relation.kind === kind)).map(
    ([kind, word], index) =>
      `<g class="${kind}" transform="translate(${8 + 124 * index} ${bottom + 8})"><path d="M0 0h26"/>` +
      `${headOf(kind, 34, 0, -8)}<text x="42" y="4">${word}</text></g>`,
  );
  const left = nodes.length - boxes.size;
  const reason = boxes.size < most ? ", because they have no relations" : "";
  const note = left &&
    `<text x="8" y="${bottom + 44}">Not shown: ${left} of ${nodes.length} documents${reason}</text>`;
  const size = [Math.max(STEP * used - 56, 520), bottom + 56];
  const style = standalone ? OWN_STYLE : "";
  return `<svg xmlns="http://www.w3.org/2000/svg" class="graph" role="group" aria-label="Graph of decisions" ` +
    `width="${size[0]}" height="${size[1]}" viewBox="0 0 ${size.join(" ")}">\n` +
    `${style}${parts.join("")}<g class="legend" aria-hidden="true">${legend.join("")}</g>\n${
      note || ""
    }</svg>\n`;
}

/** The groups of documents that are related, also through others: the largest first, and in each the most related one. */
function groupsOf(near: ReadonlyMap<string, ReadonlySet<string>>): string[][] {
  const seen = new Set<string>();
  const byDegree = [...near].sort(([, one], [, two]) => two.size - one.size);
  return byDegree.flatMap(([key]) => {
    if (seen.has(key)) return [];
    const group = new Set([key]);
    for (const next of group) for (const other of near.get(next)!) group.add(other);
    for (const other of group) seen.add(other);
    return [[...group]];
  }).sort((one, two) => two.length - one.length);
}

/** Arranges a group in columns, so that its relations are short and cross little. */
function arrange(boxes: readonly Box[]): Cell[][] {
  // Reversed, the order of a depth-first search leads from newer to older records, but for what closes a circle.
  const seen = new Set<Box>(), order: Box[] = [];
  const visit = (box: Box): void => {
    if (seen.has(box)) return;
    seen.add(box);
    for (const { from, to, kind } of box.links) if (from === box && DIRECTED.has(kind)) visit(to);
    order.push(box);
  };
  boxes.forEach(visit);
  // Each box has another column than those that it is related to, and stands to the right of what replaces or amends it.
  for (const box of order.toReversed()) {
    const taken = new Set(box.links.map((link) => otherEnd(link, box).column));
    for (const { from, kind } of box.links) {
      if (from !== box && DIRECTED.has(kind)) box.column = Math.max(box.column, from.column);
    }
    do box.column++; while (taken.has(box.column));
  }
  // What has most of its relations to the right moves there.
  for (const box of order) {
    const ends = box.links.map((link) => otherEnd(link, box).column).filter((column) => column > box.column);
    if (ends.length * 2 > box.links.length) box.column = Math.min(...ends) - 1;
  }
  const used = [...new Set(boxes.map(({ column }) => column))].sort((one, two) => one - two);
  const columns: Cell[][] = used.map(() => []);
  for (const box of order.toReversed()) columns[box.column = used.indexOf(box.column)]!.push(box);
  let crossed = 0;
  for (const box of boxes) {
    for (const link of box.links) {
      const end = otherEnd(link, box);
      if (end.column < box.column) continue;
      const cells: Cell[] = [box];
      for (let at = box.column + 1; at < end.column && crossed < MAX_CROSSED; at++, crossed++) {
        const cell = toCell(0, at);
        columns[at]!.push(cell);
        cells.push(cell);
      }
      link.cells = [...cells, end];
      cells.forEach((cell, index) => {
        cell.right.push(link.cells[index + 1]!);
        link.cells[index + 1]!.left.push(cell);
      });
    }
  }
  columns.forEach(settle);
  for (let sweep = 0; sweep < SWEEPS; sweep++) {
    const isRightward = sweep % 2 === 0, isLast = sweep > SWEEPS - 4;
    for (const column of isRightward ? columns : columns.toReversed()) {
      for (const cell of column) {
        let sum = 0, count = 0;
        if (isRightward || isLast) { for (const { y } of cell.left) [sum, count] = [sum + y, count + 1]; }
        if (!isRightward || isLast) { for (const { y } of cell.right) [sum, count] = [sum + y, count + 1]; }
        cell.wanted = count === 0 ? cell.y : sum / count;
      }
      settle(column.sort((one, two) => one.wanted - two.wanted));
    }
  }
  return columns;
}

/** Moves the cells of a column as near to where they are wanted as their order and heights allow (isotonic regression). */
function settle(column: readonly Cell[]): void {
  const blocks: { shift: number; cells: Cell[] }[] = [];
  let before: Cell | undefined, offset = 0;
  for (const cell of column) {
    const heights = before ? before.height + cell.height : 0;
    if (before) offset += heights / 2 + (heights > 0 ? DOWN : BETWEEN);
    [before, cell.y] = [cell, offset];
    let block = { shift: cell.wanted - offset, cells: [cell] };
    for (let last = blocks.at(-1); last && last.shift > block.shift; last = blocks.at(-1)) {
      const [one, two] = [last.cells.length, block.cells.length];
      last.cells.push(...block.cells);
      block = { shift: (last.shift * one + block.shift * two) / (one + two), cells: last.cells };
      blocks.pop();
    }
    blocks.push(block);
  }
  for (const { shift, cells } of blocks) for (const cell of cells) cell.y = Math.round(cell.y + shift);
}

/** A group as SVG, with its size. Boxes stand in it as they are read: by column, from the top. */
function drawGroup(
  group: readonly Box[],
  hrefOf: GraphOptions["hrefOf"],
): { text: string; columns: number; height: number } {
  const columns = arrange(group), cells = columns.flat();
  const top = Math.min(...cells.map(({ y, height }) => y - height / 2));
  for (const cell of cells) cell.y -= top;
  const links = group.flatMap((box) => box.links.filter(({ from }) => from === box).map(drawLink));
  const boxes = cells.filter((cell): cell is Box => "document" in cell).map((box) => drawBox(box, hrefOf));
  const height = Math.max(...cells.map(({ y, height }) => y + height / 2));
  const text = `<g class="links" aria-hidden="true">\n${links.join("")}</g>\n${boxes.join("")}`;
  return { text, columns: columns.length, height };
}

/** The height at which a link leaves a box: those of one side are spread over it, in the order of what they lead to. */
function portOf(box: Cell, side: readonly Cell[], next: Cell): number {
  if (!("document" in box)) return box.y;
  const place = side.filter(({ y }) => y < next.y).length + 0.5 - side.length / 2;
  return box.y + Math.round(place * Math.min(12, (HEIGHT - 14) / side.length));
}

/** The head of an arrow, whose tip is at a point; undirected relations have none. */
function headOf(kind: Relation["kind"], x: number, y: number, back: number): string {
  return kind === "relates-to" ? "" : `<path class="head" d="M${x} ${y}l${back} -4v8z"/>`;
}

function drawLink({ from, to, kind, cells }: Link): string {
  const isTurned = cells[0] !== from;
  let path = "", head = "";
  cells.slice(1).forEach((next, index) => {
    const cell = cells[index]!, isEnd = index === (isTurned ? 0 : cells.length - 2);
    const [x, y] = [cell.column * STEP + WIDTH, portOf(cell, cell.right, next)];
    const [endX, endY] = [next.column * STEP, portOf(next, next.left, cell)];
    const middle = (x + endX) / 2;
    path += `${index === 0 ? "M" : "L"}${x} ${y}C${middle} ${y} ${middle} ${endY} ${endX} ${endY}`;
    if (isEnd) head = isTurned ? headOf(kind, x, y, 8) : headOf(kind, endX, endY, -8);
  });
  return `<g class="${kind}" data-ends="${from.id} ${to.id}"><path d="${path}"/>${head}</g>\n`;
}

const labelOf = ({ title, record }: Drawn) => printable(numberedTitle(title, record?.number));

function drawBox({ id, document, label, said, column, y }: Box, hrefOf: GraphOptions["hrefOf"]): string {
  const status = currentStatus(document);
  const more = said.length > MAX_NAMED ? [`and ${said.length - MAX_NAMED} more`] : [];
  const whole = [status ? `${label} (${status})` : label, ...said.slice(0, MAX_NAMED), ...more].join("\n");
  const rows = linesOf(label).map((line) => ["", line]);
  if (status) rows.push([' class="status"', quoted(status, 30)]);
  const text = rows.map(([kind, row], index) =>
    `<text${kind} x="15" y="${HEIGHT / 2 + 12 - 8 * rows.length + 16 * index}">${escapeHtml(row!)}</text>`
  ).join("");
  const [tag, link] = hrefOf ? ["a", ` href="${escapeHtml(hrefOf(document))}"`] : ["g", ""];
  const place = `transform="translate(${column * STEP} ${y - HEIGHT / 2})"`;
  return `<${tag} class="${classOf(status)}" data-id="${id}"${link} ${place}><title>${
    escapeHtml(whole)
  }</title>` +
    `<rect width="${WIDTH}" height="${HEIGHT}" rx="6"/><path d="M5 9v${HEIGHT - 18}"/>${text}</${tag}>\n`;
}

const classOf = (status: string | undefined): string => standing(status) ?? "other";

/** How wide a character is, against an average one. */
function widthOf(character: string): number {
  if (character > "\u1100") return 1.9;
  return /[\p{Lu}mw@%]/u.test(character) ? 1.3 : /[iljtfr.,:;'|!()[\] ]/.test(character) ? 0.6 : 1;
}

/** The beginning of a text that has a width. */
function fitting(text: string, most: number): string {
  let width = 0, end = 0;
  for (const character of text) {
    width += widthOf(character);
    if (width > most) break;
    end += character.length;
  }
  return text.slice(0, end);
}

/** A label on one or two lines, which are broken at a space where there is one. */
function linesOf(label: string): string[] {
  const text = label.replace(/\s+/g, " ").trim(), first = fitting(text, LINE);
  if (first === text) return [text];
  const space = text.slice(0, first.length + 1).lastIndexOf(" ");
  const end = space > first.length / 2 ? space : first.length;
  const rest = text.slice(end).trim(), second = fitting(rest, LINE);
  return [text.slice(0, end), second === rest ? rest : `${fitting(rest, LINE - 1)}…`];
}

/** Documents by the year of their date, in the order given: bars that lead to the years, and a list of links. */
export function drawTimeline(
  documents: readonly Drawn[],
  hrefOf: NonNullable<GraphOptions["hrefOf"]>,
): string {
  const yearOf = ({ record }: Drawn) => /\b(?:19|20)\d\d\b/.exec(record?.date ?? "")?.[0] ?? "";
  const years = [...Map.groupBy(documents, yearOf)];
  const most = Math.max(...years.map(([, own]) => own.length));
  const bars = years.toReversed().filter(([year]) => year).map(([year, own]) => {
    let y = 64;
    const parts = ["inForce", "open", "other", "over", "rejected"].map((kind) => {
      const height = Math.ceil(
        60 * own.filter((document) => classOf(currentStatus(document)) === kind).length / most,
      );
      y -= height;
      return height > 0 ? `<rect class="${kind}" width="28" height="${height}" y="${y}"/>` : "";
    }).join("");
    return `<li><a href="#y${year}"><svg width="28" height="64" aria-hidden="true">${parts}</svg>${year} ` +
      `<span class="count">${own.length}</span></a></li>\n`;
  });
  const lists = years.map(([year, own]) => {
    const links = own.map((document) => {
      const date = document.record?.date ?? "", status = currentStatus(document);
      const tag = isDay(date) ? "time" : "span";
      const end = status ? ` <span class="status">${escapeHtml(status)}</span>` : "";
      return `<li class="${classOf(status)}"><${tag} class="date">${escapeHtml(date)}</${tag}> ` +
        `<a href="${escapeHtml(hrefOf(document))}">${escapeHtml(labelOf(document))}</a>${end}</li>\n`;
    }).join("");
    return `<li${year && ` id="y${year}"`}><h2>${year || "Without a date"}</h2>\n<ol>\n${links}</ol></li>\n`;
  });
  return `<ol class="years">\n${bars.join("")}</ol>\n<ol class="timeline">\n${lists.join("")}</ol>\n`;
}

/** The colours of the light and of the dark scheme. */
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
:is(.graph,.years) .inForce,.timeline .inForce::before{color:var(--inForce)}
:is(.graph,.years) .open,.timeline .open::before{color:var(--open)}
:is(.graph,.years) .rejected,.timeline .rejected::before{color:var(--rejected)}
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
const VARIABLES = Object.entries(COLORS).map(([name, [light, dark]]) =>
  `--${name}:light-dark(${light},${dark})`
);

/** The style of graphs and timelines, light or dark by `color-scheme`; its colours are variables: `--ink`, `--dim`, … */
export const GRAPH_STYLE: string = `:root{color-scheme:light dark;${VARIABLES.join(";")}}
${RULES}.graph{display:block;max-width:none}
.graph.lit :is([data-id],[data-ends]):not(.near){opacity:.25}
.graph .links .near path{stroke:var(--focus)}
.graph .links .near .head{fill:var(--focus)}
.graph-box{overflow:auto;max-height:80vh;border:1px solid var(--line);border-radius:6px}
.graph-tools{display:flex;gap:.5rem;margin:.5rem 0}
.graph-tools button{min-width:2.25rem;min-height:2.25rem;font:inherit}
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
@media print{.graph-box{overflow:visible;max-height:none;border:0}.graph{max-width:100%;height:auto}
.graph-tools{display:none}}
`;

/**
 * The script of graphs, each of which stands in a scrolling box of its own: buttons and the keys plus, minus and 0 zoom,
 * the mouse pulls, and a document that is pointed at or in focus shows what it is related to. It defines `showGraph(svg)`
 * and calls it for the graphs of the page.
 */
export const GRAPH_SCRIPT = `function showGraph(svg) {
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
  const tools = document.createElement("div");
  tools.className = "graph-tools";
  for (const [key, name, text] of [["+", "Zoom in", "+"], ["-", "Zoom out", "−"], ["0", "Whole width", "Whole width"]]) {
    const button = Object.assign(document.createElement("button"), { type: "button", textContent: text, onclick: actions[key] });
    button.setAttribute("aria-label", name);
    button.setAttribute("aria-keyshortcuts", key);
    tools.append(button);
  }
  box.before(tools);
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
