/** What an honest client sends: messages of every revision, as they should be and nearly so. */

import type { Random } from "./random.ts";
import { DOCUMENTS, PROMPTS, TEMPLATES } from "./root.ts";
import { anyValue, hostileUri, oddText } from "./values.ts";

/** The revisions that open with a handshake, oldest first. */
export const LEGACY: readonly string[] = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"];
/** The revision that each request states by itself. */
export const MODERN = "2026-07-28";
/** What the members of `_meta` that a modern request states begin with. */
export const META = "io.modelcontextprotocol/";
/** The least that a modern request states. */
export const PLAIN_META: Draft = { [`${META}protocolVersion`]: MODERN, [`${META}clientCapabilities`]: {} };

/** The real cursors of each list, by its method: only the program can make them. */
export type Cursors = Readonly<Record<string, readonly string[]>>;
/** A message before it is written. */
export type Draft = Record<string, unknown>;
type Params = Draft | undefined;

const UNKNOWN_METHODS: readonly string[] = [
  ...["nonsense", "", "tools/calls", "Ping", "ping ", "rpc.discover", "resources", "toString", "constructor"],
  ...["__proto__", "logging/setLevel", "resources/subscribe", "resources/unsubscribe"],
];
const NOTIFICATIONS = ["initialized", "progress", "roots/list_changed", "message", "nonsense", "cancelled"];

type Asking = readonly [method: string, params: (random: Random, cursors: Cursors) => Params];
const listing = (method: string): Asking => [method, (random, cursors) => paging(method, random, cursors)];

/** How often each method is asked for, and with which params. */
const REQUESTS: readonly (readonly [number, Asking])[] = [
  [12, ["ping", () => undefined]],
  [3, ["server/discover", () => undefined]],
  [7, listing("resources/list")],
  [3, listing("resources/templates/list")],
  [5, listing("prompts/list")],
  [4, listing("tools/list")],
  [20, ["resources/read", (random) => ({ uri: readable(random) })]],
  [12, ["prompts/get", prompting]],
  [9, ["completion/complete", completing]],
];

/** A request with this id, in the old way or the new one; in a batch mostly in the old way, which alone has batches. */
export function request(id: unknown, random: Random, cursors: Cursors, isInBatch: boolean): Draft {
  if (random.chance(0.07)) {
    const method = random.chance(0.3) ? oddText(random) : random.pick(UNKNOWN_METHODS);
    const params = random.chance(0.5) ? { a: anyValue(random) } : undefined;
    return requestOf(id, method, params, random.chance(0.4), random);
  }
  const [method, params] = random.weighted(REQUESTS);
  // Each is asked in the other way too now and then, in which it may be unknown.
  const share = isInBatch || method === "ping" ? 0.05 : method === "server/discover" ? 0.85 : 0.45;
  return requestOf(id, method, params(random, cursors), random.chance(share), random);
}

function requestOf(id: unknown, method: string, params: Params, isModern: boolean, random: Random): Draft {
  if (isModern) return { jsonrpc: "2.0", id, method, params: { ...params, _meta: meta(random) } };
  if (params && random.chance(0.05)) params["_meta"] = { progressToken: random.below(100) };
  return params ? { jsonrpc: "2.0", id, method, params } : { jsonrpc: "2.0", id, method };
}

function meta(random: Random): Draft {
  const version = random.chance(0.97) ? MODERN : random.pick([...LEGACY, "1900-01-01", "", "2026-07-29"]);
  return {
    [`${META}protocolVersion`]: version,
    [`${META}clientCapabilities`]: {},
    ...(random.chance(0.8) ? { [`${META}clientInfo`]: { name: "fuzz", version: "1" } } : {}),
  };
}

