/** Our transports in place of those of the official packages, and theirs in place of ours: what differs between the two. */

import type { JSONRPCMessage, Transport as TransportV2 } from "@modelcontextprotocol/client";
import type { Transport as TransportV1 } from "@modelcontextprotocol/sdk/shared/transport.js";
import type { Message } from "../../lib/jsonrpc/mod.ts";
import type { MessageContext, Transport } from "../../lib/transport/mod.ts";
import { TransportError } from "../../lib/transport/mod.ts";

/** Any transport of either generation; they differ in nothing that is used here. */
export type SdkTransport = TransportV1 & TransportV2;

/** What the two contracts have in common to the letter. */
type Shared = Omit<SdkTransport, "onmessage" | "send">;

/**
 * Our transport, for a `Client` or a `Server` of the official packages. It is the transport itself: the compiler alone
 * objects, to two members. What comes with a message is our `MessageContext` and not their `MessageExtraInfo`; the two have
 * no member in common, and theirs has none that must be there. And their messages may have `params` that are undefined,
 * which ours leave out; written as JSON they are left out too.
 */
export function forSdk(transport: Transport): SdkTransport {
  return transport satisfies Shared as Shared as SdkTransport;
}

/**
 * A transport of the official packages, for our `Server`. Theirs takes one message at a time where ours may be given all
 * answers to a batch, and each as plain values, where ours may be written as JSON already; it tells nothing of a message but
 * that it came, and may close more than once.
 */
export class FromSdk implements Transport {
  readonly type = "sdk";
  onmessage: Transport["onmessage"];
  onerror: Transport["onerror"];
  /** Never called: they do not tell the end of what comes in from the end of all. */
  onend: Transport["onend"];
  onclose: Transport["onclose"];
  readonly #transport: SdkTransport;
  #state: "new" | "open" | "closed" = "new";

  constructor(transport: object) {
    this.#transport = transport as SdkTransport;
  }

  get isOpen(): boolean {
    return this.#state === "open";
  }

  async start(): Promise<void> {
    if (this.#state !== "new") throw new TransportError(`Cannot start the transport: it is ${this.#state}`);
    this.#state = "open";
    this.#transport.onmessage = (message: unknown) => {
      const context: MessageContext = { receivedAt: Date.now(), size: JSON.stringify(message).length };
      void this.onmessage?.(message, context);
    };
    this.#transport.onerror = (error) => this.onerror?.(error);
    this.#transport.onclose = () => this.#closed();
    await this.#transport.start();
  }

  async send(message: Message | readonly Message[]): Promise<void> {
    if (this.#state !== "open") {
      throw new TransportError(`Cannot send over the transport: it is ${this.#state}`);
    }
    const plain = JSON.parse(JSON.stringify([message].flat())) as JSONRPCMessage[];
    for (const one of plain) await this.#transport.send(one);
  }

  async close(): Promise<void> {
    if (this.#state === "closed") return;
    await this.#transport.close();
    this.#closed();
  }

  #closed(): void {
    if (this.#state === "closed") return;
    this.#state = "closed";
    this.onclose?.();
  }
}
