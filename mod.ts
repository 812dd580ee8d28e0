#!/usr/bin/env node
/**
 * Serves a team's decisions to AI assistants over MCP. Run directly, it is the program; imported, what such a server is made of.
 *
 * @example Serve a folder of decision records from a program of your own
 * ```ts
 * import { createServer, documentProvider, loadPlatform, serveStdio } from "@architrave/architrave";
 *
 * const platform = await loadPlatform();
 * const adr = documentProvider(platform, { mounts: [{ name: "adr", path: "docs/decisions" }] });
 * await serveStdio(createServer({ info: { name: "our-decisions", version: "1.0.0" }, resources: [adr] }));
 * ```
 *
 * @module
 */

import type * as Lib from "./lib/mcp/server/mod.ts";

export type { ByteChannel, ByteEvents, DirectoryEntry, FileStatus, FileSystem, OpenFile } from "./deps.ts";
export type { Platform, Watch } from "./deps.ts";
export type { MessageContext, Transport } from "./lib/jsonrpc/transport/transport.ts";
export type { DocumentOptions, DocumentProvider } from "./lib/documents/mod.ts";
export type { PromptOptions } from "./lib/documents/prompts/options.ts";
export type { AcceptedCall, AcceptedRequest, AnySchema, Awaitable, Change } from "./lib/mcp/server/mod.ts";
export type { ChangeKind, ChangeListener, Choices, ClientFacts } from "./lib/mcp/server/mod.ts";
export type { ClientRequests, Content, ContentBlock, DefinePromptOptions } from "./lib/mcp/server/mod.ts";
export type { Elicited, Era, Extension, ExtensionMethods, Form, FormField } from "./lib/mcp/server/mod.ts";
export type { FormSchema, FromSchema, HeaderParameter, Hints, InputRunner } from "./lib/mcp/server/mod.ts";
export type { Keyed, LogLevel, Named, Negotiated, Notify, ObjectMembers } from "./lib/mcp/server/mod.ts";
export type { ObjectSchema, Prompt, PromptMessages, PromptParameters } from "./lib/mcp/server/mod.ts";
export type { PromptProvider, PromptResult, PromptValues, Provider, Rate } from "./lib/mcp/server/mod.ts";
export type { Reading, Resource, ResourceContents, ResourceDefinition } from "./lib/mcp/server/mod.ts";
export type { ResourceLink, ResourceProvider, ResourceProviderOptions } from "./lib/mcp/server/mod.ts";
export type { ResourceTemplate, ResourceTemplateDefinition, Result, Revision } from "./lib/mcp/server/mod.ts";
export type { Root, Sample, SampleContent, SampleMessage, SampleRequest } from "./lib/mcp/server/mod.ts";
export type { Schema, SchemaObject, Schemas, ScopePolicy, Server, ServerInfo } from "./lib/mcp/server/mod.ts";
export type { ServerOptions, StandardResult, StandardSchema, Subscriptions } from "./lib/mcp/server/mod.ts";
export type { TemplateValues, TokenSigner, Tool, ToolAnnotations } from "./lib/mcp/server/mod.ts";
export type { ToolContext, ToolDefinition, ToolSet, ToolView, UrlElicitation } from "./lib/mcp/server/mod.ts";
export type { Trace, ValueOf } from "./lib/mcp/server/mod.ts";
export { loadPlatform } from "./lib/platform/load.ts";
export { ErrorCode, RpcError } from "./lib/jsonrpc/message.ts";
export { protectOutput } from "./lib/jsonrpc/transport/protect_output.ts";
export { memoryTransports, stdioTransport } from "./lib/jsonrpc/transport/stream.ts";
export { documentProvider, documentTools } from "./lib/documents/provider.ts";
export { promptProvider } from "./lib/documents/prompts/provider.ts";
export { McpError, McpErrorCode } from "./lib/mcp/protocol/errors.ts";
export { REVISIONS } from "./lib/mcp/protocol/revisions.ts";
export { Access } from "./lib/mcp/server/access.ts";
export { ContextError, ExecutionContext } from "./lib/mcp/server/context.ts";
export { createServer } from "./lib/mcp/server/server.ts";
export { Session } from "./lib/mcp/server/session.ts";

