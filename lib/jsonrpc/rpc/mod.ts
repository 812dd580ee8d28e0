/**
 * A JSON-RPC 2.0 server on a TCP port or a Unix domain socket, for methods that have nothing to do with MCP.
 *
 * @module
 */

export type { RichMembers, RichType } from "./rich_values.ts";
export type { Address } from "../transport/tcp.ts";
export type {
  CallContext,
  Handler,
  JsonRpcServer,
  JsonRpcServerOptions,
  Limits,
  MethodDefinition,
  Methods,
} from "./server.ts";
export { ErrorCode, RpcError } from "../message.ts";
export { reviveMembers, toJsonValue } from "./rich_values.ts";
export { createJsonRpcServer, DEFAULT_LIMITS } from "./server.ts";
