/**
 * Sessions of legacy clients. The session id holds what was negotiated, signed, so any server with the same key can serve
 * any session and none has to remember it. Recently used sessions are cached.
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#session-management
 */

import type { Awaitable } from "../base/async.ts";
import type { JsonObject } from "../base/json.ts";
import type { Request, Response } from "../jsonrpc/message.ts";
import type { Negotiated } from "../protocol/revisions.ts";
import type { Arrival, ServerCall } from "../server/handlers.ts";
import type { Change } from "../server/provider.ts";
import type { Server } from "../server/server.ts";
import type { ChangeListener } from "../server/subscriptions.ts";
import type { LogLevel } from "../server/tool.ts";
import type { HttpOptions } from "./listen.ts";
import type { EventStream, ReplayStream, Streams } from "./response.ts";
import type { Share } from "./shares.ts";
import { andThen } from "../base/async.ts";
import { toBase64Url } from "../base/bytes.ts";
import { compact } from "../base/json.ts";
import { quoted } from "../base/text.ts";
import { Connection } from "../jsonrpc/connection.ts";
import { failure, notification, toErrorObject } from "../jsonrpc/message.ts";
import { Notifications } from "../protocol/methods.ts";
import { Session } from "../server/context.ts";
import { isLogged } from "../server/tool.ts";
import { HttpError, unavailable } from "./checks.ts";

type Entries = ReadonlyMap<string, string> | undefined;

/** How much is stored of all sessions, and what each and each entry count beside their text, in UTF-16 units. */
export const MAX_STORED: number = 64 * 1024 * 1024;
const SESSION_SIZE = 320;
const ENTRY_SIZE = 64;
const LIFETIME_MS = 24 * 60 * 60_000;
const IDLE_MS = 60 * 60_000;
/** How often ended sessions are looked for, if that is observed. */
const SWEEP_MS = 1000;
/** How many of our requests in one session may wait for a response. */
const MAX_PENDING = 100;
const URI = "uri:";

/** Why a process no longer serves a session: its client or another process has ended it; its lifetime is over; nothing was
 * asked in it for the idle time; other sessions needed the memory; or the server closes. After "idle", "evicted" and "closed"
 * the client may go on, and the session begins again with an empty state. */
export type SessionEnd = "ended" | "expired" | "idle" | "evicted" | "closed";

/**
 * A session of a client up to 2025-11-25, as this process serves it. What it sends belongs to no request: it is sent on the
 * notification stream, and dropped while the client has none.
 */
export interface HttpSession {
  /** What handlers know as `sessionId`. */
  readonly id: string;
  /** Who began it; undefined without authentication. */
  readonly principal: string | undefined;
  /** The revision, and what the client says of itself. */
  readonly negotiated: Negotiated;
  /** What handlers know as `sessionState`. In the memory of this process only. */
  readonly state: Map<string, unknown>;
  /** Reports that a resource has changed, if the client subscribes to it. Returns whether there is a stream. */
  resourceUpdated(uri: string): boolean;
  /** Reports that a list has changed, if the server declares such changes. Returns whether there is a stream. */
  listChanged(list: "resources" | "prompts"): boolean;
  /** Sends a log message, if the client wants that level. Returns whether it was sent: not while the client is not reading. */
  log(level: LogLevel, data: unknown, logger?: string): boolean;
}

interface Notices {
  readonly stream: ReplayStream;
  readonly report: ChangeListener;
  stop(): void;
  timer?: ReturnType<typeof setTimeout>;
}

export class ServedSession implements HttpSession {
  /** A random name, for the store. */
  readonly id: string;
  readonly expires: number;
  /** The session id of the client, with all that it says. */
  readonly token: string;
  readonly principal: string | undefined;
  /** The state of the protocol. */
  readonly mcp: Session = new Session();
  readonly state: Map<string, unknown> = new Map();
  readonly connection: Connection<Arrival>;
  /** What its client uses. */
  readonly share: Share;
  /** Those that the client can resume. */
  readonly streams: Set<ReplayStream> = new Set();
  usedAt = 0;
  /** Once the client has opened their stream. */
  notices: Notices | undefined;

