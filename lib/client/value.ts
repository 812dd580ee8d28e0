/** What did the server send? Nothing of it is trusted to have the shape that it should have. */

import { isObject } from "../base/json.ts";

/** An object as it came: any members, any values. */
export type Members = Readonly<Record<string, unknown>>;

/** A member that is an object; an empty one where it is not. */
export function objectIn(value: Members, key: string): Members {
  const member = Object.hasOwn(value, key) ? value[key] : undefined;
  return isObject(member) ? member : {};
}

/** A member that is text. */
export function textIn(value: Members, key: string): string | undefined {
  const member = Object.hasOwn(value, key) ? value[key] : undefined;
  return typeof member === "string" ? member : undefined;
}

/** The texts in a list; empty for anything that is no list. */
export function textsOf(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === "string") : [];
}
