/** Makes a tool result from the answer of an API. */

import type { SchemaObject, SchemaOptions, Validator } from "../formats/schema/mod.ts";
import type { Content } from "../mcp/server/content.ts";
import type { Credential } from "./credential.ts";
import type { Operation } from "./endpoint.ts";
import type { Answer, UpstreamError } from "./send.ts";
import { toBase64 } from "../base/base64.ts";
import { isTooDeep, tryParse } from "../base/json.ts";
import { attempt, problemLines, shortened } from "../base/text.ts";
import { compileSchema } from "../formats/schema/mod.ts";
import { audio, embeddedResource, image, ToolResult } from "../mcp/server/content.ts";
import { PART } from "./endpoint.ts";
import { excerpt } from "./excerpt.ts";
import { mediaKind } from "./media_kind.ts";
import { redact, redactBytes, redactJson } from "./redact.ts";
import { isRounded } from "./sent_arguments.ts";
import { outputSchemaOf } from "./tool_definition.ts";

/** The maximum length of an explanation of the API that is shown, in UTF-16 units. */
export const MAX_EXPLANATION = 4000;
/** The maximum depth of data. A result may have 64 levels, and the object around the data takes some of them. */
export const MAX_LEVELS = 60;
/** Statuses and failures after which the same request may succeed. */
const TEMPORARY: readonly unknown[] = ["timeout", "connection", 408, 425, 429, 502, 503, 504];
/** Statuses after which the API has done nothing. */
const UNTOUCHED = [425, 429, 503];
/** Media types of text, in addition to `text/*` and JSON. */
const TEXTS =
  /^application\/(?:xml|(?:x-)?(?:ndjson|yaml|jsonl|jsonlines)|json-seq|javascript|.*\+(?:xml|yaml|json-seq))$/;

/** Makes a function that turns an answer into a result. `part` selects a part of a long answer; `note` is put before it. */
export function resultReader(endpoint: Operation, credentials: readonly Credential[], most: number) {
  const { isSafe, response } = endpoint;
  const { anyOf: promised, ...output } = outputSchemaOf(endpoint) ?? {};
  // Without the alternative for an unexpected answer.
  const checkData = promised && checker({ ...output, allOf: promised.slice(0, 1) }, { maxIssues: 3 });
  return (answer: Answer, part: string | undefined, note: string): ToolResult => {
    const { status, headers, bytes } = answer;
    // The API may repeat secrets in headers too.
    const isClean = redact(answer.type, credentials) === answer.type;
    const type = isClean ? answer.type || guessedType(bytes) : "";
    const retryAfter = redact(headers.get("retry-after") ?? "", credentials);
    const isJson = mediaKind(type) === "json", isPlain = isJson || type === "text/plain";
    const written = textOf({ ...answer, type });
    const parsed = isJson && written !== undefined ? tryParse(written) : undefined;
    const isParsed = parsed !== undefined;
    const clean = (isParsed ? redactJson : redact)(written ?? "", credentials);
    const fail = (kind: Failure, shown = "") =>
      failedResult(
        `${failureText(kind, status, isSafe, retryAfter)}\n\n${shortened(shown, MAX_EXPLANATION)}`,
      );
    if (status >= 400) {
      // Show what the API says about an error of the caller, but not what it says about its own errors.
      return fail("status", status < 500 && isPlain ? clean : "");
    }
    if (status < 200 || status >= 300) return fail("redirect");
    if (bytes.length > 0 && isJson && !isParsed) return fail("unreadable");
    const problem = bytes.length === 0
      ? "it is empty"
      : !isParsed
      ? `its type is ${type || "unknown"}, not JSON`
      : isTooDeep(parsed, MAX_LEVELS)
      ? "it is nested too deeply"
      : undefined;
    // Secrets are removed, and large integers become strings. Parsing recurses, so a value that is too deep is not parsed again.
    const isChanged = clean !== written || /\d{16}/.test(clean);
    const data = !problem && isChanged ? JSON.parse(exact(clean)) : parsed;
    const problems = !checkData ? [] : problem ? [problem] : checkData(data);
    const said = note === "" ? [] : [note];
    const head = isPlain ? said : [...said, `The API answered with ${type}:`];
    let content: ToolResult["content"] = [...head, clean];
    let usable = response && !problem ? data : undefined;
    if (written === undefined || bytes.length === 0) {
      content = [...said, blockOf(status, type, redactBytes(bytes, credentials))];
    } else if (part !== undefined || bytes.length > most) {
      const found = excerpt(isParsed && !problem ? data : clean, most, part);
      if (!found) return failedResult(`The call was carried out, but the answer has no part "${part}".`);
      const { value: shown, placed, left } = found;
      content = [...head, typeof shown === "string" ? shown : JSON.stringify(shown)];
      const how = isSafe ? "call again" : "repeat the call";
      const words = `The answer has ${bytes.length} bytes. To read what was left out, ${how} with "${PART}"`;
      if (left.length > 0) content = [...content, `${words} set to one of ${JSON.stringify(left)}`];
      // The data must match the output schema: send all data if the shown part lacks something required.
      usable = checkData && (checkData(placed).length === 0 ? placed : usable);
    }
    if (problems.length === 0) return new ToolResult(content, { value: usable });
    const unexpected_answer = problems.join("; ");
    const words = "The call was carried out, but the answer does not match the description of the API: ";
    return new ToolResult([words + unexpected_answer, ...content], { value: { unexpected_answer } });
  };
}

