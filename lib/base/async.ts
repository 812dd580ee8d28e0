/** Asynchronous work: values that may be promises, deadlines, and long work in short slices. */

/** A value, or a promise of it. Code that has the value does not pay for a promise. */
export type Awaitable<T> = T | Promise<T>;

/** Calls `use` with the value: now, or when the promise settles. */
export function andThen<T, U>(value: Awaitable<T>, use: (value: T) => Awaitable<U>): Awaitable<U> {
  return value instanceof Promise ? value.then(use) : use(value);
}

/** Asks providers in order. Returns the first answer that is not undefined. */
export function firstOf<P, T>(
  providers: readonly P[],
  ask: (provider: P) => Awaitable<T | undefined>,
  from = 0,
): Awaitable<T | undefined> {
  for (let index = from; index < providers.length; index++) {
    const answer = ask(providers[index]!);
    if (answer instanceof Promise) {
      return answer.then((value) => value ?? firstOf(providers, ask, index + 1));
    }
    if (answer !== undefined) return answer;
  }
  return undefined;
}

/** Waits for all values; returns them directly if no value is a promise. */
export function allOf<T>(values: readonly Awaitable<T>[]): Awaitable<readonly T[]> {
  return values.some((value) => value instanceof Promise) ? Promise.all(values) : values as readonly T[];
}

/** Makes a function that calls `run` until it has succeeded once, and then returns undefined. Concurrent calls share a run. */
export function onceDone(run: () => Promise<void>): () => Promise<void> | undefined {
  let running: Promise<void> | undefined;
  let isDone = false;
  return () => {
    if (isDone) return undefined;
    return running ??= run().then(() => void (isDone = true)).finally(() => running = undefined);
  };
}

/** Makes a function that loads a value: it returns a promise until the value is loaded, then the value. */
export function loadOnce<T extends object>(load: () => Promise<T>): () => Awaitable<T> {
  let value: T | undefined;
  return () => value ?? load().then((loaded) => value = loaded);
}

/** The maximum duration of a slice in milliseconds: other requests wait at most this long. */
const SLICE_MS = 8;

let turns = Promise.resolve();
/** The first use of timers takes 6 ms and 2 MB on Deno. */
const hasSlowTimers = "Deno" in globalThis;

/**
 * Waits for a turn of the event loop of its own: callers get one turn each, one after another, so that only one slice of long
 * work runs per turn, and short work runs between slices.
 */
export function nextTurn(): Promise<void> {
  return turns = turns.then(() =>
    new Promise(hasSlowTimers ? onMessage : (resolve) => void setImmediate(resolve))
  );
}

function onMessage(resolve: () => void): void {
  const { port1, port2 } = new MessageChannel();
  (port1 as typeof port1 & { onmessage(): void }).onmessage = () => { // Older types of Node lack it.
    port1.close();
    resolve();
  };
  port2.postMessage(undefined);
}

/** Calls back after a time, without keeping the process alive. */
export function inBackground(ms: number, run: () => void): ReturnType<typeof setTimeout> {
  const timer = setTimeout(run, ms);
  (timer as { unref?(): void }).unref?.();
  return timer;
}

/**
 * Runs a generator to its end in slices, and waits for `rest` after each slice. A promise that the generator yields is awaited,
 * and its value is the value of the `yield` expression.
 */
export async function inSlices<T>(
  steps: Generator<unknown, T>,
  rest: () => Promise<void> = nextTurn,
): Promise<T> {
  let end = performance.now() + SLICE_MS;
  let value: unknown;
  while (true) {
    const step = steps.next(value);
    if (step.done) return step.value;
    value = step.value;
    if (value instanceof Promise) value = await value;
    else if (performance.now() < end) continue;
    else await rest();
    end = performance.now() + SLICE_MS;
  }
}

/** Calls back at most once per `ms`: at once for the first request, and once after that time for all later ones. */
export class Throttle {
  readonly #ms: number;
  readonly #run: () => void;
  #isDue = false;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(ms: number, run: () => void) {
    this.#ms = ms;
    this.#run = run;
  }

  request(): void {
    this.#isDue = true;
    if (this.#timer === undefined) this.flush();
  }

  /** Calls back now, if there is a pending request. */
  flush(): void {
    this.stop();
    if (!this.#isDue) return;
    this.#isDue = false;
    this.#timer = setTimeout(() => this.flush(), this.#ms);
    this.#run();
  }

  /** Stops calling back until the next request. */
  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}

/** Waits for a promise until the signal aborts, and then throws the reason. The promise itself is not cancelled. */
export async function abortable<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return await promise;
  // The promise may reject after the abort.
  promise.catch(() => {});
  const aborted = Promise.withResolvers<never>();
  const abort = () => aborted.reject(signal.reason);
  signal.addEventListener("abort", abort);
  try {
    signal.throwIfAborted();
    return await Promise.race([promise, aborted.promise]);
  } finally {
    signal.removeEventListener("abort", abort);
  }
}

/** The value of a promise, or `late` if it takes longer than `ms`. */
export async function withTimeout<T, L>(promise: Promise<T>, ms: number, late: L): Promise<T | L> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  try {
    return await Promise.race([promise, new Promise<L>((resolve) => timer = setTimeout(resolve, ms, late))]);
  } finally {
    clearTimeout(timer);
  }
}

/** Waits `ms`. If the signal aborts before that, throws its reason. */
export async function pause(ms: number, signal?: AbortSignal): Promise<void> {
  await withTimeout(abortable(new Promise<never>(() => {}), signal), ms, undefined);
}
