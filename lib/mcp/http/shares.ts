/**
 * Counts what each client uses of the server. A client may have as much as is still free: one client gets half, two get a
 * third each, and so on, so that something is always left for the next one.
 */

import { Throttle } from "../../base/async.ts";
import { groupsOf } from "../../base/hosts.ts";
import { Session } from "../server/session.ts";
import { MAX_SUBSCRIPTIONS } from "../server/subscriptions.ts";
import { HttpError, unavailable } from "./errors.ts";

/** What is counted: what fails at the limit, what a client can do about it, and after how many seconds it should try again. */
const KINDS = {
  requests: ["serve one more request", "wait for a response first", 1],
  connections: ["accept one more connection", "close one first", 1],
  bytes: ["take so many bytes", "wait until other requests are sent and their responses read", 1],
  streams: ["open one more stream", "close one first", 30],
  sessions: ["begin one more session", "end one first", 30],
  stored: ["store more of sessions", "end one first, or unsubscribe from resources", 30],
  replays: ["keep one more response for a client that reconnects", "resume one first", 30],
} as const;

type Kind = keyof typeof KINDS;
type Counts = Record<Kind, number>;

const NO_COUNTS = Object.fromEntries(Object.keys(KINDS).map((kind) => [kind, 0])) as Counts;

/** How many clients are remembered, unless they use something, and the least time between two reports, in milliseconds. */
const MAX_CLIENTS = 10_000, REPORT_MS = 1000;

export class Shares {
  readonly limits: Readonly<Counts>;
  readonly used: Counts = { ...NO_COUNTS };
  readonly byName: Map<string, Share> = new Map();
  readonly report: Throttle;
  #refused = 0;
  #last = "";

  /** @param onrefused Receives one line for an operator, at most once a second. */
  constructor(limits: Readonly<Counts>, onrefused?: (message: string) => void) {
    this.limits = limits;
    this.report = new Throttle(REPORT_MS, () => {
      onrefused?.(`Refused ${this.#refused} times, most recently ${this.#last}`);
      this.#refused = 0;
    });
  }

  of(name: string): Share {
    const { byName } = this, share = byName.get(name) ?? new Share(name, this);
    // Inserted last, so that the least recently seen client is first.
    if (byName.size > 1) byName.delete(name);
    byName.set(name, share);
    if (byName.size <= MAX_CLIENTS) return share;
    for (const [oldest, { held }] of byName) {
      if (held === 0) byName.delete(oldest);
      if (byName.size <= MAX_CLIENTS) break;
    }
    return share;
  }

  /** Counts something that was refused, for the next report. */
  refused(text: string): void {
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
  /** The sum of all that it uses; at 0, the client need not be remembered. */
  held = 0;
  /** How many wrong credentials came from an address, counted until a time in milliseconds since 1970. */
  failures: { count: number; readonly until: number } = { count: 0, until: 0 };
  /** Its ended streams that are kept for it to resume, the oldest first. */
  readonly ended: Set<{ drop(): void }> = new Set();
  /** The state of its requests that belong to no session. */
  readonly session: Session = new Session();
  readonly #shares: Shares;

  constructor(name: string, shares: Shares) {
    this.name = name;
    this.#shares = shares;
    // Requests that wait would hold connections: calls beyond the rate are refused.
    this.session.toolCalls.maxWaitMs = 0;
  }

  /** Whether it may have that much more. */
  fits(kind: Kind, amount: number = 1): boolean {
    const { limits, used } = this.#shares, wanted = this.used[kind] + amount;
    return wanted <= limits[kind] - used[kind] && (kind !== "streams" || wanted <= MAX_SUBSCRIPTIONS);
  }

  /** @throws {HttpError} See `overLimit`; when it may not have that much more. */
  check(kind: Kind, amount: number = 1): void {
    if (!this.fits(kind, amount)) throw this.overLimit(kind, amount);
  }

  /** Counts more, if it may have that much. @throws {HttpError} See `overLimit`. */
  reserve(kind: Kind, amount: number = 1): void {
    if (!this.fits(kind, amount)) throw this.overLimit(kind, amount);
    this.count(kind, amount);
  }

  /** Counts more, or less if negative, whatever the limits are. */
  count(kind: Kind, amount: number): void {
    this.used[kind] += amount;
    this.held += amount;
    this.#shares.used[kind] += amount;
  }

  /** Reports that more does not fit, and makes the error: 503 when all is used, 429 when the client has its share. */
  overLimit(kind: Kind, amount: number = 1): HttpError {
    const { limits, used } = this.#shares;
    const [action, wayOut, seconds] = KINDS[kind];
    const has = this.used[kind];
    this.#shares.refused(`to ${action} for ${this.name}, which has ${has} of ${used[kind]} ${kind} in use`);
    if (used[kind] + amount > limits[kind]) return unavailable(`Cannot ${action}`, seconds);
    // Not 503, which load balancers take for an unhealthy server.
    const reason = `Cannot ${action}: this client has ${has}; ${wayOut}`;
    // The rest of the request is not read.
    return new HttpError(429, reason, { retryAfter: seconds, fields: { connection: "close" } });
  }
}

/** An address without its port; for IPv6 its network of 64 bits, because a client can have all addresses of one. */
export function networkOf(remoteAddress: string = "unknown"): string {
  if (!remoteAddress.startsWith("[")) return remoteAddress.replace(/:\d*$/, "");
  const [, mapped, host = ""] = /^\[(::ffff:(?=[\d.]+\]))?([^\]%]*)/i.exec(remoteAddress) ?? [];
  if (mapped !== undefined) return host;
  return `${groupsOf(host).slice(0, 4).join(":")}::/64`;
}
