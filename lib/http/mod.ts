/**
 * MCP over HTTP: one endpoint for clients of every revision, on any runtime.
 *
 * @module
 */

export type { Authenticate, Authenticated, Challenge, Credentials } from "./authentication.ts";
export type {
  BodyPiece,
  FetchInfo,
  Fields,
  HttpExchange,
  HttpResponder,
  HttpStream,
  NodeRequest,
  NodeResponse,
} from "../platform/http.ts";
export type { HttpHandler } from "./endpoint.ts";
export type { HttpListening, HttpListenOptions } from "./listen.ts";
export type { ResourceMetadata } from "./authentication.ts";
export type { HttpOptions, Retention } from "./options.ts";
export type { MemoryStoreLimits, SessionStore } from "./session_store.ts";
export { bearerToken } from "./authentication.ts";
export { createHttpHandler } from "./endpoint.ts";
export { listenHttp } from "./listen.ts";
export { nodeListener } from "../platform/http.ts";
export { MemorySessionStore, SessionStoreFullError } from "./session_store.ts";
