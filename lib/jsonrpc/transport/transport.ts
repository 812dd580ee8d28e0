/** The contract of transports: they move messages, and read nothing while their peer reads nothing, so that memory is bounded. */

import type { Message } from "../message.ts";

/** How a message came. It travels with each message, because one transport may serve several clients. */
export interface MessageContext {
  /** When the message was received, in milliseconds since 1970. */
  readonly receivedAt: number;
  /** The length of its text in UTF-16 units: about the memory it takes. */
  readonly size: number;
  /** The session of the message, if the transport has sessions. */
  readonly sessionId?: string | undefined;
  /** What handlers keep for the session. */
  readonly sessionState?: Map<string, unknown> | undefined;
  /** The address of the sender, if known: "127.0.0.1:51820". */
  readonly remoteAddress?: string | undefined;
  /** What the transport's authentication found out about the sender. */
  readonly authentication?: unknown;
  /** Reads a header field of the HTTP request by its name in lower case. Only over HTTP. */
  readonly header?: (name: string) => string | undefined;
}

/** A transport. Its handlers are set before `start`; a `Connection` sets them. */
export interface Transport {
  /** Receives each message in order, as an unchecked JSON value, and its text if known. A returned promise delays the next one. */
  onmessage?:
    | ((message: unknown, context: MessageContext, text?: string) => void | Promise<void>)
    | undefined;
  /** Receives malformed input (`MalformedMessageError`, which the receiver answers) and failures of the transport. */
  onerror?: ((error: Error, context?: MessageContext) => void) | undefined;
  /** Called when the peer sends no more, but may still read. @default {the transport closes} */
  onend?: (() => void) | undefined;
  /** Called exactly once, at the end. */
  onclose?: (() => void) | undefined;
  /** True between `start` and the end. */
  readonly isOpen: boolean;
  /** Settles when the outbound buffer has drained; undefined while it is below its high-water mark. */
  readonly congestion?: Promise<void> | undefined;
  /** Grows with every write that completes. @default {unknown} */
  readonly progress?: number;
  /** Begins to read. Called once. */
  start(): Promise<void>;
  /** Sends one message, or the responses to a batch, in the order of the calls. Rejects after `close`. */
  send(message: Message | readonly Message[]): Promise<void>;
  /** Sends what was passed to `send` before, to a peer that reads within `stallMs`, then closes. May be called again. */
  close(stallMs?: number): Promise<void>;
}

/** A transport failed, or was used before `start` or after `close`. */
export class TransportError extends Error {
  /** The name of the class, for logs. */
  override readonly name = "TransportError";
}
