/**
 * The messages and errors of JSON-RPC 2.0, sections 4 and 5: their types, strict checks and encoding.
 *
 * @see https://www.jsonrpc.org/specification
 */

import { asObject, isObject, own } from "../base/json.ts";
import { attempt } from "../base/text.ts";

/** Pairs a response with its request: a string or an integer, echoed unchanged. */
export type Id = string | number;

/** The arguments of a request or notification: by name (an object) or by position (an array). */
export type Params = Readonly<Record<string, unknown>> | readonly unknown[];

/** A call that gets exactly one response. Its id is unique among the sender's unanswered requests. */
export type Request = {
  readonly jsonrpc: "2.0";
  readonly id: Id;
  readonly method: string;
  readonly params?: Params;
  readonly result?: never;
  readonly error?: never;
};

/** A call that gets no response. */
export type Notification = {
  readonly jsonrpc: "2.0";
  readonly id?: never;
  readonly method: string;
  readonly params?: Params;
  readonly result?: never;
  readonly error?: never;
};

/** The response to a request that succeeded. Its result is any JSON value, or a `RawJson`. */
export type Success = {
  readonly jsonrpc: "2.0";
  readonly id: Id;
  readonly method?: never;
  readonly result: unknown;
  readonly error?: never;
};

/** An error as it is sent. `toErrorObject` makes one of a caught error. */
export type ErrorObject = {
  /** An integer; the JSON-RPC and MCP specifications reserve ranges. */
  readonly code: number;
  /** One sentence for the peer, without paths, stacks or internal names. */
  readonly message: string;
  /** More information for the peer. */
  readonly data?: unknown;
};

/**
 * The response to a request that failed. If the id of the request could not be read, the id is null, or missing in MCP since
 * 2025-11-25.
 */
export type Failure = {
  readonly jsonrpc: "2.0";
  readonly id?: Id | null;
  readonly method?: never;
  readonly result?: never;
  readonly error: ErrorObject;
};

/** A success or a failure. */
export type Response = Success | Failure;

/** Any message. */
export type Message = Request | Notification | Response;

/** Builds a request. */
export function request(id: Id, method: string, params?: Params): Request {
  return params === undefined ? { jsonrpc: "2.0", id, method } : { jsonrpc: "2.0", id, method, params };
}

/** Builds a notification. */
export function notification(method: string, params?: Params): Notification {
  return params === undefined ? { jsonrpc: "2.0", method } : { jsonrpc: "2.0", method, params };
}

/** Builds a success; an undefined result is sent as null. */
export function success(id: Id, result: unknown): Success {
  return { jsonrpc: "2.0", id, result: result ?? null };
}

/** Builds a failure; an undefined id is left out. */
export function failure(id: Id | null | undefined, error: ErrorObject): Failure {
  return id === undefined ? { jsonrpc: "2.0", error } : { jsonrpc: "2.0", id, error };
}

/** The error codes of JSON-RPC 2.0 (section 5.1). */
export const ErrorCode = {
  /** The text is not JSON. */
  parse: -32700,
  /** The JSON is not a message. */
  invalidRequest: -32600,
  /** The method does not exist. */
  methodNotFound: -32601,
  /** The params do not fit the method. */
  invalidParams: -32602,
  /** The receiver failed. */
  internal: -32603,
} as const;

/** An error for the peer: its code, message and data are sent. Any other error of a handler is sent as a generic -32603. */
export class RpcError extends Error {
  /** The name of the class, for logs. */
  override readonly name: string = "RpcError";
  /** The code on the wire. */
  readonly code: number;
  /** The data on the wire; left out if undefined. */
  readonly data: unknown;

  /** `message` is one sentence without paths, stacks or internal names. `data` must be JSON. A `cause` is never sent. */
  constructor(code: number, message: string, data?: unknown, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
    this.data = data;
  }
}

/** An input that is not a message. It has the id of the request, if that could be read. */
export class MalformedMessageError extends RpcError {
  /** The name of the class, for logs. */
  override readonly name = "MalformedMessageError";
  /** The id of the request, if it could be read. */
  readonly id: Id | undefined;

  /** `code` is -32700 for text that is not JSON, else -32600. `message` is sent, so it must not quote the input. */
  constructor(code: number, message: string, id?: Id) {
    super(code, message);
    this.id = id;
  }
}

/**
 * Makes the error for the wire: the code, message and data of an `RpcError`; for anything else a generic -32603, with a
 * reference to the log if given.
 */
export function toErrorObject(cause: unknown, reference?: string): ErrorObject {
  // Data with a bigint or a cycle cannot be sent: then `attempt` returns undefined. The list has a text even for undefined data.
  if (cause instanceof RpcError && attempt(() => [JSON.stringify(cause.data)])) {
    const { code, message, data } = cause;
    return data === undefined ? { code, message } : { code, message, data };
  }
  const internal = { code: ErrorCode.internal, message: "Internal error" };
  return reference === undefined ? internal : { ...internal, data: { reference } };
}

