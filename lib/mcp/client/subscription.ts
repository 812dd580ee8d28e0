/** A subscription to changes, as the caller of a client sees it. */

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

/** The maximum of unread events; equal ones count once. */
const MAX_UNREAD = 10_000;

/** A subscription: iterate over it for its events, and close it. It ends when the server ends it. */
export class Subscription implements AsyncIterable<ChangeEvent> {
  /** The part of the filter that the server supports. */
  readonly served: Required<ChangeFilter>;
  readonly #onend: () => void;
  /** By type and URI: an event asks to read something again, so equal ones are one. */
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

  /** @internal Ends it, with the error that broke it, if there is one; unread events can still be read. */
  end(error?: unknown): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#error = error;
    this.#wake.resolve();
    this.#onend();
  }

  /** Ends it, and tells the server. May be called again. */
  close(): void {
    this.end();
  }

  /** The events; leaving the loop closes the subscription. Throws the error that broke it, if there is one. */
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
