/** What does the model get to read of an answer? Data where it is data, text or bytes with their type, and failures in words. */

import type { Content } from "../server/tool_result.ts";
import type { Credential } from "./credential.ts";
import type { Endpoint } from "./endpoint.ts";
import type { Answer, UpstreamError } from "./executor.ts";
import { toBase64 } from "../base/bytes.ts";
import { ToolTimeoutError } from "../server/tool.ts";
import { audio, embeddedResource, image, text, ToolResult } from "../server/tool_result.ts";
import { redact, redactBytes, redactJson } from "./redact.ts";

/** How much of an explanation of a failure is passed on, in characters. */
const MAX_EXPLANATION = 4000;

/** How deep data may nest: a result may, 64 levels with what is around it. */
const MAX_LEVELS = 60;

/** Statuses after which the same request can go well: it came too early, too often, or met a server that was not there. */
const PASSING: ReadonlySet<number> = new Set([408, 425, 429, 502, 503, 504]);
/** Those of them that say that nothing was done. */
const UNTOUCHED: ReadonlySet<number> = new Set([425, 429, 503]);

/** What a result promises beside its text. */
export type DataCheck = (value: unknown) => readonly string[];

/** What is known of a call when its answer is read. */
export interface Circumstances {
  readonly endpoint: Endpoint;
  readonly credentials: readonly Credential[];
  /** Holds the data against what the tool promises; undefined when it promises nothing. */
  readonly check: DataCheck | undefined;
}

/** The result for an answer, whatever its status. */
export function toResult(answer: Answer, around: Circumstances): ToolResult {
  const { status, bytes } = answer;
  if (status >= 400) return refused(answer, around);
  if (status < 200 || status >= 300) {
    return failure(
      "redirect",
      status,
      "no",
      `The API answered with something that is neither an answer nor a failure${
        fateOf(around.endpoint, status)
      }`,
    );
  }
  if (bytes.length === 0) {
    if (around.check) return misfit(status, "it is empty", "");
    return new ToolResult([text(`The API answered ${status}, with no content.`)]);
  }
  if (isJson(answer.type)) return data(answer, around);
  const read = textOf(answer);
  if (around.check) {
    return misfit(
      status,
      `it is ${answer.type || "of no known type"} and not JSON`,
      cut(redact(read ?? "", around.credentials)),
    );
  }
  return new ToolResult(blocks(answer, read, around));
}

/**
 * The result for an answer that never came.
 *
 * @throws {ToolTimeoutError} When it took too long.
 */
export function toFailure(
  { kind, status }: UpstreamError,
  { endpoint }: Circumstances,
  timeoutMs: number,
): ToolResult {
  const fate = fateOf(endpoint, status);
  const retry = endpoint.isSafe ? "yes" : "no";
  switch (kind) {
    case "timeout":
      throw new ToolTimeoutError(
        told("timeout", status, retry, `The API did not answer within ${timeoutMs} ms${fate}`),
      );
    case "connection":
      return failure(kind, status, retry, `The API could not be reached, or the connection broke${fate}`);
    case "redirect":
      return failure(kind, status, "no", `The API redirected the call to where it is not followed${fate}`);
    case "stream":
      return failure(
        kind,
        status,
        "no",
        `The API answered with a stream of events, which is not read here${fate}`,
      );
    case "too_large":
      return failure(
        kind,
        status,
        "no",
        `The answer is larger than is read here${endpoint.isSafe ? "; ask for less, or for one page" : fate}`,
      );
  }
}

/** What is known of a call that may have changed something, when its answer says nothing of it. */
function fateOf({ isSafe }: Endpoint, status: number | undefined): string {
  if (isSafe || (status !== undefined && status >= 400 && status < 500)) return "";
  return status !== undefined && status >= 200 && status < 300
    ? "; the call was carried out, so do not repeat it for that"
    : ", and it is not known whether it was carried out: look before you call again";
}

function data(answer: Answer, around: Circumstances): ToolResult {
  const { status } = answer;
  const written = textOf(answer);
  const parsed = written === undefined ? undefined : parse(written);
  if (written === undefined || !parsed) {
    return failure(
      "unreadable",
      status,
      "no",
      "The call was carried out, but the API said that its answer is JSON, and it is not",
    );
  }
  const clean = redactJson(written, around.credentials);
  const value = (clean === written ? parsed : parse(clean))?.value;
  // Before anything else goes down into it: how deep it is is for whoever answers to say.
  const isDeep = isTooDeep(value);
  // As text they keep all their digits, and as data they would be other numbers.
  const isRounded = !isDeep && /\d{16}/.test(written) && holdsRounded(value);
  const problems = isDeep
    ? ["it nests too deep"]
    : isRounded
    ? ["it holds numbers that lose digits as data"]
    : around.check?.(value) ?? [];
  if (around.check && problems.length > 0) return misfit(status, problems.join("; "), cut(clean));
  const isData = around.endpoint.response !== undefined && !isRounded && !isDeep;
  return new ToolResult([text(clean)], { value: isData ? value : undefined });
}

