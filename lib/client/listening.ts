/** Who is told what has changed? Every stream of changes that is open, and what was kept is dropped before that. */

import type { Id, Notification } from "../jsonrpc/message.ts";
import type { UnaskedEvent } from "./carrier.ts";
import type { ChangeEvent, ChangeFilter } from "./changes.ts";
import type { Conversation } from "./conversation.ts";
import { RpcError } from "../jsonrpc/message.ts";
import { Changes, fromNotifications, servedOf, toEvent, toNotifications } from "./changes.ts";
import { ConnectError, HttpError, ProtocolError, TimeoutError } from "./errors.ts";
import { META } from "./revisions.ts";
import { pause } from "./pause.ts";
import { isObject } from "../base/json.ts";
import { objectIn } from "./value.ts";

/** How often in a row a stream that has broken is asked for, and how long after, in milliseconds; longer each time. */
const MAX_ATTEMPTS = 5;
const RETRY_MS = 500;

/** A stream that was asked for; it is open once the server has said so. */
interface Stream {
  readonly filter: ChangeFilter;
  /** Settles when the server has said that it is open; another one each time that it is asked for. */
  acknowledged: PromiseWithResolvers<Changes>;
  readonly controller: AbortController;
  changes: Changes | undefined;
}

/** What something ended with. */
interface Failure {
  readonly cause: unknown;
}

/** The streams of one client. */
export class Listening {
  readonly #conversation: Conversation;
  readonly #acknowledgeMs: number;
  readonly #onchange: (event: ChangeEvent) => void;
  /** Modern ones, by the id of the request that opened them. */
  readonly #streams = new Map<Id, Stream>();
  /** Those of servers with a handshake, and how what they have asked for is let go of. */
  readonly #open = new Map<Changes, () => void>();
  /** How many of them wait for each resource. */
  readonly #uris = new Map<string, number>();
  /** Aborted with the conversation. */
  readonly #over = new AbortController();
  /** How often the session was lost and opened again. */
  #renewals = 0;

  constructor(conversation: Conversation, acknowledgeMs: number, onchange: (event: ChangeEvent) => void) {
    this.#conversation = conversation;
    this.#acknowledgeMs = acknowledgeMs;
    this.#onchange = onchange;
    conversation.transport.onunasked = (event) => this.#hear(event);
    void conversation.closed.then(() => {
      this.#over.abort(new Ended());
      this.#endAll(conversation.isLeft ? undefined : gone());
    });
  }

  /** Opens a stream. */
  open(filter: ChangeFilter): Promise<Changes> {
    return this.#conversation.agreement.era === "modern"
      ? this.#openModern(filter)
      : this.#openLegacy(filter);
  }

  /** Takes what the server tells. */
  take({ method, params: given }: Notification): void {
    const params = isObject(given) ? given : {};
    const id = objectIn(params, "_meta")[META.subscription] as Id;
    const stream = this.#streams.get(id);
    if (method === "notifications/subscriptions/acknowledged") {
      return stream && acknowledge(stream, fromNotifications(objectIn(params, "notifications")));
    }
    if (method === "notifications/cancelled") {
      // The server has ended it; nobody waits for its answer any more.
      return this.#streams.get(params["requestId"] as Id)?.controller.abort(new Ended());
    }
    const event = toEvent(method, params);
    if (!event) return;
    this.#onchange(event);
    stream?.changes?.push(event);
    for (const changes of this.#open.keys()) if (changes.covers(event)) changes.push(event);
  }

  /** Asks for all resources again: the session that was told which ones is lost, and with it what it would have told. */
  async renew(): Promise<void> {
    this.#renewals++;
    for (const uri of this.#uris.keys()) {
      try {
        await this.#conversation.restore("resources/subscribe", { uri });
      } catch (cause) {
        this.#endAll({ cause }, ({ served }) => served.uris?.includes(uri) ?? false);
      }
    }
    this.#tellEverything();
  }

  /** Takes what becomes of the stream that a server with a handshake tells in, where that is one of its own. */
  #hear(event: UnaskedEvent): void {
    if (event.type === "again") return this.#tellEverything();
    if (event.type === "over") return this.#endAll(event);
    void this.#findOut(event.cause);
  }

  /** The session is lost, or there is no stream: whoever asks in a session that is lost opens it again. */
  async #findOut(cause: unknown): Promise<void> {
    const renewals = this.#renewals;
    try {
      await this.#conversation.call("ping", {});
    } catch (failure) {
      // An error as an answer shows that the session lives as well.
      if (!(failure instanceof RpcError)) return this.#endAll({ cause: failure });
    }
    if (renewals === this.#renewals) this.#endAll({ cause });
  }

