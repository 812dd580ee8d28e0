/**
 * Subscriptions to changes of the server. The same events in both eras: up to 2025-11-25 the server sends them once and
 * resources are subscribed to one by one, since then each subscription is a request of its own.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/subscriptions
 */

import type { JsonObject } from "../base/json.ts";
import type { Id } from "../jsonrpc/message.ts";
import type { Session } from "./session.ts";
import { pause } from "../base/async.ts";
import { asArray, asObject, asString } from "../base/json.ts";
import { RpcError } from "../jsonrpc/message.ts";
import { Meta, Notifications } from "../protocol/methods.ts";
import { ConnectError, HttpError, ProtocolError, SessionLostError } from "./options.ts";

/** The changes to be told of. */
export interface ChangeFilter {
  /** Changes of the list of tools. */
  readonly tools?: boolean;
  /** Changes of the list of prompts. */
  readonly prompts?: boolean;
  /** Changes of the list of resources. */
  readonly resources?: boolean;
  /** The resources whose contents are watched. */
  readonly uris?: readonly string[];
}

/** A change. */
export type ChangeEvent =
  | {
    /** The list that has changed. */
    readonly type: "tools" | "prompts" | "resources";
    /** Never there for a list. */
    readonly uri?: never;
  }
  | {
    /** The contents of one resource have changed. */
    readonly type: "resource";
    /** The resource. */
    readonly uri: string;
  };

/** The lists, with the member of a filter in the protocol for each. */
const LISTS = {
  tools: "toolsListChanged",
  prompts: "promptsListChanged",
  resources: "resourcesListChanged",
} as const;
const LIST_NAMES = Object.keys(LISTS) as (keyof typeof LISTS)[];

/** The most events that wait to be taken; events of the same type and URI are one. */
const MAX_WAITING = 10_000;
/** How often in a row a broken stream is opened again, and the first pause before that in milliseconds; each one doubles. */
const MAX_ATTEMPTS = 5;
const RETRY_MS = 500;

const CLOSED = "The subscription is closed";

/** A subscription: iterate over it for its events, and close it. It ends when the server ends it. */
export class Subscription implements AsyncIterable<ChangeEvent> {
  /** The part of the filter that the server supports. */
  readonly served: ChangeFilter;
  readonly #onclose: () => void;
  /** Events that were not taken yet: each one means to look again, so that the same one counts once. */
  readonly #waiting = new Map<string, ChangeEvent>();
  #wake: PromiseWithResolvers<void> = Promise.withResolvers();
  #isOver = false;
  #error: unknown;

  /**
   * Made by `Client.listen`.
   *
   * @internal
   */
  constructor(served: ChangeFilter, onclose: () => void) {
    this.served = Object.freeze(served);
    this.#onclose = onclose;
  }

  /**
   * Adds an event.
   *
   * @internal
   */
  push(event: ChangeEvent): void {
    if (this.#isOver || this.#waiting.size >= MAX_WAITING) return;
    this.#waiting.set(`${event.type} ${event.uri ?? ""}`, event);
    this.#wake.resolve();
  }

  /**
   * Ends it; waiting events can still be taken.
   *
   * @internal
   * @param error What it broke with, unless it was ended in order.
   */
  end(error?: unknown): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#error = error;
    this.#wake.resolve();
  }

