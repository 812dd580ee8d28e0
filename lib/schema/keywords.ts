/** JSON Schema 2020-12 as data: its keywords, what each may hold, and the meta-schema that follows from that. */

import type { JsonObject } from "../base/json.ts";
import { escapeToken, isObject } from "../base/json.ts";
import { SchemaError } from "./schema.ts";

const BASE = "https://json-schema.org/draft/2020-12/";
/** The only dialect. */
const DIALECT = `${BASE}schema`;

/** How many schemas may stand inside one another. Written ones stay below ten. */
export const MAX_NESTING = 100;

/** How many schemas one schema may hold. The largest published ones have some ten thousand. */
const MAX_SUBSCHEMAS = 100_000;

const TYPES: readonly unknown[] = ["null", "boolean", "object", "array", "number", "integer", "string"];
const NAME = /^[A-Za-z_][-A-Za-z0-9._]*$/;

type Test = (value: unknown) => boolean;
const isAny: Test = () => true;
const isText = (value: unknown): value is string => typeof value === "string";
const isFlag: Test = (value) => typeof value === "boolean";
const isPositive: Test = (value) => Number.isFinite(value) && Number(value) > 0;
const isCount: Test = (value) => Number.isInteger(value) && Number(value) >= 0;
const isFullList = (value: unknown): value is unknown[] => Array.isArray(value) && value.length > 0;
const isNames: Test = (value) =>
  Array.isArray(value) && value.every(isText) && new Set(value).size === value.length;
const isTypes: Test = (value) =>
  TYPES.includes(value) ||
  (isFullList(value) && isNames(value) && value.every((type) => TYPES.includes(type)));
const isUri: Test = (value) => isText(value) && !/#./s.test(value);
const isName: Test = (value) => isText(value) && NAME.test(value);
const isDialect: Test = (value) => value === DIALECT || value === `${DIALECT}#`;
/** Comparing with a constant goes as deep as the constant does. */
const isJson = (value: unknown, depth = 0): boolean =>
  typeof value === "object" && value !== null
    ? depth < MAX_NESTING && Object.values(value).every((member) => isJson(member, depth + 1))
    : value === null || ["string", "boolean", "undefined"].includes(typeof value) || Number.isFinite(value);
const isConstant: Test = (value) => isJson(value);
const isConstants: Test = (value) => Array.isArray(value) && isJson(value);
const everyMember = (test: Test): Test => (value) => isObject(value) && Object.values(value).every(test);

/** What a keyword may hold: a test, the same in words, and the same as a schema. */
type Form = readonly [fits: Test, wanted: string, schema: object];

const ref = (name: string) => ({ $ref: `#/$defs/${name}` });
const META = { $dynamicRef: "#meta" };
const URI_REFERENCE = ref("uriReferenceString");
/** Subschemas themselves are validated when they are read. */
const SCHEMA: Form = [isAny, "", META];
const SCHEMA_LIST: Form = [isFullList, "must be a list of at least one schema", ref("schemaArray")];
const SCHEMAS_BY_NAME: Form = [isObject, "must be an object with schemas in it", {
  type: "object",
  additionalProperties: META,
}];
const ANYTHING: Form = [isAny, "", {}];
const LIST: Form = [Array.isArray, "must be an array", { type: "array" }];
const CONSTANT: Form = [isConstant, `must be JSON of at most ${MAX_NESTING} levels`, {}];
const CONSTANTS: Form = [isConstants, `must be an array of JSON of at most ${MAX_NESTING} levels`, LIST[2]];
const TEXT: Form = [isText, "must be a string", { type: "string" }];
const PATTERN: Form = [isText, "must be a string", { type: "string", format: "regex" }];
const REFERENCE: Form = [isText, "must be a string", URI_REFERENCE];
const IDENTIFIER: Form = [isUri, "must be a URI without a fragment", {
  ...URI_REFERENCE,
  pattern: "^[^#]*#?$",
}];
const ANCHOR: Form = [isName, `must be a name that matches ${NAME.source}`, ref("anchorString")];
const DIALECTS: Form = [isDialect, `must be "${DIALECT}", the only supported dialect`, ref("uriString")];
const FLAG: Form = [isFlag, "must be true or false", { type: "boolean" }];
const NUMBER: Form = [Number.isFinite, "must be a number", { type: "number" }];
const POSITIVE: Form = [isPositive, "must be a number above 0", { type: "number", exclusiveMinimum: 0 }];
const COUNT: Form = [isCount, "must be an integer of 0 or more", ref("nonNegativeInteger")];
const NAMES: Form = [isNames, "must be a list of different strings", ref("stringArray")];
const NAMES_BY_NAME: Form = [
  everyMember(isNames),
  "must be an object with lists of different strings in it",
  {
    type: "object",
    additionalProperties: NAMES[2],
  },
];
const TYPE: Form = [isTypes, `must be one of ${TYPES.join(", ")}, or a list of different ones`, {
  anyOf: [ref("simpleTypes"), { type: "array", items: ref("simpleTypes"), minItems: 1, uniqueItems: true }],
}];
const VOCABULARIES: Form = [everyMember(isFlag), "must be an object with true or false in it", {
  type: "object",
  propertyNames: ref("uriString"),
  additionalProperties: FLAG[2],
}];

