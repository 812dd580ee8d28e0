/** A session with one server, whatever its revision: requests with timeouts, and answers to what the server asks. */

import type { JsonObject } from "../base/json.ts";
import type { Call } from "../jsonrpc/connection.ts";
import type { Id, Message, Notification, Request, Response } from "../jsonrpc/message.ts";
import type { Era } from "../protocol/revisions.ts";
import type { CallOptions, ClientOptions, ClientTransport, Limits } from "./options.ts";
import { abortable } from "../base/async.ts";
import { asObject, asString, isObject } from "../base/json.ts";
import { Connection } from "../jsonrpc/connection.ts";
import { ErrorCode, failure, MalformedMessageError, success, toErrorObject } from "../jsonrpc/message.ts";
import { Meta, Notifications } from "../protocol/methods.ts";
import { answerInput, capabilitiesOf, untilComplete } from "./inputs.ts";
import { ProtocolError, readTimeout, reasonOf, SessionLostError, TimeoutError } from "./options.ts";

/** What a server says of itself. */
export interface ServerInfo {
  /** Its name and version; nothing to rely on. */
  readonly info: JsonObject;
  /** What it can do. */
  readonly capabilities: JsonObject;
  /** What a model should know to use it well. */
  readonly instructions: string | undefined;
}

/** What both sides have agreed on. */
export interface Negotiated {
  readonly era: Era;
  readonly version: string;
  readonly server: ServerInfo;
}

/** Options of a request inside the client. */
export interface RequestOptions extends CallOptions {
  /** How long the response may take in all, in milliseconds. */
  readonly maxTimeoutMs?: number;
  /** Called each time the request is sent, with its id and a function that lifts its timeouts. */
  readonly onsent?: (id: Id, liftTimeouts: () => void) => void;
}

/** One session. */
export class Session {
  readonly transport: ClientTransport;
  /** "closed" once this side has closed it, "ended" when anything else did before. */
  state: "open" | "closed" | "ended" = "open";
  /** Until the server has answered, its requests are those of a legacy server. */
  negotiated: Negotiated = {
    era: "legacy",
    version: "",
    server: { info: {}, capabilities: {}, instructions: undefined },
  };
  /** Takes notifications that are not about one request. */
  onnotification: ((method: string, params: JsonObject) => void) | undefined;
  /** Called when a lost session was replaced by a new one, before anything else is sent in it. */
  onrenewed: (() => Promise<void>) | undefined;
  /** How often a lost session was replaced. */
  renewals = 0;
  readonly #options: ClientOptions;
  readonly #limits: Limits;
  readonly #capabilities: JsonObject;
  readonly #connection: Connection;
  /** Requests without a response, by id. */
  readonly #pending = new Map<unknown, PendingRequest>();
  #lastId = 0;
  /** How many requests of the server are being answered. */
  #answering = 0;
  /** The log level that was set last, for the next session. */
  #logLevel: unknown;
  #isLost = false;
  #renewing: Promise<void> | undefined;

  constructor(transport: ClientTransport, options: ClientOptions, limits: Limits) {
    this.transport = transport;
    this.#options = options;
    this.#limits = limits;
    this.#logLevel = options.logLevel;
    this.#capabilities = { ...capabilitiesOf(options), ...options.capabilities };
    const connection = new Connection(transport, {
      onrequest: (request, call) => this.#answer(request, call),
      // A callback of the caller may return anything.
      onnotification: (notification) => void this.#notice(notification),
      onerror: (error) => this.warn(error.message),
      nextId: () => this.#lastId,
      graceMs: 100,
    });
    this.#connection = connection;
    const outlet = {
      send: () => undefined,
      reply: (response?: Message | readonly Message[]) => this.#reply(response),
    };
    transport.onmessage = (message, context) => connection.receive(message, context, outlet);
    transport.onerror = (error) =>
      error instanceof MalformedMessageError ? this.#skipLine(error) : this.warn(error.message);
    for (const event of ["onend", "onclose"] as const) {
      const handle = transport[event];
      transport[event] = () => {
        if (this.state === "open") this.state = "ended";
        handle?.();
      };
    }
  }

  /** Settles when the session is over. */
  get closed(): Promise<void> {
    return this.#connection.closed;
  }

