/**
 * What does a client get that lost its connection in the middle of a stream? What was sent after the last event that it
 * has seen, as far as it is kept: so many events, so many bytes, so long.
 */

import type { Message } from "../jsonrpc/message.ts";
import type { BodyPiece } from "../platform/http.ts";
import type { EventStream } from "./events.ts";
import type { Retention } from "./options.ts";
import type { Outlet } from "./reply.ts";
import { toEvent } from "./events.ts";

interface Kept {
  readonly number: number;
  readonly pieces: readonly BodyPiece[];
  readonly size: number;
  readonly at: number;
}

/** How soon a client may come back to a stream, in milliseconds. */
const RETRY_MS = 1000;

/** A stream that outlives its connection. Its events are numbered from 1; 0 is the one that opens it. */
export class ReplayStream implements Outlet {
  /** Begins the id of each of its events, and of no other stream's. */
  readonly key: string;
  /** When it lost its last connection or came to its end, in milliseconds since 1970. */
  idleSince: number = Date.now();
  isOver = false;
  readonly #retention: Retention;
  readonly #account: (growth: number) => void;
  #kept: Kept[] = [];
  #size = 0;
  #number = 0;
  #connection: EventStream | undefined;

  /** @param account Is told of what is kept more, or less. */
  constructor(key: string, retention: Retention, account: (growth: number) => void) {
    this.key = key;
    this.#retention = retention;
    this.#account = account;
  }

  /** The number of its last event. */
  get sent(): number {
    return this.#number;
  }

  get isConnected(): boolean {
    return this.#connection !== undefined;
  }

  /** Whether nobody can come back to it any more. */
  isForgotten(now: number): boolean {
    return !this.#connection && now - this.idleSince > this.#retention.ms;
  }

  /**
   * Goes on over a connection, which takes the place of the one before.
   *
   * @param after The number of the last event that the client has seen.
   * @param primes Whether the client is told first how to come back.
   */
  connect(connection: EventStream, after: number, primes: boolean): void {
    const before = this.#connection;
    this.#connection = connection;
    before?.end();
    if (primes) connection.write([`id: ${this.key}-${after}\nretry: ${RETRY_MS}\ndata: \n\n`]);
    this.#forgetOld(Date.now());
    for (const { number, pieces } of this.#kept) if (number > after) connection.write(pieces);
    if (this.isOver) this.#disconnect();
  }

  /** Its connection is gone, if it still is this one. */
  disconnected(connection: EventStream): void {
    if (this.#connection !== connection) return;
    this.#connection = undefined;
    this.idleSince = Date.now();
  }

  send(message: Message): Promise<void> | undefined {
    if (this.isOver) return undefined;
    const number = ++this.#number;
    const pieces = toEvent(message, `${this.key}-${number}`);
    let size = 0;
    for (const piece of pieces) size += piece.length;
    const at = Date.now();
    this.#kept.push({ number, pieces, size, at });
    this.#resize(size);
    this.#forgetOld(at);
    return this.#connection?.write(pieces);
  }

  end(): void {
    if (this.isOver) return;
    this.isOver = true;
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

  /** What is too large by itself goes too. */
  #forgetOld(now: number): void {
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

  /** Keeps nothing any more. */
  drop(): void {
    this.end();
    this.#kept = [];
    this.#resize(-this.#size);
  }

  #resize(growth: number): void {
    this.#size += growth;
    this.#account(growth);
  }
}

/** The most that is kept of all streams of a process, in UTF-16 units and bytes. */
const MAX_KEPT = 64 * 1024 * 1024;

/** The streams of all sessions, oldest first. */
export class Replays {
  readonly #retention: Retention;
  readonly #streams = new Map<string, { readonly stream: ReplayStream; readonly owner: object }>();
  /** Two processes that serve one session give no two events the same id. */
  readonly #tag = Math.random().toString(36).slice(2, 8);
  #count = 0;
  #size = 0;

  constructor(retention: Retention) {
    this.#retention = retention;
  }

  /**
   * Opens a stream of a session; the oldest ones that are over make room for it.
   *
   * @param kind Its key begins with it: what is told unasked, or with the answer to a POST.
   */
  open(owner: object, kind: "notices" | "answer"): ReplayStream {
    this.#makeRoom(owner);
    const key = `${kind[0]}${this.#tag}${++this.#count}`;
    const stream = new ReplayStream(key, this.#retention, (growth) => this.#size += growth);
    this.#streams.set(key, { stream, owner });
    return stream;
  }

  /** The stream of an event that a client of a session has seen, and the number of it; undefined when it is not kept. */
  find(
    owner: object,
    eventId: string,
  ): { readonly stream: ReplayStream; readonly after: number } | undefined {
    const [, key, number] = /^(\w{1,32})-(\d{1,15})$/.exec(eventId) ?? [];
    const found = key === undefined ? undefined : this.#streams.get(key);
    if (found?.owner !== owner || found.stream.isForgotten(Date.now())) return undefined;
    return { stream: found.stream, after: Number(number) };
  }

  /** Whether an event that is not kept was something that is told unasked: then nobody waits for what came after it. */
  isNotice(eventId: string): boolean {
    return /^n\w+-\d+$/.test(eventId);
  }

  /** Forgets one. */
  forget(stream: ReplayStream): void {
    this.#drop(stream.key, stream);
  }

  /** Forgets the streams of a session. */
  dropAll(owner: object): void {
    for (const [key, entry] of this.#streams) if (entry.owner === owner) this.#drop(key, entry.stream);
  }

  #makeRoom(owner: object): void {
    const now = Date.now();
    let own = 0;
    for (const entry of this.#streams.values()) if (entry.owner === owner) own++;
    for (const [key, { stream, owner: other }] of this.#streams) {
      const isSpare = stream.isOver && !stream.isConnected;
      const isTooMany = this.#size > MAX_KEPT || (other === owner && own >= this.#retention.streams);
      if (!(isSpare && (isTooMany || stream.isForgotten(now)))) continue;
      if (other === owner) own--;
      this.#drop(key, stream);
    }
  }

  #drop(key: string, stream: ReplayStream): void {
    this.#streams.delete(key);
    stream.drop();
  }
}
