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
/** Defines a tool. See `/server`. */
export const defineTool: typeof Lib.defineTool = lib.defineTool;
/** Defines a prompt. See `/server`. */
export const definePrompt: typeof Lib.definePrompt = lib.definePrompt;
/** Makes a resource provider of functions. See `/server`. */
export const resourceProvider: typeof Lib.resourceProvider = lib.resourceProvider;
/** The schema of an object, in short. See `/server`. */
export const object: typeof Lib.object = lib.object;
/** Serves the client that has started this program. See `/server`. */
export const serveStdio: typeof Lib.serveStdio = lib.serveStdio;
/** A text block. See `/server`. */
export const text: typeof Lib.text = lib.text;
/** An image block. See `/server`. */
export const image: typeof Lib.image = lib.image;
/** An audio block. See `/server`. */
export const audio: typeof Lib.audio = lib.audio;
/** An embedded resource. See `/server`. */
export const embeddedResource: typeof Lib.embeddedResource = lib.embeddedResource;
/** A link to a resource. See `/server`. */
export const resourceLink: typeof Lib.resourceLink = lib.resourceLink;
/** A tool result with explicit parts. See `/server`. */
export const ToolResult: typeof Lib.ToolResult = lib.ToolResult;
/** The type of its instances. */
export type ToolResult = Lib.ToolResult;
/** A tool is defined incorrectly. See `/server`. */
export const ToolDefinitionError: typeof Lib.ToolDefinitionError = lib.ToolDefinitionError;
/** The type of its instances. */
export type ToolDefinitionError = Lib.ToolDefinitionError;
/** A call timed out. See `/server`. */
export const ToolTimeoutError: typeof Lib.ToolTimeoutError = lib.ToolTimeoutError;
/** The type of its instances. */
export type ToolTimeoutError = Lib.ToolTimeoutError;
/** A call cannot be carried out. The message is for the model. See `/server`. */
export const ToolValidationError: typeof Lib.ToolValidationError = lib.ToolValidationError;
/** The type of its instances. */
export type ToolValidationError = Lib.ToolValidationError;
/** The client cannot be asked this. See `/server`. */
export const MissingCapabilityError: typeof Lib.MissingCapabilityError = lib.MissingCapabilityError;
/** The type of its instances. */
export type MissingCapabilityError = Lib.MissingCapabilityError;
/** The client has not answered. See `/server`. */
export const UnansweredError: typeof Lib.UnansweredError = lib.UnansweredError;
/** The type of its instances. */
export type UnansweredError = Lib.UnansweredError;
/** The user has to open a URL first. See `/server`. */
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
