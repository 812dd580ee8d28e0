/** Resumable streams: events are kept for a while, so that a client that lost its connection gets those it missed. */

import type { Message } from "../jsonrpc/message.ts";
import type { BodyPiece } from "../platform/http.ts";
import type { EventStream } from "./events.ts";
import type { Retention } from "./options.ts";
import type { MessageStream } from "./response.ts";
import { toEvent } from "./events.ts";

interface Kept {
  readonly number: number;
  readonly pieces: readonly BodyPiece[];
  readonly size: number;
  readonly at: number;
}

/** How soon a client should reconnect, in milliseconds. */
const RETRY_MS = 1000;

/** A stream that outlives its connection. Its events are numbered from 1. */
export class ReplayStream implements MessageStream {
  /** The prefix of its event ids. */
  readonly key: string;
  /** When it was last connected, in milliseconds since 1970. */
  idleSince: number = Date.now();
  isEnded = false;
  readonly #retention: Retention;
  readonly #onresize: (growth: number) => void;
  #kept: Kept[] = [];
  #size = 0;
  #number = 0;
  #connection: EventStream | undefined;

  /** @param onresize Called with the change of the kept size. */
  constructor(key: string, retention: Retention, onresize: (growth: number) => void) {
    this.key = key;
    this.#retention = retention;
    this.#onresize = onresize;
  }

  /** The number of its last event. */
  get sent(): number {
    return this.#number;
  }

  get isConnected(): boolean {
    return this.#connection !== undefined;
  }

  /** Whether it is too late to resume it. */
  isExpired(now: number): boolean {
    return !this.#connection && now - this.idleSince > this.#retention.ms;
  }

  /**
   * Continues over a new connection, and ends the one before.
   *
   * @param after The number of the last event that the client has.
   * @param primes Whether to send an empty event with an id first.
   */
  connect(connection: EventStream, after: number, primes: boolean): void {
    const before = this.#connection;
    this.#connection = connection;
    before?.end();
    if (primes) connection.write([`id: ${this.key}-${after}\nretry: ${RETRY_MS}\ndata: \n\n`]);
    this.#evict(Date.now());
    for (const { number, pieces } of this.#kept) if (number > after) connection.write(pieces);
    if (this.isEnded) this.#disconnect();
  }

  /** Called when a connection is lost. */
  disconnected(connection: EventStream): void {
    if (this.#connection !== connection) return;
    this.#connection = undefined;
    this.idleSince = Date.now();
  }

  send(message: Message): Promise<void> | undefined {
    if (this.isEnded) return undefined;
    const number = ++this.#number;
    const pieces = toEvent(message, `${this.key}-${number}`);
    let size = 0;
    for (const piece of pieces) size += piece.length;
    const at = Date.now();
    this.#kept.push({ number, pieces, size, at });
    this.#resize(size);
    this.#evict(at);
    return this.#connection?.write(pieces);
  }

  end(): void {
    if (this.isEnded) return;
    this.isEnded = true;
    this.#disconnect();
  }

  pause(): void {
    this.#disconnect();
  }

  #disconnect(): void {
    const connection = this.#connection;
    this.#connection = undefined;
    this.idleSince = Date.now();
    connection?.end();
  }

  /** Drops the oldest events over the limits. */
  #evict(now: number): void {
    const { events, bytes, ms } = this.#retention;
    let count = 0;
    while (count < this.#kept.length) {
      const { size, at } = this.#kept[count]!;
      if (this.#kept.length - count <= events && this.#size <= bytes && now - at <= ms) break;
      this.#resize(-size);
      count++;
    }
    if (count > 0) this.#kept = this.#kept.slice(count);
  }

  /** Ends it and drops its events. */
  drop(): void {
    this.end();
    this.#kept = [];
    this.#resize(-this.#size);
  }

  #resize(growth: number): void {
    this.#size += growth;
    this.#onresize(growth);
  }
}

/** The limit of kept events of all streams of a process, in bytes and UTF-16 units. */
const MAX_KEPT = 64 * 1024 * 1024;

/** The resumable streams of all sessions, oldest first. */
export class Replays {
  readonly #retention: Retention;
  readonly #streams = new Map<string, { readonly stream: ReplayStream; readonly owner: object }>();
  /** Makes event ids unique among processes that serve the same session. */
  readonly #tag = Math.random().toString(36).slice(2, 8);
  #count = 0;
  #size = 0;

  constructor(retention: Retention) {
    this.#retention = retention;
  }

  /**
   * Opens a stream of a session, after evicting old ones.
   *
   * @param kind Server-initiated notifications, or the response to a POST.
   */
  open(owner: object, kind: "notices" | "response"): ReplayStream {
    this.#evict(owner);
    const key = `${kind[0]}${this.#tag}${++this.#count}`;
    const stream = new ReplayStream(key, this.#retention, (growth) => this.#size += growth);
    this.#streams.set(key, { stream, owner });
    return stream;
  }

  /** The stream and number of an event of a session; undefined when it is not kept. */
  find(
    owner: object,
    eventId: string,
  ): { readonly stream: ReplayStream; readonly after: number } | undefined {
    const [, key, number] = /^(\w{1,32})-(\d{1,15})$/.exec(eventId) ?? [];
    const found = key === undefined ? undefined : this.#streams.get(key);
    if (found?.owner !== owner || found.stream.isExpired(Date.now())) return undefined;
    return { stream: found.stream, after: Number(number) };
  }

  /** Whether an event id is of a notification stream: then no response can be missing. */
  isNotice(eventId: string): boolean {
    return /^n\w+-\d+$/.test(eventId);
  }

  /** Drops a stream. */
  drop(stream: ReplayStream): void {
    this.#remove(stream.key, stream);
  }

  /** Drops the streams of a session. */
  dropAll(owner: object): void {
    for (const [key, entry] of this.#streams) if (entry.owner === owner) this.#remove(key, entry.stream);
  }

  #evict(owner: object): void {
    const now = Date.now();
    let own = 0;
    for (const entry of this.#streams.values()) if (entry.owner === owner) own++;
    for (const [key, { stream, owner: other }] of this.#streams) {
      const isSpare = stream.isEnded && !stream.isConnected;
      const isTooMany = this.#size > MAX_KEPT || (other === owner && own >= this.#retention.streams);
      if (!(isSpare && (isTooMany || stream.isExpired(now)))) continue;
      if (other === owner) own--;
      this.#remove(key, stream);
    }
  }

  #remove(key: string, stream: ReplayStream): void {
    this.#streams.delete(key);
    stream.drop();
  }
}