/** The maximum depth of a message. Real messages have fewer than ten levels; deeper ones attack recursive code. */
export const MAX_DEPTH = 64;

/** The maximum number of values in a message. An empty object takes about 60 bytes of memory, twenty times its text. */
const MAX_VALUES = 4_000_000;

/** Counts the opening brackets and the commas of a JSON text, outside its strings. */
export function countValues(text: string): { readonly containers: number; readonly commas: number } {
  let containers = 0, commas = 0;
  for (let at = 0, isString = false; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 0x22) isString = !isString;
    else if (isString) at += Number(code === 0x5c);
    else if (code === 0x2c) commas++;
    else if (code === 0x5b || code === 0x7b) containers++;
  }
  return { containers, commas };
}

/**
 * Parses a message or a batch. @throws {MalformedMessageError} -32700 when it is not JSON, -32600 for over 4,000,000 values.
 */
export function parseJson(text: string): unknown {
  if (text.length > MAX_VALUES) {
    const { containers, commas } = countValues(text);
    if (containers + commas > MAX_VALUES) throw malformed(`the message has more than ${MAX_VALUES} values`);
  }
  try {
    return JSON.parse(text);
  } catch {
    // The engine's own message quotes the input, which may hold secrets.
    throw new MalformedMessageError(ErrorCode.parse, "Parse error: the message is not valid JSON");
  }
}

/** Which ids requests may have in addition to strings and integers between -(2^53 - 1) and 2^53 - 1. */
export interface IdRule {
  /** Whether another value may be an id. Ids are echoed exactly, so it must not accept a number that a double cannot hold. */
  accepts(id: unknown): boolean;
  /** All allowed ids, for messages: "a string or an integer". */
  readonly form: string;
}

const INTEGER = "an integer between -(2^53 - 1) and 2^53 - 1";

/** Strings and integers only, as MCP requires. Params may be null, as some clients of MCP send them. */
export const STRINGS_AND_INTEGERS: IdRule = { accepts: () => false, form: `a string or ${INTEGER}` };

/** All ids of JSON-RPC 2.0 (section 4), including null and fractions, which it discourages. */
export const ALL_IDS: IdRule = {
  accepts: (id) => id === null || (Number.isFinite(id) && !Number.isInteger(id)),
  form: `a string, null, a fraction or ${INTEGER}`,
};

/**
 * Checks that a JSON value is one message, and returns it. Unknown members are allowed. Repeated member names are found only
 * if `text` is given, from which the value was parsed.
 *
 * @throws {MalformedMessageError} -32600 with the reason, and with the id if it could be read.
 */
export function readMessage(value: unknown, text?: string, ids: IdRule = STRINGS_AND_INTEGERS): Message {
  if (!isObject(value)) throw malformed("a message must be a JSON object");
  const { jsonrpc, id, method, params, result, error } = value;
  const hasId = typeof id === "string" || Number.isSafeInteger(id) || ids.accepts(id);
  const fail = (reason: string): never => {
    // If the id is repeated, it is unknown which one is meant.
    const isReadable = hasId && !(text !== undefined && repeatsName(text, true));
    throw malformed(reason, isReadable ? id as Id : undefined);
  };
  if (jsonrpc !== "2.0") fail('the member "jsonrpc" must be "2.0"');
  const colons = checkMembers(value, 1, fail);
  if (text !== undefined && !cannotRepeat(text, colons) && repeatsName(text)) fail(REPEATED);
  const kinds = Number(method !== undefined) + Number(result !== undefined) + Number(error !== undefined);
  if (kinds !== 1) {
    fail('a message must have exactly one of the members "method", "result" and "error"');
  }
  if (method !== undefined) {
    if (typeof method !== "string") fail('the member "method" must be a string');
    if (id !== undefined && !hasId) {
      fail(`the id of a request must be ${ids.form}`);
    }
    if (params === null && ids !== ALL_IDS) return readMessage({ ...value, params: undefined }, text, ids);
    if (params !== undefined && (typeof params !== "object" || params === null)) {
      fail('the member "params" must be an object or an array');
    }
  } else {
    // An error may answer a message whose id could not be read.
    if (!hasId && (error === undefined || (id ?? null) !== null)) {
      fail("the id of a response must be a string or an integer");
    }
    const { code, message } = asObject(error);
    if (error !== undefined && !(Number.isInteger(code) && typeof message === "string")) {
      fail('the member "error" must have an integer code and a message');
    }
  }
  return value as unknown as Message;
}

/**
 * Calls `refuse` for a member name or a depth that is not allowed. Returns the number of colons: one for each member of an
 * object, and those in strings.
 */
