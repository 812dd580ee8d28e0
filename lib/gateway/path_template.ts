/** Path templates such as "/users/{id}": parses them, and fills in values that cannot lead to another path. */

import { refuse, reject } from "./errors.ts";

/** How often a path is decoded to find dot segments: each server in a chain of proxies may decode it once more. */
const MAX_DECODINGS = 5;

const IN_BRACES = /\{([^{}]*)\}/g;

/** Parses a template. Returns the encoded text, with names in braces, and the names. */
export function parsePath(path: string): { text: string; names: readonly string[] } {
  const names = Array.from(path.matchAll(IN_BRACES), ([, name]) => name!);
  const plain = path.replace(IN_BRACES, "x");
  const isUnfit = !path.startsWith("/") || /[?#\p{Cc}\\{}]|%(?![0-9A-Fa-f]{2})/u.test(plain) ||
    names.includes("") || new Set(names).size < names.length || plain.split("/").some(isDots);
  if (isUnfit) {
    const unwanted =
      'query, fragment, dot segment, backslash, lone "{", "}" or "%", and no duplicate parameter';
    return refuse(`The path must begin with "/" and have no ${unwanted}`, "/path");
  }
  // Text that is already encoded is kept.
  const unencoded = /(\{.*?\})|[^A-Za-z0-9\-._~!$&'()*+,;=:@/%]/gu;
  const text = path.replace(unencoded, (found, name) => name ?? encodeURIComponent(found));
  return { text, names };
}

/** Fills in a template. A value stays within its segment, and braces in it are literal. */
export function fillPath(template: string, values: ReadonlyMap<string, string>): string {
  const path = template.replace(IN_BRACES, (_, name: string) => {
    const value = values.get(name)!;
    if (value !== "" && !leadsOut(value)) return value;
    return reject(`${name}: a part of a path must not be empty, "." or "..", in any encoding`);
  });
  // A value can complete a dot segment: "{id}." with "." for the id is "..".
  if (!leadsOut(path)) return path;
  return reject('The path would have a "." or ".." segment');
}

/** Whether a server that decodes a text, once or more often, would find a dot segment in it. */
function leadsOut(text: string): boolean {
  for (let times = 0; times <= MAX_DECODINGS; times++) {
    if (text.split(/[/\\]/).some((part) => isDots(part.replace(/;.*$/s, "")))) return true;
    const decoded = text.replace(/%(?:2e|2f|5c|25|3b)/gi, decodeURIComponent);
    if (decoded === text) return false;
    text = decoded;
  }
  return true;
}

function isDots(segment: string): boolean {
  return /^(?:\.|%2e){1,2}$/i.test(segment);
}
