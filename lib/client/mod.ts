/**
 * How does one talk to an MCP server? Typed calls over any carrier, with servers of every revision.
 *
 * @module
 */

export type { ClientTransport, Connectable, UnaskedEvent } from "./carrier.ts";
export type { ChangeEvent, ChangeFilter } from "./changes.ts";
export type { CompletionReference, ServerFacts } from "./client.ts";
export type {
  ElicitResult,
  FormRequest,
  InputContext,
  InputHandlers,
  Root,
  SampleRequest,
  SampleResult,
  UrlRequest,
} from "./inputs.ts";
export type { HttpOptions } from "./http.ts";
export type { CallOptions, ClientInfo, ClientOptions, LogMessage, Progress } from "./options.ts";
export type { ProgramTransport, SpawnOptions } from "./program.ts";
export type { ProgramOptions } from "../platform/program.ts";
export type { MessageContext, Transport } from "../transport/transport.ts";
export type {
  Completion,
  ContentBlock,
  Named,
  Page,
  Prompt,
  PromptResult,
  PromptsPage,
  ReadResult,
  Resource,
  ResourceContents,
  ResourcesPage,
  ResourceTemplate,
  ResourceTemplatesPage,
  Result,
  Tool,
  ToolResult,
  ToolsPage,
} from "./results.ts";
export type { Era } from "./revisions.ts";
export type { Members } from "./value.ts";
export { AnswerStore } from "./answers.ts";
export { Changes } from "./changes.ts";
export { Client } from "./client.ts";
export { connect } from "./connect.ts";
export { ConnectError, HttpError, ProtocolError, SessionLostError, TimeoutError } from "./errors.ts";
export { httpTransport } from "./http.ts";
export { spawnTransport } from "./program.ts";
