/** A JSON-RPC 2.0 server on a TCP port or a Unix domain socket, for methods that have nothing to do with MCP. */

import type { Awaitable } from "../../base/async.ts";
import type { Call } from "../connection.ts";
import type { ErrorObject, Id, Notification, Params, Request, Response } from "../message.ts";
import type { RichMembers } from "./rich_values.ts";
import type { Address, SocketTransport, TcpListener } from "../transport/tcp.ts";
import type { MessageContext } from "../transport/transport.ts";
import { andThen, withTimeout } from "../../base/async.ts";
import { Connection } from "../connection.ts";
import { ErrorCode, failure, RpcError, success, toErrorObject } from "../message.ts";
import { reviveMembers, toJsonValue } from "./rich_values.ts";
import { BUSY, listenTcp, MAX_CONNECTIONS } from "../transport/tcp.ts";

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

/** The limits of a server. Its memory is bounded by their product. */
export interface Limits {
  /** The limit of connections; further ones get the error -32000 and are closed. @default {1000} */
  readonly maxConnections?: number | undefined;
  /** The longest inbound line in bytes; a longer one is answered with -32600 and skipped. @default {1048576} */
  readonly maxLineBytes?: number | undefined;
  /** How many handlers run at a time for one connection, before reading stops. A batch may exceed it. @default {100} */
  readonly maxInFlight?: number | undefined;
  /** A connection is closed with -32000 after so many milliseconds without a message, write or handler. @default {300000} */
  readonly idleMs?: number | undefined;
  /** How long handlers may go on after their client, or the server, has ended, in milliseconds. @default {5000} */
  readonly graceMs?: number | undefined;
}

/** Options of a server: an address, limits and methods. */
export type JsonRpcServerOptions = Address & Limits & {
  /** The methods by name; copied. */
  readonly handlers: Methods;
  /** Receives every failure that was answered with a generic -32603, with the reference that the client got. */
  readonly onfailure?: (cause: unknown, reference: string) => void;
  /** Receives failures of connections. @default {ignored} */
  readonly onerror?: (error: Error) => void;
};

/**
 * Serves methods over JSON-RPC 2.0, one message per line, on a TCP port or a Unix domain socket.
 *
 * @returns The server, which is listening, and its `stop`.
 * @throws {TypeError} When a handler is not a function, or there is no port and no path; a `RangeError` when a number is out of
 * range; a `TransportError` when it cannot listen there.
 */
export async function createJsonRpcServer(
  options: JsonRpcServerOptions,
): Promise<{ readonly server: JsonRpcServer; readonly stop: () => Promise<void> }> {
  const server = new JsonRpcServer(options);
  await server.start();
  return { server, stop: () => server.stop() };
}

/** The default limits. */
export const DEFAULT_LIMITS: Readonly<Record<keyof Limits, number>> = Object.freeze({
  maxConnections: MAX_CONNECTIONS,
  maxLineBytes: 1024 * 1024,
  maxInFlight: 100,
  idleMs: 5 * 60 * 1000,
  graceMs: 5000,
});
/** The longest time that timers can wait, in milliseconds. */
const MAX_LIMIT = 2 ** 31 - 1;
/** How many checks there are within `idleMs`; a connection is closed when all of them find it idle. */
const IDLE_CHECKS = 10;

interface Client {
  readonly transport: SocketTransport;
  readonly connection: Connection;
  calls: number;
  /** Calls and writes at the last check, and how many checks have found no more. */
  activity: number;
  idleChecks: number;
}

/** A class, because V8 keeps the getter of each object literal in old memory, and the call with it. */
class HandlerContext implements CallContext {
  readonly method: string;
  readonly id: Id | null | undefined;
  readonly remoteAddress: string | undefined;
  readonly receivedAt: number;
  readonly notify: CallContext["notify"];
  readonly #target: Target;

