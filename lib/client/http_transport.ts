/**
 * How does one talk to a server over HTTP? Each message is a request of its own; what the server says comes in its answer,
 * or in a stream of events. The era of each request says which rules it follows.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#streamable-http
 */

import type { Id, Message, Notification, Request } from "../jsonrpc/message.ts";
import type { Transport } from "../transport/transport.ts";
import type { ClientTransport } from "./carrier.ts";
import type { HttpOptions } from "./http.ts";
import { isNotification, isRequest } from "../jsonrpc/message.ts";
import { TransportError } from "../transport/transport.ts";
import { ProtocolError } from "./errors.ts";
import { drop, MAX_BODY_BYTES, MAX_REFUSAL_BYTES, parse, readText, tryParse, typeOf } from "./http_body.ts";
import { fieldsOf, statedVersion } from "./http_fields.ts";
import { refusal } from "./http_refusal.ts";
import { Requester } from "./http_request.ts";
import { EventStream } from "./http_stream.ts";
import { Unasked } from "./http_unasked.ts";
import { isObject } from "../base/json.ts";
import { textIn } from "./value.ts";

/** How long a close waits for what is still to be sent, in milliseconds. */
const CLOSE_MS = 2000;

/** A request that is not answered yet. */
interface Post {
  readonly controller: AbortController;
  readonly isModern: boolean;
}

/** The carrier; see `httpTransport`. */
export class HttpTransport implements ClientTransport {
  readonly type = "http";
  readonly mirrorsArguments = true;
  readonly address: string;
  onmessage: Transport["onmessage"];
  onerror: Transport["onerror"];
  onend: Transport["onend"];
  onclose: Transport["onclose"];
  headersOf: ClientTransport["headersOf"];
  onunasked: ClientTransport["onunasked"];
  #state: "new" | "open" | "closed" = "new";
  readonly #requester: Requester;
  readonly #posts = new Map<Id, Post>();
  /** What is not a request and has not arrived yet. */
  readonly #sending = new Set<Promise<void>>();
  readonly #over = new AbortController();
  /** What a handshake has agreed on. */
  #version: string | undefined;
  #session: string | undefined;
  /** Settles when the server knows that the handshake is over. */
  #opened: Promise<void> | undefined;
  readonly #unasked: Unasked;
  #closing: Promise<void> | undefined;

