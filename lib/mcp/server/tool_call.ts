/**
 * Calls a tool: finds it, applies the rate limit, checks the arguments, runs the handler with a time limit, and checks the result.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/server/tools
 */

import type { Awaitable } from "../../base/async.ts";
import type { JsonObject } from "../../base/json.ts";
import type { Revision } from "../protocol/revisions.ts";
import type { ExecutionContext } from "./context.ts";
import type { Session } from "./session.ts";
import type { AcceptedCall } from "./accepted.ts";
import type { Services } from "./services.ts";
import type { Content } from "./content.ts";
import type { LogLevel } from "./log_level.ts";
import type { ToolContext } from "./tool.ts";
import type { Rate } from "./tool_registry.ts";
import type { RegisteredTool } from "./tool_schema.ts";
import type { CheckResult } from "./json_value.ts";
import { abortable, pause } from "../../base/async.ts";
import { asObject, compact, isObject } from "../../base/json.ts";
import { misfit, quoted } from "../../base/text.ts";
import { invalidParams, unusableParam } from "../protocol/errors.ts";
import { Meta, Notifications, showsApps } from "../protocol/methods.ts";
import { annotationsIn } from "../protocol/revisions.ts";
import { traceOf } from "../protocol/trace.ts";
import { ContextError } from "./context.ts";
import { checked } from "./shapes.ts";
import { toJson } from "./json_value.ts";
import { UnansweredError } from "./client_errors.ts";
import { text, ToolResult } from "./content.ts";
import { ToolTimeoutError, ToolValidationError } from "./tool_errors.ts";
import { isLogged, readLevel } from "./log_level.ts";

/** The default time limit of a call, in milliseconds. */
const TIMEOUT_MS = 10_000;
/** Why a handler is stopped where it asks the client. */
const INPUT_REQUIRED = new DOMException("The client is asked first", "AbortError");

type WireResult = { content: readonly Content[]; structuredContent?: unknown; isError?: boolean };

/** The state of one tool call, for all runs of its handler. */
interface CallState {
  /** The last progress that was reported. */
  progress: number;
  /** Whether the outbound buffer is full; then notifications are dropped. */
  isFull: boolean;
  /** Aborts the handler that is running. */
  stop: (() => void) | undefined;
}

/** Answers `tools/call`. An error for the model is sent as a result. */
export function callTool(
  context: ExecutionContext,
  services: Services,
  call: AcceptedCall,
): Awaitable<ExecutionContext> {
  const { name } = context.params;
  if (typeof name !== "string") throw unusableParam(name, "name", "a string");
  const { session: { toolCalls }, input } = call.accepted;
  const registered = services.tools.get(name);
  if (!registered || (registered.isForViews && !showsApps(context.client))) {
    throw invalidParams(`Unknown tool: ${quoted(name, 128)}`);
  }
  const bound = context.withTool(name);
  const seal = (result: object) => {
    call.accepted.isToolError = (result as Partial<WireResult>).isError;
    return bound.withResult(result);
  };
  const waitMs = takeTurn(toolCalls, services.toolCalls);
  if (waitMs > toolCalls.maxWaitMs) {
    const seconds = call.accepted.retryAfter = Math.ceil((waitMs - toolCalls.maxWaitMs) / 1000);
    const result = failed(`Too many calls: wait ${seconds} s before you call ${name} again`);
    return seal({ ...result, _meta: { "architrave/retryAfter": seconds } });
  }
  const state: CallState = { progress: -Infinity, isFull: false, stop: undefined };
  const run = () => input!.run(runTool, [registered, bound, services, call, state], () => state.stop?.());
  const fail = (cause: unknown) => {
    const isForModel = cause instanceof ToolValidationError || cause instanceof ToolTimeoutError ||
      // Modern revisions have error codes for it.
      (cause instanceof UnansweredError && bound.revision.era === "legacy");
    if (!isForModel) throw cause;
    return seal(failed(cause.message));
  };
  const giveBack = (cause: unknown) => {
    toolCalls.tokens++;
    throw cause;
  };
  try {
    const result = waitMs > 0 ? pause(waitMs, call.signal).catch(giveBack).then(run) : run();
    return result instanceof Promise ? result.then(seal).catch(fail) : seal(result);
  } catch (cause) {
    if (cause instanceof Error) return fail(cause);
    throw cause;
  }
}

