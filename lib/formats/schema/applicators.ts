/** Keywords that apply other schemas to a value, its members or its items (applicators), and the table of all keywords. */

import type { JsonObject } from "../../base/json.ts";
import type { Keyword, Site } from "./keyword.ts";
import type { Check, Rule } from "./run.ts";
import type { Issue } from "./schema.ts";
import { asObject, isObject, own } from "../../base/json.ts";
import { count } from "../../base/text.ts";
import { CONSTANTS, NUMBERS, SHORT, sizes, STRINGS, uniqueItems } from "./assertions.ts";
import { compilePattern, MAX_PATTERN_INPUT } from "./pattern.ts";
import { join, nounOf, quote, quoteList } from "./messages.ts";
import { all, MEMBER_STEPS, membersOf, mismatch } from "./run.ts";

type Items = readonly unknown[];

/** In `run.seen`: all members or items. */
const ALL = -1;

/** The maximum number of tokens in `run.seen` that are searched one by one; for more, a set is faster. */
const FEW = 16;

/** `properties`, `patternProperties`, `additionalProperties` and `required` in one loop over the members. */
function members(site: Site): Check<JsonObject> | undefined {
  const properties = new Set(site.names("properties"));
  const required = new Set((site.get("required") ?? []) as readonly string[]);
  const names = [...new Set([...properties, ...required])];
  const order = names.map((name, index) => ({
    name,
    next: (index + 1) % names.length,
    check: properties.has(name) ? site.below("properties", name) : undefined,
    isRequired: required.has(name),
  }));
  const requireAll = requireMembers([...required], site.rule("required"), "");
  const patterns = site.names("patternProperties").map((source) => {
    const pattern = compilePattern(source, site.options.onskip);
    const check = pattern ? site.below("patternProperties", source) : () => true;
    // It is unknown what a skipped pattern would match, so it accepts every name.
    return { pattern: pattern ?? (() => true), check, rule: site.rule("patternProperties", source) };
  });
  const { tracked } = site;
  const isOpen = site.get("additionalProperties") === true && !tracked;
  const additional = isOpen ? undefined : belowOrNone(site, "additionalProperties");
  if (site.get("properties") === undefined && patterns.length === 0 && !additional) {
    return required.size === 0 ? undefined : requireAll;
  }
  const byName = new Map(order.map((named) => [named.name, named]));
  return (value, run) => {
    let fits = true;
    let missing = required.size;
    let expected = order[0];
    const names = Object.keys(value);
    run.spend(names.length * MEMBER_STEPS);
    for (const name of names) {
      const member = value[name];
      if (member === undefined) continue;
      // Most objects list their members in the order of the schema, and a comparison is faster than a lookup.
      const named = expected === undefined || expected.name === name ? expected : byName.get(name);
      let isKnown = named?.check !== undefined;
      if (named !== undefined) {
        expected = order[named.next];
        if (named.isRequired) missing--;
        if (named.check !== undefined && !run.descend(named.check, member, name)) fits = false;
      }
      for (let index = 0; index < patterns.length; index++) {
        const { pattern, check, rule } = patterns[index]!;
        run.spend(1 + (name.length >> 4));
        const isLong = name.length > MAX_PATTERN_INPUT;
        if (!isLong && !pattern(name, run)) continue;
        isKnown = true;
        const applied = isLong ? mismatch(rule, `a name of ${SHORT}`, "this one is longer") : check;
        if (!run.descend(applied, member, name)) fits = false;
      }
      if (!isKnown && additional !== undefined) {
        isKnown = true;
        if (!run.descend(additional, member, name)) fits = false;
      }
      if (!fits && !run.collecting) return false;
      if (tracked && isKnown) run.seen!.push(name);
    }
    return (missing === 0 || requireAll(value, run)) && fits;
  };
}

function requireMembers(names: readonly string[], rule: Rule, condition: string): Check<JsonObject> {
  return (value, run) => {
    let fits = true;
    for (const name of names) {
      if (own(value, name) !== undefined) continue;
      if (!run.collecting) return false;
      fits = run.report(rule, `a member ${quote(name)}${condition}`, "it is missing");
    }
    return fits;
  };
}

/** The check of a subschema for members; undefined if the keyword is missing. For `false`, the issue lists the allowed members. */
function belowOrNone(site: Site, keyword: `${"additional" | "unevaluated"}Properties`): Check | undefined {
  const schema = site.get(keyword);
  if (schema !== false) return schema === undefined ? undefined : site.below(keyword);
  const names = site.names("properties");
  const areAll = keyword === "additionalProperties" && site.get("patternProperties") === undefined;
  const kind = areAll
    ? `only the member${names.length === 1 ? "" : "s"}`
    : "only members that the schema names, such as";
  if (names.length === 0) return mismatch(site.rule(keyword), "no member of this name", "there is one");
  return mismatch(site.rule(keyword), `${kind} ${quoteList(names, "and")}`, "this is another one");
}

