/**
 * The transport over Streamable HTTP. A message is a POST. The server's messages are in the response, or in a stream of events.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#streamable-http
 */

import type { Awaitable } from "../../base/async.ts";
import type { JsonObject } from "../../base/json.ts";
import type { Id, Message, Notification, Request } from "../../jsonrpc/message.ts";
import type { ClientTransport } from "./client_transport.ts";
import { abortable, pause } from "../../base/async.ts";
import { asObject, asString, isObject, tryParse } from "../../base/json.ts";
import { discardBody, followRedirects, mediaType, readBytes } from "../../base/responses.ts";
import { printable, reasonOf, shortened } from "../../base/text.ts";
import { ErrorCode, parseJson, RpcError } from "../../jsonrpc/message.ts";
import { TransportError } from "../../jsonrpc/transport/stream.ts";
import { encodeHeader, Header } from "../protocol/headers.ts";
import { Meta, METHODS, Notifications } from "../protocol/methods.ts";
import { ClientError, ConnectError, HttpStatusError, ProtocolError, SessionLostError } from "./errors.ts";
import { readEvents } from "./event_stream.ts";

/** The maximum size of a message, in bytes, and of an event, in UTF-16 units. Programs have the same limit for a line. */
const MAX_MESSAGE_SIZE = 64 * 1024 * 1024;
/** The maximum size of the body of an error response, in bytes. */
const MAX_ERROR_BYTES = 1024 * 1024;
const MAX_REDIRECTS = 3;
/** How long closing, or cancelling a request, waits for messages that are being sent, in milliseconds. */
const CLOSE_MS = 2000;
/** The maximum number of notifications and responses that are being sent at a time. Each takes a connection. */
const MAX_SENDING = 256;
/** The pause before a stream is reconnected, in milliseconds. It doubles with each failure. */
const RETRY_MS = 1000;
/** The minimum of a pause that a server sets, in milliseconds. It doubles with each connection that ends within `RETRY_MS`. */
const MIN_RETRY_MS = 100;
/** The maximum of that pause, in milliseconds. */
const MAX_RETRY_MS = 30_000;
/** The maximum number of connections in a row that end without an event. */
const MAX_FAILURES = 5;
/** The maximum number of connections in a row that are refused when a response is resumed. */
const MAX_REFUSED = 3;
/** The pause after a refused connection, in milliseconds. */
const REFUSED_MS = 500;
/** A connection that lasted this long, in milliseconds, is not a failure: proxies close idle connections. */
const LASTING_MS = 10_000;

/** Header fields. Undefined ones are not sent. */
type Fields = Readonly<Record<string, string | undefined>>;

/** How requests to a server are sent over HTTP. */
export interface HttpOptions {
  /** Sends the requests. A custom function can add credentials or use a proxy. @default {the `fetch` of the runtime} */
  readonly fetch?: (url: string, init: RequestInit) => Promise<Response>;
  /** Header fields of every request, such as `Authorization`. A function is called before each request. @default {none} */
  readonly headers?: Readonly<Record<string, string>> | (() => Awaitable<Readonly<Record<string, string>>>);
}

/**
 * Makes a transport to a server over HTTP, for all revisions. Needs the permission to connect there. Follows redirects only
 * within the origin of the URL.
 *
 * @param url The endpoint: "https://example.com/mcp".
 * @throws {ConnectError} When the URL is not an HTTP or HTTPS URL, or contains credentials.
 *
 * @example
 * ```ts
 * import { connect, httpTransport } from "@architrave/architrave/client";
 *
 * const transport = httpTransport("http://127.0.0.1:3000/mcp", { headers: { Authorization: "Bearer …" } });
 * const client = await connect(transport, { info: { name: "our-client", version: "1.0.0" } });
 * for await (const tool of client.tools()) console.log(tool.name);
 * await client.close();
 * ```
 */
export function httpTransport(url: string | URL, options: HttpOptions = {}): ClientTransport {
  const parsed = URL.parse(String(url));
  if (!parsed || !/^https?:$/.test(parsed.protocol)) {
    throw new ConnectError(`Cannot connect to "${masked(url)}": it must begin with http:// or https://`);
  }
  if (parsed.username !== "" || parsed.password !== "") {
    throw new ConnectError("Cannot connect with credentials in the address: pass them as header fields");
  }
  parsed.hash = "";
  return new HttpTransport(parsed, options);
}

