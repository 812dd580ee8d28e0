/** Is a line of output what it must be? Its form by JSON-RPC 2.0, and its content by what was asked. */

import type { Due } from "./ledger.ts";
import type { Cursors } from "./messages.ts";
import type { Json, Outcome } from "./rules.ts";
import { Discrepancy } from "./ledger.ts";
import { META, MODERN } from "./messages.ts";
import { has, isObject, isOutOfReach, member, negotiated, textOf } from "./rules.ts";
import { DOCUMENTS, PAGE_SIZE, PROMPTS, TEMPLATES } from "./shelf.ts";
import { TOOLS } from "./tool_arguments.ts";
import { misfitCall } from "./tool_results.ts";

/** Every code that may be seen; -32603 is not among them, because nothing that a client sends may be our failure. */
const CODES: ReadonlySet<unknown> = new Set([-32700, -32600, -32601, -32602, -32002, -32022]);
const MEMBERS: ReadonlySet<string> = new Set(["jsonrpc", "id", "result", "error"]);
const ERROR_MEMBERS: ReadonlySet<string> = new Set(["code", "message", "data"]);
/** The methods whose modern results say for how long they may be kept. */
const CACHEABLE: ReadonlySet<string> = new Set([
  "server/discover",
  "resources/list",
  "resources/templates/list",
  "resources/read",
  "prompts/list",
  "tools/list",
]);

/** What must not be seen anywhere in an error: a place in a stack, a module. */
const INTERNAL = /\n\s+at |\bnode:internal|\/lib\/[a-z]+\/[a-z_]+\.ts\b/;

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
  for (const message of messages) checkForm(message);
  return value as Json | readonly Json[];
}

function checkForm(message: unknown): void {
  const wrong = (what: string) => new Discrepancy("form", `A line of output ${what}`);
  if (!isObject(message) || message["jsonrpc"] !== "2.0") throw wrong("is no message of JSON-RPC 2.0");
  if (has(message, "method")) throw wrong("is a call, and nothing calls for one");
  const strange = Object.keys(message).find((key) => !MEMBERS.has(key));
  if (strange !== undefined) throw wrong(`has the member "${strange}"`);
  if (has(message, "result") === has(message, "error")) {
    throw wrong("has both a result and an error, or neither");
  }
  const { error } = message;
  if (has(message, "error") && !isErrorObject(error)) throw wrong("has an error that is none");
  if (error === undefined && !isObject(message["result"])) throw wrong("has a result that is no object");
}

function isErrorObject(error: unknown): boolean {
  return isObject(error) && Object.keys(error).every((key) => ERROR_MEMBERS.has(key)) &&
    CODES.has(error["code"]) &&
    typeof error["message"] === "string" && error["message"] !== "" && !INTERNAL.test(error["message"]);
}

/** Says what is wrong with an answer to a request; undefined when it is what is due. */
export function misfit(answer: Json, due: Due, isInArray: boolean, cursors: Cursors): string | undefined {
  if (isInArray !== (due.batch !== undefined)) return "came alone or in a batch where the request did not";
  const { error, result } = answer as { error?: { code: number; data?: Json }; result?: Json };
  const outcome = (error ? error.code : "result") as Outcome;
  if (!due.outcomes.includes(outcome)) return `is ${outcome}, and due is ${due.outcomes.join(" or ")}`;
  if (result) return misfitEnvelope(result, due) ?? misfitResult(result, due, cursors);
  if (due.method !== "resources/read" || !error!.data || error!.code === -32022) return undefined;
  return error!.data["uri"] === (due.params as Json | undefined)?.["uri"]
    ? undefined
    : "names another URI than was asked for";
}

/** What the modern revision adds to each result, and the older ones do not know. */
function misfitEnvelope(result: Json, { method, revision }: Due): string | undefined {
  const isModern = revision === MODERN;
  const isKept = isModern && CACHEABLE.has(method);
  if ((result["resultType"] === "complete") !== isModern) return `has the resultType ${result["resultType"]}`;
  if (Number.isInteger(result["ttlMs"]) !== isKept) return `has the ttlMs ${result["ttlMs"]}`;
  if (has(result, "cacheScope") !== isKept) return `has the cacheScope ${result["cacheScope"]}`;
  const info = isObject(result["_meta"]) ? result["_meta"][`${META}serverInfo`] : undefined;
  return isObject(info) === isModern ? undefined : "says who serves in the wrong revision, or does not";
}

