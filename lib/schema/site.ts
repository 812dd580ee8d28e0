/** What does a keyword need to be compiled? Its schema, and the checks of the schemas that it holds. */

import type { Limits } from "./options.ts";
import type { Check, Rule, Run } from "./run.ts";

/** A schema that is being compiled. */
export interface Site {
  /** How far checks may go. */
  readonly limits: Limits;
  /** Whether what was looked at is written down, in the `seen` of the run. */
  readonly tracked: boolean;
  /** What the schema says under a keyword; undefined when it says nothing. */
  say(keyword: string): unknown;
  /** The keyword, as issues name it. */
  rule(keyword: string, ...tokens: readonly (string | number)[]): Rule;
  /** The check of a schema for what is below the value. */
  below(keyword: string, ...tokens: readonly (string | number)[]): Check;
  /** The check of a schema for the value itself; when it is tracked, it writes down what it looked at. */
  here(keyword: string, ...tokens: readonly (string | number)[]): Check;
  /** The check of a schema for the value itself that writes down nothing. */
  apart(keyword: string, ...tokens: readonly (string | number)[]): Check;
  /** The check of the schema that a reference leads to. */
  reference(keyword: "$ref" | "$dynamicRef"): Check;
  /** A regular expression of the schema. */
  expression(source: string): RegExp;
}

/** Fits everything. */
export const fitsAll: Check = () => true;

/** All of them, in order. While issues are collected, the others are asked although one has failed. */
export function sequence<T>(
  checks: readonly ((value: T, run: Run) => boolean)[],
): (value: T, run: Run) => boolean {
  const [first, second] = checks;
  if (!first) return fitsAll;
  if (!second) return first;
  if (checks.length === 2) {
    return (value, run) =>
      first(value, run) ? second(value, run) : run.collecting && second(value, run) && false;
  }
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
