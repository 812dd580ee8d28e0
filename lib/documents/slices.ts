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
    await new Promise((resolve) => setTimeout(resolve, 0));
    end = performance.now() + SLICE_MS;
  }
}
