/** A JSON-RPC 2.0 server on a TCP port or a Unix domain socket, for methods that are not part of MCP. */

import type { Awaitable } from "../../base/async.ts";
import type { Call } from "../connection.ts";
import type { ErrorObject, Notification, Request, Response } from "../message.ts";
import type { Address, SocketTransport, TcpListener } from "../transport/tcp.ts";
import type { MessageContext } from "../transport/transport.ts";
import type { Limits } from "./limits.ts";
import type { CallTarget, MethodDefinition, Methods } from "./methods.ts";
import { andThen, withTimeout } from "../../base/async.ts";
import { printFailedRequest } from "../../base/failures.ts";
import { Connection } from "../connection.ts";
import { ErrorCode, failure, RpcError, success, toErrorObject } from "../message.ts";
import { BUSY, listenTcp } from "../transport/tcp.ts";
import { readLimits } from "./limits.ts";
import { HandlerContext, readMethod } from "./methods.ts";
import { reviveMembers } from "./revive_members.ts";
import { toJsonValue } from "./to_json_value.ts";

/** Options of a server: its address, limits and methods. */
export type JsonRpcServerOptions = Address & Limits & {
  /** The methods by name. They are copied. */
  readonly handlers: Methods;
  /**
   * Receives every failure that was answered with a generic -32603, with the reference in that answer, and those of notifications.
   * @default {writes the failure and the reference to standard error}
   */
  readonly onfailure?: (cause: unknown, reference: string) => void;
  /** Receives failures of connections. @default {ignored} */
  readonly onerror?: (error: Error) => void;
};

/**
 * Serves methods over JSON-RPC 2.0, one message per line, on a TCP port or a Unix domain socket.
 *
 * @returns The server, which is listening, and a function that stops it.
 * @throws {TypeError} When a handler is not a function, or there is no port and no path.
 * @throws {RangeError} When a number is out of range.
 * @throws {TransportError} When it cannot listen there.
 */
export async function createJsonRpcServer(
  options: JsonRpcServerOptions,
): Promise<{ readonly server: JsonRpcServer; readonly stop: () => Promise<void> }> {
  const server = new JsonRpcServer(options);
  await server.start();
  return { server, stop: () => server.stop() };
}

/** The number of checks within `idleMs`. A connection is closed when all of them find it idle. */
const IDLE_CHECKS = 10;

/** A connection and its state. */
interface ConnectedClient {
  readonly transport: SocketTransport;
  readonly connection: Connection;
  /** The number of calls so far. */
  calls: number;
  /** The number of calls and writes at the last check. */
  activity: number;
  /** The number of checks in a row that have found the connection idle. */
  idleChecks: number;
}

/** A server of methods, made by `createJsonRpcServer`. */
export class JsonRpcServer {
  readonly #options: JsonRpcServerOptions;
  readonly #limits: Readonly<Record<keyof Limits, number>>;
  readonly #methods: ReadonlyMap<string, MethodDefinition>;
  readonly #clients = new Set<ConnectedClient>();
  readonly #requests = { received: 0, unfinished: 0, succeeded: 0, failed: 0 };
  /** The running handlers of notifications. They may outlive their connection. */
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
    if (typeof options?.handlers !== "object" || options.handlers === null) {
      throw new TypeError("Cannot serve without methods: pass them by name as handlers");
    }
    this.#limits = readLimits(options);
    this.#methods = new Map(Object.entries(options.handlers).map(readMethod));
  }

  /** The state of the server. */
  get state(): "listening" | "stopping" | "stopped" {
    return this.#state;
  }

  /** The address, with the port that the system has chosen. */
  get address(): Address {
    return this.#listener!.address;
  }

  /** The number of connections that are open, were accepted, and were refused. */
  get connections(): { readonly open: number; readonly accepted: number; readonly refused: number } {
    return { open: this.#clients.size, accepted: this.#accepted, refused: this.#listener!.rejected };
  }

  /** The number of requests that were received, are running, succeeded, and failed. Malformed input does not count. */
  get requests(): Readonly<Record<"received" | "unfinished" | "succeeded" | "failed", number>> {
    return { ...this.#requests };
  }

  /** Starts listening. Called by `createJsonRpcServer`. */
  async start(): Promise<void> {
    this.#listener = await listenTcp(this.#options, {
      ...this.#limits,
      onconnection: (transport) => this.#connect(transport),
      onerror: (error) => this.#options.onerror?.(error),
    });
    this.#idleTimer = setInterval(() => this.#closeIdle(), Math.ceil(this.#limits.idleMs / IDLE_CHECKS));
  }

  /** Stops listening, gives handlers `graceMs` to finish, and closes all connections. Resolves when they are released. */
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
      graceMs,
      maxInFlight,
      maxQueuedSize: 0,
    });
    const client: ConnectedClient = { transport, connection, calls: 0, activity: 0, idleChecks: 0 };
    this.#accepted++;
    this.#clients.add(client);
    void transport.released.then(() => this.#clients.delete(client));
    void connection.start();
  }

  #answer(client: ConnectedClient, call: Call): Awaitable<Response> {
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

  /** Handles a notification. One of an unknown method is ignored. */
  #notice(client: ConnectedClient, message: Notification, context: MessageContext): Promise<unknown> | void {
    client.calls++;
    if (!this.#methods.has(message.method)) return;
    const notify: Call["notify"] = (method, params) => client.connection.notify(method, params);
    const target = { signal: this.#stopped.signal, notify };
    const work = this.#call<unknown>(message, context, target, () => {}, (cause) => this.#report(cause));
    if (!(work instanceof Promise)) return;
    this.#notified.add(work);
    return work.then(() => this.#notified.delete(work));
  }

  /** Calls a handler. Passes its result to `succeed`, at once or later, or its error to `fail`. */
  #call<T>(
    message: Request | Notification,
    context: MessageContext,
    target: CallTarget,
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
    // Deferred, because an error of the callback must not affect the response.
    const { onfailure = printFailedRequest } = this.#options;
    queueMicrotask(() => onfailure(cause, reference));
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
      // A client that does not read cannot receive an error.
      if (transport.congestion || !transport.isOpen) transport.abort();
      else {
        const message = `The connection was idle for ${this.#limits.idleMs} ms and is closed`;
        transport.reject(new RpcError(BUSY, message));
      }
    }
  }
}
