/**
 * What does MCP mean? A server of documents, prompts and whatever embedding code provides, in every revision.
 *
 * @module
 */

export type { DocumentOptions, DocumentProvider } from "./document_provider.ts";
export type { PromptOptions, Reloadable } from "./prompt_provider.ts";
export type { Awaitable } from "./awaitable.ts";
export type { Terms } from "./connection.ts";
export type { ClientFacts } from "./context.ts";
export type { ServerInfo } from "./methods.ts";
export type {
  Change,
  Prompt,
  PromptProvider,
  PromptResult,
  Provider,
  Resource,
  ResourceContents,
  ResourceProvider,
  ResourceTemplate,
} from "./provider.ts";
export type { Era, Revision } from "./revisions.ts";
export type { Server, ServerOptions } from "./server.ts";
export { Connection } from "./connection.ts";
export { ContextError, ExecutionContext } from "./context.ts";
export { documentProvider } from "./document_provider.ts";
export { McpErrorCode } from "./errors.ts";
export { promptProvider } from "./prompt_provider.ts";
export { REVISIONS } from "./revisions.ts";
export { createServer } from "./server.ts";