/** Applies a check only to objects that have a certain member. */
function dependent(name: string, check: Check<JsonObject>): Check<JsonObject> {
  return (value, run) => own(value, name) === undefined || check(value, run);
}

const OBJECTS: readonly Keyword[] = [
  ...sizes("Properties", "", "member", "object"),
  ["", (_, __, site) => members(site)],
  ["propertyNames", (_, __, site) => {
    const check = site.below("propertyNames");
    return (value: JsonObject, run) => {
      const names = membersOf(value);
      run.spend(names.length * MEMBER_STEPS);
      run.subject = "The name of the member: ";
      let fits = true;
      for (const name of names) {
        fits = run.descend(check, name, name) && fits;
        if (!fits && !run.collecting) break;
      }
      run.subject = "";
      return fits;
    };
  }],
  ["dependentRequired", (needs: Readonly<Record<string, readonly string[]>>, { keyword }, site) => {
    const checks = Object.entries(needs).map(([name, names]) =>
      dependent(name, requireMembers(names, site.rule(keyword, name), ` next to ${quote(name)}`))
    );
    return all(checks);
  }],
  ["dependentSchemas", (schemas: JsonObject, { keyword }, site) => {
    return all(Object.keys(schemas).map((name) => dependent(name, site.here(keyword, name))));
  }],
];

function items(site: Site): Check<Items> | undefined {
  const prefix = site.names("prefixItems").map((index) => site.below("prefixItems", index));
  const { length } = prefix;
  const schema = site.get("items");
  if (schema === undefined && length === 0) return undefined;
  const rule = site.rule(schema === undefined ? "prefixItems" : "items");
  const tooMany = mismatch(rule, `at most ${count(length, "item")}`, "this is one more");
  const rest = schema === false ? tooMany : schema === undefined ? undefined : site.below("items");
  const { tracked } = site;
  return (value, run) => {
    const end = rest ? value.length : Math.min(value.length, length);
    if (tracked && rest) run.seen!.push(ALL);
    let fits = true;
    for (let index = 0; index < end; index++) {
      run.spend(1);
      if (tracked && !rest) run.seen!.push(index);
      if (run.descend(index < length ? prefix[index]! : rest!, value[index], index)) continue;
      if (!run.collecting) return false;
      fits = false;
    }
    return fits;
  };
}

const ARRAYS: readonly Keyword[] = [
  ...sizes("Items", "", "item", "array"),
  ["", (_, __, site) => items(site)],
  ["contains", (_, rule, site) => {
    const check = site.below("contains");
    const least = (site.get("minContains") ?? 1) as number;
    const most = (site.get("maxContains") ?? Infinity) as number;
    const tooFew = site.get("minContains") === undefined ? rule : site.rule("minContains");
    return (value: Items, run) => {
      let found = 0;
      for (let index = 0; index < value.length && found <= most; index++) {
        run.spend(1);
        if (!run.attempt(check, value[index])) continue;
        found++;
        if (site.tracked) run.seen!.push(index);
        else if (found >= least && most === Infinity) return true;
      }
      const wanted = (words: string, limit: number) => `${words} ${count(limit, "item")} to fit "contains"`;
      if (found > most) return run.report(site.rule("maxContains"), wanted("at most", most), "more do");
      return found >= least || run.report(tooFew, wanted("at least", least), `${found} do`);
    };
  }],
  uniqueItems,
];

function alternatives(schemas: Items, rule: Rule, site: Site): Check {
  const isOne = rule.keyword === "oneOf";
  const branches = schemas.map((_, index) => site.here(rule.keyword, index));
  const number = isOne ? "exactly" : "at least";
  const wanted = `a value that fits ${number} one of ${count(branches.length, "schema")}`;
  const forms = formsOf(schemas);
  return (value, run) => {
    run.spend(branches.length);
    const fitting: number[] = [];
    for (let index = 0; index < branches.length; index++) {
      if (!run.attempt(branches[index]!, value)) continue;
      fitting.push(index);
      // If evaluated members are tracked, the other branches matter too.
      if (isOne ? fitting.length > 1 : !site.tracked) break;
    }
    if (isOne ? fitting.length === 1 : fitting.length > 0) return true;
    if (!run.collecting) return false;
    if (fitting.length > 0) return run.report(rule, wanted, `it fits those at ${fitting.join(" and ")}`);
    const found = branches.map((branch) => {
      const issues: Issue[] = [];
      run.attempt(branch, value, issues);
      return issues;
    });
    run.report(rule, forms ?? wanted, "it fits none");
    run.add(nearest(found, run.path).flat());
    return false;
  };
}

