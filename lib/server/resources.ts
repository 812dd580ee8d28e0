/** The methods of resources and prompts, and all lists. A page is serialised once and kept while its list is the same. */

import type { Awaitable } from "../base/async.ts";
import type { ExecutionContext } from "./context.ts";
import type { Exchange, Services } from "./server.ts";
import type { Prompt, Provider, Resource, ResourceTemplate } from "./provider.ts";
import type { RegisteredTool } from "./tool_registry.ts";
import { allOf, andThen, firstOf } from "../base/async.ts";
import { compact, own } from "../base/json.ts";
import { didYouMean, quoted } from "../base/text.ts";
import { RawJson } from "../jsonrpc/message.ts";
import {
  invalidParams,
  objectParam,
  resourceNotFound,
  stringParam,
  unusableParam,
} from "../protocol/errors.ts";
import { pageOf } from "../protocol/page.ts";
import { showsApps } from "../protocol/methods.ts";
import { annotationsIn } from "../protocol/revisions.ts";
import { checked } from "./shapes.ts";

export function readResource(
  context: ExecutionContext,
  { services: { resources } }: Exchange,
): Awaitable<unknown> {
  const { uri } = context.params;
  if (typeof uri !== "string") throw unusableParam(uri, "uri", "a string");
  const first = resources[0]?.read(uri, context);
  if (first instanceof RawJson) return first;
  const others = (contents: typeof first) =>
    contents ?? firstOf(resources, (provider) => provider.read(uri, context), 1);
  return andThen(andThen(first, others), (contents) => {
    if (contents === undefined) {
      return andThen(allOf(resources.map((provider) => provider.nearest?.(uri, context) ?? [])), (near) => {
        throw resourceNotFound(uri, context.revision, near.flat());
      });
    }
    return contents instanceof RawJson
      ? contents
      : { contents: checked(contents, "contents[]", "contents", quoted(uri, 200)) };
  });
}

export function getPrompt(
  context: ExecutionContext,
  { services: { prompts } }: Exchange,
): Awaitable<unknown> {
  const name = stringParam(context.params, "name");
  const given = own(context.params, "arguments");
  return andThen(firstOf(prompts, (provider) => provider.get(name, given, context)), (result) => {
    if (result instanceof RawJson) return result;
    if (result !== undefined) return checked(result, "prompt result", "result", quoted(name, 100));
    return andThen(allOf(prompts.map((provider) => provider.list(context))), async (lists) => {
      const { nearest } = await import("../base/nearest.ts");
      const near = nearest(name, lists.flat().map((prompt) => prompt.name));
      throw invalidParams(`There is no prompt "${quoted(name, 100)}"${didYouMean(near)}`);
    });
  });
}

/** The most completion values in one response, as the specification sets it. */
const MAX_VALUES = 100;

const REFERENCES = new Map(Object.entries(
  {
    "ref/prompt": { of: "prompts", key: "name", noun: "prompt", part: "argument" },
    "ref/resource": { of: "resources", key: "uri", noun: "template", part: "variable" },
  } as const,
));

export async function complete(context: ExecutionContext, { services }: Exchange): Promise<unknown> {
  const reference = objectParam(context.params, "ref");
  const argument = objectParam(context.params, "argument");
  const name = stringParam(argument, "name", "argument.name");
  const typed = stringParam(argument, "value", "argument.value");
  const row = REFERENCES.get(reference["type"] as string);
  if (!row) throw invalidParams('ref.type must be "ref/prompt" or "ref/resource"');
  const { of, key, noun, part } = row;
  const target = stringParam(reference, key, `ref.${key}`);
  const providers: readonly Provider[] = services[of];
  const values = await firstOf(providers, (provider) => provider.values?.(target, name, context));
  if (!values) {
    throw invalidParams(
      `There is no ${noun} "${quoted(target, 200)}" with the ${part} "${quoted(name, 100)}"`,
    );
  }
  const ranked = rank(checked(values, "string[]", "values", `${target} ${name}`), typed);
  const { length: total } = ranked;
  return { completion: { values: ranked.slice(0, MAX_VALUES), total, hasMore: total > MAX_VALUES } };
}

/** Values that start with the typed text first, then those with a word that does, then those that contain it. */
function rank(values: readonly string[], typed: string): readonly string[] {
  const wanted = typed.toLowerCase();
  const ranks = Map.groupBy(values, (value) => {
    const text = value.toLowerCase();
    let at = text.indexOf(wanted);
    if (at <= 0) return at;
    while (at > 0 && /[\p{L}\p{N}]/u.test(text[at - 1]!)) at = text.indexOf(wanted, at + 1);
    return at < 0 ? 2 : 1;
  });
  return [0, 1, 2].flatMap((rank) => ranks.get(rank) ?? []);
}

interface Kind<T> {
  readonly member: string;
  /** The type of its items; undefined when they are checked already. */
  readonly type?: string;
  readonly lists: (services: Services, context: ExecutionContext) => readonly Awaitable<readonly T[]>[];
  readonly keyOf: (item: T) => string;
  readonly present: (item: T, context: ExecutionContext) => unknown;
}

type List = (context: ExecutionContext, exchange: Exchange) => Awaitable<RawJson>;

export const listResources: List = answer<Resource>({
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

export const listTemplates: List = answer<ResourceTemplate>({
  member: "resourceTemplates",
  type: "template",
  lists: ({ resources }, context) => resources.map((provider) => provider.templates?.(context) ?? []),
  keyOf: ({ uriTemplate }) => uriTemplate,
  present: ({ title, ...template }, { revision }) =>
    revision.titles ? { ...template, title } : { ...template, name: title ?? template.name },
});

export const listPrompts: List = answer<Prompt>({
  member: "prompts",
  type: "prompt",
  lists: ({ prompts }, context) => prompts.map((provider) => provider.list(context)),
  keyOf: ({ name }) => name,
  present: ({ title, ...prompt }, { revision }) => revision.titles ? { ...prompt, title } : prompt,
});

export const listTools: List = answer<RegisteredTool>({
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

/** The serialised pages of each list, by member, revision and start. */
const pagesOf = new WeakMap<readonly unknown[], Map<string, RawJson>>();
const encoder = new TextEncoder();

function answer<T>({ member, type, lists, keyOf, present }: Kind<T>): List {
  return (context, { services }) =>
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

/** The sorted lists of several providers as one; the same array while theirs are. Of two items with one key, the first wins. */
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
