/**
 * A REST API as tools, described by an endpoint file or an OpenAPI document.
 *
 * @module
 */

export type { Confirm, Plan } from "./consent.ts";
export type { CredentialScheme as Scheme } from "./credential.ts";
export type { Description, Endpoint, Skipped } from "./endpoint.ts";
export type { Filter } from "./filter.ts";
export type { Gateway, GatewayOptions } from "./gateway.ts";
export type { OpenApiOptions } from "./openapi.ts";
export type { OpenApiFiles } from "./openapi_files.ts";
export type { Fetch } from "./send.ts";
export { readEndpoints } from "./endpoint_file.ts";
export { GatewayError } from "./errors.ts";
export { createGateway } from "./gateway.ts";
export { readOpenApi } from "./openapi.ts";
export { parseOpenApi } from "./openapi_files.ts";
export { UpstreamError } from "./send.ts";
