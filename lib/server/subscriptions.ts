/**
 * Change notifications: what changed at the providers, who is notified of it, and the methods to subscribe.
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/server/resources#subscriptions
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/subscriptions
 */

import type { Id, Params } from "../jsonrpc/message.ts";
import type { ExecutionContext } from "./context.ts";
import type { Exchange, Services } from "./handlers.ts";
import type { Change, Provider } from "./provider.ts";
import { ErrorCode, notification, RpcError } from "../jsonrpc/message.ts";
import {
  invalidParams,
  methodNotFound,
  objectParam,
  resourceNotFound,
  stringParam,
} from "../protocol/errors.ts";
import { Meta, Notifications } from "../protocol/methods.ts";

/** The limit of open streams of one client. */
export const MAX_SUBSCRIPTIONS = 100;
/** The limit of all URIs that one client subscribes to, in UTF-16 units: some ten thousand URIs. */
export const MAX_SUBSCRIBED_SIZE: number = 512 * 1024;
/** Changes within this time after a notification are reported together, in milliseconds. */
const INTERVAL_MS = 1000;

type Kind = "resources" | "prompts";

/** Changes that are reported together. */
export interface ChangeSet {
  /** Whether the list of resources has changed. */
  readonly resources: boolean;
  /** Whether the list of prompts has changed. */
  readonly prompts: boolean;
  /** Whether the content of a resource has changed. */
  affects(uri: string): boolean;
}

/** The changes of all providers of a server. Providers watch only while there is a listener. */
export class Changes {
  readonly #providers: Readonly<Record<Kind, readonly Provider[]>>;
  readonly #listeners = new Set<(changes: ChangeSet) => void>();
  #stops: (() => void)[] = [];

  constructor(providers: Readonly<Record<Kind, readonly Provider[]>>) {
    this.#providers = providers;
  }

  /** Whether changes of this kind are reported at all. */
  reports(kind: Kind): boolean {
    return this.#providers[kind].some((provider) => provider.watch !== undefined);
  }