  constructor(
    token: string,
    claims: Claims,
    principal: string | undefined,
    share: Share,
    connect: (session: ServedSession) => Connection<Arrival>,
  ) {
    const [id, protocolVersion, clientInfo, capabilities, , expires] = claims;
    this.id = id;
    this.expires = expires;
    this.token = token;
    this.principal = principal;
    this.share = share;
    this.mcp.negotiate({ protocolVersion, clientInfo, capabilities });
    this.mcp.isInitialized = true;
    this.mcp.notify = (method, params) => this.notices?.stream.send(notification(method, params));
    this.connection = connect(this);
  }

  get negotiated(): Negotiated {
    return this.mcp.negotiated!;
  }

  get isExpired(): boolean {
    return this.expires <= Date.now();
  }

  resourceUpdated(uri: string): boolean {
    return this.#report("resources", { listChanged: false, affects: (other) => other === uri });
  }

  listChanged(list: "resources" | "prompts"): boolean {
    return this.#report(list, { listChanged: true });
  }

  log(level: LogLevel, data: unknown, logger?: string): boolean {
    const { notices, mcp: { logLevel, notify } } = this;
    if (!notices || notices.stream.connection?.isFull || !isLogged(level, logLevel)) return false;
    void notify!(Notifications.message, { ...compact({ level, logger }), data });
    return true;
  }

  #report(list: "resources" | "prompts", change: Change): boolean {
    this.notices?.report(list, [change]);
    return this.notices !== undefined;
  }
}

/** What a token says. `owner` is a hash of the principal, or "" without authentication. */
type Claims = readonly [
  id: string,
  protocolVersion: string,
  clientInfo: JsonObject | 0,
  capabilities: JsonObject,
  owner: string,
  expires: number,
];

type Store = (store: SessionStore, session: ServedSession, params: JsonObject) => Awaitable<void>;

/** What is stored after a method has succeeded: the log level, or a subscription. */
const STORED: ReadonlyMap<string, Store> = new Map<string, Store>([
  ["logging/setLevel", (store, { id, expires }, { level }) => store.set(id, "logLevel", `${level}`, expires)],
  ["resources/subscribe", (store, { id, expires }, { uri }) => store.set(id, `${URI}${uri}`, "1", expires)],
  ["resources/unsubscribe", (store, { id }, { uri }) => store.delete(id, `${URI}${uri}`)],
]);

export class Sessions {
  /** The sessions that this process serves, by id. */
  readonly byId: Map<string, ServedSession> = new Map();
  readonly #server: Server;
  readonly #store: SessionStore;
  readonly #streams: Streams;
  readonly #options: HttpOptions;
  readonly #idleMs: number;
  readonly #report: (cause: unknown) => void;
  /** The same by token, the least recently used first. */
  readonly #cache = new Map<string, ServedSession>();
  /** How much is stored of each session, until it expires. */
  readonly #stored = new Map<
    string,
    { readonly share: Share; readonly expires: number; readonly size: number }
  >();
  #timer: ReturnType<typeof setInterval> | undefined;

  /** @param report Receives errors that no client is told of. */
  constructor(server: Server, streams: Streams, options: HttpOptions, report: (cause: unknown) => void) {
    this.#server = server;
    this.#store = options.sessionStore ?? new MemorySessionStore();
    this.#streams = streams;
    this.#options = options;
    this.#idleMs = options.sessionIdleMs ?? IDLE_MS;
    this.#report = report;
  }

  /** Begins a session after a handshake; returns its token. */
  async begin(
    { revision, client }: Negotiated,
    principal: string | undefined,
    share: Share,
  ): Promise<string> {
    const claims: Claims = [
      toBase64Url(crypto.getRandomValues(new Uint8Array(ID_BYTES))),
      revision.id,
      client.info ? trimmed(client.info) : 0,
      bounded(client.capabilities),
      await ownerOf(principal),
      Date.now() + (this.#options.sessionLifetimeMs ?? LIFETIME_MS),
    ];
    const token = await (await this.#server.signer()).sign(PURPOSE, JSON.stringify(claims));
    return this.#add(token, claims, principal, share).token;
  }

  /** The session of an id, with its stored changes. */
  open(token: string, principal: string | undefined, share: Share): Awaitable<ServedSession> {
    const session = this.#cache.get(token);
    if (!session) return this.#restore(token, principal, share);
    if (session.principal !== principal) throw notFound();
    if (session.isExpired) {
      this.#release(session, "expired");
      throw notFound();
    }
    this.#touch(session);
    return andThen(this.#refresh(session), () => session);
  }

  /** A session that another process began, or that was evicted. */
  async #restore(token: string, principal: string | undefined, share: Share): Promise<ServedSession> {
    const signer = await this.#server.signer();
    const content = token.length > MAX_TOKEN ? undefined : await signer.open(PURPOSE, token);
    if (content === undefined) throw notFound();
    // It is signed, so its shape is known.
    const claims: Claims = JSON.parse(content);
    const [id, , , , owner, expires] = claims;
    if (expires <= Date.now() || owner !== await ownerOf(principal)) throw notFound();
    const entries = await this.#entriesOf(id);
    // Another request may have restored it meanwhile.
    const session = this.#cache.get(token) ?? this.#add(token, claims, principal, share);
    this.#apply(session, entries);
    return session;
  }

  #refresh(session: ServedSession): Awaitable<void> {
    return andThen(this.#entriesOf(session.id), (entries) => this.#apply(session, entries));
  }

  #entriesOf(id: string): Awaitable<Entries> {
    return andThen(this.#useStore((store) => store.get(id)), (entries) => {
      if (!entries?.has("ended")) return entries;
      const session = this.byId.get(id);
      if (session) this.#release(session, "ended");
      throw notFound();
    });
  }

