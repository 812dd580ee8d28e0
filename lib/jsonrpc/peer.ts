/**
 * Who waits for whom? One conversation over one carrier: what was asked of us and is not answered yet, and what we
 * asked and have no answer to.
 *
 * The peer knows JSON-RPC and nothing of what the methods mean. Whatever ends a request early (a cancellation, the
 * end of the carrier) reaches its handler as an aborted signal, and a request that was cancelled is not answered.
 */

import type { Carrier } from "./carrier.ts";
import type { Id, Message, Notification, Params, Request, Response } from "./message.ts";
import type { Call, Outcome, Sized } from "./workload.ts";
import { MalformedMessageError, readMessage } from "./decode.ts";
import { ErrorCode, RpcError, toErrorObject } from "./error.ts";
import { failure, isNotification, isRequest, notification } from "./message.ts";
import { Questions } from "./questions.ts";
import { Workload } from "./workload.ts";

/** What the owner of a conversation decides. */
export interface PeerOptions<Context> {
  /** Answers a request. Must not throw and must not reject: a failure is an answer too. */
  onrequest(request: Request, call: Call<Context>): Response | Promise<Response>;
  /**
   * When a request can be answered; undefined when it can be now. Requests that wait for the same thing are answered in
   * order, as fast as their answers can leave. Must not reject. @default {at once}
   */
  ready?(request: Request): Promise<void> | undefined;
  /** Whether a request that can be answered goes before those that wait, because it decides how what follows is taken. @default {no} */
  isUrgent?(request: Request): boolean;
  /** Takes a notification. Nothing is ever sent back. @default {it is ignored} */
  onnotification?(notification: Notification, context: Context): void;
  /** When there is room for more, beside what the peer itself bounds; undefined when there is now. @default {there always is} */
  room?(): Promise<void> | undefined;
  /** Called when the other side asks no more; what is still unfinished is to come to an end. @default {nobody} */
  onend?(): void;
  /** Called when a request was answered, but for those of a batch. @default {nobody} */
  onanswered?(id: Id): void;
  /** Whether a request may be one of a batch. @default {true, as JSON-RPC 2.0 says} */
  isBatchable?(request: Request): boolean;
  /** Whether an array of messages is served now. @default {true, as JSON-RPC 2.0 says} */
  acceptsBatches?(): boolean;
  /** The id of an answer to what has no readable id. @default {null, as JSON-RPC 2.0 says} */
  unreadableId?(): null | undefined;
  /** Takes what went wrong with the carrier. @default {it is ignored} */
  onerror?(error: Error): void;
  /** How long no handler may finish after the other side has ended its input, in milliseconds. @default {1000} */
  graceMs?: number;
}

/** The most messages in one batch: its answers are held until the last one is there. */
const MAX_BATCH = 100;

/** How long handlers may finish once nobody can ask or cancel any more: time for a read, not for a stuck call. */
const GRACE_MS = 1000;
/** How many graces may pass with nothing done while a reader takes nothing, or what is needed is not there yet. */
const MAX_PATIENCE = 10;

/** One conversation. Start it with `start`; it lives until its carrier closes. */
export class Peer<Context extends Sized> {
  readonly #carrier: Carrier<Context>;
  readonly #options: PeerOptions<Context>;
  /** What the other side asked. */
  readonly #workload: Workload<Context>;
  /** What we asked. */
  readonly #questions: Questions;
  readonly #closed = Promise.withResolvers<void>();
  /** Only ever goes forward. */
  #state: "open" | "ended" | "closed" = "open";
  #grace: ReturnType<typeof setTimeout> | undefined;

