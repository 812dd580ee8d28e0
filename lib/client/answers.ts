/**
 * Which answers are still good? They are kept for as long as their server allows, and dropped when it says that
 * something has changed.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/caching
 */

import type { Members } from "./value.ts";

/** The methods whose answers may be kept. */
const KEPT_METHODS: ReadonlySet<string> = new Set([
  "prompts/list",
  "resources/list",
  "resources/read",
  "resources/templates/list",
  "server/discover",
  "tools/list",
]);

/** The most that is kept, in UTF-16 units of JSON: some thousand pages. */
const MAX_KEPT_SIZE: number = 16 * 1024 * 1024;
/** How long an answer is kept at most, in milliseconds: a day, whatever its server says. */
const MAX_TTL_MS = 86_400_000;

interface Kept {
  readonly json: string;
  readonly until: number;
}

/** Answers that are kept. Only answers of the same server and for the same user belong in one store. */
export class AnswerStore {
  readonly #now: () => number;
  /** The answers as they were written: whoever gets one gets it for himself. In order of use. */
  readonly #kept = new Map<string, Kept>();
  #size = 0;
  /** Grows with what is dropped. */
  #generation = 0;

  /**
   * Starts empty.
   *
   * @param now The time in milliseconds. @default {the time since the process began}
   */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** Grows with everything that is dropped: what was asked before must not be kept after. */
  get generation(): number {
    return this.#generation;
  }

  /** An answer that is still good. */
  find(method: string, params: Members): Members | undefined {
    const key = keyOf(method, params);
    const kept = key === undefined ? undefined : this.#kept.get(key);
    if (key === undefined || !kept) return undefined;
    this.#delete(key);
    if (this.#now() >= kept.until) return undefined;
    this.#set(key, kept);
    return JSON.parse(kept.json);
  }

  /** Keeps an answer, where its server allows it and where nothing was dropped since it was asked for. */
  keep(method: string, params: Members, result: Members, generation: number): void {
    const { ttlMs } = result;
    const key = keyOf(method, params);
    if (key === undefined || generation !== this.#generation || typeof ttlMs !== "number" || !(ttlMs > 0)) {
      return;
    }
    const json = JSON.stringify(result);
    if (json.length > MAX_KEPT_SIZE) return;
    this.#delete(key);
    this.#set(key, { json, until: this.#now() + Math.min(ttlMs, MAX_TTL_MS) });
    for (const oldest of this.#kept.keys()) {
      if (this.#size <= MAX_KEPT_SIZE) return;
      this.#delete(oldest);
    }
  }

  /** Drops the answers to a method; those of one resource where a URI is given. */
  drop(method: string, uri?: string): void {
    this.#generation++;
    const start = uri === undefined ? `${method} ` : keyOf(method, { uri })!;
    for (const key of this.#kept.keys()) if (key.startsWith(start)) this.#delete(key);
  }

  #set(key: string, kept: Kept): void {
    this.#kept.set(key, kept);
    this.#size += key.length + kept.json.length;
  }

  #delete(key: string): void {
    const kept = this.#kept.get(key);
    if (!kept) return;
    this.#kept.delete(key);
    this.#size -= key.length + kept.json.length;
  }
}

/** What an answer is known by: everything that was asked, but for what goes with each request. */
function keyOf(method: string, params: Members): string | undefined {
  if (!KEPT_METHODS.has(method) || "inputResponses" in params || "requestState" in params) return undefined;
  const asked = Object.entries(params).filter(([name, value]) => name !== "_meta" && value !== undefined);
  asked.sort(([left], [right]) => left < right ? -1 : 1);
  return `${method} ${JSON.stringify(asked)}`;
}
