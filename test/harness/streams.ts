/** Requests for streams of changes, and their messages in short. */

import type { Answer } from "./program.ts";
import { modern } from "./program.ts";

/** A request for a stream of changes, with or without a filter. */
export function listen(id: string | number, notifications?: unknown): object {
  const params = modern(notifications === undefined ? {} : { notifications });
  return { jsonrpc: "2.0", id, method: "subscriptions/listen", params };
}

/** The end of a request, from the client's side. */
export function cancel(requestId: string | number): object {
  return { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId } };
}

/**
 * Messages in short: "s resources/updated architecture://adr/7". First the stream or the id, where there is one; then what
 * it is, without what all notifications begin with; then what it is about.
 */
export function brief(messages: readonly Answer[]): string[] {
  return messages.map(({ id, method, params, error }) => {
    const { uri, requestId, _meta } = (params ?? {}) as Record<string, unknown>;
    const stream = (_meta as Record<string, unknown> | undefined)?.["io.modelcontextprotocol/subscriptionId"];
    const what = method?.replace("notifications/", "") ?? (error ? `error ${error.code}` : "result");
    return [stream ?? id, what, uri ?? requestId].filter((part) => part !== undefined).join(" ");
  });
}
