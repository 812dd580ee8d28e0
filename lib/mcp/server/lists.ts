/**
 * The methods that list resources, templates, prompts and tools. A page is serialised once, and kept until its list changes.
 */

import type { Awaitable } from "../../base/async.ts";
import type { ExecutionContext } from "./context.ts";
import type { Prompt, Resource, ResourceTemplate } from "../protocol/types.ts";
import type { Services } from "./services.ts";
import type { RegisteredTool } from "./tool_schema.ts";
import { allOf, andThen } from "../../base/async.ts";
import { compact } from "../../base/json.ts";
import { RawJson } from "../../jsonrpc/message.ts";
import { showsApps } from "../protocol/methods.ts";
import { pageOf } from "../protocol/page.ts";
import { annotationsIn } from "../protocol/revisions.ts";
import { checked } from "./shapes.ts";

interface Kind<T> {
  /** The member of the result that has the list. */
  readonly member: string;
  /** The type of its items in `shapes.ts`; undefined when they are checked already. */
  readonly type?: string;
  /** The lists of all providers. */
  readonly lists: (services: Services, context: ExecutionContext) => readonly Awaitable<readonly T[]>[];
  readonly keyOf: (item: T) => string;
  /** The item as the revision of the client defines it. */
  readonly present: (item: T, context: ExecutionContext) => unknown;
}

type List = (context: ExecutionContext, services: Services) => Awaitable<RawJson>;

export const listResources: List = listHandler<Resource>({
  member: "resources",
  type: "resource",
  lists: ({ resources }, context) => resources.map((provider) => provider.list(context)),
  keyOf: ({ uri }) => uri,
  present(resource, { revision }) {
    if (revision.titles) return resource;
    const { title, _meta, annotations, ...rest } = resource;
    const name = title ?? rest.name;
    return compact({ ...rest, name, annotations: annotationsIn(revision, annotations) });
  },
});

export const listTemplates: List = listHandler<ResourceTemplate>({
  member: "resourceTemplates",
  type: "template",
  lists: ({ resources }, context) => resources.map((provider) => provider.templates?.(context) ?? []),
  keyOf: ({ uriTemplate }) => uriTemplate,
  present: ({ title, ...template }, { revision }) =>
    revision.titles ? { ...template, title } : { ...template, name: title ?? template.name },
});

export const listPrompts: List = listHandler<Prompt>({
  member: "prompts",
  type: "prompt",
  lists: ({ prompts }, context) => prompts.map((provider) => provider.list(context)),
  keyOf: ({ name }) => name,
  present: ({ title, ...prompt }, { revision }) => revision.titles ? { ...prompt, title } : prompt,
});

export const listTools: List = listHandler<RegisteredTool>({
  member: "tools",
  lists: ({ tools }, { access, client }) => {
    const all = tools.allFor(client);
    return [access ? all.filter(({ tool }) => access.allows("tools", tool.name)) : all];
  },
  keyOf: ({ tool }) => tool.name,
  present({ tool: { definition }, input, output }, { client, revision }) {
    const { titles, toolAnnotations, structuredContent } = revision;
    const { name, title, description, annotations, ui, _meta } = definition;
    return compact({
      name,
      title: titles ? title : undefined,
      description,
      inputSchema: input.published,
      outputSchema: structuredContent ? output?.published : undefined,
      annotations: toolAnnotations ? annotations : undefined,
      _meta: !titles ? undefined : ui && showsApps(client) ? { ..._meta, ui } : _meta,
    });
  },
});

/** The serialised pages of each list, by member, revision, start and page size. */
const pagesOf = new WeakMap<readonly unknown[], Map<string, RawJson>>();
const encoder = new TextEncoder();

function listHandler<T>({ member, type, lists, keyOf, present }: Kind<T>): List {
  return (context, services) =>
    andThen(allOf(lists(services, context)), (found) => {
      const { params, revision } = context, { pageSize } = services;
      const all = merge(found.filter((list) => checked(list, "list", member, "a list").length > 0), keyOf);
      const { start, next, items } = pageOf(member, all, keyOf, params, pageSize);
      const pages = pagesOf.get(all) ?? new Map<string, RawJson>();
      pagesOf.set(all, pages);
      const key = `${member} ${revision.id} ${start} ${pageSize}`;
      let page = pages.get(key);
      if (page) return page;
      if (type) checked(items, `${type}[]`, member, "a list");
      const json = JSON.stringify(items.map((item) => present(item, context)));
      const nextCursor = next();
      const end = nextCursor === undefined ? "" : `,"nextCursor":"${nextCursor}"`;
      page = new RawJson([encoder.encode(`"${member}":${json}${end}`)]);
      pages.set(key, page);
      return page;
    });
}

const merged = new WeakMap<readonly unknown[], { lists: readonly unknown[]; all: readonly unknown[] }>();

/**
 * Merges the sorted lists of several providers. Of items with the same key, the first one is kept. Returns the same array while
 * the lists are the same, so that its pages are cached.
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
