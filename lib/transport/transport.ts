/**
 * The contract of transports. A transport moves messages and knows nothing about what they mean.
 *
 * - `start` begins to read. It is called once, after the handlers are set.
 * - `send` takes one message, or the responses to a batch, and keeps the order of its calls. It rejects after `close`.
 * - `close` sends what was passed to `send` before, then closes. It may be called again; later calls wait for the first.
 * - `onmessage` receives each message in the order of arrival, as an unchecked JSON value. When it returns a promise, the
 *   next message follows when that settles.
 * - `onerror` receives malformed input (`MalformedMessageError`, which the receiver answers) and failures of the transport.
 * - `onend` says that the other side will send no more but still reads. Without a handler, the transport closes.
 * - `onclose` is called exactly once, at the end.
 *
 * A transport whose peer stops reading stops reading itself and says so with `congestion`, so that memory stays bounded.
 */

import type { MessageChannel } from "../jsonrpc/connection.ts";

/** How a message came. It travels with each message, because one transport may serve several clients. */
export interface MessageContext {
  /** When the message was received, in milliseconds since 1970. */
  readonly receivedAt: number;
  /** The length of its text in UTF-16 units: about the memory it takes. */
  readonly size: number;
  /** The session of the message, if the transport has sessions. */
  readonly sessionId?: string;
  /** The address of the sender, if known: "127.0.0.1:51820". */
  readonly remoteAddress?: string;
  /** What the transport's authentication found out about the sender. */
  readonly authentication?: unknown;
  /** Reads a header field of the HTTP request by its name in lower case. Only over HTTP. */
  readonly header?: (name: string) => string | undefined;
}

/** A transport; the rules are at the head of this file. */
export interface Transport extends MessageChannel<MessageContext> {
  /** True between `start` and the end. */
  readonly isOpen: boolean;
}

/** A transport failed, or was used before `start` or after `close`. */
export class TransportError extends Error {
  /** The name of the class, for logs. */
  override readonly name = "TransportError";
}
