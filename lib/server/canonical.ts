/** When do two values say the same? When their canonical texts are equal. */

import { isObject } from "./params.ts";

/** JSON whose members are in order, so that what says the same is the same. */
export function canonical(value: unknown): string {
  return JSON.stringify(
    value,
    (_key, member: unknown) =>
      isObject(member)
        ? Object.fromEntries(Object.entries(member).sort(([left], [right]) => left < right ? -1 : 1))
        : member,
  );
}
