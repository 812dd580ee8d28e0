/** The state of one client: what was negotiated, its subscriptions, its log level and its rate of tool calls. */

import type { Request } from "../jsonrpc/message.ts";
import type { ClientFacts, Negotiated, Revision } from "../protocol/revisions.ts";
import type { LogLevel } from "./tool_context.ts";
import { isObject, own } from "../base/json.ts";
import { RpcError } from "../jsonrpc/message.ts";
import { invalidRequest, invalidRequestParams, unsupportedVersion } from "../protocol/errors.ts";
import { Meta } from "../protocol/methods.ts";
import { MODERN_IDS, modernRevision, negotiate, NEWEST_LEGACY } from "../protocol/revisions.ts";
import { Subscriptions } from "./subscriptions.ts";

const UNKNOWN_CLIENT: ClientFacts = Object.freeze({ info: undefined, capabilities: Object.freeze({}) });
/** The framing before anything is negotiated. */
const UNNEGOTIATED: Pick<Revision, "batches" | "unreadableId"> = { batches: false, unreadableId: null };

/** What a request is answered with, or the error why it cannot be. */
export type Arrival = Negotiated | RpcError;

let sessions = 0;

/** One client: a connection, or an HTTP session. Modern requests neither read nor change what was negotiated. */
export class Session {
  /** Names the session in logs. */
  readonly id: string = `c${++sessions}`;
  /** What the client is notified of. */
  readonly subscriptions: Subscriptions = new Subscriptions();
  /** The lowest level of log messages that the client has asked for. */
  logLevel: LogLevel | undefined;
  /** Sends a notification that belongs to no request. Set by the transport. */
  notify: ((method: string, params: Readonly<Record<string, unknown>>) => unknown) | undefined;
  /** Limits the rate of its tool calls. */
  toolCalls: { take(): boolean } | undefined;
  /** Whether the client has completed the handshake; before that it gets no server-initiated notifications. */
  isInitialized = false;
  #negotiated: Negotiated | undefined;

  /** The result of the last handshake. */
  get negotiated(): Negotiated | undefined {
    return this.#negotiated;
  }

  /** How batches and unreadable ids are treated now. */
  get framing(): Pick<Revision, "batches" | "unreadableId"> {
    return this.#negotiated?.revision ?? UNNEGOTIATED;
  }

  /**
   * Resolves the revision of a request when it arrives, before it may be queued. An `initialize` takes effect here, so
   * that it rules the requests behind it. It must not be part of a batch, nor may modern requests (2025-03-26, lifecycle).
   */
  arrive(request: Request, inBatch = false): Arrival {
    try {
      const { method, params } = request;
      const meta = metaOf(request);
      const isModern = meta !== undefined && statesRevision(meta);
      if (inBatch && (isModern || method === "initialize")) {
        throw invalidRequest("it must not be part of a batch");
      }
      if (isModern) return fromMeta(meta);
      if (this.#negotiated === undefined && method !== "initialize" && method !== "ping") {
        throw invalidRequestParams(
          `The request states no protocol version: send initialize first, or state ${Meta.protocolVersion} and ` +
            `${Meta.clientCapabilities} in params._meta (served: ${MODERN_IDS.join(", ")})`,
        );
      }
      const negotiated = this.#negotiated ?? { revision: NEWEST_LEGACY, client: UNKNOWN_CLIENT };
      if (method === "initialize" && isObject(params)) this.negotiate(params);
      return negotiated;
    } catch (cause) {
      if (cause instanceof RpcError) return cause;
      throw cause;
    }
  }

  /** Takes the params of an `initialize`; without a protocol version it changes nothing. */
  negotiate(params: Readonly<Record<string, unknown>>): void {
    const version = own(params, "protocolVersion");
    if (typeof version !== "string") return;
    const info = own(params, "clientInfo"), capabilities = own(params, "capabilities");
    this.#negotiated = Object.freeze({
      revision: negotiate(version),
      client: Object.freeze({
        info: isObject(info) ? info : undefined,
        capabilities: isObject(capabilities) ? capabilities : UNKNOWN_CLIENT.capabilities,
      }),
    });
  }
}

/** The `_meta` of a request. */
export function metaOf(
  { params }: { readonly params?: unknown },
): Readonly<Record<string, unknown>> | undefined {
  const meta = isObject(params) ? own(params, "_meta") : undefined;
  return isObject(meta) ? meta : undefined;
}

/** Whether a request is modern: its `_meta` has any of the request fields. */
export function statesRevision(meta: Readonly<Record<string, unknown>> | undefined): boolean {
  return meta !== undefined &&
    (Meta.protocolVersion in meta || Meta.clientCapabilities in meta || Meta.clientInfo in meta);
}

function fromMeta(meta: Readonly<Record<string, unknown>>): Negotiated {
  const version = meta[Meta.protocolVersion], capabilities = meta[Meta.clientCapabilities];
  const info = meta[Meta.clientInfo];
  if (typeof version !== "string") {
    throw invalidRequestParams(`params._meta must state ${Meta.protocolVersion} as a string`);
  }
  const revision = modernRevision(version);
  if (!revision) throw unsupportedVersion(version, MODERN_IDS);
  if (!isObject(capabilities)) {
    throw invalidRequestParams(`params._meta must state ${Meta.clientCapabilities} as an object`);
  }
  if (info !== undefined && !isObject(info)) {
    throw invalidRequestParams(`params._meta must state ${Meta.clientInfo} as an object`);
  }
  return { revision, client: Object.freeze({ info, capabilities }) };
}
