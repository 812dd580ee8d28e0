/**
 * Which files does a pattern of files mean? `*` within a name, `**` across folders, `?`, `[a-z]`, `{ts,tsx}`: what people
 * know from ignore files and editors.
 *
 * Patterns stand in documents and are matched against paths that a client sends, so all ways to match are followed at once:
 * a pattern full of stars costs no more than its length times the path's. Most patterns begin or end with fixed text, and
 * most paths do not: those are told apart by a character or two.
 */

/** A pattern, ready to be matched. */
export interface Glob {
  /** As it was written. */
  readonly pattern: string;
  /** How much of it is fixed: of two that match, the one with more is the more specific. */
  readonly specificity: number;
  matches(path: FilePath): boolean;
}

/** The path of a file, ready to be matched. */
export interface FilePath {
  readonly text: string;
  /** As numbers. */
  readonly characters: Uint32Array;
}

/** Text that a pattern asks for as it stands. */
type Fixed = FilePath;

/** The most alternatives that one pattern is taken apart into; more is nothing that people write. */
const MAX_ALTERNATIVES = 64;

const SLASH: number = numberOf("/");
const DASH: number = numberOf("-");

type Step =
  /** These characters. */
  | { readonly kind: "text"; readonly fixed: Fixed }
  /** One character of some. */
  | { readonly kind: "character"; readonly fits: (character: number) => boolean }
  | Wild;

type Wild =
  /** Any characters within a name. */
  | { readonly kind: "star" }
  /** Any number of whole folders, each with the slash behind it. */
  | { readonly kind: "folders" }
  /** Any characters. */
  | { readonly kind: "rest" };

/** A pattern without alternatives: the text that it begins with, that it ends with, and what may be between them. */
interface Form {
  readonly head: Fixed;
  readonly steps: readonly Step[];
  readonly tail: Fixed;
  /** How many characters are fixed. */
  readonly specificity: number;
}

const NOTHING: Fixed = toCharacters("");

/** Reads a pattern. One without a slash means a file of that name in any folder; one that ends in a slash, all below it. */
export function toGlob(pattern: string): Glob {
  const forms = expand(normalise(pattern)).map(toForm);
  return {
    pattern,
    specificity: Math.max(0, ...forms.map(({ specificity }) => specificity)),
    matches: (path) => forms.some((form) => matches(form, path)),
  };
}

/** Reads a path as patterns see it: with slashes, from the root of the repository. */
export function toFilePath(path: string): FilePath {
  return toCharacters(path.replaceAll("\\", "/").replace(/^(?:\.\/)+/, "").replace(/^\/+/, ""));
}

function toCharacters(text: string): { text: string; characters: Uint32Array } {
  return { text, characters: Uint32Array.from(Array.from(text, numberOf)) };
}

