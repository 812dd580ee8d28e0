/** The state of a check: its limits, its place in the value, and its issues. */

import type { JsonObject } from "../../base/json.ts";
import type { Issue } from "./schema.ts";
import { escapeToken } from "../../base/pointer.ts";

/** Whether a value matches. Issues are added to the run. */
export type Check<T = unknown> = (value: T, run: Run) => boolean;

/** A keyword, for issues. */
export interface Rule {
  readonly keyword: string;
  readonly schemaPath: string;
}

export type CheckLimits = Readonly<Record<"maxIssues" | "maxSteps", number>>;

/** The maximum depth of nested schema applications. Twice this depth still does not overflow the stack. */
export const MAX_APPLIED = 500;

/** Steps per member: in a large object, each member takes a lookup. */
export const MEMBER_STEPS = 4;

/** Cost of an issue in steps, plus 1 per path token. */
const ISSUE_STEPS = 10;

/** The maximum length of the path of an issue in characters: issues must not send a large value back. */
const MAX_PATH = 1000;

/** Whether the root value matches. Adds its issues to a list, if one is given. False, too, if a limit ends the check. */
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

/** A check of a value. The first run only decides whether the value matches; if not, a second, slower run collects the issues. */
export class Run {
  collecting = false;
  /** The current depth of nested schema applications. */
  depth = 0;
  /** The evaluated members and items of the current value, if a schema tracks them. */
  seen: (string | number)[] | undefined = undefined;
  /** A prefix for messages about the name of a member instead of its value. */
  subject = "";
  /** Set when a limit has ended the check. */
  limitIssue: Issue | undefined;
  readonly #limits: CheckLimits;
  #issues: Issue[] = [];
  #spent: Set<object> | undefined;
  /** The tokens from the root to the current value, while collecting. */
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

  /** Counts steps of work that the run does only once for this object. */
  spendOnce(what: object, steps: number): void {
    this.#spent ??= new Set();
    if (this.#spent.has(what)) return;
    this.#spent.add(what);
    this.spend(steps);
  }

  /** Enters nested schemas. The caller subtracts the levels from `depth` afterwards. */
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

  /** JSON pointer to the current value, while collecting; cut after a whole token. */
  get path(): string {
    let pointer = "";
    for (const token of this.#path) {
      // Cut before escaping, because a token can be long.
      const longer = `${pointer}/${escapeToken(String(token).slice(0, MAX_PATH))}`;
      if (longer.length > MAX_PATH) break;
      pointer = longer;
    }
    return pointer;
  }

  /** Checks against a schema that need not match. What it evaluated counts only if it does. Adds issues to the list, if given. */
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

  /** Adds an issue for the current value, if issues are collected. Always returns false. */
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

/** Runs all checks in order. While issues are collected, it continues after a failure. */
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

/** A check that always fails. */
export function mismatch(rule: Rule, wanted: string, came: string): Check {
  return (_, run) => run.report(rule, wanted, came);
}

/** The names of the members of an object, except undefined ones. */
export function membersOf(object: JsonObject): readonly string[] {
  const names = Object.keys(object);
  for (const name of names) {
    if (object[name] === undefined) return names.filter((name) => object[name] !== undefined);
  }
  return names;
}
