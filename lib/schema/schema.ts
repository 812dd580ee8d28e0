/** What is a schema? JSON Schema 2020-12 as a type, for schemas that are written down in a program. */

/** The types of JSON values, and `integer`. */
export type TypeName = "null" | "boolean" | "object" | "array" | "number" | "integer" | "string";

/** A schema: true fits every value, false none. */
export type Schema = boolean | SchemaObject;

/** Schemas by name. */
export type Schemas = { readonly [name: string]: Schema };

/**
 * A schema that says something. What a keyword means is in the specification; keywords that it does not name say nothing.
 *
 * @see https://json-schema.org/draft/2020-12
 */
export interface SchemaObject {
  /** The dialect: the one of 2020-12, or nothing. */
  readonly $schema?: string;
  /** The URI of this schema, without a fragment; what it holds is named relative to it. */
  readonly $id?: string;
  /** A name for this schema, for references with that fragment. */
  readonly $anchor?: string;
  /** The same, and the aim of a `$dynamicRef` from schemas that this one uses. */
  readonly $dynamicAnchor?: string;
  /** Another schema of this document that the value must fit too. */
  readonly $ref?: string;
  /** The same, with the outermost schema of that name in place of the nearest. */
  readonly $dynamicRef?: string;
  /** Schemas to refer to. */
  readonly $defs?: Schemas;
  /** A remark to those who read the schema. */
  readonly $comment?: string;
  /** The types that a value may have. */
  readonly type?: TypeName | readonly TypeName[];
  /** The only value. */
  readonly const?: unknown;
  /** The only values. */
  readonly enum?: readonly unknown[];
  /** What a number is a multiple of: more than 0. */
  readonly multipleOf?: number;
  /** The largest number. */
  readonly maximum?: number;
  /** A number that is too large, and so are all above. */
  readonly exclusiveMaximum?: number;
  /** The smallest number. */
  readonly minimum?: number;
  /** A number that is too small, and so are all below. */
  readonly exclusiveMinimum?: number;
  /** The length of the longest string, in code points. */
  readonly maxLength?: number;
  /** The length of the shortest string, in code points. */
  readonly minLength?: number;
  /** A regular expression that is found somewhere in the string. */
  readonly pattern?: string;
  /** What the string is; checked only where that is asked for. */
  readonly format?: string;
  /** How bytes are written in the string; never checked. */
  readonly contentEncoding?: string;
  /** What the content of the string is; never checked. */
  readonly contentMediaType?: string;
  /** What the content of the string fits; never checked. */
  readonly contentSchema?: Schema;
  /** Schemas for the first items, one each. */
  readonly prefixItems?: readonly Schema[];
  /** What all items fit that `prefixItems` says nothing of. */
  readonly items?: Schema;
  /** What some item fits. */
  readonly contains?: Schema;
  /** How many items fit `contains` at most. */
  readonly maxContains?: number;
  /** How many items fit `contains` at least. */
  readonly minContains?: number;
  /** How many items there are at most. */
  readonly maxItems?: number;
  /** How many items there are at least. */
  readonly minItems?: number;
  /** Whether no two items are equal. */
  readonly uniqueItems?: boolean;
  /** What all items fit that no other keyword says anything of. */
  readonly unevaluatedItems?: Schema;
  /** Schemas for members, by name. */
  readonly properties?: Schemas;
  /** Schemas for members, by a regular expression that is found somewhere in the name. */
  readonly patternProperties?: Schemas;
  /** What all members fit that `properties` and `patternProperties` say nothing of. */
  readonly additionalProperties?: Schema;
  /** What the names of all members fit. */
  readonly propertyNames?: Schema;
  /** How many members there are at most. */
  readonly maxProperties?: number;
  /** How many members there are at least. */
  readonly minProperties?: number;
  /** Names of members that are there. */
  readonly required?: readonly string[];
  /** Names of members that are there when a member is. */
  readonly dependentRequired?: { readonly [name: string]: readonly string[] };
  /** What the object fits when a member is there. */
  readonly dependentSchemas?: Schemas;
  /** What all members fit that no other keyword says anything of. */
  readonly unevaluatedProperties?: Schema;
  /** The value fits all of them. */
  readonly allOf?: readonly Schema[];
  /** The value fits at least one of them. */
  readonly anyOf?: readonly Schema[];
  /** The value fits exactly one of them. */
  readonly oneOf?: readonly Schema[];
  /** The value does not fit this one. */
  readonly not?: Schema;
  /** Decides between `then` and `else`. */
  readonly if?: Schema;
  /** What the value fits when it fits `if`. */
  readonly then?: Schema;
  /** What the value fits when it does not fit `if`. */
  readonly else?: Schema;
  /** A name for people. */
  readonly title?: string;
  /** A description for people, and for models. */
  readonly description?: string;
  /** What is assumed when nothing is said; nothing is filled in here. */
  readonly default?: unknown;
  /** Whether it should no longer be used. */
  readonly deprecated?: boolean;
  /** Whether it is only ever received. */
  readonly readOnly?: boolean;
  /** Whether it is only ever sent. */
  readonly writeOnly?: boolean;
  /** Some values that fit. */
  readonly examples?: readonly unknown[];
  /** Keywords of others, which say nothing here. */
  readonly [keyword: string]: unknown;
}
