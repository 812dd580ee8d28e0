/** Draws the graph of related documents as SVG. */

import type { Document } from "../documents/document.ts";
import type { Box, Cell, Drawn, Link } from "./graph_layout.ts";
import type { Relation } from "./relations.ts";
import { escapeHtml } from "../base/html.ts";
import { printable, quoted, shortened } from "../base/text.ts";
import { statusLabel } from "../documents/records/label.ts";
import { currentStatus, numberedTitle, standing } from "../documents/records/status.ts";
import { arrange, HEIGHT, linkedGroups, toCell, WIDTH } from "./graph_layout.ts";
import { OWN_STYLE } from "./graph_style.ts";
import { KINDS } from "./relations.ts";

type HrefOf = (document: Pick<Document, "key">) => string;

/** The distance between the left edges of columns, and between groups, in pixels. */
const COLUMN_STEP = 288, GROUP_GAP = 32;
/** The number of columns for groups, unless a group needs more. */
const COLUMNS = 4;
const MAX_BOXES = 1000, MAX_LINKS = 4000;
/** The maximum number of relations in the tooltip of a box. */
const MAX_NAMED = 12;
/** The maximum length of a label, in UTF-16 units. */
const MAX_LABEL = 200;

/**
 * Draws decision records and related documents as an SVG image: each group in columns, with relations from left to right.
 * Unrelated records are left out unless all are unrelated, and the image states how many were left out. Boxes link to `hrefOf`;
 * without it, the image is a standalone file that includes the style. The same arguments give the same image.
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
  const all = linkedGroups(nodes), isRelated = all.some(({ length }) => length > 1);
  const groups = all.filter(({ length }) => length > 1 || !isRelated);
  const shown = new Set(groups.flat().slice(0, MAX_BOXES));
  let count = 0;
  for (const box of shown) {
    for (const other of box.links.keys()) {
      // Count each link only at its end with the smaller id.
      if (shown.has(other) && (other.id < box.id || count++ < MAX_LINKS)) continue;
      box.links.delete(other);
      other.links.delete(box);
    }
  }
  // Place each group as high as its columns are free, widest first.
  const drawings = groups.flatMap((group) => {
    const own = group.filter((box) => shown.has(box));
    return own.length > 0 ? drawGroup(own, hrefOf) : [];
  }).sort((one, two) => two.columns - one.columns || two.height - one.height);
  /** The y coordinate at which the free space of each column begins. */
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

/** A group as SVG, with its size. Boxes are in reading order: by column, from the top. */
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

/** The y coordinate at which a link meets a cell. The links of a side are spread over it, in the order of their other ends. */
function portOf({ y, height }: Cell, side: readonly Cell[], next: Cell): number {
  if (height === 0) return y;
  const place = side.filter((other) => other.y < next.y).length + 0.5 - side.length / 2;
  return y + Math.round(place * Math.min(12, (height - 14) / side.length));
}

/** The head of an arrow, with its tip at a point and its base `back` pixels to the right; "" for undirected relations. */
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
  const status = statusLabel(document);
  const more = stated.length > MAX_NAMED ? [`and ${stated.length - MAX_NAMED} more`] : [];
  const whole = [status ? `${label} (${status})` : label, ...stated.slice(0, MAX_NAMED), ...more].join("\n");
  const lines = linesOf(label), rows = status ? [...lines, quoted(status, 30)] : lines;
  const text = rows.map((row, index) => {
    const y = HEIGHT / 2 + 12 - 8 * rows.length + 16 * index, isStatus = index === lines.length;
    return `<text${isStatus ? ' class="status"' : ""} x="15" y="${y}">${escapeHtml(row)}</text>`;
  }).join("");
  const [tag, link] = hrefOf ? ["a", ` href="${escapeHtml(hrefOf(document))}"`] : ["g", ""];
  return `<${tag} class="${standing(currentStatus(document)) ?? "other"}" data-id="${id}"${link} ` +
    `transform="translate(${column * COLUMN_STEP} ${y - HEIGHT / 2})"><title>${escapeHtml(whole)}</title>` +
    `<rect width="${WIDTH}" height="${HEIGHT}" rx="6"/><path d="M5 9v${HEIGHT - 18}"/>${text}</${tag}>\n`;
}

/** Splits a label into one or two lines, at a space if possible. */
function linesOf(label: string): string[] {
  const text = label.replace(/\s+/g, " ").trim(), wide = text.match(/[\p{Lu}mw@%]/gu)?.length ?? 0;
  const most = /[\u2e80-\uffff]/.test(text) ? 14 : Math.round(28 - 11 * wide / text.length);
  const [first] = new RegExp(`^.{8,${most}}(?= |$)`).exec(text) ?? [quoted(text, most)];
  return [first, shortened(text.slice(first.length).trim(), most - 1)].filter((line) => line !== "");
}
