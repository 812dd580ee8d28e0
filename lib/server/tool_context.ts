/**
 * What a tool is given beside its arguments: progress, logging, and asking the client.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/logging
 */

import type { ClientFacts } from "../protocol/revisions.ts";
import type { ClientInput } from "./client_input.ts";
import type { ClientRequests } from "./client_requests.ts";
import type { ExecutionContext, Session } from "./context.ts";
import type { Exchange, Services } from "./handlers.ts";
import { own } from "../base/json.ts";
import { quoted } from "../base/text.ts";
import { invalidParams, methodNotFound, stringParam } from "../protocol/errors.ts";
import { Meta, Notifications } from "../protocol/methods.ts";
import { metaOf } from "./context.ts";

/** The log levels of RFC 5424, from the least severe. */
const LEVELS = ["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"] as const;

/** The severity of a log message. */
export type LogLevel = "debug" | "info" | "notice" | "warning" | "error" | "critical" | "alert" | "emergency";

/** What a handler is given beside its arguments. */
export interface ToolContext extends ClientRequests {
  /** Aborted when the call is cancelled, times out, or its connection closes. */
  readonly signal: AbortSignal;
  /** The session, if the transport has sessions. Tools must work without one. */
  readonly sessionId: string | undefined;
  /** What the client says of itself, unchecked. */
  readonly client: ClientFacts;
  /**
   * The state that the client has sent back with its answers, as this server signed it; undefined before that and up to
   * 2025-11-25. It is the same however often it is sent, so it can identify what must happen only once.
   */
  readonly requestState: string | undefined;
  /** Reports progress, if the client has asked for it. It must increase, and is dropped while the client is not reading. */
  progress(progress: number, total?: number, message?: string): void;
  /** Closes the stream, for a long wait: the client reconnects for the response. Only over HTTP in 2025-11-25. */
  closeStream(): void;
  /** Sends a log message, if the client wants that level and the server has `logging`. */
  log(level: LogLevel, data: unknown, logger?: string): void;
}

/** A run of a handler. */
export interface Run {
  readonly signal: AbortSignal;
  readonly isStopped: boolean;
}

/** Makes the context of one run of a handler. */
export function toolContext(
  context: ExecutionContext,
  { call, session, input }: Exchange,
  run: Run,
  logging: boolean,
): ToolContext {
  return new CallContext(context, call, input!, run, logging ? logThreshold(context, session) : undefined);
}

/** A class with getters and methods, because most handlers use none of them. */
class CallContext implements ToolContext {
  readonly sessionId: string | undefined;
  readonly client: ClientFacts;
  readonly requestState: string | undefined;
  readonly #context: ExecutionContext;
  readonly #call: Exchange["call"];
  readonly #input: ClientInput;
  readonly #run: Run;
  readonly #threshold: LogLevel | undefined;

  constructor(
    context: ExecutionContext,
    call: Exchange["call"],
    input: ClientInput,
    run: Run,
    threshold: LogLevel | undefined,
  ) {
    this.sessionId = context.sessionId;
    this.client = context.client;
    // It was verified before the handler runs.
    this.requestState = context.revision.era === "modern"
      ? own(context.params, "requestState") as string | undefined
      : undefined;
    this.#context = context;
    this.#call = call;
    this.#input = input;
    this.#run = run;
    this.#threshold = threshold;
    Object.freeze(this);
  }

  get signal(): AbortSignal {
    return this.#run.signal;
  }

  readonly elicit: ToolContext["elicit"] = (form) => this.#input.elicit(form);
  readonly elicitUrl: ToolContext["elicitUrl"] = (page) => this.#input.elicitUrl(page);
  readonly completeElicitation: ToolContext["completeElicitation"] = (id) =>
    this.#input.completeElicitation(id);
  readonly sample: ToolContext["sample"] = (request) => this.#input.sample(request);
  readonly listRoots: ToolContext["listRoots"] = (options) => this.#input.listRoots(options);
  readonly closeStream: ToolContext["closeStream"] = () => this.#call.outlet?.closeStream?.();

  readonly progress: ToolContext["progress"] = (progress, total, message) => {
    const token = metaOf(this.#context)?.["progressToken"];
    if (typeof token !== "string" && typeof token !== "number") return;
    if (!(progress > this.#input.sent.progress) || !this.#canSend) return;
    this.#input.sent.progress = progress;
    this.#send(Notifications.progress, {
      progressToken: token,
      progress,
      ...(total === undefined ? {} : { total }),
      ...(message === undefined || !this.#context.revision.progressMessages ? {} : { message }),
    });
  };

  readonly log: ToolContext["log"] = (level, data, logger) => {
    const threshold = this.#threshold;
    if (threshold === undefined || LEVELS.indexOf(level) < LEVELS.indexOf(threshold) || !this.#canSend) {
      return;
    }
    this.#send(Notifications.message, { level, ...(logger === undefined ? {} : { logger }), data });
  };

  get #canSend(): boolean {
    return !this.#input.sent.isFull && !this.#run.isStopped;
  }

  #send(method: string, params: Readonly<Record<string, unknown>>): void {
    const drained = this.#call.notify(method, params);
    this.#input.sent.isFull = drained !== undefined;
    void drained?.then(() => this.#input.sent.isFull = false);
  }
}

/** Answers `logging/setLevel`. */
export function setLevel(context: ExecutionContext, services: Services, { session }: Exchange): unknown {
  if (!services.logging) throw methodNotFound(context.method);
  session.logLevel = readLevel(stringParam(context.params, "level"));
  return {};
}

/** The lowest level that the client wants: of its connection up to 2025-11-25, of the request since. */
function logThreshold(context: ExecutionContext, session: Session): LogLevel | undefined {
  if (context.revision.era === "legacy") return session.logLevel;
  const stated = metaOf(context)?.[Meta.logLevel];
  return stated === undefined ? undefined : readLevel(stated);
}

function readLevel(text: unknown): LogLevel {
  const level = LEVELS.find((known) => known === text);
  if (level) return level;
  throw invalidParams(
    `There is no log level ${quoted(JSON.stringify(text) ?? "", 40)}; there are ${LEVELS.join(", ")}`,
  );
}
