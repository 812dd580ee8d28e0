/**
 * Serves prompt definition files as MCP prompts.
 *
 * @module
 */

export type { PromptOptions } from "./options.ts";
export type { PromptFolder } from "./provider.ts";
export { promptProvider } from "./provider.ts";
