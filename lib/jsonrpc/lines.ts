/**
 * Where does a line end? Turns chunks of bytes, cut anywhere, into the lines of a newline-delimited stream.
 *
 * The cost is linear in the input however it is cut, and never more than one line is held back.
 */

import { ErrorCode } from "./error.ts";
import { MalformedMessageError } from "./decode.ts";

/** The longest inbound line in bytes, its end not counted. 4 MiB holds any sane request and bounds the memory. */
export const MAX_LINE_BYTES: number = 4 * 1024 * 1024;

const NEWLINE = 0x0a;
const SPACE = 0x20;
const NOTHING: Uint8Array = new Uint8Array(0);

/** What a decoder does with what it finds. */
export interface LineSink {
  /** A line that has text in it, without its end (a carriage return may stand at its end). */
  line(text: string): void;
  /** A line that cannot be one: not UTF-8, or over the limit. The next line is read as if nothing were wrong. */
  malformed(error: MalformedMessageError): void;
}

/**
 * Cuts a byte stream into lines.
 *
 * A byte order mark at the start of a line and blank lines are dropped. Bytes that are not UTF-8 are refused, not
 * replaced: a message with characters swapped in is not the message that was sent.
 */
export class LineDecoder {
  readonly #sink: LineSink;
  readonly #maxLineBytes: number;
  /** Holds the line that has no end yet; grows by doubling, so that single bytes cost no more than chunks. */
  #pending: Uint8Array = NOTHING;
  /** How much of `#pending` is in use; never more than `#maxLineBytes`. */
  #pendingBytes = 0;
  /** True while the rest of a line that is over the limit goes by. */
  #skipping = false;

  /**
   * Starts at the start of a line.
   *
   * @param sink Called during `push` and `end`, in the order of the lines.
   * @param maxLineBytes The longest line in bytes, and the most that is held back. @default {4 MiB}
   */
  constructor(sink: LineSink, maxLineBytes: number = MAX_LINE_BYTES) {
    this.#sink = sink;
    this.#maxLineBytes = maxLineBytes;
  }

  /** Takes the next chunk; it may be reused by the caller afterwards. */
  push(chunk: Uint8Array): void {
    let start = 0;
    if (this.#pendingBytes > 0 || this.#skipping) {
      const end = chunk.indexOf(NEWLINE);
      if (end < 0) return this.#hold(chunk);
      this.#hold(chunk.subarray(0, end));
      this.#endPending();
      start = end + 1;
    }
    const last = chunk.lastIndexOf(NEWLINE);
    if (last >= start) this.#lines(chunk.subarray(start, last));
    if (last + 1 < chunk.length) this.#hold(chunk.subarray(Math.max(start, last + 1)));
  }

  /** Takes the end of the stream: a last line without a newline is a line all the same. */
  end(): void {
    if (this.#pendingBytes > 0 || this.#skipping) this.#endPending();
  }

  /** Whole lines in one stretch: one decoding for all of them, which is what pipelined requests arrive as. */
  #lines(stretch: Uint8Array): void {
    const text = stretch.length <= this.#maxLineBytes ? decodeUtf8(stretch) : undefined;
    if (text !== undefined) {
      for (const line of text.split("\n")) this.#emit(line);
      return;
    }
    let start = 0;
    while (start <= stretch.length) {
      const found = stretch.indexOf(NEWLINE, start);
      const end = found < 0 ? stretch.length : found;
      this.#line(stretch.subarray(start, end));
      start = end + 1;
    }
  }

  #line(bytes: Uint8Array): void {
    if (bytes.length > this.#maxLineBytes) return this.#sink.malformed(tooLong(this.#maxLineBytes));
    const text = decodeUtf8(bytes);
    if (text === undefined) return this.#sink.malformed(notUtf8());
    this.#emit(text);
  }

  #emit(line: string): void {
    const text = line.charCodeAt(0) === 0xfeff ? line.slice(1) : line;
    if (text.charCodeAt(0) > SPACE || text.trim() !== "") this.#sink.line(text);
  }

  #hold(bytes: Uint8Array): void {
    if (this.#skipping || bytes.length === 0) return;
    if (this.#pendingBytes + bytes.length > this.#maxLineBytes) {
      this.#drop();
      this.#skipping = true;
      // Answered at once: whoever sent it may be waiting, and its end may never come.
      this.#sink.malformed(tooLong(this.#maxLineBytes));
      return;
    }
    const needed = this.#pendingBytes + bytes.length;
    if (needed > this.#pending.length) {
      const grown = new Uint8Array(Math.max(needed, 2 * this.#pending.length));
      grown.set(this.#pending.subarray(0, this.#pendingBytes));
      this.#pending = grown;
    }
    this.#pending.set(bytes, this.#pendingBytes);
    this.#pendingBytes = needed;
  }

  #endPending(): void {
    const line = this.#skipping ? NOTHING : this.#pending.subarray(0, this.#pendingBytes);
    this.#drop();
    this.#skipping = false;
    this.#line(line);
  }

  #drop(): void {
    this.#pending = NOTHING;
    this.#pendingBytes = 0;
  }
}

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

function decodeUtf8(bytes: Uint8Array): string | undefined {
  try {
    return utf8.decode(bytes);
  } catch (cause) {
    if (cause instanceof TypeError) return undefined;
    throw cause;
  }
}

function notUtf8(): MalformedMessageError {
  return new MalformedMessageError(ErrorCode.parse, "Parse error: the line is not valid UTF-8");
}

function tooLong(limit: number): MalformedMessageError {
  return new MalformedMessageError(
    ErrorCode.invalidRequest,
    `Invalid request: the line is longer than ${limit} bytes`,
  );
}
