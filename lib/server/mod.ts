/**
 * MCP servers for every revision: tools, resources, prompts, and asking the client.
 *
 * @module
 */

export type { Awaitable } from "../base/async.ts";
export type { Negotiated } from "../protocol/revisions.ts";
export type { ClientFacts } from "../protocol/revisions.ts";
export type { ServerInfo } from "./handlers.ts";
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
export type { LogLevel } from "./tool_context.ts";
export type {
  Reading,
  ResourceDefinition,
  ResourceProviderOptions,
  ResourceTemplateDefinition,
} from "./resource_provider.ts";
export type { Era, Revision } from "../protocol/revisions.ts";
export type { StandardIssue, StandardResult, StandardSchema } from "./tool.ts";
export type { Rate } from "./tool_registry.ts";
export type { AnySchema, Tool, ToolAnnotations, ToolDefinition, ToolSet, ValueOf } from "./tool.ts";
export type { ToolContext } from "./tool_context.ts";
export type { Content, Hints } from "./tool_result.ts";
export type { Notify } from "./subscriptions.ts";
export type { TemplateValues } from "./resource_provider.ts";
export type { Server } from "./server.ts";
export type { ServerOptions } from "./server.ts";
export type { TokenSigner } from "./signer.ts";
export type {
  Answered,
  Choice,
  ClientRequests,
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
} from "./client_requests.ts";
export type { Arrival, ServerCall } from "./handlers.ts";
export type { Subscriptions } from "./subscriptions.ts";
export { ContextError, ExecutionContext, Session } from "./context.ts";
export { McpErrorCode } from "../protocol/errors.ts";
export { REVISIONS } from "../protocol/revisions.ts";
export { createServer } from "./server.ts";
export { resourceProvider } from "./resource_provider.ts";
export { defineTool, ToolDefinitionError, ToolTimeoutError, ToolValidationError } from "./tool.ts";
export { audio, embeddedResource, image, resourceLink, text, ToolResult } from "./tool_result.ts";
export { MissingCapabilityError, UnansweredError, UrlElicitationRequiredError } from "./client_requests.ts";
export { UriTemplateError } from "./resource_provider.ts";
