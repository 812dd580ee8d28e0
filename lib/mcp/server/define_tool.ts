/** Defines tools: checks a definition, copies it, and compiles its schemas. */

import type { AnySchema, Tool, ToolDefinition } from "./tool.ts";
import { compact, freeze } from "../../base/json.ts";
import { definedTools } from "./defined_tools.ts";
import { ToolDefinitionError } from "./tool_errors.ts";
import { register } from "./tool_schema.ts";
import { checkType } from "./shapes.ts";
import { isStandardSchema } from "./standard_schema.ts";

/**
 * Defines a tool.
 *
 * @throws {ToolDefinitionError} When the definition is incorrect, or one of its schemas.
 * @example
 * ```ts
 * import { createServer, defineTool } from "@architrave/architrave/server";
 *
 * const double = defineTool({
 *   name: "double",
 *   description: "Doubles a number.",
 *   inputSchema: { type: "object", properties: { a: { type: "number" } }, required: ["a"] },
 *   outputSchema: { type: "number" },
 *   handler: ({ a }) => 2 * a,
 * });
 * const server = createServer({ info: { name: "calculator", version: "1.0.0" }, tools: [double] });
 * ```
 */
export function defineTool<const In extends AnySchema, const Out extends AnySchema | undefined = undefined>(
  definition: ToolDefinition<In, Out>,
): Tool {
  const fail = (reason: string): never => {
    throw new ToolDefinitionError(`Cannot define the tool "${definition?.name}": ${reason}`);
  };
  // A definition may be an instance of a class with members of its own.
  checkType(definition, "tool", "", fail, []);
  const { name, timeoutMs, outputField, outputSchema, annotations = {} } = definition;
  checkType(annotations, "hints", "annotations", fail);
  if (!/^[A-Za-z0-9_.-]{1,128}$/.test(name)) fail('a name has 1 to 128 letters, digits, "_", "-" and "."');
  if (timeoutMs !== undefined && !(timeoutMs > 0 && timeoutMs <= MAX_TIMEOUT_MS)) {
    fail(`its timeoutMs must be between 1 and ${MAX_TIMEOUT_MS} ms, not ${timeoutMs}`);
  }
  if (outputField !== undefined && outputSchema === undefined) {
    fail(`its outputField "${outputField}" needs an outputSchema`);
  }
  // Copied, so that later changes have no effect; member by member, because the getters of a class are in its prototype.
  const parts = PARTS.map((key) => {
    const part = definition[key];
    return [key, typeof part === "object" && !isStandardSchema(part) ? freeze(structuredClone(part)) : part];
  });
  const handler = definition.handler.bind(definition);
  const copy = Object.freeze(compact({ ...Object.fromEntries(parts), handler }) as Definition);
  const tool = Object.freeze({ name, definition: copy });
  definedTools.set(tool, register(tool));
  return tool;
}

type Definition = ToolDefinition<AnySchema, AnySchema | undefined>;

/** The members of a definition, without the handler. */
const PARTS =
  "name title description inputSchema outputSchema outputField checkOutput annotations ui timeoutMs _meta"
    .split(" ") as readonly (keyof Definition)[];
const MAX_TIMEOUT_MS = 2 ** 31 - 1;
