/**
 * A JSON-RPC 2.0 server on a TCP port or a Unix domain socket, for methods that are not part of MCP.
 *
 * @module
 */

export type { Address } from "../transport/tcp.ts";
export type { Limits } from "./limits.ts";
export type { CallContext, Handler, MethodDefinition, Methods } from "./methods.ts";
export type { RichMembers, RichType } from "./revive_members.ts";
export type { JsonRpcServer, JsonRpcServerOptions } from "./server.ts";
export { ErrorCode, RpcError } from "../message.ts";
export { DEFAULT_LIMITS } from "./limits.ts";
export { reviveMembers } from "./revive_members.ts";
export { createJsonRpcServer } from "./server.ts";
export { toJsonValue } from "./to_json_value.ts";
