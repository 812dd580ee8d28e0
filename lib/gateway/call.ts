/** Carries out calls. This is the policy of the gateway: checks, consent, and what is said of an answer. */

import type { JsonObject } from "../base/json.ts";
import type { SchemaObject, SchemaOptions, Validator } from "../schema/mod.ts";
import type { ToolAnnotations, ToolContext } from "../server/tool.ts";
import type { Content } from "../server/tool_result.ts";
import type { Consent } from "./consent.ts";
import type { Operation } from "./endpoint.ts";
import type { Answer, Sender } from "./request.ts";
import type { Credential } from "./secrets.ts";
import { toBase64 } from "../base/bytes.ts";
import { asString, visibleJson } from "../base/json.ts";
import { problemLines, shortened } from "../base/text.ts";
import { compileSchema } from "../schema/mod.ts";
import { ToolTimeoutError, ToolValidationError } from "../server/tool.ts";
import { audio, embeddedResource, image, text, ToolResult } from "../server/tool_result.ts";
import { CONFIRMATION, PART } from "./endpoint.ts";
import { excerpt } from "./parts.ts";
import { BaseUrl, requestBuilder, send, UpstreamError } from "./request.ts";
import { inputSchemaOf, outputSchemaOf } from "./schemas.ts";
import { redact, redactBytes, redactJson } from "./secrets.ts";
import { kindOf } from "./serialize.ts";

/** How long a person may think about a plan, in milliseconds. */
const DECISION_MS = 10 * 60_000;
/** How much longer than the gateway the server waits, in milliseconds: the gateway's own time says what happened. */
const GRACE_MS = 5000;
/** The longest plan, in UTF-16 units: more than a person reads before consenting. A longer one is refused, never cut. */
const MAX_PLAN = 20_000;
/** How much of an explanation of a failure is shown to a model, or to the operator, in UTF-16 units. */
const MAX_EXPLANATION = 4000;
/** The deepest nesting of data in a result: a result has 64 levels, with those around it. */
const MAX_LEVELS = 60;
/** Statuses and failures after which the same request can succeed, and statuses after which nothing was done. */
const TEMPORARY: readonly unknown[] = ["timeout", "connection", 408, 425, 429, 502, 503, 504];
const UNTOUCHED = [425, 429, 503];
/** Media types of text, besides `text/*`, JSON and XML. */
const TEXTS = ["xml", "x-ndjson", "yaml", "x-yaml", "javascript"].map((name) => `application/${name}`);
/** What the usual statuses mean. */
const MEANINGS = new Map(
  ("400 bad request,401 not authenticated,403 forbidden,404 not found,405 method not allowed,408 request timeout," +
    "409 conflict,410 gone,412 precondition failed,413 content too large,415 unsupported media type," +
    "422 unprocessable content,429 too many requests,500 internal error,502 bad gateway,503 unavailable,504 gateway timeout")
    .split(",").map((text) => [Number(text.slice(0, 3)), ` (${text.slice(4)})`]),
);

/** What the calls of one gateway share. */
export interface Shared extends Sender {
  readonly credentials: ReadonlyMap<string, Credential>;
  readonly consent: Consent;
  readonly timeoutMs: number;
  readonly maxShown: number;
  readonly onfailure: (tool: string, reason: string, cause?: UpstreamError) => void;
}

export type EndpointCall = (args: JsonObject, context: ToolContext) => Promise<ToolResult>;

/** The time after which the server stops a call of an endpoint. */
export function serverTimeoutMs({ timeoutMs, isSafe }: Operation, shared: Shared): number {
  return (timeoutMs ?? shared.timeoutMs) + GRACE_MS + (isSafe ? 0 : DECISION_MS);
}

/** Hints that hold: what changes something may do so for good. */
export function annotations(method: string, isSafe: boolean): ToolAnnotations {
  return {
    readOnlyHint: isSafe,
    destructiveHint: !isSafe,
    idempotentHint: isSafe || method === "PUT" || method === "DELETE",
    openWorldHint: true,
  };
}

