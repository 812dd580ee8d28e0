/**
 * A session with one server of any revision: requests with timeouts, and the client's answers when the server asks for input.
 * Up to 2025-11-25 a server asks with a request of its own, and since then with an `input_required` result.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/mrtr
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/lifecycle
 */

import type { JsonObject } from "../../base/json.ts";
import type { Responder } from "../../jsonrpc/contract.ts";
import type { Call } from "../../jsonrpc/connection.ts";
import type { Id, Notification, Response } from "../../jsonrpc/message.ts";
import type { Era } from "../protocol/revisions.ts";
import type { ClientTransport } from "./client_transport.ts";
import type { CallOptions, CheckedOptions } from "./options.ts";
import type { ServerDescription } from "./types.ts";
import { abortable, onceDone, withTimeout } from "../../base/async.ts";
import { asObject, asString, isObject } from "../../base/json.ts";
import { reasonOf } from "../../base/text.ts";
import { Connection } from "../../jsonrpc/connection.ts";
import { ErrorCode, failure, MalformedMessageError, RpcError } from "../../jsonrpc/message.ts";
import { success, toErrorObject } from "../../jsonrpc/message.ts";
import { TransportError } from "../../jsonrpc/transport/stream.ts";
import { MCP_JSON_RPC, Meta, METHODS, Notifications } from "../protocol/methods.ts";
import { ConnectError, ProtocolError, SessionLostError, TimeoutError } from "./errors.ts";
import { answerInput, inputCapabilities } from "./input.ts";
import { readLimit } from "./options.ts";

/** What the handshake or `server/discover` has determined. */
export interface NegotiatedSession {
  readonly era: Era;
  readonly version: string;
  readonly server: ServerDescription;
}

interface RequestOptions extends CallOptions {
  /** Called each time the request is sent, with its id. */
  readonly onsent?: (id: Id) => void;
}

/** The maximum number of times that a server may ask for input before it answers a request. */
const MAX_ROUNDS = 20;
/** The maximum number of inputs that a server may ask for at once. */
const MAX_INPUTS = 100;

/** A request that is not answered yet. */
interface PendingRequest {
  readonly controller: AbortController;
  readonly onprogress: CallOptions["onprogress"];
  /** Restarts the timeout, or sets a new one, in milliseconds. `Infinity` removes it. */
  restart(timeoutMs?: number): void;
}

/** An open session. A legacy one that the server has lost is replaced by a new one at the next request. */
export class ClientSession {
  readonly transport: ClientTransport;
  readonly connection: Connection;
  /** "closed" if this side has closed the session, "ended" if it has ended otherwise. */
  state: "open" | "closed" | "ended" = "open";
  /** Before its first answer, the server is treated as a legacy one. */
  negotiated: NegotiatedSession = {
    era: "legacy",
    version: "",
    server: { info: {}, capabilities: {}, instructions: undefined },
  };
  /** Receives notifications that do not belong to one request. */
  onnotification: ((method: string, params: JsonObject) => void) | undefined;
  /** Called when a new session has replaced a lost one, before any other request is sent in it. */
  onrenewed: (() => Promise<void>) | undefined;
  /** The number of lost sessions that were replaced. Counted before any other request is sent in the new session. */
  renewals = 0;
  readonly options: CheckedOptions;
  /** The size of the message that each result came in, in UTF-16 units. */
  readonly sizes: WeakMap<object, number> = new WeakMap();
  readonly #capabilities: JsonObject;
  /** The requests of the client that are not answered yet, by id. */
  readonly pending: Map<unknown, PendingRequest> = new Map();
  #lastId = 0;
  #hasStringIds = false;
  /** The number of requests of the server that the client has not answered yet. */
  #answering = 0;
  /** The last log level that was set. A new session starts with it. */
  #logLevel: unknown;
  /** Replaces a lost session, once for all waiting requests. If that fails, the next request tries again. */
  #renewal: () => Promise<void> | undefined = () => undefined;

