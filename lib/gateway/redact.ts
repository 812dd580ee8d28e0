/** Takes secrets out of answers and messages. */

import { toBase64 } from "../base/base64.ts";
import { own } from "../base/json.ts";

/** The shortest secret that is looked for: shorter ones would be found everywhere. */
const MIN_SECRET = 6;
/** The longest pattern that finds a secret, in characters: engines refuse one of twice the length. */
const MAX_PATTERN = 150_000;

/** What must not be seen outside of requests. */
export interface Secrets {
  /** The texts, the longest first. */
  readonly secrets: readonly string[];
  /** Patterns that find these texts, however they are escaped. */
  readonly finders: readonly RegExp[];
}

/** The secrets of some texts; undefined when one is too long to be found. */
export function secretsOf(texts: readonly string[]): Secrets | undefined {
  const secrets = [...new Set(texts)].filter(({ length }) => length >= MIN_SECRET)
    .sort((left, right) => right.length - left.length);
  const cases = secrets.flatMap((one) => [one, one.toUpperCase(), one.toLowerCase()]);
  const finders = [...new Set([...cases, ...secrets.flatMap(toBase64Parts)])].map(finderOf);
  return finders.some(({ source }) => source.length > MAX_PATTERN) ? undefined : { secrets, finders };
}

const MARK = "[redacted]";
/** The most backslashes for one: each level of escaping doubles them, and three levels of JSON are found. */
const MAX_BACKSLASHES = 8;
const ENTITIES = { " ": "|\\+", "&": "|&amp;", '"': "|&quot;", "'": "|&apos;", "<": "|&lt;", ">": "|&gt;" };

/** Text in which even letters and digits are percent-encoded, up to three times. */
const ENCODED = new RegExp(`(?:%(?:25){0,2}[2-7][0-9a-f]){${MIN_SECRET},}`, "gi");

/** A text without secrets, be they plain, in upper or lower case, in Base64, or escaped as in JSON, URLs or HTML. */
export function redact(text: string, credentials: readonly Secrets[]): string {
  const finders = credentials.flatMap(({ finders }) => finders);
  const replace = (text: string) => finders.reduce((clean, one) => clean.replace(one, MARK), text);
  return replace(text).replace(ENCODED, (encoded) => {
    const plain = decodeURIComponent(encoded.replace(/%(?:25)+(?=[2-7])/g, "%"));
    const clean = replace(plain);
    return clean === plain ? encoded : clean;
  });
}

/** The Base64 forms of a secret within a longer text: it begins at one of three places in a group of three bytes. */
function toBase64Parts(secret: string): string[] {
  const parts = [0, 1, 2].map((skipped) => {
    const bytes = new TextEncoder().encode("-".repeat(skipped) + secret);
    // Without the characters that depend on the text before or after the secret.
    return toBase64(bytes).slice(Math.ceil(skipped * 8 / 6), Math.floor(bytes.length * 8 / 6));
  });
  return parts.flatMap((part) => [part, part.replaceAll("+", "-").replaceAll("/", "_")]);
}

/** A JSON text without secrets, which is still JSON. A number is replaced only if all of it is a secret. */
export function redactJson(json: string, credentials: readonly Secrets[]): string {
  if (credentials.length === 0) return json;
  const secrets = new Set(credentials.flatMap(({ secrets }) => secrets));
  // Strings and numbers. A string of some millions of escapes does not overflow the stack.
  return json.replace(/"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.eE+-]*/g, (written) => {
    if (!written.startsWith('"')) return secrets.has(written) ? `"${MARK}"` : written;
    const text: string = written.includes("\\") ? JSON.parse(written) : written.slice(1, -1);
    const clean = redact(text, credentials);
    return clean === text ? written : JSON.stringify(clean);
  });
}

/** Bytes without secrets: they are searched as a text with one character for each. */
export function redactBytes(
  bytes: Uint8Array<ArrayBuffer>,
  credentials: readonly Secrets[],
): Uint8Array<ArrayBuffer> {
  if (credentials.length === 0) return bytes;
  const binary = atob(toBase64(bytes));
  const clean = redact(binary, credentials);
  return clean === binary ? bytes : Uint8Array.from(clean, (unit) => unit.charCodeAt(0));
}

/** A pattern that finds a secret as it is, and escaped for a URL, JSON or HTML. */
function finderOf(secret: string): RegExp {
  // A run of backslashes is one item of the pattern, so that nothing is tried twice.
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
