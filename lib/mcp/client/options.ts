/** Options of a client and of its calls, and their limits. */

import type { JsonObject } from "../../base/json.ts";
import type { Era } from "../protocol/revisions.ts";
import type { InputHandlers } from "./input.ts";
import type { ResponseCache } from "./response_cache.ts";

/** What a client says of itself. */
export interface ClientInfo {
  /** Its name, for programs. */
  readonly name: string;
  /** Its version. */
  readonly version: string;
  /** Its name, for people. */
  readonly title?: string;
}

/** Options of a client. */
export interface ClientOptions extends InputHandlers {
  /** What the client says of itself. */
  readonly info: ClientInfo;
  /** Capabilities in addition to those of the handlers, such as `extensions`. @default {none} */
  readonly capabilities?: JsonObject;
  /** The era of the server; "auto" finds it out. @default {"auto"} */
  readonly era?: Era | "auto";
  /** Remembers the eras of servers by address. @default {one memory for the process} */
  readonly eras?: Map<string, Era>;
  /** How long connecting may take, in milliseconds: the server may have to be installed first. @default {60000} */
  readonly connectTimeoutMs?: number;
  /** How long `server/discover` may go unanswered before a handshake is tried as well, in milliseconds. @default {5000} */
  readonly probeMs?: number;
  /** How long a response may take, in milliseconds; progress starts the time again. @default {60000} */
  readonly timeoutMs?: number;
  /** How long a response may take in all, in milliseconds. @default {600000} */
  readonly maxTimeoutMs?: number;
  /** The most pages of a list. @default {1000} */
  readonly maxPages?: number;
  /** The most items of a list, on all its pages. @default {100000} */
  readonly maxItems?: number;
  /** The most text of a list, on all its pages, in UTF-16 units. @default {67108864, as much as one message} */
  readonly maxListSize?: number;
  /** The lowest level of log messages: "debug", "info", "warning", "error". @default {as the server likes} */
  readonly logLevel?: string;
  /** Whether responses are cached for as long as the server allows. @default {true} */
  readonly cache?: boolean;
  /** Holds responses that the server calls public, for several clients of one server. @default {one for each client} */
  readonly sharedCache?: ResponseCache;
  /** Called with log messages of the server. */
  readonly onlog?: (message: LogMessage) => void;
  /** Called with faults of the server that the client can work around. */
  readonly onwarning?: (message: string) => void;
}

/** A log message of a server. */
export interface LogMessage {
  /** The severity. */
  readonly level: string;
  /** The part of the server that it comes from. */
  readonly logger?: string | undefined;
  /** The message: any JSON. */
  readonly data: unknown;
}

/** Progress of a request. */
export interface Progress {
  /** Grows with each report. */
  readonly progress: number;
  /** What it grows to, where that is known. */
  readonly total?: number | undefined;
  /** What is being done. */
  readonly message?: string | undefined;
}

/** Options of one request. */
export interface CallOptions {
  /** Cancels the request; the server is told. */
  readonly signal?: AbortSignal;
  /** How long the call may take, with all that it needs, in milliseconds. @default {the client's} */
  readonly timeoutMs?: number;
  /** Called with progress reports. @default {none are asked for} */
  readonly onprogress?: (progress: Progress) => void;
}

/** The default limits. */
const DEFAULT_LIMITS = {
  connectTimeoutMs: 60_000,
  probeMs: 5000,
  timeoutMs: 60_000,
  maxTimeoutMs: 600_000,
  maxPages: 1000,
  maxItems: 100_000,
  maxListSize: 67_108_864,
};

/** The options of a client, with every limit set. */
export type CheckedOptions = ClientOptions & Readonly<typeof DEFAULT_LIMITS>;

/** A timer that is set to more than this fires at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** A limit, cut to what a timer can wait. Throws a `RangeError` when it is below 1 or no number. */
export function readLimit(name: string, value: number): number {
  if (value >= 1) return Math.min(value, MAX_TIMER_MS);
  throw new RangeError(`Invalid ${name} ${value}: it must be a number of at least 1`);
}

/** Sets the limits that are not given, and checks the others. */
export function checkOptions(options: ClientOptions): CheckedOptions {
  const limits = { ...DEFAULT_LIMITS };
  for (const name of Object.keys(limits) as (keyof typeof limits)[]) {
    limits[name] = readLimit(name, options[name] ?? limits[name]);
  }
  // A server that does not answer server/discover needs time for the handshake.
  limits.probeMs = Math.min(limits.probeMs, Math.ceil(limits.connectTimeoutMs / 2));
  limits.maxTimeoutMs = Math.max(limits.maxTimeoutMs, limits.timeoutMs);
  return { ...options, ...limits };
}
