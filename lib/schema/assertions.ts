/** Keywords that hold no schemas: bounds of numbers and sizes, patterns, formats, constants, uniqueness. */

import type { JsonObject } from "../base/json.ts";
import type { Site } from "./compile.ts";
import type { Check, Rule, Run } from "./run.ts";
import type { TypeName } from "./schema.ts";
import { isObject, own } from "../base/json.ts";
import { FORMATS } from "./formats.ts";
import { count, describe, join, MEMBER_STEPS, membersOf, nounOf, quote, quoteList } from "./run.ts";

/**
 * A keyword, and how its value is compiled; undefined if there is nothing to check. The name "" is for keywords that are
 * compiled together.
 */
export type Keyword = readonly [
  name: string,
  compile: (value: never, rule: Rule, site: Site) => Check<never> | undefined,
];

/** The keywords `max…` and `min…` for the size of values of one type. */
export function sizes(name: string, wanted: string, noun: string, subject: string): Keyword[] {
  return ["max", "min"].map((end) => [end + name, (limit: number, rule) => {
    const isMax = end === "max";
    const words = `${wanted}at ${isMax ? "most" : "least"} ${count(limit, noun)}`;
    return (value: unknown, run) => {
      // A code point takes one unit or two, so most strings need not be read.
      const isClear = typeof value === "string" &&
        (isMax ? value.length <= limit : value.length >= limit * 2);
      if (isClear) return true;
      const size = sizeOf(value, limit, run);
      return (isMax ? size <= limit : size >= limit) ||
        run.collecting && run.report(rule, words, `this ${subject} has ${size}`);
    };
  }]);
}

/** The length of an array, the number of members of an object, or the length of a string in code points. */
function sizeOf(value: unknown, limit: number, run: Run): number {
  if (Array.isArray(value)) return value.length;
  if (typeof value !== "string") return countMembers(value as JsonObject, run);
  if (!run.collecting && (value.length < limit || value.length > limit * 2)) return value.length;
  run.spend(value.length >> 4);
  let length = 0;
  for (const _ of value) length++;
  return length;
}

/**
 * The longest text that is matched against a pattern, in UTF-16 units. It bounds expressions that take quadratic time, not
 * those that take exponential time.
 */
export const MAX_PATTERN_INPUT = 10_000;

/** What an issue about a longer text wants. */
export const SHORT: string =
  `at most ${MAX_PATTERN_INPUT} characters, the most that are matched against a pattern`;

/** Keywords for strings. */
export const STRINGS: readonly Keyword[] = [
  ...sizes("Length", "a string of ", "character", "one"),
  ["pattern", (source: string, rule) => {
    const pattern = new RegExp(source, "u");
    const wanted = `a string that matches the pattern ${quote(source)}`;
    return (value: string, run) => {
      if (value.length > MAX_PATTERN_INPUT) {
        return run.report(rule, `a string of ${SHORT}`, "this one is longer");
      }
      run.spend(value.length >> 4);
      return pattern.test(value) || run.report(rule, wanted, "this one does not");
    };
  }],
  ["format", (name: string, rule, site) => {
    const fits = site.shared.formats ? FORMATS.get(name) : undefined;
    return fits && ((value: string, run) => {
      run.spend(value.length >> 4);
      return fits(value) || run.report(rule, `a string in the format "${name}"`, "this one is not");
    });
  }],
];

/** Reports a value of another type. */
export function otherType(types: readonly TypeName[], rule: Rule): Check {
  const wanted = join(types.map(nounOf), "or");
  return (value, run) => run.collecting && run.report(rule, wanted, `got ${describe(value)}`);
}

/** Steps for a division of numbers with hundreds of digits. */
const DIVISION_STEPS = 10;

/** A bound of numbers. */
function bound(name: string, fits: (value: number, bound: number) => boolean, wanted: string): Keyword {
  return [name, (bound: number, rule) => {
    const words = `a number ${wanted} ${bound}`;
    return (value: number, run) => fits(value, bound) || run.report(rule, words, "this one is not");
  }];
}

/** Keywords for numbers. */
export const NUMBERS: readonly Keyword[] = [
  ["type", (type: TypeName | readonly TypeName[], rule) => {
    const types = [type].flat();
    const isNumber = types.includes("number") ? Number.isFinite : Number.isInteger;
    const none = otherType(types, rule);
    return (value: unknown, run) => isNumber(value) || none(value, run);
  }],
  bound("minimum", (value, bound) => value >= bound, "of at least"),
  bound("exclusiveMinimum", (value, bound) => value > bound, "above"),
  bound("maximum", (value, bound) => value <= bound, "of at most"),
  bound("exclusiveMaximum", (value, bound) => value < bound, "below"),
  ["multipleOf", (divisor: number, rule) => {
    const wanted = `a multiple of ${divisor}`;
    return (value: number, run) => {
      if (!Number.isSafeInteger(value)) run.spend(DIVISION_STEPS);
      return isMultiple(value, divisor) || run.report(rule, wanted, "this number is none");
    };
  }],
];

