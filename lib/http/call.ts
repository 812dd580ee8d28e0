/** What does a feature see of a request that came over HTTP? The same as of any other: a signal, where it came from, a way to tell. */

import type { Message, Params } from "../jsonrpc/message.ts";
import type { ServerCall } from "../server/handlers.ts";
import type { MessageContext } from "../transport/transport.ts";
import type { Ask } from "./ask.ts";
import { notification } from "../jsonrpc/message.ts";

/** A request at work. */
export class HttpCall implements ServerCall {
  readonly context: MessageContext;
  /** Why it was cancelled; undefined while it was not. */
  cancelled: DOMException | undefined;
  isOver = false;
  /** Called when it is cancelled. */
  oncancel: (() => void) | undefined;
  /** Asks the client, where it can be asked. */
  sendRequest?: Ask;
  /** Lets the client come back for the answer, where it can. */
  outlet: { closeStream?: () => void } = {};
  arrival?: NonNullable<ServerCall["arrival"]>;
  status: number | undefined;
  epilogue: ServerCall["epilogue"];
  readonly #tell: (message: Message) => Promise<void> | undefined;
  #controller: AbortController | undefined;

  constructor(context: MessageContext, tell: (message: Message) => Promise<void> | undefined) {
    this.context = context;
    this.#tell = tell;
  }

  /** Most handlers never look at it, and an abort controller costs more than the rest of a small request. */
  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.cancelled) this.#controller.abort(this.cancelled);
    return this.#controller.signal;
  }

  notify(method: string, params?: Params): Promise<void> | undefined {
    return this.cancelled || this.isOver ? undefined : this.#tell(notification(method, params));
  }

  cancel(reason: string): void {
    if (this.cancelled || this.isOver) return;
    this.cancelled = new DOMException(reason, "AbortError");
    this.#controller?.abort(this.cancelled);
    this.oncancel?.();
  }
}
