/** Options of a client and of its calls, and their limits. */

import type { JsonObject } from "../../base/json.ts";
import type { Era } from "../protocol/revisions.ts";
import type { InputHandlers } from "./input.ts";
import type { ResponseCache } from "./response_cache.ts";

/** The name and version that a client sends to servers. */
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
  /** The name and version of the client. */
  readonly info: ClientInfo;
  /** Capabilities in addition to those of the handlers, such as `extensions`. @default {none} */
  readonly capabilities?: JsonObject;
  /** The era of the server; "auto" detects it. @default {"auto"} */
  readonly era?: Era | "auto";
  /** The known eras of servers by address. The client adds to it. @default {one map for the process} */
  readonly eras?: Map<string, Era>;
  /** The timeout for connecting, in milliseconds. It includes the installation of a server. @default {60000} */
  readonly connectTimeoutMs?: number;
  /** How long to wait for `server/discover` before a handshake is tried as well, in milliseconds. @default {5000} */
  readonly probeMs?: number;
  /** The timeout of a request, in milliseconds. A progress report restarts it. @default {60000} */
  readonly timeoutMs?: number;
  /** The maximum duration of a request, with all restarts of its timeout, in milliseconds. @default {600000} */
  readonly maxTimeoutMs?: number;
  /** The maximum number of pages of a list. @default {1000} */
  readonly maxPages?: number;
  /** The maximum number of items of a list, on all its pages. @default {100000} */
  readonly maxItems?: number;
  /** The maximum size of a list, on all its pages, in UTF-16 units. @default {67108864, the limit of a message} */
  readonly maxListSize?: number;
  /** The lowest level of log messages: "debug", "info", "warning", "error". @default {chosen by the server} */
  readonly logLevel?: string;
  /** Whether responses are cached for as long as the server allows. @default {true} */
  readonly cache?: boolean;
  /** A cache of public responses that several clients of one server share. @default {none is shared} */
  readonly sharedCache?: ResponseCache;
  /** Called with log messages of the server. */
  readonly onlog?: (message: LogMessage) => void;
  /** Called for each fault of the server that the client works around. */
  readonly onwarning?: (message: string) => void;
}

/** A log message of a server. */
export interface LogMessage {
  /** The severity. */
  readonly level: string;
  /** The part of the server that it comes from. */
  readonly logger?: string | undefined;
  /** The message, as any JSON value. */
  readonly data: unknown;
}

/** Progress of a request. */
export interface Progress {
  /** Grows with each report. */
  readonly progress: number;
  /** The value of `progress` at the end, if known. */
  readonly total?: number | undefined;
  /** The current step, for people. */
  readonly message?: string | undefined;
}

/** Options of one request. */
export interface CallOptions {
  /** Cancels the request, and notifies the server. */
  readonly signal?: AbortSignal;
  /** The timeout of the call, in milliseconds. @default {`timeoutMs` of the client} */
  readonly timeoutMs?: number;
  /** Called with progress reports. @default {no reports are requested} */
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

/** The longest delay of a timer, in milliseconds. A longer one would end at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** Returns a limit, reduced to the longest delay of a timer. Throws a `RangeError` if it is not a number of at least 1. */
export function readLimit(name: string, value: number): number {
  if (value >= 1) return Math.min(value, MAX_TIMER_MS);
  throw new RangeError(`Invalid ${name} ${value}: it must be a number of at least 1`);
}

/** Sets the limits that are not given, and checks the others. */
export function checkOptions(options: ClientOptions): CheckedOptions {
  const { name, version }: Partial<ClientInfo> = options?.info ?? {};
  if (typeof name !== "string" || typeof version !== "string") {
    throw new TypeError("Cannot connect: options.info must have the name and the version of the client");
  }
  const limits = { ...DEFAULT_LIMITS };
  for (const name of Object.keys(limits) as (keyof typeof limits)[]) {
    limits[name] = readLimit(name, options[name] ?? limits[name]);
  }
  // If server/discover is not answered, there must be time for a handshake.
  limits.probeMs = Math.min(limits.probeMs, Math.ceil(limits.connectTimeoutMs / 2));
  limits.maxTimeoutMs = Math.max(limits.maxTimeoutMs, limits.timeoutMs);
  return { ...options, ...limits };
}
