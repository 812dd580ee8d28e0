/**
 * Parses a stream of server-sent events.
 *
 * @see https://html.spec.whatwg.org/multipage/server-sent-events.html#parsing-an-event-stream
 */

import { readChunks } from "../../base/responses.ts";
import { ProtocolError } from "./errors.ts";

/** The size of a line in addition to its text, in UTF-16 units, so that empty lines count too. */
const LINE_SIZE = 16;

/** The maximum of the pause that a server may set, in milliseconds. */
const MAX_RETRY_MS = 3_600_000;

/** A server-sent event. */
export interface StreamEvent {
  /** The type; "" if the event has none. */
  type: string;
  id?: string;
  /** The lines of the data. */
  readonly data: string[];
  /** The pause before the next connection, if the server sets it, in milliseconds. */
  retryMs?: number;
}

/** Parses a stream of events. Throws a `ProtocolError` when one is larger than `maxSize` UTF-16 units. */
export async function* readEvents(
  response: Response,
  signal: AbortSignal,
  maxSize: number,
): AsyncGenerator<StreamEvent> {
  const decoder = new TextDecoder();
  let event: StreamEvent = { type: "", data: [] }, size = 0, rest = "", endsInReturn = false;
  for await (const chunk of readChunks(response, signal)) {
    const text = decoder.decode(chunk, { stream: true });
    if (text === "") continue;
    // A chunk may end between a carriage return and its line feed.
    const lines = (endsInReturn && text.startsWith("\n") ? text.slice(1) : text).split(/\r\n|\n|\r/);
    endsInReturn = text.endsWith("\r");
    lines[0] = rest + lines[0];
    rest = lines.pop()!;
    checkSize(rest.length, maxSize);
    for (const line of lines) {
      // Comments and empty events count, too, until there is an event with data.
      checkSize(size += line.length + LINE_SIZE, maxSize);
      if (line === "") {
        const hasData = event.data.length > 0;
        if (hasData) size = 0;
        if (hasData || event.id !== undefined || event.retryMs !== undefined) yield event;
        event = { type: "", data: [] };
        continue;
      }
      const [, field, value = ""] = /^([^:]*)(?:: ?([^]*))?$/.exec(line)!;
      if (field === "data") event.data.push(value);
      else if (field === "event") event.type = value;
      else if (field === "id" && !value.includes("\0")) event.id = value;
      else if (field === "retry" && /^\d{1,9}$/.test(value)) {
        event.retryMs = Math.min(Number(value), MAX_RETRY_MS);
      }
    }
  }
}

function checkSize(size: number, maxSize: number): void {
  if (size <= maxSize) return;
  throw new ProtocolError(`The server sent an event of more than ${maxSize} characters`);
}
