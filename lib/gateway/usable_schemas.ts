/** Finds the endpoints whose schemas cannot be compiled. */

import type { Schema, SchemaObject, Schemas } from "../formats/schema/mod.ts";
import type { Operation } from "./endpoint.ts";
import { compileSchema, SchemaError } from "../formats/schema/mod.ts";
import { usedBy } from "./schema_references.ts";

/** Why a schema cannot be compiled; undefined if it can. */
export function compileError(schema: SchemaObject): SchemaError | undefined {
  try {
    compileSchema(schema);
    return undefined;
  } catch (cause) {
    if (cause instanceof SchemaError) return cause;
    throw cause;
  }
}

/** The endpoints whose schemas cannot be compiled, with the reason. Compiles all at once, and if that fails, each half. */
export function findUnusable(
  endpoints: readonly Operation[],
  definitions: Schemas,
  described: (endpoint: Operation) => readonly { readonly schema: Schema }[],
): Map<Operation, string> {
  const schemas = endpoints.flatMap(described).map(({ schema }) => schema);
  const error = compileError({ anyOf: [true, ...schemas], $defs: usedBy(schemas, definitions) });
  if (!error) return new Map();
  const half = endpoints.length >> 1;
  if (half === 0) {
    const reason = error.message.replace(/^Cannot compile the schema: /, "A schema cannot be used: ");
    return new Map([[endpoints[0]!, reason]]);
  }
  const halves = [endpoints.slice(0, half), endpoints.slice(half)];
  return new Map(halves.flatMap((some) => [...findUnusable(some, definitions, described)]));
}
