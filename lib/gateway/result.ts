/** Makes a tool's result of the answer of an API. */

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

export const MAX_EXPLANATION = 4000;
/** How deep data may nest: a result may nest 64 levels, and some are taken up by what is around the data. */
export const MAX_LEVELS = 60;
/** Statuses and failures after which the same request may succeed, and statuses that say that nothing was done. */
const TEMPORARY: readonly unknown[] = ["timeout", "connection", 408, 425, 429, 502, 503, 504];
const UNTOUCHED = [425, 429, 503];
/** Media types of text, besides `text/*`, JSON and XML. */
const TEXTS = /^application\/(?:xml|x-ndjson|yaml|x-yaml|javascript|.*\+xml)$/;

/** Makes a function that turns an answer into a result: `part` chooses a part of a long one, and `note` goes before it. */
export function resultReader(endpoint: Operation, credentials: readonly Credential[], most: number) {
  const { isSafe, response } = endpoint;
  const { anyOf: promised, ...output } = outputSchemaOf(endpoint) ?? {};
  // Without the alternative for an answer that is not what was promised.
  const checkData = promised && checker({ ...output, allOf: promised.slice(0, 1) }, { maxIssues: 3 });
  return (answer: Answer, part: string | undefined, note: string): ToolResult => {
    const { status, headers, bytes } = answer;
    // The API may repeat secrets in header fields too.
    const type = redact(answer.type, credentials) === answer.type ? answer.type : "";
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
      if (!found) return failedResult(`There is an answer, but it has no part "${part}".`);
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

export function checker(schema: SchemaObject, options: SchemaOptions): (value: unknown) => readonly string[] {
  let check: Validator | undefined;
  return (value) => problemLines((check ??= compileSchema(schema, options))(value));
}

export function failedResult(words: string): ToolResult {
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
export function failureText(
  kind: Failure,
  status: number,
  isSafe: boolean,
  retryAfter = "",
  within = "",
): string {
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
  const isText = mediaKind(type) !== "bytes" || TEXTS.test(type);
  return isText ? attempt(() => new TextDecoder(charset, { fatal: true }).decode(bytes)) : undefined;
}
