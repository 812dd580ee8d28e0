/** The options of serving MCP over HTTP, and their defaults. */

import type { Awaitable } from "../base/async.ts";
import type { Authenticate, ResourceMetadata } from "./authentication.ts";
import type { SessionStore } from "./session_store.ts";

/** How much of resumable streams is kept. */
export interface Retention {
  /** Events of a stream. @default {256} */
  readonly events: number;
  /** Bytes of a stream. @default {1 MiB} */
  readonly bytes: number;
  /** Streams of a session. @default {16} */
  readonly streams: number;
  /** For how long, in milliseconds. @default {60000} */
  readonly ms: number;
}

/** Options of serving MCP over HTTP. */
export interface HttpOptions {
  /** The path of the endpoint. @default {"/mcp"} */
  readonly path?: string;
  /**
   * The allowed values of `Host`, with or without a port; "*" allows any, without protection against DNS rebinding.
   * @default {the names of the local machine}
   */
  readonly allowedHosts?: readonly string[];
  /** The allowed values of `Origin`, beside those of the hosts: "https://app.example.com". @default {none} */
  readonly allowedOrigins?: readonly string[];
  /** Whether pages of allowed origins may read responses (CORS). @default {false} */
  readonly cors?: boolean;
  /** Authenticates requests. @default {no authentication} */
  readonly authenticate?: Authenticate;
  /** The protected resource metadata (RFC 9728). @default {none} */
  readonly resourceMetadata?: ResourceMetadata;
  /** Stores what changes in sessions after their handshake. @default {in memory} */
  readonly sessionStore?: SessionStore;
  /** How long a session lasts, in milliseconds. @default {24 hours} */
  readonly sessionLifetimeMs?: number;
  /** The longest body, in bytes. @default {4 MiB} */
  readonly maxBodyBytes?: number;
  /** How long a body may take to arrive, in milliseconds. @default {30000} */
  readonly bodyTimeoutMs?: number;
  /** The limit of concurrent requests; further ones get a 503. @default {1000} */
  readonly maxRequests?: number;
  /** The limit of open streams; further ones get a 503. @default {1000} */
  readonly maxStreams?: number;
  /** The interval of keep-alive comments, and the time after which a slow response becomes a stream, in milliseconds. @default {15000} */
  readonly keepAliveMs?: number;
  /** How much is kept for clients that reconnect. */
  readonly retention?: Partial<Retention>;
  /** How long requests may go on while the server closes, in milliseconds. @default {5000} */
  readonly graceMs?: number;
  /** Whether the server is ready, for `/readyz`. @default {until it closes} */
  readonly ready?: () => Awaitable<boolean>;
  /** Receives errors that no client is told of. @default {ignored} */
  readonly onerror?: (cause: unknown) => void;
}

/** The defaults. */
const DEFAULTS: Readonly<
  & Record<"sessionLifetimeMs" | "maxBodyBytes" | "bodyTimeoutMs" | "maxRequests" | "maxStreams", number>
  & Record<"keepAliveMs" | "graceMs", number>
  & { path: string }
> = Object.freeze({
  path: "/mcp",
  sessionLifetimeMs: 24 * 60 * 60_000,
  maxBodyBytes: 4 * 1024 * 1024,
  bodyTimeoutMs: 30_000,
  maxRequests: 1000,
  maxStreams: 1000,
  keepAliveMs: 15_000,
  graceMs: 5000,
});

/** The default retention. */
const RETENTION: Retention = Object.freeze({
  events: 256,
  bytes: 1024 * 1024,
  streams: 16,
  ms: 60_000,
});

/** The options with their defaults. */
export type FullOptions =
  & Omit<HttpOptions, keyof typeof DEFAULTS | "retention">
  & { readonly [Name in keyof typeof DEFAULTS]: NonNullable<HttpOptions[Name]> }
  & { readonly retention: Retention };

/** Adds the defaults. */
export function withDefaults(options: HttpOptions): FullOptions {
  const set = Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
  return { ...DEFAULTS, ...set, retention: { ...RETENTION, ...options.retention } };
}
