/** What a connection agrees on with its users: where messages go, and what JSON-RPC leaves to a protocol. */

import type { Id, Message, Notification, Params, Response } from "./message.ts";

/** Receives everything that is sent while one incoming message is answered. */
export interface Responder {
  /** Sends a notification or request before the response; returns a promise when the buffer is full. */
  send(message: Message): Promise<void> | undefined;
  /** Called once per incoming message, with its response or those to a batch, if there are any, and the call of a single one. */
  reply(
    response: Response | readonly Response[] | undefined,
    call?: { readonly epilogue?: Notification | undefined },
  ): void;
  /** Called before `reply` when a response matches no request of ours. @default {reported as an error} */
  unmatched?: ((response: Response) => void) | undefined;
  /** The reason why requests cannot be sent to the client; undefined when they can. */
  readonly obstacle?: string | undefined;
  /** Closes the stream; the client reconnects to get the response. Only where the transport can resume. */
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
  /** The params that cancel a request of ours. */
  write(id: Id, reason: string): Params;
  /** The request that the peer cancels, and why. The values are unchecked. */
  read(params: unknown): { readonly id: unknown; readonly reason: unknown };
}

/** What `accept` returns for a request. A protocol adds members of its own. */
export interface Accepted {
  /** The request is answered when this has settled; at once without it. */
  readonly ready?: Promise<unknown> | undefined;
}
