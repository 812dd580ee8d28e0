/**
 * Who waits for whom? One conversation over one carrier: what was asked of us and is not answered yet, and what we
 * asked and have no answer to.
 *
 * The peer knows JSON-RPC and nothing of what the methods mean. Whatever ends a request early (a cancellation, the
 * end of the carrier) reaches its handler as an aborted signal, and a request that was cancelled is not answered.
 */

import type { Failure, Id, Message, Notification, Params, Request, Response } from "./message.ts";
import { MalformedMessageError, readMessage } from "./decode.ts";
import { ErrorCode, RpcError, toErrorObject } from "./error.ts";
import { failure, isNotification, isRequest, notification, request } from "./message.ts";

/** Handlers at work at one time; more requests wait. Enough for any client, few enough to hold in memory. */
export const MAX_UNFINISHED = 1000;
/** Requests that wait for a handler. Past this, a client is told so at once: waiting would not help it. */
export const MAX_WAITING = 10_000;

/** As much of a carrier as a conversation needs; every `Transport` fits. */
export interface Carrier<Context> {
  onmessage?: ((message: unknown, context: Context) => void) | undefined;
  onerror?: ((error: Error, context?: Context) => void) | undefined;
  onend?: (() => void) | undefined;
  onclose?: (() => void) | undefined;
  start(): Promise<void>;
  send(message: Message | readonly Message[]): Promise<void>;
  close(): Promise<void>;
}

/** A request at work. */
export interface Call<Context> {
  /** Aborted when the request is cancelled or the conversation ends. Made when it is first looked at. */
  readonly signal: AbortSignal;
  /** How the message came. */
  readonly context: Context;
}

/** What the owner of a conversation decides. */
export interface PeerOptions<Context> {
  /** Answers a request. Must not throw and must not reject: a failure is an answer too. */
  onrequest(request: Request, call: Call<Context>): Response | Promise<Response>;
  /** Takes a notification. Nothing is ever sent back. */
  onnotification?(notification: Notification, context: Context): void;
  /** Whether an array of messages is served now. @default {true, as JSON-RPC 2.0 says} */
  acceptsBatches?(): boolean;
  /** The id of an answer to what has no readable id. @default {null, as JSON-RPC 2.0 says} */
  unreadableId?(): null | undefined;
  /** Takes what went wrong with the carrier. */
  onerror?(error: Error): void;
  /** How long handlers go on after the other side has ended its input, in milliseconds. @default {1000} */
  graceMs?: number;
}

/** How long handlers may finish once nobody can ask or cancel any more: time for a read, not for a stuck call. */
const GRACE_MS = 1000;

interface Unfinished {
  controller: AbortController | undefined;
  cancelled: boolean;
}

interface Pending {
  resolve(result: unknown): void;
  reject(cause: unknown): void;
}

/** One conversation. Start it with `start`; it lives until its carrier closes. */
export class Peer<Context> {
  readonly #carrier: Carrier<Context>;
  readonly #options: PeerOptions<Context>;
  /** Requests of the other side that have no answer yet, waiting ones included; the key is the id as it came. */
  readonly #unfinished = new Map<Id, Unfinished>();
  /** Those of `#unfinished` that have no handler yet. */
  readonly #waiting: (() => void)[] = [];
  /** How many of `#unfinished` have a handler at work. */
  #working = 0;
  /** Requests of ours that have no answer yet. */
  readonly #pending = new Map<Id, Pending>();
  #nextId = 1;
  #closed: Promise<void>;
  #markClosed!: () => void;
  #isClosed = false;
  #ended = false;
  #grace: ReturnType<typeof setTimeout> | undefined;

  constructor(carrier: Carrier<Context>, options: PeerOptions<Context>) {
    this.#carrier = carrier;
    this.#options = options;
    this.#closed = new Promise((resolve) => this.#markClosed = resolve);
    carrier.onmessage = (message, context) => this.#receive(message, context);
    carrier.onerror = (error) => this.#complain(error);
    carrier.onend = () => this.#end();
    carrier.onclose = () => this.#close();
  }

  /** Settles when the carrier has closed. */
  get closed(): Promise<void> {
    return this.#closed;
  }

  /** Starts the carrier. */
  start(): Promise<void> {
    return this.#carrier.start();
  }

  /** Closes the carrier; what was answered before still arrives. */
  close(): Promise<void> {
    return this.#carrier.close();
  }

  /**
   * Asks the other side.
   *
   * @returns What it answered.
   * @throws {RpcError} When it answered with an error, or when the conversation ended first.
   */
  request(method: string, params?: Params): Promise<unknown> {
    if (this.#isClosed) return Promise.reject(ended(method));
    const id = this.#nextId++;
    const answer = new Promise<unknown>((resolve, reject) => this.#pending.set(id, { resolve, reject }));
    this.#send(request(id, method, params));
    return answer;
  }

  /** Tells the other side. */
  notify(method: string, params?: Params): void {
    this.#send(notification(method, params));
  }

  /** Aborts a request of the other side; it will not be answered. Unknown and finished ids are ignored. */
  cancel(id: Id, reason?: string): void {
    const unfinished = this.#unfinished.get(id);
    if (!unfinished) return;
    unfinished.cancelled = true;
    this.#unfinished.delete(id);
    unfinished.controller?.abort(abortReason(reason ?? "The request was cancelled"));
  }

  #receive(value: unknown, context: Context): void {
    if (!Array.isArray(value)) return this.#receiveOne(value, context, (answer) => this.#send(answer));
    if (this.#options.acceptsBatches?.() === false) {
      return this.#refuse(
        "a batch is not served in this revision of the protocol",
        (answer) => this.#send(answer),
      );
    }
    if (value.length === 0) return this.#refuse("the batch is empty", (answer) => this.#send(answer));
    this.#receiveBatch(value, context);
  }

