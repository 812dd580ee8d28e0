/** Rows for people: aligned and coloured on a terminal, separated by tabs elsewhere. */

import type { Platform } from "../platform/platform.ts";
import type { Options } from "./options.ts";
import { printable } from "../base/text.ts";

/** Maximum width of a column but the last, in characters. */
const MAX_COLUMN = 60;

/** How output looks. */
export interface OutputStyle {
  /** Whether columns are aligned; else they are separated by tabs. */
  readonly isTable: boolean;
  readonly isColored: boolean;
  /** The start of each line. @default {""} */
  readonly indent?: string;
}

export const PLAIN_TABLE: OutputStyle = { isTable: true, isColored: false, indent: "  " };

type Row = readonly (string | number | undefined)[];

export function styleOf({ showsOutput, noColor }: Platform, options: Options): OutputStyle {
  const color = options.get("color");
  const isColored = color === "always" || (color !== "never" && showsOutput && !noColor);
  return { isTable: showsOutput || color === "always", isColored };
}

/** A text in the colour of its kind: "uri", "status" or "dim"; other kinds have none. */
export function colored(text: string, kind: string | undefined, { isColored }: OutputStyle): string {
  const isOver = /^(?:superseded|deprecated|rejected)\b/.test(text);
  const status = isOver ? 31 : text.startsWith("accepted") ? 32 : 33;
  const color = new Map([["uri", 36], ["dim", 2], ["status", status]]).get(kind ?? "");
  return color === undefined || !isColored || text.trim() === "" ? text : `\x1b[${color}m${text}\x1b[0m`;
}

/** Rows as lines. A table leaves out empty columns. `kinds` are the colours of the columns. */
export function rowsText(rows: readonly Row[], style: OutputStyle, kinds: readonly string[] = []): string {
  const safe = rows.map((row) => row.map((cell) => printable(String(cell ?? ""))));
  if (!style.isTable) return safe.map((row) => `${row.join("\t")}\n`).join("");
  const widths = (safe[0] ?? []).map((_, column) => {
    return safe.reduce((width, row) => Math.min(MAX_COLUMN, Math.max(width, row[column]!.length)), 0);
  });
  const columns = [...widths.keys()].filter((column) => widths[column]! > 0);
  const toCell = (row: readonly string[], column: number) =>
    colored(row[column]!.padEnd(column === columns.at(-1) ? 0 : widths[column]!), kinds[column], style);
  const toLine = (row: readonly string[]) =>
    columns.map((column) => toCell(row, column)).join("  ").trimEnd();
  return safe.map((row) => `${style.indent ?? ""}${toLine(row)}\n`).join("");
}

/** A text whose control characters are escaped. It ends in a newline. */
export function safeText(text: string): string {
  const safe = text.split(/\r?\n/).map((line) => line.split("\t").map(printable).join("\t")).join("\n");
  return safe.endsWith("\n") ? safe : `${safe}\n`;
}
