/** Newline-delimited framing: cutting bytes into lines, and joining the chunks of messages for one write. */

import type { JsonChunk } from "./message.ts";
import { ErrorCode, MalformedMessageError } from "./message.ts";

/** The longest inbound line in bytes, without its end. 4 MiB holds any sane request and bounds memory. */
export const MAX_LINE_BYTES: number = 4 * 1024 * 1024;

const NEWLINE = 0x0a;
const SPACE = 0x20;
const NOTHING: Uint8Array = new Uint8Array(0);
const encoder = new TextEncoder();

/** Receives what a decoder reads. */
export interface LineSink {
  /** A line that is not blank, without its newline (it may end with a carriage return). */
  line(text: string): void;
  /** A line that is not UTF-8 or over the limit; decoding goes on with the next line. */
  malformed(error: MalformedMessageError): void;
}

/**
 * Cuts a byte stream into lines, in linear time however the stream is chunked.
 *
 * A byte order mark at the start of a line and blank lines are dropped. Bytes that are not UTF-8 are refused rather than
 * replaced, because the message would no longer be the one that was sent.
 */
export class LineDecoder {
  readonly #sink: LineSink;
  readonly #maxLineBytes: number;
  /** The start of a line whose end has not arrived; grows by doubling. */
  #pending: Uint8Array = NOTHING;
  /** How much of `#pending` is used, at most `#maxLineBytes`. */
  #pendingBytes = 0;
  /** True while the rest of a line over the limit is skipped. */
  #skipping = false;

  /**
   * Builds a decoder.
   *
   * @param sink Called during `push` and `end`, in the order of the lines.
   * @param maxLineBytes The longest line in bytes, and the most that is buffered. @default {4 MiB}
   */
  constructor(sink: LineSink, maxLineBytes: number = MAX_LINE_BYTES) {
    this.#sink = sink;
    this.#maxLineBytes = maxLineBytes;
  }

  /** Reads the next chunk; the caller may reuse it afterwards. */
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

  /** Ends the stream; a last line without a newline is a line. */
  end(): void {
    if (this.#pendingBytes > 0 || this.#skipping) this.#endPending();
  }

  /** Decodes complete lines with one call, because pipelined requests arrive together. */
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
      // Reported at once: the sender may be waiting, and the end of the line may never come.
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

/** Chunks of this many bytes or more are written without copying them. */
const MIN_UNCOPIED_BYTES = 64 * 1024;
/** The size of a buffer that small chunks are copied to, in bytes. */
const MEMORY_BYTES = 256 * 1024;
/** How many buffers are kept between writes; together the outbound high-water mark. */
const MAX_KEPT = 4;

/** The most bytes in one write. Each write that completes shows that the peer is reading. */
export const MAX_WRITE_BYTES: number = 512 * 1024;

/**
 * Joins the chunks of messages into few buffers for a gathered write.
 *
 * Buffers are reused: the result of `gather` is valid until the next call.
 */
export class Gatherer {
  /** Reused buffers: new ones would have to be zeroed each time. */
  readonly #kept: Uint8Array[] = [];
  /** How many of them this call has used. */
  #taken = 0;
  #memory: Uint8Array = new Uint8Array(0);
  #start = 0;
  #end = 0;
  #runs: Uint8Array[] = [];

  /** @returns The buffers to write, in order. Large chunks are not copied and must not change before they are written. */
  gather(chunks: readonly JsonChunk[]): Uint8Array[] {
    const runs = this.#runs = [];
    this.#taken = 0;
    this.#memory = this.#nextMemory();
    this.#start = this.#end = 0;
    let text = "";
    for (const chunk of chunks) {
      if (typeof chunk === "string") {
        text += chunk;
        continue;
      }
      this.#add(text);
      text = "";
      if (chunk.length < MIN_UNCOPIED_BYTES) {
        this.#reserve(chunk.length);
        this.#memory.set(chunk, this.#end);
        this.#end += chunk.length;
      } else {
        this.#finishRun();
        this.#runs.push(chunk);
      }
    }
    this.#add(text);
    this.#finishRun();
    return runs;
  }

  #add(text: string): void {
    if (text.length >= MIN_UNCOPIED_BYTES) {
      this.#finishRun();
      this.#runs.push(encoder.encode(text));
    } else if (text !== "") {
      // A UTF-16 unit takes at most three bytes.
      this.#reserve(text.length * 3);
      this.#end += encoder.encodeInto(text, this.#memory.subarray(this.#end)).written;
    }
  }

  /** Starts a new buffer when the current one has too little space left. */
  #reserve(length: number): void {
    if (this.#end + length <= this.#memory.length) return;
    this.#finishRun();
    this.#memory = this.#nextMemory();
    this.#start = this.#end = 0;
  }

  #nextMemory(): Uint8Array {
    const known = this.#kept[this.#taken++];
    if (known) return known;
    const fresh = new Uint8Array(MEMORY_BYTES);
    if (this.#kept.length < MAX_KEPT) this.#kept.push(fresh);
    return fresh;
  }

  #finishRun(): void {
    if (this.#end > this.#start) this.#runs.push(this.#memory.subarray(this.#start, this.#end));
    this.#start = this.#end;
  }
}

/** Splits buffers into writes of at most `MAX_WRITE_BYTES`. */
export function* toWrites(runs: readonly Uint8Array[]): Iterable<Uint8Array[]> {
  let write: Uint8Array[] = [];
  let space = MAX_WRITE_BYTES;
  for (const run of runs) {
    for (let start = 0; start < run.length;) {
      const part = run.subarray(start, start + space);
      write.push(part);
      start += part.length;
      space -= part.length;
      if (space > 0) continue;
      yield write;
      write = [];
      space = MAX_WRITE_BYTES;
    }
  }
  if (write.length > 0) yield write;
}
