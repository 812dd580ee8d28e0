/** Writes the schema of an object in short. */

import type { Schema, TypeName } from "./schema.ts";

/** The members of an object: their schemas, or only their types. */
export type ObjectMembers = { readonly [name: string]: Schema | TypeName };

/** The schema of an object: JSON Schema as plain data. */
export type ObjectSchema<Required extends ObjectMembers, Optional extends ObjectMembers> = {
  /** Always an object. */
  readonly type: "object";
  /** The schemas of all members. */
  readonly properties: {
    readonly [Name in keyof (Required & Optional)]: (Required & Optional)[Name] extends infer Member
      ? Member extends TypeName ? { readonly type: Member } : Member
      : never;
  };
  /** The names of the members that must be there. */
  readonly required: readonly (keyof Required & string)[];
};

/**
 * The schema of an object with these members, for `inputSchema`, `outputSchema`, forms and other members. The second argument has the
 * members that may be missing. `"integer"` is short for `{ type: "integer" }`.
 *
 * @example
 * ```ts
 * import { object } from "@architrave/architrave/schema";
 *
 * const schema = object({ path: "string" }, { limit: { type: "integer", minimum: 1 } });
 * ```
 */
export function object<
  const Required extends ObjectMembers,
  const Optional extends ObjectMembers = Readonly<Record<never, never>>,
>(required: Required, optional?: Optional): ObjectSchema<Required, Optional> {
  const members = Object.entries({ ...required, ...optional });
  const properties = Object.fromEntries(
    members.map(([name, member]) => [name, typeof member === "string" ? { type: member } : member]),
  );
  return { type: "object", properties: properties as never, required: Object.keys(required) };
}