  #apply(session: ServedSession, entries: Entries): void {
    const { mcp } = session;
    mcp.logLevel = entries?.get("logLevel") as LogLevel | undefined;
    const { subscriptions } = mcp;
    for (const uri of subscriptions.uris) if (!entries?.has(`${URI}${uri}`)) subscriptions.delete(uri);
    let size = 0;
    for (const [name, value] of entries ?? []) {
      if (name.startsWith(URI)) subscriptions.add(name.slice(URI.length));
      size += name.length + value.length + ENTRY_SIZE;
    }
    this.#count(session, size);
  }

  async end(session: ServedSession): Promise<void> {
    const { id, mcp: { subscriptions } } = session;
    const names = ["logLevel", ...[...subscriptions.uris].map((uri) => `${URI}${uri}`)];
    // First, so that a full store has space for the end.
    await this.#useStore((store) => Promise.all(names.map((name) => store.delete(id, name))));
    this.#count(session, 0);
    this.#checkStored(session, 0);
    await this.#useStore((store) => store.set(id, "ended", "1", session.expires));
    this.#count(session, ENTRY_SIZE);
    this.#release(session, "ended");
  }

  stopNotices(): void {
    for (const session of this.#cache.values()) this.#stopNotices(session);
  }

  close(): void {
    for (const session of this.#cache.values()) this.#release(session, "closed");
  }

  /** Sends the notifications of a session over a connection: those after an event, or from now on. */
  openNotices(session: ServedSession, connection: EventStream, after?: number): void {
    const notices: Notices = session.notices ??= {
      stream: this.#streams.begin(session, "notices"),
      ...this.#server.reportChanges(session.mcp, () => this.#update(session)),
    };
    connection.ontick = () => {
      if (session.isExpired) this.#release(session, "expired");
    };
    connection.onClose(() => {
      clearTimeout(notices.timer);
      notices.timer = setTimeout(() => {
        if (!notices.stream.connection) this.#stopNotices(session);
      }, this.#streams.retentionMs);
    });
    notices.stream.connect(connection, after ?? notices.stream.sent);
  }

  /** Another process may have changed the subscriptions, or ended the session. Never rejects. */
  async #update(session: ServedSession): Promise<void> {
    if (session.isExpired) return this.#release(session, "expired");
    try {
      await this.#refresh(session);
    } catch (cause) {
      this.#report(cause);
      this.#release(session, "evicted");
    }
  }

  #stopNotices(session: ServedSession): void {
    const { notices } = session;
    session.notices = undefined;
    if (!notices) return;
    notices.stop();
    this.#streams.drop(notices.stream);
    clearTimeout(notices.timer);
  }

  #add(token: string, claims: Claims, principal: string | undefined, share: Share): ServedSession {
    this.#sweep(share);
    share.take("sessions");
    const session = new ServedSession(token, claims, principal, share, (session) => this.#connect(session));
    this.byId.set(session.id, session);
    this.#touch(session);
    const { onsessionstart, onsessionend, sessionLifetimeMs = LIFETIME_MS } = this.#options;
    this.#notify(() => onsessionstart?.(session));
    const intervalMs = Math.min(SWEEP_MS, this.#idleMs, sessionLifetimeMs);
    if (onsessionend) this.#timer ??= setInterval(() => this.#sweep(), intervalMs);
    return session;
  }

  #touch(session: ServedSession): void {
    session.usedAt = Date.now();
    this.#cache.delete(session.token);
    this.#cache.set(session.token, session);
  }

  /**
   * Forgets the sessions that are over or idle, and those that a client has used least recently.
   *
   * @param share Of the client that needs one more session.
   */
  #sweep(share?: Share): void {
    const oldest = Date.now() - this.#idleMs;
    for (const session of this.#cache.values()) {
      if (session.isExpired) this.#release(session, "expired");
      else if (session.connection.working > 0 || session.notices) continue;
      else if (session.usedAt <= oldest) this.#release(session, "idle");
      else if (share?.fits("sessions")) break;
      else if (session.share === share) this.#release(session, "evicted");
    }
  }

  /** Forgets a session. */
  #release(session: ServedSession, reason: SessionEnd): void {
    if (!this.byId.delete(session.id)) return;
    this.#cache.delete(session.token);
    session.share.release("sessions");
    if (this.#cache.size === 0) {
      clearInterval(this.#timer);
      this.#timer = undefined;
    }
    void session.connection.close("The session has ended");
    this.#stopNotices(session);
    for (const stream of session.streams) this.#streams.drop(stream);
    this.#notify(() => this.#options.onsessionend?.(session, reason));
  }

  #notify(observe: () => void): void {
    try {
      observe();
    } catch (cause) {
      this.#report(cause);
    }
  }

  #connect(session: ServedSession): Connection<Arrival> {
    const { mcp } = session;
    const options = this.#server.connectionOptions(
      mcp,
      (id, reason) => session.connection.cancel(id, reason),
    );
    return new Connection<Arrival>(undefined, {
      ...options,
      onrequest: (request, call) => {
        const store = STORED.get(request.method);
        return store
          ? this.#persist(request, call, session, store, () => options.onrequest(request, call))
          : options.onrequest(request, call);
      },
      // Unique among all processes that serve the session.
      nextId: () => crypto.randomUUID(),
      maxPending: MAX_PENDING,
    });
  }

  /** Answers a request and stores its effect. */
  async #persist(
    { id, method, params = {} }: Request,
    call: ServerCall,
    session: ServedSession,
    store: Store,
    answer: () => Awaitable<Response>,
  ): Promise<Response> {
    const given = params as JsonObject;
    const size = method === "resources/unsubscribe" ? 0 : ENTRY_SIZE + `${given["uri"]}`.length;
    try {
      if (size > 0) this.#checkStored(session, size);
      const response = await answer();
      if (response.error) return response;
      await this.#useStore((to) => store(to, session, given));
      this.#count(session, size + (this.#stored.get(session.id)?.size ?? 0));
      return response;
    } catch (cause) {
      this.#report(cause);
      if (cause instanceof HttpError) {
        call.status = cause.status;
        call.retryAfter = Number(cause.fields?.["retry-after"]);
      }
      return failure(id, toErrorObject(cause));
    }
  }

  /** @throws {HttpError} 429 or 503 when no more may be stored for the client. */
  #checkStored({ id, share }: ServedSession, size: number): void {
    for (const [old, { share, size, expires }] of this.#stored) {
      if (expires > Date.now()) break;
      share.release("stored", held(size));
      this.#stored.delete(old);
    }
    share.check("stored", undefined, size + (this.#stored.has(id) ? 0 : SESSION_SIZE));
  }

  /** Counts how much is stored of a session. */
  #count(session: ServedSession, size: number): void {
    const { id, expires } = session;
    const before = this.#stored.get(id);
    const { share } = before ?? session;
    share.hold("stored", held(size) - held(before?.size ?? 0));
    if (size > 0) this.#stored.set(id, { share, expires, size });
    else this.#stored.delete(id);
  }

  /** Uses the store; its failures are errors with status 503. */
  #useStore<T>(use: (store: SessionStore) => Awaitable<T>): Awaitable<T> {
    const fail = (cause: unknown): never => {
      throw unavailable("The session store is unavailable", { cause });
    };
    try {
      const result = use(this.#store);
      return result instanceof Promise ? result.catch(fail) : result;
    } catch (cause) {
      return fail(cause);
    }
  }
}