/** Makes what carries out the calls of an endpoint. */
export function endpointCall(endpoint: Operation, shared: Shared): EndpointCall {
  const { name, isSafe, timeoutMs = shared.timeoutMs } = endpoint;
  const { consent, onfailure } = shared;
  const base = endpoint.base === undefined ? shared.base : new BaseUrl(endpoint.base);
  const credentials = endpoint.credentials.map((one) => shared.credentials.get(one)!);
  const check = checker(inputSchemaOf(endpoint), { formats: true });
  const { anyOf: promised, ...output } = outputSchemaOf(endpoint) ?? {};
  const checkData = promised && checker({ ...output, allOf: promised.slice(0, 1) }, { maxIssues: 3 });
  const build = requestBuilder(endpoint, base, credentials);
  return async (given, context) => {
    // A dispatcher's arguments come unchecked, and the server does not check formats.
    const problems = check(given);
    if (problems.length > 0) {
      throw new ToolValidationError(`The arguments of ${name} do not fit:\n- ${problems.join("\n- ")}`);
    }
    const { [CONFIRMATION]: token, [PART]: part, ...args } = given;
    const rounded = find(args, isRounded);
    if (rounded !== undefined) {
      throw new ToolValidationError(`${rounded}: integers from 2^53 on lose digits; a text may be accepted`);
    }
    const request = build(args);
    if (!isSafe) {
      // The address of the API is not for clients.
      const target = request.url.href.slice(base.toString().length);
      const summary = `${request.method} ${target} with the arguments ${visibleJson(args)}`;
      if (summary.length > MAX_PLAN) {
        const most = `${summary.length} characters, and a person can be shown ${MAX_PLAN}`;
        throw new ToolValidationError(
          `The plan for ${name} has ${most}; nothing was sent. Use shorter arguments.`,
        );
      }
      const plan = { tool: name, summary };
      const stopped = await consent(plan, args, token, context);
      if (stopped) return stopped;
    }
    try {
      const answer = await send(request, credentials, { ...shared, base }, timeoutMs, context.signal);
      if (answer.status >= 500) {
        const said = redact(new TextDecoder().decode(answer.bytes), credentials);
        onfailure(name, `The API answered ${answer.status} and said: ${shortened(said, MAX_EXPLANATION)}`);
      }
      return resultOf(answer, endpoint, credentials, checkData, shared.maxShown, asString(part));
    } catch (cause) {
      if (!(cause instanceof UpstreamError)) throw cause;
      onfailure(name, redact(reasonOf(cause), [...shared.credentials.values()]), cause);
      const result = failure(cause, isSafe, ` within ${timeoutMs} ms`);
      if (cause.kind === "timeout") throw new ToolTimeoutError(result);
      return new ToolResult([text(result)], { isError: true });
    }
  };
}

/** Finds what is wrong with a value, a line each. The schema is compiled when it is first needed. */
function checker(schema: SchemaObject, options: SchemaOptions): (value: unknown) => readonly string[] {
  let check: Validator | undefined;
  return (value) => problemLines((check ??= compileSchema(schema, options))(value));
}

type Test = (value: unknown, level: number) => boolean;

/** The path of the first value that passes a test; undefined when there is none. */
function find(value: unknown, test: Test, level = 0): string | undefined {
  if (test(value, level)) return "";
  if (typeof value !== "object" || value === null) return undefined;
  for (const [key, item] of Object.entries(value)) {
    const rest = find(item, test, level + 1);
    if (rest !== undefined) return `/${key}${rest}`;
  }
  return undefined;
}

/** Whether a number may have lost digits when it was parsed. */
const isRounded: Test = (value) => Number.isInteger(value) && !Number.isSafeInteger(value);

/** Whether data nests deeper than a result may. */
export function isTooDeep(data: unknown): boolean {
  const isBelow: Test = (value, level) => level >= MAX_LEVELS && typeof value === "object" && value !== null;
  return find(data, isBelow) !== undefined;
}

/** The reason of a failure, and its causes: a library may name the whole address. */
function reasonOf(error: Error): string {
  return error.cause instanceof Error ? `${error.message}: ${reasonOf(error.cause)}` : error.message;
}

