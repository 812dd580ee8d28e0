/** How much may clients take up? Bounds, each with a unit and a reason; the memory of a server is their product. */

import { MAX_CONNECTIONS } from "../transport/listener.ts";

/** The bounds of a server. */
export interface Limits {
  /**
   * How many may be connected; one more is told so (-32000) and let go. More than one program has clients.
   * @default {1000}
   */
  readonly maxConnections?: number | undefined;
  /**
   * The longest line that a client may send, in bytes; a longer one is answered with -32600 and skipped. Each connection
   * holds back one line at most. @default {1048576, 1 MiB: a thousand of them still fit in memory}
   */
  readonly maxLineBytes?: number | undefined;
  /**
   * How many handlers may be at work for one connection; the next message is not read before one has finished. 1,000 at most. A batch is
   * read as a whole, so it may go over this by 99. @default {100}
   */
  readonly maxInFlight?: number | undefined;
  /**
   * How long a connection may do nothing, in milliseconds: send no whole message, take no answer, and have no handler at
   * work. Then it is told so (-32000) and let go, however busily it sends single bytes. @default {300000, 5 minutes}
   */
  readonly idleMs?: number | undefined;
  /**
   * How long handlers may go on once their client sends no more, and all of them once the server stops, in milliseconds.
   * Less than the ten seconds after which those who stop programs lose patience. @default {5000}
   */
  readonly graceMs?: number | undefined;
}

const DEFAULTS: Readonly<Record<keyof Limits, number>> = Object.freeze({
  maxConnections: MAX_CONNECTIONS,
  maxLineBytes: 1024 * 1024,
  maxInFlight: 100,
  idleMs: 5 * 60 * 1000,
  graceMs: 5000,
});

/** What timers can count: more would fire at once. */
const MAX_LIMIT = 2 ** 31 - 1;

/** @throws {RangeError} When one is not an integer of at least 1. */
export function readLimits(limits: Limits): Readonly<Record<keyof Limits, number>> {
  const read = { ...DEFAULTS };
  for (const name of Object.keys(DEFAULTS) as (keyof Limits)[]) {
    const value = limits[name] ?? read[name];
    if (!Number.isInteger(value) || value < 1 || value > MAX_LIMIT) {
      throw new RangeError(
        `Cannot use ${value} for ${name}: it must be an integer from 1 to ${MAX_LIMIT}`,
      );
    }
    read[name] = value;
  }
  return Object.freeze(read);
}
