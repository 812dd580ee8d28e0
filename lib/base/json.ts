/** JSON values: own and optional members, canonical text, deep freezing. */

import { attempt } from "./text.ts";

/** A JSON object. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** Whether a value is an object: not an array, null or a primitive value. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function asObject(value: unknown): JsonObject {
  return isObject(value) ? value : {};
}

export function asArray(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

export function asString(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

/** The value of a JSON text; undefined if the text is not JSON. */
export function tryParse(text: string): unknown {
  return attempt(() => JSON.parse(text));
}

/** An own member of an object, or an item of an array; never an inherited one. */
export function own(value: object, key: string): unknown {
  return Object.hasOwn(value, key) ? (value as JsonObject)[key] : undefined;
}

/** An object type in which members that may be undefined are optional instead. */
export type Compact<T> =
  & { [K in keyof T as undefined extends T[K] ? never : K]: T[K] }
  & { [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined> };

/** A copy of an object without undefined members. */
export function compact<T extends object>(object: T): Compact<T> {
  const compacted: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(object)) if (value !== undefined) compacted[key] = value;
  return compacted as Compact<T>;
}

/** A copy of a JSON value whose strings are not slices: a slice keeps the whole source string in memory on V8. */
export function detached<T>(value: T): T {
  return value === undefined ? value : JSON.parse(JSON.stringify(value));
}

/** JSON text in which invisible characters and terminal control characters are escaped. */
export function visibleJson(value: unknown, indent: number = 0): string {
  return JSON.stringify(value, null, indent).replace(
    /[\x7f-\x9f\u2028\u2029\p{Cf}\p{Default_Ignorable_Code_Point}]/gu,
    (found) =>
      found.split("").map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`).join(""),
  );
}

/** JSON text with sorted member names, so that equal values have equal texts. */
export function canonical(value: unknown): string {
  return JSON.stringify(
    value,
    (_key, member: unknown) =>
      isObject(member)
        ? Object.fromEntries(Object.entries(member).sort(([left], [right]) => left < right ? -1 : 1))
        : member,
  );
}

/** Whether objects and arrays in a value are nested deeper than `levels`. */
export function isTooDeep(value: unknown, levels: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  return levels === 0 || Object.values(value).some((one) => isTooDeep(one, levels - 1));
}

/**
 * Deeply freezes plain objects and arrays, and skips other objects. With `refuse`, it rejects other objects, because a frozen date
 * or map can still change. It also rejects what is deeper than `depth`, which stops cycles.
 */
export function freeze<T>(value: T, refuse?: (what: string) => never, depth: number = Infinity): T {
  if (typeof value !== "object" || value === null || (!refuse && Object.isFrozen(value))) return value;
  if (depth < 0) refuse?.("a value that is too deep");
  const prototype: unknown = Object.getPrototypeOf(value);
  // The prototype of a plain object has no prototype.
  if (prototype !== null && !Array.isArray(value) && Object.getPrototypeOf(prototype) !== null) {
    refuse?.(`a ${value.constructor.name}, which can still change`);
    return value;
  }
  // List the members first: listing those of a frozen object is slower.
  const members = Object.values(value);
  Object.freeze(value);
  for (const member of members) {
    if (typeof member === "object") freeze(member, refuse, depth - 1);
  }
  return value;
}
