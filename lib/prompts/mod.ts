/**
 * Prompt definitions, their templates, and the messages they make.
 *
 * @module
 */

export type {
  PromptArgument,
  PromptDefinition,
  PromptMessage,
  Template,
  TemplatePart,
} from "./definition.ts";
export type { PromptOptions, Reloadable } from "./provider.ts";
export type { DocumentSource, PromptEvents } from "./store.ts";
export { DefinitionError, readDefinition } from "./definition.ts";
export { promptProvider } from "./provider.ts";
export { checkArguments, PromptError, PromptStore, renderMessages } from "./store.ts";