  /** Reports changes from now on; returns a function that stops it. */
  listen(listener: (changes: ChangeSet) => void): () => void {
    if (this.#listeners.size === 0) this.#start();
    this.#listeners.add(listener);
    return () => {
      if (!this.#listeners.delete(listener) || this.#listeners.size > 0) return;
      for (const stop of this.#stops) stop();
      this.#stops = [];
    };
  }

  #start(): void {
    for (const kind of ["resources", "prompts"] as const) {
      const burst = new Burst((changes) => this.#report(kind, changes));
      this.#stops.push(() => burst.stop());
      for (const provider of this.#providers[kind]) {
        const stop = provider.watch?.((change) => burst.add(change));
        if (stop) this.#stops.push(stop);
      }
    }
  }

  #report(kind: Kind, changes: readonly Change[]): void {
    const isListChanged = changes.some((change) => change.listChanged);
    const set: ChangeSet = {
      resources: isListChanged && kind === "resources",
      prompts: isListChanged && kind === "prompts",
      affects: (uri) => changes.some((change) => change.affects?.(uri)),
    };
    for (const listener of this.#listeners) listener(set);
  }
}

/**
 * Reports the first change at once, and those within a second after it together. Waiting for quiet instead would delay
 * notifications on a busy machine.
 */
class Burst {
  readonly #report: (changes: readonly Change[]) => void;
  #held: Change[] = [];
  #reportedAt = -Infinity;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(report: (changes: readonly Change[]) => void) {
    this.#report = report;
  }

  add(change: Change): void {
    if (this.#held.push(change) > 1) return;
    const wait = this.#reportedAt + INTERVAL_MS - performance.now();
    if (wait <= 0) this.#release();
    else this.#timer = setTimeout(() => this.#release(), wait);
  }

  stop(): void {
    clearTimeout(this.#timer);
  }

  #release(): void {
    const changes = this.#held;
    this.#held = [];
    this.#reportedAt = performance.now();
    this.#report(changes);
  }
}

/** What a client is notified of. */
export interface Filter {
  readonly resources: boolean;
  readonly prompts: boolean;
  /** The resources whose contents are watched, as the client spells them. */
  readonly uris: ReadonlySet<string>;
}

/** Sends a notification; returns a promise when the buffer is full. */
export type Notify = (method: string, params?: Params) => Promise<void> | undefined;

/** One stream of change notifications. While the client is not reading, repeated changes are merged. */
export class Subscription {
  readonly #filter: Filter;
  readonly #notify: Notify;
  /** Changed lists, by notification, and changed resources that are not reported yet. */
  readonly #lists = new Set<string>();
  readonly #uris = new Set<string>();
  #isFull = false;

  constructor(filter: Filter, notify: Notify) {
    this.#filter = filter;
    this.#notify = notify;
  }

  add(changes: ChangeSet): void {
    const { resources, prompts, uris } = this.#filter;
    if (resources && changes.resources) this.#lists.add(Notifications.resourcesChanged);
    if (prompts && changes.prompts) this.#lists.add(Notifications.promptsChanged);
    for (const uri of uris) if (changes.affects(uri)) this.#uris.add(uri);
    this.#send();
  }

  #send(): void {
    if (this.#isFull) return;
    for (const [method, params] of this.#unsent()) {
      const drained = this.#notify(method, params);
      if (!drained) continue;
      this.#isFull = true;
      return void drained.then(() => {
        this.#isFull = false;
        this.#send();
      });
    }
  }

  *#unsent(): Generator<[method: string, params?: Params]> {
    for (const method of this.#lists) {
      this.#lists.delete(method);
      yield [method];
    }
    for (const uri of this.#uris) {
      this.#uris.delete(uri);
      // The client may have unsubscribed meanwhile.
      if (this.#filter.uris.has(uri)) yield [Notifications.resourceUpdated, { uri }];
    }
  }
}

/** All subscriptions of one client. */
export class Subscriptions {
  /** The resources of `resources/subscribe`. */
  readonly uris: Set<string> = new Set();
  /** The functions that end the open streams. */
  readonly #streams = new Set<() => void>();
  #size = 0;
  #isEnded = false;

  /** Subscribes to a resource. @throws {RpcError} -32602 when the client subscribes to too much. */
  add(uri: string): void {
    if (this.uris.has(uri)) return;
    this.#reserve(uri.length);
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
      throw new RpcError(
        ErrorCode.invalidRequest,
        `Cannot open one more subscription: this connection has ${MAX_SUBSCRIPTIONS}; cancel one first`,
      );
    }
    let size = 0;
    for (const uri of uris) size += uri.length;
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

/** Answers `resources/subscribe` and `resources/unsubscribe`, together so that neither can overtake the other. */
export function subscribe(context: ExecutionContext, services: Services, { session }: Exchange): unknown {
  if (!services.changes.reports("resources")) throw methodNotFound(context.method);
  const uri = stringParam(context.params, "uri");
  if (context.method === "resources/unsubscribe") {
    session.subscriptions.delete(uri);
    return {};
  }
  if (!isCovered(uri, services)) throw resourceNotFound(uri, context.revision);
  session.subscriptions.add(uri);
  return {};
}

/** Answers `subscriptions/listen` when the stream ends. */
export async function listen(
  context: ExecutionContext,
  services: Services,
  { session, call }: Exchange,
): Promise<unknown> {
  const filter = readFilter(context, services);
  const _meta = { [Meta.subscriptionId]: context.requestId };
  const ended = Promise.withResolvers<void>();
  const unregister = session.subscriptions.open(filter.uris, () => {
    call.epilogue = endNotice(context.requestId);
    ended.resolve();
  });
  // The acknowledgement comes first, so it is sent before anything is awaited.
  call.notify(Notifications.acknowledged, { _meta, notifications: served(filter) });
  const subscription = new Subscription(
    filter,
    (method, params) => call.notify(method, { _meta, ...params }),
  );
  const stop = services.changes.listen((changes) => subscription.add(changes));
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

/** Says that the server has ended a stream. */
function endNotice(requestId: Id): ReturnType<typeof notification> {
  return notification(Notifications.cancelled, {
    _meta: { [Meta.subscriptionId]: requestId },
    requestId,
    reason: "The server has ended the subscription",
  });
}

/** The part of a requested filter that is served. */
function readFilter({ params }: ExecutionContext, services: Services): Filter {
  const wanted = objectParam(params, "notifications");
  const { resourceSubscriptions: uris = [] } = wanted;
  if (!Array.isArray(uris) || !uris.every((uri) => typeof uri === "string")) {
    throw invalidParams('"notifications.resourceSubscriptions" must be a list of strings');
  }
  const wants = (key: string): boolean => {
    const { [key]: value = false } = wanted;
    if (typeof value === "boolean") return value;
    throw invalidParams(`"notifications.${key}" must be true or false`);
  };
  // Tools never change, but the member must be well-formed.
  wants("toolsListChanged");
  const reportsResources = services.changes.reports("resources");
  return {
    resources: wants("resourcesListChanged") && reportsResources,
    prompts: wants("promptsListChanged") && services.changes.reports("prompts"),
    uris: new Set(reportsResources ? uris.filter((uri) => isCovered(uri, services)) : []),
  };
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
