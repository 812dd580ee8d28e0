/** What the tools over documents share: schemas, how documents are shown, filters, and pages. */

import type { Awaitable } from "../base/async.ts";
import type { FromSchema, Schema } from "../formats/schema/mod.ts";
import type { AnySchema, Tool, ToolContext, ToolDefinition } from "../mcp/server/tool.ts";
import type { Catalogue } from "./catalogue.ts";
import type { Document } from "./document.ts";
import type { DocumentProvider } from "./document_provider.ts";
import type { DocumentStore } from "./store.ts";
import { compact } from "../base/json.ts";
import { nearest } from "../base/nearest.ts";
import { didYouMean, quoted } from "../base/text.ts";
import { fromCursor, toCursor } from "../mcp/protocol/page.ts";
import type { ToolResult } from "../mcp/server/content.ts";
import { ToolValidationError } from "../mcp/server/tool_errors.ts";
import { defineTool } from "../mcp/server/define_tool.ts";
import { MAX_SUCCESSORS } from "./applying.ts";
import { tolerant } from "./tool_arguments.ts";
import { MAX_DESCRIPTION, shorten } from "./metadata.ts";
import { currentWord, shownStatus } from "./records/label.ts";
import { currentStatus, isOver } from "./records/status.ts";
import { toUri } from "./uri.ts";

type Properties = Readonly<Record<string, object>>;

/** The call of a tool: when it must end. */
type DocumentCall = Pick<ToolContext, "signal" | "timeoutMs">;

interface DocumentTool<In extends Schema> extends Omit<ToolDefinition<In, AnySchema>, "handler"> {
  /** Its result has texts and a value. Both are complete, because some clients read only one of them. */
  run(args: FromSchema<In>, view: DocumentView, call: DocumentCall): Awaitable<ToolResult>;
}

export function documentTool<const In extends Schema>(
  { store }: DocumentProvider,
  { run, inputSchema, ...definition }: DocumentTool<In>,
): Tool {
  return defineTool({
    ...definition,
    inputSchema: tolerant(inputSchema),
    annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
    handler: (args, { access, signal, timeoutMs }) =>
      run(args, { store, catalogue: store.visibleTo(access) }, { signal, timeoutMs }),
  });
}

type Typed<T> = { readonly type: T; readonly description?: string };

export function string(description?: string): Typed<"string"> {
  return compact({ type: "string" as const, description });
}

export function integer(description?: string): Typed<"integer"> {
  return compact({ type: "integer" as const, description });
}

/** The schema of an object. The names of the required properties are separated by spaces. */
export function objectOf(required: string, properties: Properties): AnySchema & object {
  return { type: "object", properties, required: required.split(" ") } as AnySchema & object;
}

export function listOf(items: object, description?: string): object {
  return compact({ type: "array", items, description });
}

/** The properties of a document in the data of all tools; see `showDocument`. */
export const METADATA: Properties = {
  uri: string("What the document is read by"),
  title: string("Cut where it is very long"),
  category: string(),
  number: integer("Of a decision record"),
  status: string("Of a decision record: accepted, superseded, ..."),
  statusWord: string("The team's own word for the status, if it is in another language"),
  date: string("Of a decision record, verbatim"),
};
export const SUCCESSORS: Properties = { supersededBy: listOf(string(), "URIs of what replaces a decision") };
export const NOTICE: Properties = {
  notice: string("Read this first: the decision is no longer in force, or a part of it was replaced"),
};
export function filters(
  { categories, documents }: Catalogue,
): Record<"category" | "status", Typed<"string">> {
  const statuses = someOf(knownStatuses(documents));
  return {
    category: string(`Only of this category: ${someOf(categories)}`),
    status: string(`Only decision records with this status, or one of several with commas: ${statuses}`),
  };
}

export function knownStatuses(documents: readonly Document[]): readonly string[] {
  return [...new Set(documents.flatMap((document) => currentStatus(document) ?? []))].sort();
}

/** The statuses of a list separated by commas, in lower case. */
export function statusesOf(list: string): readonly string[] {
  return list.toLowerCase().split(",").map((status) => status.trim());
}

const MAX_NAMES = 20;

export function someOf(names: readonly string[]): string {
  const all = names.slice(0, MAX_NAMES).map(shorten).join(", ");
  return names.length > MAX_NAMES ? `${all}, ...` : all || "none yet";
}

export function lines(parts: readonly (string | false | undefined)[]): string {
  return parts.filter(Boolean).join("\n");
}

/** The first items whose total size is within a budget, but at least `least` of them. */
export function fitting<T>(items: readonly T[], budget: number, size: (item: T) => number, least = 1): T[] {
  let spent = 0;
  const end = items.findIndex((item, index) => (spent += size(item)) > budget && index >= least);
  return items.slice(0, end < 0 ? undefined : end);
}

/** A document as lines of text, and as data. */
export type Shown = { readonly line: string; readonly value: object };

/** The documents that a client may see. Tools may cut long texts, but never URIs. */
export type DocumentView = { readonly store: DocumentStore; readonly catalogue: Catalogue };

/** Shortens a text. Most texts are short, and need no counting of characters. */
const cut = (text: string): string => text.length <= MAX_DESCRIPTION ? text : shorten(text);