  constructor(
    { method, id }: Request | Notification,
    { remoteAddress, receivedAt }: MessageContext,
    target: Target,
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

/** A server of methods; made by `createJsonRpcServer`. */
export class JsonRpcServer {
  readonly #options: JsonRpcServerOptions;
  readonly #limits: Readonly<Record<keyof Limits, number>>;
  readonly #methods: ReadonlyMap<string, MethodDefinition>;
  readonly #clients = new Set<Client>();
  readonly #requests = { received: 0, unfinished: 0, succeeded: 0, failed: 0 };
  /** The running handlers of notifications; they outlive their connection. */
  readonly #notified = new Set<Promise<unknown>>();
  readonly #stopped = new AbortController();
  #failures = 0;
  #accepted = 0;
  #listener: TcpListener | undefined;
  #state: "listening" | "stopping" | "stopped" = "listening";
  #stopping: Promise<void> | undefined;
  #idleTimer: ReturnType<typeof setInterval> | undefined;

  /** Made by `createJsonRpcServer`. */
  constructor(options: JsonRpcServerOptions) {
    this.#options = options;
    this.#limits = readLimits(options);
    if (typeof options.handlers !== "object" || options.handlers === null) {
      throw new TypeError("Cannot serve without methods: give them by name as handlers");
    }
    this.#methods = new Map(Object.entries(options.handlers).map(readMethod));
  }

  /** What it is doing. */
  get state(): "listening" | "stopping" | "stopped" {
    return this.#state;
  }

  /** Where it listens, or listened, with the port that the system has chosen. */
  get address(): Address {
    return this.#listener!.address;
  }

  /** How many connections are open, were accepted so far, and were refused. */
  get connections(): { readonly open: number; readonly accepted: number; readonly refused: number } {
    return { open: this.#clients.size, accepted: this.#accepted, refused: this.#listener!.rejected };
  }

  /** How many requests were received (without malformed input), are running, and were answered with a result or an error. */
  get requests(): Readonly<Record<"received" | "unfinished" | "succeeded" | "failed", number>> {
    return { ...this.#requests };
  }

  /** Begins to listen; called by `createJsonRpcServer`. */
  async start(): Promise<void> {
    this.#listener = await listenTcp(this.#options, {
      ...this.#limits,
      onconnection: (transport) => this.#connect(transport),
      onerror: (error) => this.#options.onerror?.(error),
    });
    this.#idleTimer = setInterval(() => this.#closeIdle(), Math.ceil(this.#limits.idleMs / IDLE_CHECKS));
  }

  /** Stops listening, lets handlers finish for `graceMs`, and closes all connections. Settles when they are released. */
  stop(): Promise<void> {
    return this.#stopping ??= this.#stop();
  }

  async #stop(): Promise<void> {
    this.#state = "stopping";
    this.#listener!.stop();
    const ended = [...this.#clients].map(({ connection, transport }) => {
      connection.end();
      return transport.released;
    });
    await withTimeout(Promise.all([...ended, ...this.#notified]), this.#limits.graceMs, undefined);
    this.#stopped.abort(new DOMException("The server has stopped", "AbortError"));
    await this.#listener!.close(0);
    clearInterval(this.#idleTimer);
    this.#state = "stopped";
  }

  #connect(transport: SocketTransport): void {
    const { maxInFlight, graceMs } = this.#limits;
    const connection = new Connection(transport, {
      onrequest: (call) => this.#answer(client, call),
      onnotification: (message, context) => this.#notice(client, message, context),
      onerror: (error) => this.#options.onerror?.(error),
      anyId: true,
      graceMs,
      maxInFlight,
      maxQueuedSize: 0,
    });
    const client: Client = { transport, connection, calls: 0, activity: 0, idleChecks: 0 };
    this.#accepted++;
    this.#clients.add(client);
    void transport.released.then(() => this.#clients.delete(client));
    void connection.start();
  }

  #answer(client: Client, call: Call): Awaitable<Response> {
    const requests = this.#requests, { request } = call;
    client.calls++;
    requests.received++;
    requests.unfinished++;
    const succeed = (result: unknown) => success(request.id, toJsonValue(result));
    const fail = (cause: unknown) => failure(request.id, this.#toError(cause));
    return andThen(this.#call<Response>(request, call.context, call, succeed, fail), (response) => {
      requests.unfinished--;
      requests[response.error === undefined ? "succeeded" : "failed"]++;
      return response;
    });
  }

  /** Notifications of unknown methods are ignored. */
  #notice(client: Client, message: Notification, context: MessageContext): Promise<unknown> | void {
    client.calls++;
    if (!this.#methods.has(message.method)) return;
    const notify: Call["notify"] = (method, params) => client.connection.notify(method, params);
    const target = { signal: this.#stopped.signal, notify };
    const work = this.#call<unknown>(message, context, target, () => {}, (cause) => this.#report(cause));
    if (!(work instanceof Promise)) return;
    this.#notified.add(work);
    return work.then(() => this.#notified.delete(work));
  }

  /** Calls a handler, and passes on its result, at once or later, or what it throws. */
  #call<T>(
    message: Request | Notification,
    context: MessageContext,
    target: Target,
    succeed: (result: unknown) => T,
    fail: (cause: unknown) => T,
  ): Awaitable<T> {
    try {
      const { method, params } = message;
      const definition = this.#methods.get(method);
      if (!definition) throw new RpcError(ErrorCode.methodNotFound, "Method not found", { method });
      const result = definition.handler(
        definition.params ? reviveMembers(params, definition.params) : params,
        new HandlerContext(message, context, target),
      );
      const isThenable = typeof (result as { then?: unknown } | null | undefined)?.then === "function";
      return isThenable ? Promise.resolve(result).then(succeed).catch(fail) : succeed(result);
    } catch (cause) {
      return fail(cause);
    }
  }

  #toError(cause: unknown): ErrorObject {
    try {
      if (!(cause instanceof RpcError)) throw cause;
      const { code, message, data } = cause;
      if (!Number.isSafeInteger(code)) throw new TypeError(`An error code must be an integer, not ${code}`);
      return toErrorObject(new RpcError(code, message, data === undefined ? undefined : toJsonValue(data)));
    } catch (unexpected) {
      return toErrorObject(unexpected, this.#report(unexpected));
    }
  }

  #report(cause: unknown): string {
    const reference = `f${++this.#failures}`;
    // Errors of the report must not affect the response.
    queueMicrotask(() => this.#options.onfailure?.(cause, reference));
    return reference;
  }

  #closeIdle(): void {
    for (const client of this.#clients) {
      const { transport, connection } = client;
      const activity = client.calls + transport.progress;
      const isIdle = activity === client.activity && connection.inFlight === 0;
      client.activity = activity;
      client.idleChecks = isIdle ? client.idleChecks + 1 : 0;
      if (client.idleChecks < IDLE_CHECKS) continue;
      // A client that does not read cannot be told.
      if (transport.congestion || !transport.isOpen) transport.abort();
      else {
        const message = `The connection was idle for ${this.#limits.idleMs} ms and is closed`;
        transport.reject(new RpcError(BUSY, message));
      }
    }
  }
}

/** The signal of a call, and where its notifications go. A `Call` of a connection has both. */
type Target = Pick<Call, "signal" | "notify">;

function readLimits(limits: Limits): Readonly<Record<keyof Limits, number>> {
  const read = { ...DEFAULT_LIMITS };
  for (const name of Object.keys(DEFAULT_LIMITS) as (keyof Limits)[]) {
    const value = read[name] = limits[name] ?? read[name];
    if (!Number.isInteger(value) || value < 1 || value > MAX_LIMIT) {
      throw new RangeError(`Cannot use ${value} for ${name}: it must be an integer from 1 to ${MAX_LIMIT}`);
    }
  }
  return read;
}

/** Checks and copies a method, so that later changes have no effect. */
function readMethod([name, given]: [string, Methods[string]]): [string, MethodDefinition] {
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
