/**
 * How is a request answered that states its own terms? By itself: there is no session, and whoever closes the connection
 * has cancelled it.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http
 */

import type { Request, Response } from "../jsonrpc/message.ts";
import type { Visit } from "./house.ts";
import { andThen } from "../base/async.ts";
import { HttpCall } from "./call.ts";
import { toEvent } from "./events.ts";
import { checkFields } from "./field_values.ts";
import { checkParameters } from "./parameter_fields.ts";
import { Refusal } from "./refusal.ts";
import { Reply } from "./reply.ts";

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
    const { epilogue, status = 200 } = call;
    reply.answer(response, status, ...(epilogue ? [epilogue] : []));
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
