/** Tools and schemas for tests. */

import type {
  AnySchema,
  StandardResult,
  StandardSchema,
  Tool,
  ToolDefinition,
} from "../../lib/server/mod.ts";
import { defineTool } from "../../lib/server/mod.ts";

/** The parts of a definition that matter to a test. */
export type More = Partial<ToolDefinition<AnySchema, AnySchema | undefined>>;

/** A tool that takes no arguments, unless the test says otherwise. */
export function tool(name: string, more: More = {}): Tool {
  return defineTool({ name, inputSchema: { type: "object" }, handler: () => "done", ...more });
}

/** A schema of a library, which has a JSON Schema or not. */
export function fake<T>(
  validate: (value: unknown) => StandardResult<T> | Promise<StandardResult<T>>,
  jsonSchema?: Record<string, unknown>,
): StandardSchema<unknown, T> {
  const given = jsonSchema && { input: () => jsonSchema, output: () => jsonSchema };
  return { "~standard": { version: 1, vendor: "fake", validate, ...(given ? { jsonSchema: given } : {}) } };
}
