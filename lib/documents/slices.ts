/** How is long work done without keeping anybody waiting? In slices, with a pause after each. */

/** How long a slice may take, in milliseconds: what a ping may have to wait, and far more than a pause costs. */
const SLICE_MS = 8;

/** Runs a generator to its end, with a pause for everything else after each slice. */
export async function inSlices<T>(steps: Generator<unknown, T>): Promise<T> {
  let end = performance.now() + SLICE_MS;
  while (true) {
    const step = steps.next();
    if (step.done) return step.value;
    if (performance.now() < end) continue;
    await pause();
    end = performance.now() + SLICE_MS;
  }
}

/** Lets everything else have its turn. Timers wait a millisecond at least, so where there is something quicker, that. */
function pause(): Promise<void> {
  return new Promise((resolve) =>
    typeof setImmediate === "function" ? setImmediate(resolve) : setTimeout(resolve, 0)
  );
}
