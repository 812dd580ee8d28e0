/** Regular expressions of schemas, matched in time linear in the length of the text: one made to hang the program cannot. */

import type { Run } from "./run.ts";

/**
 * The longest text that is matched against a pattern, in UTF-16 units. A longer one is rejected, and a larger bound of a
 * repetition is as good as none.
 */
export const MAX_PATTERN_INPUT = 10_000;
/** How many states a pattern may have, its repetitions written out. A text of this length needs no more. */
const MAX_STATES = 2 * MAX_PATTERN_INPUT;
/** Larger programs are built again for each text, so that a schema cannot fill the memory. */
const MAX_KEPT_STATES = 200;
/** How many groups may stand inside one another. */
const MAX_GROUPS = 50;
/** How many characters one atom remembers. */
const MAX_KNOWN = 256;
/** Entering so many states counts as one step of a check. */
const STATES_PER_STEP = 16;

/** Whether a pattern is found in a text. */
export type Pattern = (text: string, run: Run) => boolean;

/** A part of a pattern: how many states it takes, and what adds them in front of the given one. */
interface Part {
  readonly size: number;
  emit(program: Program, next: number): number;
}

type Assertion = (text: Text, at: number) => boolean;

interface State {
  /** Takes one character; without it, the state is passed through without one. */
  readonly fits?: (char: string) => boolean;
  readonly holds?: Assertion;
  readonly next: readonly number[];
}

