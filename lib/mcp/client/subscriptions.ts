/**
 * The subscriptions of a client, with the same events in both eras. A legacy server announces each change once, and each
 * resource has a request of its own. A modern server announces each change once per open `subscriptions/listen` request.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/subscriptions
 */

import type { JsonObject } from "../../base/json.ts";
import type { Id } from "../../jsonrpc/message.ts";
import type { ClientSession } from "./session.ts";
import type { ChangeEvent, ChangeFilter } from "./subscription.ts";
import { withTimeout } from "../../base/async.ts";
import { asArray, asObject } from "../../base/json.ts";
import { RpcError } from "../../jsonrpc/message.ts";
import { TransportError } from "../../jsonrpc/transport/stream.ts";
import { Meta, Notifications } from "../protocol/methods.ts";
import { HttpStatusError, ProtocolError, SessionLostError } from "./errors.ts";
import { Subscription } from "./subscription.ts";

const LISTS = ["tools", "prompts", "resources"] as const;
type List = (typeof LISTS)[number];

/** The longest URI of an event, in UTF-16 units. */
const MAX_URI = 8192;
/** The maximum number of attempts in a row to reopen a broken stream. */
const MAX_ATTEMPTS = 5;
/** The pause before the first of them, in milliseconds. It doubles with each attempt. */
const RETRY_MS = 500;

/** A modern subscription. It needs a new request each time its connection breaks. */
interface Stream {
  readonly opened: PromiseWithResolvers<Subscription>;
  readonly stop: AbortController;
  subscription?: Subscription;
  /** The number of failures in a row to open it. */
  failures: number;
}

/** The subscriptions of one client. */
export class ClientSubscriptions {
  readonly #session: ClientSession;
  readonly #onchange: (event: ChangeEvent) => void;
  /** The modern subscriptions, by the id of their request. */
  readonly #streams = new Map<unknown, Stream>();
  readonly #legacy = new Set<Subscription>();

  /** @param onchange Called with each change, before the subscriptions receive it. */
  constructor(session: ClientSession, onchange: (event: ChangeEvent) => void) {
    this.#session = session;
    this.#onchange = onchange;
    session.onnotification = (method, params) => this.#receive(method, params);
    session.onrenewed = () => this.#renew();
    session.transport.onstream = (cause) => void this.#checkStream(cause);
    void session.connection.closed.then(() => this.#endLegacy(this.#sessionError()));
  }

  /** Opens a subscription. */
  open(filter: ChangeFilter): Promise<Subscription> {
    return this.#session.negotiated.era === "legacy" ? this.#openLegacy(filter) : this.#openModern(filter);
  }

  /** Passes a notification on to the subscriptions that it is for. */
  #receive(method: string, params: JsonObject): void {
    const id = asObject(params["_meta"])[Meta.subscriptionId];
    const stream = this.#streams.get(id);
    if (method === Notifications.acknowledged) {
      return stream && this.#acknowledge(stream, id, asObject(params["notifications"]));
    }
    if (method === Notifications.cancelled) return this.#streams.get(params["requestId"])?.stop.abort();
    const event = toEvent(method, params);
    if (!event) return;
    this.#onchange(event);
    stream?.subscription?.push(event);
    for (const subscription of this.#legacy) if (covers(subscription.served, event)) subscription.push(event);
  }

  /** Called when the server has accepted a modern subscription, or has accepted it again after its connection broke. */
  #acknowledge(stream: Stream, id: unknown, { resourceSubscriptions, ...lists }: JsonObject): void {
    // The request is answered only when the subscription ends.
    this.#session.pending.get(id)?.restart(Infinity);
    stream.failures = 0;
    if (stream.subscription) return this.#changeAll([stream.subscription]);
    const served = toFilter((list) => lists[`${list}ListChanged`], resourceSubscriptions);
    // Created here and not by the caller of `open`, because events may follow at once.
    stream.subscription = new Subscription(served, () => stream.stop.abort());
    stream.opened.resolve(stream.subscription);
  }

