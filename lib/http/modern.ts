/**
 * How is a request answered that states its own terms? By itself: there is no session, and whoever closes the connection
 * has cancelled it.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http
 */

import type { Request, Response } from "../jsonrpc/message.ts";
import type { Visit } from "./house.ts";
import { ErrorCode, RpcError } from "../jsonrpc/error.ts";
import { notification } from "../jsonrpc/message.ts";
import { McpErrorCode } from "../server/errors.ts";
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

/** Answers one request. */
export async function serveModern(visit: Visit, request: Request): Promise<void> {
  const { exchange, accepted, client, house } = visit;
  checkTerms(visit, request);
  if (request.method === "tools/call") await checkParameters(exchange, request, house.server);
  if (request.method === "subscriptions/listen" && !accepted.events) {
    throw new Refusal(406, "This request is answered with a stream: accept text/event-stream", {
      id: request.id,
    });
  }
  const reply: Reply = new Reply(exchange, accepted, () => {
    const stream = house.openStream(exchange);
    return { send: (message) => stream.write(toEvent(message)), end: () => stream.end() };
  });
  const call = new HttpCall(visit.context, (message) => reply.tell(message));
  const { subscriptions } = client.connection;
  const answered = (response: Response) => {
    if (call.cancelled) return;
    call.isOver = true;
    const status = response.error ? STATUSES.get(response.error.code) ?? 200 : 200;
    // A stream of changes says that it was this side that ended it.
    const isEnded = request.method === "subscriptions/listen" && subscriptions.hasEnded(request.id);
    reply.answer(response, status, ...(isEnded ? [ended(request)] : []));
  };
  const response = house.server.handle(request, client.connection, call);
  if (!(response instanceof Promise)) return answered(response);
  call.oncancel = () => reply.silence();
  const onslow = () => exchange.onDisconnect(() => call.cancel("The client has closed the connection"));
  answered(await house.follow(call, reply, response, onslow));
}

/**
 * Checks what a modern request states, before anything is done.
 *
 * @throws {Refusal} 400, with the error that the body would be answered with, or the one for a head that says another thing.
 */
function checkTerms({ exchange, client }: Visit, request: Request): void {
  const meta = (request.params as { _meta?: Readonly<Record<string, unknown>> } | undefined)?._meta;
  const version = meta?.["io.modelcontextprotocol/protocolVersion"];
  if (typeof version === "string") checkFields(exchange, request, version);
  try {
    client.connection.termsOf(request);
  } catch (cause) {
    if (!(cause instanceof RpcError)) throw cause;
    const { code, message, data } = cause;
    throw new Refusal(400, message, { code, data, id: request.id });
  }
}

function ended({ id }: Request): ReturnType<typeof notification> {
  return notification("notifications/cancelled", {
    _meta: streamMeta(id),
    requestId: id,
    reason: "The server has ended the subscription",
  });
}
