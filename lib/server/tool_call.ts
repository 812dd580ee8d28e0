/** How is a handler run? For as long as it may, and with nothing in its hands that it could corrupt. */

import type { ExecutionContext } from "./context.ts";
import type { Exchange, Services } from "./methods.ts";
import type { Tool } from "./tool.ts";
import { ToolTimeoutError } from "./tool.ts";
import { toolContext } from "./tool_context.ts";

/** How long a call may take unless its tool says otherwise, in milliseconds. */
const TIMEOUT_MS = 10_000;

/**
 * Runs the handler of a tool. Whoever stops it does not wait for it to notice.
 *
 * @throws {ToolTimeoutError} When it takes too long.
 * @throws {unknown} What the handler throws, or why the request was cancelled.
 */
export async function execute(
  { name, definition }: Tool,
  args: unknown,
  context: ExecutionContext,
  services: Services,
  { connection, call }: Exchange,
): Promise<unknown> {
  // The arguments may have taken their time to be checked.
  call.signal.throwIfAborted();
  const { timeoutMs = TIMEOUT_MS } = definition;
  const controller = new AbortController();
  const stopped = Promise.withResolvers<never>();
  const stop = (reason: unknown) => {
    controller.abort(reason);
    stopped.reject(reason);
  };
  const timer = setTimeout(
    () => stop(new ToolTimeoutError(`${name} was stopped: it took longer than ${timeoutMs} ms`)),
    timeoutMs,
  );
  const onabort = () => stop(call.signal.reason);
  call.signal.addEventListener("abort", onabort);
  try {
    const own = toolContext(context, call, connection, controller.signal, services.logging);
    return await Promise.race([definition.handler(args as never, own), stopped.promise]);
  } finally {
    clearTimeout(timer);
    call.signal.removeEventListener("abort", onabort);
  }
}
