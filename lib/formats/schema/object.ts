/** Writes the schema of an object in short. */

import type { Schemas } from "./schema.ts";

/** The schema of an object: JSON Schema as plain data. */
export type ObjectSchema<Required extends Schemas, Optional extends Schemas> = {
  /** Always an object. */
  readonly type: "object";
  /** The schemas of all members. */
  readonly properties: Required & Optional;
  /** The names of the members that must be there. */
  readonly required: readonly (keyof Required & string)[];
};

/**
 * The schema of an object with these members, for `inputSchema`, `outputSchema`, forms and other members. The second argument has the
 * members that may be missing.
 *
 * @example
 * ```ts
 * import { object } from "@architrave/architrave/schema";
 *
 * const schema = object({ path: { type: "string" } }, { limit: { type: "integer" } });
 * ```
 */
export function object<
  const Required extends Schemas,
  const Optional extends Schemas = Readonly<Record<never, never>>,
>(required: Required, optional?: Optional): ObjectSchema<Required, Optional> {
  const properties = { ...required, ...optional } as Required & Optional;
  return { type: "object", properties, required: Object.keys(required) };
}
