/**
 * Change notifications: what changed at the providers, who is notified of it, and the methods to subscribe.
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/server/resources#subscriptions
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/subscriptions
 */

import type { Params } from "../jsonrpc/message.ts";
import type { Access, ExecutionContext } from "./context.ts";
import type { Exchange, Services } from "./server.ts";
import type { Change, Provider, ResourceProvider } from "./provider.ts";
import { andThen, firstOf, Throttle } from "../base/async.ts";
import { compact } from "../base/json.ts";
import { notification } from "../jsonrpc/message.ts";
import {
  invalidParams,
  invalidRequest,
  methodNotFound,
  objectParam,
  resourceNotFound,
  stringParam,
} from "../protocol/errors.ts";
import { Meta, Notifications } from "../protocol/methods.ts";

export const MAX_SUBSCRIPTIONS = 100;
/** The limit of all URIs that one client subscribes to, in UTF-16 units: some ten thousand URIs. */
const MAX_SUBSCRIBED_SIZE = 512 * 1024;
/** The longest URI that is subscribed to, in UTF-16 units. */
const MAX_URI = 8192;
/** Changes within this time after a notification are reported together, in milliseconds. */
const INTERVAL_MS = 1000;

/** What changes. */
export type ChangeKind = "resources" | "prompts";
const LIST_CHANGED = { resources: Notifications.resourcesChanged, prompts: Notifications.promptsChanged };

/** Hears of changes. */
export type ChangeListener = (kind: ChangeKind, changes: readonly Change[]) => void;

/** The changes of all providers of a server. Providers watch only while there is a listener. */
export class Changes {
  readonly #providers: Readonly<Record<ChangeKind, readonly Provider[]>>;
  readonly #listeners = new Set<ChangeListener>();
  #stops: (() => void)[] = [];

  constructor(providers: Readonly<Record<ChangeKind, readonly Provider[]>>) {
    this.#providers = providers;
  }

  reports(kind: ChangeKind): boolean {
    return this.#providers[kind].some((provider) => provider.watch !== undefined);
  }

