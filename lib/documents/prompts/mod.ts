/**
 * Serves prompt definition files as MCP prompts.
 *
 * @module
 */

export type { PromptFolder, PromptOptions } from "./provider.ts";
export { promptProvider } from "./provider.ts";
