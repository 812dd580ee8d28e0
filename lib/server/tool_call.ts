/** How is a handler run? For as long as it may, and with nothing in its hands that it could corrupt. */

import type { ExecutionContext } from "./context.ts";
import type { Exchange, Services } from "./methods.ts";
import type { Tool } from "./tool.ts";
import { InputRequired, Questions } from "./questions.ts";
import { ToolTimeoutError } from "./tool.ts";
import { toolContext } from "./tool_context.ts";

/** How long a call may take unless its tool says otherwise, in milliseconds. */
const TIMEOUT_MS = 10_000;

/**
 * Runs the handler of a tool. Whoever stops it does not wait for it to notice. The time that a person or a model takes to
 * answer it is not its own.
 *
 * @throws {ToolTimeoutError} When it takes too long.
 * @throws {unknown} What the handler throws, or why the request was cancelled.
 */
export async function execute(
  { name, definition }: Tool,
  args: unknown,
  context: ExecutionContext,
  services: Services,
  exchange: Exchange,
): Promise<unknown | InputRequired> {
  const { connection, call } = exchange;
  // The arguments may have taken their time to be checked.
  call.signal.throwIfAborted();
  const { timeoutMs = TIMEOUT_MS } = definition;
  const controller = new AbortController();
  const stopped = Promise.withResolvers<never>();
  const stop = (reason: unknown) => {
    controller.abort(reason);
    stopped.reject(reason);
  };
  const allowance = new Allowance(
    timeoutMs,
    () => stop(new ToolTimeoutError(`${name} was stopped: it took longer than ${timeoutMs} ms`)),
  );
  const questions = new Questions(context, services, exchange, {
    signal: controller.signal,
    onwaiting: (isWaiting) => isWaiting ? allowance.pause() : allowance.resume(),
  });
  const onabort = () => stop(call.signal.reason);
  call.signal.addEventListener("abort", onabort);
  try {
    const own = toolContext(context, call, connection, controller.signal, services.logging, questions);
    const result = questions.run(() => definition.handler(args as never, own));
    const value = await Promise.race([result, stopped.promise]);
    // What a handler that has asked still does is of no use: it will run again.
    if (value instanceof InputRequired) controller.abort(ASKED);
    return value;
  } finally {
    allowance.end();
    call.signal.removeEventListener("abort", onabort);
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
