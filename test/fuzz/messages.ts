/** What clients send: messages of every revision, as they should be and nearly so, and values that no server wants. */

import type { Random } from "./random.ts";
import { DOCUMENTS, PROMPTS, TEMPLATES } from "./root.ts";

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

/** JSON text of a number or a word, written as it stands: what no JavaScript value is written as. */
const { rawJSON } = JSON as unknown as { rawJSON(text: string): object };

const ODD_TEXTS: readonly string[] = [
  ...["", " ", "\0", "a\nb", "\r\n", "\u2028\u2029\u0085", "\ufeff", "\ud800", "\udc00\ud800"],
  ...["e\u0301", "\u202egnp.exe", "👩‍👩‍👧‍👦", "𝄞".repeat(30), "__proto__", "constructor", "toString"],
  ...["hasOwnProperty", "<<name>>", "{{resource:architecture://guidelines/naming}}", "\\<<name>>", "%"],
  ...["%00", "%zz", "../../../etc/passwd", "C:\\windows\\win.ini", "null", "-0", "2.0", "sync-1"],
];

const ODD_NUMBERS: readonly string[] = [
  ...["0", "-0", "-1", "1.0", "1e2", "1.5", "0.1", "1e400", "-1e400", "5e-324", "9007199254740991"],
  ...["9007199254740992", "9007199254740993", "-9007199254740991", "-9007199254740992"],
  ...["123456789012345678901234567890", "4294967296", "1e21"],
];

/** A text with something about it. */
export function oddText(random: Random): string {
  const kind = random.below(20);
  if (kind === 0) return random.pick(["x", "ü", "€", "𝄞"]).repeat(random.between(1, 3000));
  if (kind === 1) return random.pick(ODD_TEXTS) + random.pick(ODD_TEXTS);
  if (kind === 2) return String.fromCharCode(...Array.from({ length: 5 }, () => random.below(0x10000)));
  return random.pick(ODD_TEXTS);
}

/** A number with something about it, spelled as JSON.stringify never would. */
export function oddNumber(random: Random): object {
  return rawJSON(random.pick(ODD_NUMBERS));
}

/** An id that is odd, and may be none at all. */
export function oddId(random: Random): unknown {
  return random.weighted<() => unknown>([
    [4, () => oddNumber(random)],
    [3, () => oddText(random)],
    [5, () => random.pick([null, null, true, {}, [1]])],
    [1, () => random.next() * 10],
  ])();
}

/** Any JSON value, not deep. */
export function anyValue(random: Random, depth = 0): unknown {
  const few = <T>(make: () => T) => Array.from({ length: random.below(4) }, make);
  const deeper = depth < 3 ? 2 : 0;
  return random.weighted<() => unknown>([
    [3, () => oddText(random)],
    [2, () => oddNumber(random)],
    [5, () => random.pick([null, null, true, false, random.below(1000)])],
    [deeper, () => few(() => anyValue(random, depth + 1))],
    [deeper, () => Object.fromEntries(few(() => [memberName(random), anyValue(random, depth + 1)]))],
  ])();
}

const MEMBER_NAMES: readonly string[] = [
  ..."id method params result error jsonrpc _meta uri name cursor arguments ref argument value type code"
    .split(" "),
  ..."message data protocolVersion capabilities clientInfo requestId progressToken toJSON then length".split(
    " ",
  ),
  ...["", "__proto__", "constructor", "prototype", "0"],
  ...["io.modelcontextprotocol/protocolVersion", "io.modelcontextprotocol/clientInfo"],
];

/** A name that a member may have and should not. */
export function memberName(random: Random): string {
  return random.chance(0.1) ? oddText(random) : random.pick(MEMBER_NAMES);
}

const LISTED: readonly string[] = [...DOCUMENTS.keys()];

const STEPS: readonly string[] = [
  ...["..", ".", "", "%2e%2e", "%252e%252e", "..%2f", "..\\", "%00", "%", "%ff", "\0", "~", "$HOME"],
  ...["etc", "passwd", "secret", "secret.md", "link", "adr", "guidelines", "naming", "*", "**", "C:"],
  ...["//", "\u2024\u2024", "．．", "{+path}"],
];

const SCHEMES: readonly string[] = [
  ...["architecture://", "file:///", "ARCHITECTURE://", "architecture:/", "architecture:", "file://"],
  ...["file://localhost/", "http://", "data:,", "", "/", " architecture://", "javascript:"],
];

const FRAGMENTS: readonly string[] = [
  ...["#why", "#why-not", "#", "#decision", "#%", "#../..", "##", "#toString", "#naming"],
];

const NUMBERS: readonly string[] = "1 01 7 007 adr-7 ADR-1 8 7#status 1e0 -1".split(" ");

/** A URI of anything: often nearly right, often an attempt to get out. */
export function hostileUri(random: Random): string {
  const listed = random.pick(LISTED);
  const steps = () => Array.from({ length: random.between(1, 6) }, () => random.pick(STEPS));
  return random.weighted<() => string>([
    [5, () => random.pick(SCHEMES) + steps().join("/")],
    [2, () => listed + random.pick(FRAGMENTS)],
    [2, () => random.pick([decodeURIComponent(listed), listed.toUpperCase(), `${listed}.md`, `${listed}/`])],
    [2, () => `architecture://adr/${random.pick(NUMBERS)}`],
    [1, () => oddText(random)],
    [1, () => listed.slice(0, random.below(listed.length)) + oddText(random) + listed.slice(-3)],
    [1, () => `${listed}?${oddText(random)}`],
  ])();
}
