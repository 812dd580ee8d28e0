/**
 * How is a stream of events taken up again that has broken off? After the last event that came, when the server says so,
 * and not for ever. Only revisions with a handshake have it.
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#resumability-and-redelivery
 */

import { HttpError, ProtocolError } from "./errors.ts";
import { drop, MAX_BODY_BYTES, readPieces, typeOf } from "./http_body.ts";
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

/** One stream of events, over as many connections as it takes. */
export class EventStream {
  readonly #take: (text: string) => void | Promise<void>;
  readonly #signal: AbortSignal;
  #lastId: string | undefined;
  #retryMs: number | undefined;
  #failures = 0;
  /** Set when nothing more is wanted of it. */
  isDone = false;

  /** @param take Takes the data of each event. */
  constructor(take: (text: string) => void | Promise<void>, signal: AbortSignal) {
    this.#take = take;
    this.#signal = signal;
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
  }

  /**
   * Follows it over further connections.
   *
   * @param ask Asks for the stream; with the id of the last event, where there is one.
   * @throws {HttpError} When the server does not offer it.
   * @throws {ProtocolError} When it breaks off again and again without an event.
   */
  async follow(ask: (lastId: string | undefined) => Promise<Response>, isFirst: boolean): Promise<void> {
    for (let waits = !isFirst; !this.isDone; waits = true) {
      if (waits) await this.#wait();
      const response = await this.#attempt(ask);
      if (response) await this.read(response);
      if (this.isDone) return;
      if (++this.#failures > MAX_FAILURES) {
        throw new ProtocolError(
          "The stream of events broke off again and again; it is not taken up any more",
        );
      }
    }
  }

  async #attempt(ask: (lastId: string | undefined) => Promise<Response>): Promise<Response | undefined> {
    let response: Response;
    try {
      response = await ask(this.#lastId);
    } catch (cause) {
      this.#signal.throwIfAborted();
      if (this.#failures >= MAX_FAILURES) throw cause;
      return undefined;
    }
    if (response.ok && typeOf(response) === "text/event-stream") return response;
    drop(response);
    if (response.status >= 500) return undefined;
    throw new HttpError(`The server offers no stream of events (status ${response.status})`, response.status);
  }

  async #wait(): Promise<void> {
    const ms = this.#retryMs ?? Math.min(RETRY_MS * 2 ** this.#failures, MAX_RETRY_MS);
    const signal = this.#signal;
    await new Promise<void>((resolve, reject) => {
      const stop = () => {
        clearTimeout(timer);
        reject(signal.reason);
      };
      const timer = setTimeout(() => {
        signal.removeEventListener("abort", stop);
        resolve();
      }, ms);
      signal.addEventListener("abort", stop, { once: true });
      if (signal.aborted) stop();
    });
  }
}

const DONE: Error = new Error("Nothing more is wanted");
