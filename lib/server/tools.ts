/**
 * Calling tools, and log levels. All policy is here: which tool, which arguments, how often, and for how long. A handler only
 * does its work.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/server/tools
 * @see https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/logging
 */

import type { Awaitable } from "../base/async.ts";
import type { JsonObject } from "../base/json.ts";
import type { ClientFacts, Revision } from "../protocol/revisions.ts";
import type { Access, ClientInput, ExecutionContext, Session } from "./context.ts";
import type { Exchange, ServerCall, Services } from "./handlers.ts";
import type { LogLevel, ToolContext } from "./tool.ts";
import type { Rate, RegisteredTool } from "./tool_registry.ts";
import type { Checked, Content } from "./tool_result.ts";
import { abortable, andThen, pause } from "../base/async.ts";
import { asObject, compact, isObject } from "../base/json.ts";
import { misfit, quoted } from "../base/text.ts";
import { invalidParams, methodNotFound, stringParam, unusableParam } from "../protocol/errors.ts";
import { Meta, Notifications, showsApps } from "../protocol/methods.ts";
import { UnansweredError } from "./client_requests.ts";
import { ContextError } from "./context.ts";
import { checked } from "./shapes.ts";
import { isLogged, LEVELS, ToolTimeoutError, ToolValidationError } from "./tool.ts";
import { isForViews } from "./tool_registry.ts";
import { contentIn, text, toJson, ToolResult } from "./tool_result.ts";

const TIMEOUT_MS = 10_000;
const INPUT_REQUIRED = new DOMException(
  "The client is asked; the handler runs again when it has answered",
  "AbortError",
);

interface WireResult {
  readonly content: readonly Content[];
  readonly structuredContent?: unknown;
  readonly isError?: boolean;
}

/** Answers `tools/call`. Errors for the model become results. */
export function callTool(
  context: ExecutionContext,
  services: Services,
  exchange: Exchange,
): Awaitable<ExecutionContext> {
  const { name } = context.params;
  if (typeof name !== "string") throw unusableParam(name, "name", "a string");
  const registered = services.tools.get(name);
  if (!registered || (isForViews(registered) && !showsApps(context.client))) {
    throw invalidParams(`Unknown tool: ${quoted(name, 128)}`);
  }
  const bound = context.withTool(name);
  const { call, session: { toolCalls } } = exchange;
  const waitMs = takeTurn(toolCalls, services.toolCalls);
  if (waitMs > toolCalls.maxWaitMs) {
    const seconds = call.retryAfter = Math.ceil((waitMs - toolCalls.maxWaitMs) / 1000);
    const result = failed(`Too many calls: wait ${seconds} s before you call ${name} again`);
    return bound.withResult({ ...result, _meta: { "architrave/retryAfter": seconds } });
  }
  const fail = (cause: unknown) => {
    if (!isForModel(cause, bound.revision)) throw cause;
    return bound.withResult(failed(cause.message));
  };
  try {
    const run = () => ToolRun.start(new ToolRun(registered, bound, services, exchange));
    const start = () => exchange.input!.run(exchange, run);
    const giveBack = (cause: unknown) => {
      toolCalls.tokens++;
      throw cause;
    };
    const result = waitMs > 0 ? pause(waitMs, call.signal).then(start, giveBack) : start();
    if (!(result instanceof Promise)) return bound.withResult(result);
    return result.then((later) => bound.withResult(later)).catch(fail);
  } catch (cause) {
    if (cause instanceof Error) return fail(cause);
    throw cause;
  }
}

/** Takes a place in the rate of a client, unless its turn is too far away; returns the milliseconds until then. */
function takeTurn(bucket: Session["toolCalls"], { burst, perSecond }: Rate): number {
  const now = performance.now();
  bucket.tokens = Math.min(burst, bucket.tokens + (now - bucket.filledAt) / 1000 * perSecond);
  bucket.filledAt = now;
  const waitMs = bucket.tokens < 1 ? (1 - bucket.tokens) / perSecond * 1000 : 0;
  if (waitMs <= bucket.maxWaitMs) bucket.tokens--;
  return waitMs;
}

