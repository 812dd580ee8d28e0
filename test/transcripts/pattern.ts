/** Values with variables, and patterns that messages are matched against. README.md describes both. */

import assert from "node:assert/strict";
import { isDeepStrictEqual } from "node:util";

/** A JSON value. */
export type Json = null | boolean | number | string | readonly Json[] | Members;
/** A JSON object. */
export type Members = { readonly [name: string]: Json };

/** What a step can refer to. */
export interface Scope {
  readonly revision: string;
  readonly variables: Record<string, Json>;
}

const ABSENT = Symbol("absent");
type Operator = (operand: never, scope: Scope) => Json | typeof ABSENT;

/** The operators that stand for a value, in what is sent and in what is expected. */
const VALUES: Readonly<Record<string, Operator>> = {
  $since: (rows: Members, scope) => {
    const revision = Object.keys(rows).filter((since) => since <= scope.revision).sort().at(-1);
    return revision === undefined ? ABSENT : resolve(rows[revision]!, scope);
  },
  $repeat: ([text, count]: [string, number]) => text.repeat(count),
  $map: ([list, template]: [Json, Json], scope) => {
    const items = fill(list, scope);
    return Array.from(
      typeof items === "number" ? { length: items } : items as Json[],
      (item, index) => {
        const variables = { ...scope.variables, item: item ?? null, index, number: `${index}` };
        return fill(template, { ...scope, variables });
      },
    );
  },
  $member: ([object, name]: [Json, Json], scope) =>
    (fill(object, scope) as Members)[fill(name, scope) as string] ?? ABSENT,
  $join: (parts: Json[], scope) => parts.map((part) => fill(part, scope)).join(""),
  $replace: ([text, regex, by]: [Json, string, string], scope) =>
    (fill(text, scope) as string).replace(new RegExp(regex, "u"), by),
  $with: ([base, more]: [Json, Json], scope) => ({
    ...fill(base, scope) as Members,
    ...fill(more, scope) as Members,
  }),
};

/** Replaces variables and operators that stand for a value; operators that match are left in place. */
export function fill(value: Json, scope: Scope): Json {
  const filled = resolve(value, scope);
  return filled === ABSENT ? null : filled;
}

function resolve(value: Json, scope: Scope): Json | typeof ABSENT {
  if (typeof value === "string") {
    if (!/^\$[a-z]\w*(\.[\w-]+)*$/i.test(value) || value === "$any" || value === "$more") return value;
    const [name, ...path] = value.slice(1).split(".");
    assert.ok(name! in scope.variables, `There is no variable ${name}`);
    return path.reduce((inner, member) => (inner as Members)[member]!, scope.variables[name!]!);
  }
  if (Array.isArray(value)) {
    return value.map((item) => resolve(item, scope)).filter((item) => item !== ABSENT);
  }
  if (typeof value !== "object" || value === null) return value;
  const operator = operatorOf(value as Members);
  if (operator && Object.hasOwn(VALUES, operator)) {
    return VALUES[operator]!((value as Members)[operator] as never, scope);
  }
  const members = Object.entries(value as Members).map(([name, member]) =>
    [name, resolve(member, scope)] as const
  );
  return Object.fromEntries(members.filter(([, member]) => member !== ABSENT)) as Members;
}

function operatorOf(value: Members): string | undefined {
  const names = Object.keys(value);
  return names.length === 1 && names[0]!.startsWith("$") && names[0] !== "$more" ? names[0] : undefined;
}

/** Fails unless a value is what a pattern says. Stores what the pattern saves. */
export function expectMatch(pattern: Json, actual: unknown, scope: Scope, what: string): void {
  const problem = mismatch(fill(pattern, scope), actual, scope, "");
  if (problem === undefined) return;
  assert.fail(`${what}: ${problem}\nexpected ${show(fill(pattern, scope))}\nactual   ${show(actual)}`);
}

/** Whether a value is what a filled pattern says. */
export function matches(pattern: Json, actual: unknown, scope: Scope): boolean {
  return mismatch(pattern, actual, scope, "") === undefined;
}

