/**
 * Which tools are there, and what do they answer? Here is all policy: which tool, which arguments, how often, for how long.
 * A handler only does its work.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/server/tools
 */

import type { WrittenObject } from "../jsonrpc/encode.ts";
import type { Exchange, Services } from "./methods.ts";
import type { Revision } from "./revisions.ts";
import type { RegisteredTool } from "./tool_registry.ts";
import type { Content } from "./tool_result.ts";
import type { ExecutionContext } from "./context.ts";
import { ContextError } from "./context.ts";
import { invalidParams, quoted } from "./errors.ts";
import { listPage } from "./pages.ts";
import { own, stringParam } from "./params.ts";
import { TokenBucket } from "./token_bucket.ts";
import { ToolTimeoutError, ToolValidationError } from "./tool.ts";
import { InputRequired } from "./questions.ts";
import { execute } from "./tool_call.ts";
import { inTermsOf, isContent, text, ToolResult } from "./tool_result.ts";
import { UnansweredError } from "./unanswered.ts";

/** Answers `tools/list`. */
export function listTools(context: ExecutionContext, services: Services): WrittenObject {
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
export async function callTool(
  context: ExecutionContext,
  services: Services,
  exchange: Exchange,
): Promise<ExecutionContext> {
  const name = stringParam(context.params, "name");
  const registered = services.tools.get(name);
  if (!registered) throw invalidParams(`Unknown tool: ${quoted(name, 128)}`);
  const bound = context.withTool(name);
  const result = await answer(registered, bound, services, exchange);
  if (result instanceof InputRequired) return bound.withResult(result.result);
  return bound.withResult(await toWire(registered, result, context.revision));
}

/** A result whose text, where it is undefined, is that of its value. */
type Answer = Pick<ToolResult, "value" | "isError"> & { readonly content: readonly Content[] | undefined };

/** What the tool answers, or what kept it from answering, for the model to read. */
async function answer(
  registered: RegisteredTool,
  context: ExecutionContext,
  services: Services,
  exchange: Exchange,
): Promise<Answer | InputRequired> {
  const { tool, input, output } = registered;
  exchange.connection.toolCalls ??= new TokenBucket(services.toolCalls);
  if (!exchange.connection.toolCalls.take()) {
    return failed(`Too many calls: wait a second before you call ${tool.name} again`);
  }
  const given = own(context.params, "arguments");
  const checked = await input.check(given === undefined ? {} : given);
  if ("problems" in checked) return failed(`The arguments of ${tool.name} do not fit:`, checked.problems);
  try {
    const value = await execute(tool, checked.value, context, services, exchange);
    if (value instanceof InputRequired) return value;
    return value instanceof ToolResult ? value : toResult(value, output !== undefined);
  } catch (cause) {
    const isForModel = cause instanceof ToolValidationError || cause instanceof ToolTimeoutError ||
      // Since 2026-07-28 there are codes for it, and clients that know what to do about them.
      (cause instanceof UnansweredError && context.revision.era === "legacy");
    if (isForModel) return failed(cause.message);
    throw cause;
  }
}

function failed(sentence: string, problems: readonly string[] = []): ToolResult {
  return new ToolResult([text([sentence, ...problems.map((problem) => `- ${problem}`)].join("\n"))], {
    isError: true,
  });
}

function toResult(value: unknown, isData: boolean): Answer {
  if (isData) return { content: undefined, value, isError: false };
  if (typeof value === "string") return new ToolResult([text(value)]);
  return new ToolResult((Array.isArray(value) ? value : [value]) as Content[]);
}

/**
 * A result in the words of a revision.
 *
 * @throws {ContextError} When the data does not fit what the tool says of it: a mistake in the tool.
 */
async function toWire(
  { tool, output }: RegisteredTool,
  { content, value, isError }: Answer,
  revision: Revision,
): Promise<unknown> {
  const inTerms = (blocks: readonly Content[] = []) =>
    blocks.map((block) => {
      if (isContent(block)) return inTermsOf(revision, block);
      throw new ContextError(
        `The result of ${tool.name} has a block that is neither text nor anything else known`,
      );
    });
  if (isError) return { content: inTerms(content), isError };
  if (!output) return { content: inTerms(content) };
  const checked = await output.check(value);
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
