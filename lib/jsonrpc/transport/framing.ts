/** Newline-delimited framing: splits the input into lines, and joins the chunks of messages into few writes. */

import type { JsonChunk } from "../message.ts";
import { ErrorCode, malformed, MalformedMessageError } from "../message.ts";

/** The maximum length of an inbound line, in bytes, without its newline. It bounds memory. */
export const MAX_LINE_BYTES: number = 4 * 1024 * 1024;
/** The maximum size of a write, in bytes. Each completed write shows that the peer is reading. */
export const MAX_WRITE_BYTES: number = 512 * 1024;
/** The minimum size of chunks that are written without being copied, in bytes. */
const MIN_UNCOPIED_BYTES = 64 * 1024;

const NEWLINE = 0x0a;
const SPACE = 0x20;
const NOTHING: Uint8Array = new Uint8Array(0);
const encoder = new TextEncoder();
const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** A line that is not blank, without its newline but maybe with a carriage return; or the error if it is malformed. */
export type Line = string | MalformedMessageError;

/** Splits bytes into lines in linear time. Drops byte order marks and blank lines, and reports lines that are not UTF-8. */
export class LineDecoder {
  readonly #maxLineBytes: number;
  /** The buffer for a line whose end has not arrived. It grows by doubling. */
  #pending: Uint8Array = NOTHING;
  /** The used part of `#pending`, at most `#maxLineBytes`. */
  #pendingBytes = 0;
  #skipsLine = false;

  constructor(maxLineBytes: number) {
    this.#maxLineBytes = maxLineBytes;
  }

  /** Reads a chunk, which the caller may reuse afterwards. Returns the lines that the chunk completes. */
  push(chunk: Uint8Array): Line[] {
    const lines: Line[] = [];
    let start = 0;
    if (this.#pendingBytes > 0 || this.#skipsLine) {
      const end = chunk.indexOf(NEWLINE);
      this.#hold(end < 0 ? chunk : chunk.subarray(0, end), lines);
      if (end < 0) return lines;
      this.#endPending(lines);
      start = end + 1;
    }
    const end = chunk.lastIndexOf(NEWLINE);
    if (end >= start) this.#decode(chunk.subarray(start, end), lines);
    if (end + 1 < chunk.length) this.#hold(chunk.subarray(Math.max(start, end + 1)), lines);
    return lines;
  }

  /** Ends the input. A last line without a newline is a line, too. */
  end(): Line[] {
    const lines: Line[] = [];
    this.#endPending(lines);
    return lines;
  }

  /** Decodes all complete lines with one call, because pipelined requests arrive together. */
  #decode(bytes: Uint8Array, lines: Line[]): void {
    const isTooLong = bytes.length > this.#maxLineBytes;
    try {
      for (const line of isTooLong ? [] : utf8.decode(bytes).split("\n")) {
        const text = line.charCodeAt(0) === 0xfeff ? line.slice(1) : line;
        if (text.charCodeAt(0) > SPACE || text.trim() !== "") lines.push(text);
      }
      if (!isTooLong) return;
    } catch {
      // At least one line is not valid UTF-8.
    }
    if (!bytes.includes(NEWLINE)) {
      const notUtf8 = new MalformedMessageError(ErrorCode.parse, "Parse error: the line is not valid UTF-8");
      return void lines.push(isTooLong ? this.#tooLong() : notUtf8);
    }
    // The other lines may be valid, so they are decoded one by one.
    for (let start = 0, end = 0; start <= bytes.length; start = end + 1) {
      end = bytes.indexOf(NEWLINE, start);
      if (end < 0) end = bytes.length;
      this.#decode(bytes.subarray(start, end), lines);
    }
  }

  #hold(bytes: Uint8Array, lines: Line[]): void {
    if (this.#skipsLine || bytes.length === 0) return;
    const needed = this.#pendingBytes + bytes.length;
    if (needed > this.#maxLineBytes) {
      this.#pendingBytes = 0;
      this.#skipsLine = true;
      // Reported at once, because the sender may wait for the error and never send the end of the line.
      return void lines.push(this.#tooLong());
    }
    if (needed > this.#pending.length) {
      const grown = new Uint8Array(Math.max(needed, 2 * this.#pending.length));
      grown.set(this.#pending.subarray(0, this.#pendingBytes));
      this.#pending = grown;
    }
    this.#pending.set(bytes, this.#pendingBytes);
    this.#pendingBytes = needed;
  }

  #endPending(lines: Line[]): void {
    if (this.#pendingBytes > 0) this.#decode(this.#pending.subarray(0, this.#pendingBytes), lines);
    this.#pending = NOTHING;
    this.#pendingBytes = 0;
    this.#skipsLine = false;
  }

  #tooLong(): MalformedMessageError {
    return malformed(`the line is longer than ${this.#maxLineBytes} bytes`);
  }
}

/**
 * Takes the next write off a queue: at most as many bytes as `memory` has. Small chunks are copied into `memory`, which can be
 * reused after the write.
 */
export function takeWrite(queue: JsonChunk[], memory: Uint8Array): Uint8Array[] {
  const write: Uint8Array[] = [];
  let space = memory.length;
  let taken = 0;
  /** The filled part of `memory` that is not in the write yet. */
  let start = 0, end = 0;
  for (; taken < queue.length && space > 0; taken++) {
    const chunk = queue[taken]!;
    let length: number;
    if (typeof chunk === "string") {
      const { read, written } = encoder.encodeInto(chunk, memory.subarray(end, end + space));
      length = read;
      end += written;
      space -= written;
    } else {
      length = Math.min(chunk.length, space);
      const part = chunk.subarray(0, length);
      if (chunk.length < MIN_UNCOPIED_BYTES) {
        memory.set(part, end);
        end += length;
      } else {
        if (end > start) write.push(memory.subarray(start, end));
        write.push(part);
        start = end;
      }
      space -= length;
    }
    if (length < chunk.length) {
      queue[taken] = typeof chunk === "string" ? chunk.slice(length) : chunk.subarray(length);
      break;
    }
  }
  queue.splice(0, taken);
  if (end > start) write.push(memory.subarray(start, end));
  return write;
}