  constructor(url: URL, options: HttpOptions) {
    this.address = url.href;
    this.#requester = new Requester(url, options);
    this.#unasked = new Unasked({
      ask: (lastId, signal) => this.#resume(lastId, signal),
      hasSession: () => this.#session !== undefined,
      take: (text) => this.#hand(parse(text), text.length),
      tell: (event) => this.onunasked?.(event),
      warn: (cause) => this.onerror?.(cause),
      over: this.#over.signal,
    });
  }

  get isOpen(): boolean {
    return this.#state === "open";
  }

  start(): Promise<void> {
    if (this.#state !== "new") {
      return Promise.reject(new TransportError(`Cannot start the carrier: it is ${this.#state} already`));
    }
    this.#state = "open";
    return Promise.resolve();
  }

  /** Settles when the message is taken: a request when it is answered. What goes wrong on the way is rejected with. */
  async send(message: Message | readonly Message[]): Promise<void> {
    if (this.#state !== "open") {
      throw new TransportError(`Cannot send over the carrier: it is ${this.#state}`);
    }
    if (Array.isArray(message)) return void (await Promise.all(message.map((one) => this.send(one))));
    const one = message as Message;
    try {
      if (isRequest(one)) return await this.#request(one);
      if (isNotification(one) && one.method === "notifications/cancelled") return await this.#cancel(one);
      const sent = this.#tell(one);
      if (isNotification(one) && one.method === "notifications/initialized") {
        this.#opened = sent.catch(() => {});
      }
      await sent;
    } catch (cause) {
      if (this.#state === "open") throw cause;
      throw new TransportError("Cannot send over the carrier: it was closed meanwhile", { cause });
    }
  }

  /** Asks for what is told unasked; at the end of the handshake that happens by itself. */
  listen(): void {
    const opened = this.#opened;
    void opened?.then(() => {
      if (opened === this.#opened) this.#unasked.start();
    });
  }

  close(): Promise<void> {
    return this.#closing ??= this.#finish();
  }

  async #finish(): Promise<void> {
    const wasOpen = this.#state === "open";
    this.#state = "closed";
    const late = new AbortController();
    const isLate = new Promise((resolve) => late.signal.addEventListener("abort", resolve));
    // Not AbortSignal.timeout: its timer would keep a process alive that has nothing else to do.
    const timer = setTimeout(() => late.abort(new TransportError("The close took too long")), CLOSE_MS);
    await Promise.race([Promise.allSettled(this.#sending), isLate]);
    this.#over.abort(new TransportError("The carrier is closed"));
    if (wasOpen && this.#session !== undefined) {
      // Courtesy: the server may not offer it, and forgets the session some day anyway.
      await this.#requester.send("DELETE", this.#legacyFields(), late.signal).then(drop, () => {});
    }
    clearTimeout(timer);
    this.onclose?.();
  }

  /** Sends what is never answered. */
  #tell(message: Message): Promise<void> {
    const sent = (async () => {
      const response = await this.#post(message, this.#over.signal);
      drop(response);
      if (!response.ok) {
        throw refusal(response.status, "a message that needs no answer", "", this.#session !== undefined);
      }
      if (isNotification(message) && message.method === "notifications/initialized") this.#unasked.start();
    })();
    this.#sending.add(sent);
    const done = () => this.#sending.delete(sent);
    sent.then(done, done);
    return sent;
  }

  /** Closing its answer is how a modern request is taken back. */
  async #cancel(notification: Notification): Promise<void> {
    const { requestId } = notification.params as { requestId: Id };
    const post = this.#posts.get(requestId);
    if (!post) return;
    if (!post.isModern) await this.#tell(notification).catch((cause) => this.onerror?.(cause));
    post.controller.abort(new TransportError("The request was taken back"));
  }

  async #request(request: Request): Promise<void> {
    const controller = new AbortController();
    const stop = () => controller.abort(this.#over.signal.reason);
    this.#over.signal.addEventListener("abort", stop);
    this.#posts.set(request.id, { controller, isModern: statedVersion(request.params) !== undefined });
    try {
      if (request.method === "initialize") this.#forget();
      else await this.#opened;
      const session = this.#session;
      const response = await this.#post(request, controller.signal);
      if (response.ok) await this.#answer(request, response, controller.signal);
      else await this.#refuse(request, response, session !== undefined);
    } finally {
      this.#over.signal.removeEventListener("abort", stop);
      this.#posts.delete(request.id);
    }
  }

  #post(message: Message, signal: AbortSignal): Promise<Response> {
    const version = isRequest(message) ? statedVersion(message.params) : undefined;
    const fields = version !== undefined && isRequest(message)
      ? fieldsOf(message, version, this.headersOf?.(message) ?? {})
      : this.#legacyFields();
    return this.#requester.send(
      "POST",
      {
        ...fields,
        "Content-Type": "application/json",
        Accept: "application/json, text/event-stream",
      },
      signal,
      JSON.stringify(message),
    );
  }

  #legacyFields(): Record<string, string> {
    return {
      ...(this.#version === undefined ? {} : { "MCP-Protocol-Version": this.#version }),
      ...(this.#session === undefined ? {} : { "Mcp-Session-Id": this.#session }),
    };
  }

  /** Takes an answer: one message, or a stream of them that the answer ends. */
  async #answer(request: Request, response: Response, signal: AbortSignal): Promise<void> {
    let isAnswered = false;
    const take = async (text: string) => {
      const values: unknown = parse(text);
      for (const value of Array.isArray(values) ? values : [values]) {
        const isIt = isObject(value) && !("method" in value) && value["id"] === request.id;
        if (isIt && request.method === "initialize") this.#agree(value, response);
        if (isIt) stream.isDone = isAnswered = true;
        await this.#hand(value, text.length);
      }
    };
    const stream = new EventStream(take, signal);
    const type = typeOf(response);
    if (type === "application/json") await take(await readText(response, MAX_BODY_BYTES));
    else if (type === "text/event-stream") {
      await stream.read(response);
      const isLegacy = statedVersion(request.params) === undefined;
      if (!isAnswered && isLegacy && stream.isResumable) {
        await stream.follow((lastId) => this.#resume(lastId, signal), false);
      }
    } else {
      drop(response);
      const what = type === "" ? "nothing" : `"${type}"`;
      throw new ProtocolError(
        `The server answered ${request.method} with ${what} in place of a message (status ${response.status})`,
      );
    }
    if (!isAnswered) {
      throw new ProtocolError(`The server ended its answer to ${request.method} before the answer was in it`);
    }
  }

  /** A status that is no success: with a message in the body, that is the answer, unless the client is not let in. */
  async #refuse(request: Request, response: Response, hasSession: boolean): Promise<void> {
    const text = await readText(response, MAX_REFUSAL_BYTES).catch(() => "");
    const isLost = response.status === 404 && hasSession && statedVersion(request.params) === undefined;
    // Whoever is not let in is not answered, whatever the body looks like.
    const isShut = response.status === 401 || response.status === 403;
    const value = isLost || isShut ? undefined : tryParse(text);
    if (isObject(value) && value["jsonrpc"] === "2.0" && isObject(value["error"])) {
      // Servers that could not read the request have no id to answer under; this is its answer all the same.
      return await this.#hand({ ...value, id: request.id }, text.length);
    }
    throw refusal(response.status, request.method, text, hasSession);
  }

  #agree(answer: unknown, response: Response): void {
    const result = isObject(answer) ? answer["result"] : undefined;
    if (!isObject(result)) return;
    this.#version = textIn(result, "protocolVersion");
    const session = response.headers.get("mcp-session-id");
    this.#session = session !== null && /^[\x21-\x7e]+$/.test(session) ? session : undefined;
  }

  #forget(): void {
    this.#unasked.stop(new TransportError("The session is over"));
    this.#version = this.#session = this.#opened = undefined;
  }

  /** Asks for a stream of events: after the one that came last, where there is one. */
  #resume(lastId: string | undefined, signal: AbortSignal): Promise<Response> {
    const resume = lastId === undefined ? {} : { "Last-Event-ID": lastId };
    return this.#requester.send(
      "GET",
      { ...this.#legacyFields(), ...resume, Accept: "text/event-stream" },
      signal,
    );
  }

  async #hand(value: unknown, size: number): Promise<void> {
    if (this.#state !== "open") return;
    await this.onmessage?.(value, Object.freeze({ receivedAt: Date.now(), size }));
  }
}
