/**
 * What is known while a value is checked? How far the check may still go, where it is, and what did not fit.
 *
 * A value is first checked without a word, up to the first thing that does not fit; nearly every value ends there. Only one
 * that does not fit is checked again, this time collecting issues.
 */

import type { Evaluated } from "./evaluated.ts";
import type { Issue } from "./issue.ts";
import type { Limits } from "./options.ts";
import { MAX_PATH } from "./issue.ts";
import { escapeToken } from "../base/json.ts";

/** Whether a value fits. What does not is reported to the run, while it collects. */
export type Check = (value: unknown, run: Run) => boolean;

/** A keyword of a schema, as issues name it. */
export interface Rule {
  readonly keyword: string;
  readonly schemaPath: string;
}

/** A value took more than one of the limits. The check is over. */
export class Overrun extends Error {
  /** Names the class in logs. */
  override readonly name = "Overrun";
  readonly rule: Rule;

  constructor(rule: Rule, message: string) {
    super(message);
    this.rule = rule;
  }
}

/** How many steps an issue is worth, besides one for each token of its path: it is made although it may be taken back. */
const ISSUE_STEPS = 10;

/** How many steps a member is worth: where an object has a hundred thousand, each takes a search. */
const MEMBER_STEPS = 4;

/** One check of one value. */
export class Run {
  /** Whether issues are collected: then a check goes on after the first, until there are enough. */
  collecting: boolean;
  /** How many schemas are being applied inside one another, at references. */
  depth = 0;
  /** What other keywords have looked at, where the schema asks for that. */
  seen: Evaluated | undefined = undefined;
  /** What was found. */
  readonly issues: Issue[] = [];
  readonly #limits: Limits;
  /** From the root of the value to where the check is, while issues are collected. */
  readonly #path: (string | number)[] = [];
  /** How many steps may still be taken. */
  #left: number;

  constructor(limits: Limits, collecting: boolean) {
    this.#limits = limits;
    this.#left = limits.maxSteps;
    this.collecting = collecting;
  }

  /** Takes note of work that is about to be done. */
  spend(steps: number, rule: Rule): void {
    this.#left -= steps;
    if (this.#left >= 0) return;
    throw new Overrun(
      { keyword: "maxSteps", schemaPath: rule.schemaPath },
      `Expected a value that can be checked in ${this.#limits.maxSteps} steps, but this one takes more.`,
    );
  }

  /** Takes note that a text is about to be read: a long one takes as long as many steps. */
  spendOn(text: string, rule: Rule): void {
    this.spend(text.length >> 4, rule);
  }

  /** Takes note that so many members are about to be gone through, which are not as near as items. */
  spendOnMembers(count: number, rule: Rule): void {
    this.spend(count * MEMBER_STEPS, rule);
  }

  /** Goes into schemas that stand in one another. Whoever does takes the same number off `depth` again. */
  enter(levels: number, rule: Rule): void {
    this.depth += levels;
    if (this.depth <= this.#limits.maxDepth) return;
    throw new Overrun(
      { keyword: "maxDepth", schemaPath: rule.schemaPath },
      `Expected a value that nests at most ${this.#limits.maxDepth} schemas deep, but this one goes deeper.`,
    );
  }

  /** Checks what is below the value: a member, or an item. */
  descend(check: Check, value: unknown, token: string | number): boolean {
    if (!this.collecting) return check(value, this);
    this.#path.push(token);
    const fits = check(value, this);
    this.#path.pop();
    return fits;
  }

  /** Checks whether a value fits, where it may just as well not. */
  attempt(check: Check, value: unknown): boolean {
    const { collecting } = this;
    this.collecting = false;
    const fits = check(value, this);
    this.collecting = collecting;
    return fits;
  }

  /** Adds an issue with the value where the check is, or with what is below it. Called only while issues are collected. */
  report(rule: Rule, message: string, ...below: readonly (string | number)[]): false {
    this.insert(this.issues.length, rule, message, ...below);
    return false;
  }

  /** Adds an issue in front of others. */
  insert(index: number, rule: Rule, message: string, ...below: readonly (string | number)[]): void {
    this.spend(ISSUE_STEPS + this.#path.length, rule);
    const path = boundedPointer([...this.#path, ...below]);
    this.#add(index, rule, message, path);
  }

  #add(index: number, rule: Rule, message: string, path: string): void {
    this.issues.splice(index, 0, { path, keyword: rule.keyword, schemaPath: rule.schemaPath, message });
    if (this.issues.length > this.#limits.maxIssues) this.issues.pop();
    this.collecting = this.issues.length < this.#limits.maxIssues;
  }

  /** Adds, in front, that a limit ended the check. */
  end({ rule, message }: Overrun): void {
    this.#add(0, rule, message, boundedPointer(this.#path));
  }

  /** Takes back the issues since there were so many, because they were with a schema that need not be fitted. */
  forget(length: number, collecting: boolean): void {
    this.issues.length = length;
    this.collecting = collecting;
  }
}

function boundedPointer(tokens: readonly (string | number)[]): string {
  let pointer = "";
  for (const token of tokens) {
    // Measured before it is encoded: a long one need not be.
    if (pointer.length + String(token).length >= MAX_PATH) return pointer;
    const longer = `${pointer}/${escapeToken(token)}`;
    if (longer.length > MAX_PATH) return pointer;
    pointer = longer;
  }
  return pointer;
}
