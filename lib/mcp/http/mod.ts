/**
 * MCP over HTTP: one endpoint for clients of every revision, on any runtime.
 *
 * @module
 */

export type { BodyPiece, Fields, HttpExchange, HttpResponder, HttpStream } from "../../platform/http.ts";
export type { NodeRequest, NodeResponse } from "../../platform/node_http.ts";
export type { FetchInfo } from "../../platform/web_http.ts";
export type { AuditEntry } from "./audit.ts";
export type { Authenticate, Authenticated, Challenge, Credentials } from "./authentication.ts";
export type { ResourceMetadata } from "./authentication.ts";
export type { HttpHandler } from "./endpoint.ts";
export type { JwtOptions, KeySet } from "./jwt.ts";
export type { HttpListening, HttpListenOptions, HttpOptions } from "./listen.ts";
export type { HttpSession, SessionEnd, SessionStore } from "./sessions.ts";
export { nodeListener } from "../../platform/node_http.ts";
export { bearerToken } from "./authentication.ts";
export { createHttpHandler } from "./endpoint.ts";
export { jwtBearer } from "./jwt.ts";
export { listenHttp } from "./listen.ts";
export { MemorySessionStore } from "./sessions.ts";
