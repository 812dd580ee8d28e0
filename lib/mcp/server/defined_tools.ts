/** The tools that `defineTool` made. A module of its own: a server without tools does not load the compiler of schemas. */

import type { RegisteredTool } from "./tool_schema.ts";

/** The tools that `defineTool` has checked, copied and frozen, with their compiled schemas. */
export const definedTools: WeakMap<object, RegisteredTool> = new WeakMap();
