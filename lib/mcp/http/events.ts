/** Server-sent events. @see https://html.spec.whatwg.org/multipage/server-sent-events.html */

import type { Message } from "../../jsonrpc/message.ts";
import type { BodyPiece, HeaderFields } from "../../platform/http.ts";
import { encodeMessage } from "../../jsonrpc/message.ts";

/** The header fields of a stream. Proxies must neither cache nor buffer it. */
export const EVENT_FIELDS: HeaderFields = Object.freeze({
  "content-type": "text/event-stream",
  "cache-control": "no-store, no-transform",
  "x-accel-buffering": "no",
  "x-content-type-options": "nosniff",
});

/** Encodes a message as an event. */
export function toEvent(message: Message, id?: string): BodyPiece[] {
  const start = `${id === undefined ? "" : `id: ${id}\n`}event: message\ndata: `;
  return [start, ...encodeMessage(message), "\n\n"];
}