  /** Ends it, and tells the server. May be called again. */
  close(): void {
    if (this.#isOver) return;
    this.end();
    this.#onclose();
  }

  /**
   * The events as they come. Leaving the loop closes the subscription.
   *
   * @throws {unknown} What it broke with, unless the server ended it in order or the client was closed.
   */
  async *[Symbol.asyncIterator](): AsyncGenerator<ChangeEvent, void, undefined> {
    try {
      while (true) {
        for (const [key, event] of this.#waiting) {
          this.#waiting.delete(key);
          yield event;
        }
        if (this.#isOver) break;
        await this.#wake.promise;
        this.#wake = Promise.withResolvers();
      }
      if (this.#error !== undefined) throw this.#error;
    } finally {
      this.close();
    }
  }
}

/** A modern subscription, over as many requests as it takes. */
interface Stream {
  subscription: Subscription | undefined;
  readonly opened: PromiseWithResolvers<Subscription>;
  /** Aborts the request, and with it the subscription. */
  readonly stop: AbortController;
  liftTimeouts: () => void;
  /** How often in a row it could not be opened. */
  failures: number;
}

/** The subscriptions of one client. */
export class Subscriptions {
  readonly #session: Session;
  readonly #onchange: (event: ChangeEvent) => void;
  /** Modern ones, by the id of their request. */
  readonly #streams = new Map<unknown, Stream>();
  readonly #legacy = new Set<Subscription>();
  /** Aborted when the session is over. */
  readonly #over = new AbortController();

  /** @param onchange Called with each change, before the subscriptions are. */
  constructor(session: Session, onchange: (event: ChangeEvent) => void) {
    this.#session = session;
    this.#onchange = onchange;
    session.onnotification = (method, params) => this.#take(method, params);
    session.onrenewed = () => this.#renew();
    session.transport.onstream = (cause) => void this.#checkStream(cause);
    void session.closed.then(() => {
      this.#over.abort();
      this.#endLegacy(this.#goneError());
    });
  }

  open(filter: ChangeFilter): Promise<Subscription> {
    if (this.#session.negotiated.era === "legacy") return this.#openLegacy(filter);
    const opened = Promise.withResolvers<Subscription>();
    const stop = new AbortController();
    const stream = { subscription: undefined, opened, stop, liftTimeouts: () => {}, failures: 0 };
    void this.#keepOpen(filter, stream);
    return opened.promise;
  }

  #take(method: string, params: JsonObject): void {
    const stream = this.#streams.get(asObject(params["_meta"])[Meta.subscriptionId]);
    if (method === Notifications.acknowledged) {
      return stream && this.#acknowledge(stream, fromProtocol(asObject(params["notifications"])));
    }
    if (method === Notifications.cancelled) {
      return this.#streams.get(params["requestId"])?.stop.abort(CLOSED);
    }
    const event = toEvent(method, params);
    if (!event) return;
    this.#onchange(event);
    stream?.subscription?.push(event);
    for (const subscription of this.#legacy) if (covers(subscription.served, event)) subscription.push(event);
  }

  #acknowledge(stream: Stream, served: ChangeFilter): void {
    stream.liftTimeouts();
    stream.failures = 0;
    if (stream.subscription) return this.#changeAll([stream.subscription]);
    // At once: the first events may be in the same chunk.
    stream.subscription = new Subscription(served, () => stream.stop.abort(CLOSED));
    stream.opened.resolve(stream.subscription);
  }

  /** Opens a stream, and opens it again when its connection breaks: some break where nothing is sent for long. */
  async #keepOpen(filter: ChangeFilter, stream: Stream): Promise<void> {
    const { opened, stop } = stream;
    while (true) {
      const error = await this.#request(filter, stream);
      const { subscription } = stream;
      if (!subscription) {
        return opened.reject(error ?? new ProtocolError("The server ended the subscription before it began"));
      }
      if (error === undefined || stop.signal.aborted) return subscription.end();
      if (this.#session.state !== "open") return subscription.end(this.#goneError());
      if (!isBreak(error) || ++stream.failures > MAX_ATTEMPTS) return subscription.end(error);
      const stopped = AbortSignal.any([stop.signal, this.#over.signal]);
      await pause(RETRY_MS * 2 ** (stream.failures - 1), stopped).catch(() => {});
    }
  }

  /** Sends the request of a stream, which is answered when it ends; returns what it failed with. */
  async #request(filter: ChangeFilter, stream: Stream): Promise<unknown> {
    let id: Id | undefined;
    try {
      await this.#session.request("subscriptions/listen", { notifications: toProtocol(filter) }, {
        signal: stream.stop.signal,
        onsent: (sent, liftTimeouts) => {
          stream.liftTimeouts = liftTimeouts;
          this.#streams.set(id = sent, stream);
        },
      });
      return undefined;
    } catch (cause) {
      return cause;
    } finally {
      this.#streams.delete(id);
    }
  }

  async #openLegacy(filter: ChangeFilter): Promise<Subscription> {
    const { transport, negotiated } = this.#session;
    const served = supportedPart(filter, negotiated.server.capabilities);
    const others = this.#uris();
    const subscription = new Subscription(served, () => this.#release(subscription));
    this.#legacy.add(subscription);
    transport.openStream?.();
    try {
      for (const uri of served.uris ?? []) {
        if (!others.has(uri) && this.#legacy.has(subscription)) {
          await this.#session.request("resources/subscribe", { uri });
        }
      }
    } catch (cause) {
      subscription.close();
      throw cause;
    }
    return subscription;
  }

  /** Removes a legacy subscription, and unsubscribes from resources that no other one has. */
  #release(subscription: Subscription): void {
    this.#legacy.delete(subscription);
    const others = this.#uris();
    for (const uri of subscription.served.uris ?? []) {
      if (others.has(uri) || this.#session.state !== "open") continue;
      // Without an effect that matters: events that come all the same are dropped.
      this.#session.request("resources/unsubscribe", { uri }).catch(() => {});
    }
  }

  /** The resources of all legacy subscriptions. */
  #uris(): Set<string> {
    return new Set([...this.#legacy].flatMap(({ served }) => served.uris ?? []));
  }

  /** Subscribes again in a new session: the lost one is not known to it. */
  async #renew(): Promise<void> {
    for (const uri of this.#uris()) {
      try {
        await this.#session.send("resources/subscribe", { uri });
      } catch (cause) {
        this.#endLegacy(cause, uri);
      }
    }
    this.#changeAll();
  }

  /** The stream of server-initiated messages was opened again, or has ended with the cause. */
  async #checkStream(cause: Error | undefined): Promise<void> {
    if (!cause) return this.#changeAll();
    const { renewals } = this.#session;
    try {
      // A request in a lost session replaces it.
      if (cause instanceof SessionLostError) await this.#session.request("ping", {});
    } catch (failure) {
      // A response, be it an error, shows that the session is not lost.
      if (!(failure instanceof RpcError)) return this.#endLegacy(failure);
    }
    if (renewals === this.#session.renewals) this.#endLegacy(cause);
  }

  /** Events may have been missed: everything may have changed. */
  #changeAll(subscriptions: Iterable<Subscription> = this.#legacy): void {
    for (const type of LIST_NAMES) this.#onchange({ type });
    for (const subscription of subscriptions) {
      for (const event of eventsOf(subscription.served)) {
        this.#onchange(event);
        subscription.push(event);
      }
    }
  }

  /** Ends all legacy subscriptions, or those of a resource. */
  #endLegacy(error: unknown, uri?: string): void {
    for (const subscription of this.#legacy) {
      if (uri !== undefined && !subscription.served.uris?.includes(uri)) continue;
      subscription.end(error);
      this.#release(subscription);
    }
  }

