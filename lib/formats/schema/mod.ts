/**
 * JSON Schema 2020-12: compiles schemas to fast validators, without code generation and without dependencies.
 *
 * @module
 */

export type { Validator } from "./compile.ts";
export type { ObjectMembers, ObjectSchema } from "./object.ts";
export type { FromSchema, Issue, Schema, SchemaObject, SchemaOptions, Schemas, TypeName } from "./schema.ts";
export { compileSchema } from "./compile.ts";
export { walkSchema } from "./document.ts";
export { object } from "./object.ts";
export { isLinear } from "./pattern.ts";
export { SchemaError } from "./schema.ts";
