/** How is a call carried out? For as long as it may take, and with nothing in its hands that it could corrupt. */

import type { Awaitable } from "../base/async.ts";
import type { ExecutionContext } from "./context.ts";
import type { Exchange, Services } from "./methods.ts";
import type { Hold } from "./questions.ts";
import type { Tool } from "./tool.ts";
import { InputRequired, Questions } from "./questions.ts";
import { ToolTimeoutError } from "./tool.ts";
import { toolContext } from "./tool_context.ts";

/** How long a call may take unless its tool says otherwise, in milliseconds. */
const TIMEOUT_MS = 10_000;

/**
 * Does what is to be done for one call of a tool: its checks and its handler. Whoever stops it does not wait for it to
 * notice. The time that a person or a model takes to answer is not its own.
 *
 * @throws {ToolTimeoutError} When it takes too long.
 * @throws {unknown} What the work throws, or why the request was cancelled.
 */
export function within<T>(
  tool: Tool,
  { call }: Exchange,
  work: (run: Run) => Awaitable<T>,
): Awaitable<T> {
  const run = new Run(tool);
  const result = work(run);
  // Nothing can stop what is done already.
  return result instanceof Promise ? run.bound(result, call) : result;
}

/**
 * Runs the handler of a tool.
 *
 * @throws {unknown} What the handler throws, or why it was stopped before it began.
 */
export function execute(
  tool: Tool,
  args: unknown,
  run: Run,
  context: ExecutionContext,
  services: Services,
  exchange: Exchange,
): Awaitable<unknown | InputRequired> {
  // The arguments may have taken their time to be checked.
  if (exchange.call.cancelled) throw exchange.call.cancelled;
  run.throwIfStopped();
  const questions = new Questions(context, services, exchange, run);
  const own = toolContext(context, exchange, run, services.logging, questions);
  return questions.run(() => tool.definition.handler(args as never, own));
}

/** The work for one call. What could stop it is made when there is something to stop: most handlers are done at once. */
export class Run implements Hold {
  readonly #tool: Tool;
  #controller: AbortController | undefined;
  #allowance: Allowance | undefined;
  /** Why it is over before its end. */
  #stopped: { readonly reason: unknown } | undefined;

  constructor(tool: Tool) {
    this.#tool = tool;
  }

  get isStopped(): boolean {
    return this.#stopped !== undefined;
  }

  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.#stopped) this.#controller.abort(this.#stopped.reason);
    return this.#controller.signal;
  }

  /** Keeps anything more from being begun. */
  throwIfStopped(): void {
    if (this.#stopped) throw this.#stopped.reason;
  }

  onwaiting(isWaiting: boolean): void {
    if (isWaiting) this.#allowance?.pause();
    else this.#allowance?.resume();
  }

  /** Waits for the result, for as long as the tool may take and the request goes on. */
  async bound<T>(result: Promise<T>, call: Exchange["call"]): Promise<T> {
    const { name, definition: { timeoutMs = TIMEOUT_MS } } = this.#tool;
    const stopped = Promise.withResolvers<never>();
    const stop = (reason: unknown) => {
      this.#stop(reason);
      stopped.reject(reason);
    };
    const late = () => stop(new ToolTimeoutError(`${name} was stopped: it took longer than ${timeoutMs} ms`));
    this.#allowance = new Allowance(timeoutMs, late);
    const onabort = () => stop(call.signal.reason);
    call.signal.addEventListener("abort", onabort);
    if (call.signal.aborted) onabort();
    try {
      const value = await Promise.race([result, stopped.promise]);
      // What a handler that has asked still does is of no use: it will run again.
      if (value instanceof InputRequired) this.#stop(ASKED);
      return value;
    } finally {
      this.#allowance.end();
      call.signal.removeEventListener("abort", onabort);
    }
  }

  #stop(reason: unknown): void {
    this.#stopped ??= { reason };
    this.#controller?.abort(reason);
  }
}

/** Why a handler is over that has asked. */
const ASKED = new DOMException(
  "The client is asked; the handler runs again when it has answered",
  "AbortError",
);

/** Some time that can be used up with pauses. */
class Allowance {
  #left: number;
  readonly #onend: () => void;
  #isOver = false;
  #since = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(ms: number, onend: () => void) {
    this.#left = ms;
    this.#onend = onend;
    this.resume();
  }

  resume(): void {
    if (this.#isOver) return;
    this.#since = performance.now();
    this.#timer = setTimeout(this.#onend, this.#left);
  }

  /** Nobody minds any more. */
  end(): void {
    this.#isOver = true;
    this.pause();
  }

  pause(): void {
    clearTimeout(this.#timer);
    this.#left = Math.max(0, this.#left - (performance.now() - this.#since));
  }
}
