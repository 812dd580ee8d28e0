/**
 * Server-sent events, over as many connections as a stream takes. Only legacy revisions can resume a stream.
 *
 * @see https://html.spec.whatwg.org/multipage/server-sent-events.html#parsing-an-event-stream
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#resumability-and-redelivery
 */

import { pause } from "../base/async.ts";
import { readChunks } from "../base/http.ts";
import { HttpError, ProtocolError } from "./options.ts";

/** The longest event, in UTF-16 units: as much as the largest message. */
const MAX_EVENT_SIZE: number = 64 * 1024 * 1024;
/** What a line of data takes up beside its text, in the same unit: empty ones count too. */
const LINE_SIZE = 16;
/** The pause before a new connection where the server does not set it, in milliseconds; it doubles with each failure. */
const RETRY_MS = 1000;
const MAX_RETRY_MS = 30_000;
/** What a server may set it to, in milliseconds. */
const MIN_SERVER_RETRY_MS = 100;
const MAX_SERVER_RETRY_MS = 3_600_000;
/** How many connections in a row may end without an event. */
const MAX_FAILURES = 5;
/** A connection that lasts this long is no failure, in milliseconds: proxies close idle ones. */
const LASTING_MS = 10_000;

/** What a stream says: the data of a message, the id to resume after, or the pause before a new connection. */
interface ServerEvent {
  readonly data?: string;
  readonly id?: string | undefined;
  readonly retryMs?: number;
}

/**
 * Parses a body, however it is cut into chunks; at most one event is held back.
 *
 * @throws {ProtocolError} When an event is too large.
 */
async function* readEvents(
  response: Response,
  signal: AbortSignal,
): AsyncGenerator<ServerEvent, void, undefined> {
  const decoder = new TextDecoder();
  /** The current line as it came, and the data of the current event. */
  let pieces: string[] = [];
  let data: string[] = [];
  let type = "";
  let id: string | undefined;
  /** The size of both. */
  let size = 0;
  let endsInReturn = false;
  for await (const chunk of readChunks(response, signal)) {
    let text = decoder.decode(chunk, { stream: true });
    if (text === "") continue;
    // A line end may be cut in two.
    if (endsInReturn && text.startsWith("\n")) text = text.slice(1);
    endsInReturn = text.endsWith("\r");
    const lines = text.split(/\r\n|\n|\r/);
    for (let index = 0; index < lines.length; index++) {
      pieces.push(lines[index]!);
      size += lines[index]!.length;
      if (size > MAX_EVENT_SIZE) {
        throw new ProtocolError(`The server sent an event of more than ${MAX_EVENT_SIZE} characters`);
      }
      if (index === lines.length - 1) break;
      const line = pieces.join("");
      pieces = [];
      size -= line.length;
      if (line === "") {
        if (id !== undefined) yield { id: id || undefined };
        // Events of other types are not for us.
        if (data.length > 0 && (type === "" || type === "message")) yield { data: data.join("\n") };
        [data, type, id, size] = [[], "", undefined, 0];
        continue;
      }
      const [, field, value = ""] = /^([^:]*)(?:: ?([^]*))?$/.exec(line)!;
      if (field === "data") {
        data.push(value);
        size += value.length + LINE_SIZE;
      } else if (field === "event") type = value;
      else if (field === "id" && !value.includes("\0")) id = value;
      else if (field === "retry" && /^\d{1,9}$/.test(value)) {
        yield { retryMs: Math.max(MIN_SERVER_RETRY_MS, Math.min(Number(value), MAX_SERVER_RETRY_MS)) };
      }
    }
  }
}

/** A stream, and what becomes of its messages. */
export interface StreamOptions {
  /** The first connection. @default {the stream is opened} */
  readonly first?: Response;
  /** Opens a connection, after the event with an id where there is one. @default {it is not opened again} */
  open?: ((lastId: string | undefined) => Promise<Response>) | undefined;
  /** Takes a message; true when no more are wanted. */
  take(text: string): Promise<boolean>;
  /** Called when a further connection does not continue after the last event: messages may be missing. */
  onmissing?(): void;
  readonly signal: AbortSignal;
}

/**
 * Reads a stream until no more of it is wanted, or a first connection has ended that cannot be resumed.
 *
 * @throws {HttpError} When the server does not offer the stream.
 * @throws {Error} What it broke with, when that happens too often in a row.
 */
export async function followStream({ first, open, take, onmissing, signal }: StreamOptions): Promise<void> {
  let lastId: string | undefined;
  let retryMs: number | undefined;
  let failures = 0;
  for (let response = first, isFirst = true;; response = undefined, isFirst = false) {
    if (!isFirst) {
      await pause(retryMs ?? Math.min(RETRY_MS * 2 ** failures, MAX_RETRY_MS), signal);
    }
    let failure: unknown = new ProtocolError("The stream of events broke off again and again");
    try {
      response ??= await open!(lastId);
      if (!isFirst && lastId === undefined) onmissing?.();
    } catch (cause) {
      signal.throwIfAborted();
      if (cause instanceof HttpError && cause.status < 500) throw cause;
      failure = cause;
    }
    const begin = performance.now();
    try {
      if (response) {
        for await (const event of readEvents(response, signal)) {
          if (event.retryMs !== undefined) retryMs = event.retryMs;
          else failures = 0;
          if ("id" in event) lastId = event.id;
          if (event.data !== undefined && event.data.trim() !== "" && await take(event.data)) return;
        }
      }
    } catch (cause) {
      signal.throwIfAborted();
      if (cause instanceof ProtocolError) throw cause;
      // The connection broke: what came before that has come.
    }
    if (response && performance.now() - begin >= LASTING_MS) failures = 0;
    if (!open || (first && lastId === undefined)) return;
    if (!(first && isFirst) && ++failures > MAX_FAILURES) throw failure;
  }
}