/** Makes a function that returns the mismatches of a value, one line each. It compiles the schema on first use. */
export function checker(schema: SchemaObject, options: SchemaOptions): (value: unknown) => readonly string[] {
  let check: Validator | undefined;
  return (value) => problemLines((check ??= compileSchema(schema, options))(value));
}

/** The result of a call that failed. */
export function failedResult(words: string): ToolResult {
  return new ToolResult([words.trim()], { isError: true });
}

/** Bytes as content. A resource gets a random URI, because clients must not see the URL of the API. */
function blockOf(status: number, type: string, bytes: Uint8Array<ArrayBuffer>): string | Content {
  if (bytes.length === 0) return `The API answered ${status}, with no content.`;
  if (type.startsWith("image/")) return image(bytes, type);
  if (type.startsWith("audio/")) return audio(bytes, type);
  const resource = { uri: `urn:uuid:${crypto.randomUUID()}`, mimeType: type || "application/octet-stream" };
  return embeddedResource({ ...resource, blob: toBase64(bytes) });
}

/** The type of an answer that names none, by its content (RFC 9110, section 8.3); "" for bytes. */
function guessedType(bytes: Uint8Array): string {
  const text = attempt(() => new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  if (text === undefined || /(?![\t\n\r])\p{Cc}/u.test(text)) return "";
  return tryParse(text) === undefined ? "text/plain" : "application/json";
}

/** JSON text in which integers that a double cannot hold are strings. */
function exact(json: string): string {
  return json.replace(
    /"[^"\\]*(?:\\.[^"\\]*)*"|(?<![\d.eE+-])-?\d{16,}(?![\d.eE])/g,
    (found) => found.startsWith('"') || !isRounded(Number(found)) ? found : `"${found}"`,
  );
}

type Failure = UpstreamError["kind"] | "status" | "unreadable";

/** Describes a failed call: a sentence, and a line with the kind, the status and whether to retry. */
export function failureText(
  kind: Failure,
  status: number,
  isSafe: boolean,
  retryAfter = "",
  within = "",
): string {
  // Whether a call that can change something was carried out.
  const fate = isSafe || (status >= 400 && status < 500)
    ? ""
    : status >= 200 && status < 300
    ? "; the call was carried out, so do not repeat it"
    : "; the call may have been carried out: check before you repeat it";
  const sentence = {
    status: `The API answered ${status}${fate}`,
    address: "The API was not called, because its host has a private address",
    timeout: `The API did not answer${within}${fate}`,
    connection: `The connection to the API failed${fate}`,
    redirect: `The API answered with a redirect that is not followed${fate}`,
    stream: `The API answered with an event stream, which is not supported${fate}`,
    too_large: `The answer is too large${isSafe ? "; ask for less, or for one page" : fate}`,
    unreadable: "The call was carried out, but the answer is not valid JSON, although its type is JSON",
  }[kind];
  const isTemporary = TEMPORARY.includes(kind === "status" ? status : kind);
  const canRetry = isTemporary && (isSafe || UNTOUCHED.includes(status));
  const wait = /^\d{1,6}$/.test(retryAfter) ? `, after ${retryAfter} seconds` : "";
  return `${sentence}.\nkind: ${kind}; status: ${status || "none"}; retry: ${canRetry ? `yes${wait}` : "no"}`;
}

/** The decoded text of an answer; undefined if it is not text. */
function textOf({ type, headers, bytes }: Answer): string | undefined {
  const charset = /;\s*charset=\s*"?([^";\s]+)/i.exec(headers.get("content-type") ?? "")?.[1];
  const isText = mediaKind(type) !== "bytes" || TEXTS.test(type);
  return isText ? attempt(() => new TextDecoder(charset, { fatal: true }).decode(bytes)) : undefined;
}
