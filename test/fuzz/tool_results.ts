/** Is the result of a tool what it must be? Its form by the revision, its content by what is on the shelf. */

import type { Json } from "./rules.ts";
import { has, isObject, isOutOfReach, member, textOf } from "./rules.ts";
import { DOCUMENTS } from "./shelf.ts";
import { problemsWith } from "./tool_arguments.ts";

/** How many calls a connection may make at once, by what the program promises. */
export const MAX_AT_ONCE = 200;
/** The words of a refusal for calling too often: the one answer that depends on the time. */
const TOO_OFTEN = /^Too many calls: wait /;
const MEMBERS: ReadonlySet<string> = new Set([
  "content",
  "structuredContent",
  "isError",
  "resultType",
  "_meta",
]);
const CATEGORIES: readonly string[] = ["adr", "guidelines", "odd", "patterns"];
const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/** What a result says, in a word: "done", "refused", or "too often". */
export function kindOfCall(result: Json): "done" | "refused" | "too often" {
  if (result["isError"] !== true) return "done";
  return TOO_OFTEN.test(textsOf(result)[0] ?? "") ? "too often" : "refused";
}

/** Says what is wrong with the result of a call; undefined when it is what is due. */
export function misfitCall(result: Json, params: Json, revision: string | undefined): string | undefined {
  const texts = textsOf(result).filter((text) => text !== undefined);
  const isError = result["isError"] === true;
  const hasData = has(result, "structuredContent");
  const strange = Object.keys(result).find((key) => !MEMBERS.has(key));
  if (strange !== undefined) return `has the member "${strange}"`;
  if (texts.length === 0 || texts.length < textsOf(result).length) return "is not made of text";
  if (has(result, "isError") && typeof result["isError"] !== "boolean") return "is neither right nor wrong";
  if (hasData !== (!isError && revision! >= "2025-06-18")) {
    return "has data where there should be none, or none";
  }
  if (hasData && !isObject(result["structuredContent"])) return "has data that are no object";
  const name = textOf(params["name"]);
  const given = has(params, "arguments") ? params["arguments"] : {};
  const kind = kindOfCall(result);
  if (kind === "too often") return undefined;
  const problems = problemsWith(name, given);
  if (problems.length > 0) {
    return kind === "done" ? "takes arguments that do not fit" : unnamed(texts[0]!, problems);
  }
  return CHECKS[name]!({ given: given as Json, texts, isError, data: result["structuredContent"] as Json });
}

/** The blocks of text; undefined for one that is no text. */
function textsOf(result: Json): readonly (string | undefined)[] {
  const blocks = Array.isArray(result["content"]) ? result["content"] as readonly Json[] : [];
  return blocks.map(({ type, text }) => type === "text" && typeof text === "string" ? text : undefined);
}

/** Every problem must be named, on a line of its own, and no other. */
function unnamed(text: string, problems: readonly string[]): string | undefined {
  const missing = problems.find((problem) => problem.length < 500 && !text.includes(onOneLine(problem)));
  if (missing !== undefined) return `does not say what is wrong with ${missing}`;
  const listed = text.split("\n").length - 1;
  return listed === problems.length
    ? undefined
    : `lists ${listed} problems, and there are ${problems.length}`;
}

/** A name of a member must not begin a line of its own. */
function onOneLine(name: string): string {
  // deno-lint-ignore no-control-regex
  return name.replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g, " ");
}

/** A result to arguments that fit. */
interface Answered {
  readonly given: Json;
  readonly texts: readonly string[];
  readonly isError: boolean;
  /** Undefined in revisions without it. */
  readonly data: Json | undefined;
}

const CHECKS: Readonly<Record<string, (answered: Answered) => string | undefined>> = {
  "decisions_for": misfitDecisions,
  "list_documents": misfitList,
  "read_document": misfitRead,
  "search_documents": misfitSearch,
};

