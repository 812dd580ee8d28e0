/**
 * How is a stream of events taken up again that has broken off? After the last event that came, when the server says so,
 * and not for ever. Only revisions with a handshake have it.
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#resumability-and-redelivery
 */

import { HttpError, ProtocolError } from "./errors.ts";
import { drop, MAX_BODY_BYTES, readPieces, typeOf } from "./http_body.ts";
import { pause } from "./pause.ts";
import { EventParser } from "./sse.ts";

/** How long to wait before a stream is taken up again where its server does not say, in milliseconds; longer each time. */
const RETRY_MS = 1000;
const MAX_RETRY_MS = 30_000;
/** The least: a server must not be asked without a pause. */
const MIN_RETRY_MS = 100;
/** The longest that a server can have its client wait, in milliseconds. */
const MAX_SERVER_RETRY_MS = 3_600_000;
/** How often in a row it is tried without an event. */
const MAX_FAILURES = 5;
/** How long a connection must last to be none of those, in milliseconds: proxies cut where nothing is told for long. */
const LASTING_MS = 10_000;

/** One stream of events, over as many connections as it takes. */
export class EventStream {
  readonly #take: (text: string) => void | Promise<void>;
  readonly #signal: AbortSignal;
  readonly #now: () => number;
  #lastId: string | undefined;
  #retryMs: number | undefined;
  #failures = 0;
  /** What the last connection failed with, before there was one. */
  #failure: Error | undefined;
  /** Told when it goes on in another connection, and not after the last event: something may be missing. */
  onagain: (() => void) | undefined;
  /** Set when nothing more is wanted of it. */
  isDone = false;

  /**
   * @param take Takes the data of each event.
   * @param now The time in milliseconds. @default {the time since the process began}
   */
  constructor(
    take: (text: string) => void | Promise<void>,
    signal: AbortSignal,
    now: () => number = () => performance.now(),
  ) {
    this.#take = take;
    this.#signal = signal;
    this.#now = now;
  }

  /** Whether it can be taken up where it broke off. */
  get isResumable(): boolean {
    return this.#lastId !== undefined;
  }

  /**
   * Reads one connection to its end, or until nothing more is wanted.
   *
   * @throws {ProtocolError} When an event is too large.
   */
  async read(response: Response): Promise<void> {
    const parser = new EventParser({
      data: async (text) => {
        this.#failures = 0;
        if (text.trim() !== "") await this.#take(text);
      },
      id: (id) => {
        this.#failures = 0;
        this.#lastId = id === "" ? undefined : id;
      },
      retry: (ms) => this.#retryMs = Math.max(MIN_RETRY_MS, Math.min(ms, MAX_SERVER_RETRY_MS)),
    }, MAX_BODY_BYTES);
    const begin = this.#now();
    try {
      await readPieces(response, async (text) => {
        await parser.push(text);
        if (this.isDone) throw DONE;
      });
    } catch (cause) {
      if (cause === DONE) return;
      if (cause instanceof ProtocolError) throw cause;
      // The connection has broken: what came until then has come.
      this.#signal.throwIfAborted();
    }
    if (this.#now() - begin >= LASTING_MS) this.#failures = 0;
  }

  /**
   * Follows it over further connections.
   *
   * @param ask Asks for the stream; with the id of the last event, where there is one.
   * @throws {HttpError} When the server does not offer it.
   * @throws {Error} What it broke with, when it does so again and again without an event.
   */
  async follow(ask: (lastId: string | undefined) => Promise<Response>, isFirst: boolean): Promise<void> {
    for (let waits = !isFirst; !this.isDone; waits = true) {
      if (waits) await pause(this.#waitMs, this.#signal);
      const response = await this.#attempt(ask);
      if (response) {
        if (waits && !this.isResumable) this.onagain?.();
        await this.read(response);
      }
      if (this.isDone) return;
      if (++this.#failures > MAX_FAILURES) throw this.#failure ?? brokenOff();
    }
  }

  async #attempt(ask: (lastId: string | undefined) => Promise<Response>): Promise<Response | undefined> {
    let response: Response;
    try {
      response = await ask(this.#lastId);
    } catch (cause) {
      this.#signal.throwIfAborted();
      this.#failure = cause as Error;
      return undefined;
    }
    this.#failure = undefined;
    if (response.ok && typeOf(response) === "text/event-stream") return response;
    drop(response);
    const failure = notOffered(response.status);
    if (response.status < 500) throw failure;
    this.#failure = failure;
    return undefined;
  }

  get #waitMs(): number {
    return this.#retryMs ?? Math.min(RETRY_MS * 2 ** this.#failures, MAX_RETRY_MS);
  }
}

function brokenOff(): ProtocolError {
  return new ProtocolError("The stream of events broke off again and again; it is not taken up any more");
}

function notOffered(status: number): HttpError {
  const message = status >= 500
    ? `The server answered the request for its stream of events with the status ${status}`
    : `The server offers no stream of events (status ${status})`;
  return new HttpError(message, status);
}

const DONE: Error = new Error("Nothing more is wanted");
