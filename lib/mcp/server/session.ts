/** The state of one client, and the revision that is in force for a request of it. */

import type { Awaitable } from "../../base/async.ts";
import type { JsonObject } from "../../base/json.ts";
import type { Params, Request, RpcError } from "../../jsonrpc/message.ts";
import type { ClientFacts, Negotiated } from "../protocol/revisions.ts";
import type { LogLevel } from "./log_level.ts";
import { asObject, isObject } from "../../base/json.ts";
import { invalidMeta, invalidRequest, unsupportedVersion } from "../protocol/errors.ts";
import { Meta } from "../protocol/methods.ts";
import { MODERN_REVISIONS, negotiatedRevision, NEWEST_LEGACY } from "../protocol/revisions.ts";
import { Subscriptions } from "./subscriptions.ts";

/** Sends a notification; returns a promise when the buffer is full. */
export type Notify = (method: string, params?: Params) => Promise<void> | undefined;

const UNKNOWN_CLIENT: ClientFacts = Object.freeze({ info: undefined, capabilities: Object.freeze({}) });

/** What is in force for a client that has negotiated nothing. */
export const NOT_NEGOTIATED: Negotiated = Object.freeze({ revision: NEWEST_LEGACY, client: UNKNOWN_CLIENT });

let sessions = 0;

/** One client: a connection, or an HTTP session. Modern requests neither read nor change what was negotiated. */
export class Session {
  /** Names the session in logs. */
  readonly id: string = `c${++sessions}`;
  /** What the client is notified of. */
  readonly subscriptions: Subscriptions = new Subscriptions();
  /** The result of the last handshake. */
  negotiated: Negotiated | undefined;
  /** Whether the client has completed the handshake; before that it gets no server-initiated notifications. */
  isInitialized = false;
  /** The lowest level of log messages that the client has asked for. */
  logLevel: LogLevel | undefined;
  /** The tool calls that were left at `filledAt` (of `performance.now()`), and the longest wait of another one for its turn. */
  toolCalls: { tokens: number; filledAt: number; maxWaitMs: number } = {
    tokens: Infinity,
    filledAt: 0,
    maxWaitMs: 5_000,
  };
  /** Sends a notification that belongs to no request. Set by the transport. */
  notify: Notify | undefined;
  /** Stores the log level ("logLevel") or a subscription ("uri:…"), or deletes it. Set by a transport with a store. */
  store: ((name: string, value?: string) => Awaitable<void>) | undefined;

  /** Resolves the revision of a request when it arrives. An `initialize` takes effect at once, for the requests after it. */
  resolve(request: Request, inBatch: boolean): Negotiated | RpcError {
    const { method, params } = request;
    const meta = modernMeta(params);
    // The lifecycle of 2025-03-26 requires this for `initialize`; modern revisions have no batches.
    if (inBatch && (meta || method === "initialize")) {
      return invalidRequest("it must not be part of a batch");
    }
    if (meta) {
      const version = meta[Meta.protocolVersion], capabilities = meta[Meta.clientCapabilities];
      const info = meta[Meta.clientInfo];
      if (typeof version !== "string") return invalidField(Meta.protocolVersion, "a string");
      const revision = MODERN_REVISIONS.get(version);
      if (!revision) return unsupportedVersion(version);
      if (!isObject(capabilities)) return invalidField(Meta.clientCapabilities, "an object");
      if (info !== undefined && !isObject(info)) return invalidField(Meta.clientInfo, "an object");
      return { revision, client: Object.freeze({ info, capabilities }) };
    }
    const negotiated = this.negotiated ?? NOT_NEGOTIATED;
    if (method === "initialize") this.negotiate(params);
    else if (!this.negotiated && method !== "ping") {
      return invalidMeta(
        `The request states no protocol version: send initialize first, or state ${Meta.protocolVersion} and ` +
          `${Meta.clientCapabilities} in params._meta (served: ${[...MODERN_REVISIONS.keys()].join(", ")})`,
      );
    }
    return negotiated;
  }

  /** Takes the params of an `initialize`; without a protocol version it changes nothing. */
  negotiate(params: unknown): void {
    const { protocolVersion, clientInfo, capabilities } = asObject(params);
    if (typeof protocolVersion !== "string") return;
    this.negotiated = Object.freeze({
      revision: negotiatedRevision(protocolVersion),
      client: Object.freeze({
        info: isObject(clientInfo) ? clientInfo : undefined,
        capabilities: isObject(capabilities) ? capabilities : UNKNOWN_CLIENT.capabilities,
      }),
    });
  }
}

/** The `_meta` of a modern request, which has any of the request fields; undefined for other requests. */
export function modernMeta(params: unknown): JsonObject | undefined {
  const meta = (params as { readonly _meta?: unknown } | null | undefined)?._meta;
  if (!isObject(meta)) return undefined;
  const isModern = Meta.protocolVersion in meta || Meta.clientCapabilities in meta || Meta.clientInfo in meta;
  return isModern ? meta : undefined;
}

function invalidField(key: string, type: string): RpcError {
  return invalidMeta(`params._meta must state ${key} as ${type}`);
}
