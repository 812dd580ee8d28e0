/** What must something be able to do to carry a conversation? */

import type { Message } from "./message.ts";

/** As much of a carrier as a conversation needs; every `Transport` fits. */
export interface Carrier<Context> {
  /** Takes each message, unchecked; the next one waits for the promise that it returns. Set by the peer. */
  onmessage?: ((message: unknown, context: Context) => void | Promise<void>) | undefined;
  /** Takes what is no message (a `MalformedMessageError`) and what is wrong with the carrier. Set by the peer. */
  onerror?: ((error: Error, context?: Context) => void) | undefined;
  /** Called when the other side will send no more and can still be answered. Set by the peer. */
  onend?: (() => void) | undefined;
  /** Called once, at the very end. Set by the peer. */
  onclose?: (() => void) | undefined;
  /** Settles when messages can leave again; undefined while they can. */
  readonly congestion?: Promise<void> | undefined;
  /** Grows with what has left. @default {nobody can tell} */
  readonly progress?: number;
  /** Begins to read. */
  start(): Promise<void>;
  /** Sends one message, or all answers to one batch, in the order of the calls. */
  send(message: Message | readonly Message[]): Promise<void>;
  /** Sends what was given to `send` before, then ends; may be called again. */
  close(): Promise<void>;
}
