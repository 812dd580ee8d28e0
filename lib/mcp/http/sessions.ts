/**
 * Sessions of legacy clients. The `Mcp-Session-Id` is a signed token with the result of the handshake, so any server with the
 * same key can serve any session without storing it. Recently used sessions are cached.
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#session-management
 */

import type { Negotiated } from "../protocol/revisions.ts";
import type { Change } from "../server/changes.ts";
import type { Server } from "../server/server.ts";
import type { LogLevel } from "../server/log_level.ts";
import type { HttpHandlerOptions } from "./options.ts";
import type { HttpRequest } from "./request.ts";
import type { ServedSession, SessionEnd } from "./session.ts";
import type { Claims } from "./session_token.ts";
import type { Share } from "./shares.ts";
import type { Streams } from "./streams.ts";
import { compact } from "../../base/json.ts";
import { Connection } from "../../jsonrpc/connection.ts";
import { notification } from "../../jsonrpc/message.ts";
import { Notifications } from "../protocol/methods.ts";
import { Session } from "../server/session.ts";
import { isLogged } from "../server/log_level.ts";
import { CLOSING, HttpError, unavailable } from "./errors.ts";
import { ReplayStream } from "./replay.ts";
import { SessionEntries } from "./session_entries.ts";
import { MemorySessionStore } from "./session_store.ts";
import { newClaims, openToken, signToken } from "./session_token.ts";
import { Ticker } from "./ticker.ts";

/** How many requests of ours may wait for their response, per session. */
const MAX_PENDING = 100;
/** The default of `sessionLifetimeMs`. */
const LIFETIME_MS = 24 * 60 * 60_000;
/** The default of `sessionIdleMs`. */
const IDLE_MS = 60 * 60_000;
/** The maximum interval of checks for expired and idle sessions, in milliseconds. */
const SWEEP_MS = 1000;
/** The prefix of entries whose name is a URI that the client has subscribed to. */
const URI_PREFIX = "uri:";
const NO_ENTRIES: ReadonlyMap<string, string> = new Map();

/** The sessions that this process serves. */
export class Sessions {
  /** The sessions by id. */
  readonly byId: Map<string, ServedSession> = new Map();
  readonly #server: Server;
  readonly #entries: SessionEntries;
  readonly #streams: Streams;
  readonly #options: HttpHandlerOptions;
  readonly #idleMs: number;
  readonly #report: (cause: unknown) => void;
  /** The same sessions by token, least recently used first. */
  readonly #cache = new Map<string, ServedSession>();
  /** The sessions whose end is observed: they are released as soon as they are expired or idle. */
  readonly #observed: Ticker<ServedSession>;
  #isClosed = false;

