/**
 * Is this value a message? Strict: what is not exactly one of the four shapes is refused with the reason, never
 * repaired.
 */

import type { Id, Message, Params } from "./message.ts";
import { ErrorCode, RpcError } from "./error.ts";

/** How deep a message may nest. Real requests stay under ten; the rest is an attack on recursive code. */
export const MAX_DEPTH = 64;

/** Member names that turn careless object code into a hole, refused wherever they stand. */
const HOSTILE_KEYS: ReadonlySet<string> = new Set(["__proto__", "constructor"]);

/** A line that is no message, with the id to answer under where one could be read. */
export class MalformedMessageError extends RpcError {
  /** Names the class in logs. */
  override readonly name = "MalformedMessageError";
  /** The id of the request, when the line had a valid one. */
  readonly id: Id | undefined;

  /**
   * Says why a line is refused.
   *
   * @param code -32700 for what is not JSON, -32600 for JSON that is no message.
   * @param message The reason; it crosses the wire, so it never quotes the line.
   * @param id The id to answer under. @default {undefined, for none that could be read}
   */
  constructor(code: number, message: string, id?: Id) {
    super(code, message);
    this.id = id;
  }
}

/**
 * Parses the text of one line.
 *
 * @returns The JSON value, not yet checked: see `readMessage`.
 * @throws {MalformedMessageError} -32700 when the text is not JSON.
 */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    // V8's own message quotes the input, which may hold secrets that have no business in an answer.
    if (!(cause instanceof SyntaxError)) throw cause;
    throw new MalformedMessageError(ErrorCode.parse, "Parse error: the line is not valid JSON");
  }
}

/**
 * Checks that a JSON value is one message. Members that the specification does not name are let through.
 *
 * @returns The value itself.
 * @throws {MalformedMessageError} -32600 with the reason, and with the id where one could be read.
 */
export function readMessage(value: unknown): Message {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw invalid("a message must be a JSON object");
  }
  const message = value as Record<string, unknown>;
  const id = readId(message);
  if (message["jsonrpc"] !== "2.0") throw invalid('the member "jsonrpc" must be "2.0"', id);
  refuseHostile(message, 1, id);
  if ("method" in message) return readCall(message, id);
  return readResponse(message, id);
}

function readCall(message: Record<string, unknown>, id: Id | undefined): Message {
  if (typeof message["method"] !== "string") throw invalid('the member "method" must be a string', id);
  if ("result" in message || "error" in message) {
    throw invalid("a message has a method, a result or an error, and only one of them", id);
  }
  if ("id" in message && id === undefined) {
    throw invalid("the id of a request must be a string or an integer between -(2^53 - 1) and 2^53 - 1");
  }
  if ("params" in message && !isParams(message["params"])) {
    throw invalid('the member "params" must be an object or an array', id);
  }
  return message as unknown as Message;
}

function readResponse(message: Record<string, unknown>, id: Id | undefined): Message {
  const succeeded = "result" in message;
  const failed = "error" in message;
  if (!succeeded && !failed) throw invalid('the member "method" is missing', id);
  if (succeeded && failed) throw invalid("a response has a result or an error, not both", id);
  if (id === undefined && (succeeded || (message["id"] ?? null) !== null)) {
    throw invalid("the id of a response must be a string or an integer");
  }
  if (failed && !isErrorObject(message["error"])) {
    throw invalid('the member "error" must have an integer code and a message', id);
  }
  return message as unknown as Message;
}

/** An id is echoed exactly, so an integer that a double cannot hold is not an id. */
function readId(message: Record<string, unknown>): Id | undefined {
  const id = message["id"];
  if (typeof id === "string") return id;
  return typeof id === "number" && Number.isSafeInteger(id) ? id : undefined;
}

function isParams(value: unknown): value is Params {
  return typeof value === "object" && value !== null;
}

function isErrorObject(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  const { code, message } = value as { code?: unknown; message?: unknown };
  return Number.isInteger(code) && typeof message === "string";
}

/** Walks the whole message once; the walk itself goes no deeper than the limit. */
function refuseHostile(value: object, depth: number, id: Id | undefined): void {
  if (depth > MAX_DEPTH) throw invalid(`the message nests deeper than ${MAX_DEPTH} levels`, id);
  for (const key of Object.keys(value)) {
    if (HOSTILE_KEYS.has(key)) throw invalid(`the member name "${key}" is not allowed`, id);
    const member = (value as Record<string, unknown>)[key];
    if (typeof member === "object" && member !== null) refuseHostile(member, depth + 1, id);
  }
}

function invalid(reason: string, id?: Id): MalformedMessageError {
  return new MalformedMessageError(ErrorCode.invalidRequest, `Invalid request: ${reason}`, id);
}
