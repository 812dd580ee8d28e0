/** Calls endpoints: checks the arguments, obtains consent, sends the request. */

import type { JsonObject } from "../base/json.ts";
import type { ToolResult } from "../mcp/server/content.ts";
import type { ToolContext } from "../mcp/server/tool.ts";
import type { Consent } from "./consent.ts";
import type { Credential } from "./credential.ts";
import type { Operation } from "./endpoint.ts";
import type { Sender } from "./send.ts";
import { asString, visibleJson } from "../base/json.ts";
import { shortened } from "../base/text.ts";
import { ToolTimeoutError } from "../mcp/server/tool_errors.ts";
import { BaseUrl } from "./base_url.ts";
import { BODY_TYPE, CONFIRMATION, PART } from "./endpoint.ts";
import { reject } from "./errors.ts";
import { redact } from "./redact.ts";
import { requestBuilder } from "./request.ts";
import { checker, failedResult, failureText, MAX_EXPLANATION, resultReader } from "./result.ts";
import { send, UpstreamError } from "./send.ts";
import { asSent } from "./sent_arguments.ts";
import { jsonOf } from "./serialize.ts";
import { inputSchemaOf } from "./tool_definition.ts";

/** How long a person may take to decide about a plan. */
const DECISION_MS = 10 * 60_000;
/** How much longer than the gateway the server waits. */
const GRACE_MS = 5000;
/** The maximum length of a plan, which is never cut, in UTF-16 units. */
const MAX_PLAN = 20_000;
/** The maximum number of steps of a check: enough for megabytes, about 100 ms at worst. */
const MAX_STEPS = 500_000;

/** What all calls of a gateway share. */
export interface CallSettings extends Sender {
  readonly credentials: ReadonlyMap<string, Credential>;
  readonly consent: Consent;
  readonly timeoutMs: number;
  readonly maxShown: number;
  readonly onfailure: (tool: string, reason: string, cause?: UpstreamError) => void;
}

/** A call with checked arguments. */
export type PreparedCall = (context: ToolContext) => Promise<ToolResult>;

/** Checks arguments: returns the call, or the problems of the arguments. */
export type EndpointCall = (given: JsonObject) => PreparedCall | readonly string[];

/** How long the server waits for a call of an endpoint, in milliseconds. */
export function serverTimeoutMs({ timeoutMs, isSafe }: Operation, settings: CallSettings): number {
  return (timeoutMs ?? settings.timeoutMs) + GRACE_MS + (isSafe ? 0 : DECISION_MS);
}

export function endpointCall(endpoint: Operation, settings: CallSettings): EndpointCall {
  const { name, isSafe, timeoutMs = settings.timeoutMs } = endpoint;
  const { consent, onfailure, maxShown } = settings;
  const base = endpoint.base === undefined ? settings.base : new BaseUrl(endpoint.base);
  const credentials = endpoint.credentials.map((one) => settings.credentials.get(one)!);
  /** By media type of the body, checks arguments for a call with that body alone. */
  const variants = (endpoint.bodies.length > 0 ? endpoint.bodies : [undefined]).map((body) => {
    const one = { ...endpoint, bodies: body ? [body] : [] };
    const inputSchema = inputSchemaOf(one);
    const check = checker(inputSchema, { formats: true, maxSteps: MAX_STEPS });
    const build = requestBuilder(one, base, credentials);
    const prepare = (given: JsonObject) => {
      const { sent, notes, hasLarge, problems: rounded } = asSent(given, inputSchema);
      // The check does not support bigints.
      const problems = [...rounded, ...check(hasLarge ? JSON.parse(jsonOf(sent)) : sent)];
      // How far the arguments are from this variant. A body of another type is the furthest.
      const isOther = problems.some((one) => one.startsWith("/body: "));
      const distance = (isOther ? 1e6 : 0) + problems.length * 1000 + notes.length;
      return { type: body?.type, notes, problems, distance, build: () => build(sent) };
    };
    return { type: body?.type, prepare };
  });
  type Prepared = ReturnType<(typeof variants)[number]["prepare"]>;
  const resultOf = resultReader(endpoint, credentials, maxShown);
  const run = async (given: JsonObject, { type, notes, build }: Prepared, context: ToolContext) => {
    const { [CONFIRMATION]: token, [PART]: part, ...args } = given;
    const note = notes.length > 0 ? `The API does not describe ${notes.join(", ")} and may ignore it.` : "";
    const request = build();
    if (!isSafe) {
      // Clients must not see the URL of the API.
      const target = request.url.href.slice(base.toString().length);
      const sentAs = variants.length > 1 && request.body ? ` as ${type}` : "";
      const shown = `${request.method} ${target}${sentAs} with the arguments ${visibleJson(args)}`;
      const summary = note === "" ? shown : `${shown}. ${note}`;
      if (summary.length > MAX_PLAN) {
        const reason = `${summary.length} characters; the maximum is ${MAX_PLAN}`;
        return reject(`The plan for ${name} has ${reason}. Nothing was sent: use shorter arguments.`);
      }
      const stopped = await consent({ tool: name, summary }, args, token, context);
      if (stopped) return stopped;
    }
    try {
      const traced = { ...request, headers: { ...context.trace, ...request.headers } };
      const answer = await send(traced, credentials, { ...settings, base }, timeoutMs, context.signal);
      if (answer.status >= 500) {
        const said = redact(new TextDecoder().decode(answer.bytes), credentials);
        onfailure(name, `The API answered ${answer.status} and said: ${shortened(said, MAX_EXPLANATION)}`);
      }
      return resultOf(answer, asString(part), note);
    } catch (cause) {
      if (!(cause instanceof UpstreamError)) throw cause;
      onfailure(name, redact(reasonOf(cause), [...settings.credentials.values()]), cause);
      const result = failureText(cause.kind, cause.status ?? 0, isSafe, "", ` within ${timeoutMs} ms`);
      if (cause.kind === "timeout") throw new ToolTimeoutError(result);
      return failedResult(result);
    }
  };
  return (given) => {
    const { [BODY_TYPE]: type, ...others } = given;
    const isChosen = variants.length > 1 && type !== undefined && type !== null;
    const usable = isChosen ? variants.filter((one) => one.type === type) : variants;
    if (usable.length === 0) {
      return [`/${BODY_TYPE}: Expected ${variants.map((one) => `"${one.type}"`).join(" or ")}.`];
    }
    const args = variants.length > 1 ? others : given;
    const best = usable.map(({ prepare }) => prepare(args))
      .reduce((best, one) => one.distance < best.distance ? one : best);
    return best.problems.length > 0 ? best.problems : (context) => run(given, best, context);
  };
}

/** The messages of an error and its causes. They may contain the URL of the API and secrets in it. */
function reasonOf(error: Error): string {
  return error.cause instanceof Error ? `${error.message}: ${reasonOf(error.cause)}` : error.message;
}