class HttpTransport implements ClientTransport {
  readonly hasHeaders = true;
  readonly address: string;
  isOpen = false;
  onmessage: ClientTransport["onmessage"];
  onerror: ClientTransport["onerror"];
  onclose: ClientTransport["onclose"];
  argumentHeaders: ClientTransport["argumentHeaders"];
  onstream: ClientTransport["onstream"];
  readonly #url: URL;
  readonly #options: HttpOptions;
  readonly #requests = new Map<Id, AbortController>();
  /** The notifications and responses that are being sent. */
  readonly #sending = new Set<Promise<void>>();
  /** Aborted when the transport closes. */
  readonly #closed = new AbortController();
  /** The header fields of a legacy session: its revision, and its id if the server has sent one. */
  #session: Fields = {};
  /** Resolves when the server has received the end of the handshake. Requests wait for that. */
  #initialized: Promise<void> | undefined;
  /** Ends the stream of server-initiated messages. */
  #stream: AbortController | undefined;
  #closing: Promise<void> | undefined;

  constructor(url: URL, options: HttpOptions) {
    this.address = url.href;
    this.#url = url;
    this.#options = options;
  }

  // deno-lint-ignore require-await -- so that an error rejects the promise
  async start(): Promise<void> {
    if (this.isOpen || this.#closing) throw new TransportError("Cannot start the transport twice");
    this.isOpen = true;
  }

  /** Resolves when the server has received the message, or answered it if it is a request. Rejects with any failure. */
  async send(message: Message | readonly Message[]): Promise<void> {
    if (!this.isOpen) throw new TransportError("Cannot send: the transport is not open");
    const sent = [message].flat().map((one) => {
      if (one.method !== undefined && one.id !== undefined) return this.#request(one);
      return one.method === Notifications.cancelled ? this.#cancel(one) : this.#deliver(one);
    });
    await Promise.all(sent);
  }

  /** Opens the stream of server-initiated messages, unless it is open. A handshake opens it as well. */
  openStream(): void {
    void this.#initialized?.then(() => this.#follow());
  }

  close(): Promise<void> {
    return this.#closing ??= this.#finish();
  }

  async #finish(): Promise<void> {
    const hasSession = this.isOpen && this.#session[Header.sessionId] !== undefined;
    this.isOpen = false;
    const deadline = AbortSignal.timeout(CLOSE_MS);
    await abortable(Promise.allSettled(this.#sending), deadline).catch(() => {});
    const reason = new TransportError("The transport is closed");
    for (const one of [this.#closed, this.#stream, ...this.#requests.values()]) one?.abort(reason);
    // A failure does no harm, because the server drops idle sessions.
    if (hasSession) await this.#fetch("DELETE", this.#session, deadline).then(discardBody, () => {});
    this.onclose?.();
  }

  /** Sends a notification or response. */
  #deliver(message: Message, signal: AbortSignal = this.#closed.signal): Promise<void> {
    if (this.#sending.size >= MAX_SENDING) {
      const reason = `${MAX_SENDING} others are still being sent`;
      return Promise.reject(new TransportError(`Cannot send a notification or response: ${reason}`));
    }
    const sent: Promise<void> = this.#post(message, this.#session, signal).then((response) => {
      discardBody(response);
      if (!response.ok) throw statusError(response.status, "a notification or response");
    }).finally(() => this.#sending.delete(sent));
    this.#sending.add(sent);
    if (message.method === Notifications.initialized) {
      this.#initialized = sent.catch(() => {});
      this.openStream();
    }
    return sent;
  }

  /** Cancels a request: in the legacy era with a notification, in the modern era by closing its connection. */
  async #cancel(notification: Notification): Promise<void> {
    const request = this.#requests.get((notification.params as { requestId: Id }).requestId);
    if (!request) return;
    if (this.#initialized) {
      const signal = AbortSignal.any([this.#closed.signal, AbortSignal.timeout(CLOSE_MS)]);
      await this.#deliver(notification, signal).catch((cause) => this.onerror?.(cause));
    }
    request.abort(new TransportError("The request was cancelled"));
  }

  async #request(request: Request): Promise<void> {
    const { id, method } = request;
    const controller = new AbortController();
    const { signal } = controller;
    this.#requests.set(id, controller);
    try {
      if (method === "initialize") {
        this.#stream?.abort(new TransportError("The session is over"));
        this.#stream = this.#initialized = undefined;
        this.#session = {};
      } else await this.#initialized;
      const modern = this.#modernFields(request);
      const response = await this.#post(request, modern ?? this.#session, signal);
      if (response.ok) return await this.#readAnswer(request, response, !modern, signal);
      const text = await readText(response, MAX_ERROR_BYTES).catch(() => "");
      const answer = asObject(tryParse(text));
      // An error message in the body is the answer, unless the client is not authorized.
      const isAnswer = answer["jsonrpc"] === "2.0" && isObject(answer["error"]);
      if (!isAnswer || [401, 403].includes(response.status)) throw statusError(response.status, method, text);
      // The id is missing if the server could not read the request.
      await this.#receive({ ...answer, id }, text.length, text);
    } catch (cause) {
      signal.throwIfAborted();
      throw toTypedError(cause);
    } finally {
      this.#requests.delete(id);
    }
  }

  /** Reads the response to a request: the answer, or a stream of messages that ends with it. */
  async #readAnswer({ id, method }: Request, first: Response, mayResume: boolean, signal: AbortSignal) {
    const type = mediaType(first), isStream = type === "text/event-stream";
    if (!isStream && type !== "application/json") {
      discardBody(first);
      const what = type === "" ? "no content type" : `"${type}"`;
      const answer = `${what} instead of a message (status ${first.status})`;
      throw new ProtocolError(`The server answered ${method} with ${answer}`);
    }
    const texts = isStream
      ? this.#readStream(signal, first, mayResume)
      : [await readText(first, MAX_MESSAGE_SIZE)];
    let other = "";
    for await (const text of texts) {
      let isAnswered = false;
      const value = isStream ? this.#parseEvent(text) : parse(text);
      for (const one of [value].flat()) {
        if (one === undefined) continue;
        const { method: isCall, id: its, result, error } = asObject(one);
        // The session accepts "1" for 1. One request was sent, so that is the one of which the server could not read the id.
        const lacksId = (its ?? undefined) === undefined && isObject(error);
        const isAnswer = isCall === undefined && isObject(one) &&
          (its === id || its === String(id) || lacksId);
        if (isAnswer && method === "initialize") this.#keepSession(asObject(result), first);
        isAnswered ||= isAnswer;
        if (!isAnswer && isCall === undefined) {
          other = `: it answers ${its === undefined ? forWarning(one) : `${forWarning(its)}, not ${id}`}`;
        }
        // Old servers may send a batch. Its text is not that of a single message.
        const message = isAnswer && lacksId ? { ...one, id } : one;
        await this.#receive(message, text.length, Array.isArray(value) ? undefined : text);
      }
      if (isAnswered) return;
    }
    throw new ProtocolError(`The response to ${method} ended without the answer${other}`);
  }

  /** Returns the header fields of a modern request, which repeat parts of its body; undefined for a legacy request. */
  #modernFields({ method, params = {} }: Request): Fields | undefined {
    const given = params as JsonObject;
    const version = asString(asObject(given["_meta"])[Meta.protocolVersion]);
    if (version === undefined) return undefined;
    const name = asString(given[METHODS.get(method)?.nameParam ?? ""]);
    const args = method === "tools/call" ? this.argumentHeaders?.(given) : {};
    const values = Object.entries({ [Header.name]: name, ...args });
    const encoded = values.map(([field, value]) => [field, value && encodeHeader(value)]);
    return { [Header.protocolVersion]: version, [Header.method]: method, ...Object.fromEntries(encoded) };
  }

