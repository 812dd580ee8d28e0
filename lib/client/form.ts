/** What does a form say where nobody has said anything? The defaults of its fields. */

import type { Members } from "./value.ts";
import { isObject } from "../base/json.ts";
import { objectIn } from "./value.ts";

/** Fills in the fields that were left out and have a default. */
export function withDefaults(content: Members, schema: Members): Members {
  const defaults = Object.entries(objectIn(schema, "properties")).flatMap(([name, field]) =>
    isObject(field) && Object.hasOwn(field, "default") && !Object.hasOwn(content, name)
      ? [[name, field["default"]] as const]
      : []
  );
  return defaults.length === 0 ? content : { ...content, ...Object.fromEntries(defaults) };
}