const isSupported = await checkRuntime();
/** What the program does not need to start. It is loaded when this module is imported. */
const lib = !isSupported || import.meta.main ? {} as typeof Lib : await import("./lib/mcp/server/mod.ts");
/** Defines a tool: its schemas, from which the handler gets its types, and the handler, which runs a call. Throws a `ToolDefinitionError`. */
export const defineTool: typeof Lib.defineTool = lib.defineTool;
/** Defines a prompt: its arguments, and the handler, which returns a text of the user or messages. Throws a `TypeError`. */
export const definePrompt: typeof Lib.definePrompt = lib.definePrompt;
/** Makes a provider of `resources` by URI and of `templates`, each with a function that reads it. Throws a `TypeError`. */
export const resourceProvider: typeof Lib.resourceProvider = lib.resourceProvider;
/** The JSON Schema of an object: `object({ path: "string" }, { limit: "integer" })` has one required and one optional member. */
export const object: typeof Lib.object = lib.object;
/** Serves the client that has started this program over standard input and output, until the client closes them. */
export const serveStdio: typeof Lib.serveStdio = lib.serveStdio;
/** A block of text, for the result of a tool or a prompt; a string is one too. */
export const text: typeof Lib.text = lib.text;
/** A block with an image. Its bytes are encoded as Base64. */
export const image: typeof Lib.image = lib.image;
/** A block with audio. Its bytes are encoded as Base64. */
export const audio: typeof Lib.audio = lib.audio;
/** A block with the contents of a resource. */
export const embeddedResource: typeof Lib.embeddedResource = lib.embeddedResource;
/** A block that names a resource, which the client can read. */
export const resourceLink: typeof Lib.resourceLink = lib.resourceLink;
/** The result of a tool as blocks, and with an `outputSchema` also as a value. */
export const ToolResult: typeof Lib.ToolResult = lib.ToolResult;
/** The type of its instances. */
export type ToolResult = Lib.ToolResult;
/** Thrown by `defineTool` for a definition that cannot be used. */
export const ToolDefinitionError: typeof Lib.ToolDefinitionError = lib.ToolDefinitionError;
/** The type of its instances. */
export type ToolDefinitionError = Lib.ToolDefinitionError;
/** A call has taken longer than the `timeoutMs` of its tool. */
export const ToolTimeoutError: typeof Lib.ToolTimeoutError = lib.ToolTimeoutError;
/** The type of its instances. */
export type ToolTimeoutError = Lib.ToolTimeoutError;
/** Thrown by a handler when a call cannot be carried out. The model gets the message. */
export const ToolValidationError: typeof Lib.ToolValidationError = lib.ToolValidationError;
/** The type of its instances. */
export type ToolValidationError = Lib.ToolValidationError;
/** A question was not sent, because the client has not declared the capability to answer it. */
export const MissingCapabilityError: typeof Lib.MissingCapabilityError = lib.MissingCapabilityError;
/** The type of its instances. */
export type MissingCapabilityError = Lib.MissingCapabilityError;
/** The client gave no usable answer to a question. */
export const UnansweredError: typeof Lib.UnansweredError = lib.UnansweredError;
/** The type of its instances. */
export type UnansweredError = Lib.UnansweredError;
/** Thrown by a handler when the user has to open a URL first; then the handler runs again. */
export const UrlElicitationRequiredError: typeof Lib.UrlElicitationRequiredError =
  lib.UrlElicitationRequiredError;
/** The type of its instances. */
export type UrlElicitationRequiredError = Lib.UrlElicitationRequiredError;

if (isSupported && import.meta.main) await (await import("./lib/cli/main.ts")).main(import.meta.dirname);

/** Whether this runtime can run the program. If not, it has said so. */
async function checkRuntime(): Promise<boolean> {
  const { Deno: deno } = globalThis as { Deno?: { build: { os: string }; version: { deno: string } } };
  // Not looked at on Deno, which has one too, but loads much of its Node for it.
  const { process: node } = deno ? {} : globalThis as { process?: { versions: { node?: string } } };
  const isOld = deno
    // These versions give an open file another identity than its path has.
    ? deno.build.os === "windows" && /^2\.[0-3]\./.test(deno.version.deno)
    : /^(?:1?\d|2[013]|22\.(?:\d|1[0-7])|24\.[0-2])\./.test(node?.versions.node ?? "");
  return !isOld || (await import("./lib/cli/unsupported.ts")).refuseRuntime(import.meta.url);
}
