/** The state of one check, and the words of its messages. */

import type { JsonObject } from "../../base/json.ts";
import type { Issue } from "./schema.ts";
import { escapeToken } from "../../base/pointer.ts";
import { shortened } from "../../base/text.ts";

/** Whether a value fits. Issues go to the run. */
export type Check<T = unknown> = (value: T, run: Run) => boolean;

export interface Rule {
  readonly keyword: string;
  readonly schemaPath: string;
}

export type CheckLimits = Readonly<Record<"maxIssues" | "maxSteps", number>>;

/** How many schemas may be applied inside one another: twice as many would still not overflow the stack. */
export const MAX_APPLIED = 500;

/** Steps for one member: going through a large object takes a search for each. */
export const MEMBER_STEPS = 4;

/** Steps for one issue, besides one for each token of its path. */
const ISSUE_STEPS = 10;

/** The longest path of an issue, in characters: issues must not send a large value back. */
const MAX_PATH = 1000;

/** How much of a schema a message quotes: characters of a value, and values of a list. */
const MAX_QUOTE = 200;
const MAX_QUOTED = 12;

/** Whether the root value fits; collects its issues in a list, if one is given. False as well when a limit ends the check. */
export function fits(check: Check, value: unknown, limits: CheckLimits, issues?: Issue[]): boolean {
  const run = new Run(limits);
  try {
    return run.attempt(check, value, issues);
  } catch (cause) {
    if (!run.limitIssue) throw cause;
    issues?.splice(0, Infinity, run.limitIssue, ...issues.slice(0, limits.maxIssues - 1));
    return false;
  }
}

/** One check of one value. The first only decides whether it fits, which is faster; one that collects issues follows if not. */
export class Run {
  collecting = false;
  /** How many schemas are being applied inside one another. */
  depth = 0;
  /** Members and items of the current value that were evaluated, where a schema needs to know; `ALL` stands for all. */
  seen: (string | number)[] | undefined = undefined;
  /** Begins the messages of issues that are not about the value at their path, but about its name. */
  subject = "";
  /** Says that a limit has ended the check. */
  limitIssue: Issue | undefined;
  readonly #limits: CheckLimits;
  #issues: Issue[] = [];
  #spent: Set<object> | undefined;
  /** Tokens from the root of the value to the current one, while collecting. */
  readonly #path: (string | number)[] = [];
  #left: number;

  constructor(limits: CheckLimits) {
    this.#limits = limits;
    this.#left = limits.maxSteps;
  }

  spend(steps: number): void {
    this.#left -= steps;
    if (this.#left >= 0) return;
    this.#stop("maxSteps", `can be checked in ${this.#limits.maxSteps} steps`, "takes more");
  }

  /** Counts the steps of work that the run does only once for this object. */
  spendOnce(what: object, steps: number): void {
    this.#spent ??= new Set();
    if (this.#spent.has(what)) return;
    this.#spent.add(what);
    this.spend(steps);
  }

  /** Enters schemas inside the current one; the caller subtracts the levels from `depth` afterwards. */
  enter(levels: number): void {
    this.depth += levels;
    if (this.depth <= MAX_APPLIED) return;
    this.#stop("maxDepth", `nests at most ${MAX_APPLIED} schemas deep`, "goes deeper");
  }

  descend(check: Check, value: unknown, token: string | number): boolean {
    if (!this.collecting) return check(value, this);
    this.#path.push(token);
    const fits = check(value, this);
    this.#path.pop();
    return fits;
  }

  /** Where the current value is, while collecting; cut after a whole token. */
  get path(): string {
    let pointer = "";
    for (const token of this.#path) {
      // Cut before it is escaped, because a token can be long.
      const longer = `${pointer}/${escapeToken(String(token).slice(0, MAX_PATH))}`;
      if (longer.length > MAX_PATH) break;
      pointer = longer;
    }
    return pointer;
  }

  /** Checks against a schema that need not fit: what it evaluated counts only if it does. Adds issues to the list, if given. */
  attempt(check: Check, value: unknown, issues?: Issue[]): boolean {
    const { collecting, seen } = this;
    const outer = this.#issues;
    const evaluated = seen?.length;
    this.collecting = issues !== undefined;
    if (issues) this.#issues = issues;
    const fits = check(value, this);
    this.collecting = collecting;
    this.#issues = outer;
    if (seen && !fits) seen.length = evaluated!;
    return fits;
  }

  /** Adds an issue with the current value if issues are collected. Always false. */
  report({ keyword, schemaPath }: Rule, wanted: string, came: string): false {
    if (this.collecting) {
      this.spend(ISSUE_STEPS + this.#path.length);
      const message = `${this.subject}Expected ${wanted}, but ${came}.`;
      this.add([{ path: this.path, keyword, schemaPath, message }]);
    }
    return false;
  }

  add(issues: readonly Issue[]): void {
    const { maxIssues } = this.#limits;
    this.#issues.push(...issues.slice(0, maxIssues - this.#issues.length));
    this.collecting = this.#issues.length < maxIssues;
  }

  #stop(keyword: string, wanted: string, came: string): never {
    const message = `Expected a value that ${wanted}, but this one ${came}.`;
    this.limitIssue = { path: this.path, keyword, schemaPath: "", message };
    throw new Error(message);
  }
}

/** All checks in order. While issues are collected, all are made although one fails. */
export function all<T>(checks: readonly Check<T>[]): Check<T> {
  if (checks.length === 0) return () => true;
  if (checks.length === 1) return checks[0]!;
  return (value, run) => {
    let fits = true;
    for (const check of checks) {
      if (check(value, run)) continue;
      if (!run.collecting) return false;
      fits = false;
    }
    return fits;
  };
}

export function mismatch(rule: Rule, wanted: string, came: string): Check {
  return (_, run) => run.report(rule, wanted, came);
}

/** The names of the members of an object, without those that are undefined. */
export function membersOf(object: JsonObject): readonly string[] {
  const names = Object.keys(object);
  for (const name of names) {
    if (object[name] === undefined) return names.filter((name) => object[name] !== undefined);
  }
  return names;
}

export function nounOf(type: string): string {
  return type === "null" ? type : `${"aio".includes(type.charAt(0)) ? "an" : "a"} ${type}`;
}

export function describe(value: unknown): string {
  if (value === undefined) return "nothing";
  if (Number.isInteger(value)) return "an integer";
  if (typeof value === "number" && !Number.isFinite(value)) return "a number that JSON cannot write";
  return nounOf(value === null ? "null" : Array.isArray(value) ? "array" : typeof value);
}

export function quote(value: unknown): string {
  return shortened(JSON.stringify(value), MAX_QUOTE);
}

/** The first values of the schema, and how many there are besides: `"a", "b" or "c"`. */
export function quoteList(values: readonly unknown[], conjunction: string): string {
  const quoted = values.slice(0, MAX_QUOTED).map(quote);
  if (values.length > MAX_QUOTED) quoted.push(`${values.length - MAX_QUOTED} more`);
  return join(quoted, conjunction);
}

export function join(words: readonly string[], conjunction: string): string {
  if (words.length < 2) return words.join("");
  return `${words.slice(0, -1).join(", ")} ${conjunction} ${words.at(-1)}`;
}
