/**
 * Answers of a server as text for people, and what people write on the command line for a server. Control characters of a
 * server are spelled out, so that none steers the terminal.
 */

import type {
  ChangeEvent,
  ChangeFilter,
  ContentBlock,
  JsonObject,
  Prompt,
  PromptResult,
  ReadResult,
  Resource,
  ResourceContents,
  ResourceTemplate,
  Tool,
  ToolResult,
} from "../client/mod.ts";
import { isObject } from "../base/json.ts";
import { printable, shortened } from "../base/text.ts";
import { UsageError } from "./program.ts";

/** What is known about a server. */
export interface ServerSummary {
  readonly server: JsonObject;
  readonly era: string;
  readonly version: string;
  readonly capabilities: JsonObject;
  readonly instructions: string | undefined;
  readonly connectMs: number;
}

/** The lists of a server; one that it does not offer is undefined. */
export interface Lists {
  readonly tools?: readonly Tool[];
  readonly resources?: readonly Resource[];
  readonly resourceTemplates?: readonly ResourceTemplate[];
  readonly prompts?: readonly Prompt[];
}

/** The widest column of names, in characters. */
const MAX_WIDTH = 48;
/** The longest descriptions and instructions that are shown, in characters. */
const MAX_DESCRIPTION = 100;
const MAX_INSTRUCTIONS = 400;

/** The arguments of a prompt, from words like "key=value". */
export function readPairs(words: readonly string[]): Record<string, string> {
  return Object.fromEntries(words.map((word): [string, string] => {
    const at = word.indexOf("=");
    if (at < 1) throw new UsageError(`An argument of a prompt is written key=value, not "${word}"`);
    return [word.slice(0, at), word.slice(at + 1)];
  }));
}

/** All items of a list that is paged. */
export async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const collected: T[] = [];
  for await (const item of items) collected.push(item);
  return collected;
}

/** Which server has answered, in one line. */
export function summaryLine({ server, era, version, connectMs }: ServerSummary): string {
  const name = [server["name"] ?? "a server without a name", server["version"]].filter(Boolean).join(" ");
  return printable(`${name}: revision ${version} (${era}), connected in ${connectMs} ms`);
}

/** The capabilities and lists of a server. */
export function listText({ capabilities, instructions }: ServerSummary, lists: Lists): string {
  const names = Object.entries(capabilities).map(([name, details]) => {
    const more = Object.keys(Object(details));
    return more.length === 0 ? name : `${name} (${more.join(", ")})`;
  });
  return [
    `capabilities: ${printable(names.join(", ")) || "none"}\n`,
    typeof instructions === "string" ? `instructions: ${paragraph(instructions, MAX_INSTRUCTIONS)}\n` : "",
    table("tools", lists.tools, ({ name }) => name),
    table("resources", lists.resources, ({ uri }) => uri),
    table("resource templates", lists.resourceTemplates, ({ uriTemplate }) => uriTemplate),
    table("prompts", lists.prompts, signature),
  ].join("");
}

function table<T extends { name: string; title?: string; description?: string }>(
  title: string,
  items: readonly T[] | undefined,
  label: (item: T) => string,
): string {
  if (!items?.length) return "";
  const labels = items.map((item) => printable(String(label(item))));
  const width = widest(labels, MAX_WIDTH);
  const lines = items.map((item, index) => {
    const label = labels[index]!;
    const name = label.startsWith(item.name) ? "" : item.name;
    const text = [item.description, item.title, name].find((candidate) => typeof candidate === "string");
    return `  ${label.padEnd(width)}  ${paragraph(text!, MAX_DESCRIPTION)}`.trimEnd();
  });
  return `\n${title} (${items.length})\n${lines.join("\n")}\n`;
}

/** The length of the longest label, but at most `most`: for lists that are too long for the arguments of one call. */
export function widest(labels: readonly string[], most: number = Infinity): number {
  return labels.reduce((width, { length }) => Math.min(most, Math.max(width, length)), 0);
}

/** How a prompt is called: "review code=… [language=…]". */
export function signature({ name, arguments: declared }: Prompt): string {
  // Some servers send null for what they leave out.
  const args = (Array.isArray(declared) ? declared : []).filter(isObject);
  return [name, ...args.map(({ name, required }) => required ? `${name}=…` : `[${name}=…]`)].join(" ");
}

/** The contents of a resource. */
export function readText({ contents }: ReadResult): string {
  return contents.filter(isObject).map(contentsText).join("");
}

/** The messages of a prompt. */
export function promptText({ messages }: PromptResult): string {
  return messages.filter(isObject).map(({ role, content }) =>
    `--- ${printable(String(role))} ---\n${blockText(content)}`
  ).join("\n");
}

/** The result of a tool. */
export function toolText({ content, structuredContent, isError }: ToolResult): string {
  const failed = isError === true ? "The tool has failed:\n" : "";
  const structured = structuredContent === undefined
    ? ""
    : `--- structuredContent ---\n${lines(JSON.stringify(structuredContent, null, 2))}`;
  return failed + content.map(blockText).join("") + structured;
}

/** What a stream of changes reports. */
export function watchText({ tools, prompts, resources, uris = [] }: ChangeFilter): string {
  const flags = Object.entries({ tools, prompts, resources }).filter(([, isServed]) => isServed);
  const what = [...flags.map(([name]) => name), ...uris];
  if (what.length === 0) return "The server reports no changes.";
  return printable(`Watching: ${what.join(", ")}. Press Ctrl-C to end it.`);
}

/** One change. */
export function changeText({ type, uri }: ChangeEvent): string {
  return type === "resource" ? printable(`changed: ${uri}`) : `changed: the list of ${type}`;
}

function contentsText({ text, blob, mimeType }: ResourceContents): string {
  return typeof text === "string" ? lines(text) : binaryText(mimeType ?? "bytes", blob);
}

function blockText(content: ContentBlock): string {
  if (typeof content?.text === "string") return lines(content.text);
  if (content?.resource) return contentsText(content.resource);
  if (content?.type === "resource_link") return `(link to ${printable(String(content["uri"]))})\n`;
  return binaryText(`${content?.type} ${content?.mimeType ?? ""}`, content?.data);
}

function binaryText(what: string, base64: unknown): string {
  return `(${printable(what)}: ${String(base64 ?? "").length} characters of Base64)\n`;
}

/** A text line by line, ending in a newline. */
function lines(text: string): string {
  const safe = text.split(/\r?\n/).map((line) => line.split("\t").map(printable).join("\t")).join("\n");
  return safe.endsWith("\n") ? safe : `${safe}\n`;
}

function paragraph(text: string, most: number): string {
  return shortened(printable(text.replace(/\s+/g, " ").trim()), most);
}
