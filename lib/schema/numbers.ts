/** Does a number fit? By its value in decimal, as it was written: 0.3 is a multiple of 0.1. */

import type { Run } from "./run.ts";
import type { Site } from "./site.ts";

type NumberCheck = (value: number, run: Run) => boolean;

/** What each keyword of a bound says, and in which words. */
const BOUNDS: readonly (readonly [
  keyword: string,
  fits: (value: number, bound: number) => boolean,
  wanted: string,
  came: string,
])[] = [
  ["minimum", (value, bound) => value >= bound, "of at least", "smaller"],
  ["exclusiveMinimum", (value, bound) => value > bound, "above", "not"],
  ["maximum", (value, bound) => value <= bound, "of at most", "larger"],
  ["exclusiveMaximum", (value, bound) => value < bound, "below", "not"],
];

/** How many steps it is worth to divide numbers of hundreds of digits. */
const DIVISION_STEPS = 10;

/** Compiles the keywords for numbers. */
export function compileNumber(site: Site): NumberCheck[] {
  const checks: NumberCheck[] = [];
  for (const [keyword, fits, wanted, came] of BOUNDS) {
    const bound = site.say(keyword) as number | undefined;
    if (bound === undefined) continue;
    const rule = site.rule(keyword);
    const message = `Expected a number ${wanted} ${bound}, but this one is ${came}.`;
    checks.push((value, run) => fits(value, bound) || run.collecting && run.report(rule, message));
  }
  const divisor = site.say("multipleOf") as number | undefined;
  if (divisor !== undefined) {
    const rule = site.rule("multipleOf");
    const message = `Expected a multiple of ${divisor}, but this number is none.`;
    checks.push((value, run) => {
      if (!Number.isSafeInteger(value)) run.spend(DIVISION_STEPS, rule);
      return isMultiple(value, divisor) || run.collecting && run.report(rule, message);
    });
  }
  return checks;
}

/** Whether a number is a multiple of another, both taken as the decimals that they are written as. */
export function isMultiple(value: number, divisor: number): boolean {
  if (Number.isSafeInteger(value) && Number.isSafeInteger(divisor)) return value % divisor === 0;
  if (!Number.isFinite(value)) return false;
  // Where it is clear from afar, the exact way can be saved.
  const quotient = Math.abs(value / divisor);
  if (quotient < 1e6 && Math.abs(quotient - Math.round(quotient)) > 1e-6) return false;
  const [digits, exponent] = decimal(value);
  const [divisorDigits, divisorExponent] = decimal(divisor);
  const shift = exponent - divisorExponent;
  return digits * 10n ** BigInt(Math.max(shift, 0)) % (divisorDigits * 10n ** BigInt(Math.max(-shift, 0))) ===
    0n;
}

/** A number as an integer times a power of ten, from the shortest text that means it. */
function decimal(number: number): [digits: bigint, exponent: number] {
  const [, integer = "", fraction = "", exponent = "0"] = /^(-?\d+)(?:\.(\d+))?(?:e([-+]\d+))?$/.exec(
    String(number),
  )!;
  return [BigInt(integer + fraction), Number(exponent) - fraction.length];
}
