/**
 * What is due to one request? Written from the specification of each revision and from what the project promises, not
 * from its code; where those leave something open, every outcome that they allow is allowed.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28
 */

import type { Cursors } from "./messages.ts";
import { LEGACY, META, MODERN } from "./messages.ts";
import { DOCUMENTS, PROMPTS, TEMPLATES } from "./shelf.ts";
import { TOOLS } from "./tool_arguments.ts";

/** How an answer can turn out: with a result, or with an error of this code. */
export type Outcome = "result" | -32002 | -32022 | -32600 | -32601 | -32602;

/** What is due to a request. */
export interface Verdict {
  readonly outcomes: readonly Outcome[];
  /** The revision whose forms the answer has; undefined while nothing is agreed. */
  readonly revision: string | undefined;
}

/** A JSON object as it came. */
export type Json = Readonly<Record<string, unknown>>;

const RESULT: readonly Outcome[] = ["result"];
const INVALID: readonly Outcome[] = [-32602];
const UNKNOWN: readonly Outcome[] = [-32601];
const OPEN: readonly Outcome[] = ["result", -32602];

const SHARED: ReadonlySet<string> = new Set([
  "completion/complete",
  "prompts/get",
  "prompts/list",
  "resources/list",
  "resources/read",
  "resources/templates/list",
  "tools/call",
  "tools/list",
]);
/** Methods that a legacy server may have and need not. What needs a capability that is not declared is unknown. */
const OPTIONAL: ReadonlySet<string> = new Set(["resources/subscribe", "resources/unsubscribe"]);

/** Whether a member is there, whatever every object inherits. */
export function has(object: Json, key: string): boolean {
  return Object.hasOwn(object, key);
}

/** A member, or undefined. */
export function member(object: Json, key: string): unknown {
  return has(object, key) ? object[key] : undefined;
}

