/**
 * What does MCP mean? A server of documents, prompts and whatever embedding code provides, in every revision.
 *
 * @module
 */

export type { Awaitable } from "../base/async.ts";
export type { Terms } from "./session.ts";
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
export type { LogLevel } from "./logging.ts";
export type {
  Reading,
  ResourceDefinition,
  ResourceProviderOptions,
  ResourceTemplateDefinition,
} from "./resource_provider.ts";
export type { Era, Revision } from "../protocol/revisions.ts";
export type { StandardIssue, StandardResult, StandardSchema } from "./standard_schema.ts";
export type { Rate } from "./token_bucket.ts";
export type { AnySchema, Tool, ToolAnnotations, ToolDefinition, ToolSet, ValueOf } from "./tool.ts";
export type { ToolContext } from "./tool_context.ts";
export type { Content, Hints } from "./tool_result.ts";
export type { Notify } from "./subscriptions.ts";
export type { TemplateValues } from "./uri_template.ts";
export type { Server } from "./server.ts";
export type { ServerOptions } from "./server_options.ts";
export type { TokenSigner } from "./signed_token.ts";
export type {
  Answered,
  Asking,
  Choice,
  Elicited,
  Field,
  Form,
  FormField,
  FormSchema,
  Keyed,
  Page,
  Root,
  Sample,
  SampleContent,
  SampleMessage,
  SampleRequest,
} from "./asking.ts";
export { Session } from "./session.ts";
export { ContextError, ExecutionContext } from "./context.ts";
export { McpErrorCode } from "../protocol/errors.ts";
export { REVISIONS } from "../protocol/revisions.ts";
export { createServer } from "./server.ts";
export { resourceProvider } from "./resource_provider.ts";
export { defineTool, ToolDefinitionError, ToolTimeoutError, ToolValidationError } from "./tool.ts";
export { audio, embeddedResource, image, resourceLink, text, ToolResult } from "./tool_result.ts";
export { MissingCapabilityError, UnansweredError, UrlElicitationRequiredError } from "./unanswered.ts";
export { UriTemplateError } from "./uri_template.ts";
