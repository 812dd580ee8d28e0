/** What can nobody change any more? */

/** Freezes data all the way down; functions and objects of libraries are left alone. */
export function freeze<T>(value: T): T {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value;
  const prototype = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== Array.prototype && prototype !== null) return value;
  Object.freeze(value);
  for (const member of Object.values(value)) freeze(member);
  return value;
}