  /** What subscriptions end with when the session is over: nothing when this side has closed it. */
  #goneError(): ProtocolError | undefined {
    if (this.#session.state === "closed") return undefined;
    return new ProtocolError("The server ended the session, and with it the subscription");
  }
}

function toEvent(method: string, params: JsonObject): ChangeEvent | undefined {
  const list = LIST_NAMES.find((name) => method === `notifications/${name}/list_changed`);
  if (list) return { type: list };
  const uri = method === Notifications.resourceUpdated ? asString(params["uri"]) : undefined;
  return uri === undefined ? undefined : { type: "resource", uri };
}

function toProtocol(filter: ChangeFilter): JsonObject {
  const lists = LIST_NAMES.map((name) => [LISTS[name], filter[name] || undefined]);
  return {
    ...Object.fromEntries(lists),
    resourceSubscriptions: filter.uris?.length ? filter.uris : undefined,
  };
}

function fromProtocol(notifications: JsonObject): ChangeFilter {
  return toFilter(
    (name) => notifications[LISTS[name]] === true,
    asArray(notifications["resourceSubscriptions"]).filter((uri) => typeof uri === "string"),
  );
}

/** The part of a filter that a legacy server supports. */
function supportedPart(filter: ChangeFilter, capabilities: JsonObject): ChangeFilter {
  const isTrue = (name: string, member: string) => asObject(capabilities[name])[member] === true;
  const { uris = [] } = filter;
  return toFilter(
    (name) => filter[name] === true && isTrue(name, "listChanged"),
    isTrue("resources", "subscribe") ? uris : [],
  );
}

function toFilter(has: (list: keyof typeof LISTS) => boolean, uris: readonly string[]): ChangeFilter {
  return { tools: has("tools"), prompts: has("prompts"), resources: has("resources"), uris };
}

/** Everything that a filter is about. */
function eventsOf({ uris = [], ...lists }: ChangeFilter): ChangeEvent[] {
  return [
    ...LIST_NAMES.filter((name) => lists[name]).map((type) => ({ type })),
    ...uris.map((uri) => ({ type: "resource", uri }) as const),
  ];
}

function covers(served: ChangeFilter, event: ChangeEvent): boolean {
  if (event.type !== "resource") return served[event.type] === true;
  // Servers may send events about parts of a resource.
  return served.uris?.some((uri) =>
    event.uri === uri || event.uri.startsWith(uri.endsWith("/") ? uri : `${uri}/`)
  ) ?? false;
}

/** Whether the connection broke, as opposed to an error of the server. */
function isBreak(cause: unknown): boolean {
  return cause instanceof ProtocolError || cause instanceof ConnectError ||
    cause instanceof HttpError && cause.status >= 500;
}
