/**
 * Does this value fit? JSON Schema 2020-12, compiled to closures; pure, and without dependencies.
 *
 * @module
 */

export type { Validator } from "./compile.ts";
export type { FromSchema } from "./infer.ts";
export type { Issue } from "./issue.ts";
export type { SchemaOptions } from "./options.ts";
export type { Schema, SchemaObject, Schemas, TypeName } from "./schema.ts";
export { compileSchema } from "./compile.ts";
export { SchemaError } from "./schema_error.ts";
