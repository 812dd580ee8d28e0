/**
 * The lists of resources, templates, prompts and tools, in pages. A page is serialised once and kept as long as its list is
 * the same.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/pagination
 */

import type { Awaitable } from "../base/async.ts";
import type { Revision } from "../protocol/revisions.ts";
import type { ExecutionContext } from "./context.ts";
import type { Services } from "./handlers.ts";
import type { Prompt, Resource, ResourceTemplate } from "./provider.ts";
import type { RegisteredTool } from "./tool_registry.ts";
import { allOf, andThen } from "../base/async.ts";
import { fromCursor, textHash, toCursor } from "../base/bytes.ts";
import { compact, own } from "../base/json.ts";
import { RawJson } from "../jsonrpc/message.ts";
import { invalidParams } from "../protocol/errors.ts";
import { legacyResource, legacyTemplate } from "../protocol/revisions.ts";

/** One kind of list. */
interface Kind<T> {
  /** The member of the result that holds the items. */
  readonly member: string;
  /** The lists of all sources, sorted by key. */
  readonly lists: (services: Services, context: ExecutionContext) => readonly Awaitable<readonly T[]>[];
  readonly keyOf: (item: T) => string;
  /** An item as a revision has it. */
  readonly present: (item: T, revision: Revision) => unknown;
}

type List = (context: ExecutionContext, services: Services) => Awaitable<RawJson>;

/** Answers `resources/list`. */
export const listResources: List = answer<Resource>({
  member: "resources",
  lists: ({ resources }, context) => resources.map((provider) => provider.list(context)),
  keyOf: ({ uri }) => uri,
  present: (resource, { titles }) => titles ? resource : legacyResource(resource),
});

/** Answers `resources/templates/list`. */
export const listTemplates: List = answer<ResourceTemplate>({
  member: "resourceTemplates",
  lists: ({ resources }, context) => resources.map((provider) => provider.templates?.(context) ?? []),
  keyOf: ({ uriTemplate }) => uriTemplate,
  present: (template, { titles }) => titles ? template : legacyTemplate(template),
});

/** Answers `prompts/list`. */
export const listPrompts: List = answer<Prompt>({
  member: "prompts",
  lists: ({ prompts }, context) => prompts.map((provider) => provider.list(context)),
  keyOf: ({ name }) => name,
  present: ({ title, ...prompt }, { titles }) => compact({ ...prompt, title: titles ? title : undefined }),
});

/** Answers `tools/list`. */
export const listTools: List = answer<RegisteredTool>({
  member: "tools",
  lists: ({ tools }) => [tools.all],
  keyOf: ({ tool }) => tool.name,
  present({ tool: { definition }, input, output }, { titles, toolAnnotations, structuredContent }) {
    const { name, title, description, annotations, _meta } = definition;
    return compact({
      name,
      title: titles ? title : undefined,
      description,
      inputSchema: input.published,
      outputSchema: structuredContent ? output?.published : undefined,
      annotations: toolAnnotations ? annotations : undefined,
      _meta: titles ? _meta : undefined,
    });
  },
});

/** Answers the method of a list. */
function answer<T>(kind: Kind<T>): List {
  return (context, services) =>
    andThen(
      allOf(kind.lists(services, context)),
      (lists) => page(kind, merge(lists, kind.keyOf), context, services.pageSize),
    );
}

/** The serialised pages of each list, by member, revision and start. */
const pagesOf = new WeakMap<readonly unknown[], Map<string, RawJson>>();
const encoder = new TextEncoder();

/** @throws {RpcError} -32602 when the cursor does not belong to the list in its present state. */
function page<T>(
  kind: Kind<T>,
  items: readonly T[],
  { params, revision }: ExecutionContext,
  pageSize: number,
): RawJson {
  // A cursor names the list and its content, so that any process with the same list accepts it.
  const list = () => `${kind.member}:${textHash(items.map(kind.keyOf).join("\n"))}`;
  const cursor = own(params, "cursor");
  let start = 0;
  if (cursor !== undefined) {
    const position = typeof cursor === "string" ? fromCursor(list(), cursor) : undefined;
    start = Number(position);
    const isPageStart = start > 0 && start < items.length && start % pageSize === 0;
    if (!isPageStart || String(start) !== position) {
      throw invalidParams("The cursor is not one of this list as it is now; list again from the start", {
        cursor,
      });
    }
  }
  const pages = pagesOf.get(items) ?? new Map<string, RawJson>();
  pagesOf.set(items, pages);
  const key = `${kind.member} ${revision.id} ${start} ${pageSize}`;
  let page = pages.get(key);
  if (!page) {
    const end = start + pageSize;
    const json = JSON.stringify(items.slice(start, end).map((item) => kind.present(item, revision)));
    const next = end < items.length ? `,"nextCursor":"${toCursor(list(), String(end))}"` : "";
    page = new RawJson([encoder.encode(`"${kind.member}":${json}${next}`)]);
    pages.set(key, page);
  }
  return page;
}

const merged = new WeakMap<readonly unknown[], { lists: readonly unknown[]; all: readonly unknown[] }>();

/**
 * The sorted lists of several providers as one; the same array while theirs are the same. Of two items with one key, the
 * first provider's is listed, because it is the one that is served.
 */
function merge<T>(lists: readonly (readonly T[])[], keyOf: (item: T) => string): readonly T[] {
  const [first] = lists;
  if (!first || lists.length === 1) return first ?? [];
  const known = merged.get(first);
  if (known?.lists.length === lists.length && known.lists.every((list, index) => list === lists[index])) {
    return known.all as readonly T[];
  }
  const byKey = new Map(lists.toReversed().flat().map((item) => [keyOf(item), item]));
  const all = [...byKey.values()].sort((left, right) => keyOf(left) < keyOf(right) ? -1 : 1);
  merged.set(first, { lists, all });
  return all;
}
