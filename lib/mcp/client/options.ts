/** Options, limits and errors of a client, and what it needs of a transport. */

import type { Awaitable } from "../../base/async.ts";
import type { JsonObject } from "../../base/json.ts";
import type { Era } from "../protocol/revisions.ts";
import type { Transport } from "../../jsonrpc/transport/transport.ts";
import type { Result, Root } from "../protocol/types.ts";
import type { ResponseCache } from "./client.ts";

/** What a client says of itself. */
export interface ClientInfo {
  /** Its name, for programs. */
  readonly name: string;
  /** Its version. */
  readonly version: string;
  /** Its name, for people. */
  readonly title?: string;
}

/** A form for the user. */
export interface FormRequest extends Result {
  /** Why the server asks. */
  readonly message: string;
  /** The fields: an object schema with members of primitive types. */
  readonly requestedSchema: JsonObject;
}

/** A page that the user is asked to open: ask first, and show where it leads. */
export interface UrlRequest extends Result {
  /** Why the server asks. */
  readonly message: string;
  /** The address. */
  readonly url: string;
}

/** The user's decision. */
export interface ElicitResult {
  /** Agreed, refused, or dismissed. */
  readonly action: "accept" | "decline" | "cancel";
  /** The values of the form; a missing one gets its default. */
  readonly content?: JsonObject;
}

/** A request for a model. */
export interface SampleRequest extends Result {
  /** The conversation so far. */
  readonly messages: readonly { readonly role: string; readonly content: unknown }[];
  /** The most tokens that the answer may have. */
  readonly maxTokens: number;
}

/** A model's answer. */
export interface SampleResult {
  /** "assistant". */
  readonly role: string;
  /** The content. */
  readonly content: unknown;
  /** The name of the model. */
  readonly model: string;
  /** Why it stopped. */
  readonly stopReason?: string;
}

/** What a handler gets in addition to the request. */
export interface InputContext {
  /** Aborts when the answer is not needed any more. */
  readonly signal: AbortSignal;
}

/** Handlers for what a server asks. What has no handler is not offered to servers. */
export interface InputHandlers {
  /** Lets the user fill in a form. @default {forms are not offered} */
  readonly onform?: (form: FormRequest, context: InputContext) => Awaitable<ElicitResult>;
  /** Lets the user open a page. @default {pages are not offered} */
  readonly onurl?: (page: UrlRequest, context: InputContext) => Awaitable<ElicitResult>;
  /** Lets a model answer. @default {models are not offered} */
  readonly onsample?: (request: SampleRequest, context: InputContext) => Awaitable<SampleResult>;
  /** The folders that the server may work in. @default {folders are not offered} */
  readonly roots?: readonly Root[] | (() => Awaitable<readonly Root[]>);
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

/** What a client needs of a transport. The members that `Transport` does not have are for HTTP. */
export interface ClientTransport extends Transport {
  /** The address of a server that outlives the session: its era is remembered under it. */
  readonly address?: string;
  /** Whether arguments of tools are repeated in header fields. @default {false} */
  readonly hasHeaders?: boolean;
  /** The fields for the arguments of a `tools/call`, from its params. Set by the client. */
  argumentHeaders?: ((params: JsonObject) => Readonly<Record<string, string>>) | undefined;
  /**
   * Called when the stream of server-initiated messages was opened again and messages may have been missed; and, with the
   * cause, when it has ended. A `SessionLostError` may also mean that there is no such stream. Set by the client.
   */
  onstream?: ((cause: Error | undefined) => void) | undefined;
  /** Opens that stream again where it has ended. */
  openStream?(): void;
}

/** A transport that is not started, or a function that makes one as often as it is needed. */
export type Connectable = ClientTransport | (() => ClientTransport | Promise<ClientTransport>);

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

/** What goes wrong between a client and its server, apart from the errors that the server answers with. */
export class ClientError extends Error {
  /** The name of the class, for logs. */
  override readonly name: string = "ClientError";
}

/** No session could be opened: the server cannot be reached, or there is no revision that both sides speak. */
export class ConnectError extends ClientError {
  /** The name of the class, for logs. */
  override readonly name = "ConnectError";
}

/** The server did not answer in time. */
export class TimeoutError extends ClientError {
  /** The name of the class, for logs. */
  override readonly name = "TimeoutError";
}

/** The server broke the protocol: nothing in its response can be relied on. */
export class ProtocolError extends ClientError {
  /** The name of the class, for logs. */
  override readonly name = "ProtocolError";
}

/** The server answered a request over HTTP with an error status and no message. */
export class HttpError extends ClientError {
  /** The name of the class, for logs. */
  override readonly name: string = "HttpError";
  /** The status, such as 401. */
  readonly status: number;

  /** Takes the message and the status. */
  constructor(message: string, status: number) {
    super(message);
    this.status = status;
  }
}

/** The server does not know the session any more. */
export class SessionLostError extends HttpError {
  /** The name of the class, for logs. */
  override readonly name = "SessionLostError";
}
