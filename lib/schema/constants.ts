/** Is a value one of those that the schema lists? */

import type { Check } from "./run.ts";
import type { Site } from "./site.ts";
import { isEqual } from "./equality.ts";
import { describe, quote, quoteList } from "./issue.ts";
import { MAX_NESTING } from "./options.ts";
import { SchemaError } from "./schema_error.ts";
import { isPrimitive } from "./value.ts";

/** Compiles `const` and `enum`. */
export function compileConstants(site: Site): Check[] {
  const checks: Check[] = [];
  const expected = site.say("const");
  if (expected !== undefined) checks.push(compileConst(site, expected));
  const values = site.say("enum") as readonly unknown[] | undefined;
  if (values !== undefined) checks.push(compileEnum(site, values));
  return checks;
}

function compileConst(site: Site, expected: unknown): Check {
  refuseStrange(site, "const", expected);
  const rule = site.rule("const");
  const wanted = quote(expected);
  return (value, run) =>
    isEqual(expected, value) || run.collecting &&
      run.report(rule, `Expected ${wanted}, but got ${another(expected, value)}.`);
}

function compileEnum(site: Site, values: readonly unknown[]): Check {
  refuseStrange(site, "enum", values);
  const primitives = new Set(values.filter(isPrimitive));
  const others = values.filter((value) => !isPrimitive(value));
  const rule = site.rule("enum");
  const wanted = values.length === 0 ? "nothing at all" : quoteList(values, "or");
  const isListed = (value: unknown): boolean =>
    isPrimitive(value) ? primitives.has(value) : others.some((other) => isEqual(other, value));
  return (value, run) =>
    isListed(value) || run.collecting &&
      run.report(rule, `Expected ${wanted}, but got ${another(values[0], value)}.`);
}

/** What came, told apart from something of the same type that would have fitted. */
function another(expected: unknown, value: unknown): string {
  const came = describe(value);
  return came === describe(expected) ? `another ${came.replace(/^an? /, "")}` : came;
}

/** Comparing goes as deep as what is listed, and issues quote it. */
function refuseStrange(site: Site, keyword: string, value: unknown): void {
  const { schemaPath } = site.rule(keyword);
  const walk = (value: unknown, depth: number): void => {
    if (depth > MAX_NESTING) throw new SchemaError(schemaPath, `nests deeper than ${MAX_NESTING} levels`);
    if (!isPrimitive(value)) {
      for (const member of Object.values(value as object)) walk(member, depth + 1);
    } else if (
      value !== null && !["string", "boolean", "undefined"].includes(typeof value) && !Number.isFinite(value)
    ) {
      throw new SchemaError(schemaPath, `holds ${describe(value)}, which is no JSON`);
    }
  };
  walk(value, 0);
}
