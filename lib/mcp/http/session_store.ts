/** Stores what changes in sessions after their handshake. */

import type { Awaitable } from "../../base/async.ts";

/**
 * Stores entries of sessions: short values under short names. Most sessions have no entry. When a call fails, the error is
 * reported and the client gets a 503, because a session that may have ended must not be served.
 *
 * Several servers may share a store, so each call must be atomic, and changes one entry only. A change must be visible to
 * every `get` that begins after the change has settled. In Redis, use a hash that expires: HGETALL, HSET with PEXPIREAT, HDEL.
 */
export interface SessionStore {
  /** All entries of a session by name; undefined if it has no entries. */
  get(session: string): Awaitable<ReadonlyMap<string, string> | undefined>;
  /** Sets an entry. The session and its entries expire at `expires`, in milliseconds since 1970. */
  set(session: string, name: string, value: string, expires: number): Awaitable<void>;
  /** Deletes an entry, if it exists. */
  delete(session: string, name: string): Awaitable<void>;
}

/** A store in the memory of this process. The server limits its size. */
export class MemorySessionStore implements SessionStore {
  readonly #entries = new Map<string, { readonly values: Map<string, string>; readonly expires: number }>();

  /** See `SessionStore`. */
  get(session: string): ReadonlyMap<string, string> | undefined {
    const entry = this.#entries.get(session);
    return entry && entry.expires > Date.now() ? entry.values : undefined;
  }

  /** See `SessionStore`. */
  set(session: string, name: string, value: string, expires: number): void {
    const now = Date.now();
    // The oldest entries are first.
    for (const [key, entry] of this.#entries) {
      if (entry.expires > now) break;
      this.#entries.delete(key);
    }
    const entry = this.#entries.get(session) ?? { values: new Map<string, string>(), expires };
    entry.values.set(name, value);
    this.#entries.set(session, entry);
  }

  /** See `SessionStore`. */
  delete(session: string, name: string): void {
    const entry = this.#entries.get(session);
    if (entry?.values.delete(name) && entry.values.size === 0) this.#entries.delete(session);
  }
}