/** A handshake. */
export function initialize(id: unknown, random: Random): Draft {
  const protocolVersion = random.weighted([[4, random.pick(LEGACY)], [3, "2025-03-26"], [1, "1999-01-01"]]);
  const capabilities = random.chance(0.5) ? {} : { roots: { listChanged: true }, sampling: {}, "x/y": [1] };
  const params = { protocolVersion, capabilities, clientInfo: { name: "fuzz", version: "1" } };
  return requestOf(id, "initialize", params, random.chance(0.02), random);
}

/** A message that is never answered. */
export function notification(random: Random): Draft {
  const method = `notifications/${random.pick(NOTIFICATIONS)}`;
  return { jsonrpc: "2.0", method, ...(random.chance(0.5) ? { params: { a: anyValue(random) } } : {}) };
}

/** Cancels a request. */
export function cancellation(requestId: unknown, random: Random): Draft {
  const params = random.chance(0.5) ? { requestId } : { requestId, reason: oddText(random) };
  return { jsonrpc: "2.0", method: "notifications/cancelled", params };
}

/** An answer to nothing. */
export function response(id: unknown, random: Random): Draft {
  return random.chance(0.6)
    ? { jsonrpc: "2.0", id, result: anyValue(random) }
    : { jsonrpc: "2.0", id, error: { code: -32000 - random.below(800), message: oddText(random) } };
}

function paging(method: string, random: Random, cursors: Cursors): Params {
  const known = cursors[method] ?? [];
  const kind = random.below(10);
  if (kind < 6) return undefined;
  if (kind < 8 && known.length > 0) return { cursor: random.pick(known) };
  const other = random.pick(Object.values(cursors).flat());
  if (kind < 9 && other !== undefined) return { cursor: random.pick([other, `${other}=`, other.slice(1)]) };
  return { cursor: random.chance(0.5) ? oddText(random) : anyValue(random) };
}

const SMALL: readonly string[] = [...DOCUMENTS.keys()].filter((uri) => DOCUMENTS.get(uri)!.length < 10_000);
const LARGE: readonly string[] = [...DOCUMENTS.keys()].filter((uri) => !SMALL.includes(uri));

function readable(random: Random): string {
  return random.weighted([[60, random.pick(SMALL)], [1, random.pick(LARGE)], [40, hostileUri(random)]]);
}

function prompting(random: Random): Params {
  const name = random.pick(Object.keys(PROMPTS));
  const wanted = Object.entries(PROMPTS[name]!.arguments).filter(([, { required }]) =>
    required || random.chance(0.5)
  );
  if (wanted.length === 0 && random.chance(0.5)) return { name };
  const given: Draft = Object.fromEntries(
    wanted.map(([key, { maxLength }]) => [key, argument(maxLength, random)]),
  );
  if (random.chance(0.05)) given[oddText(random)] = oddText(random);
  return { name, arguments: given };
}

/** A value for an argument; now and then just as long as may be, or a little longer. */
function argument(maxLength: number, random: Random): unknown {
  return random.weighted<() => unknown>([
    [8, () => "a value"],
    [4, () => oddText(random)],
    [1, () => anyValue(random)],
    [maxLength < 100 ? 1 : 0.05, () => random.pick(["x", "𝄞"]).repeat(maxLength + random.between(-1, 1))],
  ])();
}

function completing(random: Random): Params {
  const value = random.chance(0.8) ? random.pick(["", "a", "K", "00", "naming", "ä"]) : oddText(random);
  if (random.chance(0.5)) {
    const name = random.pick(Object.keys(PROMPTS));
    const argument = random.pick([...Object.keys(PROMPTS[name]!.arguments), "nonsense"]);
    return { ref: { type: "ref/prompt", name }, argument: { name: argument, value } };
  }
  const uri = random.chance(0.8) ? random.pick(TEMPLATES) : hostileUri(random);
  const argument = { name: random.chance(0.9) ? "path" : "nonsense", value };
  const context = random.chance(0.2) ? { context: { arguments: {} } } : {};
  return { ref: { type: "ref/resource", uri }, argument, ...context };
}
