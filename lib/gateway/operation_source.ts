/** What an operation is read from. */

import type { JsonObject } from "../base/json.ts";
import type { Schema } from "../formats/schema/mod.ts";
import type { Operation } from "./endpoint.ts";
import type { OpenApiDocument } from "./openapi_document.ts";
import type { SchemaReader } from "./openapi_schemas.ts";
import { asString } from "../base/json.ts";

/** An operation, and how to read it. */
export interface Source extends Pick<Operation, "name" | "method" | "path"> {
  /** The path item. Its parameters apply to the operation too. */
  readonly item: JsonObject;
  readonly operation: JsonObject;
  readonly document: OpenApiDocument;
  /** Reads the schemas of arguments. */
  readonly sent: SchemaReader;
  /** Reads the schemas of answers. */
  readonly answered: SchemaReader;
  /** Whether the operator of the gateway wrote it. Then nothing is omitted, cut or renamed, and every mistake is an error. */
  readonly isOwn: boolean;
  /** Called when the tool differs from the description of the operation. */
  readonly onremark: (reason: string) => void;
}

/** Adds a description, if the schema has none, and a note. */
export function described(schema: Schema, description: unknown, note: string): Schema {
  if (typeof schema === "boolean") return schema;
  const words = `${schema.description ?? trimmed(description) ?? ""} ${note}`.trim();
  return words === "" ? schema : { ...schema, description: words };
}

/** A text without white space at its ends; undefined if nothing is left. */
export function trimmed(value: unknown): string | undefined {
  return asString(value)?.trim() || undefined;
}
