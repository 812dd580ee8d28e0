/**
 * How does a client ask to be told of changes? Resource by resource up to 2025-11-25, with a filter for a whole stream
 * since.
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/server/resources#subscriptions
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/subscriptions
 */

import type { ExecutionContext } from "./context.ts";
import type { Exchange, Services } from "./methods.ts";
import type { Filter } from "./subscriptions.ts";
import { invalidParams, methodNotFound, resourceNotFound } from "../protocol/errors.ts";
import { objectParam, stringParam } from "./params.ts";
import { streamMeta, Subscription } from "./subscriptions.ts";

/**
 * Answers `resources/subscribe`, and `resources/unsubscribe` also where nothing was subscribed to. One for both: what is
 * loaded for the one is there for the other, so neither can overtake the other.
 */
export function subscribe(context: ExecutionContext, services: Services, { connection }: Exchange): unknown {
  if (!services.changes.tells("resources")) throw methodNotFound(context.method);
  const uri = stringParam(context.params, "uri");
  if (context.method === "resources/unsubscribe") {
    connection.subscriptions.delete(uri);
    return {};
  }
  if (!isCovered(uri, services)) throw resourceNotFound(uri, context.revision);
  connection.subscriptions.add(uri);
  return {};
}

/** Answers `subscriptions/listen`: not before the stream ends. */
export async function listen(
  context: ExecutionContext,
  services: Services,
  { connection, call }: Exchange,
): Promise<unknown> {
  const filter = readFilter(context, services);
  const _meta = streamMeta(context.requestId);
  const over = Promise.withResolvers<void>();
  const takeOff = connection.subscriptions.open(context.requestId, filter.uris, over.resolve);
  // First of all, and before this request gives anybody else a turn.
  call.notify("notifications/subscriptions/acknowledged", { _meta, notifications: served(filter) });
  const subscription = new Subscription(
    filter,
    (method, params) => call.notify(method, { _meta, ...params }),
  );
  const stop = services.changes.listen((news) => subscription.take(news));
  const close = () => {
    stop();
    takeOff();
    over.resolve();
  };
  // At once: the very next message may want the place, or the id.
  call.signal.addEventListener("abort", close);
  if (call.signal.aborted) close();
  await over.promise;
  close();
  return { _meta };
}

/** What is served of what is asked for. */
function readFilter({ params }: ExecutionContext, services: Services): Filter {
  const wanted = objectParam(params, "notifications");
  const { resourceSubscriptions: uris = [] } = wanted;
  if (!Array.isArray(uris) || !uris.every((uri) => typeof uri === "string")) {
    throw invalidParams('"notifications.resourceSubscriptions" must be a list of strings');
  }
  // Tools never change; what is asked for must be well-formed all the same.
  wants(wanted, "toolsListChanged");
  const tellsResources = services.changes.tells("resources");
  return {
    resources: wants(wanted, "resourcesListChanged") && tellsResources,
    prompts: wants(wanted, "promptsListChanged") && services.changes.tells("prompts"),
    uris: new Set(tellsResources ? uris.filter((uri) => isCovered(uri, services)) : []),
  };
}

function wants(wanted: Readonly<Record<string, unknown>>, key: string): boolean {
  const { [key]: value = false } = wanted;
  if (typeof value === "boolean") return value;
  throw invalidParams(`"notifications.${key}" must be true or false`);
}

function served({ resources, prompts, uris }: Filter): Readonly<Record<string, unknown>> {
  return {
    ...(prompts ? { promptsListChanged: true } : {}),
    ...(resources ? { resourcesListChanged: true } : {}),
    ...(uris.size > 0 ? { resourceSubscriptions: [...uris] } : {}),
  };
}

function isCovered(uri: string, { resources }: Services): boolean {
  return resources.some((provider) => provider.watch && (provider.covers?.(uri) ?? true));
}