/** The first place where a value is not what a filled pattern says; undefined where there is none. */
function mismatch(pattern: Json, actual: unknown, scope: Scope, at: string): string | undefined {
  const failed = (why: string) => `${at || "/"} ${why}`;
  if (pattern === "$any") return actual === undefined ? failed("is missing") : undefined;
  if (Array.isArray(pattern)) {
    if (!Array.isArray(actual)) return failed("is no array");
    const isOpen = pattern.at(-1) === "$more";
    const count = pattern.length - (isOpen ? 1 : 0);
    if (isOpen ? actual.length < count : actual.length !== count) {
      return failed(`has ${actual.length} items, not ${count}`);
    }
    return first(count, (index) => mismatch(pattern[index]!, actual[index], scope, `${at}/${index}`));
  }
  if (typeof pattern !== "object" || pattern === null) {
    return Object.is(pattern, actual) ? undefined : failed(`is ${show(actual)}, not ${show(pattern)}`);
  }
  const members = pattern as Members;
  const operator = operatorOf(members);
  if (operator) return matchOperator(operator, members[operator]!, actual, scope, at);
  if (typeof actual !== "object" || actual === null || Array.isArray(actual)) return failed("is no object");
  const { $more, ...expected } = members;
  const strange = Object.keys(actual).find((name) => !Object.hasOwn(expected, name));
  if (strange !== undefined && !$more) return failed(`has a member ${show(strange)}`);
  const names = Object.keys(expected);
  return first(names.length, (index) => {
    const name = names[index]!;
    return mismatch(expected[name]!, (actual as Record<string, unknown>)[name], scope, `${at}/${name}`);
  });
}

function matchOperator(
  operator: string,
  operand: Json,
  actual: unknown,
  scope: Scope,
  at: string,
): string | undefined {
  const failed = (why: string) => `${at || "/"} ${why}`;
  const list = () => Array.isArray(actual) ? actual : [];
  switch (operator) {
    case "$match":
      return typeof actual === "string" && new RegExp(operand as string, "u").test(actual)
        ? undefined
        : failed(`is ${show(actual)}, which does not match /${operand}/`);
    case "$not":
      return mismatch(operand, actual, scope, at) === undefined ? failed(`is ${show(actual)}`) : undefined;
    case "$absent":
      return actual === undefined ? undefined : failed("is present");
    case "$save":
      if (actual === undefined) return failed("is missing");
      scope.variables[operand as string] = actual as Json;
      return undefined;
    case "$all": // Every one of several patterns.
      return first(
        (operand as Json[]).length,
        (index) => mismatch((operand as Json[])[index]!, actual, scope, at),
      );
    case "$every": // Every item of an array.
      if (!Array.isArray(actual)) return failed("is no array");
      return first(actual.length, (index) => mismatch(operand, actual[index], scope, `${at}/${index}`));
    case "$has": { // An array that has an item for each pattern.
      const missing = (operand as Json[]).find((one) =>
        !list().some((item) => mismatch(one, item, scope, at) === undefined)
      );
      return missing === undefined ? undefined : failed(`has no item ${show(missing)}`);
    }
    case "$set": // An array with an item for each pattern, in any order, and no others.
      if (list().length !== (operand as Json[]).length) return failed(`has ${list().length} items`);
      return unmatched(operand as Json[], list(), scope) === undefined
        ? undefined
        : failed("has other items");
    case "$count":
      return Array.isArray(actual) || typeof actual === "string"
        ? mismatch(operand, actual.length, scope, `${at}/length`)
        : failed("has no length");
    case "$least":
      return typeof actual === "number" && actual >= (operand as number)
        ? undefined
        : failed(`is ${show(actual)}`);
    case "$json": // A text that is JSON.
      return typeof actual === "string"
        ? mismatch(operand, JSON.parse(actual), scope, `${at}(JSON)`)
        : failed("is no text");
    case "$text": // The JSON of a value, as a text.
      return mismatch(operand, JSON.stringify(actual), scope, `${at}(as JSON)`);
    case "$is": // Exactly this value, operators and all.
      return isDeepStrictEqual(operand, actual) ? undefined : failed(`is ${show(actual)}`);
    default:
      throw new Error(`There is no operator ${operator}`);
  }
}

/** Whether items match patterns one to one, in any order; the first pattern without an item otherwise. */
export function unmatched(
  patterns: readonly Json[],
  items: readonly unknown[],
  scope: Scope,
): Json | undefined {
  const left = [...items];
  return patterns.find((pattern) => {
    const index = left.findIndex((item) => mismatch(fill(pattern, scope), item, scope, "") === undefined);
    if (index >= 0) left.splice(index, 1);
    return index < 0;
  });
}

function first(count: number, check: (index: number) => string | undefined): string | undefined {
  for (let index = 0; index < count; index++) {
    const problem = check(index);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function show(value: unknown): string {
  const text = JSON.stringify(value) ?? "nothing";
  return text.length > 2000 ? `${text.slice(0, 2000)}…` : text;
}
