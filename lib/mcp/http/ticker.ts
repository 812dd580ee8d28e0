/** A timer that many items share. */

/** Calls back for each item at an interval. One timer per item would cost as much as a small request. */
export class Ticker<T> {
  /** The items, each with the number of the tick when it was added. */
  readonly items: Map<T, number> = new Map();
  readonly #intervalMs: number;
  readonly #ontick: (item: T, elapsedMs: number) => void;
  #ticks = 0;
  #timer: ReturnType<typeof setInterval> | undefined;

  constructor(intervalMs: number, ontick: (item: T, elapsedMs: number) => void) {
    this.#intervalMs = intervalMs;
    this.#ontick = ontick;
  }

  add(item: T): void {
    this.items.set(item, this.#ticks);
    this.#timer ??= setInterval(() => {
      this.#ticks++;
      if (this.items.size === 0) return this.stop();
      for (const [item, since] of this.items) this.#ontick(item, (this.#ticks - since) * this.#intervalMs);
    }, this.#intervalMs);
  }

  stop(): void {
    this.items.clear();
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}
