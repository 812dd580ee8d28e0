/**
 * Caching of responses, for as long as the server allows and until it announces a change.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/caching
 */

import type { JsonObject } from "../base/json.ts";
import { canonical } from "../base/json.ts";
import { METHODS } from "../protocol/methods.ts";

/** The most that is cached, in UTF-16 units of JSON: some thousand pages. */
const MAX_SIZE: number = 16 * 1024 * 1024;
/** The longest that a response is cached, in milliseconds: a day. */
const MAX_TTL_MS = 86_400_000;

interface Entry {
  readonly json: string;
  readonly expires: number;
}

/** A cache of responses of one server. Share one only between clients of the same server and the same user. */
export class ResponseCache {
  readonly #now: () => number;
  /** As JSON, so that each caller gets a value of its own. The least recently used entry comes first. */
  readonly #entries = new Map<string, Entry>();
  #size = 0;
  #generation = 0;

  /**
   * Starts empty.
   *
   * @param now The time in milliseconds. @default {the monotonic clock of the process}
   */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** Counts the calls of `drop`: a response to an older request must not be stored. */
  get generation(): number {
    return this.#generation;
  }

  /** A response that has not expired. */
  get(method: string, params: JsonObject): JsonObject | undefined {
    const key = keyOf(method, params);
    const entry = this.#delete(key);
    if (!entry || this.#now() >= entry.expires) return undefined;
    this.#insert(key, entry);
    return JSON.parse(entry.json);
  }

  /**
   * Stores a response whose method and server allow it.
   *
   * @param generation The generation when the request was sent.
   */
  set(method: string, params: JsonObject, result: JsonObject, generation: number): void {
    const { ttlMs } = result;
    const isCacheable = METHODS.modern.get(method)?.ttlMs !== undefined;
    const isAllowed = isCacheable && !("inputResponses" in params) && !("requestState" in params);
    if (!isAllowed || generation !== this.#generation || typeof ttlMs !== "number" || !(ttlMs > 0)) return;
    const json = JSON.stringify(result);
    if (json.length > MAX_SIZE) return;
    const key = keyOf(method, params);
    this.#delete(key);
    this.#insert(key, { json, expires: this.#now() + Math.min(ttlMs, MAX_TTL_MS) });
    for (const oldest of this.#entries.keys()) {
      if (this.#size <= MAX_SIZE) return;
      this.#delete(oldest);
    }
  }

  /** Drops the responses to a method, or the one for a resource. */
  drop(method: string, uri?: string): void {
    this.#generation++;
    if (uri !== undefined) return void this.#delete(keyOf(method, { uri }));
    for (const key of this.#entries.keys()) if (key.startsWith(`${method} `)) this.#delete(key);
  }

  #insert(key: string, entry: Entry): void {
    this.#entries.set(key, entry);
    this.#size += key.length + entry.json.length;
  }

  #delete(key: string): Entry | undefined {
    const entry = this.#entries.get(key);
    if (!entry) return undefined;
    this.#entries.delete(key);
    this.#size -= key.length + entry.json.length;
    return entry;
  }
}

/** The method and its params, without what only belongs to one request. */
function keyOf(method: string, params: JsonObject): string {
  return `${method} ${canonical({ ...params, _meta: undefined })}`;
}
