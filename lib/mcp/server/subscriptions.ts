/** The subscriptions of one client. */

import { invalidParams, invalidRequest } from "../protocol/errors.ts";

/** The maximum number of streams of one client. */
export const MAX_SUBSCRIPTIONS = 100;
/** The limit of all URIs that one client subscribes to, in UTF-16 units: about ten thousand URIs. */
const MAX_SUBSCRIBED_SIZE = 512 * 1024;

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
   * Registers a stream; `end` is called when it must end, which may be at once. Returns a function that unregisters it.
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
        `Cannot subscribe to more resources: their URIs have a limit of ${MAX_SUBSCRIBED_SIZE} characters together`,
      );
    }
    this.#size += size;
  }
}
