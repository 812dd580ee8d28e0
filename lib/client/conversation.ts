/** How is a request made in the era that was agreed on? One conversation with one server, whatever its revision. */

import type { Notification, Request, Response } from "../jsonrpc/message.ts";
import type { MessageContext } from "../transport/transport.ts";
import type { ClientTransport } from "./carrier.ts";
import type { AskOptions } from "./exchange.ts";
import type { Agreement, Opening } from "./negotiate.ts";
import type { ClientOptions, Limits } from "./options.ts";
import type { Era } from "./revisions.ts";
import type { Members } from "./value.ts";
import type { Call } from "../jsonrpc/connection.ts";
import { ErrorCode, failure, success, toErrorObject } from "../jsonrpc/message.ts";
import { Connection } from "../jsonrpc/connection.ts";
import { TransportError } from "../transport/transport.ts";
import { ConnectError, HttpError, ProtocolError, reasonOf, SessionLostError } from "./errors.ts";
import { Exchange } from "./exchange.ts";
import { answerInput, capabilitiesOf, untilComplete } from "./inputs.ts";
import { negotiate } from "./negotiate.ts";
import { META } from "./revisions.ts";
import { isObject } from "../base/json.ts";
import { objectIn } from "./value.ts";
import { Wire } from "./wire.ts";

/** What a conversation tells its owner. */
export interface ConversationEvents {
  /** Something that the server tells and that is not about a request alone. */
  notification(notification: Notification): void;
  /** A session was lost, and there is a new one that knows nothing of the old one. */
  renewed(): Promise<void>;
  warning(message: string): void;
}

/** One conversation. */
export class Conversation {
  readonly exchange: Exchange;
  readonly transport: ClientTransport;
  readonly #options: ClientOptions;
  readonly #limits: Limits;
  readonly #events: ConversationEvents;
  readonly #wire: Wire;
  readonly #peer: Connection<MessageContext>;
  readonly #capabilities: Members;
  /** From which level on the server logs in each session: what was said last. */
  #logLevel: unknown;
  #agreement: Agreement | undefined;
  #renewing: Promise<void> | undefined;
  /** Whether the session is lost and not opened again yet: nothing can be asked in it. */
  #isLost = false;
  #isLeft = false;
  /** How often a session was opened again. */
  #sessions = 0;

