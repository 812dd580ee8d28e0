/**
 * MCP over HTTP: one endpoint for clients of every revision, on any runtime.
 *
 * @module
 */

export type {
  BodyPiece,
  HeaderFields as Fields,
  HttpExchange,
  HttpResponder,
  HttpStream,
} from "../../platform/http.ts";
export type { NodeRequest, NodeResponse } from "../../platform/node_http.ts";
export type { FetchInfo } from "../../platform/web_http.ts";
export type { AuditEntry } from "./audit.ts";
export type { Authenticate, Authenticated, Challenge, Credentials } from "./authentication.ts";
export type { HttpHandler } from "./endpoint.ts";
export type { KeySet } from "./jwks.ts";
export type { JwtOptions } from "./jwt.ts";
export type { HttpListening } from "./listen.ts";
export type { HttpHandlerOptions as HttpOptions, HttpListenOptions } from "./options.ts";
export type { ResourceMetadata } from "./resource_metadata.ts";
export type { HttpSession, SessionEnd } from "./session.ts";
export type { SessionStore } from "./session_store.ts";
export type { HttpUsage, UsageKind } from "./shares.ts";
export { nodeListener } from "../../platform/node_http.ts";
export { bearerToken } from "./bearer_token.ts";
export { createHttpHandler } from "./endpoint.ts";
export { jwtBearer } from "./jwt.ts";
export { listenHttp } from "./listen.ts";
export { MemorySessionStore } from "./session_store.ts";
