/** A JSON-RPC connection in both directions: over a transport, or with messages that are passed in, as over HTTP. */

import type { Accepted, Cancellation, FramingRules, Responder } from "./contract.ts";
import type { Id, IdRule, Message, Notification, Params, Request, Response } from "./message.ts";
import type { MessageContext, Transport } from "./transport/transport.ts";
import { asString, isObject } from "../base/json.ts";
import {
  ALL_IDS,
  ErrorCode,
  failure,
  malformed,
  MalformedMessageError,
  notification,
  readMessage,
  RpcError,
  toErrorObject,
} from "./message.ts";
import { OutgoingRequests } from "./outgoing.ts";

/** How many handlers run at a time. */
const MAX_IN_FLIGHT = 1000;
/** How much may be queued before reading stops, in UTF-16 units. */
const MAX_QUEUED_SIZE = 4 * 1024 * 1024;
/** How long a request may take after the end of input, in milliseconds without progress. */
const GRACE_MS = 60_000;
/** The interval of the checks for progress after the end of input, in milliseconds. */
const CHECK_MS = 1000;
/** How many such checks in a row may find that the peer is not reading. After that, the transport is closed. */
const MAX_STALLED_CHECKS = 8;
/** How many times longer a request may take than `end` allows, while it waits for something to load. */
const LOADING_FACTOR = 8;
/** The error message for a request that is given up. */
const GIVEN_UP = "The request was given up, because the connection ended before its handler did";

/** The behaviour of a connection. `A` is the type that `accept` returns. */
export interface ConnectionOptions<A extends Accepted | undefined = Accepted | undefined> {
  /**
   * Called once for each request, in the order of arrival. Its result is `call.accepted`. Must not throw. @default {nothing}
   */
  accept?(call: Call<A>): A;
  /** Answers a request. Must not throw or reject. */
  onrequest(call: Call<A>): Response | Promise<Response>;
  /**
   * Receives a notification. If it cancels a request, that is cancelled already. A returned promise must not reject: it counts
   * as a running handler, but `end` does not wait for it. @default {ignored}
   */
  onnotification?(notification: Notification, context: MessageContext): void | Promise<unknown>;
  /** Called once when no more messages are taken. Requests that wait for something should finish now. */
  onend?(): void;
  /** The rules in force for batches and unreadable ids. @default {those of JSON-RPC 2.0} */
  rules?(): FramingRules;
  /** Receives failures of the transport and unmatched responses. @default {ignored} */
  onerror?(error: Error): void;
  /**
   * How long a request may take after the end of input, in milliseconds. The time starts again when another request is answered
   * or output is written. When it is over, the request is answered with an error. @default {60000}
   */
  readonly graceMs?: number;
  /** The same for one request. @default {graceMs} */
  graceOf?(call: Call<A>): number;
  /** Called with each request that is given up at the end, after the peer was told. @default {ignored} */
  ongiveup?(call: Call<A>, reason: string): void;
  /** How many handlers run at a time. @default {1000} */
  readonly maxInFlight?: number;
  /** How much may be queued before reading stops, in UTF-16 units. @default {4 Mi} */
  readonly maxQueuedSize?: number;
  /** How many of our own requests may wait for a response. @default {unlimited} */
  readonly maxPending?: number;
  /** Which ids requests may have. @default {all of JSON-RPC} */
  readonly ids?: IdRule;
  /** How requests are cancelled. @default {not at all} */
  readonly cancellation?: Cancellation;
  /** Makes the id of one of our requests. @default {1, 2, 3, …} */
  nextId?(): Id;
}

