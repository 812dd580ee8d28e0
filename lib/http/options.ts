/** What can be set about serving MCP over HTTP, and what holds unless it is. */

import type { Awaitable } from "../base/async.ts";
import type { Authenticate, ResourceMetadata } from "./authentication.ts";
import type { SessionStore } from "./session_store.ts";

/** How much of the streams of one session is kept for a client that lost its connection. */
export interface Retention {
  /** Of one stream. @default {256} */
  readonly events: number;
  /** Of one stream. @default {1 MiB} */
  readonly bytes: number;
  /** Of one session. @default {16} */
  readonly streams: number;
  /** For how long, in milliseconds. @default {60000} */
  readonly ms: number;
}

/** How MCP is served over HTTP. */
export interface HttpOptions {
  /** The path of the endpoint. @default {"/mcp"} */
  readonly path?: string;
  /**
   * The hosts that clients may ask for, with a port or for every port; "*" is any, and gives up the protection against
   * pages that make a name of theirs lead here. @default {the names of this machine to itself}
   */
  readonly allowedHosts?: readonly string[];
  /** The pages that may ask, beside those of the hosts: "https://app.example.com". @default {none} */
  readonly allowedOrigins?: readonly string[];
  /** Whether pages that may ask may also read the answers. @default {false} */
  readonly cors?: boolean;
  /** Finds out who is asking. @default {nobody is asked} */
  readonly authenticate?: Authenticate;
  /** Where clients get a token, as RFC 9728 describes it. @default {it is not said} */
  readonly resourceMetadata?: ResourceMetadata;
  /** Where sessions keep what changes after their handshake. @default {in the memory of this process} */
  readonly sessionStore?: SessionStore;
  /** How long a session lasts, in milliseconds. @default {24 hours} */
  readonly sessionLifetimeMs?: number;
  /** The longest body, in bytes. @default {4 MiB} */
  readonly maxBodyBytes?: number;
  /** How long a body may take to arrive, in milliseconds. @default {30000} */
  readonly bodyTimeoutMs?: number;
  /** The most requests at work at one time; further ones are answered with 503. @default {1000} */
  readonly maxRequests?: number;
  /** The most streams of events at one time; further ones are answered with 503. @default {1000} */
  readonly maxStreams?: number;
  /** How often a stream gets a comment, and after how long a slow answer becomes a stream, in milliseconds. @default {15000} */
  readonly keepAliveMs?: number;
  /** How much is kept for clients that lose their connection. */
  readonly retention?: Partial<Retention>;
  /** How long requests may go on once the server closes, in milliseconds. @default {5000} */
  readonly graceMs?: number;
  /** Whether the server can do its work, for `/readyz`. @default {until it closes} */
  readonly ready?: () => Awaitable<boolean>;
  /** Sees what goes wrong that no client is told of. @default {nobody} */
  readonly onerror?: (cause: unknown) => void;
}

/** What holds unless it is set. */
export const DEFAULTS: Readonly<
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

/** How much is kept unless it is set. */
export const RETENTION: Retention = Object.freeze({
  events: 256,
  bytes: 1024 * 1024,
  streams: 16,
  ms: 60_000,
});

/** The options with everything that has a default. */
export type FullOptions =
  & Omit<HttpOptions, keyof typeof DEFAULTS | "retention">
  & { readonly [Name in keyof typeof DEFAULTS]: NonNullable<HttpOptions[Name]> }
  & { readonly retention: Retention };

/** Fills in what is not set. */
export function withDefaults(options: HttpOptions): FullOptions {
  const set = Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
  return { ...DEFAULTS, ...set, retention: { ...RETENTION, ...options.retention } };
}
