/** What keeps other code from printing between two messages? A console that writes to standard error alone. */

/** What prints, whatever it is given. */
type Print = (...data: unknown[]) => void;

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
