/** Lays out related documents in columns, so that links are short and rarely cross. */

import type { Document } from "../documents/document.ts";
import type { Relation } from "./relations.ts";

export type Drawn = Pick<Document, "key" | "title" | "record">;

/** The size of a box, in pixels. */
export const WIDTH = 216, HEIGHT = 60;
/** The space between boxes, and between other cells of a column, in pixels. */
const ROW_GAP = 14, LINE_GAP = 5;
/** The maximum number of cells where links cross columns. */
const MAX_CROSSED = 4000;
/** How often the columns are rearranged. */
const SWEEPS = 24;

/** A cell of a column: a box, or a place where a link crosses the column. */
export interface Cell {
  readonly height: number;
  readonly left: Cell[];
  readonly right: Cell[];
  column: number;
  /** The y coordinate of its middle. */
  y: number;
  /** The best y coordinate for its links. */
  wanted: number;
}

export interface Box extends Cell {
  readonly id: number;
  readonly document: Drawn;
  readonly label: string;
  readonly links: Map<Box, Link>;
  readonly stated: string[];
}

export interface Link {
  readonly from: Box;
  readonly to: Box;
  readonly kind: Relation["kind"];
  /** The cells from its left box to its right box, both included. */
  readonly cells: Cell[];
}

export function toCell(height: number, column: number): Cell {
  return { height, left: [], right: [], column, y: 0, wanted: 0 };
}

/** Whether the newer document must be to the left of the older one. */
const isDirected = ({ kind }: Link): boolean => kind === "supersedes" || kind === "amends";

/** Groups boxes that are linked, directly or indirectly: the largest group first, and in each, the box with the most links first. */
export function linkedGroups(boxes: readonly Box[]): Box[][] {
  const seen = new Set<Box>();
  return boxes.toSorted((one, two) => two.links.size - one.links.size).flatMap((box) => {
    if (seen.has(box)) return [];
    const group = new Set([box]);
    for (const next of group) for (const other of next.links.keys()) group.add(other);
    for (const other of group) seen.add(other);
    return [[...group]];
  }).sort((one, two) => two.length - one.length);
}

/** Arranges a group in columns. */
export function arrange(boxes: readonly Box[]): Cell[][] {
  // Reversed depth-first order: from newer to older records, except in cycles.
  const seen = new Set<Box>(), order: Box[] = [];
  const walk = (box: Box): void => {
    if (seen.has(box)) return;
    seen.add(box);
    for (const [other, link] of box.links) if (link.to === other && isDirected(link)) walk(other);
    order.push(box);
  };
  boxes.forEach(walk);
  order.reverse();
  // Linked boxes are in different columns, and a box is to the right of those that replace or amend it.
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

/** Sorts a column by the mean height of the neighbours of its cells, and moves the cells there as far as their sizes allow. */
function placeCells(column: Cell[], nearOf: (cell: Cell) => readonly Cell[]): void {
  for (const cell of column) {
    const near = nearOf(cell);
    cell.wanted = near.length === 0 ? cell.y : near.reduce((sum, { y }) => sum + y, 0) / near.length;
  }
  column.sort((one, two) => one.wanted - two.wanted);
  // Cells that would overlap become a block, which moves as a whole (isotonic regression).
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
