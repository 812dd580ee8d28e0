/** Which keywords apply to which value? Each looks at values of one type, and lets all others pass. */

import type { TypeName } from "./schema.ts";
import type { Check } from "./run.ts";
import type { Site } from "./site.ts";
import { compileArray } from "./arrays.ts";
import { describe, join } from "./issue.ts";
import { compileNumber } from "./numbers.ts";
import { compileObject } from "./objects.ts";
import { fitsAll, sequence } from "./site.ts";
import { compileString } from "./strings.ts";
import { isObject } from "../base/json.ts";

const NOUNS: Readonly<Record<TypeName, string>> = {
  null: "null",
  boolean: "a boolean",
  object: "an object",
  array: "an array",
  number: "a number",
  integer: "an integer",
  string: "a string",
};

/** What is asked of values of each type; `other` is for what no JSON text could mean. */
type ByType = Readonly<
  Record<"null" | "boolean" | "object" | "array" | "number" | "string" | "other", Check>
>;

/**
 * Compiles `type` and the keywords for each type.
 *
 * @param others Checks for values of every type, which come last.
 */
export function compileTypes(site: Site, others: readonly Check[]): Check {
  const said = site.say("type") as TypeName | readonly TypeName[] | undefined;
  const types = said === undefined ? undefined : typeof said === "string" ? [said] : said;
  const refuse = types ? refuseType(site, types) : fitsAll;
  const allow = (
    type: TypeName,
    compile: (site: Site) => readonly ((value: never, run: never) => boolean)[],
  ): Check => !types || types.includes(type) ? sequence([...compile(site) as Check[], ...others]) : refuse;
  const nothing = () => [];
  const checks: ByType = {
    null: allow("null", nothing),
    boolean: allow("boolean", nothing),
    object: allow("object", compileObject),
    array: allow("array", compileArray),
    number: allow(types?.includes("number") ? "number" : "integer", (site) => [
      // A number that JSON could not write down is of no type.
      ...types
        ? [types.includes("number") ? isOfType(Number.isFinite, refuse) : isOfType(Number.isInteger, refuse)]
        : [],
      ...compileNumber(site) as Check[],
    ]),
    string: allow("string", compileString),
    other: types ? refuse : sequence(others),
  };
  const [type, another] = types ?? [];
  return type !== undefined && another === undefined ? ofOneType(type, checks, refuse) : ofAnyType(checks);
}

function refuseType(site: Site, types: readonly TypeName[]): Check {
  const rule = site.rule("type");
  const wanted = join(types.map((type) => NOUNS[type]), "or");
  return (value, run) =>
    run.collecting && run.report(rule, `Expected ${wanted}, but got ${describe(value)}.`);
}

function isOfType(test: (value: unknown) => boolean, refuse: Check): Check {
  return (value, run) => test(value) || refuse(value, run);
}

/** Most schemas name one type: one question decides there. */
function ofOneType(type: TypeName, checks: ByType, refuse: Check): Check {
  const check = checks[type === "integer" ? "number" : type];
  if (type === "string" && check === fitsAll) {
    return (value, run) => typeof value === "string" || refuse(value, run);
  }
  switch (type) {
    case "string":
      return (value, run) => typeof value === "string" ? check(value, run) : refuse(value, run);
    case "number":
    case "integer":
      return (value, run) => typeof value === "number" ? check(value, run) : refuse(value, run);
    case "boolean":
      return (value, run) => typeof value === "boolean" ? check(value, run) : refuse(value, run);
    case "object":
      return (value, run) => isObject(value) ? check(value, run) : refuse(value, run);
    case "array":
      return (value, run) => Array.isArray(value) ? check(value, run) : refuse(value, run);
    case "null":
      return (value, run) => value === null ? check(value, run) : refuse(value, run);
  }
}

function ofAnyType(checks: ByType): Check {
  const { null: ofNull, boolean, object, array, number, string, other } = checks;
  return (value, run) => {
    switch (typeof value) {
      case "string":
        return string(value, run);
      case "number":
        return number(value, run);
      case "object":
        if (value === null) return ofNull(value, run);
        return Array.isArray(value) ? array(value, run) : object(value, run);
      case "boolean":
        return boolean(value, run);
      default:
        return other(value, run);
    }
  };
}
