/**
 * The messages and errors of JSON-RPC 2.0.
 *
 * The message types exclude one another: a `Success` has no `error`, a `Failure` no `result`, and neither has a
 * `method`.
 *
 * @see https://www.jsonrpc.org/specification sections 4 and 5
 */

/** Pairs a response with its request: a string or an integer, echoed as it was sent. */
export type Id = string | number;

/** The arguments of a request or notification: by name (an object) or by position (an array). */
export type Params = Readonly<Record<string, unknown>> | readonly unknown[];

/** A call that gets exactly one response. */
export interface Request {
  /** The version of JSON-RPC. */
  readonly jsonrpc: "2.0";
  /** Unique among the sender's unanswered requests. */
  readonly id: Id;
  /** The name of the method: "resources/read". */
  readonly method: string;
  /** The arguments, if any. */
  readonly params?: Params;
  /** Never present. */
  readonly result?: never;
  /** Never present. */
  readonly error?: never;
}

/** A call that gets no response. */
export interface Notification {
  /** The version of JSON-RPC. */
  readonly jsonrpc: "2.0";
  /** Never present. */
  readonly id?: never;
  /** The name of the method: "notifications/cancelled". */
  readonly method: string;
  /** The arguments, if any. */
  readonly params?: Params;
  /** Never present. */
  readonly result?: never;
  /** Never present. */
  readonly error?: never;
}

/** The response to a request that succeeded. */
export interface Success {
  /** The version of JSON-RPC. */
  readonly jsonrpc: "2.0";
  /** The id of the request. */
  readonly id: Id;
  /** Never present. */
  readonly method?: never;
  /** Any JSON value, or a `RawJson`. */
  readonly result: unknown;
  /** Never present. */
  readonly error?: never;
}

/** An error on the wire. Only `toErrorObject` makes them. */
export interface ErrorObject {
  /** An integer; the JSON-RPC and MCP specifications reserve ranges. */
  readonly code: number;
  /** One sentence for the other side, without paths, stacks or internal names. */
  readonly message: string;
  /** More information for the other side. */
  readonly data?: unknown;
}

/**
 * The response to a request that failed. When the id could not be read it is null (JSON-RPC) or missing (MCP since
 * 2025-11-25).
 */
export interface Failure {
  /** The version of JSON-RPC. */
  readonly jsonrpc: "2.0";
  /** The id of the request, if it could be read. */
  readonly id?: Id | null;
  /** Never present. */
  readonly method?: never;
  /** Never present. */
  readonly result?: never;
  /** What went wrong. */
  readonly error: ErrorObject;
}

/** A success or a failure. */
export type Response = Success | Failure;

/** Any message. */
export type Message = Request | Notification | Response;

/** Builds a request. */
export function request(id: Id, method: string, params?: Params): Request {
  return params === undefined ? { jsonrpc: "2.0", id, method } : { jsonrpc: "2.0", id, method, params };
}

/** Builds a notification. */
export function notification(method: string, params?: Params): Notification {
  return params === undefined ? { jsonrpc: "2.0", method } : { jsonrpc: "2.0", method, params };
}

/** Builds a success; an undefined result is sent as null. */
export function success(id: Id, result: unknown): Success {
  return { jsonrpc: "2.0", id, result: result === undefined ? null : result };
}

/** Builds a failure; an undefined id is left out. */
export function failure(id: Id | null | undefined, error: ErrorObject): Failure {
  return id === undefined ? { jsonrpc: "2.0", error } : { jsonrpc: "2.0", id, error };
}

/** Whether a message is a request. */
export function isRequest(message: Message): message is Request {
  return message.method !== undefined && message.id !== undefined;
}

/** Whether a message is a notification. */
export function isNotification(message: Message): message is Notification {
  return message.method !== undefined && message.id === undefined;
}

/** The error codes of JSON-RPC 2.0 (section 5.1). */
export const ErrorCode: {
  /** The text is not JSON. */
  readonly parse: -32700;
  /** The JSON is not a message. */
  readonly invalidRequest: -32600;
  /** The method does not exist. */
  readonly methodNotFound: -32601;
  /** The params do not fit the method. */
  readonly invalidParams: -32602;
  /** The receiver failed. */
  readonly internal: -32603;
} = Object.freeze({
  parse: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internal: -32603,
});

/**
 * An error for the other side: a handler that throws one is answered with its code, message and data. Any other error
 * is answered with a generic -32603.
 *
 * @example
 * ```ts
 * import { ErrorCode, RpcError } from "@architrave/architrave/jsonrpc";
 *
 * throw new RpcError(ErrorCode.invalidParams, 'The argument "path" is missing', { argument: "path" });
 * ```
 */
export class RpcError extends Error {
  /** The name of the class, for logs. */
  override readonly name: string = "RpcError";
  /** The code on the wire. */
  readonly code: number;
  /** The data on the wire; undefined leaves the member out. */
  readonly data: unknown;

  /**
   * Builds an error.
   *
   * @param code One of `ErrorCode`, or an integer that both sides know.
   * @param message One sentence for the other side, without paths, stacks or internal names.
   * @param data More information, as JSON. @default {left out}
   * @param options A `cause` is never sent.
   */
  constructor(code: number, message: string, data?: unknown, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
    this.data = data;
  }
}

/** An input that is not a message, with the id to answer under if it had a valid one. */
export class MalformedMessageError extends RpcError {
  /** The name of the class, for logs. */
  override readonly name = "MalformedMessageError";
  /** The id of the request, if it could be read. */
  readonly id: Id | undefined;

  /**
   * Builds an error.
   *
   * @param code -32700 for text that is not JSON, -32600 for JSON that is not a message.
   * @param message The reason. It is sent, so it must not quote the input.
   */
  constructor(code: number, message: string, id?: Id) {
    super(code, message);
    this.id = id;
  }
}

/**
 * Turns a thrown value into an error for the wire. This is the only function that does.
 *
 * @param cause An `RpcError` is sent as it is; anything else becomes a generic -32603.
 * @param reference Names the failure in the server's log; sent as `data.reference`, only with the generic error.
 */
export function toErrorObject(cause: unknown, reference?: string): ErrorObject {
  if (cause instanceof RpcError && isJson(cause.data)) {
    const { code, message, data } = cause;
    return data === undefined ? { code, message } : { code, message, data };
  }
  const internal = { code: ErrorCode.internal, message: "Internal error" };
  return reference === undefined ? internal : { ...internal, data: { reference } };
}

/** Bigints and cycles cannot be sent. */
function isJson(data: unknown): boolean {
  try {
    JSON.stringify(data);
    return true;
  } catch {
    return false;
  }
}
