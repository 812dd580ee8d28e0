/** Which tools are tried in tests? */

import type {
  AnySchema,
  StandardResult,
  StandardSchema,
  Tool,
  ToolDefinition,
} from "../../lib/server/tool.ts";
import { defineTool } from "../../lib/server/tool.ts";

/** What a server says of itself. */
export const INFO = { name: "t", version: "1" };
/** No argument is known. */
export const NOTHING = { type: "object" } as const;

/** A tool of which a test says what matters to it. */
export function tool(
  name: string,
  more: Partial<ToolDefinition<AnySchema, AnySchema | undefined>> = {},
): Tool {
  return defineTool({ name, inputSchema: NOTHING, handler: () => "done", ...more });
}

/** A tool with everything that can be said of one. */
export const add: Tool = defineTool({
  name: "add",
  title: "Add",
  description: "Adds two numbers.",
  inputSchema: {
    type: "object",
    properties: { a: { type: "number" }, b: { type: "number" } },
    required: ["a", "b"],
  },
  outputSchema: { type: "number" },
  annotations: { title: "Add", readOnlyHint: true },
  _meta: { "t/deep": { a: 1 } },
  handler: ({ a, b }) => a + b,
});

/** A schema of a library that nobody has heard of. */
export function fake<T>(
  validate: (value: unknown) => StandardResult<T> | Promise<StandardResult<T>>,
  jsonSchema?: Record<string, unknown>,
): StandardSchema<unknown, T> {
  const given = jsonSchema && { input: () => jsonSchema, output: () => jsonSchema };
  return { "~standard": { version: 1, vendor: "fake", validate, ...(given ? { jsonSchema: given } : {}) } };
}
