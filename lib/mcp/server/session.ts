/** The state of one client. */

import type { Awaitable } from "../../base/async.ts";
import type { ClientFacts, Negotiated } from "../protocol/revisions.ts";
import type { Notify } from "./changes.ts";
import type { LogLevel } from "./log_level.ts";
import { asObject, isObject } from "../../base/json.ts";
import { negotiatedRevision, NEWEST_LEGACY } from "../protocol/revisions.ts";
import { Subscriptions } from "./changes.ts";

const UNKNOWN_CLIENT: ClientFacts = Object.freeze({ info: undefined, capabilities: Object.freeze({}) });

/** The revision and client before anything is negotiated. */
export const NOT_NEGOTIATED: Negotiated = Object.freeze({ revision: NEWEST_LEGACY, client: UNKNOWN_CLIENT });

let sessions = 0;

/** One client: a connection, or an HTTP session. Modern requests neither read nor change what was negotiated. */
export class Session {
  /** Names the session in logs. */
  readonly id: string = `c${++sessions}`;
  /** The resources and streams that the client has subscribed to. */
  readonly subscriptions: Subscriptions = new Subscriptions();
  /** The result of the last handshake. */
  negotiated: Negotiated | undefined;
  /** Whether the client has completed the handshake; before that it gets no server-initiated notifications. */
  isInitialized = false;
  /** The lowest level of log messages that the client has asked for. */
  logLevel: LogLevel | undefined;
  /** The rate limit of tool calls: `tokens` were left at `filledAt` (of `performance.now()`), and a call waits `maxWaitMs` for one. */
  toolCalls: { tokens: number; filledAt: number; maxWaitMs: number } = {
    tokens: Infinity,
    filledAt: 0,
    maxWaitMs: 5_000,
  };
  /** Sends a notification that belongs to no request. Set by the transport. */
  notify: Notify | undefined;
  /** Stores the log level ("logLevel") or a subscription ("uri:…"), or deletes it. Set by a transport with a store. */
  store: ((name: string, value?: string) => Awaitable<void>) | undefined;
  /** Measures its end, and why it failed. Set by `measure`. */
  onend: ((error?: string) => void) | undefined;

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
