/** Which sessions are there? Any that shows an id which was signed here and is not over; those that were used last are at hand. */

import type { Id } from "../jsonrpc/message.ts";
import type { Session as SessionType } from "../server/session.ts";
import type { Negotiated } from "../protocol/revisions.ts";
import type { HttpCall } from "./call.ts";
import type { ReplayStream } from "./replay.ts";
import type { SessionStore } from "./session_store.ts";
import type { Awaitable } from "../base/async.ts";
import type { TokenSigner } from "../server/signer.ts";
import type { Agreement } from "./session_token.ts";
import { notification } from "../jsonrpc/message.ts";
import { andThen } from "../base/async.ts";
import { Session } from "../server/session.ts";
import { Refusal } from "./refusal.ts";
import { agreementOf, fromToken, ownerOf, toToken } from "./session_token.ts";

/** The most sessions that are at hand; a further one takes the place of one that does nothing. */
const MAX_AT_HAND = 10_000;
const URI = "uri:";

/** A question to the client that is not answered yet. */
export interface Question {
  resolve(result: unknown): void;
  reject(cause: unknown): void;
}

/** One session, as far as this process knows it. */
export interface HttpSession {
  /** What the client shows. */
  readonly token: string;
  readonly agreement: Agreement;
  /** Who may show it. */
  readonly principal: string | undefined;
  readonly connection: SessionType;
  /** The requests at work. */
  readonly calls: Map<Id, HttpCall>;
  /** What this process has asked on its streams, by id. */
  readonly questions: Map<Id, Question>;
  /** What is told unasked, once the client has opened a stream for it. */
  notices: { readonly stream: ReplayStream; stop(): void } | undefined;
}

/** What is kept after which method: the level of the log, or one subscription. */
const KEPT: ReadonlyMap<
  string,
  (store: SessionStore, of: Agreement, params: Readonly<Record<string, unknown>>) => Awaitable<void>
> = new Map([
  ["logging/setLevel", (store, { id, expires }, { level }) => store.set(id, "logLevel", `${level}`, expires)],
  ["resources/subscribe", (store, { id, expires }, { uri }) => store.set(id, `${URI}${uri}`, "1", expires)],
  ["resources/unsubscribe", (store, { id }, { uri }) => store.delete(id, `${URI}${uri}`)],
]);

/** What the sessions of a server have in common. */
export class Sessions {
  readonly #signer: () => Promise<TokenSigner>;
  readonly #store: SessionStore;
  readonly #lifetimeMs: number;
  readonly #byToken = new Map<string, HttpSession>();

  constructor(signer: () => Promise<TokenSigner>, store: SessionStore, lifetimeMs: number) {
    this.#signer = signer;
    this.#store = refusing(store);
    this.#lifetimeMs = lifetimeMs;
  }

  /** Those at hand. */
  get atHand(): Iterable<HttpSession> {
    return this.#byToken.values();
  }

  /** Begins one. */
  async begin(terms: Negotiated, principal: string | undefined): Promise<HttpSession> {
    const agreement = await agreementOf(terms, principal, Date.now() + this.#lifetimeMs);
    return this.#remember(await toToken(await this.#signer(), agreement), agreement, principal);
  }

  /**
   * The session of an id, with what has changed of it anywhere.
   *
   * @throws {Refusal} 404 when there is none, when it is over, or when it is somebody else's.
   */
  open(token: string, principal: string | undefined): Awaitable<HttpSession> {
    const session = this.#byToken.get(token);
    if (!session) return this.#openAgain(token, principal);
    if (session.principal !== principal || isPast(session)) throw unknown();
    return andThen(this.refresh(session), () => session);
  }

  /** One that is not at hand: another process began it, or it was not used for long. */
  async #openAgain(token: string, principal: string | undefined): Promise<HttpSession> {
    const agreement = await fromToken(await this.#signer(), token);
    if (!agreement || agreement.owner !== await ownerOf(principal)) throw unknown();
    const session = this.#remember(token, agreement, principal);
    await this.refresh(session);
    return session;
  }

  /**
   * Takes over what has changed of a session, here or elsewhere.
   *
   * @throws {Refusal} 404 when it was ended.
   */
  refresh(session: HttpSession): void | Promise<void> {
    const facts = this.#store.get(session.agreement.id);
    return facts instanceof Promise ? facts.then((later) => apply(session, later)) : apply(session, facts);
  }

  /** Whether there is something to keep of a request that went well. */
  changes(method: string): boolean {
    return KEPT.has(method);
  }

  /** Keeps what a request has changed. */
  keep(session: HttpSession, method: string, params: Readonly<Record<string, unknown>>): Awaitable<void> {
    return KEPT.get(method)?.(this.#store, session.agreement, params);
  }

  /** Ends a session, everywhere. */
  async end(session: HttpSession): Promise<void> {
    const { id, expires } = session.agreement;
    await this.#store.set(id, "ended", "1", expires);
    this.#byToken.delete(session.token);
  }

  #remember(token: string, agreement: Agreement, principal: string | undefined): HttpSession {
    const connection = new Session();
    connection.negotiate({ ...agreement });
    connection.isInitialized = true;
    connection.notify = (method, params) => session.notices?.stream.send(notification(method, params));
    const session: HttpSession = {
      token,
      agreement,
      principal,
      connection,
      calls: new Map(),
      questions: new Map(),
      notices: undefined,
    };
    if (this.#byToken.size >= MAX_AT_HAND) this.#forget();
    this.#byToken.set(token, session);
    return session;
  }

  /** What is over goes first, then the oldest that does nothing. */
  #forget(): void {
    let idle: string | undefined;
    const now = Date.now();
    for (const [token, { agreement, calls, notices }] of this.#byToken) {
      if (calls.size > 0 || notices) continue;
      idle ??= token;
      if (agreement.expires > now) break;
      this.#byToken.delete(token);
    }
    if (idle !== undefined) this.#byToken.delete(idle);
  }
}

/** Whether the time of a session is over: nothing of it is served any more. */
export function isPast({ agreement }: HttpSession): boolean {
  return agreement.expires <= Date.now();
}

function apply({ connection }: HttpSession, facts: ReadonlyMap<string, string> | undefined): void {
  if (facts?.has("ended")) throw unknown();
  connection.logLevel = facts?.get("logLevel") as SessionType["logLevel"];
  const { subscriptions } = connection;
  for (const uri of subscriptions.uris) if (!facts?.has(`${URI}${uri}`)) subscriptions.delete(uri);
  for (const fact of facts?.keys() ?? []) if (fact.startsWith(URI)) subscriptions.add(fact.slice(URI.length));
}

/** A store whose failures are refusals: a session whose end cannot be read must not be served. */
function refusing(store: SessionStore): SessionStore {
  const fail = (cause: unknown): never => {
    throw new Refusal(503, "Sessions cannot be looked up now: try again later", {
      fields: { "retry-after": "1" },
      cause,
    });
  };
  const ask = <T>(act: () => Awaitable<T>): Awaitable<T> => {
    try {
      const result = act();
      return result instanceof Promise ? result.catch(fail) : result;
    } catch (cause) {
      return fail(cause);
    }
  };
  return {
    get: (session) => ask(() => store.get(session)),
    set: (...fact) => ask(() => store.set(...fact)),
    delete: (...fact) => ask(() => store.delete(...fact)),
  };
}

function unknown(): Refusal {
  return new Refusal(404, "There is no such session, or it is over: begin a new one with initialize");
}
