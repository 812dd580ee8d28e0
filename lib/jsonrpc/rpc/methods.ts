/** The methods of a server: what their handlers are given, and how they are defined. */

import type { Call } from "../connection.ts";
import type { Id, Notification, Params, Request } from "../message.ts";
import type { MessageContext } from "../transport/transport.ts";
import type { RichMembers } from "./revive_members.ts";
import { toJsonValue } from "./to_json_value.ts";

/** What a handler knows of its call beside the params. */
export interface CallContext {
  /** The method that was called. */
  readonly method: string;
  /** The id of the request, perhaps null or a fraction; undefined for a notification, whose result is dropped. */
  readonly id: Id | null | undefined;
  /** Aborted for a request when its client has gone, and for all calls when the server stops waiting. */
  readonly signal: AbortSignal;
  /** The address of the client: "127.0.0.1:51820"; undefined over a Unix domain socket. */
  readonly remoteAddress: string | undefined;
  /** When the call was received, in milliseconds since 1970. */
  readonly receivedAt: number;
  /** Notifies this client during the call; returns a promise when the buffer is full. @throws {TypeError} When it is not JSON. */
  notify(method: string, params?: object): Promise<void> | undefined;
}

/** Answers a call with a rich value or a promise of one. The params are unchecked. Errors are sent: an `RpcError`, or -32603. */
export type Handler = {
  // A method, so that a handler may declare the type of its params.
  call(params: unknown, context: CallContext): unknown;
}["call"];

/** A method with params that are revived as rich values; for a value that is not of its type, the answer is -32602. */
export interface MethodDefinition {
  /** Answers a call. */
  readonly handler: Handler;
  /** The types of members of the params. @default {none are revived} */
  readonly params?: RichMembers | undefined;
}

/** Methods by name. JSON-RPC reserves names that begin with "rpc.". */
export type Methods = Readonly<Record<string, Handler | MethodDefinition>>;

/** The signal of a call, and where its notifications go. A `Call` of a connection has both. */
export type CallTarget = Pick<Call, "signal" | "notify">;

/** A class, because V8 keeps the getter of each object literal in old memory, and the call with it. */
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
    // A handler may take it without the context.
    this.notify = (method, params) => target.notify(method, params && toJsonValue(params) as Params);
    this.#target = target;
  }

  /** Made on first use, because most handlers need none. */
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
