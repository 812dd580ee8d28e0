/** Carries out the calls of endpoints: checks arguments, obtains consent, and makes a tool's result of the answer. */

import type { JsonObject } from "../base/json.ts";
import type { SchemaObject, SchemaOptions, Validator } from "../formats/schema/mod.ts";
import type { Content, ToolAnnotations, ToolContext } from "../mcp/server/tool.ts";
import type { Operation } from "./endpoint.ts";
import type { Answer, Sender } from "./request.ts";
import type { Credential } from "./secrets.ts";
import { toBase64 } from "../base/base64.ts";
import { asString, canonical, isTooDeep, tryParse, visibleJson } from "../base/json.ts";
import { attempt, problemLines, shortened } from "../base/text.ts";
import { compileSchema } from "../formats/schema/mod.ts";
import { ANSWER_WITHIN_MS, identityOf } from "../mcp/server/request_state.ts";
import { TokenSigner } from "../base/signer.ts";
import { audio, embeddedResource, image, ToolResult } from "../mcp/server/tool.ts";
import { MissingCapabilityError, ToolTimeoutError, ToolValidationError } from "../mcp/server/tool.ts";
import { CONFIRMATION, PART, reject } from "./endpoint.ts";
import { excerpt } from "./parts.ts";
import { BaseUrl, requestBuilder, send, UpstreamError } from "./request.ts";
import { asSent, inputSchemaOf, isRounded, outputSchemaOf } from "./schemas.ts";
import { redact, redactBytes, redactJson } from "./secrets.ts";
import { jsonOf, kindOf } from "./serialize.ts";

const TOKEN_MINUTES = 5;
/** How long a person may think about a plan, and how much longer than the gateway the server waits, in milliseconds. */
const DECISION_MS = 10 * 60_000, GRACE_MS = 5000;
/** The longest plan, which is never cut, and how much of an API's explanation of a failure is shown, in UTF-16 units. */
const MAX_PLAN = 20_000, MAX_EXPLANATION = 4000;
/** How deep data may nest: a result may nest 64 levels, and some are taken up by what is around the data. */
export const MAX_LEVELS = 60;
/** The most steps of a check: enough for megabytes, and at worst about 100 ms. */
const MAX_STEPS = 500_000;
/** Statuses and failures after which the same request may succeed, and statuses that say that nothing was done. */
const TEMPORARY: readonly unknown[] = ["timeout", "connection", 408, 425, 429, 502, 503, 504];
const UNTOUCHED = [425, 429, 503];
/** Media types of text, besides `text/*`, JSON and XML. */
const TEXTS = /^application\/(?:xml|x-ndjson|yaml|x-yaml|javascript|.*\+xml)$/;

type Consent = (
  plan: Plan,
  args: JsonObject,
  token: unknown,
  context: ToolContext,
) => Promise<ToolResult | undefined>;

export interface Shared extends Sender {
  readonly credentials: ReadonlyMap<string, Credential>;
  readonly consent: Consent;
  readonly timeoutMs: number;
  readonly maxShown: number;
  readonly onfailure: (tool: string, reason: string, cause?: UpstreamError) => void;
}

/** A call whose arguments were checked. */
export type Call = (context: ToolContext) => Promise<ToolResult>;

/** Checks arguments: the call with them, or what is wrong with them. */
export type EndpointCall = (given: JsonObject) => Call | readonly string[];

export function serverTimeoutMs({ timeoutMs, isSafe }: Operation, shared: Shared): number {
  return (timeoutMs ?? shared.timeoutMs) + GRACE_MS + (isSafe ? 0 : DECISION_MS);
}

export function annotations(method: string, isSafe: boolean): ToolAnnotations {
  return {
    readOnlyHint: isSafe,
    destructiveHint: !isSafe,
    idempotentHint: isSafe || method === "PUT" || method === "DELETE",
    openWorldHint: true,
  };
}

