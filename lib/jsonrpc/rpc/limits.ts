/** The limits of a server: their defaults and their ranges. */

import { MAX_CONNECTIONS } from "../transport/tcp.ts";

/** The limits of a server. Its memory is bounded by their product. */
export interface Limits {
  /** The limit of connections; further ones get the error -32000 and are closed. @default {1000} */
  readonly maxConnections?: number | undefined;
  /** The longest inbound line in bytes; a longer one is answered with -32600 and skipped. @default {1048576} */
  readonly maxLineBytes?: number | undefined;
  /** How many handlers run at a time for one connection, before reading stops. A batch may exceed it. @default {100} */
  readonly maxInFlight?: number | undefined;
  /** A connection is closed with -32000 after so many milliseconds without a message, write or handler. @default {300000} */
  readonly idleMs?: number | undefined;
  /** How long handlers may go on after their client, or the server, has ended, in milliseconds. @default {5000} */
  readonly graceMs?: number | undefined;
}

/** The default limits. */
export const DEFAULT_LIMITS: Readonly<Record<keyof Limits, number>> = Object.freeze({
  maxConnections: MAX_CONNECTIONS,
  maxLineBytes: 1024 * 1024,
  maxInFlight: 100,
  idleMs: 5 * 60 * 1000,
  graceMs: 5000,
});
/** The longest time that timers can wait, in milliseconds. */
const MAX_LIMIT = 2 ** 31 - 1;

/** Sets the limits that are not given, and checks the others. Throws a `RangeError` for an invalid one. */
export function readLimits(limits: Limits): Readonly<Record<keyof Limits, number>> {
  const read = { ...DEFAULT_LIMITS };
  for (const name of Object.keys(DEFAULT_LIMITS) as (keyof Limits)[]) {
    const value = read[name] = limits[name] ?? read[name];
    if (!Number.isInteger(value) || value < 1 || value > MAX_LIMIT) {
      throw new RangeError(`Cannot use ${value} for ${name}: it must be an integer from 1 to ${MAX_LIMIT}`);
    }
  }
  return read;
}
