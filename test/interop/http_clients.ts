/**
 * How do the official clients reach a server over HTTP? Both generations, told how to open, with an answer to everything that a
 * server may ask, and with all that comes held against the official schemas.
 */

import type {
  ClientOptions,
  StreamableHTTPClientTransportOptions as TransportOptionsV2,
} from "@modelcontextprotocol/client";
import type {
  StreamableHTTPClientTransportOptions as TransportOptionsV1,
} from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import {
  Client as ClientV2,
  StreamableHTTPClientTransport as TransportV2,
} from "@modelcontextprotocol/client";
import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as TransportV1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import {
  CreateMessageRequestSchema,
  ElicitRequestSchema,
  ListRootsRequestSchema,
  LoggingMessageNotificationSchema,
  ResourceUpdatedNotificationSchema,
} from "@modelcontextprotocol/sdk/types.js";
import { HttpRecording } from "./http_recording.ts";
import { Told } from "./listening.ts";
import { MODERN_REVISION } from "./schemas.ts";

/** What both generations let a caller say of one request. */
export interface CallOptions {
  readonly signal?: AbortSignal;
  readonly onprogress?: (progress: { progress: number }) => void;
}

/** As much of either client as the tests use. */
export interface AnyClient {
  onerror?: ((error: Error) => void) | undefined;
  listResources(
    params?: { cursor?: string },
  ): Promise<{ resources: { uri: string }[]; nextCursor?: string }>;
  listTools(): Promise<{ tools: { name: string }[] }>;
  listPrompts(): Promise<{ prompts: { name: string }[] }>;
  readResource(params: { uri: string }): Promise<{ contents: object[] }>;
  getPrompt(
    params: { name: string; arguments?: Record<string, string> },
  ): Promise<{ messages: unknown[] }>;
  subscribeResource(params: { uri: string }): Promise<unknown>;
  unsubscribeResource(params: { uri: string }): Promise<unknown>;
  setLoggingLevel(level: "info"): Promise<unknown>;
  close(): Promise<void>;
}

/** A client that is connected. */
export interface Connected {
  readonly client: AnyClient;
  /** The client itself, where it is of the second generation. */
  readonly v2: ClientV2 | undefined;
  readonly transport: TransportV1 | TransportV2;
  readonly recording: HttpRecording;
  readonly told: Told;
  /** What was logged. */
  readonly logs: unknown[];
  readonly complaints: Error[];
  /** The text that a tool answers with. */
  call(
    name: string,
    args?: object,
    options?: CallOptions,
    meta?: object,
  ): Promise<string>;
}

/** How a client connects. */
export interface ConnectOptions {
  readonly requestInit?: RequestInit;
  /** Where a token comes from; each generation has a type of its own for it. */
  readonly authProvider?: object;
  /** What asks in truth. */
  readonly fetch?: (url: string | URL, init?: RequestInit) => Promise<Response>;
  /** Whether it wants to hear of lists, which some open a stream for. */
  readonly withLists?: boolean;
}

/** One of the official clients, told how to open. */
export interface HttpOpening {
  readonly name: string;
  readonly revision: string;
  connect(url: string, options?: ConnectOptions): Promise<Connected>;
}

export const HTTP_OPENINGS: readonly HttpOpening[] = [
  { name: "client v1", revision: "2025-11-25", connect: connectV1 },
  opening("client v2, legacy", "2025-11-25", "legacy"),
  opening("client v2, probing", MODERN_REVISION, "auto"),
  opening("client v2, 2026-07-28", MODERN_REVISION, { pin: MODERN_REVISION }),
];

const CAPABILITIES = { sampling: {}, elicitation: {}, roots: {} };

/** What the user fills in: every field with something that can only come from here. */
function filledIn({ params }: { params: unknown }) {
  const { requestedSchema } = params as {
    requestedSchema?: { properties: Record<string, { type: string }> };
  };
  const content = Object.entries(requestedSchema?.properties ?? {}).map((
    [name, { type }],
  ) => [name, type === "boolean" ? true : `the ${name}`] as const);
  return { action: "accept" as const, content: Object.fromEntries(content) };
}

