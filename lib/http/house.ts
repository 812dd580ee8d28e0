/** What do all requests to one endpoint share? The server, what is open, and what is at work. */

import type { Id, Response } from "../jsonrpc/message.ts";
import type { Fields, HttpExchange } from "../platform/http.ts";
import type { Server } from "../server/server.ts";
import type { Accepted } from "./accept.ts";
import type { Authenticated } from "./authentication.ts";
import type { HttpCall } from "./call.ts";
import type { HttpContext } from "./context.ts";
import type { Client } from "./clients.ts";
import type { FullOptions } from "./options.ts";
import type { Reply } from "./reply.ts";
import { MAX_SUBSCRIPTIONS } from "../server/subscriptions.ts";
import { Clients } from "./clients.ts";
import { EVENT_FIELDS, EventStream, OpenStreams } from "./events.ts";
import { Patience } from "./patience.ts";
import { Refusal } from "./refusal.ts";
import { Replays } from "./replay.ts";
import { MemorySessionStore } from "./session_store.ts";
import { Sessions } from "./sessions.ts";

/** One request to the endpoint that was let in. */
export interface Visit {
  readonly house: House;
  readonly exchange: HttpExchange;
  readonly accepted: Accepted;
  readonly client: Client;
  readonly authenticated: Authenticated | undefined;
  readonly context: HttpContext;
  /** Whether it counts among the requests at work. */
  isAtWork: boolean;
}

/** What is shared. */
export class House {
  readonly server: Server;
  readonly options: FullOptions;
  readonly clients: Clients = new Clients();
  readonly sessions: Sessions;
  readonly replays: Replays;
  readonly streams: OpenStreams;
  readonly patience: Patience = new Patience();
  /** How many visits are requests at work. */
  working = 0;
  /** The requests that have no answer yet. */
  readonly calls: Set<HttpCall> = new Set();

  constructor(server: Server, options: FullOptions) {
    this.server = server;
    this.options = options;
    const store = options.sessionStore ?? new MemorySessionStore();
    this.sessions = new Sessions(() => server.signer(), store, options.sessionLifetimeMs);
    this.replays = new Replays(options.retention);
    this.streams = new OpenStreams(options.keepAliveMs);
  }

  /**
   * Makes sure that one more stream can stay open that a client listens on.
   *
   * @param id Of the request for it, where it has one.
   * @throws {Refusal} 503 when there are too many, 429 when too many are the client's own.
   */
  requireStream(client: Client, id?: Id): void {
    const fields = { "retry-after": "30" };
    if (this.streams.size >= this.options.maxStreams) {
      throw new Refusal(503, "Too many streams are open: try again later", { fields });
    }
    if (client.streams < MAX_SUBSCRIPTIONS) return;
    // Not 503, which a balancer takes for a server that is not well.
    throw new Refusal(
      429,
      `Cannot open one more stream: this client has ${MAX_SUBSCRIPTIONS}; close one first`,
      { id, fields },
    );
  }

  /** Counts a visit no more among the requests at work. */
  rest(visit: Visit): void {
    if (!visit.isAtWork) return;
    visit.isAtWork = false;
    this.working--;
  }

  /**
   * Begins a stream that a client listens on: it counts among those of the client, and its request is at work no more.
   * It is open as long as the client likes, so idle ones would keep out all requests.
   */
  openListening(visit: Visit): EventStream {
    this.rest(visit);
    return this.openStream(visit.exchange, { client: visit.client });
  }

  /**
   * Begins a stream of events as the answer.
   *
   * @param client Who listens on it, where it counts among the streams of a client.
   */
  openStream(
    exchange: HttpExchange,
    { fields, client }: { readonly fields?: Fields; readonly client?: Client } = {},
  ): EventStream {
    const events = new EventStream(exchange.stream(200, { ...EVENT_FIELDS, ...fields }), this.streams);
    if (client) {
      client.streams++;
      events.onclose = () => client.streams--;
    }
    exchange.onDisconnect(() => events.forget());
    return events;
  }

  /**
   * Waits for an answer; one that takes long becomes a stream, so that nobody between gives it up.
   *
   * @param onslow Called, once, when it is not there at once. @default {nobody}
   * @param patienceMs After how long it becomes a stream.
   */
  async follow(
    call: HttpCall,
    reply: Reply,
    response: Promise<Response>,
    onslow: () => void = () => {},
    patienceMs: number = this.options.keepAliveMs,
  ): Promise<Response> {
    let isSlow = false;
    const waiting = {
      waited: (ms: number): void => {
        if (!isSlow) onslow();
        isSlow = true;
        if (ms >= patienceMs) reply.begin();
      },
    };
    this.patience.add(waiting);
    this.calls.add(call);
    try {
      return await response;
    } finally {
      this.patience.delete(waiting);
      this.calls.delete(call);
    }
  }

  /** Reports what no client is told of. */
  report(cause: unknown): void {
    this.options.onerror?.(cause);
  }
}
