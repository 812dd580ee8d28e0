/**
 * MCP servers for every revision: tools, resources, prompts, and asking the client.
 *
 * @module
 */

export type { Awaitable } from "../../base/async.ts";
export type { TokenSigner } from "../../base/signer.ts";
export type { ObjectMembers, ObjectSchema } from "../../formats/schema/object.ts";
export type { FromSchema, Schema, SchemaObject, Schemas } from "../../formats/schema/schema.ts";
export type { TemplateValues } from "../../formats/uri_template.ts";
export type { HeaderParameter } from "../protocol/headers.ts";
export type { ClientFacts, Era, Negotiated, Revision } from "../protocol/revisions.ts";
export type { ContentBlock, Named, Prompt, PromptResult, Resource } from "../protocol/types.ts";
export type { ResourceContents, ResourceTemplate, Result, Root } from "../protocol/types.ts";
export type { Trace } from "../protocol/trace.ts";
export type { AcceptedCall, AcceptedRequest } from "./accepted.ts";
export type { ScopePolicy } from "./access.ts";
export type { Change, ChangeKind, ChangeListener, Notify, Subscriptions } from "./changes.ts";
export type { Choices, ClientRequests, Elicited, Form, FormField } from "./client_requests.ts";
export type { FormSchema, InputRunner, Keyed, Sample } from "./client_requests.ts";
export type { SampleContent, SampleMessage, SampleRequest, UrlElicitation } from "./client_requests.ts";
export type { Content, Hints, ResourceLink } from "./content.ts";
export type { DefinePromptOptions, PromptMessages, PromptParameters, PromptValues } from "./define_prompt.ts";
export type { LogLevel } from "./log_level.ts";
export type { ServerInfo, ServerOptions } from "./options.ts";
export type { Extension, ExtensionMethods, PromptProvider, Provider } from "./provider.ts";
export type { ResourceProvider } from "./provider.ts";
export type { Reading, ResourceDefinition, ResourceProviderOptions } from "./resource_provider.ts";
export type { ResourceTemplateDefinition } from "./resource_provider.ts";
export type { Server } from "./server.ts";
export type { StandardResult, StandardSchema } from "./standard_schema.ts";
export type { AnySchema, Tool, ToolAnnotations } from "./tool.ts";
export type { ToolContext, ToolDefinition, ToolSet, ToolView, ValueOf } from "./tool.ts";
export type { Rate } from "./tool_registry.ts";
export { object } from "../../formats/schema/object.ts";
export { McpError, McpErrorCode } from "../protocol/errors.ts";
export { REVISIONS } from "../protocol/revisions.ts";
export { Access } from "./access.ts";
export { MissingCapabilityError, UnansweredError, UrlElicitationRequiredError } from "./client_errors.ts";
export { audio, embeddedResource, image, resourceLink, text, ToolResult } from "./content.ts";
export { ContextError, ExecutionContext } from "./context.ts";
export { definePrompt } from "./define_prompt.ts";
export { defineTool } from "./define_tool.ts";
export { ToolDefinitionError, ToolTimeoutError, ToolValidationError } from "./tool_errors.ts";
export { resourceProvider } from "./resource_provider.ts";
export { serveStdio } from "./serve_stdio.ts";
export { createServer } from "./server.ts";
export { Session } from "./session.ts";
