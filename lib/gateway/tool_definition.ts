/** The definition of the tool of an endpoint: its schemas and annotations. */

import type { Schema, SchemaObject, Schemas } from "../formats/schema/mod.ts";
import type { ToolAnnotations } from "../mcp/server/tool.ts";
import type { Argument, Operation, RequestBody } from "./endpoint.ts";
import { asObject, compact, own } from "../base/json.ts";
import { BODY_TYPE, CONFIRMATION, PART } from "./endpoint.ts";
import { definitionOf, usedBy } from "./schema_references.ts";

/** The schema of an object with these members and no others. */
export function closedObject<const R extends readonly string[], const P extends Schemas>(
  required: R,
  properties: P,
): { type: "object"; properties: P; required: R; additionalProperties: false } {
  return { type: "object", properties, required, additionalProperties: false };
}

/** The input schema of an endpoint. `shorten` replaces the schemas of arguments. */
export function inputSchemaOf(endpoint: Operation, shorten?: (schema: Schema) => Schema): SchemaObject {
  const { bodies } = endpoint;
  const all: readonly Argument[] = [...endpoint.parameters, ...merged(bodies)];
  const shown = all.map(({ argument, schema }) => [argument, shorten ? shorten(schema) : schema]);
  const properties: Record<string, Schema> = Object.fromEntries(shown);
  const token = `Leave it out at first: ${endpoint.name} then answers with a plan and its token`;
  properties[PART] = {
    type: "string",
    description: "The part of a long answer to read, as that answer names it",
  };
  if (bodies.length > 1) {
    const description = "The media type of the body. Default: the first one that the body fits";
    properties[BODY_TYPE] = { enum: bodies.map(({ type }) => type), description };
  }
  if (!endpoint.isSafe) properties[CONFIRMATION] = { type: "string", description: token };
  const required = all.filter((one) => one.required).map(({ argument }) => argument);
  return withDefinitions(closedObject(required, properties), endpoint.definitions);
}

/** Several bodies as one argument, whose schema is that of any of them. */
function merged(bodies: readonly RequestBody[]): Argument[] {
  const withoutText = (key: string, value: unknown) => key === "description" ? undefined : value;
  const different = Map.groupBy(bodies, ({ schema }) => JSON.stringify(schema, withoutText));
  const schemas = Array.from(different.values(), ([first]) => first!.schema);
  return bodies.slice(0, 1).map((body) =>
    schemas.length > 1 ? { ...body, schema: { anyOf: schemas } } : body
  );
}

/** The data of a result whose answer does not match the schema of the API. */
const UNEXPECTED = closedObject(["unexpected_answer"], {
  unexpected_answer: { type: "string", description: "How the answer in the text differs from this schema" },
});

/** The output schema of an endpoint: the answer or `UNEXPECTED`; undefined if the answer has no known schema. */
export function outputSchemaOf({ response, isSafe }: Operation): SchemaObject | undefined {
  // An endpoint that needs confirmation has no output schema: it may answer with a plan.
  if (!isSafe || !response?.isOnly) return undefined;
  const { schema, definitions } = response;
  const type = isObjectSchema(schema, definitions) ? "object" : undefined;
  return withDefinitions(compact({ type, anyOf: [schema, UNEXPECTED] }) as SchemaObject, definitions);
}

/** Whether all values of a schema are objects. Null is allowed: it is never the whole answer. */
function isObjectSchema(schema: unknown, definitions: Schemas): boolean {
  const { type, $ref } = asObject(schema);
  const target = typeof $ref === "string" ? own(definitions, definitionOf($ref) ?? "") : undefined;
  return target ? isObjectSchema(target, definitions) : /^(?:null,)?object(?:,null)?$/.test(`${type}`);
}

function withDefinitions(schema: SchemaObject, definitions: Schemas): SchemaObject {
  const $defs = usedBy([schema], definitions);
  return Object.keys($defs).length === 0 ? schema : { ...schema, $defs };
}

/** The annotations of a tool that sends requests with this method. */
export function annotations(method: string, isSafe: boolean): ToolAnnotations {
  return {
    readOnlyHint: isSafe,
    destructiveHint: !isSafe,
    idempotentHint: isSafe || method === "PUT" || method === "DELETE",
    openWorldHint: true,
  };
}

/** The annotations of tools that send nothing to the API. */
export const READ_ONLY: ToolAnnotations = { ...annotations("GET", true), openWorldHint: false };
