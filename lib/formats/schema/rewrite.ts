/** Rewrites schemas for the root of a tool's input or output: inlines, closes and wraps them. */

import type { JsonObject } from "../../base/json.ts";
import { asObject, compact, isObject } from "../../base/json.ts";
import { escapeToken } from "../../base/pointer.ts";
import { walkSchema } from "./document.ts";

/** Keywords that do not restrict a `$ref` next to them. */
const REMARKS: ReadonlySet<string> = new Set(
  "$comment $defs $schema default deprecated description examples readOnly title writeOnly".split(" "),
);

/** Inlines a root `$ref` to one of its own definitions, because clients and models look for `properties` at the root. */
export function inlineRootRef(schema: JsonObject, hops = 16): JsonObject {
  const { $ref, ...remarks } = schema;
  if (hops === 0 || typeof $ref !== "string" || !$ref.startsWith("#/$defs/")) return schema;
  if (!Object.keys(remarks).every((keyword) => REMARKS.has(keyword))) return schema;
  const definitions = asObject(remarks["$defs"]);
  const name = $ref.slice("#/$defs/".length);
  const target = Object.hasOwn(definitions, name) ? definitions[name] : undefined;
  // A schema with an identifier must not be duplicated.
  if (!isObject(target) || /"\$(?:id|anchor|dynamicAnchor)":"/.test(JSON.stringify(target))) return schema;
  // Keywords at the root come first and win.
  const { $defs, ...root } = { ...remarks, ...target, ...remarks };
  const refers = /"\$(?:ref|dynamicRef)":/.test(JSON.stringify(root));
  const found = inlineRootRef(refers ? { ...root, $defs } : root, hops - 1);
  return found["type"] === "object" ? found : schema;
}

const COMPOSED = ["allOf", "anyOf", "oneOf", "$ref", "$dynamicRef", "if", "dependentSchemas"];

/** Forbids members that an object schema does not name, unless it already has a rule for them. */
export function closeSchema(schema: JsonObject): JsonObject {
  if ("additionalProperties" in schema || "unevaluatedProperties" in schema) return schema;
  // The parts of a composition do not know each other's members, so only the whole can be closed.
  const isComposed = COMPOSED.some((keyword) => keyword in schema);
  return { ...schema, [isComposed ? "unevaluatedProperties" : "additionalProperties"]: false };
}

/** Wraps a schema in an object. Its definitions move to the new root, because references are relative to the root. */
export function wrapSchema({ $schema, ...schema }: JsonObject, field: string): JsonObject {
  // In a schema with an `$id`, references are relative to that schema.
  const isApart = typeof schema["$id"] === "string";
  const { $defs, ...inner } = isApart ? {} as JsonObject : moveReferences(schema, field);
  return compact({
    $schema,
    type: "object",
    properties: { [field]: isApart ? schema : inner },
    required: [field],
    additionalProperties: false,
    $defs,
  });
}

/** Adjusts the references of a schema that becomes a property. Its `$defs` stay at the root. */
function moveReferences(schema: JsonObject, field: string): JsonObject {
  const copy = structuredClone(schema);
  walkSchema(copy, (node) => {
    if (typeof node["$id"] === "string") return false;
    for (const keyword of ["$ref", "$dynamicRef"]) {
      const reference = node[keyword];
      // Anchors do not depend on the position.
      if (typeof reference === "string" && /^#(?:$|\/(?!(?:\$|%24)defs(?:\/|$)))/.test(reference)) {
        node[keyword] = `#/properties/${encodeURIComponent(escapeToken(field))}${reference.slice(1)}`;
      }
    }
    return true;
  });
  return copy;
}
