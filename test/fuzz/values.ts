/** Single values that no server wants: texts, numbers, ids, names of members, URIs, and anything at all. */

import type { Random } from "./random.ts";
import { DOCUMENTS } from "./root.ts";

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
