/**
 * What is being worked on? The requests of one conversation that have no answer yet: those with a handler at work, and
 * those that wait for a place.
 *
 * A place is given when a handler may start and when its answer can leave: whatever the handlers are, a client that
 * stops reading does not make answers pile up.
 */

import type { Id, Params, Request, Response } from "./message.ts";
import { ErrorCode, RpcError } from "./error.ts";

/** Handlers at work at one time; more requests wait. Enough for any client, few enough to hold in memory. */
export const MAX_WORKING = 1000;
/** How much may wait for a place before nothing more is read, in UTF-16 units of the requests' texts. */
const MAX_WAITING_SIZE: number = 4 * 1024 * 1024;

/** How much memory a message takes up: about as much as its text was long. */
export interface Sized {
  /** In UTF-16 units of its text. */
  readonly size: number;
}

/** A request at work. */
export interface Call<Context> {
  /** Aborted when the request is cancelled or the conversation ends. Made when it is first looked at. */
  readonly signal: AbortSignal;
  /** The reason of the signal, without making one: undefined while the request goes on. */
  readonly cancelled?: DOMException | undefined;
  /** How the message came. */
  readonly context: Context;
  /**
   * Tells the other side something that belongs to this request; nothing is sent once the request is over.
   *
   * @returns A promise when there is no room for more before it settles.
   */
  notify(method: string, params?: Params): Promise<void> | undefined;
  /**
   * Asks the other side a question that belongs to this request. Missing where the carrier leads in one direction only.
   *
   * @param signal Takes the question back: the other side is told so with `notifications/cancelled`.
   * @returns What it answered, unchecked.
   * @throws {RpcError} When it answers with an error, when the request is over, or when the conversation ends.
   * @throws {unknown} The reason of the signal.
   */
  ask?(method: string, params?: Params, signal?: AbortSignal): Promise<unknown>;
  /** Lets go of the connection that the answer would leave on; the client comes back for it. Missing where it cannot. */
  closeStream?(): void;
}

/** Where the outcome of a request goes: exactly one of the two is called. */
export interface Outcome {
  answer(response: Response): void;
  /** The request was cancelled, and is not answered. */
  silence(): void;
}

/** What a workload works with. */
export interface Work<Context> {
  /** Answers a request. Must not throw and must not reject. */
  handle(request: Request, call: Call<Context>): Response | Promise<Response>;
  /** When a request can be handled; undefined when it can be now. Must not reject. */
  ready(request: Request): Promise<void> | undefined;
  /** Whether a request is handled before those that wait for a place: it decides how what follows is taken. */
  isUrgent(request: Request): boolean;
  /** When answers can leave again; undefined while they can. */
  congestion(): Promise<void> | undefined;
  /** Sends a notification. */
  notify(method: string, params?: Params): void;
  /** Asks the other side. */
  ask(method: string, params: Params | undefined, signal: AbortSignal | undefined): Promise<unknown>;
}

/** The unfinished requests of one conversation. */
export class Workload<Context extends Sized> {
  /** How many requests were answered so far. */
  answers = 0;
  readonly #work: Work<Context>;
  /** By the id as it came; a cancelled request is in it no more. */
  readonly #unfinished = new Map<Id, Unfinished<Context>>();
  /** Those of them that cannot be handled yet. */
  readonly #unready = new Set<Unfinished<Context>>();
  /** Those of them that could be, and have no place yet, in order. */
  readonly #waiting = new Set<Unfinished<Context>>();
  /** The size of both. */
  #waitingSize = 0;
  /** How many handlers are at work, those of cancelled requests among them. */
  #working = 0;
  /** True while the places are given out again as soon as answers can leave. */
  #stopped = false;
  /** Settled when there is room again; only while somebody waits for that. */
  #room: PromiseWithResolvers<void> | undefined;

  constructor(work: Work<Context>) {
    this.#work = work;
  }

  /** How many requests have no answer yet. */
  get size(): number {
    return this.#unfinished.size;
  }

  has(id: Id): boolean {
    return this.#unfinished.has(id);
  }

  /** Whether requests wait for what they need. */
  get isUnready(): boolean {
    return this.#unready.size > 0;
  }