  /** What happened meanwhile is not known: everything may have changed. */
  #tellEverything(): void {
    const all = { tools: true, prompts: true, resources: true, uris: [...this.#uris.keys()] };
    for (const event of toEvents(all)) this.#onchange(event);
    for (const changes of this.#open.keys()) {
      for (const event of toEvents(changes.served)) changes.push(event);
    }
  }

  async #openModern(filter: ChangeFilter): Promise<Changes> {
    const stream: Stream = {
      filter,
      acknowledged: Promise.withResolvers<Changes>(),
      controller: new AbortController(),
      changes: undefined,
    };
    const over = this.#follow(stream);
    void over.then(({ failure }) => this.#end(stream, failure));
    return await this.#inTime(stream, stream.acknowledged.promise);
  }

  /** Gives a stream up that the server does not open. */
  async #inTime<T>(stream: Stream, opened: Promise<T>): Promise<T> {
    const timer = setTimeout(() => {
      stream.controller.abort(
        new TimeoutError(`The server did not open the stream of changes in ${this.#acknowledgeMs} ms`),
      );
    }, this.#acknowledgeMs);
    try {
      return await opened;
    } finally {
      clearTimeout(timer);
    }
  }

  /** Asks for a stream, and waits for its end. */
  async #follow(stream: Stream): Promise<{ readonly failure: Failure | undefined }> {
    let id: Id | undefined;
    try {
      await this.#conversation.call(
        "subscriptions/listen",
        { notifications: toNotifications(stream.filter) },
        {
          signal: stream.controller.signal,
          // It is answered when it ends.
          timeoutMs: undefined,
          maxTimeoutMs: undefined,
          onsent: (sent) => this.#streams.set(id = sent, stream),
        },
      );
      return { failure: undefined };
    } catch (cause) {
      return { failure: { cause } };
    } finally {
      if (id !== undefined) this.#streams.delete(id);
    }
  }

  #end(stream: Stream, failure: Failure | undefined): void {
    const { changes, controller } = stream;
    if (!changes) {
      const early = new ProtocolError("The server ended the stream of changes before it began");
      return stream.acknowledged.reject(failure?.cause ?? early);
    }
    if (failure === undefined || failure.cause instanceof Ended || this.#conversation.isLeft) {
      return changes.end();
    }
    if (this.#conversation.isOver) return changes.end(gone());
    if (controller.signal.aborted || !isBreak(failure.cause)) return changes.end(failure);
    void this.#openAgain(stream, changes, failure);
  }

  /** Its connection has broken, as it does where nothing was told for long: asks again, for as long as it makes sense. */
  async #openAgain(stream: Stream, changes: Changes, failure: Failure): Promise<void> {
    let last = failure;
    const noMore = AbortSignal.any([stream.controller.signal, this.#over.signal]);
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      await pause(RETRY_MS * 2 ** attempt, noMore).catch(() => {});
      if (stream.controller.signal.aborted || this.#conversation.isLeft) return changes.end();
      if (this.#conversation.isOver) return changes.end(gone());
      const again = Promise.withResolvers<Changes>();
      const over = this.#follow(Object.assign(stream, { acknowledged: again }));
      const first = await this.#inTime(stream, Promise.race([again.promise.then(() => undefined), over]));
      if (first === undefined) {
        // What happened meanwhile is not known: everything may have changed.
        for (const event of toEvents(changes.served)) {
          this.#onchange(event);
          changes.push(event);
        }
        return void over.then((ended) => this.#end(stream, ended.failure));
      }
      if (this.#conversation.isLeft || first.failure?.cause instanceof Ended) return changes.end();
      if (!first.failure || !isBreak(first.failure.cause)) return changes.end(first.failure);
      last = first.failure;
    }
    changes.end(last);
  }

  async #openLegacy(filter: ChangeFilter): Promise<Changes> {
    const served = servedOf(filter, this.#conversation.agreement.capabilities);
    const asked: string[] = [];
    const letGo = () => {
      this.#open.delete(changes);
      for (const uri of asked.splice(0)) this.#unsubscribe(uri);
    };
    const changes = new Changes(served, letGo);
    this.#open.set(changes, letGo);
    this.#conversation.transport.listen?.();
    try {
      for (const uri of served.uris ?? []) {
        if (!this.#open.has(changes)) break;
        asked.push(uri);
        await this.#subscribe(uri);
      }
    } catch (cause) {
      changes.close();
      throw cause;
    }
    return changes;
  }

  async #subscribe(uri: string): Promise<void> {
    const count = this.#uris.get(uri) ?? 0;
    this.#uris.set(uri, count + 1);
    if (count === 0) await this.#conversation.call("resources/subscribe", { uri });
  }

  #unsubscribe(uri: string): void {
    const count = this.#uris.get(uri) ?? 0;
    if (count === 0) return;
    if (count > 1) return void this.#uris.set(uri, count - 1);
    this.#uris.delete(uri);
    // It is a courtesy: what comes all the same is not told.
    if (!this.#conversation.isOver) this.#conversation.call("resources/unsubscribe", { uri }).catch(() => {});
  }

  /** Ends those of servers with a handshake. */
  #endAll(failure?: Failure, concerns: (changes: Changes) => boolean = () => true): void {
    for (const [changes, letGo] of this.#open) {
      if (!concerns(changes)) continue;
      changes.end(failure);
      letGo();
    }
  }
}

/** Opens it at once: what the server tells first may be in the same chunk. */
function acknowledge(stream: Stream, served: ChangeFilter): void {
  stream.changes ??= new Changes(served, () => stream.controller.abort(new Ended()));
  stream.acknowledged.resolve(stream.changes);
}

/** The same in both eras. */
function gone(): Failure {
  return { cause: new ProtocolError("The server ended the conversation, and with it the stream of changes") };
}

/** Whether the way to the server broke, and not the server refused. */
function isBreak(cause: unknown): boolean {
  return cause instanceof ProtocolError || cause instanceof ConnectError ||
    cause instanceof HttpError && cause.status >= 500;
}

/** Everything that a filter is about. */
function toEvents({ tools, prompts, resources, uris = [] }: ChangeFilter): ChangeEvent[] {
  return [
    ...(tools ? [{ type: "tools" } as const] : []),
    ...(prompts ? [{ type: "prompts" } as const] : []),
    ...(resources ? [{ type: "resources" } as const] : []),
    ...uris.map((uri) => ({ type: "resource", uri }) as const),
  ];
}

/** Nobody listens any more. */
class Ended extends Error {
  override readonly name = "AbortError";
  override readonly message = "Nobody listens any more";
}
