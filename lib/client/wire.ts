/**
 * What goes between a client's conversation and its carrier? What a server must never be sent is held back, and what the
 * peer does not tell is told: the id of a request that has just left.
 */

import type { MessageChannel } from "../jsonrpc/connection.ts";
import type { Id, Message } from "../jsonrpc/message.ts";
import type { MessageContext, Transport } from "../transport/transport.ts";
import type { Era } from "./revisions.ts";
import { isNotification, isRequest, MalformedMessageError } from "../jsonrpc/message.ts";
import { ProtocolError } from "./errors.ts";

/** A carrier that a client's peer speaks through. */
export class Wire implements MessageChannel<MessageContext> {
  onmessage: MessageChannel<MessageContext>["onmessage"];
  onerror: MessageChannel<MessageContext>["onerror"];
  onend: MessageChannel<MessageContext>["onend"];
  onclose: MessageChannel<MessageContext>["onclose"];
  /** Takes what the server wrote that is no message. */
  onmalformed: ((error: MalformedMessageError) => void) | undefined;
  /** Modern servers are sent no answers, because they may not ask. */
  era: Era | undefined;
  /** The id of the request that left last. */
  lastId: Id | undefined;
  /** Whether the other side sends no more, or nothing can be sent to it. */
  hasEnded = false;
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
    transport.onmessage = (message, context) => this.onmessage?.(message, context);
    transport.onend = () => {
      this.hasEnded = true;
      this.onend?.();
    };
    transport.onclose = () => {
      this.hasEnded = true;
      this.onclose?.();
    };
    transport.onerror = (error) => {
      // The peer would answer it, and a server that logs to its output would get errors as input.
      if (error instanceof MalformedMessageError) this.onmalformed?.(error);
      else this.onerror?.(error);
    };
  }

  get congestion(): Promise<void> | undefined {
    return this.#transport.congestion;
  }

  get progress(): number {
    return this.#transport.progress ?? 0;
  }

  start(): Promise<void> {
    return this.#transport.start();
  }

  send(message: Message | readonly Message[]): Promise<void> {
    if (Array.isArray(message)) return this.#transport.send(message.filter((one) => this.#mayLeave(one)));
    const one = message as Message;
    if (!this.#mayLeave(one)) {
      const what = this.era === "modern" ? "asked the client" : "sent what is no message";
      this.onerror?.(new ProtocolError(`The server ${what}, and is not answered`));
      return Promise.resolve();
    }
    if (isRequest(one)) this.lastId = one.id;
    return this.#transport.send(one);
  }

  close(): Promise<void> {
    return this.#transport.close();
  }

  #mayLeave(message: Message): boolean {
    if (isRequest(message) || isNotification(message)) return true;
    return this.era !== "modern" && message.id !== undefined && message.id !== null;
  }
}
