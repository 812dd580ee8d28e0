/** What does a tool get to know of its call? What it needs to do its work, and nothing that it could corrupt. */

import type { Asking } from "./asking.ts";
import type { ClientFacts, ExecutionContext } from "./context.ts";
import type { LogLevel } from "./logging.ts";
import type { Exchange } from "./methods.ts";
import { logThreshold, reaches } from "./logging.ts";
import { isObject, own } from "../base/json.ts";

/** What a handler is given beside its arguments. */
export interface ToolContext extends Asking {
  /** Aborted when the call is cancelled, takes too long, or its connection ends. */
  readonly signal: AbortSignal;
  /** The session, where the carrier has one. A tool does without it gracefully. */
  readonly sessionId: string | undefined;
  /** What the client says of itself, unchecked. */
  readonly client: ClientFacts;
  /**
   * What the client carried here with its answers, as this server signed it; undefined where it has carried nothing, as it
   * never does up to 2025-11-25. It is the same however often it is sent: a name for what must happen only once.
   */
  readonly requestState: string | undefined;
  /**
   * Tells how far the work has come, to a client that asked for it. What does not go further than what was told before
   * is not told, and neither is anything while the client does not read.
   */
  progress(progress: number, total?: number, message?: string): void;
  /**
   * Lets go of the connection that the client waits on, when much time will pass before the answer: it asks for the rest
   * later. Does nothing where a client cannot do that: everywhere but over HTTP in 2025-11-25.
   */
  closeStream(): void;
  /** Tells the client something, if it wants to hear of that level, and if the server was built with `logging`. */
  log(level: LogLevel, data: unknown, logger?: string): void;
}

/** Makes the context of one call. */
export function toolContext(
  context: ExecutionContext,
  { call, connection }: Exchange,
  run: { readonly signal: AbortSignal; readonly isStopped: boolean },
  logs: boolean,
  questions: Asking,
): ToolContext {
  const meta = own(context.params, "_meta");
  const token = isObject(meta) ? own(meta, "progressToken") : undefined;
  const threshold = logs ? logThreshold(context, connection) : undefined;
  let told = -Infinity;
  let hasRoom = true;
  const send = (method: string, params: Readonly<Record<string, unknown>>): void => {
    const room = call.notify(method, params);
    hasRoom = room === undefined;
    void room?.then(() => hasRoom = true);
  };
  return new CallContext(run, {
    sessionId: context.sessionId,
    client: context.client,
    // Since then it is opened before a handler runs, and refused when it is none of ours.
    requestState: context.revision.era === "modern"
      ? own(context.params, "requestState") as string | undefined
      : undefined,
    elicit: (form) => questions.elicit(form),
    elicitUrl: (page) => questions.elicitUrl(page),
    completeElicitation: (id) => questions.completeElicitation(id),
    sample: (request) => questions.sample(request),
    listRoots: (options) => questions.listRoots(options),
    progress(progress: number, total?: number, message?: string): void {
      const isAsked = typeof token === "string" || typeof token === "number";
      if (!isAsked || !hasRoom || !(progress > told) || run.isStopped) return;
      told = progress;
      send("notifications/progress", {
        progressToken: token,
        progress,
        ...(total === undefined ? {} : { total }),
        ...(message === undefined || !context.revision.progressMessages ? {} : { message }),
      });
    },
    closeStream: () => call.closeStream?.(),
    log(level: LogLevel, data: unknown, logger?: string): void {
      if (threshold === undefined || !reaches(level, threshold) || !hasRoom || run.isStopped) return;
      send("notifications/message", { level, ...(logger === undefined ? {} : { logger }), data });
    },
  });
}

/** The context with a signal that is made when it is looked at: most handlers never do. */
class CallContext implements ToolContext {
  readonly #run: { readonly signal: AbortSignal };
  readonly sessionId: string | undefined;
  readonly client: ClientFacts;
  readonly requestState: string | undefined;
  readonly elicit: ToolContext["elicit"];
  readonly elicitUrl: ToolContext["elicitUrl"];
  readonly completeElicitation: ToolContext["completeElicitation"];
  readonly sample: ToolContext["sample"];
  readonly listRoots: ToolContext["listRoots"];
  readonly progress: ToolContext["progress"];
  readonly closeStream: ToolContext["closeStream"];
  readonly log: ToolContext["log"];

  constructor(run: { readonly signal: AbortSignal }, parts: Omit<ToolContext, "signal">) {
    this.#run = run;
    this.sessionId = parts.sessionId;
    this.client = parts.client;
    this.requestState = parts.requestState;
    this.elicit = parts.elicit;
    this.elicitUrl = parts.elicitUrl;
    this.completeElicitation = parts.completeElicitation;
    this.sample = parts.sample;
    this.listRoots = parts.listRoots;
    this.progress = parts.progress;
    this.closeStream = parts.closeStream;
    this.log = parts.log;
    Object.freeze(this);
  }

  get signal(): AbortSignal {
    return this.#run.signal;
  }
}
