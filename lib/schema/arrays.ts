/** Does an array fit? How many items there are, whether they differ, and what each is. */

import type { Check, Run } from "./run.ts";
import type { Site } from "./site.ts";
import { findTwins } from "./equality.ts";
import { count } from "./issue.ts";

type ArrayCheck = (value: readonly unknown[], run: Run) => boolean;

/** Compiles the keywords for arrays, all but `unevaluatedItems`. The cheap ones come first: they bound the others. */
export function compileArray(site: Site): ArrayCheck[] {
  const keywords = [maxItems, minItems, prefixItems, items, contains, uniqueItems];
  return keywords.map((keyword) => keyword(site)).filter((check) => check !== undefined);
}

function maxItems(site: Site): ArrayCheck | undefined {
  const most = site.say("maxItems") as number | undefined;
  if (most === undefined) return undefined;
  const rule = site.rule("maxItems");
  return (value, run) =>
    value.length <= most || run.collecting &&
      run.report(rule, `Expected at most ${count(most, "item")}, but this array has ${value.length}.`);
}

function minItems(site: Site): ArrayCheck | undefined {
  const least = site.say("minItems") as number | undefined;
  if (least === undefined) return undefined;
  const rule = site.rule("minItems");
  return (value, run) =>
    value.length >= least || run.collecting &&
      run.report(rule, `Expected at least ${count(least, "item")}, but this array has ${value.length}.`);
}

function uniqueItems(site: Site): ArrayCheck | undefined {
  if (site.say("uniqueItems") !== true) return undefined;
  const rule = site.rule("uniqueItems");
  return (value, run) => {
    if (value.length < 2) return true;
    run.spend(value.length, rule);
    const twins = findTwins(value, run, rule);
    return !twins || run.collecting &&
        run.report(
          rule,
          `Expected items that all differ, but those at ${twins[0]} and ${twins[1]} are equal.`,
        );
  };
}

function prefixItems(site: Site): ArrayCheck | undefined {
  const schemas = site.say("prefixItems") as readonly unknown[] | undefined;
  if (schemas === undefined) return undefined;
  const checks = schemas.map((_, index) => site.below("prefixItems", index));
  const { tracked } = site;
  const rule = site.rule("prefixItems");
  return (value, run) => {
    const length = Math.min(value.length, checks.length);
    if (tracked) run.seen!.addItems(length);
    let fits = true;
    for (let index = 0; index < length; index++) {
      run.spend(1, rule);
      if (run.descend(checks[index]!, value[index], index)) continue;
      if (!run.collecting) return false;
      fits = false;
    }
    return fits;
  };
}

function items(site: Site): ArrayCheck | undefined {
  const schema = site.say("items");
  if (schema === undefined) return undefined;
  const start = (site.say("prefixItems") as readonly unknown[] | undefined)?.length ?? 0;
  const check = schema === false ? tooMany(site, start) : site.below("items");
  const { tracked } = site;
  const rule = site.rule("items");
  return (value, run) => {
    if (tracked) run.seen!.addItems(Infinity);
    let fits = true;
    for (let index = start; index < value.length; index++) {
      run.spend(1, rule);
      if (run.descend(check, value[index], index)) continue;
      if (!run.collecting) return false;
      fits = false;
    }
    return fits;
  };
}

function tooMany(site: Site, start: number): Check {
  const rule = site.rule("items");
  return (_, run) =>
    run.collecting && run.report(rule, `Expected at most ${count(start, "item")}, but this is one more.`);
}

function contains(site: Site): ArrayCheck | undefined {
  if (site.say("contains") === undefined) return undefined;
  const check = site.below("contains");
  const least = (site.say("minContains") ?? 1) as number;
  const most = (site.say("maxContains") ?? Infinity) as number;
  const tooFew = site.rule(site.say("minContains") === undefined ? "contains" : "minContains");
  const tooMany = site.rule("maxContains");
  return (value, run) => {
    let found = 0;
    for (let index = 0; index < value.length && found <= most; index++) {
      run.spend(1, tooFew);
      if (!run.attempt(check, value[index])) continue;
      found++;
      if (site.tracked) run.seen!.addItem(index);
      else if (found >= least && most === Infinity) return true;
    }
    if (found > most) {
      return run.collecting && run.report(
        tooMany,
        `Expected at most ${count(most, "item")} to fit "contains", but more do.`,
      );
    }
    return found >= least || run.collecting &&
        run.report(
          tooFew,
          `Expected at least ${count(least, "item")} to fit "contains", but ${found} do.`,
        );
  };
}
