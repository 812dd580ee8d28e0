/** Glob patterns for paths: `*`, `**`, `?`, `[a-z]`, `{ts,tsx}`. The cost of a match is at most the product of both lengths. */

import { uriDecoded } from "../base/text.ts";
import { compileWildcards } from "./wildcard.ts";

/** A compiled pattern for file paths. */
export interface Glob {
  readonly pattern: string;
  /** Equivalent patterns without braces that begin at the root, for programs that support fewer forms. */
  readonly forms: readonly string[];
  /** The number of literal characters: of two matching patterns, the one with more is more specific. */
  readonly specificity: number;
  /** Whether the pattern begins at the root of the repository. Others match in any folder. */
  readonly isAnchored: boolean;
  /** Whether the pattern matches a path that `toFilePath` has normalised. */
  matches(path: string): boolean;
}

/** The maximum number of alternatives that the braces of a pattern are expanded into. */
const MAX_ALTERNATIVES = 64;

/** Compiles a pattern for file paths. Without a slash, it matches in any folder; with a slash at its end, everything in that folder. */
export function toGlob(pattern: string): Glob {
  const trimmed = pattern.trim().replaceAll("\\", "/").replace(/^(?:\.\/)+/, "");
  const anchored = trimmed.replace(/^\//, "").replace(/\/$/, "/**");
  const forms = expandBraces(trimmed.includes("/") ? anchored : `**/${anchored}`);
  const compiled = forms.map(compileWildcards);
  return {
    pattern,
    forms,
    isAnchored: trimmed.includes("/") && !trimmed.startsWith("**"),
    specificity: Math.max(...compiled.map(({ literals }) => literals)),
    matches: (path) => compiled.some(({ matches }) => matches(path)),
  };
}

/** Normalises a path for patterns: uses slashes, removes `file://`, the drive, `.`, `..`, and a leading slash. */
export function toFilePath(path: string): string {
  const [, url] = /^file:\/\/[^/]*(\/.*)$/is.exec(path) ?? [];
  const plain = url === undefined ? path : uriDecoded(url) ?? url;
  const steps: string[] = [];
  for (const segment of plain.replaceAll("\\", "/").replace(/^\/?[a-z]:(?=\/)/i, "").split("/")) {
    if (segment === "..") steps.pop();
    else if (segment !== "" && segment !== ".") steps.push(segment);
  }
  return steps.join("/");
}

/** Whether a path begins at the root of a file system, or above the working directory. */
export function isAbsolute(path: string): boolean {
  return /^(?:[/\\]|[a-z]:[/\\]|file:|\.\.[/\\])/i.test(path);
}

/** Expands "a.{ts,tsx}" to "a.ts" and "a.tsx". Unclosed braces are literal. */
function expandBraces(pattern: string): string[] {
  let done = [""];
  for (let rest = pattern; rest !== "";) {
    const [whole, head, choices] = /^([^{]*)\{([^}]*)\}/.exec(rest) ?? [rest, rest, ""];
    const ends = choices!.split(",").map((choice) => head + choice);
    done = done.flatMap((start) => ends.map((end) => start + end)).slice(0, MAX_ALTERNATIVES);
    rest = rest.slice(whole!.length);
  }
  return done;
}
