/** The options of MCP over HTTP. */

import type { Awaitable } from "../../base/async.ts";
import type { AuditEntry } from "./audit.ts";
import type { Authenticate } from "./authentication.ts";
import type { ResourceMetadata } from "./resource_metadata.ts";
import type { HttpSession, SessionEnd } from "./session.ts";
import type { SessionStore } from "./session_store.ts";

/** The options of an endpoint. */
export interface HttpHandlerOptions {
  /** The path of the endpoint. @default {"/mcp"} */
  readonly path?: string;
  /** The allowed values of `Host`, with or without a port; "*" allows all (and DNS rebinding). @default {loopback names} */
  readonly allowedHosts?: readonly string[];
  /** The allowed values of `Origin`, in addition to origins on allowed hosts: "https://app.example.com". @default {none} */
  readonly allowedOrigins?: readonly string[];
  /** Whether pages of allowed origins may read responses (CORS). @default {false} */
  readonly cors?: boolean;
  /** Authenticates requests. @default {no authentication} */
  readonly authenticate?: Authenticate;
  /** The scopes that every request needs. @default {none} */
  readonly requiredScopes?: readonly string[];
  /** How many wrong credentials an address may send per minute; more are answered with 429. @default {60} */
  readonly maxFailures?: number;
  /** Protected resource metadata (RFC 9728). @default {none} */
  readonly resourceMetadata?: ResourceMetadata;
  /** Stores what changes in a session after its handshake. @default {in memory} */
  readonly sessionStore?: SessionStore;
  /** The maximum number of sessions in this process. A client with too many loses the least recently used. @default {10000} */
  readonly maxSessions?: number;
  /** How long a session lasts, in milliseconds. @default {24 hours} */
  readonly sessionLifetimeMs?: number;
  /** How long this process keeps an idle session (no requests, no stream), in milliseconds. @default {1 hour} */
  readonly sessionIdleMs?: number;
  /** Called when this process begins to serve a session: a new one, or one that it or another process served before. */
  readonly onsessionstart?: (session: HttpSession) => void;
  /** Called once for each started session, when this process stops serving it. */
  readonly onsessionend?: (session: HttpSession, reason: SessionEnd) => void;
  /** The maximum length of a body, in bytes. @default {4 MiB} */
  readonly maxBodyBytes?: number;
  /** How long a body may take to arrive, in milliseconds. @default {30000} */
  readonly bodyTimeoutMs?: number;
  /** How long a client that does not read a complete response stays connected, in milliseconds. @default {30000} */
  readonly sendTimeoutMs?: number;
  /**
   * The maximum number of unfinished requests; more get a 503. A client may have at most as many as are left free, so a
   * single client gets half; more get a 429. @default {1000}
   */
  readonly maxRequests?: number;
  /** The maximum number of open streams, shared like `maxRequests`, but at most 100 per client. @default {1000} */
  readonly maxStreams?: number;
  /** The maximum number of connections, shared like `maxRequests`, but by address. Not on Deno. @default {2000} */
  readonly maxConnections?: number;
  /** The maximum size of bodies and unread responses, in bytes, as `maxRequests`. @default {max(64 MiB, 4 * maxBodyBytes)} */
  readonly maxBytes?: number;
  /** The interval of keep-alive comments, in milliseconds. After it, a slow response becomes a stream. @default {15000} */
  readonly keepAliveMs?: number;
  /** How long events are kept for a client that reconnects, in milliseconds. @default {60000} */
  readonly retentionMs?: number;
  /** How long unfinished requests may continue while the server closes, in milliseconds. @default {5000} */
  readonly graceMs?: number;
  /** Whether the server is ready, for `/readyz`. @default {true until it closes} */
  readonly ready?: () => Awaitable<boolean>;
  /** Receives an entry for each request, except health checks. @default {none} */
  readonly onaudit?: (entry: AuditEntry) => void;
  /** Receives unexpected errors, of which clients see only a generic one. @default {writes them to standard error} */
  readonly onerror?: (cause: unknown) => void;
  /** Receives a line at most once a second: the number of refused requests, and the last reason. @default {ignored} */
  readonly onrefused?: (message: string) => void;
}

/** The options of an endpoint that listens. */
export interface HttpListenOptions extends HttpHandlerOptions {
  /** The address to listen on. @default {"127.0.0.1"} */
  readonly host?: string;
  /** @deprecated The earlier name of `host`. */
  readonly hostname?: string;
  /** 0 lets the system pick a free one. @default {8080} */
  readonly port?: number;
  /** Allows an address that other machines can reach, without `authenticate`. @default {false} */
  readonly allowUnauthenticated?: boolean;
  /** How long a request may take to arrive, in milliseconds. On Deno only `bodyTimeoutMs` applies. @default {30000} */
  readonly requestTimeoutMs?: number;
}
