/**
 * The methods to subscribe to changes.
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/server/resources#subscriptions
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/subscriptions
 */

import type { Access } from "./access.ts";
import type { ExecutionContext } from "./context.ts";
import type { ChangeKind, NotificationFilter } from "./changes.ts";
import type { ResourceProvider } from "./provider.ts";
import type { AcceptedCall } from "./accepted.ts";
import type { Services } from "./services.ts";
import { andThen, firstOf } from "../../base/async.ts";
import { compact } from "../../base/json.ts";
import { notification } from "../../jsonrpc/message.ts";
import {
  invalidParams,
  methodNotFound,
  objectParam,
  resourceNotFound,
  stringParam,
} from "../protocol/errors.ts";
import { Meta, Notifications } from "../protocol/methods.ts";
import { notifier } from "./changes.ts";
import { categoriesOf } from "./access.ts";

/** The maximum length of a URI that a client subscribes to, in UTF-16 units. */
const MAX_URI = 8192;

/** Answers `resources/subscribe` and `resources/unsubscribe`. A client can subscribe only to what it can read. */
export function subscribe(
  context: ExecutionContext,
  { changes, resources }: Services,
  { accepted: { session } }: AcceptedCall,
): unknown {
  const { subscriptions } = session;
  if (!changes.reports("resources")) throw methodNotFound(context.method);
  const uri = stringParam(context.params, "uri");
  if (context.method === "resources/unsubscribe") {
    subscriptions.delete(uri);
    return andThen(session.store?.(`uri:${uri}`), () => ({}));
  }
  const covering = resources.filter((provider) => isCovered(uri, provider));
  return andThen(firstOf(covering, (provider) => provider.read(uri, context)), (contents) => {
    if (contents === undefined) throw resourceNotFound(uri, context.revision);
    subscriptions.add(uri);
    return andThen(session.store?.(`uri:${uri}`, "1"), () => ({}));
  });
}

/** Answers `subscriptions/listen`: notifies the client of changes, and returns when the stream ends. */
export async function listenForChanges(
  context: ExecutionContext,
  services: Services,
  call: AcceptedCall,
): Promise<unknown> {
  const { params, requestId, access } = context;
  const filter = readFilter(params, services, access);
  const { lists, uris } = filter;
  const _meta = { [Meta.subscriptionId]: requestId };
  const ended = Promise.withResolvers<void>();
  const unregister = call.accepted.session.subscriptions.open(uris, () => {
    const reason = "The server has ended the subscription";
    call.epilogue = notification(Notifications.cancelled, { _meta, requestId, reason });
    ended.resolve();
  });
  // The acknowledgement must be the first message, so it is sent before anything is awaited.
  const notifications = compact({
    promptsListChanged: lists.has("prompts") || undefined,
    resourcesListChanged: lists.has("resources") || undefined,
    resourceSubscriptions: uris.size > 0 ? [...uris] : undefined,
  });
  void call.notify(Notifications.acknowledged, { _meta, notifications });
  const stop = services.changes.listen(
    notifier(filter, (method, params) => call.notify(method, { _meta, ...params })),
  );
  const close = () => {
    stop();
    unregister();
    ended.resolve();
  };
  // Closed within the event, because the next message may subscribe again, at the limit or with the same id.
  call.signal.addEventListener("abort", close);
  if (call.signal.aborted) close();
  await ended.promise;
  close();
  return { _meta };
}

function readFilter(
  params: ExecutionContext["params"],
  services: Services,
  access?: Access,
): NotificationFilter {
  const wanted = objectParam(params, "notifications");
  const { resourceSubscriptions: uris = [] } = wanted;
  if (!Array.isArray(uris) || !uris.every((uri) => typeof uri === "string")) {
    throw invalidParams('"notifications.resourceSubscriptions" must be a list of strings');
  }
  const lists = new Set<ChangeKind>();
  // Tools never change, but the member must be well-formed.
  for (const kind of ["tools", "resources", "prompts"] as const) {
    const { [`${kind}ListChanged`]: value = false } = wanted;
    if (typeof value !== "boolean") {
      throw invalidParams(`"notifications.${kind}ListChanged" must be true or false`);
    }
    if (value && kind !== "tools" && services.changes.reports(kind)) lists.add(kind);
  }
  const isServed = (uri: string) =>
    services.resources.some((provider) => isCovered(uri, provider)) &&
    categoriesOf(uri, services.resources).every((category) => access?.allows("categories", category) ?? true);
  return { lists, uris: new Set(uris.filter(isServed)) };
}

function isCovered(uri: string, provider: ResourceProvider): boolean {
  return uri.length <= MAX_URI && provider.watch !== undefined && (provider.covers?.(uri) ?? true);
}
