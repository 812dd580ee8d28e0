/** Does checking end? Not where a schema refers to itself for the same value: it would be asked forever. */

import type { Entry } from "./compile.ts";
import { SchemaError } from "./schema_error.ts";

/**
 * Looks for schemas that are applied to a value inside themselves, or inside so many others that no value could be checked.
 *
 * @throws {SchemaError} When there is one.
 */
export function refuseCircles(entries: Iterable<Entry>, maxDepth: number): void {
  /** How many schemas are applied inside one another from here on; undefined while that is being found out. */
  const heights = new Map<Entry, number | undefined>();
  const measure = (entry: Entry, depth: number): number => {
    const { pointer, resource: { document } } = entry.node;
    if (heights.has(entry)) {
      const height = heights.get(entry);
      if (height !== undefined) return height;
      throw new SchemaError(
        document.prefix + pointer,
        "refers to itself for the same value: checking it would never end",
      );
    }
    heights.set(entry, undefined);
    let height = 1;
    for (const other of depth < maxDepth ? entry.here : []) {
      height = Math.max(height, 1 + measure(other, depth + 1));
    }
    if (depth + height > maxDepth) {
      throw new SchemaError(
        document.prefix + pointer,
        `is applied to the same value inside too many others, or they inside it: ${maxDepth} may be`,
      );
    }
    heights.set(entry, height);
    return height;
  };
  for (const entry of entries) measure(entry, 0);
}
