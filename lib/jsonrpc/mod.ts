/**
 * JSON-RPC 2.0, strict in both directions. Knows nothing of MCP or of I/O.
 *
 * @module
 */

export type { JsonChunk } from "./message.ts";
export type {
  ConnectionOptions,
  FramingRules,
  Loading,
  MessageChannel,
  Outlet,
  Sized,
} from "./connection.ts";
export type { LineSink } from "./framing.ts";
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
export { encodeMessage, MAX_DEPTH, parseJson, RawJson, readMessage } from "./message.ts";
export { Call, Connection } from "./connection.ts";
export { LineDecoder } from "./framing.ts";
export {
  ErrorCode,
  failure,
  isNotification,
  isRequest,
  MalformedMessageError,
  notification,
  request,
  RpcError,
  success,
  toErrorObject,
} from "./message.ts";