/** Takes a token of the rate limit. Returns the milliseconds until the call may begin; takes none if that is too long. */
function takeTurn(bucket: Session["toolCalls"], { burst, perSecond }: Rate): number {
  const now = performance.now();
  bucket.tokens = Math.min(burst, bucket.tokens + (now - bucket.filledAt) / 1000 * perSecond);
  bucket.filledAt = now;
  const waitMs = bucket.tokens < 1 ? (1 - bucket.tokens) / perSecond * 1000 : 0;
  if (waitMs <= bucket.maxWaitMs) bucket.tokens--;
  return waitMs;
}

/** Checks the arguments, and runs the handler of a tool once, within its time limit. */
function runTool(
  registered: RegisteredTool,
  context: ExecutionContext,
  { logging, options: { limitsTools = true } }: Services,
  call: AcceptedCall,
  state: CallState,
): Awaitable<WireResult> {
  const { session, input } = call.accepted;
  const { name, definition } = registered.tool, { revision, params } = context;
  const { requestState } = params, args = params["arguments"] ?? {};
  const { authentication, sessionId, sessionState } = context.origin;
  const isModern = revision.era === "modern";
  const metaOf = (key: string) => asObject(params["_meta"])[key];
  const threshold = !logging ? undefined : isModern ? readLevel(metaOf(Meta.logLevel)) : session.logLevel;
  const timeoutMs = limitsTools ? definition.timeoutMs ?? TIMEOUT_MS : Infinity;
  const controller = new AbortController();
  const canSend = () => !state.isFull && !controller.signal.aborted;
  const send = (method: string, params: JsonObject) => {
    const drained = call.notify(method, params);
    state.isFull = drained !== undefined;
    void drained?.then(() => state.isFull = false);
  };
  const toolContext: ToolContext = Object.freeze({
    ...input!.requests,
    authentication,
    get trace() {
      return traceOf(params, context.origin.header);
    },
    sessionId,
    sessionState,
    timeoutMs,
    signal: controller.signal,
    client: context.client,
    access: context.access,
    // `input` has verified it before the handler runs.
    requestState: isModern ? requestState as string | undefined : undefined,
    closeStream: () => call.responder.closeStream?.(),
    progress(value: number, total?: number, text?: string) {
      const progressToken = metaOf("progressToken");
      if (typeof progressToken !== "string" && typeof progressToken !== "number") return;
      if (!(value > state.progress && value < Infinity) || !canSend()) return;
      state.progress = value;
      const message = revision.progressMessages ? text : undefined;
      send(
        Notifications.progress,
        compact({
          progressToken,
          progress: value,
          total: Number.isFinite(total) ? total : undefined,
          message,
        }),
      );
    },
    log(level: LogLevel, data: unknown, logger?: string) {
      if (!isLogged(level, threshold) || !canSend()) return;
      // Data that cannot be serialised does not fail the call.
      const json = toJson(data ?? null, true);
      const written = "value" in json ? json.value : json.problems[0];
      send(Notifications.message, { ...compact({ level, logger }), data: written });
    },
  });

  const runHandler = (checkedArgs: CheckResult): Awaitable<WireResult> => {
    if ("problems" in checkedArgs) return failed(misfit(`The arguments of ${name}`, checkedArgs.problems));
    // Checking may have taken time.
    if (call.cancelled) throw call.cancelled;
    controller.signal.throwIfAborted();
    const returned: unknown = definition.handler(checkedArgs.value as never, toolContext);
    return returned instanceof Promise
      ? returned.then((value) => toWire(registered, value, revision))
      : toWire(registered, returned, revision);
  };
  /** Waits for the result until the time is over or the call is cancelled. @throws {ToolTimeoutError} When it takes too long. */
  const withTimeLimit = async (result: Promise<WireResult>): Promise<WireResult> => {
    const { signal } = call;
    const late = () => new ToolTimeoutError(`${name} was stopped: it took longer than ${timeoutMs} ms`);
    const timer = timeoutMs === Infinity ? undefined : setTimeout(() => controller.abort(late()), timeoutMs);
    const cancel = () => controller.abort(signal.reason);
    const stop = () => controller.abort(INPUT_REQUIRED);
    // Declared apart from the assignment: V8 would put it into old memory, where it keeps the call alive.
    state.stop = stop;
    signal.addEventListener("abort", cancel);
    if (signal.aborted) cancel();
    try {
      return await abortable(result, controller.signal);
    } finally {
      clearTimeout(timer);
      signal.removeEventListener("abort", cancel);
    }
  };
  const checking = registered.input.check(args);
  const result = checking instanceof Promise ? checking.then(runHandler) : runHandler(checking);
  return result instanceof Promise ? withTimeLimit(result) : result;
}

