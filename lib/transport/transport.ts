/**
 * How does a message travel? The contract that every carrier keeps, and the only thing the rest of the house knows
 * of carriers. A carrier moves messages; it knows nothing of what they mean.
 *
 * Three verbs and four events:
 *
 * - `start` begins to read. Handlers are set before it. It is called once.
 * - `send` takes one message, or all answers to one batch, and keeps the order of its calls. It may be called
 *   before the last one has settled. After `close` it rejects.
 * - `close` sends what was given to `send` before it, then lets go. It may be called again; later calls wait for
 *   the first. `onclose` follows exactly once, however the carrier came to its end.
 * - `onmessage` takes each message in the order of arrival, as a JSON value that was not checked yet. When it returns a
 *   promise, it has no room for more: the next message follows when that has settled.
 * - `onerror` takes what could not become a message (a `MalformedMessageError`, which the receiver answers) and
 *   what went wrong with the carrier itself.
 * - `onend` says that the other side will send no more while answers can still be sent. A carrier that nobody
 *   listens to with `onend` closes itself instead.
 *
 * A carrier whose other side can stop reading then stops reading itself, and says so with `congestion`: a promise that
 * settles when messages can leave again, undefined while they can. So what waits stays bounded. Its `progress` grows
 * with what has left: whoever waits for the end of it can tell a reader that is slow from one that is gone.
 */

import type { Message } from "../jsonrpc/message.ts";

/**
 * What is known of how a message came. It travels with each message: a carrier that serves many clients has no
 * "current session" that could be another client's by the time it is looked at.
 */
export interface MessageContext {
  /** When the message was handed over, in milliseconds since 1970. */
  readonly receivedAt: number;
  /** How long its text was, in UTF-16 units: about what it takes up in memory. */
  readonly size: number;
  /** The session that the message belongs to, where the carrier has sessions. */
  readonly sessionId?: string;
  /** Who sent it, where the carrier knows: "127.0.0.1:51820". */
  readonly remoteAddress?: string;
  /** What the carrier's authentication found out about the sender. */
  readonly authentication?: unknown;
  /** Anything else that this carrier knows. */
  readonly carrier?: Readonly<Record<string, unknown>>;
}

/** A carrier of messages; see the rules at the head of this file. */
export interface Transport {
  /** The kind of carrier: "stdio", "memory". */
  readonly type: string;
  /** True between `start` and the end. */
  readonly isOpen: boolean;
  /** Settles when messages can leave again; undefined while they can. @default {they always can} */
  readonly congestion?: Promise<void> | undefined;
  /** Grows with what has left: so a reader that is slow is told from one that is gone. @default {nobody can tell} */
  readonly progress?: number;
  /** Takes each message, unchecked, in order; the next one waits for the promise that it returns. */
  onmessage?: ((message: unknown, context: MessageContext) => void | Promise<void>) | undefined;
  /** Takes what could not become a message, with its context, and what went wrong with the carrier, without one. */
  onerror?: ((error: Error, context?: MessageContext) => void) | undefined;
  /** Called when the other side will send no more and can still be answered. @default {the carrier closes} */
  onend?: (() => void) | undefined;
  /** Called exactly once, however the carrier came to its end. */
  onclose?: (() => void) | undefined;
  /** Begins to read. Called once, after the handlers are set; rejects with a `TransportError` the second time. */
  start(): Promise<void>;
  /**
   * Sends one message, or all answers to one batch. Settles when it is on its way, or when it is lost and `onerror` has
   * said so; rejects with a `TransportError` before `start` and after `close`.
   */
  send(message: Message | readonly Message[]): Promise<void>;
  /** Sends what was given to `send` before, then lets go; settles after `onclose`. */
  close(): Promise<void>;
}

/** A verb was used out of its time: a send after the end, a second start. */
export class TransportError extends Error {
  /** Names the class in logs. */
  override readonly name = "TransportError";
}
