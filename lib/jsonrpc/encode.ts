/**
 * How is a message written? As pieces of text and bytes that follow one another on the wire.
 *
 * JSON that does not change (a document, the fixed part of a prompt, a page of a list) is encoded once, kept as
 * UTF-8 bytes, and from then on only framed: over pipes that costs between a half and a seventh of writing it
 * again.
 */

import type { Message, Response } from "./message.ts";

/** A stretch of JSON text: a string that is yet to be encoded, or its UTF-8 bytes. */
export type Piece = string | Uint8Array;

/**
 * A JSON object that is already written. It holds what stands between the braces, so that members can be added
 * without touching what is there.
 *
 * @example
 * ```ts
 * import { WrittenObject } from "@architrave/architrave/jsonrpc";
 *
 * const kept = new TextEncoder().encode('"text":"a large document"');
 * const result = new WrittenObject([kept]).with('"ttlMs":0');
 * JSON.stringify(result); // {"text":"a large document","ttlMs":0}
 * ```
 */
export class WrittenObject {
  /** The members, comma-separated, as they stand between the braces. */
  readonly members: readonly Piece[];

  /**
   * Takes JSON text as it is, unchecked.
   *
   * @param members At least one member, cut into pieces anywhere; the list and its bytes belong to the object from
   * here on and must not be changed.
   */
  constructor(members: readonly Piece[]) {
    this.members = Object.freeze(members);
    Object.freeze(this);
  }

  /**
   * Writes an object here and now.
   *
   * @throws {TypeError} When it cannot be written as JSON; it has no pieces then, and nothing else is harmed.
   */
  static of(value: object): WrittenObject {
    return new WrittenObject([JSON.stringify(value).slice(1, -1)]);
  }

  /**
   * The same object with more members after the ones it has; this one stays as it is.
   *
   * @param members JSON text without braces, unchecked: `"ttlMs":0`.
   */
  with(members: string): WrittenObject {
    return new WrittenObject([...this.members, `,${members}`]);
  }

  /**
   * The object as a value: what a carrier without bytes hands over.
   *
   * @throws {SyntaxError} When the pieces are not JSON together.
   */
  toJSON(): unknown {
    const decoder = new TextDecoder();
    const text = this.members.map((piece) => typeof piece === "string" ? piece : decoder.decode(piece));
    return JSON.parse(`{${text.join("")}}`);
  }
}

/**
 * Appends one message, or the answers to one batch, to the pieces, without a line end.
 *
 * @param message A batch has at least one message.
 * @param pieces Only added to; bytes of a `WrittenObject` go in as they are, not copied.
 */
export function encodeMessage(message: Message | readonly Message[], pieces: Piece[]): void {
  if (!Array.isArray(message)) return encodeOne(message as Message, pieces);
  pieces.push("[");
  for (const [index, one] of (message as readonly Message[]).entries()) {
    if (index > 0) pieces.push(",");
    encodeOne(one, pieces);
  }
  pieces.push("]");
}

function encodeOne(message: Message, pieces: Piece[]): void {
  const { result } = message as Response;
  if (!(result instanceof WrittenObject)) {
    pieces.push(JSON.stringify(message));
    return;
  }
  pieces.push(`{"jsonrpc":"2.0","id":${JSON.stringify(message.id)},"result":{`, ...result.members, "}}");
}
