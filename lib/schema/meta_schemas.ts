/**
 * Which schemas are known without being given? The meta-schema of 2020-12 and its vocabularies, which others may refer to.
 * They are the official ones, less what says nothing about a value: titles, comments, defaults.
 *
 * @see https://json-schema.org/draft/2020-12/schema
 */

import { DIALECT } from "./keywords.ts";

const BASE = "https://json-schema.org/draft/2020-12/";
const META = { $dynamicRef: "#meta" };
const META_BY_NAME = { type: "object", additionalProperties: META };
const META_LIST = { $ref: "#/$defs/schemaArray" };
const REFERENCE = { $ref: "#/$defs/uriReferenceString" };
const ANCHOR = { $ref: "#/$defs/anchorString" };
const COUNT = { $ref: "#/$defs/nonNegativeInteger" };
const COUNT_FROM_ZERO = { $ref: "#/$defs/nonNegativeIntegerDefault0" };
const NAMES = { $ref: "#/$defs/stringArray" };
const TEXT = { type: "string" };
const FLAG = { type: "boolean" };
const NUMBER = { type: "number" };
const LIST = { type: "array", items: true };

/** What each vocabulary says about its keywords, and what it defines for that. */
const VOCABULARIES: Readonly<Record<string, { readonly properties: object; readonly $defs?: object }>> = {
  "core": {
    properties: {
      $id: { ...REFERENCE, pattern: "^[^#]*#?$" },
      $schema: { $ref: "#/$defs/uriString" },
      $ref: REFERENCE,
      $anchor: ANCHOR,
      $dynamicRef: REFERENCE,
      $dynamicAnchor: ANCHOR,
      $vocabulary: {
        type: "object",
        propertyNames: { $ref: "#/$defs/uriString" },
        additionalProperties: FLAG,
      },
      $comment: TEXT,
      $defs: META_BY_NAME,
    },
    $defs: {
      anchorString: { type: "string", pattern: "^[A-Za-z_][-A-Za-z0-9._]*$" },
      uriString: { type: "string", format: "uri" },
      uriReferenceString: { type: "string", format: "uri-reference" },
    },
  },
  "applicator": {
    properties: {
      prefixItems: META_LIST,
      items: META,
      contains: META,
      additionalProperties: META,
      properties: META_BY_NAME,
      patternProperties: { ...META_BY_NAME, propertyNames: { format: "regex" } },
      dependentSchemas: META_BY_NAME,
      propertyNames: META,
      if: META,
      then: META,
      else: META,
      allOf: META_LIST,
      anyOf: META_LIST,
      oneOf: META_LIST,
      not: META,
    },
    $defs: { schemaArray: { type: "array", minItems: 1, items: META } },
  },
  "unevaluated": { properties: { unevaluatedItems: META, unevaluatedProperties: META } },
  "validation": {
    properties: {
      type: {
        anyOf: [
          { $ref: "#/$defs/simpleTypes" },
          { type: "array", items: { $ref: "#/$defs/simpleTypes" }, minItems: 1, uniqueItems: true },
        ],
      },
      const: true,
      enum: LIST,
      multipleOf: { type: "number", exclusiveMinimum: 0 },
      maximum: NUMBER,
      exclusiveMaximum: NUMBER,
      minimum: NUMBER,
      exclusiveMinimum: NUMBER,
      maxLength: COUNT,
      minLength: COUNT_FROM_ZERO,
      pattern: { type: "string", format: "regex" },
      maxItems: COUNT,
      minItems: COUNT_FROM_ZERO,
      uniqueItems: FLAG,
      maxContains: COUNT,
      minContains: COUNT,
      maxProperties: COUNT,
      minProperties: COUNT_FROM_ZERO,
      required: NAMES,
      dependentRequired: { type: "object", additionalProperties: NAMES },
    },
    $defs: {
      nonNegativeInteger: { type: "integer", minimum: 0 },
      nonNegativeIntegerDefault0: COUNT,
      simpleTypes: { enum: ["array", "boolean", "integer", "null", "number", "object", "string"] },
      stringArray: { type: "array", items: TEXT, uniqueItems: true },
    },
  },
  "meta-data": {
    properties: {
      title: TEXT,
      description: TEXT,
      default: true,
      deprecated: FLAG,
      readOnly: FLAG,
      writeOnly: FLAG,
      examples: LIST,
    },
  },
  "format-annotation": { properties: { format: TEXT } },
  "content": { properties: { contentEncoding: TEXT, contentMediaType: TEXT, contentSchema: META } },
};

/** Keywords of older dialects, which must not be used for anything else. */
const FORMER = {
  definitions: META_BY_NAME,
  dependencies: {
    type: "object",
    additionalProperties: { anyOf: [META, { $ref: "meta/validation#/$defs/stringArray" }] },
  },
  $recursiveAnchor: { $ref: "meta/core#/$defs/anchorString" },
  $recursiveRef: { $ref: "meta/core#/$defs/uriReferenceString" },
};

function metaSchema(uri: string, body: object): [uri: string, schema: object] {
  return [uri, { $schema: DIALECT, $id: uri, $dynamicAnchor: "meta", type: ["object", "boolean"], ...body }];
}

/** The well-known schemas, by their URI. */
export const META_SCHEMAS: ReadonlyMap<string, object> = new Map([
  metaSchema(DIALECT, {
    allOf: Object.keys(VOCABULARIES).map((name) => ({ $ref: `meta/${name}` })),
    properties: FORMER,
  }),
  ...Object.entries(VOCABULARIES).map(([name, body]) => metaSchema(`${BASE}meta/${name}`, body)),
]);
