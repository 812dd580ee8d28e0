/** What is in a JSON value? Only what JSON would write down: own members that are not undefined. */

import type { JsonObject } from "../base/json.ts";

/** Whether a value is neither an object nor an array. */
export function isPrimitive(value: unknown): boolean {
  return typeof value !== "object" || value === null;
}

/** Whether an object has a member. What every object inherits is none. */
export function hasMember(object: JsonObject, name: string): boolean {
  return object[name] !== undefined && Object.hasOwn(object, name);
}

/** The names of all members. */
export function membersOf(object: JsonObject): readonly string[] {
  const names = Object.keys(object);
  for (const name of names) {
    if (object[name] === undefined) return names.filter((name) => object[name] !== undefined);
  }
  return names;
}

/** How many members there are, counted up to one more than is asked for. */
export function countMembers(object: JsonObject, most: number): number {
  let count = 0;
  for (const name in object) {
    if (hasMember(object, name) && ++count > most) break;
  }
  return count;
}
