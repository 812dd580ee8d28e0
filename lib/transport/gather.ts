/**
 * What goes into one write? Small pieces are joined into one run of bytes, large ones are written from where they are.
 */

import type { Piece } from "../jsonrpc/encode.ts";

/** Bytes of this length and more are not copied: from here on copying costs more than one more run. */
const MIN_UNCOPIED_BYTES = 64 * 1024;
/** One stretch of the memory that runs are joined in, in bytes. */
const MEMORY_BYTES = 256 * 1024;
/** How many stretches are kept between writes: together what may wait to be written before reading stops. */
const MAX_KEPT = 4;

/** The most that is written at once, in bytes: whoever takes that much is seen to be there; half of it costs more. */
export const MAX_WRITE_BYTES: number = 512 * 1024;

const encoder = new TextEncoder();

/**
 * Joins the pieces of messages for a channel that writes one gathering at a time.
 *
 * The memory is used again: what `gather` returns is good until it is called again.
 */
export class Gatherer {
  /** What runs are joined in, used again with each gathering: fresh memory would have to be zeroed each time. */
  readonly #kept: Uint8Array[] = [];
  /** How many of those this gathering has used. */
  #taken = 0;
  #memory: Uint8Array = new Uint8Array(0);
  #start = 0;
  #end = 0;
  #runs: Uint8Array[] = [];

  /** @returns What to write, in order. Large pieces are not copied: they must not change before they are written. */
  gather(pieces: readonly Piece[]): Uint8Array[] {
    const runs = this.#runs = [];
    this.#taken = 0;
    this.#memory = this.#nextMemory();
    this.#start = this.#end = 0;
    let text = "";
    for (const piece of pieces) {
      if (typeof piece === "string") {
        text += piece;
        continue;
      }
      this.#add(text);
      text = "";
      if (piece.length < MIN_UNCOPIED_BYTES) {
        this.#reserve(piece.length);
        this.#memory.set(piece, this.#end);
        this.#end += piece.length;
      } else {
        this.#finishRun();
        this.#runs.push(piece);
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
      // A unit of UTF-16 takes three bytes at most.
      this.#reserve(text.length * 3);
      this.#end += encoder.encodeInto(text, this.#memory.subarray(this.#end)).written;
    }
  }

  /** Makes room at the end of the run; where there is none, the run is finished and the next one starts elsewhere. */
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

/** Cuts what is to be written, in order, into what is written at once. */
export function* toWrites(runs: readonly Uint8Array[]): Iterable<Uint8Array[]> {
  let write: Uint8Array[] = [];
  let room = MAX_WRITE_BYTES;
  for (const run of runs) {
    for (let start = 0; start < run.length;) {
      const part = run.subarray(start, start + room);
      write.push(part);
      start += part.length;
      room -= part.length;
      if (room > 0) continue;
      yield write;
      write = [];
      room = MAX_WRITE_BYTES;
    }
  }
  if (write.length > 0) yield write;
}