/** What the entries of a session count. */
function held(size: number): number {
  return size > 0 ? size + SESSION_SIZE : 0;
}

function notFound(): HttpError {
  return new HttpError(404, "The session does not exist or has ended: begin a new one with initialize");
}

const PURPOSE = "MCP session";
const ID_BYTES = 16;
/** Limits of what is kept of the client's data, because the id is sent in a header field of every request. */
const MAX_TEXT = 100;
const MAX_CAPABILITIES = 1500;
const MAX_TOKEN = 8192;
const encoder = new TextEncoder();

/** A hash, because session ids end up in logs. */
async function ownerOf(principal: string | undefined): Promise<string> {
  if (principal === undefined) return "";
  const digest = await crypto.subtle.digest("SHA-256", encoder.encode(principal));
  return toBase64Url(new Uint8Array(digest, 0, ID_BYTES));
}

function trimmed(info: JsonObject): JsonObject {
  const texts = ["name", "title", "version"].flatMap((key) => {
    const text = info[key];
    return typeof text === "string" ? [[key, quoted(text, MAX_TEXT)]] : [];
  });
  return Object.fromEntries(texts);
}

/** The capabilities; of too many, only the known ones. */
function bounded(capabilities: JsonObject): JsonObject {
  const { roots, sampling, elicitation } = capabilities;
  const choices = [capabilities, compact({ roots, sampling, elicitation })];
  return choices.find((choice) => JSON.stringify(choice).length <= MAX_CAPABILITIES) ?? {};
}

