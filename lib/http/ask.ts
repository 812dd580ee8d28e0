/** How does the server ask a client of a session? On the stream of the request that the question belongs to; the answer comes with another POST. */

import type { Params } from "../jsonrpc/message.ts";
import type { HttpCall } from "./call.ts";
import type { Reply } from "./reply.ts";
import type { HttpSession } from "./sessions.ts";
import { ErrorCode, notification, request, RpcError } from "../jsonrpc/message.ts";

/** Asks the client of a call. */
export type Ask = (method: string, params?: Params, signal?: AbortSignal) => Promise<unknown>;

/** The most questions of one session that wait for an answer. */
const MAX_QUESTIONS = 100;

/** How questions that belong to a call are asked. */
export function asker({ questions }: HttpSession, call: HttpCall, reply: Reply): Ask {
  return async (method, params, signal) => {
    if (!reply.canTell) throw unanswerable(method, "the client reads no stream that it could be asked on");
    if (questions.size >= MAX_QUESTIONS) throw unanswerable(method, "too many questions wait for an answer");
    const signals = signal ? [call.signal, signal] : [call.signal];
    for (const one of signals) one.throwIfAborted();
    const id = crypto.randomUUID();
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    questions.set(id, { resolve, reject });
    const stop = (event: Event) => {
      reply.tell(
        notification("notifications/cancelled", { requestId: id, reason: "It is not needed any more" }),
      );
      reject((event.target as AbortSignal).reason);
    };
    for (const one of signals) one.addEventListener("abort", stop);
    try {
      reply.tell(request(id, method, params));
      return await promise;
    } finally {
      questions.delete(id);
      for (const one of signals) one.removeEventListener("abort", stop);
    }
  };
}

function unanswerable(method: string, reason: string): RpcError {
  return new RpcError(ErrorCode.internal, `Cannot ask the client for ${method.slice(0, 100)}: ${reason}`);
}
