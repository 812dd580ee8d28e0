/** What the user of a connection provides: where the answer to a message is sent, and the rules that JSON-RPC leaves open. */

import type { Id, Message, Notification, Params, Response } from "./message.ts";

/** Receives everything that is sent in answer to one incoming message or batch. */
export interface Responder {
  /** Sends a notification or request before the response; returns a promise when the buffer is full. */
  send(message: Message): Promise<void> | undefined;
  /**
   * Called once per incoming message or batch, with the response or responses; undefined when there are none. `call` is the
   * request that is answered; undefined for a batch.
   */
  reply(
    response: Response | readonly Response[] | undefined,
    call?: { readonly epilogue?: Notification | undefined },
  ): void;
  /** Called before `reply` when a response matches no request of ours. @default {reported as an error} */
  unmatched?: ((response: Response) => void) | undefined;
  /** Why no request can be sent to the peer; undefined when it can. */
  readonly obstacle?: string | undefined;
  /** Closes the stream; the client reconnects to get the response. Only if the transport can resume streams. */
  closeStream?(): void;
}

/** The rules for batches and for messages without a readable id. */
export interface FramingRules {
  /** Whether an array of messages is accepted. */
  readonly batches: boolean;
  /** The id of the error response to a message without a readable id: null, or left out. */
  readonly unreadableId: null | undefined;
}

/** How a protocol on JSON-RPC cancels requests. JSON-RPC itself has no way to do so. */
export interface Cancellation {
  /** The method of the notification that cancels a request, in both directions. */
  readonly method: string;
  /** Makes the params of this notification for one of our own requests. */
  write(id: Id, reason: string): Params;
  /** Reads which request the peer cancels, and why. The values are unchecked. */
  read(params: unknown): { readonly id: unknown; readonly reason: unknown };
}

/** What `accept` returns for a request. A protocol adds members of its own. */
export interface Accepted {
  /** The handler waits until this has settled. @default {it does not wait} */
  readonly ready?: Promise<unknown> | undefined;
}