/**
 * Keeps entries of sessions: short values under short names. Most sessions have none. When it fails, the error is logged
 * and the client gets a 503: a session that may have ended must not be served.
 *
 * Several servers may share a store, so each call is atomic and changes one entry only. A change is visible to every `get`
 * that begins after it has settled. In Redis, a hash with an expiry does: HGETALL, HSET with PEXPIREAT, and HDEL.
 */
export interface SessionStore {
  /** All entries of a session by name; undefined when there are none. */
  get(session: string): Awaitable<ReadonlyMap<string, string> | undefined>;
  /** Sets an entry. The session and its entries expire at `expires`, in milliseconds since 1970. */
  set(session: string, name: string, value: string, expires: number): Awaitable<void>;
  /** Deletes an entry, if it exists. */
  delete(session: string, name: string): Awaitable<void>;
}

/** The limits of a store in memory: sessions with entries, and UTF-16 units of all entries. */
const MAX_SESSIONS = 200_000;
const MAX_SIZE = 64 * 1024 * 1024;

interface Entry {
  readonly values: Map<string, string>;
  readonly expires: number;
}

/** A store in the memory of this process, of 200,000 sessions and 64 Mi UTF-16 units at most. */
export class MemorySessionStore implements SessionStore {
  readonly #entries = new Map<string, Entry>();
  #size = 0;

  /** See `SessionStore`. */
  get(session: string): ReadonlyMap<string, string> | undefined {
    const entry = this.#entries.get(session);
    if (!entry || entry.expires > Date.now()) return entry?.values;
    this.#drop(session, entry);
    return undefined;
  }

  /** See `SessionStore`. @throws {Error} When it is full. Nothing is evicted: a forgotten end would revive a session. */
  set(session: string, name: string, value: string, expires: number): void {
    const entry = this.#entries.get(session) ?? { values: new Map<string, string>(), expires };
    const before = entry.values.get(name);
    const growth = value.length - (before?.length ?? -name.length);
    const isFull = () =>
      this.#size + growth > MAX_SIZE ||
      (!this.#entries.has(session) && this.#entries.size >= MAX_SESSIONS);
    if (isFull()) {
      const now = Date.now();
      for (const [key, old] of this.#entries) if (old.expires <= now) this.#drop(key, old);
      if (isFull()) throw new Error("Cannot store more session data: the store in memory is full");
    }
    this.#size += growth;
    entry.values.set(name, value);
    this.#entries.set(session, entry);
  }

  /** See `SessionStore`. */
  delete(session: string, name: string): void {
    const entry = this.#entries.get(session);
    const value = entry?.values.get(name);
    if (!entry || value === undefined) return;
    this.#size -= name.length + value.length;
    entry.values.delete(name);
    if (entry.values.size === 0) this.#entries.delete(session);
  }

  #drop(session: string, { values }: Entry): void {
    for (const [name, value] of values) this.#size -= name.length + value.length;
    this.#entries.delete(session);
  }
}
