/** References within schemas, and the definitions that they refer to. */

import type { JsonObject } from "../base/json.ts";
import type { Schema, Schemas } from "../formats/schema/mod.ts";
import { asArray, isObject } from "../base/json.ts";
import { parsePointer } from "../base/pointer.ts";
import { uriDecoded } from "../base/text.ts";
import { refuse } from "./errors.ts";

/** Keywords that hold a list of schemas for the same value. */
export const IN_PLACE: readonly string[] = ["allOf", "anyOf", "oneOf"];

/** The maximum number of references and lists that lead from a schema to one of its parts. */
const MAX_DEPTH = 500;

/**
 * A schema, the target of its reference, and the schemas in its keywords `lists`, recursively and each once. Throws a
 * `GatewayError` for more than 500 references in a row: a document may have any number.
 */
export function partsOf(
  schema: unknown,
  find: (reference: string) => unknown,
  lists: readonly string[] = IN_PLACE,
  ignoresSiblings: boolean = false,
  found: Set<JsonObject> = new Set(),
  depth: number = 0,
): JsonObject[] {
  if (!isObject(schema) || found.has(schema)) return [];
  if (depth > MAX_DEPTH) refuse(`More than ${MAX_DEPTH} references in a row lead to a schema`);
  found.add(schema);
  const { $ref } = schema;
  const isReference = typeof $ref === "string";
  const inner = lists.flatMap((keyword) => asArray(schema[keyword]));
  const next = isReference ? [find($ref), ...ignoresSiblings ? [] : inner] : inner;
  const parts = next.flatMap((one) => partsOf(one, find, lists, ignoresSiblings, found, depth + 1));
  return isReference && ignoresSiblings ? parts : [schema, ...parts];
}

/** The names of the definitions that each schema refers to. It is a cache: hundreds of endpoints share definitions. */
const references = new WeakMap<object, Set<string>>();

/** The definitions that schemas need, by name. The compiler checks all other references. */
export function usedBy(schemas: readonly Schema[], definitions: Schemas): Schemas {
  const used: Record<string, Schema> = {};
  const waiting = schemas.filter(isObject);
  for (const schema of waiting) {
    let names = references.get(schema);
    if (!names) {
      const found = JSON.stringify(schema).matchAll(/"#\/\$defs\/(?:[^"\\]|\\.)*"/g);
      references.set(schema, names = new Set(Array.from(found, ([text]) => definitionOf(JSON.parse(text))!)));
    }
    for (const name of names) {
      if (Object.hasOwn(used, name) || !Object.hasOwn(definitions, name)) continue;
      const definition = used[name] = definitions[name]!;
      if (isObject(definition)) waiting.push(definition);
    }
  }
  return used;
}

/** The tokens of a JSON pointer in a URI fragment; undefined if it is not encoded correctly. */
export function tokensOf(reference: string): readonly string[] | undefined {
  return parsePointer(uriDecoded(reference.slice(1)) ?? "?");
}

/** The name of the definition that a reference points to or into; undefined for any other reference. */
export function definitionOf(reference: string): string | undefined {
  const [keyword, name] = reference.startsWith("#") ? tokensOf(reference) ?? [] : [];
  return keyword === "$defs" ? name : undefined;
}
