/**
 * What is being worked on? The requests of one conversation that have no answer yet: those with a handler at work, and
 * those that wait for a place.
 */

import type { Id, Request, Response } from "./message.ts";

/** Handlers at work at one time; more requests wait. Enough for any client, few enough to hold in memory. */
export const MAX_WORKING = 1000;
/** Requests that wait for a place. Past this a client is told so at once: waiting would not help it. */
export const MAX_WAITING = 10_000;

/** A request at work. */
export interface Call<Context> {
  /** Aborted when the request is cancelled or the conversation ends. Made when it is first looked at. */
  readonly signal: AbortSignal;
  /** How the message came. */
  readonly context: Context;
}

/** Where the outcome of a request goes: exactly one of the two is called. */
export interface Outcome {
  answer(response: Response): void;
  /** The request was cancelled, and is not answered. */
  silence(): void;
}

interface Unfinished {
  controller: AbortController | undefined;
  cancelled: boolean;
}

/** The unfinished requests of one conversation. */
export class Workload<Context> {
  readonly #handle: (request: Request, call: Call<Context>) => Response | Promise<Response>;
  /** By the id as it came; a cancelled request is in it no more. */
  readonly #unfinished = new Map<Id, Unfinished>();
  /** Those of `#unfinished` that have no handler yet, in order. */
  readonly #waiting: (() => void)[] = [];
  #working = 0;
  #giving = false;

  /** @param handle Answers a request. Must not throw and must not reject. */
  constructor(handle: (request: Request, call: Call<Context>) => Response | Promise<Response>) {
    this.#handle = handle;
  }

  /** How many requests have no answer yet. */
  get size(): number {
    return this.#unfinished.size;
  }

  has(id: Id): boolean {
    return this.#unfinished.has(id);
  }

  /** Whether nothing more can be taken. */
  get isFull(): boolean {
    return this.#waiting.length >= MAX_WAITING;
  }

  /** Takes a request whose id is not taken. */
  take(request: Request, context: Context, outcome: Outcome): void {
    const unfinished: Unfinished = { controller: undefined, cancelled: false };
    this.#unfinished.set(request.id, unfinished);
    const finish = (response: Response) => {
      this.#working--;
      if (unfinished.cancelled) outcome.silence();
      else {
        this.#unfinished.delete(request.id);
        outcome.answer(response);
      }
      this.#next();
    };
    const work = () => {
      if (unfinished.cancelled) return outcome.silence();
      this.#working++;
      const response = this.#handle(request, callOf(unfinished, context));
      // Most answers are there at once; a promise for them would only cost time.
      if (response instanceof Promise) void response.then(finish);
      else finish(response);
    };
    if (this.#working < MAX_WORKING) work();
    else this.#waiting.push(work);
  }

  /** Aborts a request; unknown and finished ids are ignored. */
  cancel(id: Id, reason: string): void {
    const unfinished = this.#unfinished.get(id);
    if (!unfinished) return;
    unfinished.cancelled = true;
    this.#unfinished.delete(id);
    unfinished.controller?.abort(abortReason(reason));
  }

  /** Aborts them all. */
  cancelAll(reason: string): void {
    for (const id of this.#unfinished.keys()) this.cancel(id, reason);
    this.#next();
  }

  /** Gives free places to those that wait; a handler that is done at once comes back here, and finds it under way. */
  #next(): void {
    if (this.#giving) return;
    this.#giving = true;
    while (this.#working < MAX_WORKING && this.#waiting.length > 0) this.#waiting.shift()!();
    this.#giving = false;
  }
}

/** A call whose abort controller is only made when somebody looks at the signal: most handlers never do. */
function callOf<Context>(unfinished: Unfinished, context: Context): Call<Context> {
  return {
    context,
    get signal(): AbortSignal {
      unfinished.controller ??= new AbortController();
      if (unfinished.cancelled) unfinished.controller.abort(abortReason("The request was cancelled"));
      return unfinished.controller.signal;
    },
  };
}

function abortReason(message: string): DOMException {
  return new DOMException(message, "AbortError");
}
