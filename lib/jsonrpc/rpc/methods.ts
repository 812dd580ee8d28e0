/** The definitions of methods, and the context of their handlers. */

import type { Call } from "../connection.ts";
import type { Id, Notification, Params, Request } from "../message.ts";
import type { MessageContext } from "../transport/transport.ts";
import type { RichMembers } from "./revive_members.ts";
import { toJsonValue } from "./to_json_value.ts";

/** What a handler gets in addition to the params. */
export interface CallContext {
  /** The method that was called. */
  readonly method: string;
  /** The id of the request, which may be null or a fraction; undefined for a notification, whose result is dropped. */
  readonly id: Id | null | undefined;
  /** Aborted when the client of a request has gone, and for all calls when the server no longer waits for handlers. */
  readonly signal: AbortSignal;
  /** The address of the client: "127.0.0.1:51820"; undefined over a Unix domain socket. */
  readonly remoteAddress: string | undefined;
  /** When the call was received, in milliseconds since 1970. */
  readonly receivedAt: number;
  /**
   * Notifies the client during the call. Returns a promise if the buffer is full.
   *
   * @throws {TypeError} When JSON cannot represent the params.
   */
  notify(method: string, params?: object): Promise<void> | undefined;
}

/**
 * Answers a call with a rich value or a promise of one. The params are unchecked. If it throws an `RpcError`, that is sent; any
 * other error is sent as -32603.
 */
export type Handler = {
  // Declared as a method, so that a handler may declare the type of its params.
  call(params: unknown, context: CallContext): unknown;
}["call"];

/** A method whose params have rich values. If a value is not of its declared type, the answer is -32602. */
export interface MethodDefinition {
  /** Answers calls of the method. */
  readonly handler: Handler;
  /** The types of the members with rich values. @default {none} */
  readonly params?: RichMembers | undefined;
}

/** Methods by name. JSON-RPC reserves names that begin with "rpc.". */
export type Methods = Readonly<Record<string, Handler | MethodDefinition>>;

/** The signal of a call, and the function that notifies its client. */
export type CallTarget = Pick<Call, "signal" | "notify">;

/** The context of one call. A class, because V8 keeps the getter of an object literal, and thereby the call, in the old generation. */
export class HandlerContext implements CallContext {
  readonly method: string;
  readonly id: Id | null | undefined;
  readonly remoteAddress: string | undefined;
  readonly receivedAt: number;
  readonly notify: CallContext["notify"];
  readonly #target: CallTarget;

  constructor(
    { method, id }: Request | Notification,
    { remoteAddress, receivedAt }: MessageContext,
    target: CallTarget,
  ) {
    this.method = method;
    this.id = id;
    this.remoteAddress = remoteAddress;
    this.receivedAt = receivedAt;
    // Bound, because a handler may call it without the context.
    this.notify = (method, params) => target.notify(method, params && toJsonValue(params) as Params);
    this.#target = target;
  }

  /** A getter, because the signal is created when it is first read, and most handlers do not need it. */
  get signal(): AbortSignal {
    return this.#target.signal;
  }
}

/** Checks and copies a method, so that later changes have no effect. */
export function readMethod([name, given]: [string, Methods[string]]): [string, MethodDefinition] {
  if (name.startsWith("rpc.")) {
    throw new TypeError(`Cannot serve the method "${name}": JSON-RPC reserves names that begin with "rpc."`);
  }
  const { handler, params }: Partial<MethodDefinition> = typeof given === "function"
    ? { handler: given }
    : given ?? {};
  if (typeof handler !== "function") {
    throw new TypeError(`Cannot serve the method "${name}": its handler is not a function`);
  }
  return [name, { handler, params: structuredClone(params) }];
}
