/** Values that may be available now or later, and long work in short slices. */

/** A value, or a promise of it. Code that has the value at once does not pay for a promise. */
export type Awaitable<T> = T | Promise<T>;

/** Calls `use` with the value: now if it is available, else when the promise settles. */
export function andThen<T, U>(value: Awaitable<T>, use: (value: T) => Awaitable<U>): Awaitable<U> {
  return value instanceof Promise ? value.then(use) : use(value);
}

/** Asks the providers in order and returns the first answer that is not undefined. */
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

/** Waits for all values; returns at once when none is a promise. */
export function allOf<T>(values: readonly Awaitable<T>[]): Awaitable<readonly T[]> {
  return values.some((value) => value instanceof Promise) ? Promise.all(values) : values as readonly T[];
}

/** Makes a function that runs something until it succeeds, and then returns undefined. Calls during a run get the same promise. */
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

/** How long one slice may take, in milliseconds: the longest that another request waits for it. */
const SLICE_MS = 8;

let turns = Promise.resolve();
/** Deno takes 6 ms and 2 MB for its timers when they are first used. */
const hasSlowTimers = "Deno" in globalThis;

/**
 * Waits for a turn of the event loop that no other caller of this function gets: one slice of long work runs in each, however
 * many wait, so that short work is done between two.
 */
export function nextTurn(): Promise<void> {
  return turns = turns.then(() =>
    new Promise(hasSlowTimers ? onMessage : (resolve) => void setImmediate(resolve))
  );
}

function onMessage(resolve: () => void): void {
  const { port1, port2 } = new MessageChannel();
  port1.onmessage = () => {
    port1.close();
    resolve();
  };
  port2.postMessage(undefined);
}

/** Calls back after a time, but does not keep the process alive for it. */
export function inBackground(ms: number, run: () => void): ReturnType<typeof setTimeout> {
  const timer = setTimeout(run, ms);
  (timer as { unref?(): void }).unref?.();
  return timer;
}

/**
 * Runs a generator to its end in slices; after each, waits for `rest`, by default for the next turn of the event loop. A promise
 * that the generator yields is awaited, and its value is the value of the `yield` expression.
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

/** Calls back at most once in `ms`: for the first request at once, for all that follow together when the time is over. */
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

  /** Calls back now, if that is due. */
  flush(): void {
    this.stop();
    if (!this.#isDue) return;
    this.#isDue = false;
    this.#timer = setTimeout(() => this.flush(), this.#ms);
    this.#run();
  }

  /** Calls back no more until it is requested again. */
  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}

/** Makes writers or readers wait while it is closed. */
export class Gate {
  #closed: PromiseWithResolvers<void> | undefined;

  /** A promise to wait for; undefined while it is open. */
  get opened(): Promise<void> | undefined {
    return this.#closed?.promise;
  }

  close(): void {
    this.#closed ??= Promise.withResolvers();
  }

  open(): void {
    this.#closed?.resolve();
    this.#closed = undefined;
  }
}

/** Does some work with a signal that is aborted when another one is, or when time is over; throws its reason then. */
export async function withDeadline<T>(
  timeoutMs: number,
  timeoutReason: unknown,
  signal: AbortSignal | undefined,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(timeoutReason), timeoutMs);
  const either = signal ? AbortSignal.any([signal, late.signal]) : late.signal;
  try {
    return await work(either);
  } catch (cause) {
    either.throwIfAborted();
    throw cause;
  } finally {
    clearTimeout(timer);
  }
}

/** Waits for a promise that others wait for too, until the signal aborts; rejects with its reason then. */
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

/** The value of a promise, or `late` when it takes longer than `ms`. */
export async function withTimeout<T, L>(promise: Promise<T>, ms: number, late: L): Promise<T | L> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  try {
    return await Promise.race([promise, new Promise<L>((resolve) => timer = setTimeout(resolve, ms, late))]);
  } finally {
    clearTimeout(timer);
  }
}

/** Waits until the time is over or the signal aborts; rejects with its reason then. */
export async function pause(ms: number, signal?: AbortSignal): Promise<void> {
  await withTimeout(abortable(new Promise<never>(() => {}), signal), ms, undefined);
}
