/** The requests that one side of a connection sends, until their responses come. */

import type { Cancellation } from "./contract.ts";
import type { Id, Message, Params, Response } from "./message.ts";
import { reasonOf } from "../base/text.ts";
import { ErrorCode, notification, request, RpcError } from "./message.ts";

/** The maximum number of cancelled requests that are remembered, because their responses may already be on the way. */
const MAX_CANCELLED = 1000;

/** The options of a connection that concern its own requests. */
interface OutgoingOptions {
  readonly maxPending?: number;
  readonly cancellation?: Cancellation;
  nextId?(): Id;
}

/** The requests that one side has sent and that wait for a response. */
export class OutgoingRequests {
  readonly #options: OutgoingOptions;
  /** Requests without a response, by id. Each function is called with the response, or with undefined when none can come. */
  readonly #pending = new Map<Id, (response: Response | undefined) => void>();
  readonly #cancelled = new Set<Id>();
  #nextId = 1;

  /** Takes the options of the connection. */
  constructor(options: OutgoingOptions) {
    this.#options = options;
  }

  /**
   * Sends a request and waits for its response: see `Connection.request`. `obstacle` is the reason why nothing can be sent, if
   * there is one. `send` may return a promise, which rejects when the message cannot be serialised.
   */
  async request(
    method: string,
    params: Params | undefined,
    signal: AbortSignal | undefined,
    obstacle: string | undefined,
    send: (message: Message) => Promise<void> | undefined,
  ): Promise<unknown> {
    const fail = (reason: string) => new RpcError(ErrorCode.internal, reason);
    const { maxPending = Infinity, cancellation } = this.#options;
    const isFull = this.#pending.size >= maxPending;
    const reason = obstacle ?? (isFull ? "too many requests wait for a response" : undefined);
    if (reason !== undefined) throw fail(`Cannot send ${method}: ${reason}`);
    const id = this.#options.nextId?.() ?? this.#nextId++;
    const { promise, resolve, reject } = Promise.withResolvers<Response | undefined>();
    this.#pending.set(id, resolve);
    const cancel = () => {
      if (!this.#pending.delete(id)) return;
      reject(signal!.reason);
      this.#cancelled.add(id);
      const [oldest] = this.#cancelled;
      if (this.#cancelled.size > MAX_CANCELLED) this.#cancelled.delete(oldest!);
      if (!cancellation) return;
      const params = cancellation.write(id, reasonOf(signal!.reason));
      send(notification(cancellation.method, params))?.catch(() => {});
    };
    signal?.addEventListener("abort", cancel);
    try {
      send(request(id, method, params))?.catch(reject);
      const response = await promise;
      if (!response) throw fail(`The connection ended before ${method} was answered`);
      const { error, result } = response;
      if (error) throw new RpcError(error.code, error.message, error.data);
      return result;
    } finally {
      this.#pending.delete(id);
      signal?.removeEventListener("abort", cancel);
    }
  }

  /** Takes a response. Returns false if it belongs to no request, not even to a cancelled one. */
  settle(response: Response): boolean {
    const id = response.id!, resolve = this.#pending.get(id);
    this.#pending.delete(id);
    resolve?.(response);
    return resolve !== undefined || this.#cancelled.delete(id);
  }

  /** Ends all requests: none can be answered any more. */
  end(): void {
    for (const resolve of this.#pending.values()) resolve(undefined);
    this.#pending.clear();
  }
}
