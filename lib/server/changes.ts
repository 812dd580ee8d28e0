/**
 * When is a change told? At once; and what follows it within a second is told together at the end of that second: a
 * checkout of five hundred files is news twice, not five hundred times.
 *
 * Nobody waits for it to become quiet: on a busy machine the files are looked at in such steps that it is quiet between
 * any two of them, and each would be news.
 */

import type { Change, Provider } from "./provider.ts";

/** What changed, and is told at one time. */
export interface News {
  /** Whether the list of resources shows something else. */
  readonly resources: boolean;
  /** Whether the list of prompts shows something else. */
  readonly prompts: boolean;
  /** Whether what a URI leads to has another content now. */
  affects(uri: string): boolean;
}

/** How soon there can be news again, in milliseconds; so this is how old news can be. */
const INTERVAL_MS = 1000;

type Kind = "resources" | "prompts";
type Providers = Readonly<Record<Kind, readonly Provider[]>>;

/** The changes of all providers of a server. The providers are asked to look for them while anybody listens. */
export class Changes {
  readonly #providers: Providers;
  readonly #listeners = new Set<(news: News) => void>();
  #stops: (() => void)[] = [];

  /** Takes note of who might tell of changes; nobody is asked to before somebody listens. */
  constructor(providers: Providers) {
    this.#providers = providers;
  }

  /** Whether changes of this kind are ever told. */
  tells(kind: Kind): boolean {
    return this.#providers[kind].some((provider) => provider.watch !== undefined);
  }

  /** Tells of changes from now on; returns how to listen no more. Each listener is given once. */
  listen(listener: (news: News) => void): () => void {
    if (this.#listeners.size === 0) this.#start();
    this.#listeners.add(listener);
    return () => {
      if (!this.#listeners.delete(listener) || this.#listeners.size > 0) return;
      for (const stop of this.#stops) stop();
      this.#stops = [];
    };
  }

  #start(): void {
    for (const kind of ["resources", "prompts"] as const) {
      const burst = new Burst((changes) => this.#tell(kind, changes));
      this.#stops.push(() => burst.stop());
      for (const provider of this.#providers[kind]) {
        const stop = provider.watch?.((change) => burst.add(change));
        if (stop) this.#stops.push(stop);
      }
    }
  }

  #tell(kind: Kind, changes: readonly Change[]): void {
    const isListedAnew = changes.some((change) => change.isListedAnew);
    const news: News = {
      resources: isListedAnew && kind === "resources",
      prompts: isListedAnew && kind === "prompts",
      affects: (uri) => changes.some((change) => change.affects?.(uri)),
    };
    for (const listener of this.#listeners) listener(news);
  }
}

/** Changes that follow each other: the first is told at once, the rest together. */
class Burst {
  readonly #tell: (changes: readonly Change[]) => void;
  #held: Change[] = [];
  /** When something was told last, in milliseconds. */
  #told = -Infinity;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(tell: (changes: readonly Change[]) => void) {
    this.#tell = tell;
  }

  add(change: Change): void {
    // All but the first wait for what the first waits for.
    if (this.#held.push(change) > 1) return;
    const wait = this.#told + INTERVAL_MS - performance.now();
    if (wait <= 0) this.#release();
    else this.#timer = setTimeout(() => this.#release(), wait);
  }

  stop(): void {
    clearTimeout(this.#timer);
  }

  #release(): void {
    const changes = this.#held;
    this.#held = [];
    this.#told = performance.now();
    this.#tell(changes);
  }
}
