/** What does the body of an answer hold? Read with a limit, whatever its header fields say of its length. */

import { ProtocolError } from "./errors.ts";

/** The most that one message may have, in bytes: as much as one line of a program. */
export const MAX_BODY_BYTES: number = 64 * 1024 * 1024;
/** How much of an answer that is none is read, in bytes: enough for a sentence about it. */
export const MAX_REFUSAL_BYTES: number = 1024 * 1024;

/**
 * The text of a body.
 *
 * @throws {ProtocolError} When it is longer than the limit.
 */
export async function readText(response: Response, maxBytes: number): Promise<string> {
  const pieces: string[] = [];
  let size = 0;
  await readPieces(response, (text, bytes) => {
    size += bytes;
    if (size > maxBytes) throw new ProtocolError(`The server answered with more than ${maxBytes} bytes`);
    pieces.push(text);
  });
  return pieces.join("");
}

/** Reads a body piece by piece, one after the other; whoever takes them may throw to stop it. */
export async function readPieces(
  response: Response,
  take: (text: string, bytes: number) => void | Promise<void>,
): Promise<void> {
  const reader = response.body?.getReader();
  if (!reader) return;
  const decoder = new TextDecoder();
  try {
    for (let read = await reader.read(); !read.done; read = await reader.read()) {
      await take(decoder.decode(read.value, { stream: true }), read.value.length);
    }
  } finally {
    // Where it was read to its end, there is nothing to cancel.
    reader.cancel().catch(() => {});
  }
}

/** Lets go of a body that nobody reads. */
export function drop(response: Response): void {
  response.body?.cancel().catch(() => {});
}

/** What kind of body it is, without its parameters: "application/json". */
export function typeOf(response: Response): string {
  return (response.headers.get("content-type") ?? "").split(";", 1)[0]!.trim().toLowerCase();
}

/**
 * A message as a value.
 *
 * @throws {ProtocolError} When it is not JSON.
 */
export function parse(text: string): unknown {
  const value = tryParse(text);
  if (value === undefined) throw new ProtocolError("The server sent a message that is not JSON");
  return value;
}

/** A text as a value; undefined when it is not JSON. */
export function tryParse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
