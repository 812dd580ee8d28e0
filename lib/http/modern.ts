/**
 * How is a request answered that states its own terms? By itself: there is no session, and whoever closes the connection
 * has cancelled it.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http
 */

import type { Request, Response } from "../jsonrpc/message.ts";
import type { Session } from "../server/session.ts";
import type { Visit } from "./house.ts";
import { ErrorCode, notification } from "../jsonrpc/message.ts";
import { andThen } from "../base/async.ts";
import { McpErrorCode } from "../protocol/errors.ts";
import { streamMeta } from "../server/subscriptions.ts";
import { HttpCall } from "./call.ts";
import { toEvent } from "./events.ts";
import { checkFields } from "./field_values.ts";
import { checkParameters } from "./parameter_fields.ts";
import { Refusal } from "./refusal.ts";
import { Reply } from "./reply.ts";

/** Which errors are the head's too. All others are the answer to a request that was understood. */
const STATUSES: ReadonlyMap<number, number> = new Map<number, number>([
  [ErrorCode.methodNotFound, 404],
  [ErrorCode.invalidRequest, 400],
  [McpErrorCode.headerMismatch, 400],
  [McpErrorCode.missingClientCapability, 400],
  [McpErrorCode.unsupportedVersion, 400],
]);

/** For how long nobody may notice that a client has left, in milliseconds: then the answer begins, which shows it. */
const UNSEEN_MS = 1000;

/** Answers one request. */
export function serveModern(visit: Visit, request: Request): void | Promise<void> {
  const { exchange, accepted, house } = visit;
  const meta = (request.params as { _meta?: Readonly<Record<string, unknown>> } | undefined)?._meta;
  const version = meta?.["io.modelcontextprotocol/protocolVersion"];
  if (typeof version === "string") checkFields(exchange, request, version);
  if (request.method === "subscriptions/listen") {
    if (!accepted.events) {
      throw new Refusal(406, "This request is answered with a stream: accept text/event-stream", {
        id: request.id,
      });
    }
    house.requireStream(visit.client, request.id);
  }
  if (request.method !== "tools/call") return serve(visit, request);
  return andThen(checkParameters(exchange, request, house.server), () => serve(visit, request));
}

function serve(visit: Visit, request: Request): void | Promise<void> {
  const { exchange, accepted, client, house } = visit;
  const reply: Reply = new Reply(exchange, accepted, () => {
    const isListening = request.method === "subscriptions/listen";
    const stream = isListening ? house.openListening(visit) : house.openStream(exchange);
    return { send: (message) => stream.write(toEvent(message)), end: () => stream.end() };
  });
  const call = new HttpCall(visit.context, (message) => reply.tell(message));
  const { connection } = client;
  const answered = (response: Response): void => {
    if (call.cancelled) return;
    call.isOver = true;
    // A stream of changes says that it was this side that ended it.
    const isEnded = request.method === "subscriptions/listen" &&
      connection.subscriptions.hasEnded(request.id);
    reply.answer(response, statusOf(response, request, connection), ...(isEnded ? [ended(request)] : []));
  };
  const response = house.server.handle(request, connection, call);
  if (!(response instanceof Promise)) return answered(response);
  call.oncancel = () => reply.silence();
  // Most answers are there before the clock looks, and on some runtimes it costs as much as they do to watch who leaves.
  const watch = () => exchange.onDisconnect(() => call.cancel("The client has closed the connection"));
  const { keepAliveMs } = house.options;
  const patienceMs = exchange.noticesLeaving ? keepAliveMs : Math.min(keepAliveMs, UNSEEN_MS);
  return house.follow(call, reply, response, watch, patienceMs).then(answered);
}

function statusOf({ error }: Response, request: Request, connection: Session): number {
  if (!error) return 200;
  if (error.code !== ErrorCode.invalidParams) return STATUSES.get(error.code) ?? 200;
  try {
    connection.termsOf(request);
    return 200;
  } catch {
    // It is the request itself that does not say what each has to.
    return 400;
  }
}

function ended({ id }: Request): ReturnType<typeof notification> {
  return notification("notifications/cancelled", {
    _meta: streamMeta(id),
    requestId: id,
    reason: "The server has ended the subscription",
  });
}
