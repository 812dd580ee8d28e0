/**
 * How long does anybody wait? One clock for everything that takes its time: a timer for each request would cost as much
 * as the rest of a small one.
 */

/** How often the clock looks, in milliseconds. */
const TICK_MS = 50;

/** Something that takes its time. */
export interface Waiting {
  /** Called now and then with how long it was waited for, in milliseconds, about. */
  waited(ms: number): void;
}

/** What is waited for. The clock stands while there is nothing. */
export class Patience {
  readonly #since = new Map<Waiting, number>();
  #ticks = 0;
  #clock: ReturnType<typeof setInterval> | undefined;

  add(waiting: Waiting): void {
    this.#since.set(waiting, this.#ticks);
    this.#clock ??= setInterval(() => this.#tick(), TICK_MS);
  }

  delete(waiting: Waiting): void {
    this.#since.delete(waiting);
  }

  /** Stops the clock for good. */
  stop(): void {
    this.#since.clear();
    clearInterval(this.#clock);
  }

  #tick(): void {
    this.#ticks++;
    if (this.#since.size === 0) {
      clearInterval(this.#clock);
      this.#clock = undefined;
    }
    for (const [waiting, since] of this.#since) waiting.waited((this.#ticks - since) * TICK_MS);
  }
}
