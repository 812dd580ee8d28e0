/**
 * Where does a secret show itself? In whatever form a text writes it: as it is, escaped as in JSON, in a URL or in HTML, each
 * character for itself, and in bytes that nobody reads as text.
 */

import type { Credential } from "./credential.ts";

/** What stands where a secret was. */
const MARK = "[redacted]";
/** What is escaped again at every level doubles its backslashes: that many for three levels of JSON. */
const MOST_BACKSLASHES = 8;
/** Pieces of a secret, which end with what is never escaped, so that none takes from the next. */
const PIECES = /.{0,63}[A-Za-z0-9]|.{1,64}/g;
/** Converted in pieces: a call with a million arguments would be one too many. */
const PIECE = 0x8000;

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "amp",
  '"': "quot",
  "'": "apos",
  "<": "lt",
  ">": "gt",
};

/** Finds one secret: the beginning of it, and piece by piece what follows. An engine takes no expression of any length. */
export type Finder = readonly [head: RegExp, ...rest: readonly RegExp[]];

/** Finds a secret of printable ASCII in all its forms. */
export function finderOf(secret: string): Finder {
  const [head = "", ...rest] = (secret.match(PIECES) ?? []).map(formsOf);
  return [new RegExp(head, "g"), ...rest.map((forms) => new RegExp(forms, "y"))];
}

/** A text without the secrets of credentials. */
export function redact(text: string, credentials: readonly Credential[]): string {
  return credentials.flatMap(({ finders }) => finders).reduce(without, text);
}

function without(text: string, [head, ...rest]: Finder): string {
  const parts: string[] = [];
  let from = 0;
  head.lastIndex = 0;
  for (let found = head.exec(text); found; found = head.exec(text)) {
    const end = endOf(text, head.lastIndex, rest);
    if (end === undefined) {
      head.lastIndex = found.index + 1;
      continue;
    }
    parts.push(text.slice(from, found.index), MARK);
    head.lastIndex = from = end;
  }
  return parts.join("") + text.slice(from);
}

/** Where a secret ends that has begun; undefined when it was none. */
function endOf(text: string, start: number, rest: readonly RegExp[]): number | undefined {
  let end = start;
  for (const piece of rest) {
    piece.lastIndex = end;
    if (!piece.test(text)) return undefined;
    end = piece.lastIndex;
  }
  return end;
}

/**
 * JSON without the secrets of credentials: each of its strings is looked at as what it says, and a number is taken out when it
 * is a secret as a whole. So it stays JSON, and all other numbers keep their digits.
 */
export function redactJson(json: string, credentials: readonly Credential[]): string {
  const numbers = new Set(
    credentials.flatMap(({ secrets }) => secrets).filter((secret) => /^\d/.test(secret)),
  );
  const between = (part: string) =>
    numbers.size === 0
      ? part
      : part.replace(/-?\d[\d.eE+-]*/g, (number) => numbers.has(number) ? `"${MARK}"` : number);
  const parts: string[] = [];
  let from = 0;
  for (;;) {
    const start = json.indexOf('"', from);
    if (start < 0) break;
    const end = endOfString(json, start);
    parts.push(between(json.slice(from, start)), redactString(json.slice(start, end), credentials));
    from = end;
  }
  return parts.join("") + between(json.slice(from));
}

/** Bytes without the secrets of credentials, where those stand in them in ASCII. */
export function redactBytes(
  bytes: Uint8Array<ArrayBuffer>,
  credentials: readonly Credential[],
): Uint8Array<ArrayBuffer> {
  if (credentials.length === 0) return bytes;
  let binary = "";
  for (let start = 0; start < bytes.length; start += PIECE) {
    binary += String.fromCharCode(...bytes.subarray(start, start + PIECE));
  }
  const clean = redact(binary, credentials);
  return clean === binary ? bytes : Uint8Array.from(clean, (unit) => unit.charCodeAt(0));
}

/** Behind the quotation mark that ends a string. */
function endOfString(json: string, start: number): number {
  for (let at = start + 1;; at++) {
    at = json.indexOf('"', at);
    if (at < 0) return json.length;
    let backslashes = 0;
    while (json[at - 1 - backslashes] === "\\") backslashes++;
    if (backslashes % 2 === 0) return at + 1;
  }
}

function redactString(written: string, credentials: readonly Credential[]): string {
  const said = written.includes("\\") ? JSON.parse(written) as string : written.slice(1, -1);
  const clean = redact(said, credentials);
  return clean === said ? written : JSON.stringify(clean);
}

function formsOf(secret: string): string {
  // Letters and digits stand for themselves everywhere; a run of backslashes is one, so that nothing has to be tried twice.
  return secret.replace(/\\+|[^A-Za-z0-9]/g, (found) => {
    if (!found.startsWith("\\")) return `(?:${charactersOf(found).join("|")})`;
    const { length } = found;
    return `(?:\\\\{${length},${length * MOST_BACKSLASHES}}|(?:${escapesOf("\\").join("|")}){${length}})`;
  });
}

/** A character as it is, and as it is escaped. */
function charactersOf(character: string): string[] {
  const literal = character.replace(/[\^$.*+?()[\]{}|/-]/, "\\$&");
  const own = `"'/`.includes(character) ? `\\\\{0,${MOST_BACKSLASHES - 1}}${literal}` : literal;
  const entity = ENTITIES[character];
  return [
    own,
    ...escapesOf(character),
    ...(character === " " ? ["\\+"] : []),
    ...(entity === undefined ? [] : [`&${entity};`]),
  ];
}

/** A character by its number: in a URL, in JSON, in HTML. */
function escapesOf(character: string): string[] {
  const code = character.charCodeAt(0);
  const hex = code.toString(16).replace(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`);
  return [
    `%(?:25){0,2}${hex}`,
    `\\\\{1,${MOST_BACKSLASHES}}u00${hex}`,
    `&#(?:0{0,4}${code}|[xX]0{0,4}${hex});`,
  ];
}
