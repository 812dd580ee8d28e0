/** Converts the values of tools to JSON. */

import { isObject } from "../../base/json.ts";
import { oneLine, reasonOf } from "../../base/text.ts";

/** A valid value, which the check may have transformed; or its problems, one sentence each. */
export type CheckResult = { readonly value: unknown } | { readonly problems: readonly string[] };

/**
 * Converts a value to what its JSON text says, so that the value that is checked is the one that is sent. It is undefined if JSON
 * leaves it out, like a function. Unless `isWrapped`, it must be an object. A value that is plain JSON is not copied.
 */
export function toJson(value: unknown, isWrapped: boolean): CheckResult {
  try {
    let json = value;
    if (!isJson(value, 0)) {
      const text: string | undefined = JSON.stringify(value);
      json = text === undefined ? undefined : JSON.parse(text);
    }
    if (isWrapped || isObject(json)) return { value: json };
    return { problems: ["Expected an object, but it is written as something else."] };
  } catch (cause) {
    return { problems: [oneLine(`Cannot be written as JSON: ${reasonOf(cause)}`)] };
  }
}

/** The maximum depth that is checked here. Deeper values and cycles are left to `JSON.stringify`. */
const MAX_LEVELS = 100;

/** Whether a value is plain JSON, apart from members that are undefined. */
function isJson(value: unknown, level: number): boolean {
  if (typeof value === "number") return Number.isFinite(value);
  if (typeof value !== "object") return !["bigint", "function", "symbol"].includes(typeof value);
  if (value === null) return true;
  if (level > MAX_LEVELS || typeof (value as { toJSON?: unknown }).toJSON === "function") return false;
  const isArray = Array.isArray(value);
  const prototype = Object.getPrototypeOf(value);
  if (!isArray && prototype !== Object.prototype && prototype !== null) return false;
  // Iterating over an array includes its holes.
  for (const member of isArray ? value : Object.values(value)) {
    if ((isArray && member === undefined) || !isJson(member, level + 1)) return false;
  }
  return true;
}
