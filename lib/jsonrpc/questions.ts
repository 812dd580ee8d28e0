/** What did we ask the other side, and have no answer to? Each question has an id of ours, which is never used again. */

import type { Id, Message, Params, Response } from "./message.ts";
import { ErrorCode, RpcError } from "./error.ts";
import { notification, request } from "./message.ts";

/** How many questions that were taken back are remembered: their answers may be on the way. */
const MAX_TAKEN_BACK = 1000;

interface Pending {
  readonly method: string;
  resolve(result: unknown): void;
  reject(cause: unknown): void;
}

/** The questions of one conversation. */
export class Questions {
  readonly #send: (message: Message) => Promise<void>;
  readonly #pending = new Map<Id, Pending>();
  readonly #takenBack = new Set<Id>();
  #nextId = 1;
  #isOver = false;

  constructor(send: (message: Message) => Promise<void>) {
    this.#send = send;
  }

  /**
   * Asks, and waits for as long as it takes.
   *
   * @param signal Takes the question back: the other side is told, and its answer is not waited for.
   * @throws {RpcError} When it is answered with an error, or when the conversation ends first.
   * @throws {unknown} The reason of the signal.
   */
  async ask(method: string, params: Params | undefined, signal: AbortSignal | undefined): Promise<unknown> {
    signal?.throwIfAborted();
    if (this.#isOver) throw ended(method);
    const id = this.#nextId++;
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    this.#pending.set(id, { method, resolve, reject });
    const takeBack = () => this.#takeBack(id, signal!.reason);
    signal?.addEventListener("abort", takeBack);
    try {
      this.#send(request(id, method, params)).catch(reject);
      return await promise;
    } finally {
      this.#pending.delete(id);
      signal?.removeEventListener("abort", takeBack);
    }
  }

  /** Takes an answer; false when it came to nothing that was asked. */
  settle({ id, error, result }: Response): boolean {
    const pending = typeof id === "string" || typeof id === "number" ? this.#pending.get(id) : undefined;
    // It may have crossed with the word that it is not waited for.
    if (!pending) return this.#takenBack.delete(id!);
    this.#pending.delete(id!);
    if (error) pending.reject(new RpcError(error.code, error.message, error.data));
    else pending.resolve(result);
    return true;
  }

  /** Nobody will answer any more. */
  end(): void {
    this.#isOver = true;
    for (const { method, reject } of this.#pending.values()) reject(ended(method));
    this.#pending.clear();
  }

  #takeBack(id: number, reason: unknown): void {
    const pending = this.#pending.get(id);
    if (!pending) return;
    this.#pending.delete(id);
    this.#takenBack.add(id);
    if (this.#takenBack.size > MAX_TAKEN_BACK) this.#takenBack.delete(this.#takenBack.values().next().value!);
    const params = { requestId: id, reason: reason instanceof Error ? reason.message : String(reason) };
    // The carrier itself reports a send that fails.
    this.#send(notification("notifications/cancelled", params)).catch(() => {});
    pending.reject(reason);
  }
}

function ended(what: string): RpcError {
  return new RpcError(ErrorCode.internal, `The conversation ended before ${what} was answered`);
}
