/** The contract of transports. They stop reading while the peer does not read, so that memory is bounded. */

import type { Message } from "../message.ts";

/** Where a message comes from. Each message has its own context, because one transport may serve several clients. */
export interface MessageContext {
  /** When the message was received, in milliseconds since 1970. */
  readonly receivedAt: number;
  /** The length of its text in UTF-16 units, as an estimate of its memory. */
  readonly size: number;
  /** The id of the session, if the transport has sessions. */
  readonly sessionId?: string | undefined;
  /** The values that handlers store for the session. */
  readonly sessionState?: Map<string, unknown> | undefined;
  /** The address of the sender, if known: "127.0.0.1:51820". */
  readonly remoteAddress?: string | undefined;
  /** The result of the transport's authentication. */
  readonly authentication?: unknown;
  /** Reads a header field of the HTTP request by its name in lower case. Only over HTTP. */
  readonly header?: (name: string) => string | undefined;
}

/** A transport. Its handlers are set before `start`; a `Connection` sets them. */
export interface Transport {
  /** Receives each message in order: an unchecked JSON value, and its text if known. A returned promise delays the next one. */
  onmessage?:
    | ((message: unknown, context: MessageContext, text?: string) => void | Promise<void>)
    | undefined;
  /** Receives malformed input (`MalformedMessageError`, which the receiver answers) and failures of the transport. */
  onerror?: ((error: Error, context?: MessageContext) => void) | undefined;
  /** Called when the peer has ended its output. It may still read. @default {the transport closes} */
  onend?: (() => void) | undefined;
  /** Called exactly once, at the end. */
  onclose?: (() => void) | undefined;
  /** True between `start` and the end. */
  readonly isOpen: boolean;
  /** Resolves when the outbound buffer has drained; undefined while it is below its high-water mark. */
  readonly congestion?: Promise<void> | undefined;
  /** Grows with each completed write. @default {unknown} */
  readonly progress?: number;
  /** Starts reading. Called once. */
  start(): Promise<void>;
  /** Sends a message, or the responses to a batch. The order of calls is kept. Rejects after `close`. */
  send(message: Message | readonly Message[]): Promise<void>;
  /** Closes after all output is sent, or when the peer has read nothing for `stallMs`. May be called again. */
  close(stallMs?: number): Promise<void>;
}
