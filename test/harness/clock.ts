/** A clock that a test controls: time does not pass, and timers do not fire, until the test lets it pass. */

import { setImmediate } from "node:timers";
import type { TestContext } from "node:test";

/** The time of a test. */
export interface Clock {
  /** Since the test began, in milliseconds. */
  readonly now: number;
  /** Lets time pass, millisecond by millisecond, with everything that becomes due. */
  pass(milliseconds: number): Promise<void>;
  /** Moves the time at once; timers become due later. */
  jump(milliseconds: number): void;
  /** Lets time pass until a promise is settled. */
  until<T>(promise: Promise<T>): Promise<T>;
}

/** The time at which tests begin, in milliseconds since 1970. */
const BEGINNING = 1_790_000_000_000;
/** How long `until` waits at most, in milliseconds of the clock. */
const MAX_MS = 60_000;

/** Stops the clocks for one test: `performance.now`, `Date.now`, `setTimeout` and `setInterval`. */
export function stopClock(test: TestContext): Clock {
  let now = 0;
  test.mock.timers.enable({ apis: ["setTimeout", "setInterval"] });
  test.mock.method(performance, "now", () => now);
  test.mock.method(Date, "now", () => BEGINNING + now);
  test.after(() => {
    test.mock.timers.reset();
    test.mock.restoreAll();
  });
  const step = async () => {
    now++;
    test.mock.timers.tick(1);
    await settle();
  };
  return {
    get now(): number {
      return now;
    },
    async pass(milliseconds): Promise<void> {
      await settle();
      while (milliseconds-- > 0) await step();
    },
    jump(milliseconds): void {
      now += milliseconds;
    },
    async until(promise) {
      let isOver = false;
      const over = () => isOver = true;
      promise.then(over, over);
      for (await settle(); !isOver; await step()) {
        if (now > MAX_MS) throw new Error(`It did not settle in ${MAX_MS} ms`);
      }
      return promise;
    },
  };
}

/** Lets everything run that does not wait for time. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 3; turn++) await new Promise<void>((resolve) => void setImmediate(resolve));
}
