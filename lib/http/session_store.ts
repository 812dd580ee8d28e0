/** Storage of what changes in a session after its handshake. What was negotiated is in the session id itself. */

import type { Awaitable } from "../base/async.ts";

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
