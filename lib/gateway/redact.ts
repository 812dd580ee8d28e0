/** Redaction: removes secrets from answers and messages. */

import { toBase64 } from "../base/base64.ts";
import { own } from "../base/json.ts";

/** The minimum length of a secret that is redacted: shorter ones would match everywhere. */
const MIN_SECRET = 6;
/** The maximum length of a pattern in characters: engines reject patterns of twice this length. */
const MAX_PATTERN = 150_000;

/** Texts that must appear only in requests. */
export interface Secrets {
  /** The texts, longest first. */
  readonly secrets: readonly string[];
  /** Patterns that match these texts, also when they are escaped or in Base64. */
  readonly finders: readonly RegExp[];
}

/** Prepares texts for redaction; undefined when one of them is too long. */
export function secretsOf(texts: readonly string[]): Secrets | undefined {
  const secrets = [...new Set(texts)].filter(({ length }) => length >= MIN_SECRET)
    .sort((left, right) => right.length - left.length);
  const cases = secrets.flatMap((one) => [one, one.toUpperCase(), one.toLowerCase()]);
  const finders = [...new Set([...cases, ...secrets.flatMap(toBase64Parts)])].map(finderOf);
  return finders.some(({ source }) => source.length > MAX_PATTERN) ? undefined : { secrets, finders };
}

const MARK = "[redacted]";
/** The maximum number of backslashes for one: each level of JSON escaping doubles them, and three levels are matched. */
const MAX_BACKSLASHES = 8;
const ENTITIES = { " ": "|\\+", "&": "|&amp;", '"': "|&quot;", "'": "|&apos;", "<": "|&lt;", ">": "|&gt;" };

/** Text in which every character is percent-encoded, up to three times. */
const ENCODED = new RegExp(`(?:%(?:25){0,2}[2-7][0-9a-f]){${MIN_SECRET},}`, "gi");

/** Removes secrets from a text: plain, in upper or lower case, in Base64, or escaped for JSON, URLs or HTML. */
export function redact(text: string, credentials: readonly Secrets[]): string {
  const finders = credentials.flatMap(({ finders }) => finders);
  const replace = (text: string) => finders.reduce((clean, one) => clean.replace(one, MARK), text);
  return replace(text).replace(ENCODED, (encoded) => {
    const plain = decodeURIComponent(encoded.replace(/%(?:25)+(?=[2-7])/g, "%"));
    const clean = replace(plain);
    return clean === plain ? encoded : clean;
  });
}

/** The Base64 forms of a secret inside a longer text: one for each position of its first byte in a group of three bytes. */
function toBase64Parts(secret: string): string[] {
  const parts = [0, 1, 2].map((skipped) => {
    const bytes = new TextEncoder().encode("-".repeat(skipped) + secret);
    // Drop the characters that depend on the text before or after the secret.
    return toBase64(bytes).slice(Math.ceil(skipped * 8 / 6), Math.floor(bytes.length * 8 / 6));
  });
  return parts.flatMap((part) => [part, part.replaceAll("+", "-").replaceAll("/", "_")]);
}

/** Removes secrets from a JSON text, which stays valid JSON. A number is replaced only if the whole number is a secret. */
export function redactJson(json: string, credentials: readonly Secrets[]): string {
  if (credentials.length === 0) return json;
  const secrets = new Set(credentials.flatMap(({ secrets }) => secrets));
  // Strings and numbers. This pattern does not overflow the stack on strings with millions of escapes.
  return json.replace(/"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.eE+-]*/g, (written) => {
    if (!written.startsWith('"')) return secrets.has(written) ? `"${MARK}"` : written;
    const text: string = written.includes("\\") ? JSON.parse(written) : written.slice(1, -1);
    const clean = redact(text, credentials);
    return clean === text ? written : JSON.stringify(clean);
  });
}

/** Removes secrets from bytes, which are searched as a text with one character per byte. */
export function redactBytes(
  bytes: Uint8Array<ArrayBuffer>,
  credentials: readonly Secrets[],
): Uint8Array<ArrayBuffer> {
  if (credentials.length === 0) return bytes;
  const binary = atob(toBase64(bytes));
  const clean = redact(binary, credentials);
  return clean === binary ? bytes : Uint8Array.from(clean, (unit) => unit.charCodeAt(0));
}

/** A pattern that matches a secret, plain or escaped for a URL, JSON or HTML. */
function finderOf(secret: string): RegExp {
  // A run of backslashes is one item of the pattern, so that the pattern does not backtrack.
  const forms = secret.replace(/\\+|[^A-Za-z0-9]/g, (found) => {
    const { length } = found;
    const code = found.charCodeAt(0);
    const hex = code.toString(16).replace(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`);
    const number = `&#(?:0{0,4}${code}|[xX]0{0,4}${hex});`;
    const escapes = `%(?:25){0,2}${hex}|\\\\{1,${MAX_BACKSLASHES}}u00${hex}|${number}`;
    if (found.startsWith("\\")) {
      return `(?:\\\\{${length},${length * MAX_BACKSLASHES}}|(?:${escapes}){${length}})`;
    }
    const literal = found.replace(/[\^$.*+?()[\]{}|/-]/, "\\$&");
    const plain = `"'/`.includes(found) ? `\\\\{0,${MAX_BACKSLASHES - 1}}${literal}` : literal;
    return `(?:${plain}|${escapes}${own(ENTITIES, found) ?? ""})`;
  });
  return new RegExp(forms, "g");
}
