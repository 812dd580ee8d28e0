/**
 * What does a server with a handshake tell unasked over HTTP? What comes in one stream of events per session, where the
 * server offers that; and what becomes of the stream.
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#listening-for-messages-from-the-server
 */

import type { ClientTransport, UnaskedEvent } from "./carrier.ts";
import { HttpError } from "./errors.ts";
import { EventStream } from "./http_stream.ts";

/** How the stream is asked for, and where what comes in it goes. */
export interface UnaskedOptions {
  /** Asks for the stream; after an event, where there is one. */
  ask(lastId: string | undefined, signal: AbortSignal): Promise<Response>;
  /** Whether requests name a session, which the server may not know any more. */
  hasSession(): boolean;
  /** Takes a message. */
  take(text: string): Promise<void>;
  tell(event: UnaskedEvent): void;
  /** Takes what is odd and not told of otherwise. */
  warn: NonNullable<ClientTransport["onerror"]>;
  /** Aborted with the carrier. */
  readonly over: AbortSignal;
}

/** The stream of one carrier: at most one at a time. */
export class Unasked {
  readonly #options: UnaskedOptions;
  #current: AbortController | undefined;

  constructor(options: UnaskedOptions) {
    this.#options = options;
  }

  /** Asks for it; does nothing where it was asked for and has not ended. */
  start(): void {
    if (this.#current || this.#options.over.aborted) return;
    const controller = this.#current = new AbortController();
    const { over, ask, take, tell } = this.#options;
    const signal = AbortSignal.any([controller.signal, over]);
    const stream = new EventStream(take, signal);
    stream.onagain = () => tell({ type: "again" });
    stream.follow((lastId) => ask(lastId, signal), true).catch((cause) => {
      if (signal.aborted) return;
      this.#current = undefined;
      this.#fail(cause);
    });
  }

  /** Lets go of it: the session is over. */
  stop(reason: Error): void {
    this.#current?.abort(reason);
    this.#current = undefined;
  }

  #fail(cause: Error): void {
    const { hasSession, tell, warn } = this.#options;
    if (!(cause instanceof HttpError)) {
      warn(cause);
      return tell({ type: "over", cause });
    }
    if (cause.status === 404 && hasSession()) return tell({ type: "lost", cause });
    // That a server offers no stream is in order, and of interest to those alone who listen.
    if (cause.status >= 500) warn(cause);
    tell({ type: "over", cause });
  }
}
