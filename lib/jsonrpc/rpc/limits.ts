/** The limits of a server, with their defaults and ranges. */

import { MAX_CONNECTIONS } from "../transport/tcp.ts";

/** The limits of a server. Their product bounds its memory. */
export interface Limits {
  /** The maximum number of connections. Further ones are sent the error -32000 and closed. @default {1000} */
  readonly maxConnections?: number | undefined;
  /** The maximum length of an inbound line, in bytes. A longer one is answered with -32600 and skipped. @default {1048576} */
  readonly maxLineBytes?: number | undefined;
  /** The maximum number of running handlers of a connection before reading stops. A batch may exceed it. @default {100} */
  readonly maxInFlight?: number | undefined;
  /**
   * How long a connection may be idle before it is closed with -32000, in milliseconds. An idle connection has no
   * message, write or running handler. @default {300000}
   */
  readonly idleMs?: number | undefined;
  /** How long handlers may run after their client has gone or the server is stopped, in milliseconds. @default {5000} */
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
/** The maximum of each limit: the longest delay of a timer, in milliseconds. */
const MAX_LIMIT = 2 ** 31 - 1;

/** Sets the limits that are not given, and checks the others. Throws a `RangeError` if one is invalid. */
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
