/** Path templates such as "/users/{id}": parses them, and fills in values that cannot lead to another path. */

import { uriDecoded } from "../base/text.ts";
import { refuse, reject } from "./errors.ts";

/** How often a path is decoded to find dot segments: each server in a chain of proxies may decode it once more. */
const MAX_DECODINGS = 5;

const IN_BRACES = /\{([^{}]*)\}/g;

/** Text that is already encoded is kept. */
const encoded = (text: string) =>
  text.toWellFormed().replace(/[^A-Za-z0-9\-._~!$&'()*+,;=:@/%{}]/gu, encodeURIComponent);

/** A parsed path template. */
interface PathTemplate {
  /** The encoded path, with names in braces. */
  readonly text: string;
  readonly names: readonly string[];
  /** The fixed parameters of the query, with their encoded text: "/a?x=1&y". */
  readonly fixed: readonly { readonly name: string; readonly text: string }[];
  /** The names of query parameters that the template shows: "/a?x={x}", "/a{?x}". */
  readonly shown: readonly string[];
}

/** Parses a template. A fragment is not sent: it only distinguishes operations. */
export function parsePath(path: string): PathTemplate {
  const shown: string[] = [];
  const show = (name: string) => void shown.push(name.replace(/\*$/, ""));
  const bare = path.split("#", 1)[0]!.replace(/\{[?&]([^{}]*)\}/g, (_, list: string) => {
    list.split(",").forEach(show);
    return "";
  });
  const [plain = "", ...search] = bare.split("?");
  const fixed = search.join("?").split("&").flatMap((pair) => {
    const [name = "", value = ""] = pair.split(/=(.*)/s, 2);
    if (/^\{[^{}]+\}$/.test(value)) show(value.slice(1, -1));
    else if (pair !== "") {
      return [{ name: uriDecoded(name) ?? name, text: encoded(pair).replaceAll("'", "%27") }];
    }
    return [];
  });
  const names = Array.from(plain.matchAll(IN_BRACES), ([, name]) => name!);
  const filled = plain.replace(IN_BRACES, "x");
  const isUnfit = !path.startsWith("/") || !path.isWellFormed() || names.includes("") ||
    new Set(names).size < names.length ||
    filled.split("/").some(isDots) ||
    [filled, ...fixed.map(({ text }) => text)].some((one) => /[\p{Cc}\\{}]|%(?![0-9A-Fa-f]{2})/u.test(one));
  if (isUnfit) {
    const unwanted = 'dot segment, backslash, lone "{", "}" or "%", and no duplicate parameter';
    return refuse(`The path must begin with "/" and have no ${unwanted}`, "/path");
  }
  const text = plain.replace(/\{.*?\}|[^{]+/gu, (part) => part.startsWith("{") ? part : encoded(part));
  return { text, names, fixed, shown };
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