function misfitRead({ given, texts, isError, data }: Answered): string | undefined {
  const uri = textOf(given["uri"]);
  const whole = DOCUMENTS.get(uri);
  if (!isError && data && data["text"] !== texts[1]) return "says one thing as text and another as data";
  if (whole === undefined || has(given, "section")) {
    if (isError) return undefined;
    if (isOutOfReach(uri)) return "was found, out of reach";
    return [...DOCUMENTS.values()].some((text) => text.includes(texts[1]!))
      ? undefined
      : "is the text of no document";
  }
  const part = cut(whole, (given["offset"] ?? 0) as number, (given["limit"] ?? 20_000) as number);
  if (isError !== (part === undefined)) return "is refused where it can be read, or the other way round";
  return isError || texts[1] === part ? undefined : "is not that part of the document";
}

/** So many bytes, less those of a character that is not whole; undefined when there is no character at the offset. */
function cut(whole: string, offset: number, limit: number): string | undefined {
  const bytes = encoder.encode(whole);
  const isPlace = (place: number) => place === bytes.length || (bytes[place]! & 0b1100_0000) !== 0b1000_0000;
  if (offset > bytes.length || !isPlace(offset)) return undefined;
  let end = Math.min(offset + limit, bytes.length);
  while (!isPlace(end)) end--;
  return decoder.decode(bytes.subarray(offset, end));
}

/** The documents of a category and a status; undefined when there is no such category. */
function documentsOf(given: Json): readonly string[] | undefined {
  const category = member(given, "category");
  const status = member(given, "status");
  if (category !== undefined && !CATEGORIES.includes(category as string)) return undefined;
  return [...DOCUMENTS].filter(([uri, text]) =>
    (category === undefined || uri.startsWith(`architecture://${category}/`)) &&
    (status === undefined ||
      /## Status\n\n(\w+)/.exec(text)?.[1]?.toLowerCase() === textOf(status).toLowerCase())
  ).map(([uri]) => uri);
}

function misfitList({ given, texts, isError, data }: Answered): string | undefined {
  const wanted = documentsOf(given);
  if (wanted === undefined || has(given, "cursor")) return isError ? undefined : "takes what nobody gave out";
  if (isError) return "is refused";
  if (data && data["total"] !== wanted.length) return `counts ${data["total"]} documents`;
  return misfitUris(data?.["documents"], texts[0]!, wanted);
}

function misfitSearch({ given, texts, isError, data }: Answered): string | undefined {
  const allowed = documentsOf(given);
  if (isError !== (allowed === undefined)) return "knows other categories than there are";
  if (!allowed) return undefined;
  const uris = urisIn(texts[0]!);
  if (uris.some((uri) => !allowed.includes(uri))) return "finds what was not asked for";
  const limit = (given["limit"] ?? 10) as number;
  if (data && uris.length !== Math.min(limit, data["total"] as number)) return `has ${uris.length} hits`;
  return misfitUris(data?.["hits"], texts[0]!, uris);
}

function misfitDecisions({ given, texts, isError, data }: Answered): string | undefined {
  if (has(given, "cursor")) return isError ? undefined : "takes what nobody gave out";
  if (isError) return "is refused";
  const paths = given["paths"] as readonly string[];
  const uris = urisIn(texts[0]!);
  if (paths.includes("src/a.ts") && uris.length !== 1) return "does not know what bears on src/a.ts";
  if (data && data["omitted"] !== 0) return "leaves something out";
  return misfitUris(data?.["documents"], texts[0]!, uris);
}

/** The URIs that lines begin with. */
function urisIn(text: string): string[] {
  return text.split("\n").flatMap((line) => /^(architecture:\/\/\S+) - /.exec(line)?.[1] ?? []);
}

function misfitUris(listed: unknown, text: string, wanted: readonly string[]): string | undefined {
  const all = wanted.join(" ");
  if (urisIn(text).join(" ") !== all) return `does not say ${all}`;
  if (listed === undefined) return undefined;
  return (listed as readonly Json[]).map(({ uri }) => uri).join(" ") === all
    ? undefined
    : `has other data than ${all}`;
}
