/** Which schemas has the tool of an endpoint? One of all its arguments, and one of its answer where an answer is promised. */

import type { Schema, SchemaObject } from "../schema/mod.ts";
import type { Endpoint, ResponseShape } from "./endpoint.ts";
import { CONFIRMATION } from "./endpoint.ts";

/** The arguments of an endpoint, as one closed object. */
export function inputSchemaOf({ name, parameters, body, definitions, isSafe }: Endpoint): SchemaObject {
  const properties: Record<string, Schema> = {};
  const required: string[] = [];
  for (
    const { argument, schema, description, required: isRequired } of [...parameters, ...(body ? [body] : [])]
  ) {
    properties[argument] = described(schema, description);
    if (isRequired) required.push(argument);
  }
  if (!isSafe) {
    properties[CONFIRMATION] = {
      type: "string",
      description: `Leave it out: ${name} then answers with a plan and the token that confirms it`,
    };
  }
  return rooted({ type: "object", properties, required, additionalProperties: false }, definitions);
}

/** What a good answer is promised to be; undefined where nothing is. */
export function outputSchemaOf({ response, isSafe }: Endpoint): SchemaObject | undefined {
  // A plan is no such answer, so what has to be confirmed promises none.
  return isSafe && response?.isOnly ? outputOf(response) : undefined;
}

function described(schema: Schema, description: string | undefined): Schema {
  if (description === undefined || typeof schema === "boolean" || schema.description !== undefined) {
    return schema;
  }
  return { ...schema, description };
}

/** A schema with what it refers to. */
function rooted(schema: Schema, definitions: Readonly<Record<string, Schema>>): SchemaObject {
  const own = typeof schema === "boolean" ? { not: schema ? false : {} } : schema;
  return Object.keys(definitions).length === 0 ? own : { ...own, $defs: definitions };
}

/** A reference at the root hides whether there is an object, which goes out as it is, or something to be wrapped. */
function outputOf({ schema, definitions }: ResponseShape): SchemaObject {
  let root = schema;
  while (typeof root === "object" && Object.keys(root).length === 1 && root.$ref?.startsWith("#/$defs/")) {
    root = definitions[root.$ref.slice("#/$defs/".length)]!;
  }
  return rooted(root, definitions);
}
