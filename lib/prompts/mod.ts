/**
 * Serves prompt definition files as MCP prompts.
 *
 * @module
 */

export type { PromptOptions } from "./provider.ts";
export { promptProvider } from "./provider.ts";
