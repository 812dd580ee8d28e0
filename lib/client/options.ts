/** What may be said about a client? Every limit has a default and a reason. */

import type { AnswerStore } from "./answers.ts";
import type { InputHandlers } from "./inputs.ts";
import type { Era } from "./revisions.ts";
import type { Members } from "./value.ts";

/** What a client says of itself. */
export interface ClientInfo {
  /** What it is called. */
  readonly name: string;
  /** Its own version. */
  readonly version: string;
  /** What people call it. */
  readonly title?: string;
}

/** What a client is made of. */
export interface ClientOptions extends InputHandlers {
  /** What the client says of itself. */
  readonly info: ClientInfo;
  /** Capabilities beside those that the handlers stand for, as `extensions`. @default {none} */
  readonly capabilities?: Members;
  /** What the server is taken for; "auto" finds out. @default {"auto"} */
  readonly era?: Era | "auto";
  /** Where the era of a server is remembered, by its address. @default {one memory for the whole process} */
  readonly eras?: Map<string, Era>;
  /** How long the server may take until the conversation is open, in milliseconds: it may have to be installed first. @default {60000} */
  readonly connectTimeoutMs?: number;
  /** How long `server/discover` may go unanswered before a handshake is tried as well, in milliseconds. @default {5000} */
  readonly probeMs?: number;
  /** How long an answer may take, in milliseconds; progress starts it again. @default {60000} */
  readonly timeoutMs?: number;
  /** How long an answer may take whatever progress there is, in milliseconds. @default {600000} */
  readonly maxTimeoutMs?: number;
  /** How many pages a list may have. @default {1000} */
  readonly maxPages?: number;
  /** From which level on the server logs: "debug", "info", "warning", "error". @default {as the server likes} */
  readonly logLevel?: string;
  /** Whether answers are kept for as long as their server allows. @default {true} */
  readonly keepAnswers?: boolean;
  /** Answers that the server calls public, shared by clients of the same server. @default {each client has its own} */
  readonly sharedAnswers?: AnswerStore;
  /** Takes what the server logs. @default {nobody} */
  readonly onlog?: (message: LogMessage) => void;
  /** Takes what is odd about the server and does no harm. @default {nobody} */
  readonly onwarning?: (message: string) => void;
}

/** What a server logs. */
export interface LogMessage {
  /** How grave it is. */
  readonly level: string;
  /** Which part of the server says it. */
  readonly logger?: string;
  /** What it says: any JSON. */
  readonly data: unknown;
}

/** How far something has come. */
export interface Progress {
  /** Grows with each report. */
  readonly progress: number;
  /** What it grows to, where that is known. */
  readonly total?: number;
  /** What is done now. */
  readonly message?: string;
}

/** What may be said about one request. */
export interface CallOptions {
  /** Takes the request back: the server is told, and its answer is not waited for. */
  readonly signal?: AbortSignal;
  /** How long the answer may take, in milliseconds. @default {as the client says} */
  readonly timeoutMs?: number;
  /** Takes reports of progress. @default {none are asked for} */
  readonly onprogress?: (progress: Progress) => void;
}

/** The limits of a client, with everything said. */
export interface Limits {
  readonly connectTimeoutMs: number;
  readonly probeMs: number;
  readonly timeoutMs: number;
  readonly maxTimeoutMs: number;
  readonly maxPages: number;
}

/** Longer than this no timer runs: it would fire at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/**
 * What is said about one request, with a time that a timer can run, or none: the client's is then taken.
 *
 * @throws {RangeError} For a time that is no number of at least 1; `Infinity` is as long as a timer runs.
 */
export function readTiming(options: CallOptions): CallOptions {
  if (!("timeoutMs" in options)) return options;
  const { timeoutMs, ...others } = options;
  if (timeoutMs === undefined) return others;
  if (timeoutMs >= 1) return { ...others, timeoutMs: Math.min(timeoutMs, MAX_TIMER_MS) };
  throw new RangeError(`Cannot ask with timeoutMs ${timeoutMs}: it must be a number of at least 1`);
}

/**
 * Fills in what is not said.
 *
 * @throws {RangeError} For a limit that is no whole number of at least 1.
 */
export function readLimits(options: ClientOptions): Limits {
  const limit = (name: keyof Limits, standard: number) => {
    const value = options[name] ?? standard;
    if (Number.isInteger(value) && value >= 1) return Math.min(value, MAX_TIMER_MS);
    throw new RangeError(
      `Cannot make a client with ${name} ${value}: it must be a whole number of at least 1`,
    );
  };
  const timeoutMs = limit("timeoutMs", 60_000);
  const connectTimeoutMs = limit("connectTimeoutMs", 60_000);
  return Object.freeze({
    connectTimeoutMs,
    // Whoever is silent to the modern question must have time to answer the other one.
    probeMs: Math.min(limit("probeMs", 5000), Math.ceil(connectTimeoutMs / 2)),
    timeoutMs,
    maxTimeoutMs: Math.max(timeoutMs, limit("maxTimeoutMs", 600_000)),
    maxPages: limit("maxPages", 1000),
  });
}
