/** A subscription to changes, over which its caller iterates. */

/** The changes to subscribe to. */
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

/** A change of a list, or of the contents of a resource. */
export type ChangeEvent =
  | { readonly type: "tools" | "prompts" | "resources"; readonly uri?: never }
  | { readonly type: "resource"; readonly uri: string };

/** The maximum number of unread events. Equal events count once. */
const MAX_UNREAD = 10_000;

/** A subscription. Iterate over it to receive its events, and close it at the end. The server may end it earlier. */
export class Subscription implements AsyncIterable<ChangeEvent> {
  /** The part of the filter that the server supports. */
  readonly served: Required<ChangeFilter>;
  readonly #onend: () => void;
  /** By type and URI. An event means that something has to be read again, so equal events count once. */
  readonly #unread = new Map<string, ChangeEvent>();
  #wake: PromiseWithResolvers<void> = Promise.withResolvers();
  #isOver = false;
  #error: unknown;

  /** @internal Made by `Client.listen`. */
  constructor(served: Required<ChangeFilter>, onend: () => void) {
    this.served = Object.freeze(served);
    this.#onend = onend;
  }

  /** @internal Adds an event. */
  push(event: ChangeEvent): void {
    if (this.#isOver || this.#unread.size >= MAX_UNREAD) return;
    this.#unread.set(`${event.type} ${event.uri ?? ""}`, event);
    this.#wake.resolve();
  }

  /** @internal Ends the subscription, with the error that broke it, if any. Unread events can still be read. */
  end(error?: unknown): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#error = error;
    this.#wake.resolve();
    this.#onend();
  }

  /** Ends the subscription, and notifies the server. May be called again. */
  close(): void {
    this.end();
  }

  /** Yields the events. Leaving the loop closes the subscription. Throws the error that broke it, if any. */
  async *[Symbol.asyncIterator](): AsyncGenerator<ChangeEvent, void, undefined> {
    try {
      while (true) {
        for (const [key, event] of this.#unread) {
          this.#unread.delete(key);
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
