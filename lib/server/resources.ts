/**
 * Which resources are there, and what do they hold?
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/server/resources
 */

import type { Awaitable } from "../base/async.ts";
import type { ExecutionContext } from "./context.ts";
import type { Exchange, Services } from "./methods.ts";
import type { Resource, ResourceTemplate } from "./provider.ts";
import { RawJson } from "../jsonrpc/codec.ts";
import { allOf, andThen, firstOf } from "../base/async.ts";
import { resourceNotFound } from "../protocol/errors.ts";
import { listPage, mergeLists } from "./pages.ts";
import { own } from "../base/json.ts";
import { stringParam } from "./params.ts";
import { InputRequired, Questions } from "./questions.ts";

/** Answers `resources/list`. */
export function listResources(context: ExecutionContext, services: Services): Awaitable<RawJson> {
  const { titles } = context.revision;
  return andThen(allOf(services.resources.map((provider) => provider.list(context))), (lists) =>
    listPage({
      member: "resources",
      items: mergeLists(lists, (resource) => resource.uri),
      cursor: own(context.params, "cursor"),
      pageSize: services.pageSize,
      form: String(titles),
      keyOf: (resource) => resource.uri,
      present: titles ? asItIs : withoutTitle,
    }));
}

/** Answers `resources/templates/list`. */
export function listTemplates(context: ExecutionContext, services: Services): Awaitable<RawJson> {
  const { titles } = context.revision;
  const lists = services.resources.map((provider) => provider.templates?.(context) ?? []);
  return andThen(allOf(lists), (lists) =>
    listPage<ResourceTemplate>({
      member: "resourceTemplates",
      items: mergeLists(lists, (template) => template.uriTemplate),
      cursor: own(context.params, "cursor"),
      pageSize: services.pageSize,
      form: String(titles),
      keyOf: (template) => template.uriTemplate,
      present: titles ? asItIs : ({ title, ...template }) => ({ ...template, name: title ?? template.name }),
    }));
}

/** Answers `resources/read`. */
export function readResource(
  context: ExecutionContext,
  services: Services,
  exchange: Exchange,
): Awaitable<unknown> {
  const uri = stringParam(context.params, "uri");
  const questions = new Questions(context, services, exchange);
  const asking = context.withQuestions(questions);
  const find = () => firstOf(services.resources, (provider) => provider.read(uri, asking));
  return andThen(questions.run(find), (contents) => {
    if (contents instanceof InputRequired) return contents.result;
    if (contents === undefined) throw resourceNotFound(uri, context.revision);
    return contents instanceof RawJson ? contents : { contents };
  });
}

function asItIs(item: unknown): unknown {
  return item;
}

/** Up to 2025-03-26 a resource has only a name, which is for people: it gets the title's words. */
function withoutTitle({ title, _meta, annotations, ...resource }: Resource): unknown {
  const { lastModified: _, ...known } = annotations ?? {};
  return {
    ...resource,
    name: title ?? resource.name,
    ...(Object.keys(known).length > 0 ? { annotations: known } : {}),
  };
}