export function endpointCall(endpoint: Operation, shared: Shared): EndpointCall {
  const { name, isSafe, timeoutMs = shared.timeoutMs } = endpoint;
  const { consent, onfailure, maxShown } = shared;
  const base = endpoint.base === undefined ? shared.base : new BaseUrl(endpoint.base);
  const credentials = endpoint.credentials.map((one) => shared.credentials.get(one)!);
  const inputSchema = inputSchemaOf(endpoint);
  const check = checker(inputSchema, { formats: true, maxSteps: MAX_STEPS });
  const build = requestBuilder(endpoint, base, credentials);
  const resultOf = resultReader(endpoint, credentials, maxShown);
  const run = async (given: JsonObject, sent: JsonObject, note: string, context: ToolContext) => {
    const { [CONFIRMATION]: token, [PART]: part, ...args } = given;
    const request = build(sent);
    if (!isSafe) {
      // The address of the API is not for clients.
      const target = request.url.href.slice(base.toString().length);
      const shown = `${request.method} ${target} with the arguments ${visibleJson(args)}`;
      const summary = note === "" ? shown : `${shown}. ${note}`;
      if (summary.length > MAX_PLAN) {
        const reason = `${summary.length} characters, and a person can be shown ${MAX_PLAN}`;
        return reject(`The plan for ${name} has ${reason}; nothing was sent. Use shorter arguments.`);
      }
      const stopped = await consent({ tool: name, summary }, args, token, context);
      if (stopped) return stopped;
    }
    try {
      const answer = await send(request, credentials, { ...shared, base }, timeoutMs, context.signal);
      if (answer.status >= 500) {
        const said = redact(new TextDecoder().decode(answer.bytes), credentials);
        onfailure(name, `The API answered ${answer.status} and said: ${shortened(said, MAX_EXPLANATION)}`);
      }
      return resultOf(answer, asString(part), note);
    } catch (cause) {
      if (!(cause instanceof UpstreamError)) throw cause;
      onfailure(name, redact(reasonOf(cause), [...shared.credentials.values()]), cause);
      const result = failureText(cause.kind, cause.status ?? 0, isSafe, "", ` within ${timeoutMs} ms`);
      if (cause.kind === "timeout") throw new ToolTimeoutError(result);
      return failed(result);
    }
  };
  return (given) => {
    const { sent, notes, hasLarge, problems: rounded } = asSent(given, inputSchema);
    // The check knows no bigints.
    const problems = [...rounded, ...check(hasLarge ? JSON.parse(jsonOf(sent)) : sent)];
    if (problems.length > 0) return problems;
    const note = notes.length > 0 ? `The API does not describe ${notes.join(", ")}, and may ignore it.` : "";
    return (context) => run(given, sent, note, context);
  };
}

