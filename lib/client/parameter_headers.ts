/**
 * Which arguments of a tool travel in header fields as well? Those that its schema marks with `x-mcp-header`.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http#custom-headers-from-tool-parameters
 */

import type { Members } from "./value.ts";
import { isObject } from "../base/json.ts";

const MARK = "x-mcp-header";
/** What the name of a header field may be made of (RFC 9110, section 5.6.2). */
const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const PRIMITIVES: ReadonlySet<unknown> = new Set(["string", "integer", "boolean"]);
/** How deep a schema is looked into. */
const MAX_DEPTH = 100;

/** One argument that is mirrored. */
export interface Mirrored {
  /** What the header field is called, after `Mcp-Param-`. */
  readonly name: string;
  /** The members that lead to the argument. */
  readonly path: readonly string[];
}

/**
 * Reads the marks of a tool's schema.
 *
 * @returns What is mirrored; a text that says what is wrong where a mark is not as it must be.
 */
export function readMarks(inputSchema: unknown): readonly Mirrored[] | string {
  const found: Mirrored[] = [];
  const wrong = walk(inputSchema, [], true, found, 0);
  if (wrong !== undefined) return wrong;
  const names = found.map(({ name }) => name.toLowerCase());
  const twice = names.find((name, index) => names.indexOf(name) < index);
  return twice === undefined ? found : `it marks two parameters with ${MARK} "${twice}"`;
}

/** @returns What is wrong. */
function walk(
  schema: unknown,
  path: readonly string[],
  isReachable: boolean,
  found: Mirrored[],
  depth: number,
): string | undefined {
  if (typeof schema !== "object" || schema === null) return undefined;
  if (depth > MAX_DEPTH) return "its schema nests too deep";
  if (isObject(schema) && Object.hasOwn(schema, MARK)) {
    const wrong = check(schema, path, isReachable);
    if (wrong !== undefined) return wrong;
    found.push({ name: schema[MARK] as string, path });
  }
  for (const [keyword, member] of Object.entries(schema)) {
    if (keyword === MARK) continue;
    if (keyword === "properties" && isReachable && isObject(member)) {
      for (const [name, property] of Object.entries(member)) {
        const wrong = walk(property, [...path, name], true, found, depth + 2);
        if (wrong !== undefined) return wrong;
      }
    } else if (keyword !== "default" && keyword !== "const" && keyword !== "enum" && keyword !== "examples") {
      const wrong = walk(member, path, false, found, depth + 1);
      if (wrong !== undefined) return wrong;
    }
  }
  return undefined;
}

function check(schema: Members, path: readonly string[], isReachable: boolean): string | undefined {
  const name = schema[MARK];
  if (typeof name !== "string" || !TOKEN.test(name)) {
    return `its ${MARK} ${JSON.stringify(name)} is no name of a header field`;
  }
  if (!isReachable || path.length === 0) {
    return `its ${MARK} "${name}" is not on a parameter that is there by its name alone`;
  }
  if (!PRIMITIVES.has(schema["type"])) {
    return `its ${MARK} "${name}" is not on a string, an integer or a boolean`;
  }
  return undefined;
}

/** The header fields for a call, not encoded yet; arguments that are missing or null have none. */
export function mirror(marks: readonly Mirrored[], args: Members): Readonly<Record<string, string>> {
  const fields: [string, string][] = [];
  for (const { name, path } of marks) {
    let value: unknown = args;
    for (const step of path) value = isObject(value) && Object.hasOwn(value, step) ? value[step] : undefined;
    const isPrimitive = typeof value === "string" || typeof value === "boolean" ||
      Number.isSafeInteger(value);
    if (isPrimitive) fields.push([`Mcp-Param-${name}`, String(value)]);
  }
  return Object.fromEntries(fields);
}
