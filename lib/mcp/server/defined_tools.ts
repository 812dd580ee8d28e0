/** Which tools were made by `defineTool`. A module of its own, so that a server without tools does not load `tool.ts`. */

/** The tools that `defineTool` has checked, copied and frozen. */
export const definedTools: WeakSet<object> = new WeakSet();
