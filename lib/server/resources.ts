/**
 * The methods of resources.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/server/resources
 */

import type { Awaitable } from "../base/async.ts";
import type { ExecutionContext } from "./context.ts";
import type { Exchange, Services } from "./handlers.ts";
import type { Resource, ResourceContents, ResourceTemplate } from "./provider.ts";
import { allOf, andThen, firstOf } from "../base/async.ts";
import { own } from "../base/json.ts";
import { RawJson } from "../jsonrpc/message.ts";
import { resourceNotFound, stringParam } from "../protocol/errors.ts";
import { legacyResource, legacyTemplate } from "../protocol/legacy.ts";
import { listPage, mergeLists } from "./lists.ts";

/** Answers `resources/list`. */
export function listResources(context: ExecutionContext, services: Services): Awaitable<RawJson> {
  const { titles } = context.revision;
  return andThen(
    allOf(services.resources.map((provider) => provider.list(context))),
    (lists) =>
      listPage<Resource>({
        member: "resources",
        items: mergeLists(lists, (resource) => resource.uri),
        cursor: own(context.params, "cursor"),
        pageSize: services.pageSize,
        form: String(titles),
        keyOf: (resource) => resource.uri,
        present: titles ? (resource) => resource : legacyResource,
      }),
  );
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
      present: titles ? (template) => template : legacyTemplate,
    }));
}

/** Answers `resources/read`. */
export function readResource(
  context: ExecutionContext,
  { resources }: Services,
  _exchange: Exchange,
): Awaitable<unknown> {
  const uri = stringParam(context.params, "uri");
  const [first] = resources;
  // Most servers have one provider.
  const found = resources.length === 1
    ? first!.read(uri, context)
    : firstOf(resources, (provider) => provider.read(uri, context));
  return found instanceof Promise
    ? found.then((contents) => toResult(contents, uri, context))
    : toResult(found, uri, context);
}

function toResult(
  contents: readonly ResourceContents[] | RawJson | undefined,
  uri: string,
  context: ExecutionContext,
): unknown {
  if (contents instanceof RawJson) return contents;
  if (contents === undefined) throw resourceNotFound(uri, context.revision);
  return { contents };
}
