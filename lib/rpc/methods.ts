/** Which methods are there? Those that were given when the server was built, by their own names. */

import type { Id } from "../jsonrpc/message.ts";
import type { RichMembers } from "../jsonrpc/revive.ts";

/** What a handler knows of its call beside the params. */
export interface CallContext {
  /** The name that the client called. */
  readonly method: string;
  /** The id of the request; undefined for a notification, whose result goes nowhere. */
  readonly id: Id | undefined;
  /**
   * Aborted when nobody waits any more: for a request when its client has gone or the server stops waiting, for a
   * notification only when the server does.
   */
  readonly signal: AbortSignal;
  /** Who calls: "127.0.0.1:51820"; undefined where the carrier does not know, as over a Unix domain socket. */
  readonly remoteAddress: string | undefined;
  /** When the call came, in milliseconds since 1970. */
  readonly receivedAt: number;
  /**
   * Tells this client something, rich values included, while the call is unfinished.
   *
   * @returns A promise when there is no room for more before it settles.
   * @throws {RichValueError} When the params have no form in JSON.
   */
  notify(method: string, params?: object): Promise<void> | undefined;
}

/**
 * Answers a call: with any rich value, now or later. What it throws is answered as -32603 without a word of it, but for an
 * `RpcError`, which is meant for the client.
 *
 * The params are whatever the client sent: an object, a list or undefined. The handler checks them, and throws an `RpcError`
 * with -32602 when it cannot use them.
 */
export type Handler = {
  // Written as a method, so that a handler may state what it takes its params to be.
  call(params: unknown, context: CallContext): unknown;
}["call"];

/** A method that wants some of its params as rich values. */
export interface MethodDefinition {
  /** Answers a call. */
  readonly handler: Handler;
  /** Which members of the params are what; a client that sends anything else is answered with -32602. */
  readonly params: RichMembers;
}

/** Methods by name. Names that begin with "rpc." are kept for JSON-RPC itself. */
export type Methods = Readonly<Record<string, Handler | MethodDefinition>>;

/** A method as it is called. */
export interface Method {
  readonly handler: Handler;
  readonly params: RichMembers | undefined;
}

/**
 * Takes a copy: what is added to the object later is not served.
 *
 * @throws {TypeError} When something in it is no method.
 */
export function readMethods(methods: Methods): ReadonlyMap<string, Method> {
  const table = new Map<string, Method>();
  for (const [name, given] of Object.entries(methods)) {
    if (name.startsWith("rpc.")) {
      throw new TypeError(`Cannot serve the method "${name}": JSON-RPC keeps names with "rpc." for itself`);
    }
    const isDefinition = typeof given === "object" && given !== null;
    const { handler, params } = isDefinition ? given : { handler: given, params: undefined };
    if (typeof handler !== "function") {
      throw new TypeError(`Cannot serve the method "${name}": its handler is not a function`);
    }
    table.set(name, Object.freeze({ handler, params: params && structuredClone(params) }));
  }
  return table;
}
