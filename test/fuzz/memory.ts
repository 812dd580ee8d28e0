/** Does memory grow? What is resident after the warm-up is held against what is resident at the end. */

import { Discrepancy } from "./ledger.ts";

/** How much was resident when so many lines had been sent. */
export interface Sample {
  readonly lines: number;
  readonly bytes: number;
}

/** The least of the first part after the warm-up, and of the last part, in bytes; undefined where nothing is known. */
export interface Trend {
  readonly warm: number;
  readonly end: number;
}

/** Parts of the whole run: what is between the two numbers counts as warm, and what is after the last as the end. */
const WARM: readonly [number, number] = [0.15, 0.4];
const END = 0.75;
/** What the end may have more: a factor for what the runtime keeps ready, and a room for when there is hardly anything. */
const FACTOR = 1.2;
const ROOM: number = 64 * 1024 * 1024;

/** The least of each part, because what waits to be collected says nothing. */
export function trendOf(samples: readonly Sample[], lines: number): Trend | undefined {
  const least = (from: number, to: number) =>
    Math.min(
      ...samples.filter((sample) => sample.lines > from * lines && sample.lines <= to * lines).map((
        { bytes },
      ) => bytes),
    );
  const trend = { warm: least(...WARM), end: least(END, 1) };
  return Number.isFinite(trend.warm) && Number.isFinite(trend.end) ? trend : undefined;
}

/**
 * Holds the end against the warm-up.
 *
 * @throws {Discrepancy} When memory has grown.
 */
export function refuseGrowth(trend: Trend | undefined): void {
  if (!trend || trend.end <= trend.warm * FACTOR + ROOM) return;
  const megabytes = (bytes: number) => (bytes / 2 ** 20).toFixed(1);
  throw new Discrepancy("memory", `Memory grew from ${megabytes(trend.warm)} to ${megabytes(trend.end)} MiB`);
}
