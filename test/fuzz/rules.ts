/**
 * What is due to one request. Written from the specification of each revision and from what the project promises, not
 * from its code; where those leave something open, every outcome that they allow is allowed.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28
 */

import { isObject, own } from "../../lib/base/json.ts";
import type { Cursors } from "./messages.ts";
import { LEGACY, META, MODERN } from "./messages.ts";
import { DOCUMENTS, PROMPTS, TEMPLATES } from "./root.ts";

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
const OPEN: readonly Outcome[] = ["result", -32602];

/** What decides about a method that both eras have. */
const SHARED: Readonly<
  Record<string, (params: Json, notFound: Outcome, cursors: readonly unknown[]) => readonly Outcome[]>
> = {
  "completion/complete": completing,
  "prompts/get": prompting,
  "prompts/list": listing,
  "resources/list": listing,
  "resources/read": reading,
  "resources/templates/list": listing,
  // What calls answer is in transcripts: only a method that was changed into this one by chance is one.
  "tools/call": () => OPEN,
  "tools/list": listing,
};

/** A value that should be a text, or an empty one. */
export function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** What a request states of itself in `_meta`; undefined for one of the older revisions, whose handshake does. */
export function modernMeta(params: unknown): Json | undefined {
  const meta = isObject(params) ? own(params, "_meta") : undefined;
  const names = ["protocolVersion", "clientCapabilities", "clientInfo"];
  return isObject(meta) && names.some((name) => Object.hasOwn(meta, META + name)) ? meta : undefined;
}

/** The revision that a handshake agrees on. */
export function negotiated(requested: string): string {
  return LEGACY.includes(requested) ? requested : LEGACY.at(-1)!;
}

/** What is due to a well-formed request that did not come in a batch, after a handshake that agreed on a revision. */
export function verdictOn(
  method: string,
  params: unknown,
  agreed: string | undefined,
  cursors: Cursors,
): Verdict {
  const meta = modernMeta(params);
  if (meta) return { revision: MODERN, outcomes: modernOutcomes(method, params as Json, meta, cursors) };
  const revision = method === "initialize" || method === "ping" ? agreed ?? LEGACY.at(-1) : agreed;
  const outcomes = legacyOutcomes(method, params, agreed, cursors);
  // `_meta` that is no object states nothing; to refuse it is right too.
  const stated = isObject(params) ? own(params, "_meta") : undefined;
  return { revision, outcomes: stated === undefined || isObject(stated) ? outcomes : [...outcomes, -32602] };
}

function modernOutcomes(method: string, params: Json, meta: Json, cursors: Cursors): readonly Outcome[] {
  const version = own(meta, `${META}protocolVersion`);
  const info = own(meta, `${META}clientInfo`);
  const wrong: Outcome[] = [];
  if (typeof version !== "string") wrong.push(-32602);
  else if (version !== MODERN) wrong.push(-32022);
  if (!isObject(own(meta, `${META}clientCapabilities`))) wrong.push(-32602);
  if (info !== undefined && !isObject(info)) wrong.push(-32602);
  const isKnown = Object.hasOwn(SHARED, method) || method === "server/discover";
  if (!isKnown) return [...wrong, -32601];
  if (wrong.length > 0) return wrong;
  return method === "server/discover" ? RESULT : SHARED[method]!(params, -32602, cursors[method] ?? []);
}

function legacyOutcomes(
  method: string,
  params: unknown,
  agreed: string | undefined,
  cursors: Cursors,
): readonly Outcome[] {
  const isKnown = Object.hasOwn(SHARED, method);
  if (method === "ping" || method === "initialize") {
    return Array.isArray(params) ? INVALID : method === "ping" ? RESULT : handshake((params ?? {}) as Json);
  }
  if (agreed === undefined) return isKnown ? INVALID : [-32601, -32602];
  // What a legacy server may have and need not.
  if (/^resources\/(?:un)?subscribe$/.test(method)) return [-32601, -32602, -32002, "result"];
  if (!isKnown) return Array.isArray(params) ? [-32601, -32602] : [-32601];
  return Array.isArray(params)
    ? INVALID
    : SHARED[method]!((params ?? {}) as Json, -32002, cursors[method] ?? []);
}

/** A handshake that names a version may be taken or refused when the rest of it is not as it must be. */
function handshake(params: Json): readonly Outcome[] {
  if (typeof own(params, "protocolVersion") !== "string") return INVALID;
  const info = own(params, "clientInfo");
  const isNamed = isObject(info) &&
    ["name", "version"].every((name) => typeof own(info, name) === "string");
  return isNamed && isObject(own(params, "capabilities")) ? RESULT : OPEN;
}

function listing(params: Json, _: Outcome, cursors: readonly unknown[]): readonly Outcome[] {
  const cursor = own(params, "cursor");
  return cursor === undefined || cursors.includes(cursor) ? RESULT : INVALID;
}

function reading(params: Json, notFound: Outcome): readonly Outcome[] {
  const uri = own(params, "uri");
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
  const name = textOf(own(params, "name"));
  const given = own(params, "arguments") ?? {};
  if (!Object.hasOwn(PROMPTS, name) || PROMPTS[name]!.isBroken || !isObject(given)) return INVALID;
  if (own(params, "arguments") === null) return INVALID;
  const known = PROMPTS[name]!.arguments;
  const fits = Object.entries(known).every(([key, { required, maxLength }]) => {
    const value = own(given, key);
    if (value === undefined) return !required;
    return typeof value === "string" && !(required && value === "") && [...value].length <= maxLength;
  });
  if (!fits || Object.keys(given).some((key) => !Object.hasOwn(known, key))) return INVALID;
  // Whether blank text is empty is left open.
  return Object.values(given).some((value) => textOf(value).trim() === "") ? OPEN : RESULT;
}

function completing(params: Json): readonly Outcome[] {
  const [ref, argument] = [own(params, "ref"), own(params, "argument")];
  if (!isObject(ref) || !isObject(argument)) return INVALID;
  const name = own(argument, "name");
  if (typeof name !== "string" || typeof own(argument, "value") !== "string") return INVALID;
  if (ref["type"] === "ref/prompt") {
    const prompt = textOf(own(ref, "name"));
    if (!Object.hasOwn(PROMPTS, prompt)) return INVALID;
    return Object.hasOwn(PROMPTS[prompt]!.arguments, name) ? RESULT : OPEN;
  }
  const uri = own(ref, "uri");
  if (ref["type"] !== "ref/resource" || typeof uri !== "string") return INVALID;
  return TEMPLATES.includes(uri) && name === "path" ? RESULT : OPEN;
}