function numberOf(character: string): number {
  return character.codePointAt(0)!;
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

function toForm(pattern: string): Form {
  const steps = toSteps(pattern);
  const specificity = steps.reduce((sum, step) => sum + (fixedText(step)?.characters.length ?? 0), 0);
  const head = fixedText(steps[0]);
  const others = head ? steps.slice(1) : steps;
  const tail = fixedText(others.at(-1));
  const between = tail ? others.slice(0, -1) : others;
  return { head: head ?? NOTHING, steps: between, tail: tail ?? NOTHING, specificity };
}

function fixedText(step: Step | undefined): Fixed | undefined {
  return step?.kind === "text" ? step.fixed : undefined;
}

function toSteps(pattern: string): Step[] {
  const steps: Step[] = [];
  let text: string[] = [];
  const add = (step: Wild | Extract<Step, { kind: "character" }>): void => {
    if (text.length > 0) steps.push({ kind: "text", fixed: toCharacters(text.join("")) });
    text = [];
    if (step.kind === "character") steps.push(step);
    else addWild(steps, step);
  };
  const characters = Array.from(pattern);
  for (let index = 0; index < characters.length; index++) {
    const character = characters[index]!;
    const isDouble = character === "*" && characters[index + 1] === "*";
    const close = character === "[" ? characters.indexOf("]", index + 2) : -1;
    if (isDouble && characters[index + 2] === "/") {
      add({ kind: "folders" });
      index += 2;
    } else if (isDouble) {
      add({ kind: "rest" });
      index++;
    } else if (character === "*") add({ kind: "star" });
    else if (character === "?") add({ kind: "character", fits: (other) => other !== SLASH });
    else if (close > 0) {
      add({ kind: "character", fits: oneOf(characters.slice(index + 1, close).map(numberOf)) });
      index = close;
    } else text.push(character);
  }
  if (text.length > 0) steps.push({ kind: "text", fixed: toCharacters(text.join("")) });
  return steps;
}

/** Adds a step without those that change nothing: any characters are any characters, however often that is said. */
function addWild(steps: Step[], step: Wild): void {
  const last = steps.at(-1)?.kind;
  if (last === "rest" || last === step.kind) return;
  if (step.kind === "rest") {
    while (steps.at(-1)?.kind === "star" || steps.at(-1)?.kind === "folders") steps.pop();
  }
  steps.push(step);
}

/** "[a-z_]", "[!0-9]". */
function oneOf(members: readonly number[]): (character: number) => boolean {
  const isNegated = members[0] === numberOf("!") || members[0] === numberOf("^");
  const set = isNegated ? members.slice(1) : members;
  return (character) => {
    if (character === SLASH) return false;
    let isIn = false;
    for (let index = 0; index < set.length; index++) {
      const isRange = set[index + 1] === DASH && index + 2 < set.length;
      isIn ||= isRange ? set[index]! <= character && character <= set[index + 2]! : set[index] === character;
      if (isRange) index += 2;
    }
    return isIn !== isNegated;
  };
}

function matches({ head, steps, tail }: Form, path: FilePath): boolean {
  const { characters } = path;
  const start = head.characters.length;
  const end = characters.length - tail.characters.length;
  if (start > end || !path.text.startsWith(head.text) || !path.text.endsWith(tail.text)) return false;
  if (steps.length === 0) return start === end;
  if (!hasInOrder(path.text, head.text.length, steps)) return false;
  // A one for each place in the path that the steps so far can lead to.
  const places = new Uint8Array(end + 1);
  places[start] = 1;
  let first = start;
  for (const step of steps) {
    first = advance(step, characters, places, first);
    if (first > end) return false;
  }
  return places[end] === 1;
}

/** Whether all fixed text is there, one after the other: the runtime knows that far sooner than what may be between. */
function hasInOrder(path: string, start: number, steps: readonly Step[]): boolean {
  let place = start;
  for (const step of steps) {
    if (step.kind !== "text") continue;
    const found = path.indexOf(step.fixed.text, place);
    if (found < 0) return false;
    place = found + step.fixed.text.length;
  }
  return true;
}

/** Takes all places one step further; the first one of them tells where, and one behind the end that there is none. */
function advance(step: Step, path: Uint32Array, places: Uint8Array, first: number): number {
  if (step.kind === "text") return advanceText(step.fixed.characters, path, places, first);
  if (step.kind === "character") return advanceCharacter(step.fits, path, places, first);
  if (step.kind === "rest") places.fill(1, first);
  else if (step.kind === "star") reachInName(path, places, first);
  else reachFolders(path, places, first);
  return first;
}

/** From the end on, so that each place is looked at before it is written. */
function advanceText(text: Uint32Array, path: Uint32Array, places: Uint8Array, first: number): number {
  let lowest = places.length;
  for (let place = places.length - 1; place >= first; place--) {
    const start = place - text.length;
    const fits = start >= first && places[start] === 1 && standsAt(text, path, start);
    places[place] = fits ? 1 : 0;
    if (fits) lowest = place;
  }
  return lowest;
}

function advanceCharacter(
  fits: (character: number) => boolean,
  path: Uint32Array,
  places: Uint8Array,
  first: number,
): number {
  let lowest = places.length;
  for (let place = places.length - 1; place >= first; place--) {
    const isReached = place > first && places[place - 1] === 1 && fits(path[place - 1]!);
    places[place] = isReached ? 1 : 0;
    if (isReached) lowest = place;
  }
  return lowest;
}

function reachInName(path: Uint32Array, places: Uint8Array, first: number): void {
  let isReached = false;
  for (let place = first; place < places.length; place++) {
    if (places[place] === 1) isReached = true;
    else if (path[place - 1] === SLASH) isReached = false;
    else if (isReached) places[place] = 1;
  }
}

/** From the first place, every later folder can be reached. */
function reachFolders(path: Uint32Array, places: Uint8Array, first: number): void {
  for (let place = first + 1; place < places.length; place++) {
    if (path[place - 1] === SLASH) places[place] = 1;
  }
}

function standsAt(text: Uint32Array, path: Uint32Array, start: number): boolean {
  for (let index = 0; index < text.length; index++) {
    if (path[start + index] !== text[index]) return false;
  }
  return true;
}
