/** Which definitions does a schema need? Those that it refers to, and those that they refer to; nobody wants the others. */

import type { Schema, Schemas } from "../schema/mod.ts";

const PREFIX = "#/$defs/";
/** What the schemas in each definition refer to, found once: definitions are shared by hundreds of endpoints. */
const known = new WeakMap<object, ReadonlySet<string>>();

/** The definitions that some schemas need, by name. References into what is no definition are left to the compiler. */
export function usedBy(schemas: readonly Schema[], definitions: Schemas): Schemas {
  const used: Record<string, Schema> = {};
  const waiting = schemas.flatMap((schema) => [...referencesOf(schema)]);
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    if (Object.hasOwn(used, name) || !Object.hasOwn(definitions, name)) continue;
    const definition = definitions[name]!;
    used[name] = definition;
    waiting.push(...referencesOf(definition));
  }
  return used;
}

function referencesOf(schema: Schema): ReadonlySet<string> {
  if (typeof schema === "boolean") return new Set();
  const before = known.get(schema);
  if (before) return before;
  const found = new Set<string>();
  collect(schema, found);
  known.set(schema, found);
  return found;
}

function collect(value: unknown, found: Set<string>): void {
  if (typeof value !== "object" || value === null) return;
  for (const [key, member] of Object.entries(value)) {
    if (key === "$ref" && typeof member === "string" && member.startsWith(PREFIX)) {
      const [name = ""] = member.slice(PREFIX.length).split("/");
      found.add(decodeURIComponent(name).replaceAll("~1", "/").replaceAll("~0", "~"));
    } else collect(member, found);
  }
}
