/** Reads and changes the stored entries of sessions, and counts their size for each client. */

import type { Awaitable } from "../../base/async.ts";
import type { ServedSession } from "./session.ts";
import type { SessionStore } from "./session_store.ts";
import { unavailable } from "./errors.ts";

/** What an entry counts in addition to its text, in UTF-16 units. */
const ENTRY_SIZE = 320;

type Owner = Pick<ServedSession, "id" | "share" | "expires">;

/** The stored entries of sessions. A method that fails throws an `HttpError`: 503, or 429 for a client that stores too much. */
export class SessionEntries {
  readonly #store: SessionStore;
  readonly #report: (cause: unknown) => void;
  /** The counted size of each session, until it expires. */
  readonly #sizes = new Map<string, Pick<Owner, "share" | "expires"> & { readonly size: number }>();

  /** @param report Receives the errors of the store. */
  constructor(store: SessionStore, report: (cause: unknown) => void) {
    this.#store = store;
    this.#report = report;
  }

  /** Reads the entries of a session by its id; undefined if it has no entries. */
  async read(id: string): Promise<ReadonlyMap<string, string> | undefined> {
    return await this.#use((store) => store.get(id));
  }

  /** Counts the entries of a session as they were just read. */
  count(session: Owner, entries: ReadonlyMap<string, string>): void {
    let size = 0;
    for (const [name, value] of entries) size += name.length + value.length + ENTRY_SIZE;
    this.#resize(session, size);
  }

  /** Deletes the entries of a session. @param names The names of all its entries. */
  async delete(session: Owner, names: readonly string[]): Promise<void> {
    await this.#use((store) => Promise.all(names.map((name) => store.delete(session.id, name))));
    this.#resize(session, 0);
  }

  /** Sets an entry, or deletes it without a value. */
  async change(session: Owner, name: string, value?: string): Promise<void> {
    const { id, expires, share } = session;
    if (value === undefined) return await this.#use((store) => store.delete(id, name));
    for (const [key, old] of this.#sizes) {
      if (old.expires > Date.now()) break;
      old.share.count("stored", -old.size);
      this.#sizes.delete(key);
    }
    const size = name.length + value.length + ENTRY_SIZE;
    share.check("stored", size);
    // Counted before it is stored, because other changes may run at the same time. The next request counts the actual size.
    const add = (more: number) => this.#resize(session, Math.max(0, (this.#sizes.get(id)?.size ?? 0) + more));
    add(size);
    try {
      await this.#use((store) => store.set(id, name, value, expires));
    } catch (cause) {
      add(-size);
      throw cause;
    }
  }

  /** Counts the size of the entries of a session. */
  #resize(session: Owner, size: number): void {
    const { id, expires } = session;
    const { share, size: before } = this.#sizes.get(id) ?? { share: session.share, size: 0 };
    if (size === before) return;
    share.count("stored", size - before);
    if (size > 0) this.#sizes.set(id, { share, expires, size });
    else this.#sizes.delete(id);
  }

  /** Calls the store. A failure is reported, and the client gets a 503. */
  async #use<T>(use: (store: SessionStore) => Awaitable<T>): Promise<T> {
    try {
      return await use(this.#store);
    } catch (cause) {
      this.#report(cause);
      throw unavailable("The session store is unavailable");
    }
  }
}
