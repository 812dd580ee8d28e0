/**
 * Which arguments of a tool does a carrier with a head repeat there? Those whose schema says `x-mcp-header`.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http#schema-extension
 */

import { isObject } from "../base/json.ts";

/** One such argument. */
export interface HeaderParameter {
  /** What follows `Mcp-Param-`. */
  readonly name: string;
  /** Where the argument is. */
  readonly path: readonly string[];
}

const KEYWORD = "x-mcp-header";
const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const TYPES: readonly unknown[] = ["string", "integer", "boolean"];

/**
 * Finds them all.
 *
 * @throws {TypeError} When one is not as it must be: clients would leave out the tool.
 */
export function headerParameters(schema: Readonly<Record<string, unknown>>): readonly HeaderParameter[] {
  const found: HeaderParameter[] = [];
  const names = new Set<string>();
  visit(schema, [], (name, path) => {
    const key = name.toLowerCase();
    if (names.has(key)) throw new TypeError(`${KEYWORD} names "${name}" twice`);
    names.add(key);
    found.push({ name, path });
  });
  return found;
}

/** Walks through `properties`; below anything else there must be none. */
function visit(
  schema: unknown,
  path: readonly string[] | undefined,
  take: (name: string, path: readonly string[]) => void,
): void {
  if (Array.isArray(schema)) return schema.forEach((one) => visit(one, undefined, take));
  if (!isObject(schema)) return;
  for (const [keyword, value] of Object.entries(schema)) {
    if (keyword === "const" || keyword === "enum" || keyword === "default" || keyword === "examples") {
      continue;
    }
    if (keyword === KEYWORD) {
      take(checked(value, schema["type"], path), path!);
    } else if (keyword === "properties" && isObject(value)) {
      for (const [key, one] of Object.entries(value)) visit(one, path && [...path, key], take);
    } else visit(value, undefined, take);
  }
}

function checked(name: unknown, type: unknown, path: readonly string[] | undefined): string {
  if (typeof name !== "string" || !TOKEN.test(name)) {
    throw new TypeError(`${KEYWORD} must be a name of a field`);
  }
  if (path === undefined || path.length === 0) {
    throw new TypeError(`${KEYWORD} "${name}" is at a place that no argument is certain to be at`);
  }
  if (TYPES.includes(type)) return name;
  throw new TypeError(`${KEYWORD} "${name}" is at an argument that is no string, integer or boolean`);
}