function failed(sentence: string): WireResult {
  return { content: [text(sentence)], isError: true };
}

/** Makes the result of what a handler has returned. @throws {ContextError} When that is not what the tool declares: a bug in it. */
function toWire(
  { tool: { name, definition: { checkOutput = true } }, output }: RegisteredTool,
  returned: unknown,
  revision: Revision,
): Awaitable<WireResult> {
  let content: ToolResult["content"] | undefined, value: unknown, isError = false;
  if (returned instanceof ToolResult) ({ content, value, isError } = returned);
  else if (output) value = returned;
  else content = Array.isArray(returned) ? returned : [returned];
  const fail = (reason: string): never => {
    throw new ContextError(`The result of ${name} cannot be sent: ${reason}`);
  };
  const finish = (result: CheckResult): WireResult => {
    if ("problems" in result) return fail(result.problems.join("; "));
    // A schema may transform the value, so the text is made of the checked one.
    const data = result.value;
    content ??= [typeof data === "string" ? data : JSON.stringify(data)];
    if (!Array.isArray(content)) fail("content must be a list");
    const blocks: Content[] = [];
    for (const [index, block] of content.entries()) {
      if (typeof block === "string") blocks.push(text(block));
      else blocks.push(blockIn(revision, checked(block, "content", `content[${index}]`, name)));
    }
    if (isError) return { content: blocks, isError };
    if (data === undefined || !revision.structuredContent) return { content: blocks };
    const field = output ? output.field : isObject(data) ? undefined : "result";
    return { content: blocks, structuredContent: field === undefined ? data : { [field]: data } };
  };
  if (isError) return finish({ value: undefined });
  if (!checkOutput) return finish({ value });
  const result = output ? output.check(value) : toJson(value, true);
  return result instanceof Promise ? result.then(finish) : finish(result);
}

/** A block, or the nearest equivalent in an older revision. */
function blockIn(revision: Revision, whole: Content): Content {
  const { titles, audio, structuredContent } = revision, { annotations: hints, ...block } = whole;
  if (titles && audio && structuredContent) return whole;
  const annotations = annotationsIn(revision, hints);
  const known = annotations && { annotations };
  if (block.type === "audio" && !audio) {
    const { mimeType, data } = block;
    return { type: "resource", resource: { uri: `data:${mimeType},audio`, mimeType, blob: data }, ...known };
  }
  if (block.type === "resource_link" && !structuredContent) {
    const { uri, name, title, description } = block;
    const about = description === undefined ? "" : `\n${description}`;
    return { type: "text", text: `${title ?? name}: ${uri}${about}`, ...known };
  }
  return { ...block, ...known };
}