  /** Where the outcome of a message goes that did not come in a batch. */
  readonly #alone: Outcome = {
    answer: (response) => {
      this.#send(response);
      const { id } = response;
      if (id !== null && id !== undefined) this.#options.onanswered?.(id);
      this.#closeWhenDone();
    },
    silence: () => {},
  };

  /** Takes over a carrier that is not started yet: from here on its handlers are the peer's. */
  constructor(carrier: Carrier<Context>, options: PeerOptions<Context>) {
    this.#carrier = carrier;
    this.#options = options;
    this.#questions = new Questions((message) => carrier.send(message));
    this.#workload = new Workload({
      handle: (request, call) => options.onrequest(request, call),
      ready: (request) => options.ready?.(request),
      isUrgent: (request) => options.isUrgent?.(request) ?? false,
      congestion: () => carrier.congestion,
      notify: (method, params) => this.#send(notification(method, params)),
      ask: (method, params, signal) => this.request(method, params, signal),
    });
    carrier.onmessage = (message, context) => {
      if (this.#state !== "open") return;
      this.#receive(message, context);
      return this.#workload.room() ?? options.room?.();
    };
    carrier.onerror = (error) => this.#complain(error);
    carrier.onend = () => this.end();
    carrier.onclose = () => this.#close();
  }

  /** Settles when the carrier has closed. */
  get closed(): Promise<void> {
    return this.#closed.promise;
  }

  /** Starts the carrier. Called once, and before anything is asked or told. */
  start(): Promise<void> {
    return this.#carrier.start();
  }

  /**
   * Finishes as though the other side had ended its input: no further message is taken, what was asked is answered for
   * as long as the grace lasts, and then the carrier closes. May be called again.
   */
  end(): void {
    if (this.#state !== "open") return;
    this.#state = "ended";
    // Whoever sends no more answers nothing either.
    this.#questions.end();
    this.#options.onend?.();
    this.#giveGrace();
    this.#closeWhenDone();
  }

  /** Closes the carrier; what was answered before still arrives. */
  close(): Promise<void> {
    return this.#carrier.close();
  }

  /**
   * Asks the other side, and waits for as long as it takes.
   *
   * @param signal Takes the question back: the other side is told, and its answer is not waited for. @default {nothing does}
   * @returns What it answered.
   * @throws {RpcError} When it answered with an error, or when the conversation ended first.
   */
  request(method: string, params?: Params, signal?: AbortSignal): Promise<unknown> {
    return this.#questions.ask(method, params, signal);
  }

  /**
   * Tells the other side; does nothing once the conversation is over.
   *
   * @returns A promise when there is no room for more before it settles.
   */
  notify(method: string, params?: Params): Promise<void> | undefined {
    this.#send(notification(method, params));
    return this.#carrier.congestion;
  }

  /** Aborts a request of the other side; it will not be answered. Unknown and finished ids are ignored. */
  cancel(id: Id, reason: string = "The request was cancelled"): void {
    this.#workload.cancel(id, reason);
    this.#closeWhenDone();
  }

  #receive(value: unknown, context: Context): void {
    if (!Array.isArray(value)) return this.#receiveOne(value, context, this.#alone);
    if (this.#options.acceptsBatches?.() === false) {
      return this.#refuse("a batch is not served in this revision of the protocol", this.#alone);
    }
    if (value.length === 0) return this.#refuse("the batch is empty", this.#alone);
    if (value.length > MAX_BATCH) {
      return this.#refuse(`the batch has more than ${MAX_BATCH} messages`, this.#alone);
    }
    this.#receiveBatch(value, { ...context, size: context.size / value.length });
  }

  /** The answers to a batch leave together, once the last one is there; with nothing to answer, nothing leaves. */
  #receiveBatch(values: readonly unknown[], context: Context): void {
    const answers: Response[] = [];
    let open = values.length;
    const settle = (answer?: Response) => {
      if (answer) answers.push(answer);
      if (--open > 0) return;
      if (answers.length > 0) this.#send(answers);
      this.#closeWhenDone();
    };
    const outcome: Outcome = { answer: settle, silence: settle };
    for (const value of values) this.#receiveOne(value, context, outcome);
  }

  #receiveOne(value: unknown, context: Context, outcome: Outcome): void {
    let message: Message;
    try {
      message = readMessage(value);
    } catch (cause) {
      if (!(cause instanceof MalformedMessageError)) throw cause;
      if (isAnswer(value)) {
        // An answer is never answered; whoever waits for it is told.
        this.#settle(failure(cause.id, toErrorObject(cause)));
        return outcome.silence();
      }
      return outcome.answer(failure(cause.id ?? this.#unreadableId(), toErrorObject(cause)));
    }
    if (isRequest(message)) return this.#serve(message, context, outcome);
    if (isNotification(message)) this.#options.onnotification?.(message, context);
    else this.#settle(message);
    outcome.silence();
  }

  #serve(request: Request, context: Context, outcome: Outcome): void {
    if (outcome !== this.#alone && this.#options.isBatchable?.(request) === false) {
      const error = new RpcError(ErrorCode.invalidRequest, "Invalid request: it must not be part of a batch");
      return outcome.answer(failure(request.id, toErrorObject(error)));
    }
    if (this.#workload.has(request.id)) {
      // Not under the id: the client could not tell which of the two requests is answered.
      return this.#refuse("a request with the same id is still unfinished", outcome);
    }
    this.#workload.take(request, context, outcome);
  }

  #settle(response: Response): void {
    if (this.#questions.settle(response)) return;
    this.#options.onerror?.(new Error(`An answer came to nothing that was asked: ${response.id}`));
  }

  #complain(error: Error): void {
    if (!(error instanceof MalformedMessageError)) this.#options.onerror?.(error);
    else if (this.#state === "open") {
      this.#send(failure(error.id ?? this.#unreadableId(), toErrorObject(error)));
    }
  }

  #refuse(reason: string, outcome: Outcome): void {
    const error = new RpcError(ErrorCode.invalidRequest, `Invalid request: ${reason}`);
    outcome.answer(failure(this.#unreadableId(), toErrorObject(error)));
  }

  #unreadableId(): null | undefined {
    return this.#options.unreadableId ? this.#options.unreadableId() : null;
  }

  #send(message: Message | readonly Message[]): void {
    if (this.#state === "closed") return;
    // A send that fails is reported by the carrier itself, which then closes.
    this.#carrier.send(message).catch((cause) => this.#options.onerror?.(cause));
  }

  /** Handlers may go on for as long as something gets done in time; a slow reader or a slow start has more of it. */
  #giveGrace(patience: number = MAX_PATIENCE): void {
    const before = this.#progress;
    this.#grace = setTimeout(() => {
      if (this.#progress > before) return this.#giveGrace();
      const isSlow = this.#workload.isUnready || this.#carrier.congestion !== undefined;
      if (isSlow && patience > 1) return this.#giveGrace(patience - 1);
      this.#workload.cancelAll("The other side has closed its input");
      this.#closeWhenDone();
    }, this.#options.graceMs ?? GRACE_MS);
  }

  /** Grows with what is answered, and with what leaves. */
  get #progress(): number {
    return this.#workload.answers + (this.#carrier.progress ?? 0);
  }

  #closeWhenDone(): void {
    if (this.#state === "ended" && this.#workload.size === 0) void this.#carrier.close();
  }

  #close(): void {
    if (this.#state === "closed") return;
    this.#state = "closed";
    clearTimeout(this.#grace);
    this.#workload.cancelAll("The connection is closed");
    this.#questions.end();
    this.#closed.resolve();
  }
}

function isAnswer(value: unknown): boolean {
  return typeof value === "object" && value !== null && !("method" in value) &&
    ("result" in value || "error" in value);
}