/** An incoming request that is being answered. */
export class Call<A = Accepted | undefined> {
  /** The request. */
  readonly request: Request;
  /** Where the request comes from. */
  readonly context: MessageContext;
  /** Receives the response, and other messages that belong to the request. */
  readonly responder: Responder;
  /** Whether the request is part of a batch. */
  readonly inBatch: boolean;
  /** What `accept` returned. */
  readonly accepted: A;
  /** Why it was cancelled; undefined while it is not. Cheaper than `signal`. */
  cancelled: DOMException | undefined;
  /** Whether it was answered. */
  isAnswered = false;
  /** The error that the handler threw for the peer. A transport may need more than its code: over HTTP, it has a status. */
  error: RpcError | undefined;
  /** Sent after the response. Set by the handler. */
  epilogue: Notification | undefined;
  readonly #connection: Pick<Connection, "request"> | undefined;
  #controller: AbortController | undefined;

  /** Calls `accept` with this call. Without a `connection`, `sendRequest` fails. */
  constructor(
    request: Request,
    context: MessageContext,
    responder: Responder,
    accept?: (call: Call<A>) => A,
    inBatch?: boolean,
    connection?: Pick<Connection, "request">,
  ) {
    this.request = request;
    this.context = context;
    this.responder = responder;
    this.inBatch = inBatch === true;
    this.#connection = connection;
    this.accepted = accept?.(this) as A;
  }

  /** Aborted when the request is cancelled or the connection closes. Created on first use, because it is expensive. */
  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.cancelled) this.#controller.abort(this.cancelled);
    return this.#controller.signal;
  }

  /** Sends a notification that belongs to this request, unless that has ended; returns a promise when the buffer is full. */
  notify(method: string, params?: Params): Promise<void> | undefined {
    if (this.cancelled || this.isAnswered) return undefined;
    return this.responder.send(notification(method, params));
  }

  /** Sends a request that belongs to this one: see `Connection.request`. Also fails when this one is cancelled or answered. */
  async sendRequest(method: string, params?: Params, signal?: AbortSignal): Promise<unknown> {
    if (this.cancelled) throw this.cancelled;
    if (this.isAnswered || !this.#connection) {
      const reason = this.isAnswered ? "the request it belongs to is answered" : "there is no connection";
      throw new RpcError(ErrorCode.internal, `Cannot send ${method}: ${reason}`);
    }
    const signals = signal ? AbortSignal.any([this.signal, signal]) : this.signal;
    return await this.#connection.request(method, params, signals, this.responder);
  }

  /** Cancels the request: its signal is aborted. */
  cancel(reason: string): void {
    this.cancelled = new DOMException(reason, "AbortError");
    this.#controller?.abort(this.cancelled);
  }
}

/** One connection. With a transport, call `start`; the connection lives until the transport closes. */
export class Connection<A extends Accepted | undefined = Accepted | undefined> {
  readonly #transport: Transport | undefined;
  readonly #options: ConnectionOptions<A>;
  readonly #ids: IdRule;
  readonly #maxInFlight: number;
  readonly #maxQueuedSize: number;
  /** Incoming requests without a response, by id. */
  readonly #calls = new Map<Id, Call<A>>();
  /** Calls whose `ready` has not settled. */
  readonly #loading = new Set<Call<A>>();
  /** Calls that wait for a free slot, in order. */
  readonly #queue = new Set<Call<A>>();
  #queuedSize = 0;
  #inFlight = 0;
  #waitsForDrain = false;
  /** Set while the queue is full; settles when it is no longer full. */
  #full: PromiseWithResolvers<void> | undefined;
  readonly #outgoing: OutgoingRequests;
  /** How many requests were answered: a measure of progress. */
  #answered = 0;
  #givenUp = 0;
  readonly #closed = Promise.withResolvers<void>();
  #state: "open" | "ended" | "closed" = "open";
  #nextCheck: ReturnType<typeof setTimeout> | undefined;
  #maxGraceMs = Infinity;

