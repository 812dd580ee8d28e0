/** Reading and writing messages as JSON. Reading is strict: an input that is not exactly one message is refused, never repaired. */

import type { Id, Message, Response } from "./message.ts";
import { isObject } from "../base/json.ts";
import { ErrorCode, MalformedMessageError } from "./message.ts";

/** How deep a message may nest. Real messages stay under ten levels; deeper ones attack recursive code. */
export const MAX_DEPTH = 64;

/** Member names that pollute prototypes in careless code. */
const UNSAFE_KEYS: ReadonlySet<string> = new Set(["__proto__", "constructor"]);

/**
 * Parses the text of one line.
 *
 * @returns The JSON value; pass it to `readMessage`.
 * @throws {MalformedMessageError} -32700 when the text is not JSON.
 */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    // The engine's own message quotes the input, which may hold secrets.
    if (!(cause instanceof SyntaxError)) throw cause;
    throw new MalformedMessageError(ErrorCode.parse, "Parse error: the line is not valid JSON");
  }
}

/**
 * Checks that a JSON value is one message. Members that the specification does not name are let through.
 *
 * @returns The value itself.
 * @throws {MalformedMessageError} -32600 with the reason, and with the id if it could be read.
 */
export function readMessage(value: unknown): Message {
  if (!isObject(value)) throw invalid("a message must be a JSON object");
  const id = readId(value["id"]);
  if (value["jsonrpc"] !== "2.0") throw invalid('the member "jsonrpc" must be "2.0"', id);
  checkMembers(value, 1, id);
  const hasResult = "result" in value, hasError = "error" in value;
  if ("method" in value) {
    if (typeof value["method"] !== "string") throw invalid('the member "method" must be a string', id);
    if (hasResult || hasError) {
      throw invalid("a message has a method, a result or an error, and only one of them", id);
    }
    if ("id" in value && id === undefined) {
      throw invalid("the id of a request must be a string or an integer between -(2^53 - 1) and 2^53 - 1");
    }
    if ("params" in value && (typeof value["params"] !== "object" || value["params"] === null)) {
      throw invalid('the member "params" must be an object or an array', id);
    }
  } else {
    if (!hasResult && !hasError) throw invalid('the member "method" is missing', id);
    if (hasResult && hasError) throw invalid("a response has a result or an error, not both", id);
    if (id === undefined && (hasResult || (value["id"] ?? null) !== null)) {
      throw invalid("the id of a response must be a string or an integer");
    }
    const { error } = value;
    if (
      hasError &&
      !(isObject(error) && Number.isInteger(error["code"]) && typeof error["message"] === "string")
    ) {
      throw invalid('the member "error" must have an integer code and a message', id);
    }
  }
  return value as unknown as Message;
}

/** An id is echoed exactly, so an integer that a double cannot hold is refused. */
function readId(id: unknown): Id | undefined {
  return typeof id === "string" || Number.isSafeInteger(id) ? id as Id : undefined;
}

function checkMembers(value: object, depth: number, id: Id | undefined): void {
  if (depth > MAX_DEPTH) throw invalid(`the message nests deeper than ${MAX_DEPTH} levels`, id);
  for (const key of Object.keys(value)) {
    if (UNSAFE_KEYS.has(key)) throw invalid(`the member name "${key}" is not allowed`, id);
    const member = (value as Record<string, unknown>)[key];
    if (typeof member === "object" && member !== null) checkMembers(member, depth + 1, id);
  }
}

function invalid(reason: string, id?: Id): MalformedMessageError {
  return new MalformedMessageError(ErrorCode.invalidRequest, `Invalid request: ${reason}`, id);
}

/** Part of a JSON text: a string, or its UTF-8 bytes. */
export type JsonChunk = string | Uint8Array;

/**
 * A JSON object that is already serialised. Content that does not change (a document, a page of a list) is encoded
 * once and sent as bytes, which costs half to a seventh of encoding it again.
 *
 * @example
 * ```ts
 * import { RawJson } from "@architrave/architrave/jsonrpc";
 *
 * const text = new TextEncoder().encode('"text":"a large document"');
 * const result = new RawJson([text]).with('"ttlMs":0');
 * JSON.stringify(result); // {"text":"a large document","ttlMs":0}
 * ```
 */
export class RawJson {
  /** The members between the braces, comma-separated and cut anywhere. */
  readonly members: readonly JsonChunk[];

  /**
   * Takes JSON text without checking it.
   *
   * @param members At least one member. The array and its bytes must not be changed afterwards.
   */
  constructor(members: readonly JsonChunk[]) {
    this.members = Object.freeze(members);
    Object.freeze(this);
  }

  /**
   * Serialises an object.
   *
   * @throws {TypeError} When it cannot be written as JSON.
   */
  static of(value: object): RawJson {
    return new RawJson([JSON.stringify(value).slice(1, -1)]);
  }

  /**
   * A copy with more members at the end.
   *
   * @param members JSON text without braces, unchecked: `"ttlMs":0`.
   */
  with(members: string): RawJson {
    return new RawJson([...this.members, `,${members}`]);
  }

  /**
   * Parses the object.
   *
   * @throws {SyntaxError} When the members are not JSON.
   */
  toJSON(): unknown {
    return JSON.parse(`{${joinChunks(this.members)}}`);
  }
}

/** The chunks as one string. */
export function joinChunks(chunks: readonly JsonChunk[]): string {
  const decoder = new TextDecoder();
  return chunks.map((chunk) => typeof chunk === "string" ? chunk : decoder.decode(chunk)).join("");
}

/**
 * Appends a message, or the responses to a batch, to the chunks, without a line end. The bytes of a `RawJson` are not
 * copied.
 *
 * @throws {TypeError} When it cannot be written as JSON.
 */
export function encodeMessage(message: Message | readonly Message[], chunks: JsonChunk[]): void {
  if (!Array.isArray(message)) return encodeOne(message as Message, chunks);
  chunks.push("[");
  for (const [index, one] of (message as readonly Message[]).entries()) {
    if (index > 0) chunks.push(",");
    encodeOne(one, chunks);
  }
  chunks.push("]");
}

function encodeOne(message: Message, chunks: JsonChunk[]): void {
  const { result } = message as Response;
  if (!(result instanceof RawJson)) return void chunks.push(JSON.stringify(message));
  chunks.push(`{"jsonrpc":"2.0","id":${JSON.stringify(message.id)},"result":{`, ...result.members, "}}");
}