  /** When there is room for more; undefined when there is now. */
  room(): Promise<void> | undefined {
    if (this.#waitingSize <= MAX_WAITING_SIZE) return undefined;
    this.#room ??= Promise.withResolvers<void>();
    return this.#room.promise;
  }

  /** Takes a request whose id is not taken. */
  take(request: Request, context: Context, outcome: Outcome): void {
    const unfinished = new Unfinished(request, context, outcome, this.#work);
    const ready = this.#work.ready(request);
    const hasPlace = this.#waiting.size === 0 && this.#working < MAX_WORKING;
    if (!ready && (hasPlace || this.#work.isUrgent(request))) return this.#begin(unfinished);
    this.#unfinished.set(request.id, unfinished);
    this.#waitingSize += context.size;
    if (!ready) return void this.#waiting.add(unfinished);
    this.#unready.add(unfinished);
    void ready.then(() => {
      if (this.#unready.delete(unfinished)) this.#waiting.add(unfinished);
      this.#givePlaces();
    });
  }

  /** Aborts a request; unknown and finished ids are ignored. */
  cancel(id: Id, reason: string): void {
    const unfinished = this.#unfinished.get(id);
    if (!unfinished) return;
    this.#unfinished.delete(id);
    this.#leaveQueue(unfinished);
    unfinished.cancel(reason);
    unfinished.outcome.silence();
  }

  /** Aborts them all. */
  cancelAll(reason: string): void {
    for (const id of this.#unfinished.keys()) this.cancel(id, reason);
  }

  #begin(unfinished: Unfinished<Context>): void {
    const response = this.#work.handle(unfinished.request, unfinished);
    // Most answers are there at once: there was no moment at which they were unfinished.
    if (!(response instanceof Promise)) return this.#settle(unfinished, response);
    this.#working++;
    this.#unfinished.set(unfinished.request.id, unfinished);
    void response.then((later) => {
      this.#working--;
      this.#settle(unfinished, later);
      this.#givePlaces();
    });
  }

  #settle(unfinished: Unfinished<Context>, response: Response): void {
    // Whoever cancelled it was told already.
    if (unfinished.cancelled) return;
    unfinished.isAnswered = true;
    if (this.#unfinished.size > 0) this.#unfinished.delete(unfinished.request.id);
    this.answers++;
    unfinished.outcome.answer(response);
  }

  #givePlaces(): void {
    if (this.#stopped) return;
    for (const first of this.#waiting) {
      if (this.#working >= MAX_WORKING) return;
      const congestion = this.#work.congestion();
      if (congestion) return void this.#stopUntil(congestion);
      this.#leaveQueue(first);
      this.#begin(first);
    }
  }

  async #stopUntil(congestion: Promise<void>): Promise<void> {
    this.#stopped = true;
    await congestion;
    this.#stopped = false;
    this.#givePlaces();
  }

  #leaveQueue(unfinished: Unfinished<Context>): void {
    if (!this.#unready.delete(unfinished) && !this.#waiting.delete(unfinished)) return;
    this.#waitingSize -= unfinished.context.size;
    if (this.#waitingSize <= MAX_WAITING_SIZE) {
      this.#room?.resolve();
      this.#room = undefined;
    }
  }
}

/** A request that has no answer yet; its handler sees it as a `Call`. */
class Unfinished<Context> implements Call<Context> {
  readonly request: Request;
  readonly context: Context;
  readonly outcome: Outcome;
  /** Why it was cancelled; undefined while it was not. */
  cancelled: DOMException | undefined;
  isAnswered = false;
  readonly #work: Work<Context>;
  #controller: AbortController | undefined;

  constructor(request: Request, context: Context, outcome: Outcome, work: Work<Context>) {
    this.request = request;
    this.context = context;
    this.outcome = outcome;
    this.#work = work;
  }

  notify(method: string, params?: Params): Promise<void> | undefined {
    if (this.cancelled || this.isAnswered) return undefined;
    this.#work.notify(method, params);
    return this.#work.congestion();
  }

  async ask(method: string, params?: Params, signal?: AbortSignal): Promise<unknown> {
    if (this.cancelled) throw this.cancelled;
    if (this.isAnswered) {
      throw new RpcError(ErrorCode.internal, `Cannot ask ${method}: its request is answered`);
    }
    return await this.#work.ask(method, params, signal);
  }

  /** Most handlers never look at it, and an abort controller costs more than the rest of a small request. */
  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.cancelled) this.#controller.abort(this.cancelled);
    return this.#controller.signal;
  }

  cancel(reason: string): void {
    this.cancelled = new DOMException(reason, "AbortError");
    this.#controller?.abort(this.cancelled);
  }
}
