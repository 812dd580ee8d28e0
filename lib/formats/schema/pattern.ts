/** Matches the regular expressions of schemas in linear time, so that a malicious pattern cannot hang the program. */

import type { Run } from "./run.ts";

/** The maximum length of a text, in UTF-16 units. A repetition with a larger bound counts as unbounded. */
export const MAX_PATTERN_INPUT = 10_000;
/** The maximum number of states of a pattern with expanded repetitions, and of its characters. */
const MAX_STATES = 2 * MAX_PATTERN_INPUT;
/** Programs with more states are rebuilt for each text, so that a schema cannot fill the memory. */
const MAX_KEPT_STATES = 200;
const MAX_GROUPS = 50;
/** How many entered states count as one step of a check, which takes about 100 ns. */
const STATES_PER_STEP = 2;
/** The cost of compiling a character of a pattern, once per check, in steps. */
const CHARACTER_STEPS = 10;
/** The cost of compiling a class such as `\p{L}`, which has thousands of characters, in steps. */
const CLASS_STEPS = 300;

type Assertion = (text: Text, at: number) => boolean;

/** Consumes a character that fits, or passes if an assertion holds, or always passes. */
interface State {
  readonly fits?: (char: string) => boolean;
  readonly holds?: Assertion;
  readonly next: readonly number[];
}

/** A part of a pattern: its maximum number of states, and a function that adds them before the next state. */
type Part = readonly [size: number, emit: (program: Program, next: number) => number];

/** A text that is being matched: its code points, and the results of lookarounds. */
interface Text {
  readonly chars: readonly string[];
  readonly run: Run;
  readonly marks: Map<Part, Uint8Array>;
}

const ESCAPE = String.raw`\\(?:u[Dd][89ABab]..\\u[Dd][C-Fc-f]..|u\{[^}]*\}|u.{4}|x..|c.|[pP]\{[^}]*\}|.)`;
const CLASS = String.raw`\[(?:\\.|[^\\\]])*\]`;
const GROUP = String.raw`\((?:\?(?:<?[=!]|<[^>]*>|[^:]*:))?`;
const TOKENS = new RegExp(`(${GROUP})|${CLASS}|${ESCAPE}|([*+?]|\\{(\\d+)(,?)(\\d*)\\})\\??|.`, "gsu");
/** A sequence of characters from the start, of which only the last may be repeated. The runtime matches it in linear time. */
const ATOM = String.raw`(?:${CLASS}|(?!\\[1-9kbB])${ESCAPE}|[^\\[(|)*+?{^$])`;
const PLAIN = new RegExp(
  `^\\^(?:${ATOM}(?:\\{\\d{1,3}\\})?)*(?:${ATOM}(?:[*+?]|\\{\\d{1,4},\\d{0,4}\\}))?\\$?$`,
  "su",
);

const isWord = (char = ""): boolean => /^\w$/.test(char);
const atBoundary: Assertion = ({ chars }, at) => isWord(chars[at - 1]) !== isWord(chars[at]);
const ASSERTIONS: ReadonlyMap<string, Assertion> = new Map([
  ["^", (_, at) => at === 0],
  ["$", ({ chars }, at) => at === chars.length],
  ["\\b", atBoundary],
  ["\\B", (text, at) => !atBoundary(text, at)],
]);