  /** @param report Receives errors that are only logged. */
  constructor(
    server: Server,
    streams: Streams,
    options: HttpHandlerOptions,
    report: (cause: unknown) => void,
  ) {
    this.#server = server;
    this.#entries = new SessionEntries(options.sessionStore ?? new MemorySessionStore(), report);
    this.#streams = streams;
    this.#options = options;
    this.#idleMs = options.sessionIdleMs ?? IDLE_MS;
    this.#report = report;
    const intervalMs = Math.min(SWEEP_MS, this.#idleMs, options.sessionLifetimeMs ?? LIFETIME_MS);
    this.#observed = new Ticker(intervalMs, (session) => this.#expire(session));
  }

  /** Begins a session after a handshake. Returns its token. */
  async begin(negotiated: Negotiated, request: HttpRequest): Promise<string> {
    const claims = newClaims(negotiated, this.#options.sessionLifetimeMs ?? LIFETIME_MS);
    const token = await signToken(await this.#server.signer(), claims, request.authenticated?.principal);
    return this.#add(token, claims, request).token;
  }

  /** Finds the session of a token, and applies its stored entries. @throws {HttpError} 404, or 503 when the store fails. */
  async open(token: string, request: HttpRequest): Promise<ServedSession> {
    const session = this.#cache.get(token);
    if (!session || this.#expire(session)) return await this.#restore(token, request);
    if (session.principal !== request.authenticated?.principal) throw sessionNotFound();
    this.#touch(session);
    return await this.#refresh(session);
  }

  /** Starts a session that another process began, or that this process has released. */
  async #restore(token: string, request: HttpRequest): Promise<ServedSession> {
    const claims = await openToken(await this.#server.signer(), token, request.authenticated?.principal);
    if (!claims) throw sessionNotFound();
    const [id] = claims;
    const entries = await this.#entries.read(id);
    if (entries?.has("ended")) throw sessionNotFound();
    // Another request may have restored it in the meantime.
    return this.#apply(this.#cache.get(token) ?? this.#add(token, claims, request), entries);
  }

  /** Applies the entries as they are now. */
  async #refresh(session: ServedSession): Promise<ServedSession> {
    return this.#apply(session, await this.#entries.read(session.id));
  }

  /** Applies stored entries to a session. @throws {HttpError} 404 when they say that it has ended. */
  #apply(session: ServedSession, entries: ReadonlyMap<string, string> = NO_ENTRIES): ServedSession {
    if (entries.has("ended")) {
      this.#release(session, "ended");
      throw sessionNotFound();
    }
    const { mcp: { subscriptions }, mcp } = session;
    mcp.logLevel = entries.get("logLevel") as LogLevel | undefined;
    for (const uri of subscriptions.uris) if (!entries.has(`${URI_PREFIX}${uri}`)) subscriptions.delete(uri);
    for (const name of entries.keys()) {
      if (name.startsWith(URI_PREFIX)) subscriptions.add(name.slice(URI_PREFIX.length));
    }
    this.#entries.count(session, entries);
    return session;
  }

  /** Ends a session for all processes. */
  async end(session: ServedSession): Promise<void> {
    const uris = Array.from(session.mcp.subscriptions.uris, (uri) => `${URI_PREFIX}${uri}`);
    // They are deleted first, so that there is space for the entry "ended".
    await this.#entries.delete(session, ["logLevel", ...uris]);
    await this.#entries.change(session, "ended", "1");
    this.#release(session, "ended");
  }

  /** Stops serving all sessions, and begins and restores no more. */
  close(): void {
    this.#isClosed = true;
    for (const session of this.#cache.values()) this.#release(session, "closed");
    this.#observed.stop();
  }

  /** Sends a stream in the response to a request: the one of `Last-Event-ID`, or else the notifications from now on. */
  listen(session: ServedSession, request: HttpRequest): void {
    const found = this.#streams.replays.find(session, request.exchange.header("last-event-id"));
    let stream = found?.stream ?? session.notices;
    // A stream that is taken over already counts.
    if (!stream?.request) request.share.check("streams");
    request.subscribe();
    request.expiresAt = Math.min(request.expiresAt, session.expires);
    request.onclose = () => {
      session.usedAt = Date.now();
      this.#expire(session);
    };
    if (!stream) {
      const notices = stream = session.notices = new ReplayStream(session, "n", this.#streams.replays);
      const changes = session.changes = this.#server.reportChanges(session.mcp, () => this.#update(session));
      notices.ondrop = () => {
        if (session.notices === notices) session.notices = undefined;
        changes.stop();
      };
    }
    stream.connect(request, found?.after ?? stream.lastNumber);
  }

  /** Refreshes a session before changes are reported, because another process may have changed or ended it. Never rejects. */
  async #update(session: ServedSession): Promise<void> {
    if (this.#expire(session)) return;
    try {
      await this.#refresh(session);
    } catch {
      // If the store has failed, the session may have ended.
      this.#release(session, "evicted");
    }
  }

  #add(token: string, claims: Claims, { authenticated, share }: HttpRequest): ServedSession {
    // The server may have been closed while the session was looked up.
    if (this.#isClosed) throw unavailable(CLOSING);
    this.#sweep(share);
    share.reserve("sessions");
    const [id, protocolVersion, clientInfo, capabilities, expires] = claims;
    const mcp = new Session();
    mcp.negotiate({ protocolVersion, clientInfo, capabilities });
    mcp.isInitialized = true;
    // The limit is per client, not per session.
    mcp.toolCalls = share.session.toolCalls;
    mcp.notify = (method, params) => session.notices?.send(notification(method, params));
    mcp.store = (name, value) => this.#entries.change(session, name, value);
    const connection = new Connection(undefined, {
      ...this.#server.connectionOptions(mcp),
      // Unique among all processes that serve the session.
      nextId: () => crypto.randomUUID(),
      maxPending: MAX_PENDING,
    });
    const report = (list: "resources" | "prompts", change: Change) =>
      session.notices !== undefined && session.changes!.report(list, [change]);
    const session: ServedSession = {
      id,
      principal: authenticated?.principal,
      negotiated: mcp.negotiated!,
      state: new Map(),
      resourceUpdated: (uri) =>
        mcp.subscriptions.uris.has(uri) &&
        report("resources", { listChanged: false, affects: (other) => other === uri }),
      listChanged: (list) => report(list, { listChanged: true }),
      log(level, data, logger) {
        if (!session.notices || !isLogged(level, mcp.logLevel)) return false;
        void mcp.notify!(Notifications.message, { ...compact({ level, logger }), data });
        return true;
      },
      expires,
      token,
      share,
      mcp,
      connection,
      usedAt: 0,
      isEnded: false,
    };
    this.byId.set(id, session);
    this.#touch(session);
    if (this.#options.onsessionend ?? mcp.onend) this.#observed.add(session);
    this.#observe(() => this.#options.onsessionstart?.(session));
    return session;
  }

  #touch(session: ServedSession): void {
    session.usedAt = Date.now();
    this.#cache.delete(session.token);
    this.#cache.set(session.token, session);
  }

  /** Releases expired and idle sessions, and the least recently used ones of a client that has too many. */
  #sweep(share: Share): void {
    for (const session of this.#cache.values()) {
      if (this.#expire(session) || isBusy(session)) continue;
      if (share.fits("sessions")) break;
      if (session.share === share) this.#release(session, "evicted");
    }
  }

  /** Releases a session if it is expired or idle. Returns whether it was. */
  #expire(session: ServedSession): boolean {
    const { expires, usedAt } = session;
    const isExpired = expires <= Date.now();
    if (!isExpired && (isBusy(session) || Date.now() - usedAt < this.#idleMs)) return false;
    this.#release(session, isExpired ? "expired" : "idle");
    return true;
  }

  #release(session: ServedSession, reason: SessionEnd): void {
    if (!this.byId.delete(session.id)) return;
    this.#cache.delete(session.token);
    this.#observed.items.delete(session);
    session.share.count("sessions", -1);
    // For any other reason, requests that have found it continue.
    session.isEnded = reason === "ended" || reason === "closed";
    if (session.isEnded) void session.connection.close("The session has ended");
    session.notices?.drop();
    session.mcp.onend?.(reason === "evicted" ? reason : undefined);
    this.#observe(() => this.#options.onsessionend?.(session, reason));
  }

  /** Calls a hook of the user, whose errors are reported. */
  #observe(hook: () => void): void {
    try {
      hook();
    } catch (cause) {
      this.#report(cause);
    }
  }
}

function isBusy({ connection, notices }: ServedSession): boolean {
  return connection.inFlight > 0 || notices !== undefined;
}

export function sessionNotFound(): HttpError {
  return new HttpError(404, "The session does not exist or has ended: begin a new one with initialize");
}
