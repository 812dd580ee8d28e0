/** The public types: schemas, the types of values that match them, options, issues and errors. */

/** The type names of JSON Schema. */
export type TypeName = "null" | "boolean" | "object" | "array" | "number" | "integer" | "string";

/** A schema. True accepts every value, false accepts no value. */
export type Schema = boolean | SchemaObject;

/** Schemas by name. */
export type Schemas = { readonly [name: string]: Schema };

/** A schema with keywords (https://json-schema.org/draft/2020-12). Unknown keywords are ignored. */
export interface SchemaObject extends
  Readonly<
    Partial<
      & Record<"$schema" | "$id" | "$anchor" | "$dynamicAnchor" | "$ref" | "$dynamicRef" | "$comment", string>
      & Record<"title" | "description" | "format" | "pattern", string>
      & Record<"contentEncoding" | "contentMediaType", string>
      & Record<"maximum" | "exclusiveMaximum" | "minimum" | "exclusiveMinimum" | "multipleOf", number>
      & Record<`${"max" | "min"}${"Length" | "Items" | "Contains" | "Properties"}`, number>
      & Record<"uniqueItems" | "deprecated" | "readOnly" | "writeOnly", boolean>
      & Record<"items" | "contains" | "unevaluatedItems" | "contentSchema", Schema>
      & Record<"propertyNames" | "additionalProperties" | "unevaluatedProperties", Schema>
      & Record<"not" | "if" | "then" | "else", Schema>
      & Record<"allOf" | "anyOf" | "oneOf" | "prefixItems", readonly Schema[]>
      & Record<"$defs" | "properties" | "patternProperties" | "dependentSchemas", Schemas>
      & Record<"enum" | "examples", readonly unknown[]>
    >
  > {
  /** The allowed types. */
  readonly type?: TypeName | readonly TypeName[];
  /** Names of members that must be present. */
  readonly required?: readonly string[];
  /** Names of members that are required if another member is present. */
  readonly dependentRequired?: { readonly [name: string]: readonly string[] };
  /** Any other keyword, for example `const` and `default`. */
  readonly [keyword: string]: unknown;
}

/**
 * The type of the values that match a schema that is declared `as const`.
 *
 * It is never narrower than the schema. What TypeScript cannot express is `unknown`: conditions, patterns, references to
 * anything except `$defs`, and schemas without `type`. A schema of the type `any` gives `any`. A schema may refer to itself, but
 * not from `prefixItems`: that is too deep for the compiler.
 *
 * @typeParam S The type of the schema.
 * @typeParam Root The type of the root schema, which has the `$defs`.
 *
 * @example
 * ```ts
 * import type { FromSchema, Schema } from "@architrave/architrave/schema";
 *
 * const schema = { type: "object", properties: { limit: { type: "integer" } } } as const satisfies Schema;
 * const found: FromSchema<typeof schema> = { limit: 10 };
 * ```
 */
// deno-lint-ignore no-explicit-any -- only `any` is that; it would take every branch below, without end
export type FromSchema<S, Root = S> = 0 extends 1 & S ? any
  : S extends true ? unknown
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
                // An array may be shorter than `prefixItems`, unless `minItems` forbids that.
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
                // Their type must include those of the named members.
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
        // Inferring the parameter of a union of functions gives the intersection of their parameters.
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

/** Options of `compileSchema()`. */
export interface SchemaOptions {
  /** Whether `format` is checked. Unknown formats are always ignored. @default {false} */
  readonly formats?: boolean | undefined;
  /** The maximum number of issues to report. @default {100} */
  readonly maxIssues?: number | undefined;
  /** The maximum number of steps of a check: one per item or branch, four per member. @default {10000000, some seconds at worst} */
  readonly maxSteps?: number | undefined;
  /**
   * Called with each pattern that cannot be matched in linear time and is therefore not checked: it has a back reference,
   * flags in a group, or more than 20,000 states. Use it for untrusted schemas. @default {the runtime matches the pattern}
   */
  readonly onskip?: ((pattern: string) => void) | undefined;
}

/** A mismatch between a value and its schema. */
export interface Issue {
  /** JSON pointer to the mismatch in the value, cut after a whole token to at most 1,000 characters. */
  readonly path: string;
  /** The keyword that failed, or the limit that ended the check. */
  readonly keyword: string;
  /** JSON pointer to the keyword in the schema, prefixed with the URI of a meta-schema; "" if a limit ended the check. */
  readonly schemaPath: string;
  /** One sentence: the expected and the actual value. It never quotes the value. */
  readonly message: string;
}

/** Thrown for a schema that is not valid JSON Schema 2020-12 or cannot be compiled. */
export class SchemaError extends Error {
  /** Names the class in logs. */
  override readonly name = "SchemaError";
  /** JSON pointer to the mistake, from the root of the schema. */
  readonly pointer: string;

  /** The reason completes the sentence "Cannot compile the schema: /x …". */
  constructor(pointer: string, reason: string, options?: ErrorOptions) {
    super(`Cannot compile the schema: ${pointer === "" ? "its root" : pointer} ${reason}`, options);
    this.pointer = pointer;
  }
}
