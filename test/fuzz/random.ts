/** A seeded generator: the same seed makes the same choices on every machine and runtime. */

/** Choices that look random and can be made again. */
export class Random {
  #state: number;

  /** Two seeds that differ in one bit have nothing in common. */
  constructor(seed: number) {
    this.#state = mixed(seed | 0) | 0;
  }

  /** From 0 (inclusive) to 1 (exclusive): mulberry32. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    return mixed(this.#state) / 2 ** 32;
  }

  /** A whole number from 0 to below the limit. */
  below(limit: number): number {
    return Math.floor(this.next() * limit);
  }

  /** A whole number between the two, both included. */
  between(least: number, most: number): number {
    return least + this.below(most - least + 1);
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  pick<T>(values: readonly T[]): T {
    return values[this.below(values.length)]!;
  }

  /** One of the values; each row says how often it is taken in comparison with the others. */
  weighted<T>(rows: readonly (readonly [number, T])[]): T {
    let left = this.next() * rows.reduce((sum, [weight]) => sum + weight, 0);
    for (const [weight, value] of rows) {
      left -= weight;
      if (left < 0) return value;
    }
    return rows.at(-1)![1];
  }
}

function mixed(state: number): number {
  let value = Math.imul(state ^ (state >>> 15), state | 1);
  value ^= value + Math.imul(value ^ (value >>> 7), value | 61);
  return (value ^ (value >>> 14)) >>> 0;
}
