/**
 * What is a message? The four shapes of JSON-RPC 2.0 and the only functions that build them.
 *
 * The shapes exclude one another: a `Success` has no `error`, a `Failure` no `result`, and neither has a
 * `method`, so that a value of type `Message` is exactly one of them.
 *
 * @see https://www.jsonrpc.org/specification sections 4 and 5
 */

/** What pairs an answer with its request: a string or an integer, echoed exactly as it came. */
export type Id = string | number;

/** The arguments of a request or notification: by name (an object) or by position (an array). */
export type Params = Readonly<Record<string, unknown>> | readonly unknown[];

/** A call that is owed exactly one answer. */
export interface Request {
  /** The version of JSON-RPC. */
  readonly jsonrpc: "2.0";
  /** Chosen by whoever asks, and not used twice before the answer is there. */
  readonly id: Id;
  /** What is asked for: "resources/read". */
  readonly method: string;
  /** What it is asked with; missing when there is nothing to say. */
  readonly params?: Params;
  /** Never there: it would make this an answer. */
  readonly result?: never;
  /** Never there: it would make this an answer. */
  readonly error?: never;
}

/** A call that is never answered. */
export interface Notification {
  /** The version of JSON-RPC. */
  readonly jsonrpc: "2.0";
  /** Never there: it would make this a request. */
  readonly id?: never;
  /** What is told: "notifications/cancelled". */
  readonly method: string;
  /** What it is told with; missing when there is nothing to say. */
  readonly params?: Params;
  /** Never there: it would make this an answer. */
  readonly result?: never;
  /** Never there: it would make this an answer. */
  readonly error?: never;
}

/** The answer to a request that went well. */
export interface Success {
  /** The version of JSON-RPC. */
  readonly jsonrpc: "2.0";
  /** The id of the request. */
  readonly id: Id;
  /** Never there: it would make this a request. */
  readonly method?: never;
  /** Any JSON value, or a `WrittenObject` where it is written already. */
  readonly result: unknown;
  /** Never there: it would make this a failure. */
  readonly error?: never;
}

/** What went wrong, as the wire knows it. Built in one place only: `toErrorObject`. */
export interface ErrorObject {
  /** An integer; the ranges are divided up in the JSON-RPC and MCP specifications. */
  readonly code: number;
  /** One sentence for the other side: never a path, a stack or an internal name. */
  readonly message: string;
  /** Anything more the other side can act on. */
  readonly data?: unknown;
}

/**
 * The answer to a request that failed. The id is null, or missing, when it could not be read from the
 * request: JSON-RPC says null, MCP says missing from revision 2025-11-25 on.
 */
export interface Failure {
  /** The version of JSON-RPC. */
  readonly jsonrpc: "2.0";
  /** The id of the request, where it could be read. */
  readonly id?: Id | null;
  /** Never there: it would make this a request. */
  readonly method?: never;
  /** Never there: it would make this a success. */
  readonly result?: never;
  /** What the other side may know of the failure. */
  readonly error: ErrorObject;
}

/** Either answer. */
export type Response = Success | Failure;

/** Anything that may travel. */
export type Message = Request | Notification | Response;

/** Builds a request. */
export function request(id: Id, method: string, params?: Params): Request {
  return params === undefined ? { jsonrpc: "2.0", id, method } : { jsonrpc: "2.0", id, method, params };
}

/** Builds a notification. */
export function notification(method: string, params?: Params): Notification {
  return params === undefined ? { jsonrpc: "2.0", method } : { jsonrpc: "2.0", method, params };
}

/** Builds the answer to a request that went well; an undefined result travels as null. */
export function success(id: Id, result: unknown): Success {
  return { jsonrpc: "2.0", id, result: result === undefined ? null : result };
}

/** Builds the answer to a request that failed; an undefined id leaves the member out. */
export function failure(id: Id | null | undefined, error: ErrorObject): Failure {
  return id === undefined ? { jsonrpc: "2.0", error } : { jsonrpc: "2.0", id, error };
}

/** Tells a request from the other shapes. */
export function isRequest(message: Message): message is Request {
  return message.method !== undefined && message.id !== undefined;
}

/** Tells a notification from the other shapes. */
export function isNotification(message: Message): message is Notification {
  return message.method !== undefined && message.id === undefined;
}
