/** Keywords: their allowed values, as tests, in words and as the meta-schema, and the subschemas that they hold. */

import type { JsonObject } from "../../base/json.ts";
import { isObject } from "../../base/json.ts";
import { escapeToken } from "../../base/pointer.ts";
import { patternError } from "./pattern.ts";
import { SchemaError } from "./schema.ts";

export const DIALECT: string = "https://json-schema.org/draft/2020-12/schema";

/** The maximum depth of nested schemas. Ten is usual. */
export const MAX_NESTING = 100;

const TYPES: readonly unknown[] = ["null", "boolean", "object", "array", "number", "integer", "string"];
const NAME = /^[A-Za-z_][-A-Za-z0-9._]*$/;

type Test = (value: unknown) => boolean;
const isText = (value: unknown): value is string => typeof value === "string";
const isFlag: Test = (value) => typeof value === "boolean";
const isCount: Test = (value) => Number.isInteger(value) && Number(value) >= 0;
const isPositive: Test = (value) => Number.isFinite(value) && Number(value) > 0;
const isUri: Test = (value) => isText(value) && !/#./s.test(value);
const isName: Test = (value) => isText(value) && NAME.test(value);
const isDialect: Test = (value) => value === DIALECT || value === `${DIALECT}#`;
const isFullList = (value: unknown): value is unknown[] => Array.isArray(value) && value.length > 0;
const isNames: Test = (value) =>
  Array.isArray(value) && value.every(isText) && new Set(value).size === value.length;
const isType: Test = (value) => TYPES.includes(value);
const isTypes: Test = (value) =>
  isType(value) || (isFullList(value) && isNames(value) && value.every(isType));
const everyMember = (test: Test): Test => (value) => isObject(value) && Object.values(value).every(test);
/** The depth is limited, because comparing with a constant recurses. */
const isJson = (value: unknown, depth = 0): boolean =>
  typeof value === "object" && value !== null
    ? depth < MAX_NESTING && Object.values(value).every((member) => isJson(member, depth + 1))
    : value === null || ["string", "boolean", "undefined"].includes(typeof value) || Number.isFinite(value);
const isJsonList: Test = (value) => Array.isArray(value) && isJson(value);

/** The allowed values of a keyword: a test, a description, and the part of the meta-schema. */
type Form = readonly [fits: Test, wanted: string, schema: object];

const STRING = { type: "string" };
const URI = { ...STRING, format: "uri-reference" };
const listOf = (items: object) => ({ type: "array", items });
const objectOf = (additionalProperties: object) => ({ type: "object", additionalProperties });
const META = { $dynamicRef: "#meta" };
/** Subschemas are validated when they are read. */
const SCHEMA: Form = [() => true, "", META];
const SCHEMAS: Form = [isFullList, "a list of at least one schema", { ...listOf(META), minItems: 1 }];
const SCHEMAS_BY_NAME: Form = [isObject, "an object of schemas", objectOf(META)];
const TEXT: Form = [isText, "a string", STRING];
const FLAG: Form = [isFlag, "true or false", { type: "boolean" }];
const NAMES: Form = [isNames, "a list of unique strings", { ...listOf(STRING), uniqueItems: true }];
const COUNT: Form = [isCount, "an integer of 0 or more", { type: "integer", minimum: 0 }];
const ANCHOR: Form = [isName, `a name that matches ${NAME.source}`, { ...STRING, pattern: NAME.source }];
const TYPE = { enum: TYPES };
const TYPE_OR_TYPES = { anyOf: [TYPE, { ...listOf(TYPE), minItems: 1, uniqueItems: true }] };
const JSON_WANTED = `JSON of at most ${MAX_NESTING} levels`;

const FORMS: ReadonlyMap<string, Form> = new Map(
  Object.entries<Form>({
    "$id": [isUri, "a URI without a fragment", { ...URI, pattern: "^[^#]*#?$" }],
    "$schema": [isDialect, `"${DIALECT}", the only supported dialect`, URI],
    "$ref $dynamicRef": [isText, "a string", URI],
    "$anchor $dynamicAnchor": ANCHOR,
    "$vocabulary": [everyMember(isFlag), "an object of booleans", objectOf(FLAG[2])],
    // "definitions" is the older name of $defs; references still use it.
    "$defs definitions properties patternProperties dependentSchemas": SCHEMAS_BY_NAME,
    "prefixItems allOf anyOf oneOf": SCHEMAS,
    "items contains additionalProperties propertyNames if then else not contentSchema": SCHEMA,
    "unevaluatedItems unevaluatedProperties": SCHEMA,
    "type": [isTypes, `one of ${TYPES.join(", ")}, or a list of unique ones`, TYPE_OR_TYPES],
    "const": [isJson, JSON_WANTED, {}],
    "enum": [isJsonList, `an array of ${JSON_WANTED}`, { type: "array" }],
    "multipleOf": [isPositive, "a number above 0", { type: "number", exclusiveMinimum: 0 }],
    "maximum exclusiveMaximum minimum exclusiveMinimum": [Number.isFinite, "a number", { type: "number" }],
    "maxLength maxItems maxContains maxProperties minLength minItems minContains minProperties": COUNT,
    "pattern": [isText, "a string", { ...STRING, format: "regex" }],
    "required": NAMES,
    "dependentRequired": [
      everyMember(isNames),
      "an object of lists of unique strings",
      objectOf(NAMES[2]),
    ],
    "uniqueItems deprecated readOnly writeOnly": FLAG,
    "$comment title description format contentEncoding contentMediaType": TEXT,
    "examples": [Array.isArray, "an array", { type: "array" }],
  }).flatMap(([keywords, form]) => keywords.split(" ").map((keyword) => [keyword, form])),
);

/** Calls `take` for each subschema of a schema. */
export function eachSubschema(
  schema: JsonObject,
  take: (subschema: unknown, keyword: string, pointer: string) => void,
): void {
  for (const keyword of Object.keys(schema)) {
    const form = FORMS.get(keyword);
    const value = schema[keyword];
    if (form === SCHEMA && value !== undefined) take(value, keyword, `/${keyword}`);
    if (form !== SCHEMAS && form !== SCHEMAS_BY_NAME) continue;
    for (const [token, subschema] of Object.entries(value ?? {})) {
      take(subschema, keyword, `/${keyword}/${escapeToken(token)}`);
    }
  }
}

/** The meta-schema: a schema for schemas. */
export function metaSchema(): JsonObject {
  const properties = Object.fromEntries(Array.from(FORMS, ([keyword, [, , schema]]) => [keyword, schema]));
  return { $dynamicAnchor: "meta", type: ["object", "boolean"], properties };
}

/** @throws {SchemaError} When a keyword has a value that is not allowed. */
export function checkKeyword(keyword: string, value: unknown, location: string): void {
  if (value === undefined) return;
  const at = `${location}/${keyword}`;
  const form = FORMS.get(keyword);
  if (form && !form[0](value)) throw new SchemaError(at, `must be ${form[1]}`);
  if (keyword === "pattern") requirePattern(value as string, at);
  if (keyword !== "patternProperties") return;
  for (const source of Object.keys(value as object)) requirePattern(source, `${at}/${escapeToken(source)}`);
}

function requirePattern(source: string, location: string): void {
  const cause = patternError(source);
  if (!cause) return;
  throw new SchemaError(location, "is not an ECMAScript regular expression with the flag u", { cause });
}
