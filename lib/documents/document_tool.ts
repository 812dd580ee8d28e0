/** What the tools over documents share: how they are defined, and how they name, describe and page documents. */

import type { Awaitable } from "../base/async.ts";
import type { AnySchema, Tool, ToolDefinition, ToolView, ValueOf } from "../server/tool.ts";
import type { Content } from "../server/tool_result.ts";
import type { Catalogue, Document } from "./catalogue.ts";
import type { DocumentProvider } from "./provider.ts";
import type { DocumentStore } from "./store.ts";
import { andThen } from "../base/async.ts";
import { fromCursor, toCursor } from "../base/bytes.ts";
import { compact } from "../base/json.ts";
import { didYouMean, nearest, quoted } from "../base/text.ts";
import { defineTool, ToolValidationError } from "../server/tool.ts";
import { text, ToolResult } from "../server/tool_result.ts";
import { currentStatus, isOver, shorten } from "./metadata.ts";
import { toUri } from "./uri.ts";

type Properties = Readonly<Record<string, object>>;

type Keys = "name" | "title" | "description" | "inputSchema" | "outputSchema";

interface DocumentTool<In extends AnySchema> extends Required<Pick<ToolDefinition<In, AnySchema>, Keys>> {
  readonly ui?: ToolView | undefined;
  /** Answers in texts and as data, each complete, because some clients read only one of them. */
  run(
    args: ValueOf<In>,
    view: DocumentView,
    signal: AbortSignal,
  ): Awaitable<{ readonly content: readonly Content[]; readonly value: object }>;
}

export function documentTool<const In extends AnySchema>(
  { store }: DocumentProvider,
  { run, ...definition }: DocumentTool<In>,
): Tool {
  return defineTool<In, AnySchema>({
    ...definition,
    annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
    handler: (args, { access, signal }) => {
      const view = new DocumentView(store, store.catalogue.visibleTo(access));
      return andThen(
        run(args, view, signal),
        ({ content, value }) => new ToolResult(content, { value: compact(value) }),
      );
    },
  });
}

type Typed<T> = { readonly type: T; readonly description?: string };

export function string(description?: string): Typed<"string"> {
  return compact({ type: "string" as const, description });
}

export function integer(description?: string): Typed<"integer"> {
  return compact({ type: "integer" as const, description });
}

/** The schema of an object; the names of the required properties are separated by spaces. */
export function objectOf(required: string, properties: Properties): AnySchema & object {
  return { type: "object", properties, required: required.split(" ") } as AnySchema & object;
}

export function listOf(items: object, description?: string): object {
  return compact({ type: "array", items, description });
}

/** The properties of a document in the data of all tools; see `DocumentView.show`. */
export const METADATA: Properties = {
  uri: string("What the document is read by"),
  title: string("Cut where it is very long"),
  category: string(),
  number: integer("Of a decision record"),
  status: string("Of a decision record: accepted, superseded, ..."),
  date: string("Of a decision record, as it is written"),
};
/** The property for `DocumentView.successors`. */
export const SUCCESSORS: Properties = {
  supersededBy: listOf(string(), "The URIs of what replaces a decision"),
};
/** The property for `DocumentView.notice`. */
export const NOTICE: Properties = { notice: string("Read this first: the decision is no longer in force") };
/** Inputs that restrict a tool to some documents. */
export function filters(
  { categories, documents }: Catalogue,
): Readonly<Record<"category" | "status", Typed<"string">>> {
  const statuses = someOf(knownStatuses(documents));
  return {
    category: string(`Only of this category: ${someOf(categories)}`),
    status: string(`Only decision records with this status, or one of several with commas: ${statuses}`),
  };
}

export function knownStatuses(documents: readonly Document[]): readonly string[] {
  return [...new Set(documents.flatMap((document) => currentStatus(document) ?? []))].sort();
}

/** The statuses of a list with commas, in lower case; undefined for none. */
export function statusesOf(list: string | undefined): readonly string[] | undefined {
  return list?.toLowerCase().split(",").map((status) => status.trim());
}

/** Filters documents by category, and by the effective status of a decision; undefined allows all. */
export function documentFilter(
  { category, status }: { readonly category?: string | undefined; readonly status?: string | undefined },
): (document: Document) => boolean {
  const wanted = statusesOf(status);
  return (document) =>
    (category === undefined || document.category === category) &&
    (wanted?.some((one) => one === currentStatus(document)) ?? true);
}

export function inventory({ categories, documents }: Catalogue): string {
  const groups = Map.groupBy(documents, ({ category }) => category);
  return someOf(categories.map((name) => `${name} (${groups.get(name)?.length ?? 0})`));
}

const MAX_NAMES = 20;

function someOf(names: readonly string[]): string {
  const all = names.slice(0, MAX_NAMES).map(shorten).join(", ");
  return names.length > MAX_NAMES ? `${all}, ...` : all || "none yet";
}

export function lines(parts: readonly (string | undefined)[]): string {
  return parts.filter((part) => part !== undefined).join("\n");
}

