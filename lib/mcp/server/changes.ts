/** Changes at the providers of a server, and their notifications. */

import type { Change, Provider } from "./provider.ts";
import type { Notify } from "./session.ts";
import { Throttle } from "../../base/async.ts";
import { Notifications } from "../protocol/methods.ts";

/** Changes within this time after a notification are reported together, in milliseconds. */
const INTERVAL_MS = 1000;

/** The kinds of providers, and of the lists that change. */
export type ChangeKind = "resources" | "prompts";
const LIST_CHANGED = { resources: Notifications.resourcesChanged, prompts: Notifications.promptsChanged };

/** Called with the changes of one kind. */
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

  /** Reports the first change at once, and collects the changes of the next second into one report. */
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
export interface NoticeFilter {
  readonly lists: ReadonlySet<ChangeKind>;
  /** The resources whose contents are watched, as the client spells them. */
  readonly uris: ReadonlySet<string>;
}

/** Notifies a client of changes. While it is not reading, repeated changes are merged. */
export function notifier({ lists, uris }: NoticeFilter, notify: Notify): ChangeListener {
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
