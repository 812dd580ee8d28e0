/**
 * How is a client served that shook hands? Within the session that the handshake began, which each of its requests names.
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#streamable-http
 */

import type { Notification, Request, Response } from "../jsonrpc/message.ts";
import type { Fields } from "../platform/http.ts";
import type { Awaitable } from "../base/async.ts";
import type { Visit } from "./house.ts";
import type { HttpSession } from "./sessions.ts";
import { ErrorCode, failure, RpcError, toErrorObject } from "../jsonrpc/message.ts";
import { andThen } from "../base/async.ts";
import { Session } from "../server/session.ts";
import { REVISIONS } from "../protocol/revisions.ts";
import { asker } from "./ask.ts";
import { HttpCall } from "./call.ts";
import { toEvent } from "./events.ts";
import { connectStream } from "./notices.ts";
import { JSON_FIELDS, Refusal } from "./refusal.ts";
import { Reply } from "./reply.ts";

const LEGACY_IDS: ReadonlySet<string> = new Set(
  REVISIONS.filter(({ era }) => era === "legacy").map(({ id }) => id),
);

/** Answers a handshake, and begins a session when it goes well. */
export async function shakeHands(visit: Visit, request: Request): Promise<void> {
  const { house, exchange } = visit;
  const connection = new Session();
  let fields: Fields = {};
  const reply: Reply = new Reply(exchange, visit.accepted, () => {
    const stream = house.openStream(exchange, { fields });
    return { send: (message) => stream.write(toEvent(message)), end: () => stream.end() };
  });
  const call = new HttpCall(visit.context, () => undefined);
  const response = await house.server.handle(request, connection, call);
  if (!response.error && connection.negotiated) {
    const { token } = await house.sessions.begin(connection.negotiated, visit.authenticated?.principal);
    fields = { "mcp-session-id": token };
    reply.fields = { ...JSON_FIELDS, ...fields };
  }
  reply.answer(response, 200);
}

/**
 * The session that a request names.
 *
 * @throws {Refusal} 400 without one, or with a revision that has none; 404 when there is no such session.
 */
export function sessionOf({ exchange, house, authenticated }: Visit): Awaitable<HttpSession> {
  const token = exchange.header("mcp-session-id");
  if (token === undefined) {
    throw new Refusal(
      400,
      "The request names no session: begin one with initialize and send its Mcp-Session-Id, or state the protocol " +
        "version in params._meta and in MCP-Protocol-Version",
    );
  }
  const version = exchange.header("mcp-protocol-version");
  if (version !== undefined && !LEGACY_IDS.has(version)) {
    const known = [...LEGACY_IDS].join(", ");
    throw new Refusal(400, `MCP-Protocol-Version is none that sessions are served in: ${known}`);
  }
  return house.sessions.open(token, authenticated?.principal);
}

/** The answer to a POST of a session: when it becomes a stream, the client can come back to it. */
function replyOf({ house, exchange, accepted }: Visit, session: HttpSession): Reply {
  return new Reply(exchange, accepted, () => {
    const stream = house.replays.open(session, "answer");
    connectStream(house.openStream(exchange), exchange, session, stream, 0);
    return stream;
  });
}

/** Answers one request of a session. */
export function serveLegacy(visit: Visit, session: HttpSession, request: Request): Awaitable<void> {
  const reply = replyOf(visit, session);
  return andThen(answerOf(visit, session, request, reply), (response) => {
    if (response) reply.answer(response, response.error?.code === ErrorCode.invalidRequest ? 400 : 200);
  });
}

/** The answers to a batch leave together; what is told before goes ahead of them. */
export async function serveBatch(
  visit: Visit,
  session: HttpSession,
  requests: readonly Request[],
  refused: readonly Response[],
): Promise<void> {
  const reply = replyOf(visit, session);
  const answers = await Promise.all(requests.map((request) => {
    return answerOf(visit, session, request, reply, true);
  }));
  const all = [...refused, ...answers.filter((answer) => answer !== undefined)];
  if (all.length > 0) reply.answer(all, 200);
  else reply.silence();
}

