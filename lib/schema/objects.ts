/** Does an object fit? Which members there are, and what each is. */

import type { Check, Run } from "./run.ts";
import type { ObjectCheck } from "./members.ts";
import type { Site } from "./site.ts";
import type { JsonObject } from "../base/json.ts";
import { count, quote } from "./issue.ts";
import { compileMembers, requireMembers } from "./members.ts";
import { hasMember, membersOf } from "./value.ts";

/** Compiles the keywords for objects, all but `unevaluatedProperties`. The cheap ones come first: they bound the others. */
export function compileObject(site: Site): ObjectCheck[] {
  const keywords = [
    maxProperties,
    minProperties,
    compileMembers,
    propertyNames,
    dependentRequired,
    dependentSchemas,
  ];
  return keywords.map((keyword) => keyword(site)).filter((check) => check !== undefined);
}

function maxProperties(site: Site): ObjectCheck | undefined {
  const most = site.say("maxProperties") as number | undefined;
  if (most === undefined) return undefined;
  const rule = site.rule("maxProperties");
  return (value, run) => {
    const { length } = membersOf(value);
    run.spendOnMembers(length, rule);
    return length <= most || run.collecting &&
        run.report(rule, `Expected at most ${count(most, "member")}, but this object has ${length}.`);
  };
}

function minProperties(site: Site): ObjectCheck | undefined {
  const least = site.say("minProperties") as number | undefined;
  if (least === undefined) return undefined;
  const rule = site.rule("minProperties");
  return (value, run) => {
    const { length } = membersOf(value);
    run.spendOnMembers(length, rule);
    return length >= least || run.collecting &&
        run.report(rule, `Expected at least ${count(least, "member")}, but this object has ${length}.`);
  };
}

function dependentRequired(site: Site): ObjectCheck | undefined {
  const said = site.say("dependentRequired") as Readonly<Record<string, readonly string[]>> | undefined;
  if (said === undefined) return undefined;
  return onMembers(
    Object.entries(said).map(([trigger, names]) => [
      trigger,
      requireMembers(
        names,
        site.rule("dependentRequired", trigger),
        (name) => `Expected a member ${quote(name)} beside ${quote(trigger)}, but there is none.`,
      ),
    ]),
  );
}

function dependentSchemas(site: Site): ObjectCheck | undefined {
  const said = site.say("dependentSchemas") as JsonObject | undefined;
  if (said === undefined) return undefined;
  return onMembers(Object.keys(said).map((trigger) => [trigger, site.here("dependentSchemas", trigger)]));
}

/** Checks that are for objects with a certain member. */
function onMembers(checks: readonly (readonly [trigger: string, check: ObjectCheck])[]): ObjectCheck {
  return (value, run) => {
    let fits = true;
    for (const [trigger, check] of checks) {
      if (!hasMember(value, trigger) || check(value, run)) continue;
      if (!run.collecting) return false;
      fits = false;
    }
    return fits;
  };
}

function propertyNames(site: Site): ObjectCheck | undefined {
  if (site.say("propertyNames") === undefined) return undefined;
  const check = site.below("propertyNames");
  const rule = site.rule("propertyNames");
  return (value, run) => {
    const names = membersOf(value);
    run.spendOnMembers(names.length, rule);
    let fits = true;
    for (const name of names) {
      if (fitsName(check, name, run)) continue;
      if (!run.collecting) return false;
      fits = false;
    }
    return fits;
  };
}

/** Checks a name. What is wrong with it is told of the member, so it must not read as if it were of the member's value. */
function fitsName(check: Check, name: string, run: Run): boolean {
  const before = run.issues.length;
  if (run.descend(check, name, name)) return true;
  for (let index = before; index < run.issues.length; index++) {
    const issue = run.issues[index]!;
    run.issues[index] = { ...issue, message: `The name of the member: ${issue.message}` };
  }
  return false;
}
