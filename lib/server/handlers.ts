/** The handler of each method. A handler's module is loaded when its method is first called. */

import type { Awaitable } from "../base/async.ts";
import type { Call } from "../jsonrpc/connection.ts";
import type { Request, RpcError } from "../jsonrpc/message.ts";
import type { MethodRow } from "../protocol/methods.ts";
import type { ClientFacts, Negotiated, Revision } from "../protocol/revisions.ts";
import type { Access, ClientInput, ExecutionContext, Session } from "./context.ts";
import type { Changes } from "./subscriptions.ts";
import type { ServerOptions } from "./server.ts";
import type { TokenSigner } from "./signer.ts";
import type { ToolRegistry } from "./tool_registry.ts";
import { compact } from "../base/json.ts";
import { stringParam } from "../protocol/errors.ts";
import { MODERN_REVISIONS, negotiate } from "../protocol/revisions.ts";

/** What a server says of itself. */
export interface ServerInfo {
  /** For programs: "architrave". */
  readonly name: string;
  /** The version of the software: "1.0.0". */
  readonly version: string;
  /** For people. Left out in revisions without titles. */
  readonly title?: string;
}

type Fixed = "info" | "resources" | "prompts" | "extensions" | "pageSize" | "toolCalls" | "logging";

/** What handlers work with. */
export interface Services extends Required<Pick<ServerOptions, Fixed>> {
  /** Only what may change while the server runs is read from here: its instructions. */
  readonly options: ServerOptions;
  readonly changes: Changes;
  readonly tools: ToolRegistry;
}

/** What is known of a request when it arrives. */
export interface Arrival {
  /** What it is answered with, or the error why it cannot be. */
  readonly negotiated: Negotiated | RpcError;
  /** Settles when what its method needs is loaded; undefined when it is. */
  readonly ready: Promise<unknown> | undefined;
}

/** What the server uses of a call of a connection. Without an `arrival`, a request is resolved when it is handled. */
export type ServerCall =
  & Pick<Call<Arrival>, "context" | "notify" | "signal">
  & Partial<Call<Arrival | undefined>>;

/** A request, its client and its call. */
export interface Exchange extends Negotiated {
  /** Names the request in logs; unique within the process. */
  readonly id: string;
  readonly request: Request;
  readonly session: Session;
  readonly call: ServerCall;
  /** Undefined when all clients may use everything. */
  readonly access: Access | undefined;
  /** Signs what the client keeps while it is asked; loaded when first used. */
  readonly signer: () => Promise<TokenSigner>;
  /** Only in methods that may ask the client. */
  readonly input: ClientInput | undefined;
}

/** Answers one method: with a result, or with a context that has one. Throws an `RpcError` for the client. */
export type Handler = (
  context: ExecutionContext,
  services: Services,
  exchange: Exchange,
) => Awaitable<unknown>;

/** A method of a server: what the protocol says of it, and its handler, or how that is loaded on first use. */
export interface ServedMethod extends MethodRow {
  handler?: Handler;
  readonly load?: () => Promise<Handler>;
  /** The providers that must be ready first. @default {none} */
  readonly needs?: readonly ("resources" | "prompts" | "tools")[];
  /** The members that modern revisions have around each result, as JSON without braces, once they are known. */
  envelope?: string;
}

function loader<K extends string>(
  module: () => Promise<Readonly<Record<K, Handler>>>,
  name: K,
  ...needs: NonNullable<ServedMethod["needs"]>
): Omit<ServedMethod, "era"> {
  return { load: async () => (await module())[name], needs };
}

const resources = () => import("./resources.ts");
const subscriptions = () => import("./subscriptions.ts");
const tools = () => import("./tools.ts");
// It needs no provider to unsubscribe, but that must not overtake a subscribe.
const subscribe = loader(subscriptions, "subscribe", "resources");

/** The handlers by method. */
export const HANDLERS: Readonly<Record<string, Omit<ServedMethod, "era">>> = {
  "initialize": { handler: initialize },
  "ping": { handler: () => ({}) },
  "server/discover": { handler: discover },
  "resources/list": loader(resources, "listResources", "resources"),
  "resources/templates/list": loader(resources, "listTemplates", "resources"),
  "resources/read": loader(resources, "readResource", "resources"),
  "resources/subscribe": subscribe,
  "resources/unsubscribe": subscribe,
  "subscriptions/listen": loader(subscriptions, "listen", "resources", "prompts"),
  "prompts/list": loader(resources, "listPrompts", "prompts"),
  "prompts/get": loader(resources, "getPrompt", "prompts"),
  "completion/complete": loader(resources, "complete", "resources", "prompts"),
  "tools/list": loader(resources, "listTools", "tools"),
  "tools/call": loader(tools, "callTool", "tools"),
  "logging/setLevel": loader(tools, "setLevel"),
};

/** @see https://modelcontextprotocol.io/specification/2025-11-25/basic/lifecycle */
function initialize(context: ExecutionContext, services: Services): unknown {
  const revision = negotiate(stringParam(context.params, "protocolVersion"));
  const { title, ...info } = services.info;
  services.options.onhandshake?.();
  return compact({
    protocolVersion: revision.id,
    capabilities: capabilities(services, revision, context.client),
    serverInfo: compact({ ...info, title: revision.titles ? title : undefined }),
    instructions: services.options.instructions,
  });
}

/** @see https://modelcontextprotocol.io/specification/2026-07-28/server/discover */
function discover(context: ExecutionContext, services: Services): unknown {
  services.options.onhandshake?.();
  return compact({
    supportedVersions: [...MODERN_REVISIONS.keys()],
    capabilities: capabilities(services, context.revision, context.client),
    instructions: services.options.instructions,
  });
}

function capabilities(services: Services, revision: Revision, client: ClientFacts): unknown {
  const { changes, resources, prompts, extensions } = services;
  const given = extensions.filter(({ accepts }) => accepts?.(client) ?? true);
  const declared = Object.fromEntries(given.map(({ id, settings = {} }) => [id, settings]));
  const completes = [...resources, ...prompts].some((provider) => provider.values);
  const declare = (kind: "resources" | "prompts", watched: object) =>
    services[kind].length === 0 ? undefined : changes.reports(kind) ? watched : {};
  return compact({
    resources: declare("resources", { listChanged: true, subscribe: true }),
    prompts: declare("prompts", { listChanged: true }),
    tools: services.tools.isEmpty ? undefined : {},
    logging: services.logging ? {} : undefined,
    completions: completes && revision.completionsCapability ? {} : undefined,
    extensions: given.length > 0 && revision.era === "modern" ? declared : undefined,
  });
}