/** Whether data is too deep for a result. */
export function isTooDeep(value: unknown): boolean {
  return nestsDeeper(value, MAX_LEVELS);
}

function nestsDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  return levels === 0 || Object.values(value).some((member) => nestsDeeper(member, levels - 1));
}

function holdsRounded(value: unknown): boolean {
  if (typeof value === "number") return Number.isInteger(value) && !Number.isSafeInteger(value);
  return typeof value === "object" && value !== null && Object.values(value).some(holdsRounded);
}

function parse(written: string): { value: unknown } | undefined {
  try {
    return { value: JSON.parse(written) };
  } catch {
    // The caller says so.
    return undefined;
  }
}

/** The call went well, and its answer is not what the tool promises. What came is shown all the same. */
function misfit(status: number, reason: string, shown: string): ToolResult {
  const sentence = `The call was carried out, but the answer is not what the API says of itself: ${reason}`;
  return failure("unexpected_answer", status, "no", sentence, shown);
}

/** The API refused. What it says of a mistake of the caller is passed on; what it says of itself is not. */
function refused(answer: Answer, around: Circumstances): ToolResult {
  const { status } = answer;
  const canRetry = PASSING.has(status) && (around.endpoint.isSafe || UNTOUCHED.has(status));
  const wait = /^\d{1,6}$/.test(answer.retryAfter ?? "") ? `, after ${answer.retryAfter} seconds` : "";
  const isReadable = status < 500 && (isJson(answer.type) || answer.type === "text/plain");
  const shown = isReadable ? cut(explanationOf(answer, around)) : "";
  return failure(
    "status",
    status,
    canRetry ? `yes${wait}` : "no",
    `The API answered ${status}${name(status)}${fateOf(around.endpoint, status)}`,
    shown,
  );
}

function failure(
  kind: string,
  status: number | undefined,
  retry: string,
  sentence: string,
  shown = "",
): ToolResult {
  const words = told(kind, status, retry, sentence);
  return new ToolResult([text(shown === "" ? words : `${words}\n\n${shown}`)], { isError: true });
}

/** A failure in one form: a sentence, and three facts. */
function told(kind: string, status: number | undefined, retry: string, sentence: string): string {
  return `${sentence}.\nkind: ${kind}; status: ${status ?? "none"}; retry: ${retry}`;
}

function name(status: number): string {
  const words = NAMES[status];
  return words === undefined ? "" : ` (${words})`;
}

const NAMES: { readonly [status: number]: string } = {
  400: "bad request",
  401: "not authenticated",
  403: "forbidden",
  404: "not found",
  405: "method not allowed",
  408: "request timeout",
  409: "conflict",
  410: "gone",
  412: "precondition failed",
  413: "content too large",
  415: "unsupported media type",
  422: "unprocessable content",
  429: "too many requests",
  500: "internal error",
  502: "bad gateway",
  503: "unavailable",
  504: "gateway timeout",
};

/** What the API says of a mistake, which may say that it is JSON and be none. */
function explanationOf(answer: Answer, { credentials }: Circumstances): string {
  const written = textOf(answer) ?? "";
  return isJson(answer.type) && parse(written)
    ? redactJson(written, credentials)
    : redact(written, credentials);
}

function cut(clean: string): string {
  if (clean.length <= MAX_EXPLANATION) return clean;
  return `${clean.slice(0, MAX_EXPLANATION).toWellFormed()}… (${
    clean.length - MAX_EXPLANATION
  } more characters)`;
}

/** What is neither data nor failure, with its type. */
function blocks(answer: Answer, read: string | undefined, { credentials }: Circumstances): Content[] {
  const { type } = answer;
  if (read !== undefined) {
    const clean = redact(read, credentials);
    return type === "text/plain" ? [text(clean)] : [text(`The API answered with ${type}:`), text(clean)];
  }
  const bytes = redactBytes(answer.bytes, credentials);
  if (type.startsWith("image/")) return [image(bytes, type)];
  if (type.startsWith("audio/")) return [audio(bytes, type)];
  // A name for what has none: the address is the API's.
  const uri = `urn:uuid:${crypto.randomUUID()}`;
  return [embeddedResource({ uri, mimeType: type || "application/octet-stream", blob: toBase64(bytes) })];
}

/** A body as text; undefined when it is none, or not in the character set that it says. */
function textOf({ type, charset = "utf-8", bytes }: Answer): string | undefined {
  if (!isJson(type) && !isText(type)) return undefined;
  try {
    return new TextDecoder(charset, { fatal: true }).decode(bytes);
  } catch (cause) {
    // A character set that nobody knows is a RangeError, bytes that are not in it a TypeError.
    if (cause instanceof RangeError || cause instanceof TypeError) return undefined;
    throw cause;
  }
}

function isJson(type: string): boolean {
  return /^application\/(?:json|[\w.+-]+\+json)$|^text\/json$/.test(type);
}

function isText(type: string): boolean {
  return /^text\/|^application\/(?:xml|[\w.+-]+\+xml|x-ndjson|yaml|x-yaml|javascript|x-www-form-urlencoded)$/
    .test(type) &&
    !type.startsWith("image/");
}
