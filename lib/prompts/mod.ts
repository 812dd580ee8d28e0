/**
 * What shall be said? Prompt definitions, their templates, and the messages they make.
 *
 * @module
 */

export type { PromptArgument, PromptDefinition, PromptMessage } from "./definition.ts";
export type { DocumentSource } from "./render.ts";
export type { PromptOptions, Reloadable } from "./provider.ts";
export type { Template, TemplatePart } from "./template.ts";
export { DefinitionError, readDefinition } from "./definition.ts";
export { promptProvider } from "./provider.ts";
export { checkArguments, PromptError, renderMessages } from "./render.ts";
export { parseTemplate, TemplateError } from "./template.ts";
