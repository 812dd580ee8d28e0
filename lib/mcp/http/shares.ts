/**
 * Counts what each client uses of the server, and limits it. A client may use at most as much as is left free: one client
 * gets half, two get a third each, and so on, so that something is always free for the next client.
 */

import { Throttle } from "../../base/async.ts";
import { groupsOf } from "../../base/hosts.ts";
import { Session } from "../server/session.ts";
import { MAX_SUBSCRIPTIONS } from "../server/changes.ts";
import { HttpError, unavailable } from "./errors.ts";

/** What is counted: the action that fails at the limit, what the client can do about it, and its Retry-After in seconds. */
const KINDS = {
  requests: ["serve one more request", "wait for a response first", 1],
  connections: ["accept one more connection", "close one first", 1],
  bytes: ["buffer this many bytes", "wait until other requests are sent and their responses are read", 1],
  streams: ["open one more stream", "close one first", 30],
  sessions: ["begin one more session", "end one first", 30],
  stored: ["store more session data", "end a session first, or unsubscribe from resources", 30],
  replays: ["keep one more response for a client that reconnects", "resume one first", 30],
} as const satisfies Record<UsageKind, readonly unknown[]>;

/** A kind of what is counted. */
export type UsageKind =
  | "requests"
  | "connections"
  | "bytes"
  | "streams"
  | "sessions"
  | "stored"
  | "replays";
type Counts = Record<UsageKind, number>;

/** What all clients of an endpoint use now, and how many requests it has refused. It changes while the endpoint serves. */
export interface HttpUsage {
  /** By kind. `stored` and `replays` are in characters and bytes. */
  readonly used: Readonly<Record<UsageKind, number>>;
  /**
   * By reason: a kind whose limit was reached, "host" (or origin), "no_credential", "credential", "failures" (too many wrong
   * credentials), "scope", or the HTTP status of any other error, such as "413".
   */
  readonly refused: ReadonlyMap<string, number>;
}

const NO_COUNTS = Object.fromEntries(Object.keys(KINDS).map((kind) => [kind, 0])) as Counts;

/** How many clients are remembered. Those that use something are always remembered. */
const MAX_CLIENTS = 10_000;
/** The minimum time between two reports, in milliseconds. */
const REPORT_MS = 1000;

/** The shares of all clients. */
export class Shares implements HttpUsage {
  readonly limits: Readonly<Counts>;
  /** What all clients use together. */
  readonly used: Counts = { ...NO_COUNTS };
  readonly refused: Map<string, number> = new Map();
  readonly byName: Map<string, Share> = new Map();
  readonly report: Throttle;
  #refused = 0;
  #last = "";

  /** @param onrefused Receives a line for the operator, at most once a second. */
  constructor(limits: Readonly<Counts>, onrefused?: (message: string) => void) {
    this.limits = limits;
    this.report = new Throttle(REPORT_MS, () => {
      onrefused?.(`Refused ${this.#refused} times, most recently ${this.#last}`);
      this.#refused = 0;
    });
  }

  /** The share of a client. */
  of(name: string): Share {
    const { byName } = this, share = byName.get(name) ?? new Share(name, this);
    // Inserted again, so that the least recently seen client is first.
    if (byName.size > 1) byName.delete(name);
    byName.set(name, share);
    if (byName.size <= MAX_CLIENTS) return share;
    for (const [oldest, { held }] of byName) {
      if (held === 0) byName.delete(oldest);
      if (byName.size <= MAX_CLIENTS) break;
    }
    return share;
  }

  /** Counts a refusal. @param text For the next report. */
  refuse(reason: string, text?: string): void {
    this.refused.set(reason, (this.refused.get(reason) ?? 0) + 1);
    if (text === undefined) return;
    this.#refused++;
    this.#last = text;
    this.report.request();
  }
}

/** What one client uses: a principal, or an address. */
export class Share {
  /** "principal ci", "127.0.0.1". */
  readonly name: string;
  readonly used: Counts = { ...NO_COUNTS };
  /** The sum of all that it uses. At 0, the client need not be remembered. */
  held = 0;
  /** How many wrong credentials the address has sent. They count until a time in milliseconds since 1970. */
  failures: { count: number; readonly until: number } = { count: 0, until: 0 };
  /** Its ended streams that it can still resume, oldest first. */
  readonly ended: Set<{ drop(): void }> = new Set();
  /** The session state of its requests without a session. */
  readonly session: Session = new Session();
  readonly #shares: Shares;

  constructor(name: string, shares: Shares) {
    this.name = name;
    this.#shares = shares;
    // Calls above the rate limit do not wait but are refused, because waiting requests would hold connections.
    this.session.toolCalls.maxWaitMs = 0;
  }

  /** Whether it may use that much more. */
  fits(kind: UsageKind, amount: number = 1): boolean {
    const { limits, used } = this.#shares, wanted = this.used[kind] + amount;
    return wanted <= limits[kind] - used[kind] && (kind !== "streams" || wanted <= MAX_SUBSCRIPTIONS);
  }

  /** Throws if it may not use that much more. @throws {HttpError} See `overLimit`. */
  check(kind: UsageKind, amount: number = 1): void {
    if (!this.fits(kind, amount)) throw this.overLimit(kind, amount);
  }

  /** Counts more if it may use that much. @throws {HttpError} See `overLimit`. */
  reserve(kind: UsageKind, amount: number = 1): void {
    if (!this.fits(kind, amount)) throw this.overLimit(kind, amount);
    this.count(kind, amount);
  }

  /** Counts more, or less if negative, regardless of the limits. */
  count(kind: UsageKind, amount: number): void {
    this.used[kind] += amount;
    this.held += amount;
    this.#shares.used[kind] += amount;
  }

  /** Reports that a limit is reached, and makes the error: 503 if it is the limit of the server, 429 if it is of the client. */
  overLimit(kind: UsageKind, amount: number = 1): HttpError {
    const { limits, used } = this.#shares;
    const [action, remedy, seconds] = KINDS[kind];
    const has = this.used[kind];
    this.#shares.refuse(
      kind,
      `to ${action} for ${this.name}, which has ${has} of ${used[kind]} ${kind} in use`,
    );
    if (used[kind] + amount > limits[kind]) return unavailable(`Cannot ${action}`, seconds);
    // Not 503, because load balancers would consider the server unhealthy.
    const reason = `Cannot ${action}: this client has ${has}; ${remedy}`;
    // The connection is closed, because the rest of the request is not read.
    return new HttpError(429, reason, { retryAfter: seconds, fields: { connection: "close" } });
  }
}

/** An address without its port. For IPv6 its /64 network, because one client can use all of its addresses. */
export function networkOf(remoteAddress: string = "unknown"): string {
  if (!remoteAddress.startsWith("[")) return remoteAddress.replace(/:\d*$/, "");
  const [, mapped, host = ""] = /^\[(::ffff:(?=[\d.]+\]))?([^\]%]*)/i.exec(remoteAddress) ?? [];
  if (mapped !== undefined) return host;
  return `${groupsOf(host).slice(0, 4).join(":")}::/64`;
}
