/** How is a client of a session told what it did not ask for? On a stream that it opens with GET, and comes back to. */

import type { HttpExchange } from "../platform/http.ts";
import type { EventStream } from "./events.ts";
import type { House, Visit } from "./house.ts";
import type { ReplayStream } from "./replay.ts";
import type { HttpSession } from "./sessions.ts";
import { notification, RpcError } from "../jsonrpc/message.ts";
import { Refusal } from "./refusal.ts";
import { isPast } from "./sessions.ts";

/** Answers with a stream of a session, from the event on that follows one. */
export function connectStream(
  events: EventStream,
  exchange: HttpExchange,
  session: HttpSession,
  stream: ReplayStream,
  after: number,
  onend: () => void = () => {},
): void {
  exchange.onDisconnect(() => {
    stream.disconnected(events);
    onend();
  });
  stream.connect(events, after, session.connection.negotiated?.revision.primesStreams ?? false);
}

/**
 * Answers a GET: the stream that the client has lost, or the one of what is told unasked. There is one of these; who opens
 * it again takes it over.
 *
 * @throws {Refusal} 406 when the client reads no streams; 400 when the stream that it asks for is not kept here; 503 or 429
 * when it would be one stream too many.
 */
export function serveNotices(visit: Visit, session: HttpSession): void {
  const { house, exchange, accepted } = visit;
  if (!accepted.events) throw new Refusal(406, "A GET is answered with a stream: accept text/event-stream");
  const last = exchange.header("last-event-id");
  const found = last === undefined ? undefined : house.replays.find(session, last);
  // One that is taken over is no further one.
  if (!(found?.stream ?? session.notices?.stream)?.isConnected) house.requireStream(visit.client);
  if (found && found.stream !== session.notices?.stream) {
    return connectStream(house.openListening(visit), exchange, session, found.stream, found.after);
  }
  if (last !== undefined && !found && !house.replays.isNotice(last)) {
    throw new Refusal(400, "The stream of this Last-Event-ID is not kept here, or not any more: ask again");
  }
  const notices = session.notices ??= begin(house, session);
  const { stream } = notices;
  const events = house.openListening(visit);
  events.ontick = () => {
    if (isPast(session)) stopNotices(house, session);
  };
  connectStream(events, exchange, session, stream, found?.after ?? stream.sent, () => {
    // Whoever lost it has some time to come back; what happens meanwhile is kept.
    const waiting = {
      waited(): void {
        const isOver = session.notices !== notices || stream.isConnected;
        if (!isOver && !stream.isForgotten(Date.now())) return;
        house.patience.delete(waiting);
        if (!isOver) stopNotices(house, session);
      },
    };
    house.patience.add(waiting);
  });
}

function begin(house: House, session: HttpSession): NonNullable<HttpSession["notices"]> {
  const stream = house.replays.open(session, "notices");
  const stop = house.server.reportChanges(
    session.connection,
    (method, params) => stream.send(notification(method, params)),
    () => refresh(house, session),
  );
  return { stream, stop };
}

/** Another process may have changed what the client waits for, or have ended the session. Never rejects. */
async function refresh(house: House, session: HttpSession): Promise<void> {
  // What is still at work may be answered.
  if (isPast(session)) return stopNotices(house, session);
  try {
    await house.sessions.refresh(session);
  } catch (cause) {
    if (cause instanceof RpcError) closeSession(house, session, "The session is over");
    else house.report(cause);
  }
}

/** Tells a session nothing more. */
export function stopNotices(house: House, session: HttpSession): void {
  const { notices } = session;
  session.notices = undefined;
  if (!notices) return;
  notices.stop();
  house.replays.forget(notices.stream);
}

/** Lets go of all that this process holds of a session. */
export function closeSession(house: House, session: HttpSession, reason: string): void {
  for (const call of session.calls.values()) call.cancel(reason);
  stopNotices(house, session);
  house.replays.dropAll(session);
}
