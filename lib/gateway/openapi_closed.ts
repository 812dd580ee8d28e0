/** Which members has an object that says what it has? Those, and no other ones: an unknown argument is an error. */

import type { Schema, SchemaObject } from "../schema/mod.ts";
import type { SchemaReader } from "./openapi_schema.ts";

/** What members a schema speaks of: named ones only, any, or none because it is of no object. */
type Members = "named" | "any" | "none";

/** A schema of a whole argument, closed where it names all the members that there are. */
export function closed(schema: Schema, reader: SchemaReader): Schema {
  if (typeof schema === "boolean" || membersOf(schema, reader, new Set()) !== "named") return schema;
  return { ...schema, unevaluatedProperties: false };
}

function membersOf(schema: Schema, reader: SchemaReader, seen: Set<string>): Members {
  if (typeof schema === "boolean") return "none";
  if (
    "additionalProperties" in schema || "patternProperties" in schema || "unevaluatedProperties" in schema
  ) return "any";
  const { $ref, properties, allOf = [], anyOf = [], oneOf = [], type } = schema;
  const parts: Members[] = [];
  if (properties && Object.keys(properties).length > 0) parts.push("named");
  if ($ref !== undefined) parts.push(followed($ref, reader, seen));
  parts.push(...allOf.map((part) => membersOf(part, reader, seen)));
  // Of several forms, one that takes anything leaves the whole open.
  for (const forms of [anyOf, oneOf]) {
    const each = forms.map((form) => membersOf(form, reader, seen)).filter((members) => members !== "none");
    if (each.includes("any")) return "any";
    parts.push(...each);
  }
  if (parts.includes("named")) return parts.includes("any") ? "any" : "named";
  if (parts.includes("any")) return "any";
  const isObject = type === "object" || (Array.isArray(type) && type.includes("object"));
  return isObject || isBare(schema) ? "any" : "none";
}

function followed(reference: string, reader: SchemaReader, seen: Set<string>): Members {
  if (seen.has(reference)) return "none";
  seen.add(reference);
  const target = reader.definitionsOf([{ $ref: reference }])[reference.slice("#/$defs/".length)];
  return target === undefined ? "any" : membersOf(target, reader, seen);
}

/** A schema that says nothing of types takes objects too. */
function isBare(schema: SchemaObject): boolean {
  const says = ["type", "enum", "const", "$ref", "allOf", "anyOf", "oneOf", "not", "required"];
  return !says.some((keyword) => keyword in schema);
}
