/** Credentials: how they are sent, and how everything else is kept free of them. */

import { toBase64 } from "../base/base64.ts";
import { own } from "../base/json.ts";
import { FIELD_NAME } from "../protocol/headers.ts";
import { refuse } from "./endpoint.ts";

/** How a secret is sent to the API. */
export type Scheme =
  | { readonly type: "header" | "query" | "cookie"; readonly name: string }
  | { readonly type: "basic" | "bearer" };

export interface Credential {
  readonly in: "header" | "query" | "cookie";
  readonly name: string;
  readonly value: string;
  /** What must not be seen anywhere else, longest first. */
  readonly secrets: readonly string[];
  /** Find them, however they are escaped. */
  readonly finders: readonly RegExp[];
}

/** The shortest secret that is looked for: shorter ones would be found everywhere. */
const MIN_SECRET = 6;
/** The longest pattern that finds a secret, in characters: engines refuse one of twice the length. */
const MAX_PATTERN = 150_000;
export const CONNECTION: ReadonlySet<string> = new Set(
  "connection content-length expect host keep-alive te trailer transfer-encoding upgrade".split(" "),
);

/** Makes a credential of the content of a secret file, which no error quotes. Line ends at its end are not part of it. */
export function credential(name: string, scheme: Scheme, content: string): Credential {
  const secret = content.replace(/^\uFEFF/, "").replace(/[\r\n]+$/, "");
  const fail = (reason: string): never => refuse(`The credential ${name} ${reason}`);
  if (!/^[\x20-\x7e]+$/.test(secret)) fail("must be one line of printable ASCII characters");
  const isNamed = "name" in scheme;
  const place = isNamed ? scheme.type : "header";
  const key = isNamed ? scheme.name : "authorization";
  if (place !== "query" && !FIELD_NAME.test(key)) {
    fail(`cannot go in the ${place} ${JSON.stringify(key)}: its name has a character not allowed there`);
  }
  if (place === "header" && CONNECTION.has(key.toLowerCase())) {
    fail(`cannot go in the header ${JSON.stringify(key)}, which belongs to the connection`);
  }
  // "Bearer abc" in a header: the secret part may be shown by itself.
  let [value, others] = isNamed ? [secret, [secret.split(" ").at(-1)!]] : [`Bearer ${secret}`, [secret]];
  if (scheme.type === "basic") {
    const [user, ...password] = secret.split(":");
    if (password.length === 0) fail("must be a user and a password, with a colon between them");
    const encoded = toBase64(new TextEncoder().encode(secret));
    // Without a password, the user is the secret.
    [value, others] = [`Basic ${encoded}`, [secret, encoded, password.join(":") || user!]];
  }
  const secrets = [...new Set([value, ...others])].filter(({ length }) => length >= MIN_SECRET)
    .sort((left, right) => right.length - left.length);
  const cases = secrets.flatMap((one) => [one, one.toUpperCase(), one.toLowerCase()]);
  const finders = [...new Set([...cases, ...secrets.flatMap(toBase64Parts)])].map(finderOf);
  if (finders.some(({ source }) => source.length > MAX_PATTERN)) fail("is too long to be found in answers");
  const held = place === "header" ? key.toLowerCase() : key;
  return Object.freeze({ in: place, name: held, value, secrets, finders });
}

/** Adds credentials to a request whose address is covered, in place of those that a redirect has repeated. */
export function withCredentials(
  address: URL,
  fields: Readonly<Record<string, string>>,
  credentials: readonly Credential[],
  isCovered: boolean,
): { url: URL; headers: Record<string, string> } {
  const url = new URL(address);
  const headers: Record<string, string> = { ...fields };
  for (const { in: place, name, value } of credentials) {
    if (place === "query") {
      const pairs = url.search.slice(1).split("&")
        .filter((pair) => pair !== "" && !new URLSearchParams(pair).has(name));
      if (isCovered) pairs.push(`${encodeURIComponent(name)}=${encodeURIComponent(value)}`);
      url.search = pairs.join("&");
    } else if (isCovered && place === "header") headers[name] = value;
    else if (isCovered) {
      const before = headers["cookie"] === undefined ? "" : `${headers["cookie"]}; `;
      headers["cookie"] = `${before}${name}=${value}`;
    }
  }
  return { url, headers };
}

const MARK = "[redacted]";
/** Every level of escaping doubles the backslashes: as many as three levels of JSON have. */
const MAX_BACKSLASHES = 8;
const ENTITIES = { " ": "|\\+", "&": "|&amp;", '"': "|&quot;", "'": "|&apos;", "<": "|&lt;", ">": "|&gt;" };

/** Text that is percent-encoded up to three times, letters and digits too. */
const ENCODED = new RegExp(`(?:%(?:25){0,2}[2-7][0-9a-f]){${MIN_SECRET},}`, "gi");

/** A text without secrets: plain, in capitals or small letters, in Base64, or escaped as in JSON, in URLs or in HTML. */
export function redact(text: string, credentials: readonly Credential[]): string {
  const finders = credentials.flatMap(({ finders }) => finders);
  const find = (text: string) => finders.reduce((clean, one) => clean.replace(one, MARK), text);
  return find(text).replace(ENCODED, (encoded) => {
    const plain = decodeURIComponent(encoded.replace(/%(?:25)+(?=[2-7])/g, "%"));
    const clean = find(plain);
    return clean === plain ? encoded : clean;
  });
}

/** What Base64 of a longer text has in it: the secret begins at one of three places within a group of four. */
function toBase64Parts(secret: string): string[] {
  const parts = [0, 1, 2].map((skipped) => {
    const bytes = new TextEncoder().encode("-".repeat(skipped) + secret);
    // Characters that depend on what comes before or after are left out.
    return toBase64(bytes).slice(Math.ceil(skipped * 8 / 6), Math.floor(bytes.length * 8 / 6));
  });
  return parts.flatMap((part) => [part, part.replaceAll("+", "-").replaceAll("/", "_")]);
}

/** JSON without secrets, which stays JSON. A number is replaced when it is a secret as a whole; others keep their digits. */
export function redactJson(json: string, credentials: readonly Credential[]): string {
  if (credentials.length === 0) return json;
  const secrets = new Set(credentials.flatMap(({ secrets }) => secrets));
  // Strings and numbers. The stack suffices for some millions of escapes in one string.
  return json.replace(/"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.eE+-]*/g, (written) => {
    if (!written.startsWith('"')) return secrets.has(written) ? `"${MARK}"` : written;
    const text: string = written.includes("\\") ? JSON.parse(written) : written.slice(1, -1);
    const clean = redact(text, credentials);
    return clean === text ? written : JSON.stringify(clean);
  });
}

export function redactBytes(
  bytes: Uint8Array<ArrayBuffer>,
  credentials: readonly Credential[],
): Uint8Array<ArrayBuffer> {
  if (credentials.length === 0) return bytes;
  const binary = atob(toBase64(bytes));
  const clean = redact(binary, credentials);
  return clean === binary ? bytes : Uint8Array.from(clean, (unit) => unit.charCodeAt(0));
}

/** Finds a secret in all its forms: as it is, and escaped for a URL, JSON or HTML. */
function finderOf(secret: string): RegExp {
  // A run of backslashes is matched as one, so that nothing is tried twice.
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
