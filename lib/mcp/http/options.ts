/** The options of MCP over HTTP. */

import type { Awaitable } from "../../base/async.ts";
import type { AuditEntry } from "./audit.ts";
import type { Authenticate } from "./authentication.ts";
import type { ResourceMetadata } from "./resource_metadata.ts";
import type { HttpSession, SessionEnd } from "./session.ts";
import type { SessionStore } from "./session_store.ts";

/** Options of serving MCP over HTTP. */
export interface HttpHandlerOptions {
  /** The path of the endpoint. @default {"/mcp"} */
  readonly path?: string;
  /** The allowed values of `Host`, with or without a port; "*" allows any, and DNS rebinding. @default {the loopback names} */
  readonly allowedHosts?: readonly string[];
  /** The allowed values of `Origin`, in addition to those on allowed hosts: "https://app.example.com". @default {none} */
  readonly allowedOrigins?: readonly string[];
  /** Whether pages of allowed origins may read responses (CORS). @default {false} */
  readonly cors?: boolean;
  /** Authenticates requests. @default {no authentication} */
  readonly authenticate?: Authenticate;
  /** The scopes that every authenticated request needs. @default {none} */
  readonly requiredScopes?: readonly string[];
  /** How many wrong credentials an address may send in a minute; more get a 429. @default {60} */
  readonly maxFailures?: number;
  /** The protected resource metadata (RFC 9728). @default {none} */
  readonly resourceMetadata?: ResourceMetadata;
  /** Stores what changes in sessions after their handshake. @default {in memory} */
  readonly sessionStore?: SessionStore;
  /** The limit of sessions in this process. A client with too many loses its least recently used one. @default {10000} */
  readonly maxSessions?: number;
  /** How long a session lasts, in milliseconds. @default {24 hours} */
  readonly sessionLifetimeMs?: number;
  /** How long this process keeps a session without requests and streams, in milliseconds. @default {1 hour} */
  readonly sessionIdleMs?: number;
  /** Called when this process begins to serve a session: after its handshake, or later, if it was forgotten or begun elsewhere. */
  readonly onsessionstart?: (session: HttpSession) => void;
  /** Called once for each session that has started, when this process no longer serves it. */
  readonly onsessionend?: (session: HttpSession, reason: SessionEnd) => void;
  /** The longest body, in bytes. @default {4 MiB} */
  readonly maxBodyBytes?: number;
  /** How long a body may take to arrive, in milliseconds. @default {30000} */
  readonly bodyTimeoutMs?: number;
  /** How long a client may read nothing of a complete response before it is disconnected, in milliseconds. @default {30000} */
  readonly sendTimeoutMs?: number;
  /** The limit of unfinished requests (503). A client may have as many as are still free, half when alone (429). @default {1000} */
  readonly maxRequests?: number;
  /** The limit of open streams, as `maxRequests`, but at most 100 per client. @default {1000} */
  readonly maxStreams?: number;
  /** The limit of connections, as `maxRequests`, but per address. Not on Deno, which reports none. @default {2000} */
  readonly maxConnections?: number;
  /** The limit of bytes of bodies and unread responses, as `maxRequests`. @default {64 MiB, or 4 * maxBodyBytes if that is more} */
  readonly maxBytes?: number;
  /** The interval of keep-alive comments; a slow response becomes a stream after this time. In milliseconds. @default {15000} */
  readonly keepAliveMs?: number;
  /** How long events are kept for clients that reconnect, in milliseconds. @default {60000} */
  readonly retentionMs?: number;
  /** How long requests may go on while the server closes, in milliseconds. @default {5000} */
  readonly graceMs?: number;
  /** Whether the server is ready, for `/readyz`. @default {until it closes} */
  readonly ready?: () => Awaitable<boolean>;
  /** Receives an entry for each request, but for health checks. @default {none} */
  readonly onaudit?: (entry: AuditEntry) => void;
  /** Receives errors that no client is told of. @default {ignored} */
  readonly onerror?: (cause: unknown) => void;
  /** Receives a line, at most once a second: how many requests were refused, and the last reason. @default {ignored} */
  readonly onrefused?: (message: string) => void;
}

/** Where and how to listen. */
export interface HttpListenOptions extends HttpHandlerOptions {
  /** Where to listen. @default {"127.0.0.1"} */
  readonly hostname?: string;
  /** 0 lets the system choose one. @default {8080} */
  readonly port?: number;
  /** Allows an address that others can reach without `authenticate`. @default {false} */
  readonly allowUnauthenticated?: boolean;
  /** How long a request may take to arrive, in milliseconds; on Deno, only `bodyTimeoutMs` holds. @default {30000} */
  readonly requestTimeoutMs?: number;
}
