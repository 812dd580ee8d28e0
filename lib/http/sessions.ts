/**
 * Sessions of legacy clients. The session id holds what was negotiated, signed, so any server with the same key can serve
 * any session and none has to remember it. Recently used sessions are cached.
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#session-management
 */

import type { Awaitable } from "../base/async.ts";
import type { Negotiated } from "../protocol/revisions.ts";
import type { Arrival } from "../server/session.ts";
import type { Server } from "../server/server.ts";
import type { TokenSigner } from "../server/signer.ts";
import type { MessageContext } from "../transport/transport.ts";
import type { ReplayStream } from "./replay.ts";
import type { SessionStore } from "./session_store.ts";
import { andThen } from "../base/async.ts";
import { toBase64Url } from "../base/bytes.ts";
import { isObject } from "../base/json.ts";
import { Connection } from "../jsonrpc/connection.ts";
import { failure, notification, toErrorObject } from "../jsonrpc/message.ts";
import { Session } from "../server/session.ts";
import { HttpError } from "./error.ts";

/** The limit of cached sessions; idle ones are evicted. */
const MAX_CACHED = 10_000;
/** How many of our requests in one session may wait for a response. */
const MAX_PENDING = 100;
const URI = "uri:";

/** A session, as far as this process knows it. */
export interface HttpSession {
  /** The session id of the client. */
  readonly token: string;
  readonly claims: Claims;
  /** Who may use it. */
  readonly principal: string | undefined;
  readonly state: Session;
  readonly connection: Connection<MessageContext, Arrival>;
  /** The stream of server-initiated notifications, once the client has opened it. */
  notices: { readonly stream: ReplayStream; stop(): void } | undefined;
}

/** What is stored after a method has succeeded: the log level, or a subscription. */
const STORED: Readonly<
  Record<
    string,
    (store: SessionStore, claims: Claims, params: Readonly<Record<string, unknown>>) => Awaitable<void>
  >
> = {
  "logging/setLevel": (store, { id, expires }, { level }) => store.set(id, "logLevel", `${level}`, expires),
  "resources/subscribe": (store, { id, expires }, { uri }) => store.set(id, `${URI}${uri}`, "1", expires),
  "resources/unsubscribe": (store, { id }, { uri }) => store.delete(id, `${URI}${uri}`),
};

/** The sessions of an endpoint. */
export class Sessions {
  readonly #server: Server;
  readonly #store: SessionStore;
  readonly #lifetimeMs: number;
  readonly #onerror: (cause: unknown) => void;
  readonly #cache = new Map<string, HttpSession>();

  constructor(
    server: Server,
    store: SessionStore,
    lifetimeMs: number,
    onerror: (cause: unknown) => void,
  ) {
    this.#server = server;
    this.#store = unavailableOnFailure(store);
    this.#lifetimeMs = lifetimeMs;
    this.#onerror = onerror;
  }

  /** The cached sessions. */
  get cached(): Iterable<HttpSession> {
    return this.#cache.values();
  }