/** One run of a handler, and what it is given beside its arguments. Much is made on first use, because few handlers need it. */
class ToolRun implements ToolContext {
  readonly client: ClientFacts;
  readonly authentication: unknown;
  readonly requestState: string | undefined;
  readonly #registered: RegisteredTool;
  readonly #context: ExecutionContext;
  readonly #call: ServerCall;
  readonly #input: ClientInput;
  readonly #threshold: LogLevel | undefined;
  #controller: AbortController | undefined;

  constructor(
    registered: RegisteredTool,
    context: ExecutionContext,
    { logging }: Services,
    { call, session, input }: Exchange,
  ) {
    const isModern = context.revision.era === "modern";
    this.client = context.client;
    this.authentication = context.origin.authentication;
    // It was verified before the handler runs.
    this.requestState = isModern ? context.params["requestState"] as string | undefined : undefined;
    this.#registered = registered;
    this.#context = context;
    this.#call = call;
    this.#input = input!;
    if (logging) this.#threshold = isModern ? readLevel(this.#meta[Meta.logLevel]) : session.logLevel;
    Object.freeze(this);
  }

  /** Checks the arguments and runs the handler, within the time of the tool. */
  static start(run: ToolRun): Awaitable<WireResult> {
    const { arguments: given = {} } = run.#context.params;
    const checked = run.#registered.input.check(given);
    const result = checked instanceof Promise
      ? checked.then((later) => run.#handle(later))
      : run.#handle(checked);
    return result instanceof Promise ? run.#limit(result) : result;
  }

  get sessionId(): string | undefined {
    return this.#context.sessionId;
  }

  get access(): Access | undefined {
    return this.#context.access;
  }

  get sessionState(): ToolContext["sessionState"] {
    return this.#context.sessionState;
  }

  get signal(): AbortSignal {
    return (this.#controller ??= new AbortController()).signal;
  }

  // Functions of their own, so that a handler can take them apart: `({ progress }) => …`.
  readonly elicit: ToolContext["elicit"] = (form) => this.#input.requests.elicit(form);
  readonly elicitUrl: ToolContext["elicitUrl"] = (page) => this.#input.requests.elicitUrl(page);
  readonly completeElicitation: ToolContext["completeElicitation"] = (id) =>
    this.#input.requests.completeElicitation(id);
  readonly sample: ToolContext["sample"] = (request) => this.#input.requests.sample(request);
  readonly listRoots: ToolContext["listRoots"] = (options) => this.#input.requests.listRoots(options);
  readonly closeStream: ToolContext["closeStream"] = () => this.#call.outlet?.closeStream?.();

  readonly progress: ToolContext["progress"] = (progress, total, text) => {
    const { progressToken } = this.#meta;
    if (typeof progressToken !== "string" && typeof progressToken !== "number") return;
    const { sent } = this.#input;
    if (!(progress > sent.progress) || !this.#canSend) return;
    sent.progress = progress;
    const message = this.#context.revision.progressMessages ? text : undefined;
    this.#send(Notifications.progress, compact({ progressToken, progress, total, message }));
  };

  readonly log: ToolContext["log"] = (level, data, logger) => {
    if (isLogged(level, this.#threshold) && this.#canSend) {
      this.#send(Notifications.message, { ...compact({ level, logger }), data });
    }
  };

  get #meta(): JsonObject {
    return asObject(this.#context.params["_meta"]);
  }

  get #canSend(): boolean {
    return !this.#input.sent.isFull && !this.#controller?.signal.aborted;
  }

  #send(method: string, params: JsonObject): void {
    const { sent } = this.#input;
    const drained = this.#call.notify(method, params);
    sent.isFull = drained !== undefined;
    void drained?.then(() => sent.isFull = false);
  }

  #handle(checked: Checked): Awaitable<WireResult> {
    const { name, definition } = this.#registered.tool;
    if ("problems" in checked) return failed(misfit(`The arguments of ${name}`, checked.problems));
    // Checking may have taken time.
    if (this.#call.cancelled) throw this.#call.cancelled;
    this.#controller?.signal.throwIfAborted();
    const { revision } = this.#context;
    const returned = definition.handler(checked.value as never, this);
    return returned instanceof Promise
      ? returned.then((value) => toWire(this.#registered, value, revision))
      : toWire(this.#registered, returned, revision);
  }

  #stop(reason: unknown): void {
    this.#controller ??= new AbortController();
    this.#controller.abort(reason);
  }

  /** @throws {ToolTimeoutError} When the result takes too long. */
  async #limit<T>(result: Promise<T>): Promise<T> {
    const { name, definition: { timeoutMs = TIMEOUT_MS } } = this.#registered.tool;
    const { signal } = this.#call;
    this.#input.onstop = () => this.#stop(INPUT_REQUIRED);
    const late = () => new ToolTimeoutError(`${name} was stopped: it took longer than ${timeoutMs} ms`);
    const timer = setTimeout(() => this.#stop(late()), timeoutMs);
    const cancel = () => this.#stop(signal.reason);
    signal.addEventListener("abort", cancel);
    if (signal.aborted) cancel();
    try {
      return await abortable(result, this.signal);
    } finally {
      clearTimeout(timer);
      signal.removeEventListener("abort", cancel);
    }
  }
}

function isForModel(cause: unknown, { era }: Revision): cause is Error {
  return cause instanceof ToolValidationError || cause instanceof ToolTimeoutError ||
    // Since 2026-07-28 there are error codes for it.
    (cause instanceof UnansweredError && era === "legacy");
}

function failed(sentence: string): WireResult {
  return { content: [text(sentence)], isError: true };
}

/** @throws {ContextError} When the value is not what the tool has declared: a bug in the tool. */
function toWire(
  { tool: { name }, output }: RegisteredTool,
  returned: unknown,
  revision: Revision,
): Awaitable<WireResult> {
  const { content, value, isError }: Partial<ToolResult> = returned instanceof ToolResult
    ? returned
    : partsOf(returned, output !== undefined);
  const finish = (result: Checked): WireResult => {
    if ("problems" in result) {
      throw new ContextError(`The result of ${name} cannot be sent: ${result.problems.join("; ")}`);
    }
    // A schema may change the value, so the text is made of the checked one.
    const data = result.value;
    const blocks = content ?? [text(typeof data === "string" ? data : JSON.stringify(data))];
    const adapted = contentIn(revision, checked(blocks, "content[]", "content", name));
    if (isError) return { content: adapted, isError };
    if (data === undefined || !revision.structuredContent) return { content: adapted };
    const field = output ? output.field : isObject(data) ? undefined : "result";
    return { content: adapted, structuredContent: field === undefined ? data : { [field]: data } };
  };
  let data: Awaitable<Checked> = { value: undefined };
  if (!isError && output) data = output.check(value);
  else if (!isError && revision.structuredContent) data = toJson(value, true);
  return data instanceof Promise ? data.then(finish) : finish(data);
}

function partsOf(returned: unknown, isData: boolean): Partial<ToolResult> {
  if (isData) return { value: returned };
  if (typeof returned === "string") return { content: [text(returned)] };
  return { content: Array.isArray(returned) ? returned : [returned as Content] };
}

/** Answers `logging/setLevel`. */
export function setLevel(context: ExecutionContext, services: Services, { session }: Exchange): unknown {
  if (!services.logging) throw methodNotFound(context.method);
  const level = stringParam(context.params, "level");
  session.logLevel = readLevel(level);
  return andThen(session.store?.("logLevel", level), () => ({}));
}

function readLevel(text: unknown): LogLevel | undefined {
  const level = LEVELS.find((known) => known === text);
  if (level || text === undefined) return level;
  throw invalidParams(
    `There is no log level ${quoted(JSON.stringify(text) ?? "", 40)}; there are ${LEVELS.join(", ")}`,
  );
}