/** Shows the identity of a document and its state as a record, with more data and more lines. */
export function showDocument(
  { store }: DocumentView,
  document: Document,
  more: object = {},
  ...texts: readonly (string | undefined)[]
): Shown {
  const { category, record } = document;
  const uri = toUri(document.key, store.scheme);
  const title = cut(document.title);
  const status = (record && cut(currentStatus(document) ?? "")) || undefined;
  const date = cut(record?.date ?? "") || undefined;
  const word = record && currentWord(document), statusWord = word && cut(word);
  const known = [status && shownStatus(status, statusWord), date].filter(Boolean).join(", ");
  let line = `${uri} - ${title}${known && ` (${known})`}`;
  for (const text of texts) if (text !== undefined) line += `\n  ${text}`;
  return { line, value: { uri, title, category, number: record?.number, status, statusWord, date, ...more } };
}

export function noticeOf(view: DocumentView, document: Document): string | undefined {
  if (!isOver(document)) return partNotice(view, document);
  const { names } = successorsOf(view, document);
  const others = document.record!.supersededBy.length - names.length;
  if (others > 0) names.push(`${others} more that its text names`);
  const instead = names.length > 0 ? ` Instead, read ${names.join(" and ")}.` : "";
  return `This decision is ${currentStatus(document)}: do not follow it.${instead}`;
}

/** What to read as well as a decision that was replaced in part. */
function partNotice({ store, catalogue }: DocumentView, document: Document): string | undefined {
  const names = document.record?.partlySupersededBy?.slice(0, MAX_SUCCESSORS).map((reference) => {
    const target = catalogue.resolve(document, reference);
    return target ? `${toUri(target.key, store.scheme)} (${cut(target.title)})` : cut(reference);
  });
  return names && `This decision is in part replaced by ${names.join(" and ")}: read that too.`;
}

/** What replaces a decision: the URIs of the documents, if any, and the names of all successors for a sentence. */
export function successorsOf(
  { store, catalogue }: DocumentView,
  document: Document,
): { uris: readonly string[] | undefined; names: string[] } {
  const uris: string[] = [], names: string[] = [];
  for (const reference of document.record?.supersededBy.slice(0, MAX_SUCCESSORS) ?? []) {
    const target = catalogue.resolve(document, reference);
    const uri = target && toUri(target.key, store.scheme);
    if (uri) uris.push(uri);
    names.push(uri ? `${uri} (${cut(target.title)})` : cut(reference));
  }
  return { uris: uris.length > 0 ? uris : undefined, names };
}

/**
 * Filters documents by category, and by the current status of a decision. Undefined allows all.
 * @throws {ToolValidationError} When the category does not exist. The message names those that exist.
 */
export function filterBy(
  { catalogue: { categories } }: DocumentView,
  { category, status }: { readonly category?: string | undefined; readonly status?: string | undefined },
): (document: Document) => boolean {
  const wanted = status === undefined ? undefined : statusesOf(status);
  if (category !== undefined && !categories.includes(category)) {
    const all = didYouMean(nearest(category, categories)) + `; there are: ${someOf(categories)}`;
    throw new ToolValidationError(`There is no category "${quoted(category, 100)}"${all}`);
  }
  return (document) =>
    (category === undefined || document.category === category) &&
    (wanted?.some((one) => one === currentStatus(document)) ?? true);
}

/** The maximum number of documents on a page: about 5,000 tokens of lines. */
export const PAGE_SIZE = 100;

/** A page of a list. */
interface Page {
  readonly text: string;
  readonly documents: readonly object[];
  /** The number of items after this page. */
  readonly omitted: number;
  readonly nextCursor: string | undefined;
}

/**
 * The page of a list after a cursor, or the first one. The tool and the arguments that the list depends on identify it. `place`
 * identifies an item and its place in the order. `left` is the maximum length of the page, in characters.
 * @throws {ToolValidationError} When the list has changed since the cursor was issued.
 */
export function showPage<T>(
  list: readonly [tool: string, ...args: unknown[]],
  cursor: string | undefined,
  items: readonly T[],
  place: (item: T) => string,
  show: (item: T) => Shown,
  left: number = Infinity,
): Page {
  const again = `call ${list[0]} again with the same arguments`;
  const name = JSON.stringify(list);
  const last = cursor === undefined ? undefined : fromCursor(name, cursor);
  const start = last === undefined ? 0 : items.findIndex((item) => place(item) === last) + 1;
  if (start === 0 && cursor !== undefined) {
    throw new ToolValidationError(
      `The list has changed since this cursor was issued; ${again}, without a cursor`,
    );
  }
  const rest = items.slice(start);
  const texts: string[] = [], documents: object[] = [];
  for (const item of rest.slice(0, PAGE_SIZE)) {
    const { line, value } = show(item);
    left -= line.length;
    if (left < 0 && texts.length > 0) break;
    texts.push(line);
    documents.push(value);
  }
  const omitted = rest.length - texts.length;
  const nextCursor = omitted > 0 ? toCursor(name, place(rest[texts.length - 1]!)) : undefined;
  if (nextCursor) texts.push(`(${omitted} more: ${again} and cursor "${nextCursor}")`);
  return { text: texts.join("\n"), documents, omitted, nextCursor };
}
