/** Which keywords are there, and what may stand behind each? What the meta-schema of 2020-12 says, as one table. */

import { join } from "./issue.ts";
import { isObject } from "../base/json.ts";

/** What a keyword may hold. The first three hold schemas. */
export type Form =
  | "schema"
  | "schema list"
  | "schemas by name"
  | "anything"
  | "list"
  | "text"
  | "flag"
  | "flags by name"
  | "number"
  | "positive number"
  | "count"
  | "names"
  | "names by name"
  | "types"
  | "identifier"
  | "anchor"
  | "dialect";

/** The only dialect that is understood. */
export const DIALECT = "https://json-schema.org/draft/2020-12/schema";

/** The types of JSON values, and `integer`. */
const TYPES = ["null", "boolean", "object", "array", "number", "integer", "string"];

const BY_FORM: Readonly<Record<Form, readonly string[]>> = {
  "schema": [
    "additionalProperties",
    "contains",
    "contentSchema",
    "else",
    "if",
    "items",
    "not",
    "propertyNames",
    "then",
    "unevaluatedItems",
    "unevaluatedProperties",
  ],
  "schema list": ["allOf", "anyOf", "oneOf", "prefixItems"],
  // "definitions" was the name of "$defs" in older dialects; the meta-schema still knows it, and references use it.
  "schemas by name": ["$defs", "definitions", "dependentSchemas", "patternProperties", "properties"],
  "anything": ["const", "default"],
  "list": ["enum", "examples"],
  "text": [
    "$comment",
    "$dynamicRef",
    "$ref",
    "contentEncoding",
    "contentMediaType",
    "description",
    "format",
    "pattern",
    "title",
  ],
  "flag": ["deprecated", "readOnly", "uniqueItems", "writeOnly"],
  "flags by name": ["$vocabulary"],
  "number": ["exclusiveMaximum", "exclusiveMinimum", "maximum", "minimum"],
  "positive number": ["multipleOf"],
  "count": [
    "maxContains",
    "maxItems",
    "maxLength",
    "maxProperties",
    "minContains",
    "minItems",
    "minLength",
    "minProperties",
  ],
  "names": ["required"],
  "names by name": ["dependentRequired"],
  "types": ["type"],
  "identifier": ["$id"],
  "anchor": ["$anchor", "$dynamicAnchor"],
  "dialect": ["$schema"],
};

/** What each keyword may hold, by its name. */
export const KEYWORDS: ReadonlyMap<string, Form> = new Map(
  (Object.entries(BY_FORM) as [Form, readonly string[]][]).flatMap(([form, keywords]) =>
    keywords.map((keyword) => [keyword, form] as const)
  ),
);

/** Whether a value is of a form, and what it must be otherwise. The schemas in it are not looked at. */
const FORMS: Readonly<Record<Form, readonly [fits: (value: unknown) => boolean, wanted: string]>> = {
  "schema": [() => true, ""],
  "schema list": [
    (value) => Array.isArray(value) && value.length > 0,
    "must be a list of at least one schema",
  ],
  "schemas by name": [isObject, "must be an object with schemas in it"],
  "anything": [() => true, ""],
  "list": [Array.isArray, "must be an array"],
  "text": [isText, "must be a string"],
  "flag": [isFlag, "must be true or false"],
  "flags by name": [
    (value) => isObject(value) && Object.values(value).every(isFlag),
    "must be an object with true or false in it",
  ],
  "number": [Number.isFinite, "must be a number"],
  "positive number": [(value) => Number.isFinite(value) && (value as number) > 0, "must be a number above 0"],
  "count": [(value) => Number.isInteger(value) && (value as number) >= 0, "must be an integer of 0 or more"],
  "names": [isNames, "must be a list of different strings"],
  "names by name": [
    (value) => isObject(value) && Object.values(value).every(isNames),
    "must be an object with lists of different strings in it",
  ],
  "types": [isTypes, `must be one of ${join(TYPES, "and")}, or a list of different ones`],
  "identifier": [(value) => isText(value) && /^[^#]*#?$/.test(value), "must be a URI without a fragment"],
  "anchor": [
    (value) => isText(value) && /^[A-Za-z_][-A-Za-z0-9._]*$/.test(value),
    "must be a name of letters, digits, dashes, dots and underscores that begins with a letter or an underscore",
  ],
  "dialect": [
    (value) => value === DIALECT || value === `${DIALECT}#`,
    `must be "${DIALECT}", which is the only dialect that is understood`,
  ],
};

/** What a keyword with this value must hold instead; undefined when all is well. */
export function refusal(form: Form, value: unknown): string | undefined {
  const [fits, wanted] = FORMS[form];
  return fits(value) ? undefined : wanted;
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}

function isFlag(value: unknown): value is boolean {
  return typeof value === "boolean";
}

function isNames(value: unknown): boolean {
  return Array.isArray(value) && value.every(isText) && new Set(value).size === value.length;
}

function isTypes(value: unknown): boolean {
  const types: unknown = typeof value === "string" ? [value] : value;
  return isNames(types) && (types as string[]).length > 0 &&
    (types as string[]).every((type) => TYPES.includes(type));
}
