/**
 * What is a message, and who waits for it? JSON-RPC 2.0, strict in both directions; knows no MCP and no I/O.
 *
 * @module
 */

export type { Carrier } from "./carrier.ts";
export type { Piece } from "./encode.ts";
export type { LineSink } from "./lines.ts";
export type {
  ErrorObject,
  Failure,
  Id,
  Message,
  Notification,
  Params,
  Request,
  Response,
  Success,
} from "./message.ts";
export type { PeerOptions } from "./peer.ts";
export type { RichMembers, RichType } from "./revive.ts";
export type { Call, Sized } from "./workload.ts";
export { MalformedMessageError, parseJson, readMessage } from "./decode.ts";
export { encodeMessage, WrittenObject } from "./encode.ts";
export { ErrorCode, RpcError, toErrorObject } from "./error.ts";
export { LineDecoder } from "./lines.ts";
export { failure, isNotification, isRequest, notification, request, success } from "./message.ts";
export { Peer } from "./peer.ts";
export { reviveMembers } from "./revive.ts";
export { RichValueError, toJsonValue } from "./rich_values.ts";