/** The result of an answer; `check` is undefined when the tool promises no data. */
function resultOf(
  answer: Answer,
  { response, isSafe }: Operation,
  credentials: readonly Credential[],
  check: ReturnType<typeof checker> | undefined,
  most: number,
  part: string | undefined,
): ToolResult {
  const { status, headers, bytes } = answer;
  // Header fields may repeat secrets too.
  const type = redact(answer.type, credentials) === answer.type ? answer.type : "";
  const retryAfter = redact(headers.get("retry-after") ?? "", credentials);
  const isJson = kindOf(type) === "json";
  const written = textOf({ ...answer, type });
  const parsed = isJson && written !== undefined ? parse(written) : undefined;
  const isParsed = parsed !== undefined;
  const clean = (isParsed ? redactJson : redact)(written ?? "", credentials);
  const fail = (kind: Failure["kind"], shown = "") => {
    const words = `${failure({ kind, status, retryAfter }, isSafe)}\n\n${shortened(shown, MAX_EXPLANATION)}`;
    return new ToolResult([text(words.trim())], { isError: true });
  };
  if (status >= 400) {
    // What the API says of a mistake of the caller is passed on; what it says of itself is not.
    return fail("status", status < 500 && (isJson || type === "text/plain") ? clean : "");
  }
  if (status < 200 || status >= 300) return fail("redirect");
  if (bytes.length > 0 && isJson && !isParsed) return fail("unreadable");
  const value = isParsed && clean !== written ? JSON.parse(clean) : parsed;
  const problem = bytes.length === 0
    ? "it is empty"
    : !isParsed
    ? `it is ${type || "of no known type"} and not JSON`
    : isTooDeep(value)
    ? "it nests too deep"
    : undefined;
  // What is too deep is not parsed again: that recurses.
  const data = !problem && /\d{16}/.test(clean) ? JSON.parse(clean, exact) : value;
  const problems = check ? problem ? [problem] : check(data) : [];
  const head = isJson || type === "text/plain" ? [] : [text(`The API answered with ${type}:`)];
  let content: Content[] = [...head, text(clean)];
  let usable = response && !problem ? data : undefined;
  if (written === undefined || bytes.length === 0) {
    content = [blockOf(status, type, redactBytes(bytes, credentials))];
  } else if (part !== undefined || bytes.length > most) {
    const { left, value: shown, placed } = excerpt(isParsed && !problem ? data : clean, most, part) ?? {};
    if (!left) {
      return new ToolResult([text(`There is an answer, but it has no part "${part}".`)], { isError: true });
    }
    const again = isSafe ? "call again" : "the call has to be carried out again";
    const names =
      `The answer has ${bytes.length} bytes. To read what was left out, ${again}, with "${PART}" as one of `;
    content = [...head, text(typeof shown === "string" ? shown : JSON.stringify(shown))];
    if (left.length > 0) content.push(text(names + JSON.stringify(left)));
    // What was left out may be required, and a tool has to keep its promise.
    usable = check?.(placed).length === 0 ? placed : check && usable;
  }
  if (problems.length === 0) return new ToolResult(content, { value: usable });
  const unexpected_answer = problems.join("; ");
  const note = "The call was carried out, but the answer is not what the API says of itself: ";
  return new ToolResult([text(note + unexpected_answer), ...content], { value: { unexpected_answer } });
}

/** Bytes as content. The address of the API is not shown, so a resource gets a name of its own. */
function blockOf(status: number, type: string, bytes: Uint8Array<ArrayBuffer>): Content {
  if (bytes.length === 0) return text(`The API answered ${status}, with no content.`);
  if (type.startsWith("image/")) return image(bytes, type);
  if (type.startsWith("audio/")) return audio(bytes, type);
  const resource = { uri: `urn:uuid:${crypto.randomUUID()}`, mimeType: type || "application/octet-stream" };
  return embeddedResource({ ...resource, blob: toBase64(bytes) });
}

/** Reads integers that a double cannot hold as texts. TypeScript does not know the third argument. */
function exact(_: string, value: unknown, context?: { readonly source?: string }): unknown {
  return isRounded(value, 0) && /^-?\d+$/.test(context?.source ?? "") ? context!.source : value;
}

interface Failure {
  readonly kind: UpstreamError["kind"] | "status" | "unreadable";
  readonly status: number | undefined;
  readonly retryAfter?: string;
}

/** Says what failed, and whether the call can be repeated. */
function failure({ kind, status = 0, retryAfter = "" }: Failure, isSafe: boolean, within = ""): string {
  // What is known of a call that may have changed something.
  const fate = isSafe || (status >= 400 && status < 500)
    ? ""
    : status >= 200 && status < 300
    ? "; the call was carried out, so do not repeat it for that"
    : ", and it is not known whether it was carried out: look before you call again";
  const sentence = {
    status: `The API answered ${status}${MEANINGS.get(status) ?? ""}${fate}`,
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

/** The value of JSON text; undefined, which JSON cannot express, for any other text. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    if (cause instanceof SyntaxError) return undefined;
    throw cause;
  }
}

/** A body as text; undefined when it is not text, or not in its character set. */
function textOf({ type, headers, bytes }: Answer): string | undefined {
  const charset = /;\s*charset=\s*"?([^";\s]+)/i.exec(headers.get("content-type") ?? "")?.[1];
  const isText = kindOf(type) !== "bytes" || TEXTS.includes(type) || /^application\/.*\+xml$/.test(type);
  try {
    return isText ? new TextDecoder(charset, { fatal: true }).decode(bytes) : undefined;
  } catch (cause) {
    // An unknown character set is a RangeError, wrong bytes are a TypeError.
    if (cause instanceof RangeError || cause instanceof TypeError) return undefined;
    throw cause;
  }
}