  warn(message: string): void {
    this.#options.onwarning?.(message);
  }

  start(): Promise<void> {
    return this.#connection.start();
  }

  close(): Promise<void> {
    if (this.state === "open") this.state = "closed";
    return this.#connection.close();
  }

  /** Offers a legacy revision. */
  initialize(protocolVersion: string, options?: RequestOptions): Promise<JsonObject> {
    const { info: clientInfo, roots } = this.#options;
    const capabilities = { ...this.#capabilities, ...(roots && { roots: { listChanged: true } }) };
    return this.send("initialize", { protocolVersion, capabilities, clientInfo }, options);
  }

  /** Ends a handshake, and sets what holds for the whole session. */
  async begin(): Promise<void> {
    this.notify(Notifications.initialized);
    const level = this.#logLevel;
    if (level === undefined || !isObject(this.negotiated.server.capabilities["logging"])) return;
    await this.send("logging/setLevel", { level }).catch((cause) => {
      this.warn(`The server does not accept the log level ${level}: ${reasonOf(cause)}`);
    });
  }

  /** Sends a notification; does nothing when the session is over. */
  notify(method: string, params?: JsonObject): void {
    this.#connection.notify(method, params);
  }

  /**
   * Sends a request, and answers the server's requests for input. A lost session is replaced by a new one, once.
   *
   * @throws {RpcError} When the server answers with an error, or the session ends first.
   * @throws {TimeoutError} When there is no response in time; the server is told.
   * @throws {ProtocolError} When the response is no object.
   * @throws {RangeError} For an invalid timeout.
   * @throws {unknown} The reason of the signal.
   */
  async request(method: string, params: JsonObject, options: RequestOptions = {}): Promise<JsonObject> {
    const { era, version } = this.negotiated;
    const { signal } = options;
    const timeoutMs = readTimeout(options.timeoutMs ?? this.#limits.timeoutMs);
    const timed = { ...options, timeoutMs, maxTimeoutMs: Math.max(timeoutMs, this.#limits.maxTimeoutMs) };
    if (era === "modern") {
      const send = (more: JsonObject) =>
        this.send(method, this.withMeta({ ...params, ...more }, version), timed);
      return await untilComplete(method, this.#options, send, signal);
    }
    for (let isSecond = false;; isSecond = true) {
      if (this.#isLost) await abortable(this.#renew(), signal);
      const { renewals } = this;
      try {
        const result = await this.send(method, params, timed);
        if (method === "logging/setLevel") this.#logLevel = params["level"];
        return result;
      } catch (cause) {
        if (isSecond || !(cause instanceof SessionLostError)) throw cause;
        // Another request may have noticed first.
        if (renewals === this.renewals) this.#isLost = true;
      }
    }
  }

  /** Sends a request as it is, in the session as it is. */
  async send(
    method: string,
    params: JsonObject,
    options: RequestOptions = { timeoutMs: this.#limits.timeoutMs },
  ): Promise<JsonObject> {
    const { signal, onprogress, onsent } = options;
    signal?.throwIfAborted();
    const id = ++this.#lastId;
    const pending = new PendingRequest(method, options);
    this.#pending.set(id, pending);
    const abort = () => pending.controller.abort(signal!.reason);
    signal?.addEventListener("abort", abort);
    try {
      // The id is its progress token, too.
      const _meta = onprogress ? { ...asObject(params["_meta"]), progressToken: id } : params["_meta"];
      const answered = this.#connection.request(method, { ...params, _meta }, pending.controller.signal);
      onsent?.(id, () => pending.liftTimeouts());
      const result = await answered;
      if (isObject(result)) return result;
      throw new ProtocolError(`The server answered ${method} with a result that is no object`);
    } finally {
      pending.liftTimeouts();
      signal?.removeEventListener("abort", abort);
      this.#pending.delete(id);
    }
  }

  /** Adds the members of `_meta` that every modern request carries. */
  withMeta(params: JsonObject, version: string): JsonObject {
    const { info, logLevel } = this.#options;
    const _meta = {
      ...asObject(params["_meta"]),
      [Meta.protocolVersion]: version,
      [Meta.clientInfo]: info,
      [Meta.clientCapabilities]: this.#capabilities,
      [Meta.logLevel]: logLevel,
    };
    return { ...params, _meta };
  }

  /** Replaces a lost session, once for all requests; when that fails, the next request tries again. */
  #renew(): Promise<void> {
    const reopen = async () => {
      const { version } = this.negotiated;
      const { protocolVersion } = await this.initialize(version);
      if (protocolVersion !== version) {
        throw new ProtocolError("The server has lost the session, and answers a new one in another revision");
      }
      this.renewals++;
      await this.begin();
      await this.onrenewed?.();
      this.#isLost = false;
    };
    return this.#renewing ??= reopen().finally(() => this.#renewing = undefined);
  }

  /** Modern servers are sent no responses, and no server one without an id. */
  #reply(response: Message | readonly Message[] | undefined): void {
    if (!response) return;
    const hasIds = [response].flat().every(({ id }) => id !== undefined && id !== null);
    if (this.negotiated.era === "modern" || !hasIds) {
      return this.warn("The server sent what must not be answered");
    }
    this.transport.send(response).catch((cause) => this.warn(reasonOf(cause)));
  }

  /** Many servers write their logs where messages belong: an error response would be input to them. */
  #skipLine(error: MalformedMessageError): void {
    const problem = new ProtocolError(`The server wrote a line that is no message: ${error.message}`);
    // Unless it is no JSON at all, it may have been any of the responses.
    if (error.code === ErrorCode.invalidRequest) {
      for (const { controller } of this.#pending.values()) controller.abort(problem);
    }
    this.warn(problem.message);
  }

  async #answer({ id, method, params }: Request, { signal }: Call): Promise<Response> {
    if (method === "ping") return success(id, {});
    this.#answering++;
    // Meanwhile the server waits, for the user perhaps.
    for (const pending of this.#pending.values()) pending.hold();
    try {
      return success(id, await answerInput(method, asObject(params), this.#options, signal));
    } catch (cause) {
      return failure(id, toErrorObject(cause));
    } finally {
      this.#answering--;
      for (const pending of this.#pending.values()) this.#restart(pending);
    }
  }

  /** Starts the timeout of a request again, unless the server waits for this side. */
  #restart(pending: PendingRequest): void {
    if (this.#answering === 0) pending.restart();
  }

  #notice({ method, params: given }: Notification): void {
    const params = asObject(given);
    if (method === Notifications.progress) {
      const { progressToken, progress, total } = params;
      const pending = this.#pending.get(progressToken);
      if (!pending || typeof progress !== "number") return;
      this.#restart(pending);
      return pending.options.onprogress?.({
        progress,
        total: typeof total === "number" ? total : undefined,
        message: asString(params["message"]),
      });
    }
    if (method === Notifications.message) {
      const { level, data } = params;
      return this.#options.onlog?.({ level: String(level), logger: asString(params["logger"]), data });
    }
    if (method === Notifications.cancelled) this.#connection.cancel(params["requestId"] as Id);
    this.onnotification?.(method, params);
  }
}

/** A request without a response: aborted when it takes too long. */
class PendingRequest {
  readonly controller = new AbortController();
  readonly options: RequestOptions;
  readonly #method: string;
  #timeoutMs: number | undefined;
  /** Runs while nothing is heard of the request. */
  #silence: ReturnType<typeof setTimeout> | undefined;
  readonly #whole: ReturnType<typeof setTimeout> | undefined;

  constructor(method: string, options: RequestOptions) {
    this.#method = method;
    this.options = options;
    this.#timeoutMs = options.timeoutMs;
    this.#whole = this.#startTimer(options.maxTimeoutMs);
    this.restart();
  }

  restart(): void {
    this.hold();
    this.#silence = this.#startTimer(this.#timeoutMs);
  }

  hold(): void {
    clearTimeout(this.#silence);
  }

  liftTimeouts(): void {
    this.#timeoutMs = undefined;
    this.hold();
    clearTimeout(this.#whole);
  }

  #startTimer(ms: number | undefined): ReturnType<typeof setTimeout> | undefined {
    if (ms === undefined) return undefined;
    const error = () => new TimeoutError(`The server did not answer ${this.#method} in ${ms} ms`);
    return setTimeout(() => this.controller.abort(error()), ms);
  }
}
