/** The cache of responses, for as long as the server allows. */

import type { JsonObject } from "../../base/json.ts";
import { canonical } from "../../base/json.ts";

/** How much is cached, in UTF-16 units of JSON: some thousand pages; and for how long at most: a day. */
const MAX_SIZE = 16 * 1024 * 1024, MAX_TTL_MS = 86_400_000;

type Entry = { readonly json: string; readonly expires: number };

/** A cache of responses of one server. Share one only between clients of the same server and the same user. */
export class ResponseCache {
  /** As JSON, so that each caller gets a value of its own. The least recently used entry comes first. */
  readonly #entries = new Map<string, Entry>();
  #size = 0;
  /** How often `drop` was called. */
  generation = 0;

  /** A response that has not expired. */
  get(method: string, params: JsonObject): JsonObject | undefined {
    const key = keyOf(method, params), found = this.#entries.get(key);
    const entry = found && performance.now() < found.expires ? found : undefined;
    this.#put(key, entry);
    return entry && JSON.parse(entry.json);
  }

  /** Stores a response if the server allows it. `generation` is that of the request: what was dropped since is out of date. */
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

  /** Sets an entry, as the most recently used one, or removes it. */
  #put(key: string, entry?: Entry): void {
    const sizeOf = (one: Entry | undefined) => one ? key.length + one.json.length : 0;
    this.#size += sizeOf(entry) - sizeOf(this.#entries.get(key));
    this.#entries.delete(key);
    if (entry) this.#entries.set(key, entry);
  }
}

const keyOf = (method: string, params: JsonObject): string => `${method} ${canonical(params)}`;
