/** Of which type are the values that fit? Read off a schema that is written down as a literal; `unknown` is for the rest. */

/**
 * The type of the values that fit a schema, which is given with `as const`.
 *
 * It is never narrower than the schema. What it cannot tell is `unknown`: conditions, patterns, references that lead
 * elsewhere than to `$defs`, and all that is said about a value whose `type` is not said. A schema may refer to itself, but
 * not from `prefixItems`: that is too deep for the compiler.
 *
 * @typeParam S The type of the schema.
 * @typeParam Root The type of the schema around it, whose `$defs` are referred to.
 *
 * @example
 * ```ts
 * import type { FromSchema, Schema } from "@architrave/architrave/schema";
 *
 * const schema = {
 *   type: "object",
 *   properties: { query: { type: "string" }, limit: { type: "integer" } },
 *   required: ["query"],
 * } as const satisfies Schema;
 *
 * const found: FromSchema<typeof schema> = { query: "queues" };
 * ```
 */
export type FromSchema<S, Root = S> = S extends true ? unknown
  : S extends false ? never
  : S extends object ?
      & (S extends { readonly const: infer Value } ? Value : unknown)
      & (S extends { readonly enum: readonly (infer Value)[] } ? Value : unknown)
      & (S extends { readonly type: infer Types }
        ? (Types extends readonly (infer Type)[] ? Type : Types) extends infer Type
          // One type at a time.
          ? Type extends "string" ? string
          : Type extends "number" | "integer" ? number
          : Type extends "boolean" ? boolean
          : Type extends "null" ? null
          : Type extends "array"
            ? S extends { readonly prefixItems: infer Items extends readonly unknown[] } ? [
                // An array may end before the items that have a schema each, unless it says how many there are.
                ...S extends { readonly minItems: Items["length"] }
                  ? { -readonly [Index in keyof Items]: FromSchema<Items[Index], Root> }
                  : { -readonly [Index in keyof Items]?: FromSchema<Items[Index], Root> },
                ...S extends { readonly items: infer Item }
                  ? Item extends false ? [] : FromSchema<Item, Root>[]
                  : unknown[],
              ]
            : S extends { readonly items: infer Item } ? Item extends false ? [] : FromSchema<Item, Root>[]
            : unknown[]
          : Type extends "object" ? (
              & (S extends { readonly required: readonly (infer Name extends string)[] } ? {
                  [Key in Name]: S extends { readonly properties: { readonly [K in Key]: infer Member } }
                    ? FromSchema<Member, Root>
                    : unknown;
                }
                : unknown)
              & (S extends { readonly properties: infer Members }
                ? { -readonly [Key in keyof Members]?: FromSchema<Members[Key], Root> }
                : unknown)
              & (S extends { readonly patternProperties: unknown } ? unknown
                : S extends { readonly additionalProperties: infer Other extends object }
                // Their type has to leave room for the members that are named.
                  ? {
                    [name: string]:
                      | FromSchema<Other, Root>
                      | (S extends { readonly properties: infer Members }
                        ? FromSchema<Members[keyof Members], Root> | undefined
                        : never);
                  }
                : S extends { readonly properties: unknown } | { readonly additionalProperties: false }
                  ? unknown
                : { [name: string]: unknown })
            ) extends infer Members ? { [Key in keyof Members]: Members[Key] } : never
          : unknown
        : never
        : unknown)
      & (S extends { readonly anyOf: readonly (infer Branch)[] } ? FromSchema<Branch, Root> : unknown)
      & (S extends { readonly oneOf: readonly (infer Branch)[] } ? FromSchema<Branch, Root> : unknown)
      & (S extends { readonly allOf: readonly (infer Branch)[] }
        // Functions that take each of them are functions that take all of them at once.
        ? (Branch extends unknown ? (value: FromSchema<Branch, Root>) => void : never) extends
          (value: infer All) => void ? All
        : never
        : unknown)
      & (S extends { readonly $ref: "#" } ? FromSchema<Root, Root>
        : S extends { readonly $ref: `#/$defs/${infer Name}` }
          ? Root extends { readonly $defs: { readonly [Key in Name]: infer Target } }
            ? FromSchema<Target, Root>
          : unknown
        : unknown)
  : unknown;
