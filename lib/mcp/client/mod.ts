/**
 * An MCP client: typed calls over any transport, to servers of every revision.
 *
 * @module
 */

export type { Awaitable } from "../../base/async.ts";
export type { JsonObject } from "../../base/json.ts";
export type { ProgramOptions } from "../../platform/program.ts";
export type { MessageContext, Transport } from "../../jsonrpc/transport/transport.ts";
export type { Era } from "../protocol/revisions.ts";
export type { ContentBlock, Result, Root } from "../protocol/types.ts";
export type { ClientTransport, Connectable } from "./client_transport.ts";
export type { HttpOptions } from "./http.ts";
export type { ElicitResult, FormRequest, InputContext, InputHandlers } from "./input.ts";
export type { ModelRequest as SampleRequest, SampleResult, UrlRequest } from "./input.ts";
export type { CallOptions, ClientInfo, ClientOptions, LogMessage, Progress } from "./options.ts";
export type { ProgramTransport, SpawnOptions } from "./program.ts";
export type { ChangeEvent, ChangeFilter } from "./subscription.ts";
export type { Completion, CompletionReference, FilledPrompt as PromptResult } from "./types.ts";
export type { ListedItem as Named, ListedPrompt as Prompt, ListedResource as Resource } from "./types.ts";
export type { ListedResourceTemplate as ResourceTemplate, ListedTool as Tool, Page } from "./types.ts";
export type { ReadResult, ReceivedContents as ResourceContents } from "./types.ts";
export type { ServerDescription as ServerInfo, ToolCallResult as ToolResult } from "./types.ts";
export { ErrorCode, RpcError } from "../../jsonrpc/message.ts";
export { memoryTransports, TransportError } from "../../jsonrpc/transport/stream.ts";
export { Client } from "./client.ts";
export { connect } from "./connect.ts";
export { ClientError, ConnectError, HttpStatusError as HttpError, ProtocolError } from "./errors.ts";
export { SessionLostError, TimeoutError } from "./errors.ts";
export { httpTransport } from "./http.ts";
export { spawnTransport } from "./program.ts";
export { ResponseCache } from "./response_cache.ts";
export { Subscription } from "./subscription.ts";