/** Makes a function that turns an answer into a result: `part` chooses a part of a long one, and `note` goes before it. */
function resultReader(endpoint: Operation, credentials: readonly Credential[], most: number) {
  const { isSafe, response } = endpoint;
  const { anyOf: promised, ...output } = outputSchemaOf(endpoint) ?? {};
  // Without the alternative for an answer that is not what was promised.
  const checkData = promised && checker({ ...output, allOf: promised.slice(0, 1) }, { maxIssues: 3 });
  return (answer: Answer, part: string | undefined, note: string): ToolResult => {
    const { status, headers, bytes } = answer;
    // The API may repeat secrets in header fields too.
    const type = redact(answer.type, credentials) === answer.type ? answer.type : "";
    const retryAfter = redact(headers.get("retry-after") ?? "", credentials);
    const isJson = kindOf(type) === "json", isPlain = isJson || type === "text/plain";
    const written = textOf({ ...answer, type });
    const parsed = isJson && written !== undefined ? tryParse(written) : undefined;
    const isParsed = parsed !== undefined;
    const clean = (isParsed ? redactJson : redact)(written ?? "", credentials);
    const fail = (kind: Failure, shown = "") =>
      failed(`${failureText(kind, status, isSafe, retryAfter)}\n\n${shortened(shown, MAX_EXPLANATION)}`);
    if (status >= 400) {
      // What the API says about a mistake of the caller is passed on; what it says about its own is not.
      return fail("status", status < 500 && isPlain ? clean : "");
    }
    if (status < 200 || status >= 300) return fail("redirect");
    if (bytes.length > 0 && isJson && !isParsed) return fail("unreadable");
    const problem = bytes.length === 0
      ? "it is empty"
      : !isParsed
      ? `it is ${type || "of no known type"} and not JSON`
      : isTooDeep(parsed, MAX_LEVELS)
      ? "it nests too deep"
      : undefined;
    // Secrets are taken out, and large integers become texts. What nests too deep is not parsed again: that recurses.
    const isChanged = clean !== written || /\d{16}/.test(clean);
    const data = !problem && isChanged ? JSON.parse(clean, exact) : parsed;
    const problems = !checkData ? [] : problem ? [problem] : checkData(data);
    const said = note === "" ? [] : [note];
    const head = isPlain ? said : [...said, `The API answered with ${type}:`];
    let content: ToolResult["content"] = [...head, clean];
    let usable = response && !problem ? data : undefined;
    if (written === undefined || bytes.length === 0) {
      content = [...said, blockOf(status, type, redactBytes(bytes, credentials))];
    } else if (part !== undefined || bytes.length > most) {
      const found = excerpt(isParsed && !problem ? data : clean, most, part);
      if (!found) return failed(`There is an answer, but it has no part "${part}".`);
      const { value: shown, placed, left } = found;
      content = [...head, typeof shown === "string" ? shown : JSON.stringify(shown)];
      const how = isSafe ? "call again" : "the call has to be carried out again";
      const words = `The answer has ${bytes.length} bytes. To read what was left out, ${how}, with "${PART}"`;
      if (left.length > 0) content = [...content, `${words} as one of ${JSON.stringify(left)}`];
      // A tool with an output schema has to keep to it, with all data if the shown ones lack a required part.
      usable = checkData && (checkData(placed).length === 0 ? placed : usable);
    }
    if (problems.length === 0) return new ToolResult(content, { value: usable });
    const unexpected_answer = problems.join("; ");
    const words = "The call was carried out, but the answer is not what the API says of itself: ";
    return new ToolResult([words + unexpected_answer, ...content], { value: { unexpected_answer } });
  };
}

function checker(schema: SchemaObject, options: SchemaOptions): (value: unknown) => readonly string[] {
  let check: Validator | undefined;
  return (value) => problemLines((check ??= compileSchema(schema, options))(value));
}

/** The message of an error with those of its causes. They may hold the address of the API, and secrets in it. */
function reasonOf(error: Error): string {
  return error.cause instanceof Error ? `${error.message}: ${reasonOf(error.cause)}` : error.message;
}

function failed(words: string): ToolResult {
  return new ToolResult([words.trim()], { isError: true });
}

/** Bytes as content. A resource gets a URI of its own, because clients are not shown the address of the API. */
function blockOf(status: number, type: string, bytes: Uint8Array<ArrayBuffer>): string | Content {
  if (bytes.length === 0) return `The API answered ${status}, with no content.`;
  if (type.startsWith("image/")) return image(bytes, type);
  if (type.startsWith("audio/")) return audio(bytes, type);
  const resource = { uri: `urn:uuid:${crypto.randomUUID()}`, mimeType: type || "application/octet-stream" };
  return embeddedResource({ ...resource, blob: toBase64(bytes) });
}

/** For `JSON.parse`: reads integers that a double cannot hold as texts. TypeScript does not know the third argument. */
function exact(_: string, value: unknown, context?: { readonly source?: string }): unknown {
  return isRounded(value) && /^-?\d+$/.test(context?.source ?? "") ? context!.source : value;
}

type Failure = UpstreamError["kind"] | "status" | "unreadable";

/** What is said of a call that failed: a sentence, and a line with the kind, the status and whether to retry. */
function failureText(kind: Failure, status: number, isSafe: boolean, retryAfter = "", within = ""): string {
  // What became of a call that can change something.
  const fate = isSafe || (status >= 400 && status < 500)
    ? ""
    : status >= 200 && status < 300
    ? "; the call was carried out, so do not repeat it for that"
    : ", and it is not known whether it was carried out: look before you call again";
  const sentence = {
    status: `The API answered ${status}${fate}`,
    timeout: `The API did not answer${within}${fate}`,
    connection: `The API could not be reached, or the connection broke${fate}`,
    redirect: `The API redirected the call to where it is not followed${fate}`,
    stream: `The API answered with a stream of events, which is not read here${fate}`,
    too_large: `The answer is larger than is read here${isSafe ? "; ask for less, or for one page" : fate}`,
    unreadable: "The call was carried out, but the API said that its answer is JSON, and it is not",
  }[kind];
  const isTemporary = TEMPORARY.includes(kind === "status" ? status : kind);
  const canRetry = isTemporary && (isSafe || UNTOUCHED.includes(status));
  const wait = /^\d{1,6}$/.test(retryAfter) ? `, after ${retryAfter} seconds` : "";
  return `${sentence}.\nkind: ${kind}; status: ${status || "none"}; retry: ${canRetry ? `yes${wait}` : "no"}`;
}