export function isObject(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A value that should be a text, or none. */
export function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** What `_meta` a request has, and whether it states anything of its revision there. */
export function metaOf(params: unknown): { readonly meta: unknown; readonly isModern: boolean } {
  const meta = isObject(params) ? member(params, "_meta") : undefined;
  const isModern = isObject(meta) &&
    ["protocolVersion", "clientCapabilities", "clientInfo"].some((name) => has(meta, META + name));
  return { meta, isModern };
}

/** The revision that a handshake agrees on. */
export function negotiated(requested: string): string {
  return LEGACY.includes(requested) ? requested : LEGACY.at(-1)!;
}

/**
 * What is due to a well-formed request that did not come in a batch.
 *
 * @param agreed What the last handshake agreed on.
 */
export function verdictOn(
  method: string,
  params: unknown,
  agreed: string | undefined,
  cursors: Cursors,
): Verdict {
  const { meta, isModern } = metaOf(params);
  if (isModern) return modernVerdict(method, params as Json, meta as Json, cursors);
  const revision = method === "initialize" || method === "ping" ? agreed ?? LEGACY.at(-1) : agreed;
  const outcomes = legacyOutcomes(method, params, agreed, cursors);
  // `_meta` that is no object states nothing; to refuse it is right too.
  return { revision, outcomes: meta === undefined || isObject(meta) ? outcomes : [...outcomes, -32602] };
}

function modernVerdict(method: string, params: Json, meta: Json, cursors: Cursors): Verdict {
  const known = SHARED.has(method) || method === "server/discover";
  const wrong = wrongTerms(meta);
  if (wrong.length > 0) return { revision: MODERN, outcomes: known ? wrong : [...wrong, -32601] };
  if (!known) return { revision: MODERN, outcomes: UNKNOWN };
  return {
    revision: MODERN,
    outcomes: method === "server/discover" ? RESULT : shared(method, params, -32602, cursors),
  };
}

/** What a modern request states wrongly of itself, each with its code. */
function wrongTerms(meta: Json): Outcome[] {
  const version = member(meta, `${META}protocolVersion`);
  const info = member(meta, `${META}clientInfo`);
  const wrong: Outcome[] = [];
  if (typeof version !== "string") wrong.push(-32602);
  else if (version !== MODERN) wrong.push(-32022);
  if (!isObject(member(meta, `${META}clientCapabilities`))) wrong.push(-32602);
  if (info !== undefined && !isObject(info)) wrong.push(-32602);
  return wrong;
}

function legacyOutcomes(
  method: string,
  params: unknown,
  agreed: string | undefined,
  cursors: Cursors,
): readonly Outcome[] {
  const isKnown = SHARED.has(method);
  if (method === "ping") return Array.isArray(params) ? INVALID : RESULT;
  if (method === "initialize") return Array.isArray(params) ? INVALID : handshake(params as Json | undefined);
  if (agreed === undefined) return isKnown ? INVALID : [-32601, -32602];
  if (OPTIONAL.has(method)) return [-32601, -32602, -32002, "result"];
  if (!isKnown) return Array.isArray(params) ? [-32601, -32602] : UNKNOWN;
  return Array.isArray(params) ? INVALID : shared(method, (params ?? {}) as Json, -32002, cursors);
}

/** A handshake that names a version may be taken or refused when the rest of it is not as it must be. */
function handshake(params: Json | undefined): readonly Outcome[] {
  if (!params || typeof member(params, "protocolVersion") !== "string") return INVALID;
  const info = member(params, "clientInfo");
  const isWhole = isObject(member(params, "capabilities")) && isObject(info) &&
    typeof member(info, "name") === "string" && typeof member(info, "version") === "string";
  return isWhole ? RESULT : OPEN;
}

function shared(
  method: string,
  params: Json,
  notFound: -32002 | -32602,
  cursors: Cursors,
): readonly Outcome[] {
  if (method === "resources/read") return reading(member(params, "uri"), notFound);
  if (method === "prompts/get") return prompting(params);
  if (method === "completion/complete") return completing(params);
  if (method === "tools/call") return calling(member(params, "name"));
  const cursor = member(params, "cursor");
  if (cursor === undefined) return RESULT;
  return cursors[method]?.includes(cursor as string) ? RESULT : INVALID;
}

function reading(uri: unknown, notFound: -32002 | -32602): readonly Outcome[] {
  if (typeof uri !== "string") return INVALID;
  if (DOCUMENTS.has(uri)) return RESULT;
  // A number that two records have is refused with both names.
  return isOutOfReach(uri) ? [notFound] : ["result", notFound, -32602];
}

/** What must never be found: another scheme, a way out, a separator in disguise, however often it is encoded. */
export function isOutOfReach(uri: string): boolean {
  if (!/^(?:architecture|file):/i.test(uri)) return true;
  let path = uri.split("#", 1)[0]!.replace(/^[a-z]+:\/*/i, "");
  for (let round = 0; round < 3; round++) {
    if (/[\0\\]/.test(path) || path.split("/").includes("..")) return true;
    path = path.replaceAll(/%[0-7][0-9a-f]/gi, (code) => String.fromCharCode(parseInt(code.slice(1), 16)));
  }
  return false;
}

function prompting(params: Json): readonly Outcome[] {
  const name = member(params, "name");
  const given = member(params, "arguments");
  if (typeof name !== "string" || !has(PROMPTS, name) || PROMPTS[name]!.isBroken) return INVALID;
  const prompt = PROMPTS[name]!;
  if (given !== undefined && !isObject(given)) return INVALID;
  if (Object.keys(given ?? {}).some((key) => !has(prompt.arguments, key))) return INVALID;
  const fits = Object.entries(prompt.arguments).every(([key, { required, maxLength }]) => {
    const value = given && member(given, key);
    if (value === undefined) return !required;
    return typeof value === "string" && !(required && value === "") && [...value].length <= maxLength;
  });
  if (!fits) return INVALID;
  // Whether blank text is empty is left open.
  const isBlank = Object.values(given ?? {}).some((value) => (value as string).trim() === "");
  return isBlank ? OPEN : RESULT;
}

/** Whatever is wrong with the arguments is for the model to read, and so a result. */
function calling(name: unknown): readonly Outcome[] {
  return typeof name === "string" && has(TOOLS, name) ? RESULT : INVALID;
}

function completing(params: Json): readonly Outcome[] {
  const ref = member(params, "ref");
  const argument = member(params, "argument");
  if (!isObject(ref) || !isObject(argument)) return INVALID;
  const [name, value] = [member(argument, "name"), member(argument, "value")];
  if (typeof name !== "string" || typeof value !== "string") return INVALID;
  if (ref["type"] === "ref/prompt") {
    const prompt = member(ref, "name");
    if (typeof prompt !== "string" || !has(PROMPTS, prompt)) return INVALID;
    return has(PROMPTS[prompt]!.arguments, name) ? RESULT : OPEN;
  }
  if (ref["type"] !== "ref/resource" || typeof member(ref, "uri") !== "string") return INVALID;
  return TEMPLATES.includes(ref["uri"] as string) && name === "path" ? RESULT : OPEN;
}
