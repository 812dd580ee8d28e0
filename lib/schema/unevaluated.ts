/** Does the rest fit? The members and items that no other keyword looked at, here or in a schema applied to the same value. */

import type { Check, Run } from "./run.ts";
import type { Site } from "./site.ts";
import type { JsonObject } from "../base/json.ts";
import { Evaluated } from "./evaluated.ts";
import { refuseMember } from "./members.ts";
import { hasMember } from "./value.ts";
import { isObject } from "../base/json.ts";

/** Whether a schema asks for what others looked at. */
export function asksForRest(say: (keyword: string) => unknown): boolean {
  return say("unevaluatedProperties") !== undefined || say("unevaluatedItems") !== undefined;
}

/**
 * Compiles `unevaluatedProperties` and `unevaluatedItems`.
 *
 * @param others All that the schema says besides.
 * @param isSeen Whether a schema around this one wants to know in turn what was looked at.
 */
export function compileRest(site: Site, others: Check, isSeen: boolean): Check {
  const members = compileMembersRest(site);
  const items = compileItemsRest(site);
  return (value, run) => {
    const outer = run.seen;
    const own = run.seen = new Evaluated();
    let fits = others(value, run);
    if (fits || run.collecting) {
      if (Array.isArray(value)) fits = items(value, run, own) && fits;
      else if (isObject(value)) fits = members(value, run, own) && fits;
    }
    run.seen = outer;
    if (isSeen) outer!.merge(own);
    return fits;
  };
}

type RestCheck<T> = (value: T, run: Run, seen: Evaluated) => boolean;

function compileMembersRest(site: Site): RestCheck<JsonObject> {
  const schema = site.say("unevaluatedProperties");
  if (schema === undefined) return () => true;
  const check = schema === false
    ? refuseMember(site, "unevaluatedProperties")
    : site.below("unevaluatedProperties");
  const rule = site.rule("unevaluatedProperties");
  return (value, run, seen) => {
    const isSeen = seen.memberTest();
    seen.addEveryMember();
    let fits = true;
    for (const name in value) {
      if (!hasMember(value, name)) continue;
      run.spendOnMembers(1, rule);
      if ((!fits && !run.collecting) || isSeen(name)) continue;
      if (!run.descend(check, value[name], name)) fits = false;
    }
    return fits;
  };
}

function compileItemsRest(site: Site): RestCheck<readonly unknown[]> {
  if (site.say("unevaluatedItems") === undefined) return () => true;
  const check = site.below("unevaluatedItems");
  const rule = site.rule("unevaluatedItems");
  return (value, run, seen) => {
    run.spend(value.length, rule);
    const others = seen.otherItems(value.length);
    seen.addItems(Infinity);
    let fits = true;
    for (const index of others) {
      if (run.descend(check, value[index], index)) continue;
      if (!run.collecting) return false;
      fits = false;
    }
    return fits;
  };
}
