/**
 * Which feature answers which method? One table. A feature's room is loaded when its method is first called; until then
 * it costs nothing.
 *
 * Only `Server.handle` calls what stands here.
 */

import type { Params } from "../jsonrpc/message.ts";
import type { MessageContext } from "../transport/transport.ts";
import type { Awaitable } from "../base/async.ts";
import type { Changes } from "./changes.ts";
import type { Session } from "./session.ts";
import type { ExecutionContext } from "./context.ts";
import type { PromptProvider, ResourceProvider } from "./provider.ts";
import type { TokenSigner } from "./signed_token.ts";
import type { Rate } from "./token_bucket.ts";
import type { ToolRegistry } from "./tool_registry.ts";
import { discover, initialize, ping } from "./opening.ts";

/** What a server says of itself. */
export interface ServerInfo {
  /** For programs: "architrave". */
  readonly name: string;
  /** Of the software, as it counts itself: "1.0.0". */
  readonly version: string;
  /** For people. Revisions without titles do not get it. */
  readonly title?: string;
}

/** What features work with. */
export interface Services {
  readonly info: ServerInfo;
  readonly instructions: string | undefined;
  readonly resources: readonly ResourceProvider[];
  readonly prompts: readonly PromptProvider[];
  readonly pageSize: number;
  readonly changes: Changes;
  readonly tools: ToolRegistry;
  /** How often one connection may call tools. */
  readonly toolCalls: Rate;
  /** Whether tools may log to the client. */
  readonly logging: boolean;
  /** Signs what clients keep for the server; loaded when there is something to sign. */
  readonly signer: () => Promise<TokenSigner>;
}

/** What the server uses of a call; `Call` of a JSON-RPC connection has it. */
export interface ServerCall {
  /** Aborted when the request is cancelled or the connection closes. */
  readonly signal: AbortSignal;
  /** Why it was cancelled; undefined while it is not. */
  readonly cancelled?: DOMException | undefined;
  /** How the message came. */
  readonly context: MessageContext;
  /** Sends a notification that belongs to the request; returns a promise when the buffer is full. */
  notify(method: string, params?: Params): Promise<void> | undefined;
  /** Sends a request that belongs to the request. Missing where the client cannot be asked. */
  sendRequest?(method: string, params?: Params, signal?: AbortSignal): Promise<unknown>;
  /** Closes the stream; the client reconnects for the response. */
  closeStream?(): void;
}

/** The two sides of a request that providers never see: what the connection remembers, and how to send on it. */
export interface Exchange {
  readonly connection: Session;
  readonly call: ServerCall;
}

/**
 * Answers one method: a result, or a context of this request that has one; an `RpcError`, or anything else thrown for a
 * generic internal error.
 */
export type Feature = (
  context: ExecutionContext,
  services: Services,
  exchange: Exchange,
) => Awaitable<unknown>;

/** Loads a feature; methods that have the same one share what it loads. */
export type FeatureLoader = () => Promise<Feature>;

/** How a method is answered. */
export interface Method {
  /** The feature, or how to load it. */
  readonly feature?: Feature;
  readonly load?: FeatureLoader;
  /** The kinds of providers that the feature asks, which have to be ready for it. */
  readonly asks?: readonly ("resources" | "prompts" | "tools")[];
  /** For the methods whose results carry `ttlMs`: for how long a client may keep one, in milliseconds. */
  readonly ttlMs?: number;
}

/** Documents change while clients are connected, so nothing that shows them may be kept. */
const CHANGES_ANY_TIME = { ttlMs: 0 } as const;
/** What a server can do does not change while it runs. */
const AN_HOUR = { ttlMs: 3_600_000 } as const;

const loadSubscribe: FeatureLoader = async () => (await import("./listen.ts")).subscribe;

/** Every method of every revision; which of them a revision knows stands in its row. */
export const METHODS: ReadonlyMap<string, Method> = new Map<string, Method>([
  ["initialize", { feature: initialize }],
  ["ping", { feature: ping }],
  ["server/discover", { feature: discover, ...AN_HOUR }],
  ["resources/list", {
    load: async () => (await import("./resources.ts")).listResources,
    asks: ["resources"],
    ...CHANGES_ANY_TIME,
  }],
  ["resources/templates/list", {
    load: async () => (await import("./resources.ts")).listTemplates,
    asks: ["resources"],
    ...CHANGES_ANY_TIME,
  }],
  ["resources/read", {
    load: async () => (await import("./resources.ts")).readResource,
    asks: ["resources"],
    ...CHANGES_ANY_TIME,
  }],
  ["resources/subscribe", { load: loadSubscribe, asks: ["resources"] }],
  // It asks nobody, but it must not be answered before a subscribe that came before it.
  ["resources/unsubscribe", { load: loadSubscribe, asks: ["resources"] }],
  ["subscriptions/listen", {
    load: async () => (await import("./listen.ts")).listen,
    asks: ["resources", "prompts"],
  }],
  ["prompts/list", {
    load: async () => (await import("./prompts.ts")).listPrompts,
    asks: ["prompts"],
    ...CHANGES_ANY_TIME,
  }],
  ["prompts/get", { load: async () => (await import("./prompts.ts")).getPrompt, asks: ["prompts"] }],
  ["completion/complete", {
    load: async () => (await import("./completion.ts")).complete,
    asks: ["resources", "prompts"],
  }],
  ["tools/list", {
    load: async () => (await import("./tools.ts")).listTools,
    asks: ["tools"],
    ...AN_HOUR,
  }],
  ["tools/call", { load: async () => (await import("./tools.ts")).callTool, asks: ["tools"] }],
  ["logging/setLevel", { load: async () => (await import("./logging.ts")).setLevel }],
]);
