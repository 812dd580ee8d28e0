/**
 * How does a REST API become tools? By an endpoint file or an OpenAPI document; on the golden path of every other tool.
 *
 * @module
 */

export type { Scheme } from "./credential.ts";
export type {
  Body,
  BodyKind,
  Endpoint,
  Field,
  Parameter,
  Place,
  ResponseShape,
  Serialization,
  Style,
} from "./endpoint.ts";
export type { Description, Skipped } from "./endpoint_file.ts";
export type { Fetch } from "./executor.ts";
export type { Filter } from "./filter.ts";
export type { Gateway, GatewayOptions } from "./gateway.ts";
export type { OpenApiOptions } from "./openapi.ts";
export type { Confirm, Plan } from "./guard.ts";
export { readEndpoints } from "./endpoint_file.ts";
export { createGateway } from "./gateway.ts";
export { parseOpenApi, readOpenApi } from "./openapi.ts";
export { GatewayError } from "./gateway_error.ts";
