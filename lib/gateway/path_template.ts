/** Templates of paths: "/users/{id}". */

import { refuse, reject } from "./errors.ts";

/** How often a path is decoded to find dot segments: each server behind another one may decode it again. */
const MAX_DECODINGS = 5;

const IN_BRACES = /\{([^{}]*)\}/g;

/** Parses the template of a path: its text, which is encoded but for the names in braces, and these names. */
export function parsePath(path: string): { text: string; names: readonly string[] } {
  const names = Array.from(path.matchAll(IN_BRACES), ([, name]) => name!);
  const plain = path.replace(IN_BRACES, "x");
  const isUnfit = !path.startsWith("/") || /[?#\p{Cc}\\{}]|%(?![0-9A-Fa-f]{2})/u.test(plain) ||
    names.includes("") || new Set(names).size < names.length || plain.split("/").some(isDots);
  if (isUnfit) {
    const most = 'no query, fragment, dot segment, backslash, lone "{", "}" or "%", and no parameter twice';
    return refuse(`The path must begin with "/", and have ${most}`, "/path");
  }
  // What is already encoded stays as it is.
  const unencoded = /(\{.*?\})|[^A-Za-z0-9\-._~!$&'()*+,;=:@/%]/gu;
  const text = path.replace(unencoded, (found, name) => name ?? encodeURIComponent(found));
  return { text, names };
}

/** Fills in a template. Inserted text stays within its segment, and braces in it are not filled in. */
export function fillPath(template: string, values: ReadonlyMap<string, string>): string {
  const path = template.replace(IN_BRACES, (_, name: string) => {
    const value = values.get(name)!;
    if (value !== "" && !leadsOut(value)) return value;
    return reject(`${name}: an empty text, "." and ".." cannot be a part of a path, in any spelling`);
  });
  // A value can complete a dot segment: "{id}." with "." for the id is "..".
  if (!leadsOut(path)) return path;
  return reject('The path would have a segment "." or ".."');
}

/** Whether a server that decodes a text, perhaps more than once, would find a dot segment in it. */
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