  /** The answers to a batch leave together, once the last one is there; with nothing to answer, nothing leaves. */
  #receiveBatch(values: readonly unknown[], context: Context): void {
    const answers: Response[] = [];
    let open = values.length;
    const settle = (answer?: Response) => {
      if (answer) answers.push(answer);
      if (--open === 0 && answers.length > 0) this.#send(answers);
    };
    for (const value of values) this.#receiveOne(value, context, settle, settle);
  }

  /** Exactly one of `answer` and `silence` is called for a message, now or later. */
  #receiveOne(
    value: unknown,
    context: Context,
    answer: (response: Response) => void,
    silence: () => void = nothing,
  ): void {
    let message: Message;
    try {
      message = readMessage(value);
    } catch (cause) {
      if (!(cause instanceof MalformedMessageError)) throw cause;
      return answer(failure(cause.id ?? this.#unreadableId(), toErrorObject(cause)));
    }
    if (isRequest(message)) return this.#serve(message, context, answer, silence);
    if (isNotification(message)) this.#options.onnotification?.(message, context);
    else this.#settle(message);
    silence();
  }

  #serve(
    request: Request,
    context: Context,
    answer: (response: Response) => void,
    silence: () => void,
  ): void {
    if (this.#unfinished.has(request.id)) {
      // Not under the id: the client could not tell which of the two requests is answered.
      return this.#refuse("a request with the same id is still unfinished", answer);
    }
    if (this.#waiting.length >= MAX_WAITING) {
      return answer(
        failure(
          request.id,
          toErrorObject(new RpcError(ErrorCode.internal, "Too many requests are unfinished")),
        ),
      );
    }
    const unfinished: Unfinished = { controller: undefined, cancelled: false };
    this.#unfinished.set(request.id, unfinished);
    const finish = (response: Response) => {
      this.#working--;
      if (unfinished.cancelled) silence();
      else {
        this.#unfinished.delete(request.id);
        answer(response);
      }
      this.#next();
    };
    const work = () => {
      if (unfinished.cancelled) return silence();
      this.#working++;
      const response = this.#options.onrequest(request, callOf(unfinished, context));
      // Most answers are there at once; a promise for them would only cost time.
      if (response instanceof Promise) void response.then(finish);
      else finish(response);
    };
    if (this.#working < MAX_UNFINISHED) work();
    else this.#waiting.push(work);
  }

  /** Gives free places to those that wait, and ends the conversation once its input is over and all is answered. */
  #next(): void {
    while (this.#working < MAX_UNFINISHED && this.#waiting.length > 0) this.#waiting.shift()!();
    if (this.#ended && this.#unfinished.size === 0) void this.#carrier.close();
  }

  #settle(response: Response): void {
    const id = response.id;
    const pending = id == null ? undefined : this.#pending.get(id);
    if (id == null || !pending) {
      return this.#complain(new Error(`An answer came to nothing that was asked: ${id}`));
    }
    this.#pending.delete(id);
    const { error } = response;
    if (error) pending.reject(new RpcError(error.code, error.message, error.data));
    else pending.resolve(response.result);
  }

  #complain(error: Error): void {
    if (error instanceof MalformedMessageError) {
      this.#send(failure(error.id ?? this.#unreadableId(), toErrorObject(error)));
    } else this.#options.onerror?.(error);
  }

  #refuse(reason: string, answer: (response: Failure) => void): void {
    const error = new RpcError(ErrorCode.invalidRequest, `Invalid request: ${reason}`);
    answer(failure(this.#unreadableId(), toErrorObject(error)));
  }

  #unreadableId(): null | undefined {
    return this.#options.unreadableId ? this.#options.unreadableId() : null;
  }

  #send(message: Message | readonly Message[]): void {
    if (this.#isClosed) return;
    // A send that fails is reported by the carrier itself, which then closes.
    this.#carrier.send(message).catch((cause) => this.#options.onerror?.(cause));
  }

  /** Nothing more will be asked: what was asked is answered, within the grace, and then the carrier closes. */
  #end(): void {
    this.#ended = true;
    this.#next();
    if (this.#unfinished.size === 0 || this.#isClosed) return;
    this.#grace = setTimeout(() => {
      this.#abortAll("The client has closed its side");
      void this.#carrier.close();
    }, this.#options.graceMs ?? GRACE_MS);
  }

  #close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    clearTimeout(this.#grace);
    this.#abortAll("The connection is closed");
    for (const [id, pending] of this.#pending) {
      this.#pending.delete(id);
      pending.reject(ended("the request"));
    }
    this.#markClosed();
  }

  #abortAll(reason: string): void {
    this.#waiting.length = 0;
    for (const id of this.#unfinished.keys()) this.cancel(id, reason);
  }
}

/** A call whose abort controller is only made when somebody looks at the signal: most handlers never do. */
function callOf<Context>(unfinished: Unfinished, context: Context): Call<Context> {
  return {
    context,
    get signal(): AbortSignal {
      unfinished.controller ??= new AbortController();
      if (unfinished.cancelled) unfinished.controller.abort(abortReason("The request was cancelled"));
      return unfinished.controller.signal;
    },
  };
}

function abortReason(message: string): DOMException {
  return new DOMException(message, "AbortError");
}

function ended(what: string): RpcError {
  return new RpcError(ErrorCode.internal, `The conversation ended before ${what} was answered`);
}

function nothing(): void {}
