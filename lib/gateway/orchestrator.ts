/**
 * How does an endpoint become a tool? Here is all policy of the gateway: what is asked of the arguments, who has to agree,
 * and what is said when it goes wrong. HTTP is the executor's.
 */

import type { SchemaObject, SchemaOptions } from "../schema/mod.ts";
import type { Tool, ToolAnnotations } from "../server/tool.ts";
import type { ToolContext } from "../server/tool_context.ts";
import type { BaseUrl } from "./base_url.ts";
import type { Credential } from "./credential.ts";
import type { Endpoint } from "./endpoint.ts";
import type { Answer } from "./executor.ts";
import type { Guard, Plan } from "./guard.ts";
import type { Circumstances, DataCheck } from "./outcome.ts";
import type { PlannedRequest } from "./request.ts";
import { compileSchema } from "../schema/mod.ts";
import { isObject } from "../base/json.ts";
import { defineTool, ToolValidationError } from "../server/tool.ts";
import { text, ToolResult } from "../server/tool_result.ts";
import { CONFIRMATION } from "./endpoint.ts";
import { UpstreamError } from "./executor.ts";
import { toFailure, toResult } from "./outcome.ts";
import { redact } from "./redact.ts";
import { RequestBuilder } from "./request.ts";
import { inputSchemaOf, outputSchemaOf } from "./tool_schemas.ts";

/** How long an answer may take unless the endpoint says otherwise, in milliseconds. */
export const TIMEOUT_MS = 30_000;
/** How long a person may think about a plan, in milliseconds. */
const DECISION_MS = 10 * 60_000;
/** How much of the arguments a plan shows, in characters. */
const MAX_SHOWN = 2000;

/** Sends a request: the executor, or whatever stands for it in a test. */
export interface Sender {
  /** Sends it and reads the answer. */
  send(
    request: PlannedRequest,
    credentials: readonly Credential[],
    timeoutMs: number,
    signal: AbortSignal,
  ): Promise<Answer>;
}

/** What the tools of one gateway share. */
export interface Surroundings {
  readonly base: BaseUrl;
  readonly credentials: ReadonlyMap<string, Credential>;
  readonly sender: Sender;
  readonly guard: Guard;
  readonly timeoutMs: number;
  /** What must not be seen in any message. */
  readonly secrets: readonly Credential[];
  /** Sees why there was no answer, in a sentence without secrets. */
  readonly onfailure: (tool: string, reason: string) => void;
}

/** Carries out calls of one endpoint. */
export type EndpointCall = (
  args: Readonly<Record<string, unknown>>,
  context: ToolContext,
) => Promise<ToolResult>;

/** The time after which the server stops a call, should the gateway's own limits fail. */
export function serverTimeoutMs({ timeoutMs, isSafe }: Endpoint, around: Surroundings): number {
  return (timeoutMs ?? around.timeoutMs) + 5000 + (isSafe ? 0 : DECISION_MS);
}

/** Makes the tool of an endpoint. */
export function toTool(endpoint: Endpoint, around: Surroundings): Tool {
  const { name, title, description, isSafe } = endpoint;
  const outputSchema = outputSchemaOf(endpoint);
  return defineTool({
    name,
    ...(title === undefined ? {} : { title }),
    description: describe(endpoint, description),
    inputSchema: inputSchemaOf(endpoint),
    ...(outputSchema === undefined ? {} : { outputSchema }),
    annotations: annotations(endpoint.method, isSafe),
    timeoutMs: serverTimeoutMs(endpoint, around),
    handler: endpointCall(endpoint, around),
  });
}