  readonly #responder: Responder = {
    send: (message) => {
      this.#send(message);
      return this.#transport?.congestion;
    },
    reply: (response, call) => {
      if (response) this.#send(response);
      if (call?.epilogue && response) this.#send(call.epilogue);
    },
  };

  /** Takes a transport that is not started yet; without one, messages are passed to `receive`. */
  constructor(transport: Transport | undefined, options: ConnectionOptions<A>) {
    this.#transport = transport;
    this.#options = options;
    this.#ids = options.ids ?? ALL_IDS;
    this.#outgoing = new OutgoingRequests(options);
    this.#maxInFlight = options.maxInFlight ?? MAX_IN_FLIGHT;
    this.#maxQueuedSize = options.maxQueuedSize ?? MAX_QUEUED_SIZE;
    if (!transport) return;
    transport.onmessage = (message, context, text) => this.receive(message, context, this.#responder, text);
    transport.onerror = (error) => {
      if (!(error instanceof MalformedMessageError)) options.onerror?.(error);
      else if (this.#state === "open") this.#send(this.#failureOf(error));
    };
    transport.onend = () => this.end();
    transport.onclose = () => this.#close("The connection is closed");
  }

  /** Settles when the connection is closed. */
  get closed(): Promise<void> {
    return this.#closed.promise;
  }

  /** How many handlers are running, for requests and notifications. */
  get inFlight(): number {
    return this.#inFlight;
  }

  /** How many requests were given up, because the connection ended before their handlers did. */
  get givenUp(): number {
    return this.#givenUp;
  }

  /** Starts the transport. Called once, before anything is sent. */
  async start(): Promise<void> {
    await this.#transport?.start();
  }

  /**
   * Takes no more messages, waits for the unfinished requests, then closes. `graceMs` limits that of the options for each request;
   * one that waits for something to load has eight times as long. Of several calls, the lowest limit counts.
   */
  end(graceMs: number = Infinity): void {
    if (this.#state === "closed") return;
    const isFirst = this.#state === "open";
    this.#state = "ended";
    if (isFirst) this.#outgoing.end();
    if (isFirst) this.#options.onend?.();
    this.#maxGraceMs = Math.min(graceMs, this.#maxGraceMs);
    this.#scheduleCheck();
    this.#closeWhenDone();
  }

  /** Closes the transport, or the connection itself if it has none. Responses that were given before are still sent. */
  async close(reason: string = "The connection is closed"): Promise<void> {
    if (this.#transport) await this.#transport.close();
    else this.#close(reason);
  }

  /**
   * Sends a request and returns its result. The signal cancels it. Throws an `RpcError` when it fails, or the signal's reason.
   */
  async request(
    method: string,
    params?: Params,
    signal?: AbortSignal,
    responder: Responder = this.#responder,
  ): Promise<unknown> {
    signal?.throwIfAborted();
    if (this.#state !== "open") {
      throw new RpcError(ErrorCode.internal, `The connection ended before ${method} was answered`);
    }
    const send = (message: Message): Promise<void> | undefined => {
      if (responder === this.#responder) return this.#transport?.send(message);
      void responder.send(message);
      return undefined;
    };
    return await this.#outgoing.request(method, params, signal, responder.obstacle, send);
  }

  /** Sends a notification, unless the connection is closed; returns a promise when the buffer is full. */
  notify(method: string, params?: Params): Promise<void> | undefined {
    return this.#responder.send(notification(method, params));
  }

  /** Cancels an incoming request; it gets no response. Unknown and finished ids are ignored. */
  cancel(id: Id, reason: string = "The request was cancelled"): void {
    const call = this.#calls.get(id);
    if (!call) return;
    this.#calls.delete(id);
    this.#dequeue(call);
    call.cancel(reason);
    call.responder.reply(undefined, call);
    this.#closeWhenDone();
  }

  /**
   * Handles a message or a batch. If it returns a promise, the next message should wait for it. Repeated member names are found
   * only in `text`, from which the value was parsed.
   */
  receive(
    value: unknown,
    context: MessageContext,
    responder: Responder,
    text?: string,
  ): Promise<void> | undefined {
    if (this.#state !== "open") return undefined;
    if (Array.isArray(value)) return this.#receiveBatch(value, context, responder, text);
    this.#receiveOne(value, context, responder, false, text);
    this.#checkQueue();
    return this.#full?.promise;
  }

  async #receiveBatch(
    values: readonly unknown[],
    context: MessageContext,
    responder: Responder,
    text?: string,
  ): Promise<void> {
    const refuse = (reason: string) => responder.reply(this.#failureOf(malformed(reason)));
    if (!this.#rules.batches) return refuse("a batch is not served in this revision of the protocol");
    const { openBatch } = await import("./batch.ts");
    const batch = openBatch(values, context, responder, text);
    if (typeof batch === "string") return refuse(batch);
    for (const value of values) this.#receiveOne(value, batch.context, batch.responder, true);
    this.#checkQueue();
    await this.#full?.promise;
  }

  #receiveOne(
    value: unknown,
    context: MessageContext,
    responder: Responder,
    inBatch: boolean,
    text?: string,
  ) {
    let message: Message;
    try {
      message = readMessage(value, text, this.#ids);
    } catch (cause) {
      if (!(cause instanceof MalformedMessageError)) throw cause;
      const isResponse = isObject(value) && !("method" in value) && ("result" in value || "error" in value);
      if (!isResponse) return responder.reply(this.#failureOf(cause));
      // A malformed response is not answered: the request that it belongs to fails.
      message = failure(cause.id, toErrorObject(cause));
    }
    if (message.method === undefined) this.#settle(message, responder);
    else if (message.id === undefined) {
      const { cancellation } = this.#options;
      if (message.method === cancellation?.method) {
        const { id, reason } = cancellation.read(message.params);
        this.cancel(id as Id, asString(reason));
      }
      this.#track(this.#options.onnotification?.(message, context));
    } else if (this.#calls.has(message.id)) {
      // Without the id, because the peer could not tell which of the two requests is answered.
      return responder.reply(this.#failureOf(malformed("a request with the same id is still unfinished")));
    } else {
      const call = new Call<A>(message, context, responder, this.#options.accept, inBatch, this);
      const canStart = this.#queue.size === 0 && this.#inFlight < this.#maxInFlight;
      return canStart && !call.accepted?.ready ? this.#run(call) : this.#enqueue(call);
    }
    responder.reply(undefined);
  }

  #enqueue(call: Call<A>): void {
    this.#calls.set(call.request.id, call);
    this.#queuedSize += call.context.size;
    const ready = call.accepted?.ready;
    if (!ready) return void this.#queue.add(call);
    this.#loading.add(call);
    const run = () => {
      if (this.#loading.delete(call)) this.#queue.add(call);
      this.#runQueued();
    };
    void ready.then(run, run);
  }

  #run(call: Call<A>): void {
    const response = this.#options.onrequest(call);
    // Most handlers return at once, and need no bookkeeping.
    if (!(response instanceof Promise)) return this.#finish(call, response);
    this.#calls.set(call.request.id, call);
    this.#track(response.then((later) => this.#finish(call, later)));
  }

  /** Counts a running handler until it ends. */
  #track(work: void | Promise<unknown>): void {
    if (!work) return;
    this.#inFlight++;
    void work.then(() => {
      this.#inFlight--;
      this.#runQueued();
      this.#checkQueue();
    });
  }

  #finish(call: Call<A>, response: Response): void {
    // `cancel` has called `reply` already.
    if (call.cancelled) return;
    call.isAnswered = true;
    this.#calls.delete(call.request.id);
    this.#answered++;
    call.responder.reply(response, call);
    if (this.#state === "ended") this.#closeWhenDone();
  }

  /** Starts queued requests while slots are free and the outbound buffer is below its high-water mark. */
  #runQueued(): void {
    if (this.#waitsForDrain) return;
    for (const call of this.#queue) {
      if (this.#inFlight >= this.#maxInFlight) return;
      const congestion = this.#transport?.congestion;
      if (congestion) {
        this.#waitsForDrain = true;
        return void congestion.then(() => {
          this.#waitsForDrain = false;
          this.#runQueued();
        });
      }
      this.#dequeue(call);
      this.#run(call);
    }
  }

  #dequeue(call: Call<A>): void {
    if (!this.#loading.delete(call) && !this.#queue.delete(call)) return;
    this.#queuedSize -= call.context.size;
    this.#checkQueue();
  }

  /**
   * Sets or clears `#full`. If `maxQueuedSize` is 0, the queue is full when a request is queued or no slot is free.
   */
  #checkQueue(): void {
    const isBusy = this.#queuedSize > 0 || this.#inFlight >= this.#maxInFlight;
    if (isBusy && this.#queuedSize >= this.#maxQueuedSize) this.#full ??= Promise.withResolvers();
    else {
      this.#full?.resolve();
      this.#full = undefined;
    }
  }

  #settle(response: Response, responder: Responder): void {
    if (this.#outgoing.settle(response)) return;
    if (responder.unmatched) responder.unmatched(response);
    else this.#options.onerror?.(new Error(`A response matches no request: ${JSON.stringify(response.id)}`));
  }

  get #rules(): FramingRules {
    return this.#options.rules?.() ?? { batches: true, unreadableId: null };
  }

  #failureOf(error: MalformedMessageError): Response {
    return failure(error.id ?? this.#rules.unreadableId, toErrorObject(error));
  }

  #send(message: Message | readonly Message[]): void {
    if (this.#state === "closed") return;
    // A transport reports a failed send itself, and closes.
    this.#transport?.send(message).catch((cause) => this.#options.onerror?.(cause));
  }

  /** Checks for progress at intervals, and gives up requests that take too long. `idleMs` is the time without progress. */
  #scheduleCheck(idleMs: number = 0): void {
    clearTimeout(this.#nextCheck);
    const { graceMs = GRACE_MS, graceOf } = this.#options;
    const period = Math.min(graceMs, this.#maxGraceMs, CHECK_MS);
    const progress = () => this.#answered + (this.#transport?.progress ?? 0);
    const before = progress();
    this.#nextCheck = setTimeout(() => {
      const idle = progress() > before ? 0 : idleMs + period;
      // An error cannot reach a peer that is not reading.
      if (this.#transport?.congestion !== undefined) {
        if (idle >= period * MAX_STALLED_CHECKS) return void this.#transport.close(0);
      } else {
        for (const call of this.#calls.values()) {
          // What is loading, such as a large folder, is soon done.
          const limit = this.#maxGraceMs * (this.#loading.has(call) ? LOADING_FACTOR : 1);
          if (idle >= Math.min(graceOf?.(call) ?? graceMs, limit)) this.#giveUp(call);
        }
      }
      this.#scheduleCheck(idle);
      this.#closeWhenDone();
    }, period);
  }

  /** Cancels the handler of a request that takes too long, and tells the peer. */
  #giveUp(call: Call<A>): void {
    this.#givenUp++;
    this.#fail(call, GIVEN_UP);
    this.#options.ongiveup?.(call, GIVEN_UP);
  }

  /** Cancels the handler of a request, and answers it with an error. */
  #fail(call: Call<A>, reason: string): void {
    const { request: { id }, responder } = call;
    this.#calls.delete(id);
    this.#dequeue(call);
    call.cancel(reason);
    this.#answered++;
    responder.reply(failure(id, { code: ErrorCode.internal, message: reason }), call);
  }

  #closeWhenDone(): void {
    if (this.#state === "ended" && this.#calls.size === 0) void this.close();
  }

  #close(reason: string): void {
    if (this.#state === "closed") return;
    this.#state = "closed";
    clearTimeout(this.#nextCheck);
    for (const [id, call] of this.#calls) {
      // Over a closed transport, the peer cannot be told.
      if (this.#transport) this.cancel(id, reason);
      else this.#fail(call, reason);
    }
    this.#outgoing.end();
    this.#closed.resolve();
  }
}
