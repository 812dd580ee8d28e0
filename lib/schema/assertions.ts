/** Keywords that hold no schemas: bounds of numbers and sizes, patterns, formats, constants, uniqueness. */

import type { JsonObject } from "../base/json.ts";
import type { Site } from "./compile.ts";
import type { Check, Rule, Run } from "./run.ts";
import type { TypeName } from "./schema.ts";
import { canonical, isPointer } from "../base/json.ts";
import { count, isDay } from "../base/text.ts";
import { compilePattern, MAX_PATTERN_INPUT, patternError } from "./pattern.ts";
import { describe, join, MEMBER_STEPS, membersOf, nounOf, quote, quoteList } from "./run.ts";

/** A keyword and how its value is compiled, if there is anything to check; "" for keywords compiled together. */
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

// Formats with an exact grammar; others are not checked. Each test takes time linear in the length of the text.
const OCTET = "(?:25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)";
const IPV4 = new RegExp(`^(?:${OCTET}\\.){3}${OCTET}$`);
const LABEL = "[a-z\\d](?:[a-z\\d-]{0,61}[a-z\\d])?";
const HOSTNAME = new RegExp(`^${LABEL}(?:\\.${LABEL})*$`, "i");
const LOCAL_PART = /^(?:"(?:[ !#-[\]-~]|\\[ -~])*"|[\w!#$%&'*+/=?^`{|}~-]+(?:\.[\w!#$%&'*+/=?^`{|}~-]+)*)$/;
const TIME = /^([01]\d|2[0-3]):([0-5]\d):([0-5]\d|60)(?:\.\d+)?(?:z|([-+])([01]\d|2[0-3]):([0-5]\d))$/i;
const DAYS = "(?:\\d+Y(?:\\d+M(?:\\d+D)?)?|\\d+M(?:\\d+D)?|\\d+D)";
const HOURS = "T(?:\\d+H(?:\\d+M(?:\\d+S)?)?|\\d+M(?:\\d+S)?|\\d+S)";
const DURATION = new RegExp(`^P(?:${DAYS}(?:${HOURS})?|${HOURS}|\\d+W)$`);

/** Characters that may stand in a part of a URI; percent signs are checked apart. */
const URI_TEXT = "\\w.~!$&'()*+,;=%-";
const AUTHORITY =
  `(?:[${URI_TEXT}:]*@)?(?:\\[(?:v[\\da-f]+\\.[${URI_TEXT}:]+|([\\da-f:.]+))\\]|[${URI_TEXT}]*)(?::\\d*)?`;
/** A relative path must not begin with something that looks like a scheme. */
const URI_REFERENCE = new RegExp(
  `^(?:[a-z][a-z\\d+.-]*:|(?![^/?#]*:))(?://${AUTHORITY}(?=[/?#]|$)|(?!//))[${URI_TEXT}:@/]*` +
    `(?:\\?[${URI_TEXT}:@/?]*)?(?:#[${URI_TEXT}:@/?]*)?$`,
  "i",
);
const BAD_PERCENT = /%(?![\da-f]{2})/i;

const FORMATS: ReadonlyMap<string, (text: string) => boolean> = new Map(Object.entries({
  "date": isDay,
  "date-time": (text: string) =>
    /^t$/i.test(text.charAt(10)) && isDay(text.slice(0, 10)) && isTime(text.slice(11)),
  "duration": (text: string) => DURATION.test(text),
  "email": isEmail,
  "hostname": isHostname,
  "ipv4": (text: string) => IPV4.test(text),
  "ipv6": isIpv6,
  "json-pointer": isPointer,
  "regex": (text: string) => !patternError(text),
  // A number of levels up, then "#" for the name there or a pointer.
  "relative-json-pointer": (text: string) => {
    const rest = /^(?:0|[1-9]\d*)(.*)$/s.exec(text)?.[1];
    return rest !== undefined && (rest === "#" || isPointer(rest));
  },
  "time": isTime,
  "uri": (text: string) => /^[a-z][a-z\d+.-]*:/i.test(text) && isUriReference(text),
  "uri-reference": isUriReference,
  "uri-template": isUriTemplate,
  "uuid": (text: string) => /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i.test(text),
}));

function isTime(text: string): boolean {
  const [, hour, minute, second, sign, aheadHours = 0, aheadMinutes = 0] = TIME.exec(text) ?? [];
  if (second !== "60") return second !== undefined;
  // A leap second is the last of a day in UTC.
  const ahead = (Number(aheadHours) * 60 + Number(aheadMinutes)) * (sign === "-" ? -1 : 1);
  return (Number(hour) * 60 + Number(minute) - ahead + 24 * 60) % (24 * 60) === 24 * 60 - 1;
}

/** RFC 5321, section 4.1.2, with the lengths of section 4.5.3.1. */
function isEmail(text: string): boolean {
  const [, local = "", domain = ""] = /^(.{1,64})@(.{1,255})$/s.exec(text) ?? [];
  if (!LOCAL_PART.test(local)) return false;
  const [, v6, address = ""] = /^\[(IPv6:)?(.*)\]$/i.exec(domain) ?? [];
  return isHostname(domain) || (v6 ? isIpv6(address) : IPV4.test(address));
}

/** RFC 1123. Labels that begin with `xn--` are not decoded. */
function isHostname(text: string): boolean {
  return text.length <= 253 && HOSTNAME.test(text);
}

/** RFC 4291, section 2.2, without zones: URLs have the same grammar. */
function isIpv6(text: string): boolean {
  return /^[\da-f:.]{2,45}$/i.test(text) && URL.canParse(`http://[${text}]`);
}

function isUriReference(text: string): boolean {
  const found = URI_REFERENCE.exec(text);
  return found !== null && !BAD_PERCENT.test(text) && (found[1] === undefined || isIpv6(found[1]));
}

/** RFC 6570: literals, and expressions of an optional operator and variables. Reserved operators are allowed. */
function isUriTemplate(text: string): boolean {
  let fits = true;
  const literals = text.replace(/\{([^{}]*)\}/g, (_, expression: string) => {
    fits &&= expression.replace(/^[+#./;?&=,!@|]/, "").split(",").every((variable) =>
      /^[\w%]+(?:\.[\w%]+)*(?:\*|:[1-9]\d{0,3})?$/.test(variable) && !BAD_PERCENT.test(variable)
    );
    return "";
  });
  // deno-lint-ignore no-control-regex
  return fits && !/[\x00-\x20"<>\\^`{|}\x7f-\x9f]/.test(literals) && !BAD_PERCENT.test(literals);
}

export const SHORT: string =
  `at most ${MAX_PATTERN_INPUT} characters, the most that are matched against a pattern`;

export const STRINGS: readonly Keyword[] = [
  ...sizes("Length", "a string of ", "character", "one"),
  ["pattern", (source: string, rule, { shared }) => {
    const pattern = compilePattern(source, shared.onskip);
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
  ["format", (name: string, rule, site) => {
    const fits = site.shared.formats ? FORMATS.get(name) : undefined;
    return fits && ((value: string, run) => {
      run.spend(value.length >> 4);
      return fits(value) || run.report(rule, `a string in the format "${name}"`, "this one is not");
    });
  }],
];

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
    const simple = new Map<unknown, number>();
    /** Objects and arrays by canonical text: apart, because a string may have the same text. */
    const composed = new Map<unknown, number>();
    for (let index = 0; index < items.length; index++) {
      const item = items[index];
      if (typeof item === "string") run.spend(item.length >> 4);
      const known = isComposed(item) ? composed : simple;
      const key = isComposed(item) ? countedCanonical(item, run) : item;
      const first = known.get(key);
      if (first !== undefined) {
        return run.report(rule, "items that all differ", `those at ${first} and ${index} are equal`);
      }
      known.set(key, index);
    }
    return true;
  };
}];

/** What `canonical` of `lib/base` makes of a value, counting steps. */
function countedCanonical(value: unknown, run: Run): string {
  if (typeof value === "string") {
    run.spend(value.length >> 4);
    return JSON.stringify(value);
  }
  if (typeof value !== "object" || value === null) return String(value);
  run.enter(1);
  const names = Array.isArray(value) ? undefined : membersOf(value as JsonObject).toSorted();
  run.spend(names ? names.length * MEMBER_STEPS : (value as readonly unknown[]).length);
  const textOf = (name: string) =>
    `${JSON.stringify(name)}:${countedCanonical((value as JsonObject)[name], run)}`;
  const text = names
    ? `{${names.map(textOf).join()}}`
    : `[${(value as readonly unknown[]).map((item) => countedCanonical(item, run)).join()}]`;
  run.depth--;
  return text;
}

const isComposed = (value: unknown): boolean => typeof value === "object" && value !== null;

function oneOf(values: readonly unknown[], rule: Rule): Check {
  const simple = new Set(values);
  const composed = new Set(values.filter(isComposed).map(canonical));
  const none = other(values.length === 0 ? "no value" : quoteList(values, "or"), rule);
  return (value, run) =>
    simple.has(value) ||
    (composed.size > 0 && isComposed(value) && composed.has(countedCanonical(value, run))) ||
    none(value, run);
}

export const CONSTANTS: readonly Keyword[] = [
  ["const", (expected: unknown, rule) => oneOf([expected], rule)],
  ["enum", oneOf],
];
