/**
 * Which files does a pattern of files mean? `*` within a name, `**` across folders, `?`, `[a-z]`, `{ts,tsx}`: what people
 * know from ignore files and editors.
 *
 * Patterns stand in documents and are matched against paths that a client sends, so all ways to match are followed at once:
 * a pattern full of stars costs no more than its length times the path's.
 */

/** A pattern, ready to be matched. */
export interface Glob {
  /** As it was written. */
  readonly pattern: string;
  /** How much of it is fixed: of two that match, the one with more is the more specific. */
  readonly specificity: number;
  matches(path: string): boolean;
}

/** The most alternatives that one pattern is taken apart into; more is nothing that people write. */
const MAX_ALTERNATIVES = 64;

type Step =
  | { readonly kind: "text"; readonly matches: (character: string) => boolean; readonly isFixed: boolean }
  /** Any characters within a name. */
  | { readonly kind: "star" }
  /** Any number of whole folders, each with the slash behind it. */
  | { readonly kind: "folders" }
  /** Anything to the end. */
  | { readonly kind: "rest" };

/** Reads a pattern. One without a slash means a file of that name in any folder; one that ends in a slash, all below it. */
export function toGlob(pattern: string): Glob {
  const alternatives = expand(normalise(pattern)).map(toSteps);
  const fixed = alternatives.map((steps) =>
    steps.filter((step) => step.kind === "text" && step.isFixed).length
  );
  return {
    pattern,
    specificity: Math.max(0, ...fixed),
    matches: (path) => {
      const characters = Array.from(toPath(path));
      return alternatives.some((steps) => matches(steps, characters));
    },
  };
}

/** A path as patterns see it: with slashes, from the root of the repository. */
function toPath(path: string): string {
  return path.replaceAll("\\", "/").replace(/^(?:\.\/)+/, "").replace(/^\/+/, "");
}

function normalise(pattern: string): string {
  const trimmed = pattern.trim().replaceAll("\\", "/").replace(/^(?:\.\/)+/, "");
  const anchored = trimmed.startsWith("/") ? trimmed.slice(1) : trimmed;
  const below = anchored.endsWith("/") ? `${anchored}**` : anchored;
  return trimmed.includes("/") ? below : `**/${below}`;
}

/** "a.{ts,tsx}" is "a.ts" and "a.tsx"; what is not closed is taken as it stands. */
function expand(pattern: string): string[] {
  let done = [""];
  for (let rest = pattern; rest !== "";) {
    const open = rest.indexOf("{");
    const close = open < 0 ? -1 : rest.indexOf("}", open);
    const head = close < 0 ? rest : rest.slice(0, open);
    const choices = close < 0 ? [""] : rest.slice(open + 1, close).split(",");
    done = done.flatMap((start) => choices.map((choice) => start + head + choice)).slice(0, MAX_ALTERNATIVES);
    rest = close < 0 ? "" : rest.slice(close + 1);
  }
  return done;
}

function toSteps(pattern: string): Step[] {
  const steps: Step[] = [];
  const characters = Array.from(pattern);
  for (let index = 0; index < characters.length; index++) {
    const character = characters[index]!;
    const isDouble = character === "*" && characters[index + 1] === "*";
    if (isDouble && characters[index + 2] === "/") {
      steps.push({ kind: "folders" });
      index += 2;
    } else if (isDouble) {
      steps.push({ kind: "rest" });
      index++;
    } else if (character === "*") steps.push({ kind: "star" });
    else if (character === "?") {
      steps.push({
        kind: "text",
        matches: (other) => other !== "/",
        isFixed: false,
      });
    } else if (character === "[" && characters.indexOf("]", index + 2) > 0) {
      const end = characters.indexOf("]", index + 2);
      steps.push({ kind: "text", matches: oneOf(characters.slice(index + 1, end)), isFixed: false });
      index = end;
    } else steps.push({ kind: "text", matches: (other) => other === character, isFixed: true });
  }
  return steps;
}

/** "[a-z_]", "[!0-9]". */
function oneOf(members: readonly string[]): (character: string) => boolean {
  const isNegated = members[0] === "!" || members[0] === "^";
  const set = isNegated ? members.slice(1) : members;
  return (character) => {
    if (character === "/") return false;
    let isIn = false;
    for (let index = 0; index < set.length; index++) {
      const isRange = set[index + 1] === "-" && index + 2 < set.length;
      isIn ||= isRange ? set[index]! <= character && character <= set[index + 2]! : set[index] === character;
      if (isRange) index += 2;
    }
    return isIn !== isNegated;
  };
}

function matches(steps: readonly Step[], path: readonly string[]): boolean {
  let places: ReadonlySet<number> = new Set([0]);
  for (const step of steps) {
    if (places.size === 0) return false;
    places = advance(step, path, places);
  }
  return places.has(path.length);
}

/** The places in the path that one step can lead to. */
function advance(step: Step, path: readonly string[], starts: ReadonlySet<number>): Set<number> {
  const ends = new Set<number>();
  if (step.kind === "text") {
    for (const start of starts) if (start < path.length && step.matches(path[start]!)) ends.add(start + 1);
    return ends;
  }
  let reached = false;
  for (let place = 0; place <= path.length; place++) {
    if (step.kind === "star" && path[place - 1] === "/") reached = false;
    if (step.kind === "folders") {
      if (starts.has(place) || (reached && path[place - 1] === "/")) ends.add(place);
      reached ||= starts.has(place);
      continue;
    }
    reached ||= starts.has(place);
    if (reached) ends.add(place);
  }
  return ends;
}
