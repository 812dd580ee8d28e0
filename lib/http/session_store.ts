/** Storage of what changes in a session after its handshake. What was negotiated is in the session id itself. */

import type { Awaitable } from "../base/async.ts";

/**
 * Keeps entries of sessions: short values under short names. Most sessions have none.
 *
 * Several servers may share a store, so each call is atomic and changes one entry only. A change is visible to every `get`
 * that begins after it has settled. A hash with an expiry for each session is enough: in Redis, HGETALL, HSET with
 * PEXPIREAT, and HDEL.
 *
 * When it fails, the error is logged and the client gets a 503: a session that may have ended must not be served.
 */
export interface SessionStore {
  /** All entries of a session by name; undefined when there are none. */
  get(session: string): Awaitable<ReadonlyMap<string, string> | undefined>;
  /**
   * Sets an entry.
   *
   * @param expires When the session expires, in milliseconds since 1970, and its entries with it.
   */
  set(session: string, name: string, value: string, expires: number): Awaitable<void>;
  /** Deletes an entry, if it exists. */
  delete(session: string, name: string): Awaitable<void>;
}

/** The limits of a store in memory. */
export interface MemoryStoreLimits {
  /** The number of sessions with entries. @default {100000} */
  readonly sessions?: number;
  /** The size of all entries, in UTF-16 units. @default {64 Mi} */
  readonly size?: number;
}

interface Entry {
  readonly values: Map<string, string>;
  readonly expires: number;
}

/** The store is full. Nothing is evicted, because a forgotten end would revive a session. */
export class SessionStoreFullError extends Error {
  /** The name of the class, for logs. */
  override readonly name = "SessionStoreFullError";
}

/** A store in the memory of this process. */
export class MemorySessionStore implements SessionStore {
  readonly #entries = new Map<string, Entry>();
  readonly #maxSessions: number;
  readonly #maxSize: number;
  #size = 0;

  /** Builds an empty store. */
  constructor({ sessions = 100_000, size = 64 * 1024 * 1024 }: MemoryStoreLimits = {}) {
    this.#maxSessions = sessions;
    this.#maxSize = size;
  }

  /** See `SessionStore`. */
  get(session: string): ReadonlyMap<string, string> | undefined {
    const entry = this.#entries.get(session);
    if (!entry || entry.expires > Date.now()) return entry?.values;
    this.#drop(session, entry);
    return undefined;
  }

  /** See `SessionStore`. @throws {SessionStoreFullError} When it is full. */
  set(session: string, name: string, value: string, expires: number): void {
    const entry = this.#entries.get(session) ?? { values: new Map<string, string>(), expires };
    const before = entry.values.get(name);
    const growth = value.length - (before?.length ?? -name.length);
    const isFull = () =>
      this.#size + growth > this.#maxSize ||
      (!this.#entries.has(session) && this.#entries.size >= this.#maxSessions);
    if (isFull()) this.#sweep();
    if (isFull()) {
      throw new SessionStoreFullError("Cannot store more session data: the store in memory is full");
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

  #sweep(): void {
    const now = Date.now();
    for (const [session, entry] of this.#entries) if (entry.expires <= now) this.#drop(session, entry);
  }

  #drop(session: string, { values }: Entry): void {
    for (const [name, value] of values) this.#size -= name.length + value.length;
    this.#entries.delete(session);
  }
}
