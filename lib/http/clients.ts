/**
 * Whose requests count together? Those of one principal, or of one address where nobody is asked for credentials: modern
 * requests have no session that could remember how often tools were called, or how many streams are open.
 */

import { Session } from "../server/session.ts";

/** The most clients that are remembered; those that were seen last. */
const MAX_CLIENTS = 10_000;

/** One client, as far as the server can tell it from others. */
export interface Client {
  readonly key: string;
  readonly connection: Session;
  /** How many of its requests are at work: while there are any, it is not forgotten. */
  working: number;
  /** How many streams of what changes it has open; not forgotten either. */
  streams: number;
}

/** The clients that were seen last. */
export class Clients {
  readonly #byKey = new Map<string, Client>();

  /** The one of a key. */
  of(key: string): Client {
    let client = this.#byKey.get(key);
    if (!client) {
      client = { key, connection: new Session(), working: 0, streams: 0 };
    } else if (this.#byKey.size > 1) {
      this.#byKey.delete(key);
    }
    this.#byKey.set(key, client);
    if (this.#byKey.size > MAX_CLIENTS) this.#forget();
    return client;
  }

  /** Ends the streams of all of them. */
  endStreams(): void {
    for (const { connection } of this.#byKey.values()) connection.subscriptions.endAll();
  }

  #forget(): void {
    for (const [key, { working, streams }] of this.#byKey) {
      if (working > 0 || streams > 0) continue;
      this.#byKey.delete(key);
      return;
    }
  }
}
