/** Wildcard patterns of paths: `*`, `**`, `?`, `[a-z]`, `{ts,tsx}`. A match costs at most the product of both lengths. */

import { uriDecoded } from "../base/text.ts";

/** A pattern of files, compiled. */
export interface Glob {
  readonly pattern: string;
  /** What it stands for: patterns without braces that begin at the root, for programs that read fewer forms. */
  readonly forms: readonly string[];
  /** The number of literal characters: of two matching patterns, the one with more is the more specific. */
  readonly specificity: number;
  /** Whether the pattern begins at the root of the repository, and not in any folder. */
  readonly isAnchored: boolean;
  /** Whether the pattern matches a path that `toFilePath` has normalised. */
  matches(path: string): boolean;
}

/** The most alternatives that the braces of one pattern are expanded into. */
const MAX_ALTERNATIVES = 64;

/** Compiles a pattern of files. Without a slash it matches in any folder; a slash at its end, all below that folder. */
export function toGlob(pattern: string): Glob {
  const trimmed = pattern.trim().replaceAll("\\", "/").replace(/^(?:\.\/)+/, "");
  const anchored = trimmed.replace(/^\//, "").replace(/\/$/, "/**");
  const forms = expandBraces(trimmed.includes("/") ? anchored : `**/${anchored}`);
  const compiled = forms.map(compile);
  return {
    pattern,
    forms,
    isAnchored: trimmed.includes("/") && !trimmed.startsWith("**"),
    specificity: Math.max(...compiled.map(({ literals }) => literals)),
    matches: (path) => compiled.some(({ matches }) => matches(path)),
  };
}

/** A path as patterns see it: with slashes, without `file://`, drive, `.`, `..`, and a slash at the start. */
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

/** Compiles a pattern that is matched as a whole, without braces: `*`, `**`, `?` and `[a-z]`. */
export function toMatcher(pattern: string): (text: string) => boolean {
  return compile(pattern).matches;
}

/** "a.{ts,tsx}" is "a.ts" and "a.tsx"; braces that are not closed are literal. */
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

/** A literal character, a set of them, or a wildcard that takes characters for as long as they fit. */
type Step = string | {
  /** "folders" takes whole segments, each with the slash behind it. */
  readonly kind: "one" | "star" | "folders" | "rest";
  fits(character: string): boolean;
};

const notSlash = (character: string): boolean => character !== "/";
const STAR: Step = { kind: "star", fits: notSlash };
const FOLDERS: Step = { kind: "folders", fits: () => true };
const REST: Step = { kind: "rest", fits: () => true };

function compile(pattern: string): { literals: number; matches(text: string): boolean } {
  const steps: Step[] = [];
  // A slash behind two stars belongs to them. A closing bracket right behind the opening one is a member of the set.
  for (const [part, inner] of pattern.matchAll(/\*\*\/|\*\*|\*|\?|\[([^][^\]]*)\]|[^]/gu)) {
    const wild = part === "*" ? STAR : part === "**" ? REST : part === "**/" ? FOLDERS : undefined;
    // Next to `**`, other wildcards match nothing more.
    if (wild && (steps.at(-1) === REST || steps.at(-1) === wild)) continue;
    if (wild) steps.push(wild);
    else if (part === "?") steps.push({ kind: "one", fits: notSlash });
    else steps.push(inner === undefined ? part : { kind: "one", fits: oneOf(inner) });
  }
  return {
    literals: steps.filter((step) => typeof step === "string").length,
    matches: (text) => run(steps, text),
  };
}

/** "a-z_", "!0-9": the inside of brackets. */
function oneOf(members: string): (character: string) => boolean {
  const isNegated = /^[!^]/.test(members);
  const ranges = Array.from(
    members.slice(isNegated ? 1 : 0).matchAll(/(.)(?:-(.))?/gsu),
    ([, from, to]) => [from!.codePointAt(0)!, (to ?? from)!.codePointAt(0)!] as const,
  );
  return (character) => {
    const code = character.codePointAt(0)!;
    return character !== "/" && ranges.some(([from, to]) => from <= code && code <= to) !== isNegated;
  };
}

/** Follows all ways to match at once: `on` marks the steps that can come next after the text so far. */
function run(steps: readonly Step[], text: string): boolean {
  let on = new Uint8Array(steps.length + 1);
  let next = new Uint8Array(steps.length + 1);
  enter(steps, on, 0);
  for (const character of text) {
    let isAlive = false;
    for (let index = 0; index < steps.length; index++) {
      if (on[index] === 0) continue;
      const step = steps[index]!;
      const isLiteral = typeof step === "string";
      if (isLiteral ? step !== character : !step.fits(character)) continue;
      isAlive = true;
      if (isLiteral || step.kind === "one") enter(steps, next, index + 1);
      else if (step.kind === "folders" && character !== "/") next[index] = 1;
      else enter(steps, next, index);
    }
    if (!isAlive) return false;
    [on, next] = [next, on];
    next.fill(0);
  }
  return on[steps.length] === 1;
}

/** Marks a step. Wildcards can match nothing, so the step behind one is marked with it. */
function enter(steps: readonly Step[], on: Uint8Array, start: number): void {
  for (let index = start; index <= steps.length; index++) {
    on[index] = 1;
    const step = steps[index];
    if (typeof step !== "object" || step.kind === "one") return;
  }
}