function checkMembers(value: object, depth: number, refuse: (reason: string) => never): number {
  if (depth > MAX_DEPTH) refuse(`the message nests deeper than ${MAX_DEPTH} levels`);
  const isList = Array.isArray(value);
  let colons = 0;
  // deno-lint-ignore guard-for-in -- parsed JSON inherits nothing that is enumerable, and this is faster than a list of keys
  for (const key in value) {
    const member = (value as Record<string, unknown>)[key];
    // Code that merges objects would change prototypes with these. Some APIs have a member "constructor".
    if (key === "__proto__") refuse('the member name "__proto__" is not allowed');
    if (key === "constructor" && own(asObject(member), "prototype") !== undefined) {
      refuse('the member name "constructor" is not allowed around a "prototype"');
    }
    if (!isList) colons++;
    if (typeof member === "string") colons += colonsIn(member);
    else if (typeof member === "object" && member !== null) colons += checkMembers(member, depth + 1, refuse);
  }
  return colons;
}

/** The reason for refusing a repeated member name: readers disagree on which of the members counts. */
export const REPEATED = "a member name occurs twice in one object";

/** Whether a name occurs twice in one object of a batch, given as values and as their text. */
export function repeatsInBatch(values: readonly unknown[], text: string): boolean {
  // Other faults are reported later, for each message.
  const colons = attempt(() => checkMembers(values, 0, throwMalformed));
  return !cannotRepeat(text, colons) && repeatsName(text);
}

function throwMalformed(reason: string): never {
  throw malformed(reason);
}

/**
 * Whether a cheap test excludes repeated names. `JSON.parse` keeps one of two members with the same name, so the text then has
 * more colons than the value. Colons in names and escaped ones (`\u003a`) fail the test too; then `repeatsName` decides.
 */
function cannotRepeat(text: string, colons: number | undefined): boolean {
  return colons === colonsIn(text) && !text.includes("\\u003");
}

/** Whether a name occurs twice in one object of a JSON text. With `onlyId`, only the `id` of the outermost object counts. */
function repeatsName(text: string, onlyId: boolean = false): boolean {
  /** The names in the open objects; undefined for an array. */
  const open: (Set<string> | undefined)[] = [];
  let start = 0, end = 0;
  for (let at = 0; at < text.length; at++) {
    const char = text[at];
    if (char === '"') {
      for (start = at++; text[at] !== '"'; at++) if (text[at] === "\\") at++;
      end = at + 1;
    } else if (char === ":") {
      const name: string = JSON.parse(text.slice(start, end));
      const names = open.at(-1)!;
      if (names.has(name) && (!onlyId || (open.length === 1 && name === "id"))) return true;
      names.add(name);
    } else if (char === "{" || char === "[") open.push(char === "{" ? new Set() : undefined);
    else if (char === "}" || char === "]") open.pop();
  }
  return false;
}

function colonsIn(text: string): number {
  let count = 0;
  for (let at = text.indexOf(":"); at >= 0; at = text.indexOf(":", at + 1)) count++;
  return count;
}

/** The error for an input that is not a message, with its id if that could be read. */
export function malformed(reason: string, id?: Id): MalformedMessageError {
  return new MalformedMessageError(ErrorCode.invalidRequest, `Invalid request: ${reason}`, id);
}

/** Part of a JSON text: a string, or its UTF-8 bytes. */
export type JsonChunk = string | Uint8Array;

/**
 * A JSON object that is already serialised. Content that does not change (a document, a page of a list) is encoded
 * once and sent as bytes, which costs half to a seventh of encoding it again.
 */
export class RawJson {
  /** The text between the braces, in chunks. */
  readonly members: readonly JsonChunk[];

  /** Takes JSON text of at least one member, unchecked. The array and its bytes must not be changed afterwards. */
  constructor(members: readonly JsonChunk[]) {
    this.members = Object.freeze(members);
    Object.freeze(this);
  }

  /** Serialises an object. @throws {TypeError} When it cannot be written as JSON. */
  static of(value: object): RawJson {
    return new RawJson([JSON.stringify(value).slice(1, -1)]);
  }

  /** A copy with more members at the end, given as JSON text without braces: `"ttlMs":0`. */
  with(members: string): RawJson {
    return new RawJson([...this.members, `,${members}`]);
  }

  /** Parses the object. @throws {SyntaxError} When the members are not JSON. */
  toJSON(): unknown {
    const decoder = new TextDecoder();
    const texts = this.members.map((chunk) => typeof chunk === "string" ? chunk : decoder.decode(chunk));
    return JSON.parse(`{${texts.join("")}}`);
  }
}

/** Writes a message, or the responses to a batch, as JSON; a `RawJson` is not copied. @throws {TypeError} When that fails. */
export function encodeMessage(message: Message | readonly Message[]): JsonChunk[] {
  if (message instanceof Array) {
    return [...message.flatMap((one, index) => [index === 0 ? "[" : ",", ...encodeMessage(one)]), "]"];
  }
  const { id, result } = message;
  if (!(result instanceof RawJson)) return [JSON.stringify(message)];
  return [`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":{`, ...result.members, "}}"];
}