  /** Remembers the session that a handshake has opened. */
  #keepSession(result: JsonObject, { headers }: Response): void {
    const id = headers.get(Header.sessionId);
    this.#session = {
      [Header.protocolVersion]: asString(result["protocolVersion"]),
      [Header.sessionId]: id !== null && /^[\x21-\x7e]+$/.test(id) ? id : undefined,
    };
  }

  /** Reads the stream of server-initiated messages. A session has at most one. */
  async #follow(): Promise<void> {
    if (this.#stream || !this.isOpen || !this.#initialized) return;
    const { signal } = this.#stream = new AbortController();
    try {
      for await (const text of this.#readStream(signal)) {
        const message = this.#parseEvent(text);
        if (message !== undefined) await this.#receive(message, text.length, text);
      }
    } catch (cause) {
      if (signal.aborted) return;
      this.#stream = undefined;
      // The server may not have this stream, which only subscriptions need.
      if (!(cause instanceof HttpStatusError) || cause.status >= 500) this.onerror?.(cause as Error);
      this.onstream?.(cause as Error);
    }
  }

  /**
   * Yields the messages of a stream and reconnects when its connection ends. With `first`, the stream is the response to a
   * request and ends when it cannot be resumed; otherwise it is the stream of server-initiated messages. Throws the last failure
   * after too many failures in a row.
   */
  async *#readStream(signal: AbortSignal, first?: Response, mayResume?: boolean): AsyncGenerator<string> {
    /** The id of the event to resume after. */
    let lastId: string | undefined;
    /** The pause that the server has set, in milliseconds. */
    let pauseMs: number | undefined;
    /** The number of connections in a row that ended without an event. */
    let failures = 0;
    /** The number of connections in a row that were refused. */
    let refused = 0;
    /** The minimum of the next pause, in milliseconds. */
    let leastMs = MIN_RETRY_MS;
    for (let response = first, isFirst = true;; response = undefined, isFirst = false) {
      let openedAt = Infinity, failure: Error | undefined;
      try {
        response ??= await this.#get(lastId, signal);
        openedAt = performance.now();
        refused = 0;
        // If there is no event to resume after, messages may have been missed.
        if (!isFirst && lastId === undefined) this.onstream?.(undefined);
        for await (const { type, id, data, retryMs } of readEvents(response, signal, MAX_MESSAGE_SIZE)) {
          if (id !== undefined) lastId = id || undefined;
          if (id !== undefined || data.length > 0) failures = 0;
          pauseMs = retryMs ?? pauseMs;
          const message = data.join("\n");
          // Messages are events of the default type. Some servers send errors as another one.
          if (message.trim() !== "" && ["", "message", "error"].includes(type)) yield message;
        }
      } catch (cause) {
        signal.throwIfAborted();
        if (cause instanceof ProtocolError || (cause instanceof HttpStatusError && cause.status < 500)) {
          throw cause;
        }
        // The connection broke, but the stream may continue over another one.
        failure = toTypedError(cause);
        if (first && cause instanceof ConnectError && ++refused > MAX_REFUSED) throw cause;
      }
      const lastedMs = performance.now() - openedAt;
      if (lastedMs >= LASTING_MS) failures = 0;
      if (first && (!mayResume || lastId === undefined)) {
        if (failure) throw failure;
        return;
      }
      // The server may close the first connection of a response, so that the client reconnects for the rest.
      if (!(first && isFirst) && ++failures > MAX_FAILURES) {
        throw failure ?? new ProtocolError("The stream of events ended too often without an event");
      }
      const pauseOrDefault = pauseMs ?? Math.min(RETRY_MS * 2 ** failures, MAX_RETRY_MS);
      await pause(refused > 0 ? REFUSED_MS : Math.max(pauseOrDefault, leastMs), signal);
      leastMs = lastedMs >= RETRY_MS ? MIN_RETRY_MS : Math.min(leastMs * 2, RETRY_MS);
    }
  }

  /** Parses an event; undefined for other text, which some servers send to keep a connection open. */
  #parseEvent(text: string): unknown {
    return parse(text, () => {
      const problem = `The server sent an event that is not a message: ${forWarning(text)}`;
      this.onerror?.(new ProtocolError(problem));
    });
  }

  /** Opens a connection for a stream, which resumes after an event if there is one. */
  async #get(lastId: string | undefined, signal: AbortSignal): Promise<Response> {
    const fields = { ...this.#session, [Header.lastEventId]: lastId, Accept: "text/event-stream" };
    const response = await this.#fetch("GET", fields, signal);
    if (response.ok && mediaType(response) === "text/event-stream") return response;
    discardBody(response);
    const { status } = response;
    const what = status < 500 ? "offers no" : "does not open its";
    throw new HttpStatusError(`The server ${what} stream of events (status ${status})`, status);
  }

  #post(message: Message, fields: Fields, signal: AbortSignal): Promise<Response> {
    const types = { "Content-Type": "application/json", Accept: "application/json, text/event-stream" };
    return this.#fetch("POST", { ...fields, ...types }, signal, JSON.stringify(message));
  }

  /** Sends one HTTP request. Throws a `SessionLostError` if the server does not know the session of the request. */
  async #fetch(method: string, fields: Fields, signal: AbortSignal, body?: string): Promise<Response> {
    const headers = await this.#givenHeaders();
    for (const [name, value] of Object.entries(fields)) if (value !== undefined) headers.set(name, value);
    const { fetch: send = fetch } = this.#options;
    const response = await followRedirects(this.#url, async (url) => {
      try {
        return await send(url.href, { method, headers, signal, redirect: "manual", body: body ?? null });
      } catch (cause) {
        signal.throwIfAborted();
        // `authorizedFetch` throws such errors.
        if (cause instanceof ClientError) throw cause;
        throw new ConnectError(`Cannot reach ${masked(url)}: ${rootCause(cause)}`, { cause });
      }
    }, ({ status, location, target, hops }) => {
      // The body and the credentials are sent to the target, too, so it must have the same origin.
      if (target?.origin === this.#url.origin && status !== 303 && hops < MAX_REDIRECTS) return target;
      const redirect = `The server at ${masked(this.#url)} redirects to ${masked(location)}`;
      throw new ConnectError(`${redirect}, which is not followed; if you trust that address, connect to it`);
    });
    if (response.status !== 404 || fields[Header.sessionId] === undefined) return response;
    discardBody(response);
    const what = method === "GET" ? "offers no stream of events" : "no longer knows the session";
    throw new SessionLostError(`The server ${what} (status 404)`, 404);
  }

  /** Returns the header fields of the options. */
  async #givenHeaders(): Promise<Headers> {
    const { headers = {} } = this.#options;
    let given: Readonly<Record<string, string>> | undefined;
    try {
      given = typeof headers === "function" ? await headers() : headers;
      return new Headers(given);
    } catch (cause) {
      // The message of the runtime contains the value, which may be secret.
      const problem = given
        ? "a header field contains a character that cannot be sent, such as a line break"
        : `the function for the header fields failed: ${reasonOf(cause)}`;
      throw new ConnectError(`Cannot send to ${masked(this.#url)}: ${problem}`, given ? {} : { cause });
    }
  }

  /** Passes a message on. `text` is the text of the message, unless the message was part of a batch. */
  async #receive(value: unknown, size: number, text: string | undefined): Promise<void> {
    const context = Object.freeze({ receivedAt: Date.now(), size });
    try {
      if (this.isOpen) await this.onmessage?.(value, context, text);
    } catch (cause) {
      // A receiver that throws loses only this message.
      this.onerror?.(cause as Error);
    }
  }
}