function textOf({ type, headers, bytes }: Answer): string | undefined {
  const charset = /;\s*charset=\s*"?([^";\s]+)/i.exec(headers.get("content-type") ?? "")?.[1];
  const isText = kindOf(type) !== "bytes" || TEXTS.test(type);
  return isText ? attempt(() => new TextDecoder(charset, { fatal: true }).decode(bytes)) : undefined;
}

/** What a call would do. */
export interface Plan {
  /** The tool. */
  readonly tool: string;
  /** One sentence for people: the method, the address and the arguments. */
  readonly summary: string;
}

/** Asks a person whether a plan may be carried out. @returns The answer, or undefined when no person can be asked. */
export type Confirm = (plan: Plan, call: ToolContext) => Promise<"accept" | "decline" | "cancel" | undefined>;

export const askUser: Confirm = async ({ summary }, context) => {
  try {
    const { action } = await context.elicit({
      // A key that cannot be foreseen: no client can send an answer before it has seen the plan.
      key: `confirmation-${crypto.randomUUID()}`,
      message: `${summary}\n\nShall this be done?`,
      schema: { type: "object", properties: {} },
    });
    return action;
  } catch (cause) {
    if (cause instanceof MissingCapabilityError) return undefined;
    throw cause;
  }
};

/** Makes a function that obtains consent to a call. It returns undefined when there is consent, or else the result of the call. */
export function consentBy(confirm: Confirm): Consent {
  const signer = new TokenSigner();
  /** The tokens and answers that were used, with the time when they expire. */
  const used = new Map<string, number>();
  /** Returns false for what was used before. */
  const markUsed = (id: string, until: number) => {
    const now = Date.now();
    for (const [one, end] of used) if (end < now) used.delete(one);
    if (used.has(id)) return false;
    used.set(id, until);
    return true;
  };
  return async (plan, args, token, context) => {
    const { tool, summary } = plan;
    // The second call may have its arguments in another order.
    const purpose = `gateway confirmation ${canonical([tool, args, identityOf(context.authentication)])}`;
    const unsent = (what: string, next: string) =>
      new ToolValidationError(`${what}; nothing was sent. Call ${tool} without it ${next}.`);
    if (token !== undefined) {
      const claim = await signer.open(purpose, String(token));
      const [id, expires]: [string, number] = JSON.parse(claim ?? '["",0]');
      if (expires >= Date.now() && markUsed(id, expires)) return undefined;
      const reason = claim ? "has expired or was used already" : "is not for this tool and these arguments";
      throw unsent(`The confirmation token ${reason}`, "for a new plan");
    }
    const answer = await confirm(plan, context);
    if (answer === undefined) {
      const claim = [crypto.randomUUID(), Date.now() + TOKEN_MINUTES * 60_000];
      const token = await signer.sign(purpose, JSON.stringify(claim));
      const words =
        `Nothing was sent yet. This call would be: ${summary}\n\nShow this to the person you work for. If they agree, ` +
        `call ${tool} again within ${TOKEN_MINUTES} minutes, with the same arguments and "${CONFIRMATION}": "${token}"`;
      const value = { status: "confirmation_required", plan: summary, [CONFIRMATION]: token };
      return new ToolResult([words], { value });
    }
    const { requestState } = context;
    if (requestState !== undefined && !markUsed(requestState, Date.now() + ANSWER_WITHIN_MS)) {
      throw unsent("This confirmation was used already", "to be asked again");
    }
    if (answer === "accept") return undefined;
    const decision = `The person who was asked ${answer === "decline" ? "said no" : "did not decide"}`;
    return failed(`${decision}. Nothing was sent; do not call this again unless you are told to.`);
  };
}
