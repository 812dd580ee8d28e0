/**
 * MCP servers for every revision: tools, resources, prompts, and asking the client.
 *
 * @module
 */

export type { Awaitable } from "../../base/async.ts";
export type { TokenSigner } from "../../base/signer.ts";
export type { TemplateValues } from "../../formats/uri_template.ts";
export type { HeaderParameter } from "../protocol/headers.ts";
export type { ClientFacts, Era, Negotiated, Revision } from "../protocol/revisions.ts";
export type { ContentBlock, Named, Prompt, PromptResult, Resource } from "../protocol/types.ts";
export type { ResourceContents, ResourceTemplate, Result, Root } from "../protocol/types.ts";
export type { Choices, ClientRequests, Elicited, Form, FormField } from "./client_requests.ts";
export type { FormSchema, Keyed, Sample } from "./client_requests.ts";
export type { SampleContent, SampleMessage, SampleRequest, UrlElicitation } from "./client_requests.ts";
export type { ScopePolicy } from "./context.ts";
export type { Change, Extension, ExtensionMethods, PromptProvider, Provider } from "./provider.ts";
export type { ResourceProvider } from "./provider.ts";
export type { Reading, ResourceDefinition, ResourceProviderOptions } from "./resource_provider.ts";
export type { ResourceTemplateDefinition } from "./resource_provider.ts";
export type { Server, ServerInfo, ServerOptions } from "./server.ts";
export type { ChangeKind, ChangeListener, Notify, Subscriptions } from "./changes.ts";
export type { AnySchema, LogLevel, StandardResult, StandardSchema, Tool, ToolAnnotations } from "./tool.ts";
export type { Content, Hints, ResourceLink } from "./tool.ts";
export type { ToolContext, ToolDefinition, ToolSet, ToolView, ValueOf } from "./tool.ts";
export type { Rate } from "./tool_registry.ts";
export { McpErrorCode } from "../protocol/errors.ts";
export { REVISIONS } from "../protocol/revisions.ts";
export { MissingCapabilityError, UnansweredError, UrlElicitationRequiredError } from "./tool.ts";
export { Access, ContextError, ExecutionContext, Session } from "./context.ts";
export { resourceProvider } from "./resource_provider.ts";
export { createServer } from "./server.ts";
export { defineTool, ToolDefinitionError, ToolTimeoutError, ToolValidationError } from "./tool.ts";
export { audio, embeddedResource, image, resourceLink, text, ToolResult } from "./tool.ts";
