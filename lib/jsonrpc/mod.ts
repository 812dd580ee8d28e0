/**
 * JSON-RPC 2.0, strict in both directions. Knows nothing of MCP or of I/O.
 *
 * @module
 */

export type { JsonChunk } from "./message.ts";
export type { Accepted, Cancellation, FramingRules, Responder } from "./contract.ts";
export type { ConnectionOptions } from "./connection.ts";
export type { ErrorObject, Failure, Id, IdRule, Message, Notification, Params, Request } from "./message.ts";
export type { Response, Success } from "./message.ts";
export { encodeMessage, MAX_DEPTH, parseJson, RawJson, readMessage } from "./message.ts";
export { Call, Connection } from "./connection.ts";
export { ErrorCode, failure, MalformedMessageError, notification, request, RpcError } from "./message.ts";
export { ALL_IDS, STRINGS_AND_INTEGERS, success, toErrorObject } from "./message.ts";
