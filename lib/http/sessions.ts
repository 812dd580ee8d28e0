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
import type { Arrival } from "../server/handlers.ts";
import type { Server } from "../server/server.ts";
import type { EventStream, ReplayStream, Streams } from "./response.ts";
import { andThen } from "../base/async.ts";
import { toBase64Url } from "../base/bytes.ts";
import { compact } from "../base/json.ts";
import { quoted } from "../base/text.ts";
import { Connection } from "../jsonrpc/connection.ts";
import { failure, notification, toErrorObject } from "../jsonrpc/message.ts";
import { Session } from "../server/context.ts";
import { HttpError, unavailable } from "./checks.ts";

const MAX_CACHED = 10_000;
/** How many of our requests in one session may wait for a response. */
const MAX_PENDING = 100;
const URI = "uri:";

interface Notices {
  readonly stream: ReplayStream;
  stop(): void;
  timer?: ReturnType<typeof setTimeout>;
}

export interface HttpSession {
  /** A random name, for the store. */
  readonly id: string;
  readonly expires: number;
  /** The session id of the client, with all that it says. */
  readonly token: string;
  readonly principal: string | undefined;
  readonly state: Session;
  readonly connection: Connection<Arrival>;
  /** Once the client has opened their stream. */
  notices?: Notices | undefined;
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

type Store = (store: SessionStore, session: HttpSession, params: JsonObject) => Awaitable<void>;

/** What is stored after a method has succeeded: the log level, or a subscription. */
const STORED: ReadonlyMap<string, Store> = new Map<string, Store>([
  ["logging/setLevel", (store, { id, expires }, { level }) => store.set(id, "logLevel", `${level}`, expires)],
  ["resources/subscribe", (store, { id, expires }, { uri }) => store.set(id, `${URI}${uri}`, "1", expires)],
  ["resources/unsubscribe", (store, { id }, { uri }) => store.delete(id, `${URI}${uri}`)],
]);

export class Sessions {
  readonly #server: Server;
  readonly #store: SessionStore;
  readonly #streams: Streams;
  readonly #report: (cause: unknown) => void;
  readonly #cache = new Map<string, HttpSession>();

  /** @param report Receives errors that no client is told of. */
  constructor(server: Server, store: SessionStore, streams: Streams, report: (cause: unknown) => void) {
    this.#server = server;
    this.#store = store;
    this.#streams = streams;
    this.#report = report;
  }

  /** Begins a session after a handshake; returns its token. */
  async begin(
    { revision, client }: Negotiated,
    principal: string | undefined,
    lifetimeMs: number,
  ): Promise<string> {
    const claims: Claims = [
      toBase64Url(crypto.getRandomValues(new Uint8Array(ID_BYTES))),
      revision.id,
      client.info ? trimmed(client.info) : 0,
      bounded(client.capabilities),
      await ownerOf(principal),
      Date.now() + lifetimeMs,
    ];
    const token = await (await this.#server.signer()).sign(PURPOSE, JSON.stringify(claims));
    return this.#add(token, claims, principal).token;
  }

  /** The session of an id, with its stored changes. */
  open(token: string, principal: string | undefined): Awaitable<HttpSession> {
    const session = this.#cache.get(token);
    if (!session) return this.#restore(token, principal);
    if (session.principal !== principal || isExpired(session)) throw notFound();
    return andThen(this.#refresh(session), () => session);
  }

  /** A session that another process began, or that was evicted. */
  async #restore(token: string, principal: string | undefined): Promise<HttpSession> {
    const signer = await this.#server.signer();
    const content = token.length > MAX_TOKEN ? undefined : await signer.open(PURPOSE, token);
    if (content === undefined) throw notFound();
    // It is signed, so its shape is known.
    const claims: Claims = JSON.parse(content);
    const [, , , , owner, expires] = claims;
    if (expires <= Date.now() || owner !== await ownerOf(principal)) throw notFound();
    const session = this.#add(token, claims, principal);
    await this.#refresh(session);
    return session;
  }

  #refresh(session: HttpSession): Awaitable<void> {
    return andThen(this.#useStore((store) => store.get(session.id)), (entries) => {
      if (entries?.has("ended")) throw notFound();
      const { state } = session;
      state.logLevel = entries?.get("logLevel") as Session["logLevel"];
      const { subscriptions } = state;
      for (const uri of subscriptions.uris) if (!entries?.has(`${URI}${uri}`)) subscriptions.delete(uri);
      for (const name of entries?.keys() ?? []) {
        if (name.startsWith(URI)) subscriptions.add(name.slice(URI.length));
      }
    });
  }