/** The first items whose sizes are within a budget together; at least `least` of them. */
export function fitting<T>(
  items: readonly T[],
  budget: number,
  size: (item: T) => number,
  least = 1,
): readonly T[] {
  let spent = 0;
  const end = items.findIndex((item, index) => (spent += size(item)) > budget && index >= least);
  return end < 0 ? items : items.slice(0, end);
}

const MAX_SUCCESSORS = 10;

/** A document as the tools show it: in lines of text, and as data. */
export interface Shown {
  readonly line: string;
  readonly value: object;
}

/** The documents as tools show them. URIs are never cut; other texts are. */
export class DocumentView {
  readonly store: DocumentStore;
  readonly catalogue: Catalogue;

  constructor(store: DocumentStore, catalogue: Catalogue) {
    this.store = store;
    this.catalogue = catalogue;
  }

  uri({ key }: Document): string {
    return toUri(key, this.store.scheme);
  }

  /** What identifies a document, what is known of it as a record, and more: further data, and further lines. */
  show(document: Document, more: object = {}, ...texts: readonly (string | undefined)[]): Shown {
    const { category, record } = document;
    const uri = this.uri(document);
    const title = shorten(document.title);
    const status = shorten(currentStatus(document) ?? "") || undefined;
    const date = shorten(record?.date ?? "") || undefined;
    const known = [status, date].filter(Boolean).join(", ");
    let line = `${uri} - ${title}${known && ` (${known})`}`;
    for (const text of texts) if (text !== undefined) line += `\n  ${text}`;
    const value = compact({ uri, title, category, number: record?.number, status, date, ...more });
    return { line, value };
  }

  /** What must be read before a decision that is no longer in force; undefined for all other documents. */
  notice(document: Document): string | undefined {
    if (!isOver(document)) return undefined;
    const successors = this.#supersededBy(document).map(([reference, target]) =>
      target ? `${this.uri(target)} (${shorten(target.title)})` : shorten(reference)
    );
    const others = document.record!.supersededBy.length - successors.length;
    if (others > 0) successors.push(`${others} more that its text names`);
    const instead = successors.length > 0 ? ` Read ${successors.join(" and ")} in its place.` : "";
    return `This decision is ${currentStatus(document)}: do not follow it.${instead}`;
  }

  /** The URIs of the documents that replace a decision; undefined when there are none. */
  successors(document: Document): readonly string[] | undefined {
    const uris = this.#supersededBy(document).flatMap(([, target]) => target ? this.uri(target) : []);
    return uris.length > 0 ? uris : undefined;
  }

  #supersededBy(document: Document) {
    const references = document.record?.supersededBy.slice(0, MAX_SUCCESSORS) ?? [];
    return references.map((name) => [name, this.catalogue.resolve(document, name)] as const);
  }

  /** @throws {ToolValidationError} When there is no such category; names those that there are. */
  requireCategory(category: string | undefined): void {
    const { categories } = this.catalogue;
    if (category === undefined || categories.includes(category)) return;
    const meant = didYouMean(nearest(category, categories));
    const all = categories.join(", ") || "none";
    throw new ToolValidationError(
      `There is no category "${quoted(category, 100)}"${meant}; there are: ${all}`,
    );
  }
}

/** The most documents on a page: about 5,000 tokens of lines. */
export const PAGE_SIZE = 100;

interface Listing<T> {
  /** The tool, and the arguments that the list depends on. */
  readonly list: readonly [tool: string, ...args: unknown[]];
  readonly cursor: string | undefined;
  readonly items: readonly T[];
  /** What is said when there are no items. */
  readonly none: string;
  /** The most characters on a page. @default {any number} */
  readonly budget?: number;
  /** Identifies an item and its place in the order; contains no colon. */
  position(item: T): string;
  show(item: T): Shown;
}

/** The page of a list behind a cursor, or the first one. @throws {ToolValidationError} When the cursor is not of it. */
export function pageOf<T>(
  { list, cursor, items, none, budget = Infinity, position, show }: Listing<T>,
): { content: Content[]; documents: object[]; omitted: number; nextCursor: string | undefined } {
  const again = `call ${list[0]} again with the same arguments`;
  const name = JSON.stringify(list);
  const last = cursor === undefined ? undefined : fromCursor(name, cursor);
  const start = last === undefined ? 0 : items.findIndex((item) => position(item) === last) + 1;
  if (start === 0 && cursor !== undefined) {
    throw new ToolValidationError(`The cursor is not one of this list as it is now; ${again}, without one`);
  }
  const rest = items.slice(start);
  const shown = fitting(rest.slice(0, PAGE_SIZE).map(show), budget, ({ line }) => line.length);
  const omitted = rest.length - shown.length;
  const nextCursor = omitted > 0 ? toCursor(name, position(rest[shown.length - 1]!)) : undefined;
  const more = nextCursor && `(${omitted} more: ${again} and cursor "${nextCursor}")`;
  const texts = shown.length === 0 ? [none] : shown.map(({ line }) => line);
  const documents = shown.map(({ value }) => value);
  return { content: [text(lines([...texts, more]))], documents, omitted, nextCursor };
}