/** What a request is answered with; undefined when it was cancelled. */
function answerOf(
  visit: Visit,
  session: HttpSession,
  request: Request,
  reply: Reply,
  isOfBatch = false,
): Awaitable<Response | undefined> {
  const { house, client, context } = visit;
  const { connection, calls } = session;
  const { id } = request;
  if (calls.has(id)) {
    return refusal(
      connection.negotiated?.revision.unreadableId,
      "a request with the same id is still unfinished",
    );
  }
  const call = new HttpCall(
    context.within(session.agreement.id),
    (message) => reply.tell(message),
  );
  call.arrival = connection.arrive(request, isOfBatch);
  call.sendRequest = asker(session, call, reply);
  if (connection.negotiated?.revision.primesStreams) call.outlet.closeStream = () => reply.pause();
  call.oncancel = () => {
    if (calls.get(id) === call) calls.delete(id);
    if (!isOfBatch) reply.silence();
  };
  // What one client may do does not grow with the number of its sessions.
  connection.toolCalls ??= client.connection.toolCalls;
  calls.set(id, call);
  const answer = house.server.handle(request, connection, call);
  client.connection.toolCalls ??= connection.toolCalls;
  if (!(answer instanceof Promise) && !house.sessions.changes(request.method)) {
    over(session, id, call);
    return call.cancelled ? undefined : answer;
  }
  return kept(visit, session, request, { call, reply, answer });
}

/** An answer that is not there yet, or not before something is kept. */
async function kept(
  { house, client }: Visit,
  session: HttpSession,
  request: Request,
  { call, reply, answer }: { call: HttpCall; reply: Reply; answer: Awaitable<Response> },
): Promise<Response | undefined> {
  const { id, method } = request;
  try {
    const response = answer instanceof Promise ? await house.follow(call, reply, answer) : answer;
    client.connection.toolCalls ??= session.connection.toolCalls;
    if (call.cancelled) return undefined;
    if (!response.error) await house.sessions.keep(session, method, paramsOf(request));
    return response;
  } catch (cause) {
    house.report(cause);
    return failure(id, toErrorObject(cause));
  } finally {
    over(session, id, call);
  }
}

function over({ calls }: HttpSession, id: Request["id"], call: HttpCall): void {
  call.isOver = true;
  if (calls.get(id) === call) calls.delete(id);
}

/** Takes what a client of a session tells. */
export function takeNotification(session: HttpSession, { method, params }: Notification): void {
  if (method !== "notifications/cancelled") return;
  const { requestId, reason } = (params ?? {}) as { requestId?: unknown; reason?: unknown };
  if (typeof requestId !== "string" && typeof requestId !== "number") return;
  session.calls.get(requestId)?.cancel(typeof reason === "string" ? reason : "The request was cancelled");
}

/**
 * Takes the answer to something that was asked on a stream of this process.
 *
 * @throws {Refusal} 400 when nothing waits for it here.
 */
export function takeAnswer(session: HttpSession, { id, error, result }: Response): void {
  const question = id === undefined || id === null ? undefined : session.questions.get(id);
  if (!question) {
    throw new Refusal(
      400,
      "Nothing waits for this answer: it was given already, it came too late, or another process of this server asked",
    );
  }
  session.questions.delete(id!);
  if (error) question.reject(new RpcError(error.code, error.message, error.data));
  else question.resolve(result);
}

function refusal(id: Response["id"], reason: string): Response {
  return failure(id, toErrorObject(new RpcError(ErrorCode.invalidRequest, `Invalid request: ${reason}`)));
}

function paramsOf(request: Request): Readonly<Record<string, unknown>> {
  return (request.params ?? {}) as Readonly<Record<string, unknown>>;
}