/** Checks the arguments, asks for consent, sends the request and reads the answer. */
export function endpointCall(endpoint: Endpoint, around: Surroundings): EndpointCall {
  const outputSchema = outputSchemaOf(endpoint);
  const checkInput = compileOnce(inputSchemaOf(endpoint), { formats: true });
  const check = outputSchema && compileOnce(outputSchema, { maxIssues: 3 });
  const credentials = endpoint.credentials.map((name) => around.credentials.get(name)!);
  const builder = new RequestBuilder(endpoint, around.base, credentials);
  const circumstances: Circumstances = { endpoint, credentials, check };
  const timeoutMs = endpoint.timeoutMs ?? around.timeoutMs;
  return async (given, context) => {
    // A dispatcher's arguments come unchecked, and the server does not check formats.
    const problems = checkInput(given);
    if (problems.length > 0) {
      throw new ToolValidationError(
        `The arguments of ${endpoint.name} do not fit:\n- ${problems.join("\n- ")}`,
      );
    }
    const { [CONFIRMATION]: token, ...args } = given;
    refuseRounded(args, "");
    const request = builder.build(args);
    if (!endpoint.isSafe) {
      const plan = planOf(endpoint.name, request, args, around.base);
      const verdict = await around.guard.decide(plan, args, token as string | undefined, context);
      if (verdict.kind === "stop") return stopped(verdict.reason);
      if (verdict.kind === "ask") return asked(plan, verdict.token, verdict.minutes);
    }
    try {
      return toResult(
        await around.sender.send(request, credentials, timeoutMs, context.signal),
        circumstances,
      );
    } catch (cause) {
      if (!(cause instanceof UpstreamError)) throw cause;
      around.onfailure(endpoint.name, redact(reasonOf(cause), around.secrets));
      return toFailure(cause, circumstances, timeoutMs);
    }
  };
}

/** What went wrong, and what was behind it: a library may name the whole address. */
function reasonOf({ message, cause }: UpstreamError): string {
  if (!(cause instanceof Error)) return message;
  const deeper = cause.cause instanceof Error ? `: ${cause.cause.message}` : "";
  return `${message}: ${cause.message}${deeper}`;
}

/** Hints that hold: what changes something may change it for good. */
export function annotations(method: string, isSafe: boolean): ToolAnnotations {
  return {
    readOnlyHint: isSafe,
    destructiveHint: !isSafe,
    idempotentHint: isSafe || method === "PUT" || method === "DELETE",
    openWorldHint: true,
  };
}

function describe({ method, path, isSafe }: Endpoint, description: string | undefined): string {
  const guarded = isSafe ? "" : " Nothing is sent before it is confirmed.";
  return `${description === undefined ? "" : `${description.trim()}\n\n`}${method} ${path}.${guarded}`;
}

/** Compiled when it is first needed. */
function compileOnce(schema: SchemaObject, options: SchemaOptions): DataCheck {
  let check: ((value: unknown) => readonly { path: string; message: string }[]) | undefined;
  return (value) => {
    check ??= compileSchema(schema, options);
    return check(value).map(({ path, message }) => oneLine(path === "" ? message : `${path}: ${message}`));
  };
}

/** A line break in a member's name must not begin another sentence. */
function oneLine(text: string): string {
  // deno-lint-ignore no-control-regex
  return text.replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g, " ");
}

/** Digits that a number lost on its way here are not made up. */
function refuseRounded(value: unknown, path: string): void {
  if (typeof value === "number" && Number.isInteger(value) && !Number.isSafeInteger(value)) {
    throw new ToolValidationError(
      `${path}: numbers beyond ${Number.MAX_SAFE_INTEGER} lose digits on the way`,
    );
  }
  if (Array.isArray(value)) value.forEach((item, index) => refuseRounded(item, `${path}/${index}`));
  else if (isObject(value)) {
    for (const [key, item] of Object.entries(value)) refuseRounded(item, `${path}/${key}`);
  }
}

function planOf(
  tool: string,
  { method, url }: PlannedRequest,
  args: Readonly<Record<string, unknown>>,
  base: BaseUrl,
): Plan {
  // Where the API lives is the operator's business.
  const target = url.href.slice(base.toString().length);
  const shown = JSON.stringify(args);
  const cut = shown.length > MAX_SHOWN ? `${shown.slice(0, MAX_SHOWN).toWellFormed()}…` : shown;
  return { tool, summary: `${method} ${target} with the arguments ${cut}` };
}

function asked({ tool, summary }: Plan, token: string, minutes: number): ToolResult {
  const words =
    `Nothing was sent yet. This call would be: ${summary}\n\nShow this to the person you work for. If they agree, ` +
    `call ${tool} again within ${minutes} minutes, with the same arguments and "${CONFIRMATION}": "${token}"`;
  return new ToolResult([text(words)], {
    value: { status: "confirmation_required", plan: summary, [CONFIRMATION]: token },
  });
}

function stopped(reason: "decline" | "cancel"): ToolResult {
  const words = reason === "decline"
    ? "The person who was asked said no"
    : "The person who was asked did not decide";
  return new ToolResult(
    [text(`${words}. Nothing was sent; do not call this again unless you are told to.`)],
    {
      isError: true,
    },
  );
}
