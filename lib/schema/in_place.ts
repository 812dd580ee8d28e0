/** Does a value fit other schemas too? All, some, one or none of them, or one that depends. */

import type { Check, Run } from "./run.ts";
import type { Site } from "./site.ts";
import { count } from "./issue.ts";
import { sequence } from "./site.ts";

/** Compiles the keywords that apply schemas to the value itself, whatever its type. */
export function compileInPlace(site: Site): Check[] {
  const checks = [allOf(site), anyOf(site), oneOf(site), not(site), conditional(site)]
    .filter((check) => check !== undefined);
  for (const name of ["$ref", "$dynamicRef"] as const) {
    if (site.say(name) !== undefined) checks.push(site.reference(name));
  }
  return checks;
}

function branchesOf(site: Site, keyword: string): Check[] | undefined {
  const schemas = site.say(keyword) as readonly unknown[] | undefined;
  return schemas?.map((_, index) => site.here(keyword, index));
}

function allOf(site: Site): Check | undefined {
  const branches = branchesOf(site, "allOf");
  if (!branches) return undefined;
  const rule = site.rule("allOf");
  const all = sequence(branches);
  return (value, run) => {
    run.spend(branches.length, rule);
    return all(value, run);
  };
}

function anyOf(site: Site): Check | undefined {
  const branches = branchesOf(site, "anyOf");
  if (!branches) return undefined;
  const rule = site.rule("anyOf");
  const message = `Expected a value that fits at least one of ${
    count(branches.length, "schema")
  }, but it fits none.`;
  return (value, run) => {
    run.spend(branches.length, rule);
    const { collecting } = run;
    const before = run.issues.length;
    let fits = false;
    for (const branch of branches) {
      fits = explore(site, branch, value, run) || fits;
      // What is looked at by the others matters too, where that is written down.
      if (fits && !site.tracked) break;
    }
    if (fits) run.forget(before, collecting);
    else if (collecting) run.insert(before, rule, message);
    return fits;
  };
}

function oneOf(site: Site): Check | undefined {
  const branches = branchesOf(site, "oneOf");
  if (!branches) return undefined;
  const rule = site.rule("oneOf");
  const wanted = `Expected a value that fits exactly one of ${count(branches.length, "schema")}`;
  return (value, run) => {
    run.spend(branches.length, rule);
    const { collecting } = run;
    const before = run.issues.length;
    let first = -1;
    let second = -1;
    for (let index = 0; index < branches.length && second < 0; index++) {
      if (!explore(site, branches[index]!, value, run)) continue;
      if (first < 0) first = index;
      else second = index;
    }
    if (first >= 0) run.forget(before, collecting);
    if (first >= 0 && second < 0) return true;
    if (collecting) {
      const came = first < 0 ? "fits none" : `fits those at ${first} and ${second}`;
      run.insert(before, rule, `${wanted}, but it ${came}.`);
    }
    return false;
  };
}

function not(site: Site): Check | undefined {
  if (site.say("not") === undefined) return undefined;
  const check = site.apart("not");
  const rule = site.rule("not");
  return (value, run) =>
    !run.attempt(check, value) || run.collecting &&
      run.report(rule, `Expected a value that does not fit the schema under "not", but this one does.`);
}

function conditional(site: Site): Check | undefined {
  if (site.say("if") === undefined) return undefined;
  const condition = site.here("if");
  const [then, otherwise] = ["then", "else"].map((name) =>
    site.say(name) === undefined ? undefined : site.here(name)
  );
  if (!then && !otherwise && !site.tracked) return undefined;
  return (value, run) => {
    const { collecting } = run;
    run.collecting = false;
    const holds = explore(site, condition, value, run);
    run.collecting = collecting;
    const branch = holds ? then : otherwise;
    return branch === undefined || branch(value, run);
  };
}

/** Checks against a schema that need not be fitted: what it looked at counts only when it is. */
function explore(site: Site, check: Check, value: unknown, run: Run): boolean {
  if (!site.tracked) return check(value, run);
  const seen = run.seen!;
  const mark = seen.mark();
  const fits = check(value, run);
  if (!fits) seen.restore(mark);
  return fits;
}
