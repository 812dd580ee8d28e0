/** A semaphore: limits how many requests are sent at the same time. */

import { abortable } from "../base/async.ts";

/** Limits how many callers work at the same time. The others wait in order. */
export class Semaphore {
  #free: number;
  readonly #waiting: { readonly signal: AbortSignal; start(): void }[] = [];

  constructor(limit: number) {
    this.#free = limit;
  }

  /** Runs `work` as soon as a slot is free. If the signal aborts before that, throws its reason. */
  async run<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    signal.throwIfAborted();
    if (this.#free > 0) this.#free--;
    else {
      const started = new Promise<void>((start) => this.#waiting.push({ signal, start }));
      await abortable(started, signal);
    }
    try {
      return await work();
    } finally {
      let next = this.#waiting.shift();
      while (next?.signal.aborted) next = this.#waiting.shift();
      if (next) next.start();
      else this.#free++;
    }
  }
}
