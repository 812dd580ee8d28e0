/**
 * Is each member of an object what it must be, and are those there that must be? `properties`, `patternProperties` and
 * `additionalProperties` divide the members among them, so they are compiled together, with `required`: one walk does all.
 */

import type { Check, Rule, Run } from "./run.ts";
import type { Site } from "./site.ts";
import type { JsonObject } from "../base/json.ts";
import { quote, quoteList } from "./issue.ts";
import { hasMember } from "./value.ts";

/** A check that is asked about objects only. */
export type ObjectCheck = (value: JsonObject, run: Run) => boolean;

/** What the schema says of a name. */
interface Named {
  readonly name: string;
  /** Its place among the names. */
  readonly index: number;
  /** Undefined for a name that is required and nothing else. */
  readonly check: Check | undefined;
  readonly isRequired: boolean;
}

/** A member of `patternProperties`. */
interface Pattern {
  readonly expression: RegExp;
  readonly check: Check;
  readonly rule: Rule;
}

/** In a loop over the names of an object, this form costs nothing on V8; `Object.hasOwn` takes a quarter of the loop. */
const { hasOwnProperty } = Object.prototype;

/** Compiles the four keywords. */
export function compileMembers(site: Site): ObjectCheck | undefined {
  const required = compileRequired(site);
  const names = readNames(site);
  const patterns = readPatterns(site);
  const additional = compileAdditional(site);
  const isOnlyRequired = site.say("properties") === undefined && patterns.length === 0 && !additional;
  return isOnlyRequired ? required : everyMember(site, names, patterns, additional, required);
}

function readNames(site: Site): ReadonlyMap<string, Named> {
  const names = new Map<string, Named>();
  for (const name of Object.keys((site.say("properties") ?? {}) as JsonObject)) {
    names.set(name, { name, index: names.size, check: site.below("properties", name), isRequired: false });
  }
  for (const name of (site.say("required") ?? []) as readonly string[]) {
    const { index = names.size, check } = names.get(name) ?? {};
    names.set(name, { name, index, check, isRequired: true });
  }
  return names;
}

function readPatterns(site: Site): Pattern[] {
  return Object.keys((site.say("patternProperties") ?? {}) as JsonObject).map((source) => ({
    expression: site.expression(source),
    check: site.below("patternProperties", source),
    rule: site.rule("patternProperties", source),
  }));
}

function compileAdditional(site: Site): Check | undefined {
  const schema = site.say("additionalProperties");
  if (schema === undefined || (schema === true && !site.tracked)) return undefined;
  return schema === false ? refuseMember(site, "additionalProperties") : site.below("additionalProperties");
}

/** Fits no member; says which there may be. */
export function refuseMember(site: Site, keyword: "additionalProperties" | "unevaluatedProperties"): Check {
  const names = Object.keys((site.say("properties") ?? {}) as JsonObject);
  const areAll = keyword === "additionalProperties" && site.say("patternProperties") === undefined;
  const rule = site.rule(keyword);
  const wanted = names.length === 0
    ? "no member of this name"
    : areAll
    ? `no members but ${quoteList(names, "and")}`
    : `only members that the schema names, such as ${quoteList(names, "and")}`;
  return (_, run) => run.collecting && run.report(rule, `Expected ${wanted}, but there is this one.`);
}

function everyMember(
  site: Site,
  names: ReadonlyMap<string, Named>,
  patterns: readonly Pattern[],
  additional: Check | undefined,
  required: ObjectCheck | undefined,
): ObjectCheck {
  const matchPatterns = patterns.length === 0 ? undefined : compilePatterns(site, patterns);
  const order = [...names.values()];
  const needed = order.filter(({ isRequired }) => isRequired).length;
  const { tracked } = site;
  const rule = site.rule("properties");
  return (value, run) => {
    let fits = true;
    let found = 0;
    let expected = order[0];
    for (const name in value) {
      if (!hasOwnProperty.call(value, name) || value[name] === undefined) continue;
      const member = value[name];
      run.spendOnMembers(1, rule);
      // The rest is still counted: going through a large object takes long, even if it ends at the first member.
      if (!fits && !run.collecting) continue;
      // Most objects have their members in the order of the schema, and comparing is faster than looking up.
      const named = expected !== undefined && expected.name === name ? expected : names.get(name);
      if (named !== undefined) {
        expected = order[named.index + 1];
        if (named.isRequired) found++;
      }
      const check = named?.check;
      let isKnown = check !== undefined;
      if (check !== undefined && !run.descend(check, member, name)) fits = false;
      if (matchPatterns !== undefined) {
        const matched = matchPatterns(name, member, run);
        if (matched !== undefined) isKnown = true;
        if (matched === false) fits = false;
      }
      if (!isKnown && additional !== undefined) {
        isKnown = true;
        if (!run.descend(additional, member, name)) fits = false;
      }
      if (tracked && isKnown) run.seen!.addMember(name);
    }
    if (!fits && !run.collecting) return false;
    return (found === needed || required!(value, run)) && fits;
  };
}

/** Checks a member against the schemas whose patterns its name matches; undefined when it matches none. */
function compilePatterns(
  site: Site,
  patterns: readonly Pattern[],
): (name: string, member: unknown, run: Run) => boolean | undefined {
  const longest = site.limits.maxPatternInput;
  const tooLong =
    `Expected a name of at most ${longest} characters, the most that are held against a pattern, but this one is longer.`;
  return (name, member, run) => {
    let fits: boolean | undefined;
    for (const { expression, check, rule } of patterns) {
      if (name.length > longest) return run.collecting && run.report(rule, tooLong, name);
      run.spendOn(name, rule);
      run.spend(1, rule);
      if (!expression.test(name)) continue;
      fits = run.descend(check, member, name) && fits !== false;
    }
    return fits;
  };
}

function compileRequired(site: Site): ObjectCheck | undefined {
  const names = site.say("required") as readonly string[] | undefined;
  if (names === undefined || names.length === 0) return undefined;
  return requireMembers(
    names,
    site.rule("required"),
    (name) => `Expected a member ${quote(name)}, but there is none.`,
  );
}

/** Fits objects that have all these members. */
export function requireMembers(
  names: readonly string[],
  rule: Rule,
  message: (name: string) => string,
): ObjectCheck {
  return (value, run) => {
    let fits = true;
    for (const name of names) {
      if (hasMember(value, name)) continue;
      if (!run.collecting) return false;
      fits = run.report(rule, message(name));
    }
    return fits;
  };
}