  async end(session: HttpSession): Promise<void> {
    await this.#useStore((store) => store.set(session.id, "ended", "1", session.expires));
    this.#cache.delete(session.token);
    this.#release(session, "The client has ended the session");
  }

  stopNotices(): void {
    for (const session of this.#cache.values()) this.#stopNotices(session);
  }

  /** Sends the notifications of a session over a connection: those after an event, or from now on. */
  openNotices(session: HttpSession, connection: EventStream, after?: number): void {
    const notices: Notices = session.notices ??= {
      stream: this.#streams.begin(session, "notices"),
      stop: this.#server.reportChanges(session.state, () => this.#update(session)),
    };
    connection.ontick = () => {
      if (isExpired(session)) this.#stopNotices(session);
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
  async #update(session: HttpSession): Promise<void> {
    if (isExpired(session)) return this.#stopNotices(session);
    try {
      await this.#refresh(session);
    } catch (cause) {
      this.#report(cause);
      this.#release(session, "The session has ended");
    }
  }

  #stopNotices(session: HttpSession): void {
    const { notices } = session;
    session.notices = undefined;
    if (!notices) return;
    notices.stop();
    this.#streams.drop(notices.stream);
    clearTimeout(notices.timer);
  }

  #release(session: HttpSession, reason: string): void {
    void session.connection.close(reason);
    this.#stopNotices(session);
    this.#streams.dropAll(session);
  }

  #add(token: string, claims: Claims, principal: string | undefined): HttpSession {
    const [id, protocolVersion, clientInfo, capabilities, , expires] = claims;
    const state = new Session();
    state.negotiate({ protocolVersion, clientInfo, capabilities });
    state.isInitialized = true;
    state.notify = (method, params) => session.notices?.stream.send(notification(method, params));
    const options = this.#server.connectionOptions(state, (id, reason) => connection.cancel(id, reason));
    const connection = new Connection<Arrival>(undefined, {
      ...options,
      onrequest: (request, call) => {
        const response = options.onrequest(request, call);
        const store = STORED.get(request.method);
        return store ? this.#persist(request, response, session, store) : response;
      },
      // Unique among all processes that serve the session.
      nextId: () => crypto.randomUUID(),
      maxPending: MAX_PENDING,
    });
    const session: HttpSession = { id, expires, token, principal, state, connection };
    for (const [oldest, { connection, notices }] of this.#cache) {
      if (this.#cache.size < MAX_CACHED) break;
      if (connection.working === 0 && !notices) this.#cache.delete(oldest);
    }
    this.#cache.set(token, session);
    return session;
  }

  async #persist(
    { id, params = {} }: Request,
    answering: Awaitable<Response>,
    session: HttpSession,
    store: Store,
  ): Promise<Response> {
    const response = await answering;
    try {
      if (!response.error) await this.#useStore((to) => store(to, session, params as JsonObject));
      return response;
    } catch (cause) {
      this.#report(cause);
      return failure(id, toErrorObject(cause));
    }
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

function isExpired({ expires }: HttpSession): boolean {
  return expires <= Date.now();
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
const MAX_SESSIONS = 100_000;
const MAX_SIZE = 64 * 1024 * 1024;

interface Entry {
  readonly values: Map<string, string>;
  readonly expires: number;
}

/** A store in the memory of this process, of 100,000 sessions and 64 Mi UTF-16 units at most. */
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
