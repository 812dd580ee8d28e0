/** Protects standard output, which carries messages, from the console. */

/**
 * Redirects all methods of the console to standard error. Other ways to write to standard output are not affected.
 *
 * Changes `console` for the whole process, so only a program should call it, not a library. May be called again.
 */
export function protectOutput(): void {
  const { error } = console;
  const counts = new Map<string, number>();
  const starts = new Map<string, number>();
  // The other arguments of `dir` and `table` are formatting options.
  const print = (value: unknown) => error(value);
  const timeLog = (label = "default", ...data: unknown[]) => {
    const start = starts.get(label);
    if (start !== undefined) error(`${label}: ${(performance.now() - start).toFixed(3)} ms`, ...data);
  };
  Object.assign(console, {
    log: error,
    info: error,
    debug: error,
    dirxml: error,
    dir: print,
    table: print,
    clear: () => {},
    // In Deno, counters and timers write to standard output even if `log` is replaced.
    count: (label = "default") => {
      counts.set(label, (counts.get(label) ?? 0) + 1);
      error(`${label}: ${counts.get(label)}`);
    },
    countReset: (label = "default") => void counts.delete(label),
    time: (label = "default") => void starts.set(label, performance.now()),
    timeLog,
    timeEnd: (label = "default") => {
      timeLog(label);
      starts.delete(label);
    },
  });
}
