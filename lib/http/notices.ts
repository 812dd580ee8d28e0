/** The stream of a session that a client opens with GET: server-initiated notifications, or a response that it resumes. */

import type { HttpExchange } from "../platform/http.ts";
import type { Endpoint, HttpRequest } from "./endpoint.ts";
import type { EventStream } from "./events.ts";
import type { ReplayStream } from "./replay.ts";
import type { HttpSession } from "./sessions.ts";
import { notification, RpcError } from "../jsonrpc/message.ts";
import { HttpError } from "./error.ts";
import { isExpired } from "./sessions.ts";

/** Responds with a stream of a session, beginning after an event. */
export function resumeStream(
  events: EventStream,
  exchange: HttpExchange,
  session: HttpSession,
  stream: ReplayStream,
  after: number,
  ondisconnect: () => void = () => {},
): void {
  exchange.onDisconnect(() => {
    stream.disconnected(events);
    ondisconnect();
  });
  stream.connect(events, after, session.state.negotiated?.revision.primesStreams ?? false);
}

/**
 * Answers a GET. A session has one notification stream; opening it again takes it over.
 *
 * @throws {HttpError} 406 when the client accepts no streams; 400 when the stream is not kept here; 503 or 429 when there
 * are too many streams.
 */
export function serveNotices(endpoint: Endpoint, request: HttpRequest, session: HttpSession): void {
  const { exchange, accepted, client } = request;
  if (!accepted.events) throw new HttpError(406, "A GET is answered with a stream: accept text/event-stream");
  const last = exchange.header("last-event-id");
  const found = last === undefined ? undefined : endpoint.replays.find(session, last);
  // Taking over a stream adds none.
  if (!(found?.stream ?? session.notices?.stream)?.isConnected) endpoint.checkStreamLimit(client);
  if (found && found.stream !== session.notices?.stream) {
    return resumeStream(endpoint.openSubscription(request), exchange, session, found.stream, found.after);
  }
  if (last !== undefined && !found && !endpoint.replays.isNotice(last)) {
    throw new HttpError(
      400,
      "The stream of this Last-Event-ID is no longer kept here: send the request again",
    );
  }
  const notices = session.notices ??= begin(endpoint, session);
  const { stream } = notices;
  const events = endpoint.openSubscription(request);
  events.ontick = () => {
    if (isExpired(session)) stopNotices(endpoint, session);
  };
  resumeStream(events, exchange, session, stream, found?.after ?? stream.sent, () => {
    // Notifications are kept for a while, so that the client can resume.
    const check = (): void => {
      const isOver = session.notices !== notices || stream.isConnected;
      if (!isOver && !stream.isExpired(Date.now())) return;
      endpoint.timeouts.delete(check);
      if (!isOver) stopNotices(endpoint, session);
    };
    endpoint.timeouts.add(check);
  });
}

function begin(endpoint: Endpoint, session: HttpSession): NonNullable<HttpSession["notices"]> {
  const stream = endpoint.replays.open(session, "notices");
  const stop = endpoint.server.reportChanges(
    session.state,
    (method, params) => stream.send(notification(method, params)),
    () => refresh(endpoint, session),
  );
  return { stream, stop };
}

/** Another process may have changed the subscriptions, or ended the session. Never rejects. */
async function refresh(endpoint: Endpoint, session: HttpSession): Promise<void> {
  if (isExpired(session)) return stopNotices(endpoint, session);
  try {
    await endpoint.sessions.refresh(session);
  } catch (cause) {
    if (cause instanceof RpcError) closeSession(endpoint, session, "The session has ended");
    else endpoint.report(cause);
  }
}

/** Ends the notification stream of a session. */
export function stopNotices(endpoint: Endpoint, session: HttpSession): void {
  const { notices } = session;
  session.notices = undefined;
  if (!notices) return;
  notices.stop();
  endpoint.replays.drop(notices.stream);
}

/** Releases all that this process holds of a session. */
export function closeSession(endpoint: Endpoint, session: HttpSession, reason: string): void {
  void session.connection.close(reason);
  stopNotices(endpoint, session);
  endpoint.replays.dropAll(session);
}
