/** Changes at the providers of a server, and the clients that are notified of them. */

import type { Params } from "../../jsonrpc/message.ts";
import { Throttle } from "../../base/async.ts";
import { invalidParams, invalidRequest } from "../protocol/errors.ts";
import { Notifications } from "../protocol/methods.ts";

/** The maximum number of streams (`subscriptions/listen`) of one client. */
export const MAX_SUBSCRIPTIONS = 100;
/** The maximum length of all URIs that one client subscribes to, in UTF-16 units: about ten thousand URIs. */
const MAX_SUBSCRIBED_SIZE = 512 * 1024;
/** Changes within this time after a report are reported together, in milliseconds. */
const INTERVAL_MS = 1000;

/** A change at a provider. */
export interface Change {
  /** Whether the list has changed: other items, or other metadata of one. */
  readonly listChanged: boolean;
  /** Whether the content of a resource has changed, appeared or disappeared. Must not throw. @default {no} */
  affects?(uri: string): boolean;
}

/** Sends a notification; returns a promise when the buffer is full. */
export type Notify = (method: string, params?: Params) => Promise<void> | undefined;

/** The kinds of providers, and of the lists that change. */
export type ChangeKind = "resources" | "prompts";
const LIST_CHANGED = { resources: Notifications.resourcesChanged, prompts: Notifications.promptsChanged };

/** A provider, as far as its changes are concerned. */
interface Watchable {
  watch?(onchange: (change: Change) => void): () => void;
}

/** Called with the changes of one kind. */
export type ChangeListener = (kind: ChangeKind, changes: readonly Change[]) => void;

/** The changes of all providers of a server. Providers watch only while there is a listener. */
export class Changes {
  readonly #providers: Readonly<Record<ChangeKind, readonly Watchable[]>>;
  readonly #listeners = new Set<ChangeListener>();
  #stops: (() => void)[] = [];

  constructor(providers: Readonly<Record<ChangeKind, readonly Watchable[]>>) {
    this.#providers = providers;
  }

  /** Whether any provider of the kind can report changes. */
  reports(kind: ChangeKind): boolean {
    return this.#providers[kind].some((provider) => provider.watch !== undefined);
  }

  /** Adds a listener. Returns a function that removes it. */
  listen(listener: ChangeListener): () => void {
    if (this.#listeners.size === 0) this.#stops = [...this.#watch("resources"), ...this.#watch("prompts")];
    this.#listeners.add(listener);
    return () => {
      if (!this.#listeners.delete(listener) || this.#listeners.size > 0) return;
      for (const stop of this.#stops) stop();
    };
  }

  /** Watches the providers of a kind. The first change is reported at once, those of the next second together. */
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

/** What a client wants to be notified of. */
export interface NotificationFilter {
  readonly lists: ReadonlySet<ChangeKind>;
  /** The resources whose contents are watched, as the client spells them. */
  readonly uris: ReadonlySet<string>;
}

/** Returns a listener that notifies a client. While the client is not reading, repeated changes are merged. */
export function notifier({ lists, uris }: NotificationFilter, notify: Notify): ChangeListener {
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
   * Registers a stream. `end` is called when the stream must end; at once after `endAll`. Returns a function that unregisters it.
   *
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
        `Cannot subscribe to more resources: their URIs are limited to ${MAX_SUBSCRIBED_SIZE} characters in total`,
      );
    }
    this.#size += size;
  }
}
