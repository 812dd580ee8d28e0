/** What has one client asked to be told, and what is it told? Only what it asked for, and only what changed. */

import type { Params } from "../jsonrpc/message.ts";
import type { News } from "./changes.ts";
import { ErrorCode, RpcError } from "../jsonrpc/message.ts";
import { invalidParams } from "../protocol/errors.ts";

/** The most streams of changes that one connection has open. */
export const MAX_SUBSCRIPTIONS = 100;
/** The most that one connection waits for, in UTF-16 units of all its URIs: some ten thousand of them. */
export const MAX_SUBSCRIBED_SIZE: number = 512 * 1024;

/** What every message of a stream carries in `_meta`: the id of the request that opened it. */
export function streamMeta(id: string | number): Readonly<Record<string, unknown>> {
  return { "io.modelcontextprotocol/subscriptionId": id };
}

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
  /** The lists that show something else and were not told of, by the method that tells of each. */
  readonly #lists = new Set<string>();
  /** The resources that have another content and were not told of. */
  readonly #uris = new Set<string>();
  #room: Promise<void> | undefined;

  constructor(filter: Filter, notify: Notify) {
    this.filter = filter;
    this.#notify = notify;
  }

  /** Takes what is of interest here, and tells it. */
  take(news: News): void {
    const { resources, prompts, uris } = this.filter;
    if (resources && news.resources) this.#lists.add("notifications/resources/list_changed");
    if (prompts && news.prompts) this.#lists.add("notifications/prompts/list_changed");
    for (const uri of uris) if (news.affects(uri)) this.#uris.add(uri);
    this.#tell();
  }

  #tell(): void {
    if (this.#room) return;
    for (const [method, params] of this.#untold()) {
      this.#room = this.#notify(method, params);
      if (this.#room) return void this.#room.then(() => this.#resume());
    }
  }

  /** Takes out what there is to tell, one by one; a resource that nobody waits for any more is not told of. */
  *#untold(): Generator<[method: string, params?: Params]> {
    for (const method of this.#lists) {
      this.#lists.delete(method);
      yield [method];
    }
    for (const uri of this.#uris) {
      this.#uris.delete(uri);
      if (this.filter.uris.has(uri)) yield ["notifications/resources/updated", { uri }];
    }
  }

  #resume(): void {
    this.#room = undefined;
    this.#tell();
  }
}

/** A stream that is open. */
interface Stream {
  /** The id of the request that opened it. */
  readonly id: string | number;
  /** Ends it from this side. */
  end(): void;
}

/**
 * All that one connection waits for.
 *
 * @internal
 */
export class Subscriptions {
  /** What was subscribed to one by one, as revisions with a handshake do it. */
  readonly uris: Set<string> = new Set();
  readonly #streams = new Set<Stream>();
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
    const stream = { id, end };
    this.#streams.add(stream);
    if (this.#isOver) this.#end(stream);
    return () => {
      if (this.#streams.delete(stream)) this.#size -= size;
    };
  }

  /** Ends all streams, also those that are yet to be opened. */
  endAll(): void {
    this.#isOver = true;
    for (const stream of this.#streams) this.#end(stream);
  }

  /** Whether a stream was ended from this side. */
  hasEnded(id: string | number): boolean {
    return this.#ended.has(id);
  }

  #end(stream: Stream): void {
    this.#ended.add(stream.id);
    stream.end();
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
