/** What has one client asked to be told, and what is it told? Only what it asked for, and only what changed. */

import type { Params } from "../jsonrpc/message.ts";
import type { News } from "./changes.ts";
import { ErrorCode, RpcError } from "../jsonrpc/error.ts";
import { invalidParams } from "./errors.ts";

/** The most streams of changes that one connection has open. */
export const MAX_SUBSCRIPTIONS = 100;
/** The most that one connection waits for, in UTF-16 units of all its URIs: some ten thousand of them. */
export const MAX_SUBSCRIBED_SIZE: number = 512 * 1024;

/** Which changes are told. */
export interface Filter {
  readonly resources: boolean;
  readonly prompts: boolean;
  /** The resources whose contents are watched, as the client spells them. */
  readonly uris: ReadonlySet<string>;
}

/** Sends a notification; a promise when there is no room for another one before it settles. */
export type Notify = (method: string, params?: Params) => Promise<void> | undefined;

/** One stream of changes. What happens while the client reads nothing is told once, when it reads again. */
export class Subscription {
  readonly filter: Filter;
  readonly #notify: Notify;
  readonly #pending = new Set<string>();
  #room: Promise<void> | undefined;

  constructor(filter: Filter, notify: Notify) {
    this.filter = filter;
    this.#notify = notify;
  }

  /** Takes what is of interest here, and tells it. */
  take(news: News): void {
    const { resources, prompts, uris } = this.filter;
    if (resources && news.resources) this.#pending.add("notifications/resources/list_changed");
    if (prompts && news.prompts) this.#pending.add("notifications/prompts/list_changed");
    for (const uri of uris) if (news.affects(uri)) this.#pending.add(uri);
    this.#tell();
  }

  #tell(): void {
    if (this.#room) return;
    for (const what of this.#pending) {
      this.#pending.delete(what);
      // No URI begins like a method: it has a scheme.
      this.#room = what.startsWith("notifications/")
        ? this.#notify(what)
        : this.#notify("notifications/resources/updated", { uri: what });
      if (this.#room) return void this.#room.then(() => this.#resume());
    }
  }

  #resume(): void {
    this.#room = undefined;
    this.#tell();
  }
}

/**
 * All that one connection waits for.
 *
 * @internal
 */
export class Subscriptions {
  /** What was subscribed to one by one, as revisions with a handshake do it. */
  readonly uris: Set<string> = new Set();
  /** The open streams, with how to end each, by the id of the request that opened it. */
  readonly #streams = new Map<string | number, () => void>();
  readonly #ended = new Set<string | number>();
  #size = 0;
  #isOver = false;

  /**
   * Waits for one more resource.
   *
   * @throws {RpcError} -32602 when it would be too much.
   */
  add(uri: string): void {
    if (this.uris.has(uri)) return;
    this.#reserve(uri.length);
    this.uris.add(uri);
  }

  /** Waits for it no more. */
  delete(uri: string): void {
    if (this.uris.delete(uri)) this.#size -= uri.length;
  }

  /**
   * Opens a stream.
   *
   * @param end Ends it from this side; called at once when no more streams are kept open.
   * @returns How to take it off.
   * @throws {RpcError} -32600 when there are too many; -32602 when it waits for too much.
   */
  open(id: string | number, uris: ReadonlySet<string>, end: () => void): () => void {
    if (this.#streams.size >= MAX_SUBSCRIPTIONS) {
      throw new RpcError(
        ErrorCode.invalidRequest,
        `Cannot open one more subscription: this connection has ${MAX_SUBSCRIPTIONS}; cancel one first`,
      );
    }
    let size = 0;
    for (const uri of uris) size += uri.length;
    this.#reserve(size);
    this.#streams.set(id, end);
    if (this.#isOver) this.#end(id, end);
    return () => {
      if (this.#streams.delete(id)) this.#size -= size;
    };
  }

  /** Ends all streams, also those that are yet to be opened. */
  endAll(): void {
    this.#isOver = true;
    for (const [id, end] of this.#streams) this.#end(id, end);
  }

  /** Whether a stream was ended from this side. */
  hasEnded(id: string | number): boolean {
    return this.#ended.has(id);
  }

  #end(id: string | number, end: () => void): void {
    this.#ended.add(id);
    end();
  }

  #reserve(size: number): void {
    if (this.#size + size > MAX_SUBSCRIBED_SIZE) {
      throw invalidParams(
        `Cannot wait for so many resources: their URIs may have ${MAX_SUBSCRIBED_SIZE} characters together`,
      );
    }
    this.#size += size;
  }
}