/** Takes numbers as the decimals that they are written as: 0.3 is a multiple of 0.1. */
function isMultiple(value: number, divisor: number): boolean {
  if (Number.isSafeInteger(value) && Number.isSafeInteger(divisor)) return value % divisor === 0;
  if (!Number.isFinite(value)) return false;
  // Most numbers are far from any multiple.
  const quotient = Math.abs(value / divisor);
  if (quotient < 1e6 && Math.abs(quotient - Math.round(quotient)) > 1e-6) return false;
  const [digits, exponent] = decimal(value);
  const [divisorDigits, divisorExponent] = decimal(divisor);
  const lowest = Math.min(exponent, divisorExponent);
  return digits * 10n ** BigInt(exponent - lowest) %
      (divisorDigits * 10n ** BigInt(divisorExponent - lowest)) ===
    0n;
}

/** A number as an integer times a power of ten, from the shortest text that means it. */
function decimal(number: number): [digits: bigint, exponent: number] {
  const found = /^(-?\d+)(?:\.(\d+))?(?:e([-+]\d+))?$/.exec(String(number))!;
  const [, integer = "", fraction = "", exponent = "0"] = found;
  return [BigInt(integer + fraction), Number(exponent) - fraction.length];
}

export const UNIQUE_ITEMS: Keyword = ["uniqueItems", (isUnique: boolean, rule) => {
  if (!isUnique) return undefined;
  return (items: readonly unknown[], run) => {
    run.spend(items.length);
    const simple = new Set<unknown>();
    /** Apart from others, to tell them from strings. */
    const texts = new Set<unknown>();
    for (let index = 0; index < items.length; index++) {
      const item = items[index];
      const isSimple = typeof item !== "object" || item === null;
      if (typeof item === "string") run.spend(item.length >> 4);
      const known = isSimple ? simple : texts;
      const key = isSimple ? item : canonical(item, run);
      if (known.has(key)) {
        const first = items.findIndex((other) => isEqual(other, item, run));
        return run.report(rule, "items that all differ", `those at ${first} and ${index} are equal`);
      }
      known.add(key);
    }
    return true;
  };
}];

/** JSON text with sorted members, counting steps. */
function canonical(value: unknown, run: Run): string {
  if (typeof value === "string") {
    run.spend(value.length >> 4);
    return JSON.stringify(value);
  }
  if (typeof value !== "object" || value === null) return String(value);
  run.enter(1);
  const names = Array.isArray(value) ? undefined : membersOf(value as JsonObject).toSorted();
  run.spend(names ? names.length * MEMBER_STEPS : (value as readonly unknown[]).length);
  const textOf = (name: string) => `${JSON.stringify(name)}:${canonical((value as JsonObject)[name], run)}`;
  const text = names
    ? `{${names.map(textOf).join()}}`
    : `[${(value as readonly unknown[]).map((item) => canonical(item, run)).join()}]`;
  run.depth--;
  return text;
}

/** Keywords for values of any type. */
export const CONSTANTS: readonly Keyword[] = [
  ["const", (expected: unknown, rule) => {
    const other = unexpected([expected], rule);
    return (value, run) => isEqual(expected, value, run) || other(value, run);
  }],
  ["enum", (values: readonly unknown[], rule) => {
    const simple = new Set(values);
    const others = values.filter((value) => typeof value === "object" && value !== null);
    const other = unexpected(values, rule);
    return (value, run) =>
      simple.has(value) || (others.length > 0 && others.some((other) => isEqual(other, value, run))) ||
      other(value, run);
  }],
];

/** Compares JSON values, as deep as the first one nests. Members that are undefined count as absent. */
function isEqual(expected: unknown, value: unknown, run: Run): boolean {
  if (expected === value) return true;
  if (Array.isArray(expected)) {
    if (!Array.isArray(value) || expected.length !== value.length) return false;
    run.spend(value.length);
    return expected.every((item, index) => isEqual(item, value[index], run));
  }
  if (!isObject(expected) || !isObject(value)) return false;
  const names = membersOf(expected);
  return countMembers(value, run) === names.length &&
    names.every((name) => isEqual(expected[name], own(value, name), run));
}

function countMembers(value: JsonObject, run: Run): number {
  const { length } = membersOf(value);
  run.spend(length * MEMBER_STEPS);
  return length;
}

/** Reports a value that is none of the listed ones, told apart from a listed one of the same type. */
function unexpected(values: readonly unknown[], rule: Rule): Check {
  const wanted = values.length === 0 ? "no value" : quoteList(values, "or");
  const expected = describe(values[0]);
  const another = `another ${expected.replace(/^an? /, "")}`;
  return (value, run) => {
    if (!run.collecting) return false;
    const type = describe(value);
    return run.report(rule, wanted, `got ${type === expected ? another : type}`);
  };
}
