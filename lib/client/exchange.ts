/** How is one thing asked? With a limit on its time, and with a way to take it back; what is told meanwhile finds its way. */

import type { Id, Notification, Params } from "../jsonrpc/message.ts";
import type { Connection } from "../jsonrpc/connection.ts";
import type { MessageContext } from "../transport/transport.ts";
import type { Progress } from "./options.ts";
import type { Members } from "./value.ts";
import type { Wire } from "./wire.ts";
import { ProtocolError, TimeoutError } from "./errors.ts";
import { isObject } from "../base/json.ts";
import { objectIn } from "./value.ts";

/** How one thing is asked. */
export interface AskOptions {
  readonly signal?: AbortSignal | undefined;
  /** How long nothing may be heard, in milliseconds; undefined for as long as it takes. */
  readonly timeoutMs?: number | undefined;
  /** How long it may take at most, in milliseconds, whatever is heard. */
  readonly maxTimeoutMs?: number | undefined;
  readonly onprogress?: ((progress: Progress) => void) | undefined;
  /** Told the id of the request as it leaves. */
  readonly onsent?: ((id: Id) => void) | undefined;
}

interface Unanswered {
  readonly controller: AbortController;
  readonly clock: Clock;
  heard(progress: Progress): void;
}

/** Watches over the time of one request. */
interface Clock {
  /** Starts the time for silence again. */
  again(): void;
  /** Stops the time for silence until it is started again. */
  hold(): void;
  stop(): void;
}

/** The requests of one client. */
export class Exchange {
  readonly #peer: Connection<MessageContext>;
  readonly #wire: Wire;
  readonly #unanswered = new Set<Unanswered>();
  /** Those that want to hear of progress, by their token. */
  readonly #progress = new Map<unknown, Unanswered>();
  #tokens = 0;
  /** How many questions of the server are being answered. */
  #answering = 0;

  constructor(peer: Connection<MessageContext>, wire: Wire) {
    this.#peer = peer;
    this.#wire = wire;
  }

  /**
   * Asks the server.
   *
   * @throws {RpcError} When it answers with an error, or is gone.
   * @throws {TimeoutError} When it takes too long; it is told that nobody waits any more.
   * @throws {ProtocolError} When its answer is no object.
   * @throws {unknown} The reason of the signal.
   */
  async ask(method: string, params: Members, options: AskOptions = {}): Promise<Members> {
    options.signal?.throwIfAborted();
    const controller = new AbortController();
    const takeBack = () => controller.abort(options.signal!.reason);
    options.signal?.addEventListener("abort", takeBack);
    const clock = startClock(method, controller, options);
    const unanswered: Unanswered = {
      controller,
      clock,
      heard: (progress) => {
        if (this.#answering === 0) clock.again();
        options.onprogress?.(progress);
      },
    };
    this.#unanswered.add(unanswered);
    const token = options.onprogress ? `progress-${++this.#tokens}` : undefined;
    if (token !== undefined) this.#progress.set(token, unanswered);
    try {
      const asked = this.#peer.request(method, withToken(params, token), controller.signal);
      options.onsent?.(this.#wire.lastId!);
      const result = await asked;
      if (isObject(result)) return result;
      throw new ProtocolError(`The server answered ${method} with something that is no object`);
    } finally {
      clock.stop();
      options.signal?.removeEventListener("abort", takeBack);
      this.#unanswered.delete(unanswered);
      this.#progress.delete(token);
    }
  }

  /** Takes a report of progress; one that nobody waits for is dropped. */
  report({ params }: Notification): void {
    if (!isObject(params) || typeof params["progress"] !== "number") return;
    this.#progress.get(params["progressToken"])?.heard(toProgress(params));
  }

  /** Answers the server. Meanwhile it is not silent, it waits: for a user, perhaps. */
  async whileAnswering<T>(answer: () => Promise<T>): Promise<T> {
    this.#answering++;
    for (const { clock } of this.#unanswered) clock.hold();
    try {
      return await answer();
    } finally {
      this.#answering--;
      if (this.#answering === 0) { for (const { clock } of this.#unanswered) clock.again(); }
    }
  }

  /** Gives up everything that is not answered: nobody can tell which of it was answered just now. */
  giveUp(reason: Error): void {
    for (const { controller } of this.#unanswered) controller.abort(reason);
  }
}

function withToken(params: Members, token: string | undefined): Params {
  if (token === undefined) return params;
  return { ...params, _meta: { ...objectIn(params, "_meta"), progressToken: token } };
}

function toProgress(params: Members): Progress {
  const { progress, total, message } = params;
  return {
    progress: progress as number,
    ...(typeof total === "number" ? { total } : {}),
    ...(typeof message === "string" ? { message } : {}),
  };
}

function startClock(
  method: string,
  controller: AbortController,
  { timeoutMs, maxTimeoutMs }: AskOptions,
): Clock {
  const timer = (ms: number | undefined) =>
    ms === undefined ? undefined : setTimeout(() => {
      controller.abort(new TimeoutError(`The server did not answer ${method} in ${ms} ms`));
    }, ms);
  let silence = timer(timeoutMs);
  const whole = timer(maxTimeoutMs === timeoutMs ? undefined : maxTimeoutMs);
  return {
    again: () => {
      clearTimeout(silence);
      if (!controller.signal.aborted) silence = timer(timeoutMs);
    },
    hold: () => clearTimeout(silence),
    stop: () => {
      clearTimeout(silence);
      clearTimeout(whole);
    },
  };
}