  constructor(
    transport: ClientTransport,
    options: ClientOptions,
    limits: Limits,
    events: ConversationEvents,
  ) {
    this.transport = transport;
    this.#options = options;
    this.#limits = limits;
    this.#events = events;
    this.#logLevel = options.logLevel;
    this.#capabilities = { ...capabilitiesOf(options), ...options.capabilities };
    this.#wire = new Wire(transport);
    this.#wire.onmalformed = (error) => {
      // Nobody can tell whose answer the line was; a line that is no JSON is most likely a log.
      if (error.code === ErrorCode.invalidRequest) this.exchange.giveUp(new ProtocolError(unreadable(error)));
      events.warning(unreadable(error));
    };
    this.#peer = new Connection(this.#wire, {
      onrequest: (request, call) => this.#answer(request, call),
      onnotification: (notification) => this.#notice(notification),
      onerror: (error) => events.warning(error.message),
      graceMs: 100,
    });
    this.exchange = new Exchange(this.#peer, this.#wire);
  }

  /** What was agreed on; nothing works before that. */
  get agreement(): Agreement {
    if (this.#agreement) return this.#agreement;
    throw new TransportError("Cannot use the client: its conversation is not open");
  }

  /** Whether nothing can be asked any more. */
  get isOver(): boolean {
    return this.#wire.hasEnded;
  }

  get closed(): Promise<void> {
    return this.#peer.closed;
  }

  /** Whether it was this side that has ended it. */
  get isLeft(): boolean {
    return this.#isLeft;
  }

  /** Finds out what the server speaks, and opens the conversation. */
  async open(era: Era | "auto", remembered?: Era): Promise<void> {
    await this.#peer.start();
    const opening: Opening = {
      discover: (version) => this.exchange.ask("server/discover", this.#modern({}, version)),
      initialize: (version) => this.#initialize(version),
      isFinal: (cause) => this.isOver || isFinal(cause),
    };
    const agreement = await negotiate(opening, era, this.#limits.probeMs, remembered);
    this.#wire.era = agreement.era;
    this.#agreement = agreement;
    if (agreement.era === "modern") return;
    await this.#begin();
  }

  /** Tells the server something; does nothing once the conversation is over. */
  notify(method: string, params?: Members): void {
    this.#peer.notify(method, params);
  }

  /** Asks the server, and answers what it wants to know first. */
  async call(method: string, params: Members, options: AskOptions = {}): Promise<Members> {
    const timing = {
      timeoutMs: this.#limits.timeoutMs,
      maxTimeoutMs: Math.max(this.#limits.maxTimeoutMs, options.timeoutMs ?? 0),
      ...options,
    };
    if (this.#isLost) await orAborted(this.#renew(), options.signal);
    const session = this.#sessions;
    try {
      return await this.#callOnce(method, params, timing);
    } catch (cause) {
      if (!(cause instanceof SessionLostError)) throw cause;
      // Somebody else may have noticed before.
      if (session === this.#sessions) await orAborted(this.#renew(), options.signal);
      return await this.#callOnce(method, params, timing);
    }
  }

  /** Asks in a session that has just been opened, as part of that; when it is lost as well, that is an error. */
  restore(method: string, params: Members): Promise<Members> {
    return this.exchange.ask(method, params, { timeoutMs: this.#limits.timeoutMs });
  }

  close(): Promise<void> {
    // Where the other side has ended it before, it has not been left.
    this.#isLeft ||= !this.isOver;
    return this.#peer.close();
  }

  #callOnce(method: string, params: Members, options: AskOptions): Promise<Members> {
    const { era, version } = this.agreement;
    if (era === "legacy") return this.#askLegacy(method, params, options);
    const signal = options.signal ?? new AbortController().signal;
    return untilComplete(method, this.#options, signal, (more) => {
      return this.exchange.ask(method, this.#modern({ ...params, ...more }, version), options);
    });
  }

  async #askLegacy(method: string, params: Members, options: AskOptions): Promise<Members> {
    const result = await this.exchange.ask(method, params, options);
    if (method === "logging/setLevel") this.#logLevel = params["level"];
    return result;
  }

  /** What a modern request states of itself. */
  #modern(params: Members, version: string): Members {
    const { info, logLevel } = this.#options;
    return {
      ...params,
      _meta: {
        ...objectIn(params, "_meta"),
        [META.version]: version,
        [META.clientInfo]: info,
        [META.clientCapabilities]: this.#capabilities,
        ...(logLevel === undefined ? {} : { [META.logLevel]: logLevel }),
      },
    };
  }

  /** Shakes hands again, once for all who have lost the session; where that fails, whoever asks next tries again. */
  #renew(): Promise<void> {
    this.#isLost = true;
    return this.#renewing ??= (async () => {
      try {
        await this.#reopen();
        this.#isLost = false;
      } finally {
        this.#renewing = undefined;
      }
    })();
  }

  async #reopen(): Promise<void> {
    const { timeoutMs } = this.#limits;
    const { protocolVersion } = await this.#initialize(this.agreement.version, { timeoutMs });
    if (protocolVersion !== this.agreement.version) {
      throw new ProtocolError("The server has lost the session, and speaks another revision in a new one");
    }
    this.#sessions++;
    await this.#begin();
    await this.#events.renewed();
  }

  #initialize(version: string, options: AskOptions = {}): Promise<Members> {
    const { info, roots } = this.#options;
    const capabilities = roots ? { ...this.#capabilities, roots: { listChanged: true } } : this.#capabilities;
    return this.exchange.ask(
      "initialize",
      { protocolVersion: version, capabilities, clientInfo: info },
      options,
    );
  }

  /** Says that the handshake is over, and what holds for all that follows. */
  async #begin(): Promise<void> {
    this.notify("notifications/initialized");
    const level = this.#logLevel;
    if (level === undefined || !isObject(this.agreement.capabilities["logging"])) return;
    await this.restore("logging/setLevel", { level }).catch((cause) => {
      this.#events.warning(`The server does not log from ${level} on: ${reasonOf(cause)}`);
    });
  }

  async #answer({ id, method, params }: Request, call: Call<MessageContext>): Promise<Response> {
    if (method === "ping") return success(id, {});
    try {
      const given = isObject(params) ? params : {};
      const answer = () => answerInput(method, given, this.#options, { signal: call.signal });
      return success(id, await this.exchange.whileAnswering(answer));
    } catch (cause) {
      return failure(id, toErrorObject(cause));
    }
  }

  #notice(notification: Notification): void {
    const params = isObject(notification.params) ? notification.params : {};
    switch (notification.method) {
      case "notifications/progress":
        return this.exchange.report(notification);
      case "notifications/message":
        return this.#options.onlog?.({
          level: String(params["level"]),
          ...(typeof params["logger"] === "string" ? { logger: params["logger"] } : {}),
          data: params["data"],
        });
      case "notifications/cancelled": {
        const { requestId } = params;
        if (typeof requestId === "string" || typeof requestId === "number") this.#peer.cancel(requestId);
      }
    }
    this.#events.notification(notification);
  }
}

/** Whether a failure is about the way to the server, and not about what it was asked. */
function isFinal(cause: unknown): boolean {
  if (cause instanceof HttpError) return cause.status === 401 || cause.status === 403;
  return cause instanceof ConnectError || cause instanceof TransportError;
}

/** Waits for what others wait for as well, and that goes on when this one waits no more. */
async function orAborted(shared: Promise<void>, signal: AbortSignal | undefined): Promise<void> {
  if (!signal) return await shared;
  shared.catch(() => {});
  const { promise, reject } = Promise.withResolvers<never>();
  const stop = () => reject(signal.reason);
  signal.addEventListener("abort", stop);
  try {
    signal.throwIfAborted();
    await Promise.race([shared, promise]);
  } finally {
    signal.removeEventListener("abort", stop);
  }
}

function unreadable(error: Error): string {
  return `The server wrote a line that is no message: ${reasonOf(error)}`;
}
