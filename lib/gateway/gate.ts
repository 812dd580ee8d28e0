/** How many may be inside at once? Those who come later wait in line, and leave it when they are told to. */

/** A door with a number of places behind it. */
export class Gate {
  #free: number;
  readonly #waiting = new Set<() => void>();

  /** Takes how many places there are. */
  constructor(places: number) {
    this.#free = places;
  }

  /**
   * Takes a place as soon as there is one. Whoever got one gives it back with `leave`, once.
   *
   * @throws {unknown} The reason of the signal, when it is aborted before.
   */
  async enter(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (this.#free > 0) {
      this.#free--;
      return;
    }
    const turn = Promise.withResolvers<void>();
    const giveUp = () => {
      this.#waiting.delete(turn.resolve);
      turn.reject(signal.reason);
    };
    this.#waiting.add(turn.resolve);
    signal.addEventListener("abort", giveUp);
    try {
      await turn.promise;
    } finally {
      signal.removeEventListener("abort", giveUp);
    }
  }

  /** Gives a place back: to who waits longest, or to whoever comes next. */
  leave(): void {
    const [next] = this.#waiting;
    if (!next) {
      this.#free++;
      return;
    }
    this.#waiting.delete(next);
    next();
  }
}
