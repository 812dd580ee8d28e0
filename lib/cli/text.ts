/** Answers of a server as text for people, without control characters, and the styles of output. */

import type { Platform } from "../platform/platform.ts";
import type { JsonObject, Named, Result } from "../mcp/client/mod.ts";
import type { Options } from "./main.ts";
import { asArray, asObject, isObject } from "../base/json.ts";
import { printable, shortened } from "../base/text.ts";
import { UsageError } from "./main.ts";

/** The widest column, and the longest descriptions and instructions that are shown, in characters. */
const MAX_COLUMN = 60, MAX_DESCRIPTION = 100, MAX_INSTRUCTIONS = 400;

/** The arguments of a prompt, from words like "key=value". */
export function readPairs(words: readonly string[]): Record<string, string> {
  return Object.fromEntries(words.map((word) => {
    const at = word.indexOf("=");
    if (at < 1) throw new UsageError(`An argument of a prompt is written key=value, not "${word}"`);
    return [word.slice(0, at), word.slice(at + 1)];
  }));
}

/** Whether columns are aligned, else separated by tabs, whether text has colours, and what each line begins with. */
export type Style = { readonly isTable: boolean; readonly isColored: boolean; readonly indent?: string };

export const PLAIN_TABLE: Style = { isTable: true, isColored: false, indent: "  " };

type Row = readonly (string | number | undefined)[];

export function styleOf({ showsOutput, noColor }: Platform, options: Options): Style {
  const color = options.get("color");
  const isColored = color === "always" || (color !== "never" && showsOutput && !noColor);
  return { isTable: showsOutput || color === "always", isColored };
}

/** A text in the colour of its kind: "uri", "status" or "dim"; any other has none. */
export function colored(text: string, kind: string | undefined, { isColored }: Style): string {
  const isOver = /^(?:superseded|deprecated|rejected)\b/.test(text);
  const status = isOver ? 31 : text.startsWith("accepted") ? 32 : 33;
  const color = new Map([["uri", 36], ["dim", 2], ["status", status]]).get(kind ?? "");
  return color === undefined || !isColored || text.trim() === "" ? text : `\x1b[${color}m${text}\x1b[0m`;
}

/** Rows of as many cells as lines: aligned without empty columns for a table, else separated by tabs. */
export function rowsText(rows: readonly Row[], style: Style, kinds: readonly string[] = []): string {
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

export async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const collected: T[] = [];
  for await (const item of items) collected.push(item);
  return collected;
}

export function listText(capabilities: JsonObject, instructions: unknown, lists: JsonObject): string {
  const names = Object.entries(capabilities).map(([name, details]) => {
    const more = Object.keys(Object(details));
    return more.length === 0 ? name : `${name} (${more.join(", ")})`;
  });
  const text = [`capabilities: ${printable(names.join(", ")) || "none"}\n`];
  if (typeof instructions === "string") {
    text.push(`instructions: ${paragraph(instructions, MAX_INSTRUCTIONS)}\n`);
  }
  for (const [name, items] of Object.entries(lists as Readonly<Record<string, readonly Named[]>>)) {
    if (items.length === 0) continue;
    const title = name === "resourceTemplates" ? "resource templates" : name;
    text.push(`\n${title} (${items.length})\n`, rowsText(items.map(toRow), PLAIN_TABLE));
  }
  return text.join("");
}

/** The URI of an item, or how it is called; and what it is. */
function toRow(item: Named): [string, string] {
  const label = String(item["uriTemplate"] ?? item["uri"] ?? signature(item));
  const name = label.startsWith(item.name) ? "" : item.name;
  const text = [item.description, item.title, name].find((candidate) => typeof candidate === "string");
  return [label, paragraph(text ?? "", MAX_DESCRIPTION)];
}

/** How a prompt is called: "review code=… [language=…]". */
export function signature({ name, arguments: declared }: Named): string {
  // Some servers send null for what they leave out.
  const args = asArray(declared).filter(isObject);
  return [name, ...args.map(({ name, required }) => required ? `${name}=…` : `[${name}=…]`)].join(" ");
}

/** The contents of a resource, the messages of a prompt, or the result of a tool. */
export function resultText({ contents, messages, content, structuredContent, isError }: Result): string {
  const parts = asArray(contents ?? content).map(partText).join("");
  const said = asArray(messages).filter(isObject).map(({ role, content }) =>
    `--- ${printable(String(role))} ---\n${partText(content)}`
  ).join("\n");
  const data = structuredContent === undefined
    ? ""
    : `--- structuredContent ---\n${safeText(JSON.stringify(structuredContent, null, 2))}`;
  return `${isError === true ? "The tool has failed:\n" : ""}${said}${parts}${data}`;
}

/** Contents of a resource, or a block of content: text as it is, anything else in a few words. */
function partText(part: unknown): string {
  const { type, text, resource, mimeType = "", data, blob = data, uri } = asObject(part);
  if (typeof text === "string") return safeText(text);
  if (resource) return partText(resource);
  if (type === "resource_link") return `(link to ${printable(String(uri))})\n`;
  const what = printable(`${type ?? "bytes"} ${mimeType}`.trim());
  return `(${what}: ${String(blob ?? "").length} characters of Base64)\n`;
}

/** A text line by line, ending in a newline, without what steers a terminal. */
export function safeText(text: string): string {
  const safe = text.split(/\r?\n/).map((line) => line.split("\t").map(printable).join("\t")).join("\n");
  return safe.endsWith("\n") ? safe : `${safe}\n`;
}

function paragraph(text: string, most: number): string {
  return shortened(printable(text.replace(/\s+/g, " ").trim()), most);
}
