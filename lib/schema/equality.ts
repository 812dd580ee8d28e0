/** Are two JSON values the same? Numbers by value, objects whatever the order of their members. */

import type { Rule, Run } from "./run.ts";
import type { JsonObject } from "../base/json.ts";
import { countMembers, hasMember, isPrimitive, membersOf } from "./value.ts";
import { isObject } from "../base/json.ts";

/**
 * Compares two values. It goes as deep as the expected one does, so that one must be bounded.
 */
export function isEqual(expected: unknown, value: unknown): boolean {
  if (expected === value) return true;
  if (isPrimitive(expected) || isPrimitive(value)) return false;
  if (Array.isArray(expected)) {
    return Array.isArray(value) && expected.length === value.length &&
      expected.every((item, index) => isEqual(item, value[index]));
  }
  if (!isObject(expected) || !isObject(value)) return false;
  const names = membersOf(expected);
  return countMembers(value, names.length) === names.length &&
    names.every((name) => hasMember(value, name) && isEqual(expected[name], value[name]));
}

/** The first two items that are equal, in time that grows with the size of the items and not with its square. */
export function findTwins(
  items: readonly unknown[],
  run: Run,
  rule: Rule,
): readonly [first: number, second: number] | undefined {
  // Primitives are their own keys. Texts of other values go to a set of their own, to be told from strings.
  const primitives = new Set<unknown>();
  const others = new Set<unknown>();
  for (let index = 0; index < items.length; index++) {
    const item = items[index];
    if (typeof item === "string") run.spendOn(item, rule);
    const isSimple = isPrimitive(item);
    const key = isSimple ? item : canonical(item, run, rule);
    const known = isSimple ? primitives : others;
    if (known.has(key)) return [items.findIndex((other) => isEqual(other, item)), index];
    known.add(key);
  }
  return undefined;
}

/** The value as a text that is the same for equal values only. */
function canonical(value: unknown, run: Run, rule: Rule): string {
  if (typeof value === "string") {
    run.spendOn(value, rule);
    return JSON.stringify(value);
  }
  if (typeof value !== "object" || value === null) return String(value);
  run.enter(1, rule);
  let text: string;
  if (Array.isArray(value)) {
    run.spend(value.length, rule);
    text = `[${value.map((item) => canonical(item, run, rule)).join()}]`;
  } else {
    const object = value as JsonObject;
    const names = membersOf(object).toSorted();
    run.spendOnMembers(names.length, rule);
    text = `{${names.map((name) => `${JSON.stringify(name)}:${canonical(object[name], run, rule)}`).join()}}`;
  }
  run.depth--;
  return text;
}
