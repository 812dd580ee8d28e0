/** How is an endpoint file written? As this schema says; what it cannot say is checked where the file is read. */

import type { SchemaObject } from "../schema/mod.ts";

const TEXT = { type: "string", minLength: 1 } as const;
const SCHEMA = { type: ["object", "boolean"] } as const;

const SCHEME: SchemaObject = {
  type: "object",
  properties: {
    type: { enum: ["header", "query", "cookie", "basic", "bearer"] },
    name: { pattern: "^[\\w.-]+$" },
  },
  required: ["type"],
  additionalProperties: false,
  if: { properties: { type: { enum: ["header", "query", "cookie"] } } },
  then: { required: ["name"] },
  else: { properties: { name: false } },
};

const PARAMETER: SchemaObject = {
  type: "object",
  properties: {
    name: TEXT,
    argument: TEXT,
    in: { enum: ["path", "query", "header", "cookie"] },
    required: { type: "boolean" },
    description: { type: "string" },
    schema: SCHEMA,
    style: { enum: ["simple", "label", "matrix", "form", "spaceDelimited", "pipeDelimited", "deepObject"] },
    explode: { type: "boolean" },
  },
  required: ["name", "in"],
  additionalProperties: false,
};

const ENDPOINT: SchemaObject = {
  type: "object",
  properties: {
    name: TEXT,
    title: TEXT,
    description: TEXT,
    method: { enum: ["GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE"] },
    path: { type: "string", pattern: "^/" },
    tags: { type: "array", items: TEXT },
    safe: { type: "boolean" },
    allow: { type: "boolean" },
    auth: { type: "array", items: TEXT },
    parameters: { type: "array", items: PARAMETER },
    body: {
      type: "object",
      properties: {
        type: { type: "string", pattern: "^[\\w.+-]+/[\\w.+-]+(;[\\x20-\\x7e]*)?$" },
        required: { type: "boolean" },
        description: { type: "string" },
        schema: SCHEMA,
      },
      required: ["schema"],
      additionalProperties: false,
    },
    response: SCHEMA,
    timeoutMs: { type: "integer", minimum: 1, maximum: 3_600_000 },
  },
  required: ["name", "description", "method", "path"],
  additionalProperties: false,
};

/** An endpoint file. */
export const FILE_SCHEMA: SchemaObject = {
  type: "object",
  properties: {
    base: TEXT,
    auth: { type: "object", propertyNames: { pattern: "^[\\w.-]+$" }, additionalProperties: SCHEME },
    definitions: { type: "object", additionalProperties: SCHEMA },
    endpoints: { type: "array", items: ENDPOINT, minItems: 1 },
  },
  required: ["endpoints"],
  additionalProperties: false,
};