  /** Begins a session after a handshake. */
  async begin(negotiated: Negotiated, principal: string | undefined): Promise<HttpSession> {
    const claims = await claimsOf(negotiated, principal, Date.now() + this.#lifetimeMs);
    return this.#add(await toToken(await this.#server.signer(), claims), claims, principal);
  }

  /**
   * The session of an id, with its stored changes.
   *
   * @throws {HttpError} 404 when it does not exist, has ended, or belongs to another principal.
   */
  open(token: string, principal: string | undefined): Awaitable<HttpSession> {
    const session = this.#cache.get(token);
    if (!session) return this.#restore(token, principal);
    if (session.principal !== principal || isExpired(session)) throw notFound();
    return andThen(this.refresh(session), () => session);
  }

  /** A session that another process began, or that was evicted. */
  async #restore(token: string, principal: string | undefined): Promise<HttpSession> {
    const claims = await fromToken(await this.#server.signer(), token);
    if (!claims || claims.owner !== await ownerOf(principal)) throw notFound();
    const session = this.#add(token, claims, principal);
    await this.refresh(session);
    return session;
  }

  /** Applies stored changes. @throws {HttpError} 404 when the session has ended. */
  refresh(session: HttpSession): Awaitable<void> {
    return andThen(this.#store.get(session.claims.id), (entries) => apply(session, entries));
  }

  /** Ends a session, for all processes. */
  async end(session: HttpSession): Promise<void> {
    const { id, expires } = session.claims;
    await this.#store.set(id, "ended", "1", expires);
    this.#cache.delete(session.token);
  }

  #add(token: string, claims: Claims, principal: string | undefined): HttpSession {
    const state = new Session();
    state.negotiate({ ...claims });
    state.isInitialized = true;
    state.notify = (method, params) => session.notices?.stream.send(notification(method, params));
    const options = this.#server.connectionOptions(state, (id, reason) => connection.cancel(id, reason));
    const connection = new Connection<MessageContext, Arrival>(undefined, {
      ...options,
      onrequest: (request, call) => {
        const response = options.onrequest(request, call);
        const store = Object.hasOwn(STORED, request.method) ? STORED[request.method] : undefined;
        if (!store) return response;
        return Promise.resolve(response).then(async (answered) => {
          try {
            if (!answered.error) {
              await store(this.#store, claims, (request.params ?? {}) as Readonly<Record<string, unknown>>);
            }
            return answered;
          } catch (cause) {
            this.#onerror(cause);
            return failure(request.id, toErrorObject(cause));
          }
        });
      },
      // Unique among all processes that serve the session.
      nextId: () => crypto.randomUUID(),
      maxPending: MAX_PENDING,
    });
    const session: HttpSession = { token, claims, principal, state, connection, notices: undefined };
    if (this.#cache.size >= MAX_CACHED) this.#evict();
    this.#cache.set(token, session);
    return session;
  }

  /** Evicts expired sessions, and the oldest idle one. */
  #evict(): void {
    let idle: string | undefined;
    const now = Date.now();
    for (const [token, { claims, connection, notices }] of this.#cache) {
      if (connection.working > 0 || notices) continue;
      idle ??= token;
      if (claims.expires > now) break;
      this.#cache.delete(token);
    }
    if (idle !== undefined) this.#cache.delete(idle);
  }
}

/** Whether a session has expired. */
export function isExpired({ claims }: HttpSession): boolean {
  return claims.expires <= Date.now();
}

function apply({ state }: HttpSession, entries: ReadonlyMap<string, string> | undefined): void {
  if (entries?.has("ended")) throw notFound();
  state.logLevel = entries?.get("logLevel") as Session["logLevel"];
  const { subscriptions } = state;
  for (const uri of subscriptions.uris) if (!entries?.has(`${URI}${uri}`)) subscriptions.delete(uri);
  for (const name of entries?.keys() ?? []) {
    if (name.startsWith(URI)) subscriptions.add(name.slice(URI.length));
  }
}

/** A store whose failures are errors with status 503. */
function unavailableOnFailure(store: SessionStore): SessionStore {
  const fail = (cause: unknown): never => {
    throw new HttpError(503, "The session store is unavailable: try again later", {
      fields: { "retry-after": "1" },
      cause,
    });
  };
  const guard = <T>(act: () => Awaitable<T>): Awaitable<T> => {
    try {
      const result = act();
      return result instanceof Promise ? result.catch(fail) : result;
    } catch (cause) {
      return fail(cause);
    }
  };
  return {
    get: (session) => guard(() => store.get(session)),
    set: (...entry) => guard(() => store.set(...entry)),
    delete: (...entry) => guard(() => store.delete(...entry)),
  };
}

function notFound(): HttpError {
  return new HttpError(404, "The session does not exist or has ended: begin a new one with initialize");
}

/** What the id of a session says. */
interface Claims {
  /** A random name. */
  readonly id: string;
  readonly protocolVersion: string;
  readonly clientInfo: Readonly<Record<string, unknown>> | undefined;
  readonly capabilities: Readonly<Record<string, unknown>>;
  /** A hash of the principal; "" without authentication. */
  readonly owner: string;
  /** When it expires, in milliseconds since 1970. */
  readonly expires: number;
}

const PURPOSE = "MCP session";
const ID_BYTES = 16;
/** Limits of what is kept of the client's data, because the id is sent in a header field of every request. */
const MAX_TEXT = 100;
const MAX_CAPABILITIES = 1500;
/** Longer ids are not ours. */
const MAX_TOKEN = 8192;
const encoder = new TextEncoder();

async function claimsOf(
  { revision, client }: Negotiated,
  principal: string | undefined,
  expires: number,
): Promise<Claims> {
  return {
    id: toBase64Url(crypto.getRandomValues(new Uint8Array(ID_BYTES))),
    protocolVersion: revision.id,
    clientInfo: client.info && trimmed(client.info),
    capabilities: bounded(client.capabilities),
    owner: await ownerOf(principal),
    expires,
  };
}

/** A hash, because session ids end up in logs. */
async function ownerOf(principal: string | undefined): Promise<string> {
  if (principal === undefined) return "";
  const digest = await crypto.subtle.digest("SHA-256", encoder.encode(principal));
  return toBase64Url(new Uint8Array(digest, 0, ID_BYTES));
}

function toToken(signer: TokenSigner, claims: Claims): Promise<string> {
  const { id, protocolVersion, clientInfo = 0, capabilities, owner, expires } = claims;
  return signer.sign(
    PURPOSE,
    JSON.stringify([id, protocolVersion, clientInfo, capabilities, owner, expires]),
  );
}

/** The claims of an id; undefined when it was not issued here or has expired. */
async function fromToken(signer: TokenSigner, token: string): Promise<Claims | undefined> {
  const content = token.length > MAX_TOKEN ? undefined : await signer.open(PURPOSE, token);
  if (content === undefined) return undefined;
  // It is signed, so its shape is known.
  const [id, protocolVersion, clientInfo, capabilities, owner, expires] = JSON.parse(content);
  if (expires <= Date.now()) return undefined;
  return { id, protocolVersion, clientInfo: clientInfo || undefined, capabilities, owner, expires };
}

/** The parts of `clientInfo` for people and logs. */
function trimmed(info: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const texts = ["name", "title", "version"].flatMap((key) => {
    const text = info[key];
    return typeof text === "string" ? [[key, text.slice(0, MAX_TEXT).toWellFormed()]] : [];
  });
  return Object.fromEntries(texts);
}

/** The capabilities; of too many, only the known ones. */
function bounded(capabilities: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  if (JSON.stringify(capabilities).length <= MAX_CAPABILITIES) return capabilities;
  const known = ["roots", "sampling", "elicitation"].filter((name) => isObject(capabilities[name]));
  return Object.fromEntries(known.map((name) => [name, flat(capabilities[name] as Record<string, unknown>)]));
}

function flat(settings: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const entries = Object.entries(settings).filter(([key]) => key.length < MAX_TEXT).slice(0, 8);
  return Object.fromEntries(entries.map(([key, value]) => [key, isObject(value) ? {} : Boolean(value)]));
}
