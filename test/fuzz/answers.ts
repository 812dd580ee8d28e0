/** Whether a line of output is what it must be: its form by JSON-RPC 2.0, and its content by what was asked. */

import { isObject, own } from "../../lib/base/json.ts";
import type { Due } from "./model.ts";
import type { Cursors } from "./messages.ts";
import type { Json, Outcome } from "./rules.ts";
import { META, MODERN } from "./messages.ts";
import { Discrepancy } from "./model.ts";
import { DOCUMENTS, PAGE_SIZE, PROMPTS, TEMPLATES, TOOLS } from "./root.ts";
import { isOutOfReach, negotiated, textOf } from "./rules.ts";

/** Every code that may be seen; -32603 is not among them, because nothing that a client sends may be our failure. */
const CODES: ReadonlySet<unknown> = new Set([-32700, -32600, -32601, -32602, -32002, -32022]);
/** The methods whose modern results say for how long they may be kept. */
const CACHEABLE =
  /^(?:server\/discover|resources\/read|(?:resources|resources\/templates|prompts|tools)\/list)$/;
/** What must not be seen anywhere in an error: a place in a stack, a module. */
const INTERNAL = /\n\s+at |\bnode:internal|\/lib\/(?:[a-z]+\/)+[a-z_]+\.ts\b/;
/** Parses a line of output; several messages are the answers to one batch. */
export function readOutput(line: string): Json | readonly Json[] {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    throw new Discrepancy("form", "A line of output is not JSON");
  }
  const messages = Array.isArray(value) ? value : [value];
  if (messages.length === 0) throw new Discrepancy("form", "An empty array was written");
  for (const message of messages) {
    if (!isAnswer(message)) {
      throw new Discrepancy("form", `${JSON.stringify(message)} is no answer of JSON-RPC`);
    }
  }
  return value as Json | readonly Json[];
}

function isAnswer(message: unknown): boolean {
  if (!isObject(message) || message["jsonrpc"] !== "2.0" || !hasOnly(message, "jsonrpc id result error")) {
    return false;
  }
  const { result, error } = message;
  if (error === undefined) return isObject(result);
  return result === undefined && isObject(error) && hasOnly(error, "code message data") &&
    CODES.has(error["code"]) &&
    textOf(error["message"]) !== "" && !INTERNAL.test(textOf(error["message"]));
}

function hasOnly(object: Json, names: string): boolean {
  return Object.keys(object).every((key) => names.split(" ").includes(key));
}

/** Says what is wrong with an answer to a request; undefined when it is what is due. */
export function problemOf(answer: Json, due: Due, isInArray: boolean, cursors: Cursors): string | undefined {
  if (isInArray !== (due.batch !== undefined)) return "came alone or in a batch where the request did not";
  const { error, result } = answer as { error?: { code: number; data?: Json }; result?: Json };
  const outcome = (error ? error.code : "result") as Outcome;
  if (!due.outcomes.includes(outcome)) return `is ${outcome}, and due is ${due.outcomes.join(" or ")}`;
  const params = (due.params ?? {}) as Json;
  if (result) {
    return envelopeProblem(result, due) ?? (CHECKS[due.method] ?? pageProblem)(result, params, due, cursors);
  }
  const isOther = due.method === "resources/read" && error!.data && error!.code !== -32022 &&
    error!.data["uri"] !== params["uri"];
  return isOther ? "names another URI than was asked for" : undefined;
}

/** What the modern revision adds to each result, and the older ones do not know. */
function envelopeProblem(result: Json, { method, revision }: Due): string | undefined {
  const isModern = revision === MODERN;
  const isKept = isModern && CACHEABLE.test(method);
  const info = isObject(result["_meta"]) ? result["_meta"][`${META}serverInfo`] : undefined;
  const isRight = (result["resultType"] === "complete") === isModern && isObject(info) === isModern &&
    Number.isInteger(result["ttlMs"]) === isKept && Object.hasOwn(result, "cacheScope") === isKept;
  return isRight ? undefined : "has another envelope than its revision";
}

type Check = (result: Json, params: Json, due: Due, cursors: Cursors) => string | undefined;
const unless = (isRight: unknown, problem: string) => isRight ? undefined : problem;

