/**
 * How are methods served that have nothing to do with MCP? A JSON-RPC 2.0 server on a TCP port or a Unix domain socket.
 *
 * @module
 */

export type { Address, TcpAddress, UnixAddress } from "../platform/tcp.ts";
export type { Place } from "../transport/place.ts";
export type { RichMembers, RichType } from "../jsonrpc/revive.ts";
export type { FailureReport } from "./answer.ts";
export type { Limits } from "./limits.ts";
export type { CallContext, Handler, MethodDefinition, Methods } from "./methods.ts";
export type { JsonRpcServer, JsonRpcServerOptions, RunningServer } from "./server.ts";
export type { RequestCounts } from "./tally.ts";
export { ErrorCode, RpcError } from "../jsonrpc/error.ts";
export { RichValueError } from "../jsonrpc/rich_values.ts";
export { createJsonRpcServer } from "./server.ts";
