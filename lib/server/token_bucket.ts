/** May this happen now? So many times at once, and so many times a second in the long run. */

/** How often something may happen. */
export interface Rate {
  /** At once, after a pause: at least 1. */
  readonly burst: number;
  /** In the long run: more than 0. */
  readonly perSecond: number;
}

/**
 * Counts one kind of thing.
 *
 * @internal
 */
export class TokenBucket {
  readonly #rate: Rate;
  #tokens: number;
  #filled: number = performance.now();

  /** Starts full. */
  constructor(rate: Rate) {
    this.#rate = rate;
    this.#tokens = rate.burst;
  }

  /** Takes one; false when there is none left. */
  take(): boolean {
    const now = performance.now();
    this.#tokens = Math.min(
      this.#rate.burst,
      this.#tokens + (now - this.#filled) / 1000 * this.#rate.perSecond,
    );
    this.#filled = now;
    if (this.#tokens < 1) return false;
    this.#tokens--;
    return true;
  }
}