function statusError(status: number, what: string, body: string = ""): HttpStatusError {
  const said = body.trim() === "" ? "" : ` and said: ${body.trim().slice(0, 200)}`;
  const hint = status === 401 || status === 403
    ? "; it needs other credentials"
    : status === 404 || status === 405
    ? "; check that the URL is an MCP endpoint. The transport of 2024-11-05 (HTTP+SSE) is not supported"
    : "";
  return new HttpStatusError(`The server answered ${what} with the status ${status}${said}${hint}`, status);
}

async function readText(response: Response, maxBytes: number): Promise<string> {
  const bytes = await readBytes(response, maxBytes);
  if (bytes) return new TextDecoder().decode(bytes);
  throw new ProtocolError(`The server answered with more than ${maxBytes} bytes`);
}

/** Parses a message. Text that is not JSON is an error, or passed over with `onother`. */
function parse(text: string, onother?: () => undefined | void): unknown {
  try {
    return parseJson(text);
  } catch (cause) {
    if (onother && cause instanceof RpcError && cause.code === ErrorCode.parse) return onother();
    throw new ProtocolError(`The server sent a message that cannot be read: ${reasonOf(cause)}`, { cause });
  }
}

/** Returns why a `fetch` failed. In Node, only the cause of the error has the reason. */
export function rootCause(cause: unknown): string {
  const inner = cause instanceof Error && cause.cause instanceof Error ? cause.cause : cause;
  return masked(reasonOf(inner) || (inner as { code?: unknown }).code);
}

/** Returns an error of our classes. When a connection breaks, each runtime throws a different one. */
function toTypedError(cause: unknown): Error {
  if (cause instanceof ClientError || cause instanceof TransportError) return cause;
  return new TransportError(`The connection broke: ${rootCause(cause)}`, { cause });
}

/** A value of the server for a message. */
function forWarning(value: unknown): string {
  return shortened(printable(JSON.stringify(value)), 100);
}

/** Removes the queries and credentials of the URLs in a text, because they may be secret. */
function masked(text: unknown): string {
  return String(text).replace(/\?\S*/g, "?…").replace(/:\/\/[^\s/]*@/g, "://");
}
