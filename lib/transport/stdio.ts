/**
 * How does a message travel between a client and the program it started? Over standard input and output, and nothing else
 * does: what prints is sent elsewhere.
 */

import type { Platform } from "../../deps.ts";
import { StreamTransport } from "./stream.ts";

/** What prints, whatever it is given. */
type Print = (...data: unknown[]) => void;

/**
 * The carrier over the standard streams of this process, which has them once. From here on standard output belongs to
 * the protocol: anything else that is printed there breaks it. `protectOutput` keeps the console from that.
 *
 * @example
 * ```ts
 * import { loadPlatform, protectOutput, stdioTransport } from "@architrave/architrave";
 *
 * protectOutput();
 * const transport = stdioTransport(await loadPlatform());
 * transport.onmessage = (message) => console.error(message);
 * await transport.start();
 * ```
 */
export function stdioTransport(platform: Pick<Platform, "standardStreams">): StreamTransport {
  return new StreamTransport(platform.standardStreams(), { type: "stdio" });
}

/**
 * Makes all methods of the console write to standard error, because standard output belongs to the protocol. What is
 * written to standard output by other means than the console still gets there.
 *
 * Changes `console` for all code of the process, so it is for the program to call, not for a library. May be called
 * again.
 *
 * @example
 * ```ts
 * import { protectOutput } from "@architrave/architrave";
 *
 * protectOutput();
 * console.log("This is on standard error.");
 * ```
 */
export function protectOutput(): void {
  const { error, group } = console;
  const openGroup: Print = (...label) => {
    if (label.length > 0) error(...label);
    group();
  };
  Object.assign(console, {
    log: error,
    info: error,
    debug: error,
    dirxml: error,
    // What else they are given says how to print the first.
    dir: (value: unknown) => error(value),
    table: (value: unknown) => error(value),
    group: openGroup,
    groupCollapsed: openGroup,
    clear: () => {},
    ...countersAndTimers(error),
  });
}

/** In place of the console's own: those of Deno write to standard output, whatever else is replaced. */
function countersAndTimers(print: Print): Partial<Console> {
  const counts = new Map<string, number>();
  const starts = new Map<string, number>();
  const timeLog = (label = "default", ...data: unknown[]) => {
    const start = starts.get(label);
    if (start !== undefined) print(`${label}: ${(performance.now() - start).toFixed(3)} ms`, ...data);
  };
  return {
    count: (label = "default") => {
      const count = (counts.get(label) ?? 0) + 1;
      counts.set(label, count);
      print(`${label}: ${count}`);
    },
    countReset: (label = "default") => void counts.delete(label),
    time: (label = "default") => void starts.set(label, performance.now()),
    timeLog,
    timeEnd: (label = "default") => {
      timeLog(label);
      starts.delete(label);
    },
  };
}