  constructor(transport: ClientTransport, options: CheckedOptions) {
    this.transport = transport;
    this.options = options;
    this.#logLevel = options.logLevel;
    this.#capabilities = { ...inputCapabilities(options), ...options.capabilities };
    const onend = () => {
      if (this.state === "open") this.state = "ended";
    };
    const connection = this.connection = new Connection(transport, {
      ...MCP_JSON_RPC,
      onrequest: (call) => this.#answer(call),
      // Without `void`, the connection would wait for a promise that a callback returns.
      onnotification: (notification) => void this.#receiveNotification(notification),
      onend,
      onerror: (error) => this.warn(error.message),
      nextId: () => this.#lastId,
      graceMs: 100,
    });
    void connection.closed.then(onend);
    const responder: Responder = {
      send: () => undefined,
      reply: (response) => this.#reply(response),
      unmatched: ({ id = null, error }) =>
        this.warn(`A response matches no request: ${id === null ? error?.message : JSON.stringify(id)}`),
    };
    // These replace the connection's own handlers, which would answer every message and drop the sizes of results.
    transport.onmessage = (message, context, text) => {
      for (const one of [message].flat()) this.sizes.set(asObject(asObject(one)["result"]), context.size);
      const read = Array.isArray(message) ? message.map((one) => this.#withId(one)) : this.#withId(message);
      return connection.receive(read, context, responder, text);
    };
    transport.onerror = (error) =>
      error instanceof MalformedMessageError ? this.#skipLine(error) : this.warn(error.message);
  }

  /** Reports a fault of the server that the client works around. */
  warn(message: string): void {
    this.options.onwarning?.(message);
  }

  /** Ends the session. */
  close(): Promise<void> {
    if (this.state === "open") this.state = "closed";
    return this.connection.close();
  }

  /** Sends the first request of a handshake. */
  initialize(protocolVersion: string, options?: RequestOptions): Promise<JsonObject> {
    const { info: clientInfo, roots } = this.options;
    const capabilities = { ...this.#capabilities, ...(roots && { roots: { listChanged: true } }) };
    return this.send("initialize", { protocolVersion, capabilities, clientInfo }, options);
  }

  /** Completes the handshake and sets the log level of the session. */
  async begin(): Promise<void> {
    void this.connection.notify(Notifications.initialized);
    const level = this.#logLevel;
    if (level === undefined || !isObject(this.negotiated.server.capabilities["logging"])) return;
    await this.send("logging/setLevel", { level }).catch((cause) => {
      this.warn(`The server does not accept the log level ${level}: ${reasonOf(cause)}`);
    });
  }

  /** Sends a request and supplies the input that the server asks for. If the session is lost, retries once in a new one. */
  async request(method: string, params: JsonObject, options: RequestOptions = {}): Promise<JsonObject> {
    const { signal } = options;
    const timeoutMs = readLimit("timeoutMs", options.timeoutMs ?? this.options.timeoutMs);
    const timed = { ...options, timeoutMs };
    if (this.negotiated.era === "modern") return await this.#requestModern(method, params, timed);
    for (let isSecond = false;; isSecond = true) {
      const renewal = this.#renewal, renewing = renewal();
      if (renewing && await withTimeout(abortable(renewing, signal), timeoutMs, true)) {
        throw new TimeoutError(`The server did not open a new session for ${method} in ${timeoutMs} ms`);
      }
      try {
        const result = await this.send(method, params, timed);
        if (method === "logging/setLevel") this.#logLevel = params["level"];
        return result;
      } catch (cause) {
        if (isSecond || !(cause instanceof SessionLostError)) throw cause;
        // Another request may have started the replacement already.
        if (renewal === this.#renewal) this.#renewal = onceDone(() => this.#renew());
      }
    }
  }

  /** Sends a request and repeats it with the input that the server asks for, until the result is complete. */
  async #requestModern(method: string, params: JsonObject, options: RequestOptions): Promise<JsonObject> {
    const { signal = new AbortController().signal } = options;
    const fail = (reason: string) => new ProtocolError(`The server answered ${method} with ${reason}`);
    let given: JsonObject = params;
    for (let round = 0;; round++) {
      const result = await this.send(method, this.withMeta(given, this.negotiated.version), options);
      const { resultType = "complete", inputRequests, requestState } = result;
      if (resultType === "complete") return result;
      if (resultType !== "input_required") {
        throw fail(`the unknown result type ${JSON.stringify(resultType)}`);
      }
      if (!METHODS.get(method)?.mayAskClient) throw fail("input_required, which this method does not allow");
      if (round === MAX_ROUNDS) throw fail(`input_required ${MAX_ROUNDS} times, which is the limit`);
      const hasState = requestState !== undefined, hasRequests = inputRequests !== undefined;
      if (!hasState && !hasRequests) throw fail("neither inputRequests nor a requestState");
      if (hasState && typeof requestState !== "string") throw fail("a requestState that is not a string");
      const requests = Object.entries(asObject(inputRequests));
      if ((hasRequests && !isObject(inputRequests)) || requests.length > MAX_INPUTS) {
        throw fail("inputRequests that cannot be read");
      }
      const responses: [string, unknown][] = [];
      // One at a time, because the same user answers them all.
      for (const [key, request] of requests) {
        const { method: asked, params } = asObject(request);
        if (typeof asked !== "string") throw fail("an input request without a method");
        signal.throwIfAborted();
        // When the signal is aborted, a handler that ignores it is not awaited.
        responses.push([
          key,
          await abortable(answerInput(this.options, asked, asObject(params), signal), signal),
        ]);
      }
      // The state is returned exactly as the server sent it.
      given = {
        ...params,
        inputResponses: hasRequests ? Object.fromEntries(responses) : undefined,
        requestState,
      };
    }
  }

  /** Sends one request in the current session. If there are options without a `timeoutMs`, there is no timeout. */
  async send(
    method: string,
    params: JsonObject,
    options: RequestOptions = { timeoutMs: this.options.timeoutMs },
  ): Promise<JsonObject> {
    const { signal, onprogress, onsent } = options;
    const id = ++this.#lastId;
    const controller = new AbortController();
    let { timeoutMs = Infinity } = options;
    const limitMs = Math.max(timeoutMs, this.options.maxTimeoutMs), start = performance.now();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const restart = (nextMs = timeoutMs) => {
      timeoutMs = nextMs;
      clearTimeout(timer);
      if (timeoutMs === Infinity) return;
      const left = start + limitMs - performance.now();
      // While the server waits for this side, only the maximum duration applies.
      const ms = this.#answering > 0 || left < timeoutMs ? limitMs : timeoutMs;
      const error = () => new TimeoutError(`The server did not answer ${method} in ${ms} ms`);
      timer = setTimeout(() => controller.abort(error()), Math.max(0, Math.min(ms, left)));
    };
    restart();
    this.pending.set(id, { controller, onprogress, restart });
    const signals = signal ? AbortSignal.any([controller.signal, signal]) : controller.signal;
    try {
      const _meta = onprogress ? { ...asObject(params["_meta"]), progressToken: id } : params["_meta"];
      const answered = this.connection.request(method, { ...params, _meta }, signals);
      onsent?.(id);
      const result = await answered;
      if (isObject(result)) return result;
      throw new ProtocolError(`The server answered ${method} with a result that is not an object`);
    } catch (cause) {
      // A server that was reachable before no longer is, or the connection has ended and rejects the request.
      const isLost = cause instanceof ConnectError
        ? this.negotiated.version !== ""
        : this.state !== "open" && cause instanceof RpcError && cause.code === ErrorCode.internal;
      throw isLost ? new TransportError(reasonOf(cause), { cause }) : cause;
    } finally {
      restart(Infinity);
      this.pending.delete(id);
    }
  }

  /** Adds the members of `_meta` that every modern request has to the params. */
  withMeta(params: JsonObject, version: string): JsonObject {
    const own = {
      [Meta.protocolVersion]: version,
      [Meta.clientInfo]: this.options.info,
      [Meta.clientCapabilities]: this.#capabilities,
      [Meta.logLevel]: this.options.logLevel,
    };
    return { ...params, _meta: { ...asObject(params["_meta"]), ...own } };
  }

  /** Opens a new session that replaces a lost one. */
  async #renew(): Promise<void> {
    const { version } = this.negotiated;
    const { protocolVersion } = await this.initialize(version);
    if (protocolVersion !== version) {
      throw new ProtocolError("The server has lost the session, and uses another revision for the new one");
    }
    this.renewals++;
    await this.begin();
    await this.onrenewed?.();
  }

  /** Restores the id of a response: some servers return it as a string. */
  #withId(message: unknown): unknown {
    if (!isObject(message) || "method" in message) return message;
    const { id } = message, sent = Number(id);
    if (typeof id !== "string" || String(sent) !== id || !(sent >= 1 && sent <= this.#lastId)) return message;
    if (!this.#hasStringIds) this.warn(`The server returns ids as strings: "${id}" for ${id}`);
    this.#hasStringIds = true;
    return { ...message, id: sent };
  }

  /** Sends a response, unless it has no id or the server is modern: modern servers must not be sent responses. */
  #reply(response: Response | readonly Response[] | undefined): void {
    if (!response) return;
    const hasIds = [response].flat().every(({ id }) => id !== undefined && id !== null);
    if (this.negotiated.era === "modern" || !hasIds) {
      this.warn("The server sent a message that must not be answered");
    } else this.transport.send(response).catch((cause) => this.warn(reasonOf(cause)));
  }

  /** Skips a line that is not a message: many servers log to standard output, and do not expect an error response. */
  #skipLine(error: MalformedMessageError): void {
    const problem = new ProtocolError(`The server wrote a line that is not a message: ${error.message}`);
    // A line that is JSON but not a message may have been meant as the response to any request.
    if (error.code === ErrorCode.invalidRequest) {
      for (const { controller } of this.pending.values()) controller.abort(problem);
    }
    this.warn(problem.message);
  }

  async #answer({ request: { id, method, params }, signal }: Call): Promise<Response> {
    if (method === "ping") return success(id, {});
    this.#countAnswering(1);
    try {
      return success(id, await answerInput(this.options, method, asObject(params), signal));
    } catch (cause) {
      return failure(id, toErrorObject(cause));
    } finally {
      this.#countAnswering(-1);
    }
  }

  /** Suspends the timeouts while the server waits for this side, and maybe for the user. Restarts them afterwards. */
  #countAnswering(change: number): void {
    this.#answering += change;
    for (const pending of this.pending.values()) pending.restart();
  }

  #receiveNotification({ method, params: given }: Notification): void {
    const params = asObject(given);
    if (method === Notifications.progress) {
      const { progressToken, progress, total, message } = params;
      const pending = this.pending.get(progressToken);
      if (!pending || typeof progress !== "number") return;
      pending.restart();
      const known = typeof total === "number" ? total : undefined;
      return pending.onprogress?.({ progress, total: known, message: asString(message) });
    }
    if (method === Notifications.message) {
      const { level, logger, data } = params;
      return this.options.onlog?.({ level: String(level), logger: asString(logger), data });
    }
    this.onnotification?.(method, params);
  }
}
