/**
 * The methods of tools. All policy is here: which tool, which arguments, how often, and for how long. A handler only does
 * its work.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/server/tools
 */

import type { Awaitable } from "../base/async.ts";
import type { Revision } from "../protocol/revisions.ts";
import type { ExecutionContext } from "./context.ts";
import type { Exchange, ServerCall, Services } from "./handlers.ts";
import type { Tool } from "./tool.ts";
import type { RegisteredTool } from "./tool_registry.ts";
import type { Content } from "./tool_result.ts";
import { andThen } from "../base/async.ts";
import { isObject } from "../base/json.ts";
import { quoted } from "../base/text.ts";
import { invalidParams, stringParam } from "../protocol/errors.ts";
import { InputRequired } from "./client_input.ts";
import { UnansweredError } from "./client_requests.ts";
import { ContextError } from "./context.ts";
import { toolContext } from "./tool_context.ts";
import { TokenBucket } from "./tool_registry.ts";
import { contentIn, isContent, text, toJson, ToolResult } from "./tool_result.ts";
import { ToolTimeoutError, ToolValidationError } from "./tool.ts";

/** How long a call may take by default, in milliseconds. */
const TIMEOUT_MS = 10_000;

/** Answers `tools/call`. */
export function callTool(
  context: ExecutionContext,
  services: Services,
  exchange: Exchange,
): Awaitable<ExecutionContext> {
  const name = stringParam(context.params, "name");
  const registered = services.tools.get(name);
  if (!registered) throw invalidParams(`Unknown tool: ${quoted(name, 128)}`);
  const bound = context.withTool(name);
  const limit = exchange.session.toolCalls ??= new TokenBucket(services.toolCalls);
  if (!limit.take()) {
    return bound.withResult(failed(`Too many calls: wait a second before you call ${name} again`));
  }
  const result = exchange.input!.run(() => runTool(registered, bound, services, exchange));
  const answered = result instanceof Promise
    ? result.catch((cause) => errorResult(cause, bound.revision))
    : result;
  return andThen(
    answered,
    (value) => bound.withResult(value instanceof InputRequired ? value.result : value),
  );
}

/** A result as a revision has it. */
interface WireResult {
  readonly content: readonly Content[];
  readonly structuredContent?: unknown;
  readonly isError?: boolean;
}

/** Checks the arguments and runs the handler within the time of the tool. Errors for the model become results. */
function runTool(
  registered: RegisteredTool,
  context: ExecutionContext,
  services: Services,
  exchange: Exchange,
): Awaitable<WireResult> {
  const { tool, input, output } = registered;
  const { call } = exchange;
  const { arguments: given = {} } = context.params;
  const run = new ToolRun();
  try {
    const result = andThen(input.check(given), (checked): Awaitable<WireResult> => {
      if ("problems" in checked) return misfit(tool, checked.problems);
      // Checking may have taken time.
      if (call.cancelled) throw call.cancelled;
      run.throwIfStopped();
      exchange.input!.onstop = () => run.stop(INPUT_REQUIRED);
      const own = toolContext(context, exchange, run, services.logging);
      return andThen(
        tool.definition.handler(checked.value as never, own),
        (value) => toWire(registered, toResult(value, output !== undefined), context.revision),
      );
    });
    return result instanceof Promise ? run.limit(result, tool, call) : result;
  } catch (cause) {
    if (!isForModel(cause, context.revision)) throw cause;
    return failed(cause.message);
  }
}

/** Why the signal of a handler is aborted that has asked the client. */
const INPUT_REQUIRED = new DOMException(
  "The client is asked; the handler runs again when it has answered",
  "AbortError",
);

/** One run of a handler. Its signal is made on first use, because most handlers need none. */
class ToolRun {
  #controller: AbortController | undefined;
  #stopped: { readonly reason: unknown } | undefined;
  #reject: ((reason: unknown) => void) | undefined;