const ESCAPE = String.raw`\\(?:u[Dd][89ABab]..\\u[Dd][C-Fc-f]..|u\{[^}]*\}|u.{4}|x..|c.|[pP]\{[^}]*\}|.)`;
const CLASS = String.raw`\[(?:\\.|[^\\\]])*\]`;
const QUANTIFIER = String.raw`[*+?]\??|\{(\d+)(,?)(\d*)\}\??`;
const TOKENS = new RegExp(
  String.raw`\((?:\?(?:<?[=!]|<[^>]*>|[^:]*:))?|${CLASS}|${ESCAPE}|${QUANTIFIER}|.`,
  "gsu",
);
/** Characters one by one from the start, of which only the last may be repeated: the runtime needs linear time for these. */
const ATOM = String.raw`(?:${CLASS}|(?!\\[1-9kbB])${ESCAPE}|[^\\[(|)*+?{^$])`;
const PLAIN = new RegExp(
  String.raw`^\^(?:${ATOM}(?:\{\d{1,3}\})?)*(?:${ATOM}(?:[*+?]|\{\d{1,4},\d{0,4}\}))?\$?$`,
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

/**
 * Reads a regular expression, which must be valid. Undefined for what takes more than linear time or much memory: back
 * references, flags inside, more than 20,000 states.
 */
function parse(source: string): Part | undefined {
  const outer: { opening: string; branches: Part[][] }[] = [];
  let group = { opening: "", branches: [[]] as Part[][] };
  for (const [token, least, comma, most] of source.matchAll(TOKENS)) {
    const parts = group.branches.at(-1)!;
    const holds = ASSERTIONS.get(token);
    if (token.startsWith("(")) {
      if (outer.length > MAX_GROUPS || /^\(\?[-a-z]/.test(token)) return undefined;
      outer.push(group);
      group = { opening: token, branches: [[]] };
    } else if (token === "|") group.branches.push([]);
    else if (token === ")") {
      const part = grouped(group.opening, anyOf(group.branches.map(sequence)));
      group = outer.pop()!;
      group.branches.at(-1)!.push(part);
      if (part.size > MAX_STATES) return undefined;
    } else if (least !== undefined || /^[*+?]/.test(token)) {
      const from = Number(least ?? token.startsWith("+"));
      const to = least === undefined
        ? (token.startsWith("?") ? 1 : Infinity)
        : comma
        ? Number(most || Infinity)
        : from;
      const part = repeated(parts.pop()!, from, to > MAX_PATTERN_INPUT ? Infinity : to);
      parts.push(part);
      if (part.size > MAX_STATES) return undefined;
    } else if (/^\\[1-9k]/.test(token)) return undefined;
    else parts.push(holds ? single({ holds }) : single({ fits: charTest(token) }));
  }
  const whole = anyOf(group.branches.map(sequence));
  return whole.size > MAX_STATES ? undefined : whole;
}

function single(state: Omit<State, "next">): Part {
  return { size: 1, emit: (program, next) => program.add({ ...state, next: [next] }) };
}

const sizeOf = (parts: readonly Part[]): number => parts.reduce((sum, { size }) => sum + size, 1);

function sequence(parts: readonly Part[]): Part {
  return {
    size: sizeOf(parts),
    emit: (program, next) =>
      (program.isBackward ? parts : parts.toReversed()).reduce((to, part) => part.emit(program, to), next),
  };
}

function anyOf(branches: readonly Part[]): Part {
  if (branches.length === 1) return branches[0]!;
  return {
    size: sizeOf(branches),
    emit: (program, next) => program.add({ next: branches.map((branch) => branch.emit(program, next)) }),
  };
}

function repeated(part: Part, least: number, most: number): Part {
  const isEndless = most === Infinity;
  return {
    size: (part.size + 1) * (isEndless ? least + 1 : most) + 1,
    emit(program, next) {
      let to = next;
      if (isEndless) {
        const exits = [next];
        to = program.add({ next: exits });
        exits.unshift(part.emit(program, to));
      } else {for (let left = most - least; left > 0; left--) {
          to = program.add({ next: [part.emit(program, to), next] });
        }}
      for (let left = least; left > 0; left--) to = part.emit(program, to);
      return to;
    },
  };
}

/** What a group matches; for a lookaround, the positions at which one of its matches begins or ends. */
function grouped(opening: string, part: Part): Part {
  const [, behind, sign] = /^\(\?(<?)([=!])$/.exec(opening) ?? [];
  if (sign === undefined) return part;
  const holds: Assertion = (text, at) => {
    let marks = text.marks.get(part);
    if (!marks) {
      text.run.spend(part.size / STATES_PER_STEP);
      text.marks.set(part, marks = new Program(part, behind === "").search(text, false));
    }
    return (marks[at] === 1) === (sign === "=");
  };
  return { ...single({ holds }), size: part.size };
}

/** Whether an atom matches a character: a literal one, an escape, a class. */
function charTest(atom: string): (char: string) => boolean {
  if (atom !== "." && !/^[\\[]/.test(atom)) return (char) => char === atom;
  const known = new Map<string, boolean>();
  let pattern: RegExp | undefined;
  let last: string | undefined;
  let fits = false;
  return (char) => {
    // A repeated atom is tried with the same character many times.
    if (char === last) return fits;
    last = char;
    const result = known.get(char);
    if (result !== undefined) return fits = result;
    pattern ??= new RegExp(`^${atom}$`, "u");
    fits = pattern.test(char);
    if (known.size < MAX_KNOWN) known.set(char, fits);
    return fits;
  };
}

/** A text that is being matched, by code points. */
interface Text {
  readonly chars: readonly string[];
  readonly run: Run;
  /** The results of lookarounds. */
  readonly marks: Map<Part, Uint8Array>;
}

/** The state that ends a match. */
const END = 0;

/** The states of a pattern (Thompson's construction). All that can be reached are followed at once. */
class Program {
  readonly isBackward: boolean;
  readonly #states: State[] = [{ next: [] }];
  readonly #start: number;
  /** In which step of all searches each state was last entered. */
  readonly #entered: Float64Array;
  #step = 0;

  constructor(part: Part, isBackward: boolean) {
    this.isBackward = isBackward;
    this.#start = part.emit(this, END);
    this.#entered = new Float64Array(this.#states.length);
  }

  add(state: State): number {
    return this.#states.push(state) - 1;
  }

  /** Goes through the text and marks where a match ends; it may begin anywhere. */
  search(text: Text, isFirstEnough: boolean): Uint8Array {
    const { chars, run } = text;
    const marks = new Uint8Array(chars.length + 1);
    let waiting: number[] = [];
    for (let count = 0; count <= chars.length; count++) {
      const at = this.isBackward ? chars.length - count : count;
      const char = chars[this.isBackward ? at - 1 : at];
      const step = ++this.#step;
      const reached: number[] = [];
      waiting.push(this.#start);
      let entered = 0;
      for (let index = waiting.pop(); index !== undefined; index = waiting.pop()) {
        if (this.#entered[index] === step) continue;
        this.#entered[index] = step;
        entered++;
        if (index === END) {
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

/** Whether a text is a regular expression of ECMAScript with the flag `u`, and is matched in linear time. */
export function isLinear(source: string): boolean {
  return isPattern(source) && (PLAIN.test(source) || parse(source) !== undefined);
}

/**
 * Compiles a valid regular expression.
 *
 * @param onskip Called for one that cannot be matched in linear time; without it, the runtime matches these.
 * @returns Undefined for one that was skipped.
 */
export function compilePattern(source: string, onskip?: (pattern: string) => void): Pattern | undefined {
  const isPlain = PLAIN.test(source);
  const part = isPlain ? undefined : parse(source);
  if (!part) {
    if (!isPlain && onskip) return void onskip(source);
    const pattern = new RegExp(source, "u");
    return (text) => pattern.test(text);
  }
  let kept: Program | undefined;
  return (text, run) => {
    run.spend(part.size / STATES_PER_STEP);
    const program = kept ?? new Program(part, false);
    if (part.size <= MAX_KEPT_STATES) kept = program;
    return program.search({ chars: [...text], run, marks: new Map() }, true).includes(1);
  };
}

/** Whether a text is a regular expression of ECMAScript with the flag `u`. */
export function isPattern(text: string): boolean {
  try {
    return new RegExp(text, "u") !== undefined;
  } catch {
    return false;
  }
}