/** The keywords of each vocabulary by form. */
const TABLE: readonly (readonly [vocabulary: string, form: Form, keywords: string])[] = [
  ["core", IDENTIFIER, "$id"],
  ["core", DIALECTS, "$schema"],
  ["core", REFERENCE, "$ref $dynamicRef"],
  ["core", ANCHOR, "$anchor $dynamicAnchor"],
  ["core", VOCABULARIES, "$vocabulary"],
  ["core", TEXT, "$comment"],
  ["core", SCHEMAS_BY_NAME, "$defs"],
  ["applicator", SCHEMA_LIST, "prefixItems allOf anyOf oneOf"],
  ["applicator", SCHEMA, "items contains additionalProperties propertyNames if then else not"],
  ["applicator", SCHEMAS_BY_NAME, "properties patternProperties dependentSchemas"],
  ["unevaluated", SCHEMA, "unevaluatedItems unevaluatedProperties"],
  ["validation", TYPE, "type"],
  ["validation", CONSTANT, "const"],
  ["validation", CONSTANTS, "enum"],
  ["validation", POSITIVE, "multipleOf"],
  ["validation", NUMBER, "maximum exclusiveMaximum minimum exclusiveMinimum"],
  [
    "validation",
    COUNT,
    "maxLength maxItems maxContains maxProperties minLength minItems minContains minProperties",
  ],
  ["validation", PATTERN, "pattern"],
  ["validation", FLAG, "uniqueItems"],
  ["validation", NAMES, "required"],
  ["validation", NAMES_BY_NAME, "dependentRequired"],
  ["meta-data", TEXT, "title description"],
  ["meta-data", ANYTHING, "default"],
  ["meta-data", FLAG, "deprecated readOnly writeOnly"],
  ["meta-data", LIST, "examples"],
  ["format-annotation", TEXT, "format"],
  ["content", TEXT, "contentEncoding contentMediaType"],
  ["content", SCHEMA, "contentSchema"],
];

/** The definitions in the vocabularies of the meta-schema. */
const DEFINITIONS: Readonly<Record<string, object>> = {
  core: {
    anchorString: { type: "string", pattern: NAME.source },
    uriString: { type: "string", format: "uri" },
    uriReferenceString: { type: "string", format: "uri-reference" },
  },
  applicator: { schemaArray: { type: "array", minItems: 1, items: META } },
  validation: {
    nonNegativeInteger: { type: "integer", minimum: 0 },
    nonNegativeIntegerDefault0: ref("nonNegativeInteger"),
    simpleTypes: { enum: TYPES },
    stringArray: { type: "array", items: { type: "string" }, uniqueItems: true },
  },
};

