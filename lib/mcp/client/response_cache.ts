/** A cache of responses. Each is kept for as long as the server allows. */

import type { JsonObject } from "../../base/json.ts";
import { canonical } from "../../base/json.ts";

/** The maximum size of a cache, in UTF-16 units of JSON: a few thousand pages. */
const MAX_SIZE = 16 * 1024 * 1024;
/** The longest time that a response is kept, in milliseconds: a day. */
const MAX_TTL_MS = 86_400_000;

type Entry = { readonly json: string; readonly expires: number };

/** A cache of responses of one server. Share one only between clients of the same server and the same user. */
export class ResponseCache {
  /** As JSON, so that each caller gets a value of its own. The least recently used entry comes first. */
  readonly #entries = new Map<string, Entry>();
  #size = 0;
  /** How often `drop` was called. */
  generation = 0;

  /** Returns the response to a request, if it has not expired. */
  get(method: string, params: JsonObject): JsonObject | undefined {
    const key = keyOf(method, params), found = this.#entries.get(key);
    const entry = found && performance.now() < found.expires ? found : undefined;
    this.#put(key, entry);
    return entry && JSON.parse(entry.json);
  }

  /**
   * Stores a response if the server allows it. `generation` is its value when the request was sent: if it has changed, the
   * response may be out of date and is not stored.
   */
  set(method: string, params: JsonObject, result: JsonObject, generation: number): void {
    const { ttlMs } = result;
    if (generation !== this.generation || typeof ttlMs !== "number" || !(ttlMs > 0)) return;
    const json = JSON.stringify(result);
    if (json.length > MAX_SIZE) return;
    this.#put(keyOf(method, params), { json, expires: performance.now() + Math.min(ttlMs, MAX_TTL_MS) });
    for (const oldest of this.#entries.keys()) {
      if (this.#size <= MAX_SIZE) return;
      this.#put(oldest);
    }
  }

  /** Drops the responses to a method, or the one for a resource. */
  drop(method: string, uri?: string): void {
    this.generation++;
    if (uri !== undefined) return this.#put(keyOf(method, { uri }));
    for (const key of this.#entries.keys()) if (key.startsWith(`${method} `)) this.#put(key);
  }

  /** Sets an entry and makes it the most recently used one. Without an entry, removes it. */
  #put(key: string, entry?: Entry): void {
    const sizeOf = (one: Entry | undefined) => one ? key.length + one.json.length : 0;
    this.#size += sizeOf(entry) - sizeOf(this.#entries.get(key));
    this.#entries.delete(key);
    if (entry) this.#entries.set(key, entry);
  }
}

const keyOf = (method: string, params: JsonObject): string => `${method} ${canonical(params)}`;