const SAMPLED = {
  role: "assistant" as const,
  content: { type: "text" as const, text: "what the model says" },
  model: "a model",
};
const ROOTS = { roots: [{ uri: "file:///the/root", name: "the root" }] };

function listChangedOf(told: Told) {
  return {
    resources: told.listChanged<{ uri: string }>(
      "resources",
      ({ uri }) => uri.replace("architecture://", ""),
    ),
    prompts: told.listChanged<{ name: string }>("prompts", ({ name }) => name),
  };
}

async function connectV1(
  url: string,
  options: ConnectOptions = {},
): Promise<Connected> {
  const { withLists, ...rest } = options;
  const recording = new HttpRecording(options.fetch);
  const told = new Told();
  const logs: unknown[] = [];
  const client = new ClientV1({ name: "interop-v1", version: "1" }, {
    capabilities: CAPABILITIES,
    ...(withLists ? { listChanged: listChangedOf(told) } : {}),
  });
  client.setRequestHandler(ElicitRequestSchema, filledIn);
  client.setRequestHandler(CreateMessageRequestSchema, () => SAMPLED);
  client.setRequestHandler(ListRootsRequestSchema, () => ROOTS);
  client.setNotificationHandler(
    LoggingMessageNotificationSchema,
    ({ params }) => void logs.push(params.data),
  );
  client.setNotificationHandler(
    ResourceUpdatedNotificationSchema,
    ({ params }) => told.updated(params.uri),
  );
  const complaints: Error[] = [];
  client.onerror = (error) => void complaints.push(error);
  const transport = new TransportV1(new URL(url), {
    ...rest as TransportOptionsV1,
    fetch: recording.fetch,
  });
  // The transport says that it may have no session in a way of its own.
  await client.connect(transport as Parameters<typeof client.connect>[0]);
  return {
    client: client as AnyClient,
    v2: undefined,
    transport,
    recording,
    told,
    logs,
    complaints,
    call: async (name, args = {}, options = {}, meta = {}) =>
      textOf(
        await client.callTool(
          { name, arguments: { ...args }, _meta: meta as {} },
          undefined,
          options,
        ),
      ),
  };
}

function opening(
  name: string,
  revision: string,
  mode: NonNullable<ClientOptions["versionNegotiation"]>["mode"] & {},
): HttpOpening {
  return {
    name,
    revision,
    connect: (url, options) => connectV2(url, mode, options),
  };
}

async function connectV2(
  url: string,
  mode: NonNullable<ClientOptions["versionNegotiation"]>["mode"] & {},
  options: ConnectOptions = {},
): Promise<Connected> {
  const { withLists, ...rest } = options;
  const recording = new HttpRecording(options.fetch);
  const told = new Told();
  const logs: unknown[] = [];
  const client = new ClientV2({ name: "interop-v2", version: "1" }, {
    capabilities: CAPABILITIES,
    listMaxPages: 0,
    versionNegotiation: { mode },
    ...(withLists ? { listChanged: listChangedOf(told) } : {}),
  });
  client.setRequestHandler("elicitation/create", filledIn);
  client.setRequestHandler("sampling/createMessage", () => SAMPLED);
  client.setRequestHandler("roots/list", () => ROOTS);
  client.setNotificationHandler(
    "notifications/message",
    ({ params }) => void logs.push(params.data),
  );
  client.setNotificationHandler(
    "notifications/resources/updated",
    ({ params }) => told.updated(params.uri),
  );
  const complaints: Error[] = [];
  client.onerror = (error) => void complaints.push(error);
  const transport = new TransportV2(new URL(url), {
    ...rest as TransportOptionsV2,
    fetch: recording.fetch,
  });
  await client.connect(transport);
  return {
    client: client as AnyClient,
    v2: client,
    transport,
    recording,
    told,
    logs,
    complaints,
    call: async (name, args = {}, options = {}, meta = {}) =>
      textOf(
        await client.callTool({
          name,
          arguments: { ...args },
          _meta: meta as {},
        }, options),
      ),
  };
}

function textOf(result: unknown): string {
  const { content, isError } = result as {
    content: { text?: string }[];
    isError?: boolean;
  };
  const text = content.map(({ text }) => text ?? "").join("\n");
  if (isError) throw new Error(`The tool failed: ${text}`);
  return text;
}
