/** What is going on with one client? Its conversation, its handlers at work, and when it last did anything. */

import type { Notification, Request, Response } from "../jsonrpc/message.ts";
import type { Call } from "../jsonrpc/workload.ts";
import type { SocketTransport } from "../transport/socket.ts";
import type { MessageContext } from "../transport/transport.ts";
import type { Answerer } from "./answer.ts";
import type { CallContext } from "./methods.ts";
import type { Tally } from "./tally.ts";
import { RpcError, toErrorObject } from "../jsonrpc/error.ts";
import { failure } from "../jsonrpc/message.ts";
import { Peer } from "../jsonrpc/peer.ts";
import { toJsonValue } from "../jsonrpc/rich_values.ts";
import { BUSY } from "../transport/listener.ts";

/** What a connection works with. */
export interface Terms {
  readonly answerer: Answerer;
  readonly tally: Tally;
  readonly maxInFlight: number;
  readonly graceMs: number;
  /** Aborted once the server has stopped: who sends a notification may leave, and it is worked on all the same. */
  readonly over: AbortSignal;
  /** Takes the handler of a notification at work: no connection waits for it, but the server does when it stops. */
  track(working: Promise<unknown>): void;
  onerror(error: Error): void;
}

/** One client. */
export class Connection {
  readonly #transport: SocketTransport;
  readonly #terms: Terms;
  readonly #peer: Peer<MessageContext>;
  /** How many handlers are at work, for requests and notifications. */
  #working = 0;
  /** Grows with each call that came. */
  #received = 0;
  /** Settled when a handler has finished; only while somebody waits for that. */
  #room: PromiseWithResolvers<void> | undefined;
  /** What had happened when it was last looked at, and when that was. */
  #seen = -1;
  #seenAt = 0;

  constructor(transport: SocketTransport, terms: Terms) {
    this.#transport = transport;
    this.#terms = terms;
    this.#peer = new Peer<MessageContext>(transport, {
      onrequest: (request, call) => this.#answer(request, call),
      onnotification: (notification, context) => this.#notice(notification, context),
      room: () => this.#roomForMore(),
      onerror: (error) => terms.onerror(error),
      graceMs: terms.graceMs,
    });
  }

  /** Settles when the carrier has closed, and what is under it is the system's again. */
  get released(): Promise<void> {
    return this.#peer.closed.then(() => this.#transport.released);
  }

  /** Begins to read. */
  start(): Promise<void> {
    return this.#peer.start();
  }

  /** Takes no more calls; closes when those that came are answered. */
  end(): void {
    this.#peer.end();
  }

  /** Lets go at once. */
  abort(): void {
    this.#transport.abort();
  }

  /** Lets go of a client that has done nothing for too long. */
  dismissIdle(now: number, idleMs: number): void {
    const seen = this.#received + this.#transport.progress;
    if (seen !== this.#seen || this.#working > 0) {
      this.#seen = seen;
      this.#seenAt = now;
    } else if (now - this.#seenAt >= idleMs) {
      this.#dismiss(idleMs);
    }
  }

  #dismiss(idleMs: number): void {
    // Who does not read is not told either.
    if (this.#transport.congestion || !this.#transport.isOpen) return this.abort();
    const idle = new RpcError(BUSY, `Nothing was asked for ${idleMs} ms: the connection is closed`);
    this.#transport.send(failure(null, toErrorObject(idle))).catch((cause) => this.#terms.onerror(cause));
    this.end();
  }

  #answer(request: Request, call: Call<MessageContext>): Response | Promise<Response> {
    const { answerer, tally } = this.#terms;
    this.#received++;
    tally.received++;
    const response = answerer.answer(request, new RequestContext(request, call));
    if (!(response instanceof Promise)) return tally.count(response);
    tally.unfinished++;
    return this.#work(response).then((later) => {
      tally.unfinished--;
      return tally.count(later);
    });
  }

  #notice(notification: Notification, { receivedAt, remoteAddress }: MessageContext): void {
    this.#received++;
    this.#terms.tally.notifications++;
    const working = this.#terms.answerer.notice(notification, {
      method: notification.method,
      id: undefined,
      signal: this.#terms.over,
      remoteAddress,
      receivedAt,
      notify: (method, params) => this.#peer.notify(method, writeParams(params)),
    });
    if (working) this.#terms.track(this.#work(working));
  }

  /** Keeps count of a handler at work. Must not reject. */
  async #work<T>(working: Promise<T>): Promise<T> {
    this.#working++;
    const result = await working;
    this.#working--;
    this.#room?.resolve();
    this.#room = undefined;
    return result;
  }

  #roomForMore(): Promise<void> | undefined {
    if (this.#working < this.#terms.maxInFlight) return undefined;
    this.#room ??= Promise.withResolvers<void>();
    return this.#room.promise;
  }
}

/** What the handler of a request knows. A class, because most handlers look at nothing of it. */
class RequestContext implements CallContext {
  readonly #request: Request;
  readonly #call: Call<MessageContext>;

  constructor(request: Request, call: Call<MessageContext>) {
    this.#request = request;
    this.#call = call;
  }

  get method(): string {
    return this.#request.method;
  }

  get id(): CallContext["id"] {
    return this.#request.id;
  }

  get signal(): AbortSignal {
    return this.#call.signal;
  }

  get remoteAddress(): string | undefined {
    return this.#call.context.remoteAddress;
  }

  get receivedAt(): number {
    return this.#call.context.receivedAt;
  }

  notify(method: string, params?: object): Promise<void> | undefined {
    return this.#call.notify(method, writeParams(params));
  }
}

function writeParams(params: object | undefined): Record<string, unknown> | undefined {
  if (params === undefined) return undefined;
  const written = toJsonValue(params);
  if (typeof written === "object" && written !== null) return written as Record<string, unknown>;
  throw new TypeError("Cannot notify: the params must be an object or a list");
}
