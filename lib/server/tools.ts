/**
 * Which tools are there, and what do they answer? Here is all policy: which tool, which arguments, how often, for how long.
 * A handler only does its work.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/server/tools
 */

import type { RawJson } from "../jsonrpc/codec.ts";
import type { Awaitable } from "../base/async.ts";
import type { Exchange, Services } from "./methods.ts";
import type { Revision } from "../protocol/revisions.ts";
import type { Tool } from "./tool.ts";
import type { Run } from "./tool_call.ts";
import type { RegisteredTool } from "./tool_registry.ts";
import type { Content } from "./tool_result.ts";
import type { ExecutionContext } from "./context.ts";
import { andThen } from "../base/async.ts";
import { ContextError } from "./context.ts";
import { invalidParams } from "../protocol/errors.ts";
import { quoted } from "../base/text.ts";
import { listPage } from "./pages.ts";
import { isObject, own } from "../base/json.ts";
import { stringParam } from "./params.ts";
import { TokenBucket } from "./token_bucket.ts";
import { ToolTimeoutError, ToolValidationError } from "./tool.ts";
import { InputRequired } from "./questions.ts";
import { execute, within } from "./tool_call.ts";
import { asWritten, inTermsOf, isContent, text, ToolResult } from "./tool_result.ts";
import { UnansweredError } from "./unanswered.ts";

/** Answers `tools/list`. */
export function listTools(context: ExecutionContext, services: Services): RawJson {
  const { revision } = context;
  return listPage<RegisteredTool>({
    member: "tools",
    items: services.tools.all,
    cursor: own(context.params, "cursor"),
    pageSize: services.pageSize,
    form: `${revision.titles} ${revision.toolAnnotations}`,
    keyOf: ({ tool }) => tool.name,
    present: (registered) => present(registered, revision),
  });
}

/** Answers `tools/call`. */
export function callTool(
  context: ExecutionContext,
  services: Services,
  exchange: Exchange,
): Awaitable<ExecutionContext> {
  const name = stringParam(context.params, "name");
  const registered = services.tools.get(name);
  if (!registered) throw invalidParams(`Unknown tool: ${quoted(name, 128)}`);
  exchange.connection.toolCalls ??= new TokenBucket(services.toolCalls);
  const hasRoom = exchange.connection.toolCalls.take();
  const { arguments: given = {} } = context.params;
  const bound = context.withTool(name);
  const found = hasRoom
    ? answer(registered, given, bound, services, exchange)
    : failed(`Too many calls: wait a second before you call ${name} again`);
  return andThen(
    found,
    (result) => bound.withResult(result instanceof InputRequired ? result.result : result),
  );
}

/** A result as a revision has it. */
interface WireResult {
  readonly content: readonly Content[];
  readonly structuredContent?: unknown;
  readonly isError?: boolean;
}

/** What the tool answers, or what kept it from answering, for the model to read. */
function answer(
  registered: RegisteredTool,
  given: unknown,
  context: ExecutionContext,
  services: Services,
  exchange: Exchange,
): Awaitable<WireResult | InputRequired> {
  const { tool, input, output } = registered;
  const taken = (value: unknown): Awaitable<WireResult | InputRequired> =>
    value instanceof InputRequired
      ? value
      : toWire(registered, toResult(value, output !== undefined), context.revision);
  return limited(tool, context, exchange, (run) =>
    andThen(input.check(given), (checked) => {
      if ("problems" in checked) return misfit(tool, checked.problems);
      return andThen(execute(tool, checked.value, run, context, services, exchange), taken);
    }));
}

/** Does some work in the time of a tool. What is thrown for the model to read is a result. */
function limited<T>(
  tool: Tool,
  { revision }: ExecutionContext,
  exchange: Exchange,
  work: (run: Run) => Awaitable<T>,
): Awaitable<T | WireResult> {
  const refused = (cause: unknown): WireResult => {
    if (isForModel(cause, revision)) return failed(cause.message);
    throw cause;
  };
  try {
    const result = within(tool, exchange, work);
    return result instanceof Promise ? result.catch(refused) : result;
  } catch (cause) {
    if (!isForModel(cause, revision)) throw cause;
    return failed(cause.message);
  }
}

/** Whether the model is to read what went wrong. */
function isForModel(cause: unknown, { era }: Revision): cause is Error {
  return cause instanceof ToolValidationError || cause instanceof ToolTimeoutError ||
    // Since 2026-07-28 there are codes for it, and clients that know what to do about them.
    (cause instanceof UnansweredError && era === "legacy");
}

function misfit({ name }: Tool, problems: readonly string[]): WireResult {
  return failed(`The arguments of ${name} do not fit:`, problems);
}

function failed(sentence: string, problems: readonly string[] = []): WireResult {
  const lines = [sentence, ...problems.map((problem) => `- ${problem}`)];
  return { content: [text(lines.join("\n"))], isError: true };
}

/** A result whose text, where it is undefined, is that of its value. */
type Answer = Pick<ToolResult, "value" | "isError"> & { readonly content: readonly Content[] | undefined };

function toResult(value: unknown, isData: boolean): Answer {
  if (value instanceof ToolResult) return value;
  if (isData) return { content: undefined, value, isError: false };
  if (typeof value === "string") return new ToolResult([text(value)]);
  return new ToolResult((Array.isArray(value) ? value : [value]) as Content[]);
}

/**
 * A result in the words of a revision.
 *
 * @throws {ContextError} When the data does not fit what the tool says of it: a mistake in the tool.
 */
function toWire(
  { tool, output }: RegisteredTool,
  { content, value, isError }: Answer,
  revision: Revision,
): Awaitable<WireResult> {
  const inTerms = (blocks: readonly Content[] = []) =>
    blocks.map((block) => {
      if (isContent(block)) return inTermsOf(revision, block);
      throw new ContextError(
        `The result of ${tool.name} has a block that is neither text nor anything else known`,
      );
    });
  if (isError) return { content: inTerms(content), isError };
  if (!output) {
    const data = revision.structuredContent ? asWritten(value) : undefined;
    if (data === undefined) return { content: inTerms(content) };
    return { content: inTerms(content), structuredContent: isObject(data) ? data : { result: data } };
  }
  return andThen(output.check(value), (checked) => {
    if ("problems" in checked) {
      throw new ContextError(
        `The result of ${tool.name} does not fit its schema: ${checked.problems.join("; ")}`,
      );
    }
    // A schema can change a value, leave out a member for instance: the text must not say more than the data.
    const blocks = inTerms(content ?? [text(written(checked.value))]);
    if (!revision.structuredContent) return { content: blocks };
    return {
      content: blocks,
      structuredContent: output.field === undefined ? checked.value : { [output.field]: checked.value },
    };
  });
}

function written(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** A tool as a revision lists it. */
function present({ tool, input, output }: RegisteredTool, revision: Revision): unknown {
  const { title, description, annotations, _meta } = tool.definition;
  return {
    name: tool.name,
    ...(title === undefined || !revision.titles ? {} : { title }),
    ...(description === undefined ? {} : { description }),
    inputSchema: input.published,
    ...(output && revision.structuredContent ? { outputSchema: output.published } : {}),
    ...(annotations === undefined || !revision.toolAnnotations ? {} : { annotations }),
    ...(_meta === undefined || !revision.titles ? {} : { _meta }),
  };
}
