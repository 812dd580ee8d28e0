/**
 * Where is kept what changes of a session? What the handshake agreed is in the session's id, which the client keeps; the
 * little that changes later is kept here, as facts, one by one.
 */

import type { Awaitable } from "../base/async.ts";

/**
 * Keeps facts of sessions: short texts under short names, a few of them for each session that has any. Most have none.
 *
 * Several servers may share a store and change different facts of one session at the same time, so each call is atomic by
 * itself, and changes one fact and no other; which of two changes of the same fact is the last one, is all the same. A
 * change is seen by every `get` that begins after it has settled. A hash table with a time to live for each session is
 * enough: in Redis, HGETALL, HSET with PEXPIREAT, and HDEL.
 *
 * What it throws or rejects with is logged, and the client is answered with a 503: a session whose end cannot be read
 * must not be served.
 */
export interface SessionStore {
  /** All facts of a session by name; undefined when there are none. */
  get(session: string): Awaitable<ReadonlyMap<string, string> | undefined>;
  /**
   * Sets one fact, and lets the others be.
   *
   * @param expires When the session ends, in milliseconds since 1970: its facts are kept until then, and no longer.
   */
  set(session: string, fact: string, value: string, expires: number): Awaitable<void>;
  /** Removes one fact, and lets the others be; there may be none. */
  delete(session: string, fact: string): Awaitable<void>;
}

/** How much a store in memory holds. */
export interface MemoryStoreLimits {
  /** The most sessions that have facts. @default {100000} */
  readonly sessions?: number;
  /** The most that the facts of all sessions take up, in UTF-16 units. @default {64 Mi} */
  readonly size?: number;
}

interface Entry {
  readonly facts: Map<string, string>;
  readonly expires: number;
}

/** The store is full; nothing is forgotten to make room, because an end that is forgotten is a session that lives again. */
export class SessionStoreFullError extends Error {
  /** Names the class in logs. */
  override readonly name = "SessionStoreFullError";
}

/** Keeps facts in the memory of this process. */
export class MemorySessionStore implements SessionStore {
  readonly #entries = new Map<string, Entry>();
  readonly #maxSessions: number;
  readonly #maxSize: number;
  #size = 0;

  /** Starts empty. */
  constructor({ sessions = 100_000, size = 64 * 1024 * 1024 }: MemoryStoreLimits = {}) {
    this.#maxSessions = sessions;
    this.#maxSize = size;
  }

  /** All facts of a session by name. */
  get(session: string): ReadonlyMap<string, string> | undefined {
    const entry = this.#entries.get(session);
    if (!entry || entry.expires > Date.now()) return entry?.facts;
    this.#drop(session, entry);
    return undefined;
  }

  /**
   * Sets one fact.
   *
   * @throws {SessionStoreFullError} When there is no room for it, also after what is over is gone.
   */
  set(session: string, fact: string, value: string, expires: number): void {
    const entry = this.#entries.get(session) ?? { facts: new Map<string, string>(), expires };
    const before = entry.facts.get(fact);
    const growth = value.length - (before?.length ?? -fact.length);
    const isFull = () =>
      this.#size + growth > this.#maxSize ||
      (!this.#entries.has(session) && this.#entries.size >= this.#maxSessions);
    if (isFull()) this.#sweep();
    if (isFull()) {
      throw new SessionStoreFullError("Cannot keep more of sessions: the store in memory is full");
    }
    this.#size += growth;
    entry.facts.set(fact, value);
    this.#entries.set(session, entry);
  }

  /** Removes one fact. */
  delete(session: string, fact: string): void {
    const entry = this.#entries.get(session);
    const value = entry?.facts.get(fact);
    if (!entry || value === undefined) return;
    this.#size -= fact.length + value.length;
    entry.facts.delete(fact);
    if (entry.facts.size === 0) this.#entries.delete(session);
  }

  #sweep(): void {
    const now = Date.now();
    for (const [session, entry] of this.#entries) if (entry.expires <= now) this.#drop(session, entry);
  }

  #drop(session: string, { facts }: Entry): void {
    for (const [fact, value] of facts) this.#size -= fact.length + value.length;
    this.#entries.delete(session);
  }
}
