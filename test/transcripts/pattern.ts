/** Values with variables, and patterns that messages are matched against. README.md describes both. */

import assert from "node:assert/strict";

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

/** Whether items match patterns one to one, in any order; the first pattern without an item otherwise. */
export function unmatched(
  patterns: readonly Json[],
  items: readonly unknown[],
  scope: Scope,
): Json | undefined {
  const left = [...items];
  return patterns.find((pattern) => {
    const index = left.findIndex((item) => matches(fill(pattern, scope), item, scope));
    if (index >= 0) left.splice(index, 1);
    return index < 0;
  });
}

/** Whether a value is what the operand says, or the first problem within it. */
type Matcher = (operand: never, actual: unknown, scope: Scope, at: string) => boolean | string | undefined;

/** The operators that match. */
const MATCHERS: Readonly<Record<string, Matcher>> = {
  $match: (regex: string, actual) => typeof actual === "string" && new RegExp(regex, "u").test(actual),
  $not: (pattern: Json, actual, scope) => !matches(pattern, actual, scope),
  $absent: (_, actual) => actual === undefined,
  $save: (name: string, actual, scope) => {
    if (actual !== undefined) scope.variables[name] = actual as Json;
    return actual !== undefined;
  },
  $all: (patterns: Json[], actual, scope, at) =>
    first(patterns, (pattern) => mismatch(pattern, actual, scope, at)),
  $every: (pattern: Json, actual, scope, at) =>
    Array.isArray(actual) && first(actual, (item, index) => mismatch(pattern, item, scope, `${at}/${index}`)),
  $has: (patterns: Json[], actual, scope) =>
    Array.isArray(actual) &&
    patterns.every((pattern) => actual.some((item) => matches(pattern, item, scope))),
  $set: (patterns: Json[], actual, scope) =>
    Array.isArray(actual) && actual.length === patterns.length &&
    unmatched(patterns, actual, scope) === undefined,
  $count: (pattern: Json, actual, scope, at) =>
    (Array.isArray(actual) || typeof actual === "string") &&
    mismatch(pattern, actual.length, scope, `${at}/length`),
  $least: (least: number, actual) => typeof actual === "number" && actual >= least,
  $json: (pattern: Json, actual, scope, at) =>
    typeof actual === "string" && mismatch(pattern, JSON.parse(actual), scope, `${at}(JSON)`),
  $text: (pattern: Json, actual, scope, at) =>
    mismatch(pattern, JSON.stringify(actual), scope, `${at}(as JSON)`),
};

/** The first place where a value is not what a filled pattern says; undefined where there is none. */
function mismatch(pattern: Json, actual: unknown, scope: Scope, at: string): string | undefined {
  const failed = (why: string) => `${at || "/"} ${why}`;
  if (pattern === "$any") return actual === undefined ? failed("is missing") : undefined;
  if (Array.isArray(pattern)) {
    if (!Array.isArray(actual)) return failed("is no array");
    const isOpen = pattern.at(-1) === "$more";
    const items = isOpen ? pattern.slice(0, -1) : pattern;
    if (isOpen ? actual.length < items.length : actual.length !== items.length) {
      return failed(`has ${actual.length} items, not ${items.length}`);
    }
    return first(items, (item, index) => mismatch(item, actual[index], scope, `${at}/${index}`));
  }
  if (typeof pattern !== "object" || pattern === null) {
    return Object.is(pattern, actual) ? undefined : failed(`is ${show(actual)}, not ${show(pattern)}`);
  }
  const members = pattern as Members;
  const operator = operatorOf(members);
  if (operator) {
    assert.ok(Object.hasOwn(MATCHERS, operator), `There is no operator ${operator}`);
    const problem = MATCHERS[operator]!(members[operator] as never, actual, scope, at);
    if (problem === false) return failed(`is ${show(actual)}, not ${show(pattern)}`);
    return problem === true ? undefined : problem;
  }
  if (typeof actual !== "object" || actual === null || Array.isArray(actual)) return failed("is no object");
  const { $more, ...expected } = members;
  const strange = Object.keys(actual).find((name) => !Object.hasOwn(expected, name));
  if (strange !== undefined && !$more) return failed(`has a member ${show(strange)}`);
  return first(
    Object.keys(expected),
    (name) => mismatch(expected[name]!, (actual as Record<string, unknown>)[name], scope, `${at}/${name}`),
  );
}

/** The first problem of any item. */
function first<T>(
  items: readonly T[],
  check: (item: T, index: number) => string | undefined,
): string | undefined {
  for (const [index, item] of items.entries()) {
    const problem = check(item, index);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

/** A value in a message of the runner. */
export function show(value: unknown): string {
  const text = JSON.stringify(value) ?? "nothing";
  return text.length > 2000 ? `${text.slice(0, 2000)}…` : text;
}
