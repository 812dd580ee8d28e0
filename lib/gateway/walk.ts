/** Walks the schemas of a schema, until lib/schema has a function for it. */

import { escapeToken, isObject } from "../base/json.ts";
const ONE = new Set(
  "additionalProperties contains contentSchema else if items not propertyNames then unevaluatedItems unevaluatedProperties"
    .split(" "),
);
const LIST = new Set("allOf anyOf oneOf prefixItems".split(" "));
const MAP = new Set("$defs definitions dependentSchemas patternProperties properties".split(" "));
export function walkSchema(
  schema: unknown,
  visit: (schema: Record<string, unknown>, pointer: string) => boolean | void,
): void {
  const walk = (schema: unknown, pointer: string): void => {
    if (!isObject(schema) || visit(schema, pointer) === false) return;
    for (const [keyword, value] of Object.entries(schema)) {
      if (ONE.has(keyword)) walk(value, `${pointer}/${keyword}`);
      else if ((LIST.has(keyword) && Array.isArray(value)) || (MAP.has(keyword) && isObject(value))) {
        for (const [t, s] of Object.entries(value as object)) {
          walk(s, `${pointer}/${keyword}/${escapeToken(t)}`);
        }
      }
    }
  };
  walk(schema, "");
}