  listen(listener: ChangeListener): () => void {
    if (this.#listeners.size === 0) this.#stops = [...this.#watch("resources"), ...this.#watch("prompts")];
    this.#listeners.add(listener);
    return () => {
      if (!this.#listeners.delete(listener) || this.#listeners.size > 0) return;
      for (const stop of this.#stops) stop();
    };
  }

  /** Reports the first change at once, and those within a second after it together. Quiet may never come. */
  #watch(kind: ChangeKind): (() => void)[] {
    let held: Change[] = [];
    const report = new Throttle(INTERVAL_MS, () => {
      const changes = held;
      held = [];
      for (const listener of this.#listeners) listener(kind, changes);
    });
    const add = (change: Change) => {
      held.push(change);
      report.request();
    };
    const stops = this.#providers[kind].flatMap((provider) => provider.watch?.(add) ?? []);
    return [...stops, () => report.stop()];
  }
}

export interface Filter {
  readonly lists: ReadonlySet<ChangeKind>;
  /** The resources whose contents are watched, as the client spells them. */
  readonly uris: ReadonlySet<string>;
}

/** Sends a notification; returns a promise when the buffer is full. */
export type Notify = (method: string, params?: Params) => Promise<void> | undefined;

/** Notifies a client of changes. While it is not reading, repeated changes are merged. */
export function notifier({ lists, uris }: Filter, notify: Notify): ChangeListener {
  /** What is not sent yet, by kind of list or by URI. */
  const unsent = new Map<string, { readonly method: string; readonly params?: { readonly uri: string } }>();
  let isSending = false;
  const send = async (): Promise<void> => {
    isSending = true;
    for (const [key, { method, params }] of unsent) {
      unsent.delete(key);
      // The client may have unsubscribed meanwhile.
      const drained = params && !uris.has(params.uri) ? undefined : notify(method, params);
      if (drained) await drained;
    }
    isSending = false;
  };
  return (kind, changes) => {
    const isListed = lists.has(kind) && changes.some(({ listChanged }) => listChanged);
    if (isListed) unsent.set(kind, { method: LIST_CHANGED[kind] });
    for (const uri of uris) {
      if (!changes.some((change) => change.affects?.(uri))) continue;
      unsent.set(`uri:${uri}`, { method: Notifications.resourceUpdated, params: { uri } });
    }
    if (!isSending) void send();
  };
}

/** All subscriptions of one client. */
export class Subscriptions {
  /** The resources of `resources/subscribe`. */
  readonly uris: Set<string> = new Set();
  readonly #streams = new Set<() => void>();
  #size = 0;
  #isEnded = false;

  /** Subscribes to a resource. @throws {RpcError} -32602 when the client subscribes to too much. */
  add(uri: string): void {
    if (!this.uris.has(uri)) this.#reserve(uri.length);
    this.uris.add(uri);
  }

  /** Unsubscribes. */
  delete(uri: string): void {
    if (this.uris.delete(uri)) this.#size -= uri.length;
  }

  /**
   * Registers a stream.
   *
   * @param end Ends it; called at once when streams are no longer kept open.
   * @returns A function that unregisters it.
   * @throws {RpcError} -32600 when there are too many; -32602 when it subscribes to too much.
   */
  open(uris: ReadonlySet<string>, end: () => void): () => void {
    if (this.#streams.size >= MAX_SUBSCRIPTIONS) {
      throw invalidRequest(
        `the limit of subscriptions for one connection is ${MAX_SUBSCRIPTIONS}; cancel one first`,
      );
    }
    const size = [...uris].join("").length;
    this.#reserve(size);
    this.#streams.add(end);
    if (this.#isEnded) end();
    return () => {
      if (this.#streams.delete(end)) this.#size -= size;
    };
  }

  /** Ends all streams, and those that are opened later. */
  endAll(): void {
    this.#isEnded = true;
    for (const end of this.#streams) end();
  }

  #reserve(size: number): void {
    if (this.#size + size > MAX_SUBSCRIBED_SIZE) {
      throw invalidParams(
        `Cannot subscribe to so many resources: their URIs may have ${MAX_SUBSCRIBED_SIZE} characters together`,
      );
    }
    this.#size += size;
  }
}

/** Answers `resources/subscribe` and `resources/unsubscribe`. Only what can be read can be subscribed to. */
export function subscribe(context: ExecutionContext, { services, session }: Exchange): unknown {
  const { changes, resources } = services, { subscriptions } = session;
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

/** Answers `subscriptions/listen` when the stream ends. */
export async function listen(
  context: ExecutionContext,
  { services, session, call }: Exchange,
): Promise<unknown> {
  const { params, requestId, access } = context;
  const filter = readFilter(params, services, access);
  const { lists, uris } = filter;
  const _meta = { [Meta.subscriptionId]: requestId };
  const ended = Promise.withResolvers<void>();
  const unregister = session.subscriptions.open(uris, () => {
    const reason = "The server has ended the subscription";
    call.epilogue = notification(Notifications.cancelled, { _meta, requestId, reason });
    ended.resolve();
  });
  // The acknowledgement comes first, so it is sent before anything is awaited.
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
  // Synchronously, because the next message may need the slot or the id.
  call.signal.addEventListener("abort", close);
  if (call.signal.aborted) close();
  await ended.promise;
  close();
  return { _meta };
}

function readFilter(params: ExecutionContext["params"], services: Services, access?: Access): Filter {
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
    categoriesOf(uri, services).every((category) => access?.allows("categories", category) ?? true);
  return { lists, uris: new Set(uris.filter(isServed)) };
}

/** The categories of documents that a URI belongs to, whether there is such a document or not. */
export function categoriesOf(uri: string, { resources }: Services): string[] {
  return resources.flatMap((provider) => provider.categoryOf?.(uri) ?? []);
}

function isCovered(uri: string, provider: ResourceProvider): boolean {
  return uri.length <= MAX_URI && provider.watch !== undefined && (provider.covers?.(uri) ?? true);
}