  #openModern(filter: ChangeFilter): Promise<Subscription> {
    const opened = Promise.withResolvers<Subscription>();
    const stream: Stream = { opened, stop: new AbortController(), failures: 0 };
    void this.#keepOpen(filter, stream).then((error) => {
      stream.subscription?.end(error);
      opened.reject(error ?? new ProtocolError("The server ended the subscription before it began"));
    });
    return opened.promise;
  }

  /** Sends the request, and repeats it when its connection breaks, until the subscription ends. Returns the error, if any. */
  async #keepOpen(filter: ChangeFilter, stream: Stream): Promise<unknown> {
    const { signal } = stream.stop;
    const lists = Object.fromEntries(LISTS.map((list) => [`${list}ListChanged`, filter[list] || undefined]));
    const notifications = { ...lists, resourceSubscriptions: filter.uris?.length ? filter.uris : undefined };
    while (true) {
      let id: Id | undefined;
      const onsent = (sent: Id) => void this.#streams.set(id = sent, stream);
      try {
        await this.#session.request("subscriptions/listen", { notifications }, { signal, onsent });
        return undefined;
      } catch (cause) {
        if (signal.aborted) return undefined;
        if (stream.subscription && this.#session.state !== "open") return this.#sessionError();
        const isBroken = cause instanceof ProtocolError || cause instanceof TransportError ||
          (cause instanceof HttpStatusError && cause.status >= 500);
        if (!stream.subscription || !isBroken || ++stream.failures > MAX_ATTEMPTS) return cause;
      } finally {
        this.#streams.delete(id);
      }
      await withTimeout(this.#session.connection.closed, RETRY_MS * 2 ** (stream.failures - 1), undefined);
    }
  }

  async #openLegacy(filter: ChangeFilter): Promise<Subscription> {
    const { transport, negotiated: { server: { capabilities } } } = this.#session;
    const has = (name: List, member: string) => asObject(capabilities[name])[member] === true;
    const uris = has("resources", "subscribe") ? filter.uris : [];
    const served = toFilter((list) => has(list, "listChanged") && filter[list], uris);
    const others = this.#uris();
    const subscription = new Subscription(served, () => this.#release(subscription));
    this.#legacy.add(subscription);
    transport.openStream?.();
    try {
      for (const uri of served.uris) {
        if (others.has(uri) || !this.#legacy.has(subscription)) continue;
        await this.#session.request("resources/subscribe", { uri });
      }
    } catch (cause) {
      subscription.close();
      throw cause;
    }
    return subscription;
  }

  /** Removes a legacy subscription. Unsubscribes from the resources that no other subscription watches. */
  #release(subscription: Subscription): void {
    this.#legacy.delete(subscription);
    const others = this.#uris();
    for (const uri of subscription.served.uris) {
      if (others.has(uri) || this.#session.state !== "open") continue;
      // A failure does no harm, because further events are dropped.
      this.#session.request("resources/unsubscribe", { uri }).catch(() => {});
    }
  }

  /** The URIs of all legacy subscriptions. */
  #uris(): Set<string> {
    return new Set([...this.#legacy].flatMap(({ served }) => served.uris));
  }

  /** Repeats all subscriptions in a new session, which replaces a lost one. */
  async #renew(): Promise<void> {
    for (const uri of this.#uris()) {
      await this.#session.send("resources/subscribe", { uri }).catch((cause) => this.#endLegacy(cause, uri));
    }
    this.#changeAll();
  }

  /** Called when the stream of server-initiated messages was reopened, or, with the cause, when it has ended. */
  async #checkStream(cause: Error | undefined): Promise<void> {
    if (!cause) return this.#changeAll();
    const { renewals } = this.#session;
    try {
      // Any request in a lost session leads to a new session.
      if (cause instanceof SessionLostError) await this.#session.request("ping", {});
    } catch (failure) {
      // A response, even an error, shows that the session is not lost.
      if (!(failure instanceof RpcError)) return this.#endLegacy(failure);
    }
    if (renewals === this.#session.renewals) this.#endLegacy(cause);
  }

  /** Announces every change that the subscriptions may have missed. */
  #changeAll(subscriptions: Iterable<Subscription> = this.#legacy): void {
    for (const type of LISTS) this.#onchange({ type });
    for (const subscription of subscriptions) {
      const { served } = subscription;
      for (const type of LISTS) if (served[type]) subscription.push({ type });
      for (const uri of served.uris) {
        this.#onchange({ type: "resource", uri });
        subscription.push({ type: "resource", uri });
      }
    }
  }

  /** Ends all legacy subscriptions, or only those to one resource. */
  #endLegacy(error: unknown, uri?: string): void {
    for (const subscription of this.#legacy) {
      if (uri === undefined || subscription.served.uris.includes(uri)) subscription.end(error);
    }
  }

  /** The error that subscriptions end with when the session is over; undefined if this side has closed it. */
  #sessionError(): TransportError | undefined {
    if (this.#session.state === "closed") return undefined;
    return new TransportError("The server ended the session and thereby the subscription");
  }
}

/** Reads which changes a server reports. */
function toFilter(has: (list: List) => unknown, uris: unknown): Required<ChangeFilter> {
  return {
    tools: has("tools") === true,
    prompts: has("prompts") === true,
    resources: has("resources") === true,
    uris: asArray(uris).filter((uri) => typeof uri === "string"),
  };
}

/** Reads a notification; undefined if it does not report a change. */
function toEvent(method: string, { uri }: JsonObject): ChangeEvent | undefined {
  const type = LISTS.find((list) => method === `notifications/${list}/list_changed`);
  if (type) return { type };
  if (method !== Notifications.resourceUpdated || typeof uri !== "string") return undefined;
  return uri.length <= MAX_URI ? { type: "resource", uri } : undefined;
}

/** Whether a subscription includes an event. */
function covers(served: Required<ChangeFilter>, event: ChangeEvent): boolean {
  if (event.type !== "resource") return served[event.type];
  // A server may announce a change of only a part of the resource.
  return served.uris.some((uri) => event.uri === uri || event.uri.startsWith(uri.replace(/\/?$/, "/")));
}
