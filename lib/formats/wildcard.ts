/** Wildcards in patterns: `*`, `**`, `?`, `[a-z]`. The cost of a match is at most the product of both lengths. */

/** Compiles a pattern without braces, which must match the whole text: `*`, `**`, `?` and `[a-z]`. */
export function toMatcher(pattern: string): (text: string) => boolean {
  return compileWildcards(pattern).matches;
}

/** A literal character, a set of characters, or a wildcard that consumes characters as long as they fit. */
type Step = string | {
  /** "folders" consumes whole segments, each with the slash after it. */
  readonly kind: "one" | "star" | "folders" | "rest";
  fits(character: string): boolean;
};

const notSlash = (character: string): boolean => character !== "/";
const STAR: Step = { kind: "star", fits: notSlash };
const FOLDERS: Step = { kind: "folders", fits: () => true };
const REST: Step = { kind: "rest", fits: () => true };

/** Compiles a pattern, and counts its literal characters. */
export function compileWildcards(pattern: string): { literals: number; matches(text: string): boolean } {
  const steps: Step[] = [];
  // A slash after two stars belongs to them. A closing bracket directly after the opening one is a member of the set. A set has at most 101 characters.
  for (const [part, inner] of pattern.matchAll(/\*\*\/|\*\*|\*|\?|\[([^][^\]]{0,100})\]|[^]/gu)) {
    const wild = part === "*" ? STAR : part === "**" ? REST : part === "**/" ? FOLDERS : undefined;
    // Next to `**`, other wildcards match nothing more.
    if (wild && (steps.at(-1) === REST || steps.at(-1) === wild)) continue;
    if (wild) steps.push(wild);
    else if (part === "?") steps.push({ kind: "one", fits: notSlash });
    else steps.push(inner === undefined ? part : { kind: "one", fits: oneOf(inner) });
  }
  // Most texts differ at one of the ends. A slash after stars may match nothing.
  const head = /^[^*?[]*/.exec(pattern)![0];
  const tail = pattern.slice(pattern.search(/[*?\]][^*?\]]*$/) + 1).replace(/^\//, "");
  return {
    literals: steps.filter((step) => typeof step === "string").length,
    matches: (text) => text.startsWith(head) && text.endsWith(tail) && run(steps, text),
  };
}

/** A test for a set such as "a-z_" or "!0-9", given without its brackets. */
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

/** Follows all possible matches at the same time. `on` marks the steps that can come next. */
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

/** Marks a step. Wildcards can match nothing, so the step after a wildcard is marked too. */
function enter(steps: readonly Step[], on: Uint8Array, start: number): void {
  for (let index = start; index <= steps.length; index++) {
    on[index] = 1;
    const step = steps[index];
    if (typeof step !== "object" || step.kind === "one") return;
  }
}
