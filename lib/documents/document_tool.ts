/** What the tools over documents share: how they are defined, and how they name, describe and page documents. */

import type { Awaitable } from "../base/async.ts";
import type { AnySchema, Tool, ToolDefinition, ValueOf } from "../server/tool.ts";
import type { Content } from "../server/tool_result.ts";
import type { Catalogue, Document } from "./catalogue.ts";
import type { DocumentProvider } from "./provider.ts";
import type { DocumentStore } from "./store.ts";
import { andThen } from "../base/async.ts";
import { fromCursor, toCursor } from "../base/bytes.ts";
import { compact } from "../base/json.ts";
import { quoted } from "../base/text.ts";
import { defineTool, ToolValidationError } from "../server/tool.ts";
import { text, ToolResult } from "../server/tool_result.ts";
import { shorten } from "./metadata.ts";
import { currentStatus, isOver } from "./metadata.ts";
import { toUri } from "./uri.ts";

type Properties = Readonly<Record<string, object>>;

/** A read-only tool over documents. */
interface DocumentTool<In extends AnySchema>
  extends Required<Pick<ToolDefinition<In, undefined>, "name" | "title" | "description" | "inputSchema">> {
  readonly output: { readonly properties: Properties; readonly required: readonly string[] };
  /** Answers with a text and with data, each complete: some clients read only one of them. */
  run(
    args: ValueOf<In>,
    documents: DocumentView,
    context: { readonly signal: AbortSignal },
  ): Awaitable<{ readonly text: string | readonly Content[]; readonly value: object }>;
}

/** Defines a tool. */
export function documentTool<const In extends AnySchema>(
  documents: DocumentProvider,
  { output, run, ...definition }: DocumentTool<In>,
): Tool {
  return defineTool<In, AnySchema>({
    ...definition,
    outputSchema: { type: "object", ...output } as AnySchema,
    annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
    handler(args, context) {
      return andThen(run(args, new DocumentView(documents), context), (answer) => {
        const content = typeof answer.text === "string" ? [text(answer.text)] : answer.text;
        return new ToolResult(content, { value: compact(answer.value) });
      });
    },
  });
}

/** The schema of a string. */
export function string(description: string): { readonly type: "string"; readonly description: string } {
  return { type: "string", description };
}

/** The schema of an integer. */
export function integer(description: string): { readonly type: "integer"; readonly description: string } {
  return { type: "integer", description };
}

/** The schema of a list of objects; the names of the required properties are separated by spaces. */
export function listOf(required: string, properties: Properties): object {
  return { type: "array", items: { type: "object", properties, required: required.split(" ") } };
}

/** The properties of a document in the data of all tools; see `DocumentView.data`. */
export const METADATA: Properties = {
  uri: string("What the document is read by"),
  title: string("Cut where it is very long"),
  category: { type: "string" },
  number: integer("Of a decision record"),
  status: string("Of a decision record: accepted, superseded, ..."),
  date: string("Of a decision record, as it is written"),
};
/** The property for `DocumentView.notice`. */
export const NOTICE: Properties = { notice: string("Read this first: the decision is no longer in force") };
/** Inputs that restrict a tool to some documents. */
export const FILTERS: Readonly<Record<"category" | "status", ReturnType<typeof string>>> = {
  category: string("Only of this category: guidelines, patterns, adr, ..."),
  status: string("Only decision records with this status: accepted, superseded, ..."),
};

/** Joins the lines that are not undefined. */
export function lines(parts: readonly (string | undefined)[], glue = "\n"): string {
  return parts.filter((part) => part !== undefined).join(glue);
}

/** The most successors of a decision that are named. */
const MAX_SUCCESSORS = 10;

/** The documents as tools show them. URIs are never cut; other texts are. */
export class DocumentView {
  readonly store: DocumentStore;
  readonly catalogue: Catalogue;
  readonly #scheme: DocumentProvider["scheme"];

  constructor({ store, scheme }: DocumentProvider) {
    this.store = store;
    this.catalogue = store.catalogue;
    this.#scheme = scheme;
  }

  uri({ key }: Document): string {
    return toUri(key, this.#scheme);
  }

  /** What identifies a document, what is known of it as a record, and more. */
  data(document: Document, more: object = {}): object {
    const { title, category, record } = document;
    const status = currentStatus(document);
    return compact({
      uri: this.uri(document),
      title: shorten(title),
      category,
      number: record?.number,
      status: status && shorten(status),
      date: record?.date && shorten(record.date),
      ...more,
    });
  }

  /** The same as lines of text. */
  lines(document: Document, ...more: readonly (string | undefined)[]): string {
    const state = [currentStatus(document), document.record?.date].flatMap((part) =>
      part ? shorten(part) : []
    );
    const known = state.length === 0 ? "" : ` (${state.join(", ")})`;
    return lines([`${this.uri(document)} - ${shorten(document.title)}${known}`, ...more], "\n  ");
  }

  /** What must be read before a decision that is no longer in force; undefined for all other documents. */
  notice(document: Document): string | undefined {
    if (!isOver(document)) return undefined;
    const { supersededBy } = document.record!;
    const successors = supersededBy.slice(0, MAX_SUCCESSORS).map((reference) => {
      const target = this.catalogue.resolve(document, reference);
      return target ? `${this.uri(target)} (${shorten(target.title)})` : shorten(reference);
    });
    const others = supersededBy.length - successors.length;
    if (others > 0) successors.push(`${others} more that its text names`);
    const instead = successors.length > 0 ? ` Read ${successors.join(" and ")} in its place.` : "";
    return `This decision is ${currentStatus(document)}: do not follow it.${instead}`;
  }

  /** @throws {ToolValidationError} When there is no such category; names those that there are. */
  requireCategory(category: string | undefined): void {
    const { categories } = this.catalogue;
    if (category === undefined || categories.includes(category)) return;
    throw new ToolValidationError(
      `There is no category "${quoted(category, 100)}"; there are: ${categories.join(", ") || "none"}`,
    );
  }
}

/**
 * The page of a list behind a cursor, or the first one. Cursors stay valid while other items come and go.
 *
 * @param list The tool, and the arguments that the list depends on.
 * @param position Identifies an item and its place in the order; contains no colon.
 * @param fit How many of some items fit on a page: at least one.
 * @throws {ToolValidationError} When the cursor is of another list, or its item is gone or elsewhere.
 */
export function pageOf<T>(
  list: readonly [tool: string, ...args: unknown[]],
  cursor: string | undefined,
  items: readonly T[],
  position: (item: T) => string,
  fit: (items: readonly T[]) => number,
): { page: readonly T[]; omitted: number; nextCursor: string | undefined } {
  const name = JSON.stringify(list);
  const last = cursor === undefined ? undefined : fromCursor(name, cursor);
  const start = last === undefined ? 0 : items.findIndex((item) => position(item) === last) + 1;
  if (start === 0 && cursor !== undefined) {
    throw new ToolValidationError(
      `The cursor is not one of this list as it is now; call ${
        list[0]
      } again with the same arguments, without one`,
    );
  }
  const rest = items.slice(start);
  const page = rest.slice(0, fit(rest));
  const omitted = rest.length - page.length;
  return { page, omitted, nextCursor: omitted > 0 ? toCursor(name, position(page.at(-1)!)) : undefined };
}