  get isStopped(): boolean {
    return this.#stopped !== undefined;
  }

  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.#stopped) this.#controller.abort(this.#stopped.reason);
    return this.#controller.signal;
  }

  throwIfStopped(): void {
    if (this.#stopped) throw this.#stopped.reason;
  }

  stop(reason: unknown): void {
    this.#stopped ??= { reason };
    this.#controller?.abort(reason);
    this.#reject?.(reason);
  }

  /**
   * Waits for the result until the time of the tool is over or the request is cancelled.
   *
   * @throws {ToolTimeoutError} When it takes too long.
   */
  async limit<T>(result: Promise<T>, { name, definition }: Tool, call: ServerCall): Promise<T> {
    const { timeoutMs = TIMEOUT_MS } = definition;
    const stopped = new Promise<never>((_, reject) => this.#reject = reject);
    const timer = setTimeout(
      () => this.stop(new ToolTimeoutError(`${name} was stopped: it took longer than ${timeoutMs} ms`)),
      timeoutMs,
    );
    const cancel = () => this.stop(call.signal.reason);
    call.signal.addEventListener("abort", cancel);
    if (call.signal.aborted) cancel();
    try {
      return await Promise.race([result, stopped]);
    } finally {
      this.#reject = undefined;
      clearTimeout(timer);
      call.signal.removeEventListener("abort", cancel);
    }
  }
}

/** The result of an error for the model; any other error is thrown again. */
function errorResult(cause: unknown, revision: Revision): WireResult {
  if (isForModel(cause, revision)) return failed(cause.message);
  throw cause;
}

/** Whether an error is for the model to read. */
function isForModel(cause: unknown, { era }: Revision): cause is Error {
  return cause instanceof ToolValidationError || cause instanceof ToolTimeoutError ||
    // Since 2026-07-28 there are error codes for it.
    (cause instanceof UnansweredError && era === "legacy");
}

function misfit({ name }: Tool, problems: readonly string[]): WireResult {
  return failed(`The arguments of ${name} do not fit:`, problems);
}

function failed(sentence: string, problems: readonly string[] = []): WireResult {
  const lines = [sentence, ...problems.map((problem) => `- ${problem}`)];
  return { content: [text(lines.join("\n"))], isError: true };
}

/** A result whose text, if undefined, is made of its value. */
type Answer = Pick<ToolResult, "value" | "isError"> & { readonly content: readonly Content[] | undefined };

function toResult(value: unknown, isData: boolean): Answer {
  if (value instanceof ToolResult) return value;
  if (isData) return { content: undefined, value, isError: false };
  if (typeof value === "string") return new ToolResult([text(value)]);
  return new ToolResult((Array.isArray(value) ? value : [value]) as Content[]);
}

/** @throws {ContextError} When the data does not fit the output schema: a bug in the tool. */
function toWire(
  { tool, output }: RegisteredTool,
  { content, value, isError }: Answer,
  revision: Revision,
): Awaitable<WireResult> {
  const adapt = (blocks: readonly Content[] = []) =>
    blocks.map((block) => {
      if (isContent(block)) return contentIn(revision, block);
      throw new ContextError(
        `The result of ${tool.name} has a content block of an unknown kind`,
      );
    });
  if (isError) return { content: adapt(content), isError };
  if (!output) {
    const data = revision.structuredContent ? toJson(value) : undefined;
    if (data === undefined) return { content: adapt(content) };
    return { content: adapt(content), structuredContent: isObject(data) ? data : { result: data } };
  }
  return andThen(output.check(value), (checked) => {
    if ("problems" in checked) {
      throw new ContextError(
        `The result of ${tool.name} does not fit its schema: ${checked.problems.join("; ")}`,
      );
    }
    // A schema may change the value, so the text is made of the checked one.
    const blocks = adapt(content ?? [text(textOf(checked.value))]);
    if (!revision.structuredContent) return { content: blocks };
    return {
      content: blocks,
      structuredContent: output.field === undefined ? checked.value : { [output.field]: checked.value },
    };
  });
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}
