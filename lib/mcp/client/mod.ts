/**
 * An MCP client: typed calls over any transport, to servers of every revision.
 *
 * @module
 */

export type { Awaitable } from "../../base/async.ts";
export type { JsonObject } from "../../base/json.ts";
export type { ProgramOptions } from "../../platform/program.ts";
export type { Era } from "../protocol/revisions.ts";
export type { ContentBlock, Result, Root } from "../protocol/types.ts";
export type { MessageContext, Transport } from "../../jsonrpc/transport/transport.ts";
export type { HttpOptions } from "./http.ts";
export type { CallOptions, ClientInfo, ClientOptions, ClientTransport, Connectable } from "./options.ts";
export type { ElicitResult, FormRequest, InputContext, InputHandlers, LogMessage } from "./options.ts";
export type { Progress, SampleRequest, SampleResult, UrlRequest } from "./options.ts";
export type { ProgramTransport, SpawnOptions } from "./program.ts";
export type { ServerInfo } from "./session.ts";
export type { ChangeEvent, ChangeFilter } from "./subscriptions.ts";
export type { Completion, CompletionReference, FilledPrompt as PromptResult } from "./types.ts";
export type { ListedItem as Named, ListedPrompt as Prompt, ListedResource as Resource } from "./types.ts";
export type { ListedResourceTemplate as ResourceTemplate, ListedTool as Tool, Page } from "./types.ts";
export type {
  ReadResult,
  ReceivedContents as ResourceContents,
  ToolCallResult as ToolResult,
} from "./types.ts";
export { Client, ResponseCache } from "./client.ts";
export { httpTransport } from "./http.ts";
export { ClientError, ConnectError, HttpError, ProtocolError, SessionLostError } from "./options.ts";
export { TimeoutError } from "./options.ts";
export { connect } from "./session.ts";
export { spawnTransport } from "./program.ts";
export { Subscription } from "./subscriptions.ts";
export { TransportError } from "../../jsonrpc/transport/stream.ts";
