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
import { invalidParams, methodNotFound, resourceNotFound } from "./errors.ts";
import { objectParam, own, stringParam } from "./params.ts";
import { Subscription } from "./subscriptions.ts";

const SUBSCRIPTION_ID = "io.modelcontextprotocol/subscriptionId";

/** Answers `resources/subscribe`. */
export function subscribe(context: ExecutionContext, services: Services, { connection }: Exchange): unknown {
  if (!services.changes.tells("resources")) throw methodNotFound(context.method);
  const uri = stringParam(context.params, "uri");
  if (!isCovered(uri, services)) throw resourceNotFound(uri, context.revision);
  connection.subscriptions.add(uri);
  return {};
}

/** Answers `resources/unsubscribe`, also where nothing was subscribed to. */
export function unsubscribe(
  context: ExecutionContext,
  services: Services,
  { connection }: Exchange,
): unknown {
  if (!services.changes.tells("resources")) throw methodNotFound(context.method);
  connection.subscriptions.delete(stringParam(context.params, "uri"));
  return {};
}

/** Answers `subscriptions/listen`: not before the stream ends. */
export async function listen(
  context: ExecutionContext,
  services: Services,
  { connection, call }: Exchange,
): Promise<unknown> {
  const filter = readFilter(context, services);
  const _meta = { [SUBSCRIPTION_ID]: context.requestId };
  const over = Promise.withResolvers<void>();
  const takeOff = connection.subscriptions.open(context.requestId, filter.uris, over.resolve);
  // First of all, and before this request gives anybody else a turn.
  call.notify("notifications/subscriptions/acknowledged", { _meta, notifications: served(filter) });
  const subscription = new Subscription(
    filter,
    (method, params) => call.notify(method, { _meta, ...params }),
  );
  const stop = services.changes.listen((news) => subscription.take(news));
  call.signal.addEventListener("abort", () => over.resolve());
  await over.promise;
  stop();
  takeOff();
  return { _meta };
}

/** What is served of what is asked for. */
function readFilter({ params }: ExecutionContext, services: Services): Filter {
  const wanted = objectParam(params, "notifications");
  const uris = own(wanted, "resourceSubscriptions") ?? [];
  if (!Array.isArray(uris) || !uris.every((uri) => typeof uri === "string")) {
    throw invalidParams('"notifications.resourceSubscriptions" must be a list of strings');
  }
  const tellsResources = services.changes.tells("resources");
  return {
    resources: wants(wanted, "resourcesListChanged") && tellsResources,
    prompts: wants(wanted, "promptsListChanged") && services.changes.tells("prompts"),
    uris: new Set(tellsResources ? uris.filter((uri) => isCovered(uri, services)) : []),
  };
}

function wants(wanted: Readonly<Record<string, unknown>>, key: string): boolean {
  const value = own(wanted, key) ?? false;
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