function misfitResult(result: Json, due: Due, cursors: Cursors): string | undefined {
  const params = (due.params ?? {}) as Json;
  switch (due.method) {
    case "initialize":
      return result["protocolVersion"] === negotiated(textOf(params["protocolVersion"])) &&
          isObject(result["capabilities"])
        ? undefined
        : `agrees on ${result["protocolVersion"]}`;
    case "ping":
      return Object.keys(result).length === 0 ? undefined : "says more than a ping does";
    case "server/discover":
      return (result["supportedVersions"] as unknown[])?.includes(MODERN)
        ? undefined
        : "does not support its own revision";
    case "resources/read":
      return misfitContents(result["contents"], textOf(params["uri"]));
    case "prompts/get":
      return misfitPrompt(result["messages"], textOf(params["name"]), member(params, "arguments"));
    case "completion/complete":
      return misfitCompletion(result["completion"]);
    case "tools/call":
      return misfitCall(result, params, due.revision);
    default:
      return misfitPage(result, due, params["cursor"], cursors);
  }
}

/** The lists in full, by the member that holds a page; what tells one item from another is its first member here. */
const LISTS: Readonly<Record<string, readonly [member: string, key: string, items: readonly string[]]>> = {
  "resources/list": ["resources", "uri", [...DOCUMENTS.keys()]],
  "resources/templates/list": ["resourceTemplates", "uriTemplate", TEMPLATES],
  "prompts/list": ["prompts", "name", Object.keys(PROMPTS)],
  "tools/list": ["tools", "name", Object.keys(TOOLS)],
};

function misfitPage(
  result: Json,
  { method, revision }: Due,
  cursor: unknown,
  cursors: Cursors,
): string | undefined {
  const list = LISTS[method];
  if (!list) return "is a result, and the method is optional";
  const [name, key, all] = list;
  const start = cursor === undefined ? 0 : PAGE_SIZE * (1 + cursors[method]!.indexOf(cursor as string));
  const items = result[name] as readonly Json[] | undefined;
  const wanted = all.slice(start, start + PAGE_SIZE);
  if (!Array.isArray(items) || items.map((item) => item[key]).join("\n") !== wanted.join("\n")) {
    return `does not list ${wanted.join(", ")}`;
  }
  if (has(result, "nextCursor") !== (start + PAGE_SIZE < all.length)) {
    return "goes on, or does not, where it should";
  }
  const isTitled = revision! >= "2025-06-18";
  // Whatever has a title shows it in the revisions that know titles, and only there.
  const isMistold = name === "resources" && items.some((item) => has(item, "title") !== isTitled);
  return isMistold ? `is told in the terms of another revision than ${revision}` : undefined;
}

function misfitContents(contents: unknown, uri: string): string | undefined {
  const [content, ...others] = (Array.isArray(contents) ? contents : []) as Json[];
  if (!content || others.length > 0 || typeof content["text"] !== "string") return "has not one text";
  const text = content["text"];
  const whole = DOCUMENTS.get(uri);
  if (whole !== undefined) return text === whole ? undefined : "is not the text of the document";
  if (isOutOfReach(uri)) return "was found, out of reach";
  return [...DOCUMENTS.values()].some((document) => document.includes(text))
    ? undefined
    : "is the text of no document";
}

function misfitPrompt(messages: unknown, name: string, given: unknown): string | undefined {
  const all = (Array.isArray(messages) ? messages : []) as { role?: unknown; content?: Json }[];
  const texts = all.map(({ content }) => content?.["text"]);
  if (texts.length === 0 || texts.some((text) => typeof text !== "string")) return "says nothing";
  const wanted = PROMPTS[name]?.text?.((given ?? {}) as Record<string, string>);
  if (wanted !== undefined && texts[0] !== wanted) return "does not say what was put in as it was put in";
  const shown = [...DOCUMENTS].filter(([uri]) =>
    name === "everything" && uri.startsWith("architecture://guidelines/")
  );
  return shown.every(([, text]) => (texts[0] as string).includes(text))
    ? undefined
    : "does not show every document";
}

function misfitCompletion(completion: unknown): string | undefined {
  const { values, total } = (isObject(completion) ? completion : {}) as {
    values?: unknown[];
    total?: number;
  };
  if (!Array.isArray(values) || values.length > 100 || values.some((value) => typeof value !== "string")) {
    return "has no list of values";
  }
  return total === undefined || total >= values.length ? undefined : "has more values than it says";
}