/** The maximum number of alternatives that a message lists. */
const MAX_FORMS = 4;

/** The types and formats of alternatives; undefined if one has no type or there are too many. */
function formsOf(schemas: Items): string | undefined {
  const forms = schemas.map((schema) => {
    const { type, format } = asObject(schema) as { type?: string | string[]; format?: string };
    const noun = type && join([type].flat().map(nounOf), "or");
    return noun && (format === undefined ? noun : `${noun} in the format ${quote(format)}`);
  });
  return forms.length <= MAX_FORMS && forms.every(Boolean) ? [...new Set(forms)].join(" or ") : undefined;
}

/** The issues of the branches that were probably meant: those for other types or constants are left out, unless all are. */
function nearest(branches: readonly Issue[][], here: string): readonly Issue[][] {
  const isType = ({ path, keyword }: Issue) => keyword === "type" && path === here;
  const isConstant = ({ path, keyword }: Issue) =>
    (keyword === "const" || keyword === "enum") && path.lastIndexOf("/") <= here.length;
  for (const isOther of [isType, isConstant]) {
    const others = branches.filter((issues) => !issues.some(isOther));
    if (others.length > 0) branches = others;
  }
  return branches;
}

const ALL_VALUES: readonly Keyword[] = [
  ...CONSTANTS,
  ["allOf", (schemas: Items, _, site) => {
    const check = all(schemas.map((_, index) => site.here("allOf", index)));
    return (value, run) => {
      run.spend(schemas.length);
      return check(value, run);
    };
  }],
  ["anyOf", alternatives],
  ["oneOf", alternatives],
  ["not", (_, rule, site) => {
    const check = site.here("not", undefined, false);
    const wanted = 'a value that does not fit the schema under "not"';
    return (value, run) => !run.attempt(check, value) || run.report(rule, wanted, "this one does");
  }],
  ["if", (_, __, site) => {
    const condition = site.here("if");
    const branchOf = (name: string) => site.get(name) === undefined ? undefined : site.here(name);
    const [then, otherwise] = [branchOf("then"), branchOf("else")];
    if (!then && !otherwise && !site.tracked) return undefined;
    return (value, run) => {
      const branch = run.attempt(condition, value) ? then : otherwise;
      return branch === undefined || branch(value, run);
    };
  }],
  ["$ref", (_, rule, site) => site.reference(rule)],
  ["$dynamicRef", (_, rule, site) => site.reference(rule)],
];

/** The keywords for each type, and those for all values. Cheap ones are first, because they limit the cost of the others. */
export const KEYWORDS: Readonly<
  Record<"string" | "number" | "object" | "array" | "all", readonly Keyword[]>
> = {
  string: STRINGS,
  number: NUMBERS,
  object: OBJECTS,
  array: ARRAYS,
  all: ALL_VALUES,
};

/** `unevaluatedProperties` and `unevaluatedItems`. They run after all others. An outer schema may track what was evaluated. */
export function unevaluated(site: Site, others: Check, isOuterTracked: boolean): Check {
  const itemCheck = site.get("unevaluatedItems") === undefined ? undefined : site.below("unevaluatedItems");
  const memberCheck = belowOrNone(site, "unevaluatedProperties");
  return (value, run) => {
    const outer = run.seen;
    // Skip the entries of outer schemas at the front.
    const seen = run.seen = isOuterTracked ? outer! : [];
    const start = seen.length;
    let fits = others(value, run);
    const isArray = Array.isArray(value);
    const check = isArray ? itemCheck : isObject(value) ? memberCheck : undefined;
    if (check && (fits || run.collecting) && !seen.includes(ALL, start)) {
      const known = seen.length - start > FEW ? new Set(seen.slice(start)) : undefined;
      for (const token of isArray ? value.keys() : membersOf(value as JsonObject)) {
        run.spend(isArray ? 1 : MEMBER_STEPS);
        if (known ? known.has(token) : seen.includes(token, start)) continue;
        if (run.descend(check, (value as JsonObject)[token], token)) continue;
        fits = false;
        if (!run.collecting) break;
      }
      seen.push(ALL);
    }
    run.seen = outer;
    return fits;
  };
}