/** Parses a valid regular expression; undefined if it has back references, inline flags, or more than 20,000 states. */
function parse(source: string): Part | undefined {
  const outer: { opening: string; branches: Part[][] }[] = [];
  let group = { opening: "", branches: [[]] as Part[][] };
  for (const [token, opening, repetition, exact, comma, end] of source.matchAll(TOKENS)) {
    let part: Part | undefined;
    const holds = ASSERTIONS.get(token);
    if (opening !== undefined) {
      if (outer.length > MAX_GROUPS || /^\(\?[-a-z]/.test(opening)) return undefined;
      outer.push(group);
      group = { opening, branches: [[]] };
    } else if (token === "|") group.branches.push([]);
    else if (token === ")") {
      part = grouped(group.opening, anyOf(group.branches));
      group = outer.pop()!;
    } else if (repetition !== undefined) {
      const least = Number(exact ?? (repetition === "+" ? 1 : 0));
      const most = comma === "" ? least : repetition === "?" ? 1 : Number(end || Infinity);
      part = repeated(group.branches.at(-1)!.pop()!, least, most);
    } else if (/^\\[1-9k]/.test(token)) return undefined;
    else part = single(holds ? { holds } : { fits: charTest(token) });
    if (!part) continue;
    if (part[0] > MAX_STATES) return undefined;
    group.branches.at(-1)!.push(part);
  }
  const whole = anyOf(group.branches);
  return whole[0] > MAX_STATES ? undefined : whole;
}

function single(state: Omit<State, "next">): Part {
  return [1, (program, next) => program.add({ ...state, next: [next] })];
}

function anyOf(branches: readonly (readonly Part[])[]): Part {
  const size = branches.flat().reduce((sum, [size]) => sum + size, branches.length);
  return [size, (program, next) => {
    const inOrder = (parts: readonly Part[]) => program.isBackward ? parts : parts.toReversed();
    const starts = branches.map((parts) => inOrder(parts).reduce((to, [, emit]) => emit(program, to), next));
    return starts.length === 1 ? starts[0]! : program.add({ next: starts });
  }];
}

function repeated([size, emit]: Part, least: number, most: number): Part {
  const isEndless = most > MAX_PATTERN_INPUT;
  return [(size + 1) * (isEndless ? least + 1 : most) + 1, (program, next) => {
    let to = next;
    const optional = isEndless ? 0 : most - least;
    for (let left = optional; left > 0; left--) to = program.add({ next: [emit(program, to), next] });
    if (isEndless) {
      const ways = [next];
      to = program.add({ next: ways });
      ways.unshift(emit(program, to));
    }
    for (let left = least; left > 0; left--) to = emit(program, to);
    return to;
  }];
}

/** The part of a group. A lookaround becomes an assertion on the positions where its matches begin or end. */
function grouped(opening: string, part: Part): Part {
  const [, backward, sign] = /^\(\?(<?)([=!])$/.exec(opening) ?? [];
  if (sign === undefined) return part;
  const holds: Assertion = (text, at) => {
    let marks = text.marks.get(part);
    if (!marks) text.marks.set(part, marks = new Program(part, backward === "").search(text));
    return (marks[at] === 1) === (sign === "=");
  };
  return [part[0], single({ holds })[1]];
}

/** A test whether an atom (a literal character, an escape, a class) matches a character. */
function charTest(atom: string): (char: string) => boolean {
  if (!/^(?:[\\[]|\.$)/.test(atom)) return (char) => char === atom;
  const known = new Map<string, boolean>();
  let pattern: RegExp | undefined;
  return (char) => {
    let fits = known.get(char);
    if (fits !== undefined) return fits;
    fits = (pattern ??= new RegExp(`^${atom}$`, "u")).test(char);
    if (char < "\x80") known.set(char, fits);
    return fits;
  };
}

/** The states of a pattern (Thompson's construction). All reachable states are followed at the same time. */
class Program {
  readonly isBackward: boolean;
  readonly #size: number;
  /** The first state is the end of a match. */
  readonly #states: State[] = [{ next: [] }];
  readonly #start: number;
  /** For each state, the step in which it was last entered. */
  readonly #entered: Float64Array;
  #step = 0;

  constructor([size, emit]: Part, isBackward: boolean) {
    this.isBackward = isBackward;
    this.#size = size;
    this.#start = emit(this, 0);
    this.#entered = new Float64Array(this.#states.length);
  }

  add(state: State): number {
    return this.#states.push(state) - 1;
  }

  /** Marks the positions at which a match ends; it may begin anywhere. */
  search(text: Text, isFirstEnough: boolean = false): Uint8Array {
    const { chars, run } = text;
    const marks = new Uint8Array(chars.length + 1);
    // Building the program costs more than entering its states.
    run.spend(4 * this.#size / STATES_PER_STEP);
    let waiting: number[] = [];
    for (let count = 0; count <= chars.length; count++) {
      const at = this.isBackward ? chars.length - count : count;
      const char = chars[this.isBackward ? at - 1 : at];
      const step = ++this.#step;
      const reached: number[] = [];
      let entered = 0;
      waiting.push(this.#start);
      for (let index = waiting.pop(); index !== undefined; index = waiting.pop()) {
        if (this.#entered[index] === step) continue;
        this.#entered[index] = step;
        entered++;
        if (index === 0) {
          marks[at] = 1;
          if (isFirstEnough) return marks;
        }
        const { fits, holds, next } = this.#states[index]!;
        if (fits) {
          if (char !== undefined && fits(char)) reached.push(next[0]!);
        } else if (!holds || holds(text, at)) { for (const to of next) waiting.push(to); }
      }
      run.spend(entered / STATES_PER_STEP);
      waiting = reached;
    }
    return marks;
  }
}

type Matcher = (text: string, run: Run) => boolean;

function native(source: string): Matcher {
  const pattern = new RegExp(source, "u");
  return (text) => pattern.test(text);
}

function linear(source: string): Matcher | undefined {
  if (source.length > MAX_STATES) return undefined;
  if (PLAIN.test(source)) return native(source);
  const part = parse(source);
  if (!part) return undefined;
  let kept: Program | undefined;
  return (text, run) => {
    const program = kept ?? new Program(part, false);
    if (part[0] <= MAX_KEPT_STATES) kept = program;
    return program.search({ chars: [...text], run, marks: new Map() }, true).includes(1);
  };
}

/** Compiles a valid regular expression. One that may need more than linear time is matched by the runtime, or skipped with `onskip`. */
export function compilePattern(source: string, onskip?: (pattern: string) => void): Matcher | undefined {
  const matches = linear(source) ?? (onskip ? void onskip(source) : native(source));
  if (!matches) return undefined;
  const cost = CHARACTER_STEPS * source.length + CLASS_STEPS * (source.match(/\\p/gi)?.length ?? 0);
  return (text, run) => {
    run.spendOnce(matches, cost);
    return matches(text, run);
  };
}

/** Whether a text is an ECMAScript regular expression with the flag `u` that is matched in linear time. */
export function isLinear(source: string): boolean {
  return !patternError(source) && linear(source) !== undefined;
}

/** Why a text is not an ECMAScript regular expression with the flag `u`; undefined if it is. */
export function patternError(text: string): unknown {
  try {
    new RegExp(text, "u");
    return undefined;
  } catch (cause) {
    return cause;
  }
}
