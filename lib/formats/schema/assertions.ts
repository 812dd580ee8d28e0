/** Keywords that check a value without another schema (assertions). */

import type { JsonObject } from "../../base/json.ts";
import type { Keyword } from "./keyword.ts";
import type { Check, Rule, Run } from "./run.ts";
import type { TypeName } from "./schema.ts";
import { count } from "../../base/text.ts";
import { FORMATS } from "./formats.ts";
import { compilePattern, MAX_PATTERN_INPUT } from "./pattern.ts";
import { describe, join, nounOf, quote, quoteList } from "./messages.ts";
import { MEMBER_STEPS, membersOf } from "./run.ts";

/** The keywords `max…` and `min…` for the size of values of one type. */
export function sizes(name: string, wanted: string, noun: string, subject: string): Keyword[] {
  return ["max", "min"].map((end) => [end + name, (limit: number, rule) => {
    const isMax = end === "max";
    const words = `${wanted}at ${isMax ? "most" : "least"} ${count(limit, noun)}`;
    return (value: unknown, run) => {
      // A code point takes one or two units, so most strings need not be read.
      if (typeof value === "string" && (isMax ? value.length <= limit : value.length >= limit * 2)) {
        return true;
      }
      const size = sizeOf(value, run);
      return (isMax ? size <= limit : size >= limit) ||
        run.report(rule, words, `this ${subject} has ${size}`);
    };
  }]);
}

/** The length of an array, the number of members of an object, or the length of a string in code points. */
function sizeOf(value: unknown, run: Run): number {
  if (Array.isArray(value)) return value.length;
  if (typeof value === "string") {
    run.spend(value.length >> 4);
    let size = 0;
    for (const _ of value) size++;
    return size;
  }
  const { length } = membersOf(value as JsonObject);
  run.spend(length * MEMBER_STEPS);
  return length;
}

/** For messages about texts that are too long to be matched. */
export const SHORT: string = `at most ${MAX_PATTERN_INPUT} characters, the maximum for a pattern`;

export const STRINGS: readonly Keyword[] = [
  ...sizes("Length", "a string of ", "character", "one"),
  ["pattern", (source: string, rule, { options }) => {
    const pattern = compilePattern(source, options.onskip);
    if (!pattern) return undefined;
    const wanted = `a string that matches the pattern ${quote(source)}`;
    return (value: string, run) => {
      if (value.length > MAX_PATTERN_INPUT) {
        return run.report(rule, `a string of ${SHORT}`, "this one is longer");
      }
      run.spend(value.length >> 4);
      return pattern(value, run) || run.report(rule, wanted, "this one does not");
    };
  }],
  ["format", (name: string, rule, { options }) => {
    const fits = options.formats ? FORMATS.get(name) : undefined;
    return fits && ((value: string, run) => {
      run.spend(value.length >> 4);
      return fits(value) || run.report(rule, `a string in the format "${name}"`, "this one is not");
    });
  }],
];

/** A check that fails, for values of other types. */
export function otherType(types: readonly TypeName[], rule: Rule): Check {
  return other(join(types.map(nounOf), "or"), rule);
}

function other(wanted: string, rule: Rule): Check {
  return (value, run) => run.collecting && run.report(rule, wanted, `got ${describe(value)}`);
}

/** Steps for a division of numbers with hundreds of digits. */
const DIVISION_STEPS = 10;

function bound(name: string, fits: (value: number, bound: number) => boolean, wanted: string): Keyword {
  return [name, (bound: number, rule) => {
    const words = `a number ${wanted} ${bound}`;
    return (value: number, run) => fits(value, bound) || run.report(rule, words, "this one is not");
  }];
}

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
      return isMultiple(value, divisor) || run.report(rule, wanted, "this number is not");
    };
  }],
];

/** Compares numbers as decimals: 0.3 is a multiple of 0.1. */
function isMultiple(value: number, divisor: number): boolean {
  if (Number.isSafeInteger(value) && Number.isSafeInteger(divisor)) return value % divisor === 0;
  if (!Number.isFinite(value)) return false;
  // A shortcut: most numbers are far from a multiple.
  const quotient = Math.abs(value / divisor);
  if (quotient < 1e6 && Math.abs(quotient - Math.round(quotient)) > 1e-6) return false;
  const [digits, exponent] = decimal(value);
  const [divisorDigits, divisorExponent] = decimal(divisor);
  const lowest = Math.min(exponent, divisorExponent);
  return digits * 10n ** BigInt(exponent - lowest) %
      (divisorDigits * 10n ** BigInt(divisorExponent - lowest)) ===
    0n;
}

/** A number as an integer times a power of ten, from its shortest decimal text. */
function decimal(number: number): [digits: bigint, exponent: number] {
  const found = /^(-?\d+)(?:\.(\d+))?(?:e([-+]\d+))?$/.exec(String(number))!;
  const [, integer = "", fraction = "", exponent = "0"] = found;
  return [BigInt(integer + fraction), Number(exponent) - fraction.length];
}

/** JSON with sorted member names, for comparing values. */
function canonicalText(value: unknown, run?: Run): string {
  if (typeof value === "string") {
    run?.spend(value.length >> 4);
    return JSON.stringify(value);
  }
  if (!isComposed(value)) return String(value);
  run?.enter(1);
  const isArray = Array.isArray(value);
  const names = isArray ? value : membersOf(value as JsonObject).toSorted();
  run?.spend(names.length * (isArray ? 1 : MEMBER_STEPS));
  const memberText = (name: string) =>
    `${JSON.stringify(name)}:${canonicalText((value as JsonObject)[name], run)}`;
  const text = isArray
    ? `[${value.map((item) => canonicalText(item, run)).join()}]`
    : `{${names.map(memberText).join()}}`;
  if (run) run.depth--;
  return text;
}

const isComposed = (value: unknown): boolean => typeof value === "object" && value !== null;

function oneOf(values: readonly unknown[], rule: Rule): Check {
  const simple = new Set(values);
  const composed = new Set(values.filter(isComposed).map((one) => canonicalText(one)));
  const none = other(values.length === 0 ? "no value" : quoteList(values, "or"), rule);
  return (value, run) =>
    simple.has(value) ||
    (composed.size > 0 && isComposed(value) && composed.has(canonicalText(value, run))) ||
    none(value, run);
}

export const CONSTANTS: readonly Keyword[] = [
  ["const", (expected: unknown, rule) => oneOf([expected], rule)],
  ["enum", oneOf],
];

export const uniqueItems: Keyword = ["uniqueItems", (isUnique: boolean, rule) => {
  if (!isUnique) return undefined;
  return (items: readonly unknown[], run) => {
    run.spend(items.length);
    const simple = new Map<unknown, number>();
    // Separate, because a string may equal the text of a composed value.
    const composed = new Map<unknown, number>();
    for (let index = 0; index < items.length; index++) {
      const item = items[index];
      if (typeof item === "string") run.spend(item.length >> 4);
      const known = isComposed(item) ? composed : simple;
      const key = isComposed(item) ? canonicalText(item, run) : item;
      const first = known.get(key);
      if (first !== undefined) {
        return run.report(rule, "items that all differ", `those at ${first} and ${index} are equal`);
      }
      known.set(key, index);
    }
    return true;
  };
}];
