/**
 * A REST API as tools, described by an endpoint file or an OpenAPI document.
 *
 * @module
 */

export type { Confirm, Plan } from "./call.ts";
export type { Description, Endpoint, Skipped } from "./endpoint.ts";
export type { Filter, Gateway, GatewayOptions } from "./gateway.ts";
export type { OpenApiFiles, OpenApiOptions } from "./openapi.ts";
export type { Fetch } from "./request.ts";
export type { Scheme } from "./secrets.ts";
export { GatewayError } from "./endpoint.ts";
export { readEndpoints } from "./endpoint_file.ts";
export { createGateway } from "./gateway.ts";
export { UpstreamError } from "./request.ts";
export { parseOpenApi, readOpenApi } from "./openapi.ts";