const CHECKS: Readonly<Record<string, Check>> = {
  "initialize": (result, params) =>
    unless(
      result["protocolVersion"] === negotiated(textOf(params["protocolVersion"])) &&
        isObject(result["capabilities"]),
      `agrees on ${result["protocolVersion"]}`,
    ),
  "ping": (result) => unless(Object.keys(result).length === 0, "says more than a ping does"),
  "server/discover": ({ supportedVersions }) =>
    unless((supportedVersions as unknown[])?.includes(MODERN), "does not support its own revision"),
  "resources/read": contentsProblem,
  "prompts/get": promptProblem,
  "completion/complete": ({ completion }) => {
    const { values, total = Infinity } = (completion ?? {}) as { values?: unknown[]; total?: number };
    const isList = Array.isArray(values) && values.length <= 100 &&
      values.every((one) => typeof one === "string");
    return unless(isList && total >= values.length, "has no list of values");
  },
  "tools/call": () => undefined,
};

/** The lists in full, by the member that holds a page; what tells one item from another is its first member here. */
const LISTS: Readonly<Record<string, readonly [member: string, key: string, items: readonly string[]]>> = {
  "resources/list": ["resources", "uri", [...DOCUMENTS.keys()]],
  "resources/templates/list": ["resourceTemplates", "uriTemplate", TEMPLATES],
  "prompts/list": ["prompts", "name", Object.keys(PROMPTS)],
  "tools/list": ["tools", "name", TOOLS],
};

function pageProblem(
  result: Json,
  { cursor }: Json,
  { method, revision }: Due,
  cursors: Cursors,
): string | undefined {
  const list = LISTS[method];
  if (!list) return "is a result, and the method is optional";
  const [name, key, all] = list;
  const start = cursor === undefined ? 0 : PAGE_SIZE * (1 + cursors[method]!.indexOf(cursor as string));
  const items = (result[name] ?? []) as readonly Json[];
  const wanted = all.slice(start, start + PAGE_SIZE);
  if (items.map((item) => item[key]).join("\n") !== wanted.join("\n")) {
    return `does not list ${wanted.join(", ")}`;
  }
  const hasMore = start + PAGE_SIZE < all.length;
  if (Object.hasOwn(result, "nextCursor") !== hasMore) return "goes on, or does not, where it should";
  // Whatever has a title shows it in the revisions that know titles, and only there.
  const isTitled = revision! >= "2025-06-18";
  const isRight = name !== "resources" || items.every((item) => Object.hasOwn(item, "title") === isTitled);
  return unless(isRight, `has other members than revision ${revision}`);
}

const isPartOfDocument = (text: string) =>
  [...DOCUMENTS.values()].some((document) => document.includes(text));

function contentsProblem({ contents }: Json, params: Json): string | undefined {
  const [content, ...others] = (Array.isArray(contents) ? contents : []) as Json[];
  const { text } = content ?? {};
  if (typeof text !== "string" || others.length > 0) return "has not one text";
  const uri = textOf(params["uri"]);
  const whole = DOCUMENTS.get(uri);
  if (whole !== undefined) return unless(text === whole, "is not the text of the document");
  if (isOutOfReach(uri)) return "was found, out of reach";
  return unless(isPartOfDocument(text), "is the text of no document");
}

function promptProblem({ messages }: Json, params: Json): string | undefined {
  const texts = ((Array.isArray(messages) ? messages : []) as { content?: Json }[]).map(({ content }) =>
    content?.["text"]
  );
  if (texts.length === 0 || texts.some((text) => typeof text !== "string")) return "says nothing";
  const name = textOf(params["name"]);
  const wanted = PROMPTS[name]?.text?.((own(params, "arguments") ?? {}) as Record<string, string>);
  if (wanted !== undefined && texts[0] !== wanted) return "does not say what was put in as it was put in";
  const isShown = ([uri, text]: [string, string]) =>
    !uri.startsWith("architecture://guidelines/") || (texts[0] as string).includes(text);
  return unless(name !== "everything" || [...DOCUMENTS].every(isShown), "does not show every document");
}