const KEYWORDS = new Map(
  TABLE.flatMap(([, form, keywords]) => keywords.split(" ").map((keyword) => [keyword, form] as const)),
);
// The older name of $defs, which references still use.
KEYWORDS.set("definitions", SCHEMAS_BY_NAME);

/** Says what a keyword must hold instead; undefined if the value is right or the keyword is unknown. */
export function mistakeIn(keyword: string, value: unknown): string | undefined {
  const [fits, wanted] = KEYWORDS.get(keyword) ?? [];
  return fits === undefined || fits(value) ? undefined : wanted;
}

/** Calls `take` for everything that stands where a keyword of this schema wants a schema. */
export function eachSubschema(
  schema: JsonObject,
  take: (subschema: unknown, keyword: string, pointer: string) => void,
): void {
  for (const keyword of Object.keys(schema)) {
    const form = KEYWORDS.get(keyword);
    const value = schema[keyword];
    if (form === SCHEMA && value !== undefined) take(value, keyword, `/${keyword}`);
    if (form !== SCHEMA_LIST && form !== SCHEMAS_BY_NAME) continue;
    for (const [token, subschema] of Object.entries(value ?? {})) {
      take(subschema, keyword, `/${keyword}/${escapeToken(token)}`);
    }
  }
}

/**
 * Calls a function for a schema and for every schema in it, outer ones first. Boolean schemas are skipped, and the schema
 * need not be valid. The function may change a schema before it is called for those in it, or return false to skip them.
 *
 * @throws {SchemaError} When schemas nest deeper than 100, or there are more than 100,000.
 */
export function walkSchema(
  schema: unknown,
  callback: (schema: Record<string, unknown>, pointer: string) => boolean | void,
): void {
  let count = 0;
  const walk = (schema: unknown, pointer: string, depth: number): void => {
    requireBounded(pointer, depth, count++);
    if (!isObject(schema) || callback(schema, pointer) === false) return;
    eachSubschema(schema, (subschema, _, suffix) => walk(subschema, pointer + suffix, depth + 1));
  };
  walk(schema, "", 0);
}

/** @throws {SchemaError} When a schema stands in too many others, or behind too many others. */
export function requireBounded(pointer: string, depth: number, count: number): void {
  if (depth > MAX_NESTING) throw new SchemaError(pointer, `stands in more than ${MAX_NESTING} other schemas`);
  if (count < MAX_SUBSCHEMAS) return;
  throw new SchemaError(pointer, `is one schema too many: there may be ${MAX_SUBSCHEMAS}`);
}

/** The meta-schema and its vocabularies by URI, made when they are first needed. */
const metaSchemas = new Map<string, JsonObject>();

/**
 * A well-known schema, without what says nothing about a value; undefined for any other URI.
 *
 * @see https://json-schema.org/draft/2020-12/schema
 */
export function metaSchema(uri: string): JsonObject | undefined {
  if (metaSchemas.size > 0) return metaSchemas.get(uri);
  const add = ($id: string, more: object) =>
    metaSchemas.set($id, { $id, $dynamicAnchor: "meta", type: ["object", "boolean"], ...more });
  const vocabularies: Record<string, Record<string, object>> = {};
  for (const [name, form, keywords] of TABLE) {
    for (const keyword of keywords.split(" ")) (vocabularies[name] ??= {})[keyword] = form[2];
  }
  for (const [name, properties] of Object.entries(vocabularies)) {
    add(`${BASE}meta/${name}`, { properties, $defs: DEFINITIONS[name] });
  }
  add(DIALECT, {
    allOf: Object.keys(vocabularies).map((name) => ({ $ref: `meta/${name}` })),
    // Keywords of older dialects must not be used for anything else.
    properties: {
      definitions: SCHEMAS_BY_NAME[2],
      dependencies: {
        type: "object",
        additionalProperties: { anyOf: [META, { $ref: "meta/validation#/$defs/stringArray" }] },
      },
      $recursiveAnchor: { $ref: "meta/core#/$defs/anchorString" },
      $recursiveRef: { $ref: "meta/core#/$defs/uriReferenceString" },
    },
  });
  return metaSchemas.get(uri);
}
