/**
 * How does code go on with what may be there already? Most answers are; a promise for them would only cost time, and
 * would let the answers to later requests overtake nothing.
 */

/** A value, now or later. */
export type Awaitable<T> = T | Promise<T>;

/** Goes on with a value as soon as it is there. */
export function andThen<T, U>(value: Awaitable<T>, use: (value: T) => Awaitable<U>): Awaitable<U> {
  return value instanceof Promise ? value.then(use) : use(value);
}

/** Asks one after another until one has an answer. */
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

/** Does something once. A failure is forgotten, so that the next call tries again; undefined once it is done. */
export function onceDone(run: () => Promise<void>): () => Promise<void> | undefined {
  let running: Promise<void> | undefined;
  let done = false;
  return () => {
    if (done) return undefined;
    return running ??= run().then(() => {
      done = true;
    }).finally(() => {
      running = undefined;
    });
  };
}

/** All of them, as soon as the last one is there. */
export function allOf<T>(values: readonly Awaitable<T>[]): Awaitable<readonly T[]> {
  return values.some((value) => value instanceof Promise) ? Promise.all(values) : values as readonly T[];
}
