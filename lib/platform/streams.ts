/** What the adapters share for streams of bytes: complete reads and writes, and backpressure. */

/** Reads up to `most` bytes from a source. `read` fills a buffer from an offset of the source; it returns 0 or null at the end. */
export function readUpTo(
  most: number,
  read: (buffer: Uint8Array, offset: number) => number | null,
): Uint8Array {
  const buffer = new Uint8Array(most);
  let length = 0;
  while (length < most) {
    const count = read(buffer.subarray(length), length);
    if (!count) break;
    length += count;
  }
  return buffer.subarray(0, length);
}

/** Makes a function that writes pieces to a Node stream with one system call, and settles when the system has them. */
export function writerTo(stream: {
  write(piece: Uint8Array, done?: (error?: Error | null) => void): unknown;
  cork(): void;
  uncork(): void;
}): (pieces: readonly Uint8Array[]) => Promise<void> {
  return (pieces) =>
    new Promise((resolve, reject) => {
      stream.cork();
      for (const piece of pieces.slice(0, -1)) stream.write(piece);
      stream.write(pieces.at(-1)!, (error) => error ? reject(error) : resolve());
      stream.uncork();
    });
}

/** Makes a function that writes all pieces. `write` may write only a part of a piece; it returns the number of bytes. */
export function writerBy(
  write: (bytes: Uint8Array) => Promise<number>,
): (pieces: readonly Uint8Array[]) => Promise<void> {
  return async (pieces) => {
    for (const piece of pieces) {
      for (let offset = 0; offset < piece.length;) offset += await write(piece.subarray(offset));
    }
  };
}

/** Makes readers or writers wait while it is closed. */
export class Gate {
  #closed: PromiseWithResolvers<void> | undefined;

  /** The promise to wait for; undefined while the gate is open. */
  get opened(): Promise<void> | undefined {
    return this.#closed?.promise;
  }

  close(): void {
    this.#closed ??= Promise.withResolvers();
  }

  open(): void {
    this.#closed?.resolve();
    this.#closed = undefined;
  }
}
