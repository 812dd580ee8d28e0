/** Who listens to a provider of files? While anybody does, it looks for changes; nobody, and it holds nothing open. */

import type { Change } from "./provider.ts";

type Listener = (change: Change) => void;

/** The listeners of one provider. */
export class Watching {
  readonly #start: () => { close(): void } | undefined;
  readonly #listeners = new Set<Listener>();
  #watcher: { close(): void } | undefined;

  /** @param start Begins to look for changes; undefined while nothing was read that could change. */
  constructor(start: () => { close(): void } | undefined) {
    this.#start = start;
  }

  /** Begins to look for changes if anybody listens; called when there is something that can change. */
  begin(): void {
    if (this.#listeners.size > 0) this.#watcher ??= this.#start();
  }

  /** Adds a listener; returns how to take it away again. */
  readonly add = (listener: Listener): () => void => {
    // One function may listen twice, and each of the two can stop by itself.
    const own: Listener = (change) => listener(change);
    this.#listeners.add(own);
    this.begin();
    return () => {
      this.#listeners.delete(own);
      if (this.#listeners.size > 0) return;
      this.#watcher?.close();
      this.#watcher = undefined;
    };
  };

  /** Tells all of them. */
  readonly tell = (change: Change): void => {
    for (const listener of this.#listeners) listener(change);
  };
}
