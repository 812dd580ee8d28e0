/** Does a string fit? Its length in code points, its pattern, and its format where that is asked for. */

import type { Run } from "./run.ts";
import type { Site } from "./site.ts";
import { FORMATS } from "./formats.ts";
import { count, quote } from "./issue.ts";

type StringCheck = (value: string, run: Run) => boolean;

/** Compiles the keywords for strings. */
export function compileString(site: Site): StringCheck[] {
  return [minLength(site), maxLength(site), pattern(site), format(site)].filter((check) =>
    check !== undefined
  );
}

/** The length of a string in code points: half a character counts as one. */
function lengthOf(text: string): number {
  let length = text.length;
  for (let index = 1; index < text.length; index++) {
    const isSecondHalf = isBetween(text.charCodeAt(index), 0xdc00, 0xdfff);
    if (isSecondHalf && isBetween(text.charCodeAt(index - 1), 0xd800, 0xdbff)) length--;
  }
  return length;
}

function isBetween(unit: number, first: number, last: number): boolean {
  return unit >= first && unit <= last;
}

function minLength(site: Site): StringCheck | undefined {
  const least = site.say("minLength") as number | undefined;
  if (least === undefined) return undefined;
  const rule = site.rule("minLength");
  return (value, run) => {
    // A code point takes one unit or two, so that most strings need not be read.
    if (value.length >= least * 2) return true;
    if (value.length < least && !run.collecting) return false;
    run.spendOn(value, rule);
    const length = lengthOf(value);
    return length >= least || run.collecting &&
        run.report(
          rule,
          `Expected a string of at least ${count(least, "character")}, but this one has ${length}.`,
        );
  };
}

function maxLength(site: Site): StringCheck | undefined {
  const most = site.say("maxLength") as number | undefined;
  if (most === undefined) return undefined;
  const rule = site.rule("maxLength");
  return (value, run) => {
    if (value.length <= most) return true;
    if (value.length > most * 2 && !run.collecting) return false;
    run.spendOn(value, rule);
    const length = lengthOf(value);
    return length <= most || run.collecting &&
        run.report(
          rule,
          `Expected a string of at most ${count(most, "character")}, but this one has ${length}.`,
        );
  };
}

function pattern(site: Site): StringCheck | undefined {
  const source = site.say("pattern") as string | undefined;
  if (source === undefined) return undefined;
  const expression = site.expression(source);
  const longest = site.limits.maxPatternInput;
  const rule = site.rule("pattern");
  const wanted = `Expected a string that matches the pattern ${quote(source)}`;
  const bounded =
    `Expected a string of at most ${longest} characters, the most that are held against a pattern, but this one is longer.`;
  return (value, run) => {
    if (value.length > longest) return run.collecting && run.report(rule, bounded);
    run.spendOn(value, rule);
    return expression.test(value) || run.collecting && run.report(rule, `${wanted}, but this one does not.`);
  };
}

function format(site: Site): StringCheck | undefined {
  const name = site.say("format") as string | undefined;
  const fits = name === undefined || !site.limits.formats ? undefined : FORMATS.get(name);
  if (!fits) return undefined;
  const rule = site.rule("format");
  return (value, run) => {
    run.spendOn(value, rule);
    return fits(value) || run.collecting &&
        run.report(rule, `Expected a string in the format ${quote(name)}, but this one is not.`);
  };
}
