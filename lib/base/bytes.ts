/** Bytes: concatenation, reading and writing, and hashes. */

/** The total length of pieces, in bytes, or for strings in UTF-16 units. */
export function sizeOf(pieces: readonly { readonly length: number }[]): number {
  let size = 0;
  for (const { length } of pieces) size += length;
  return size;
}

/** Joins consecutive texts. */
export function joinTexts(pieces: readonly (string | Uint8Array)[]): (string | Uint8Array)[] {
  const parts: (string | Uint8Array)[] = [];
  let text = "";
  for (const piece of pieces) {
    if (typeof piece === "string") {
      text += piece;
      continue;
    }
    if (text !== "") parts.push(text);
    text = "";
    parts.push(piece);
  }
  if (text !== "") parts.push(text);
  return parts;
}

export function concat(chunks: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(sizeOf(chunks));
  let end = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, end);
    end += chunk.length;
  }
  return bytes;
}

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

/** A 32-bit hash of bytes (FNV-1a over four bytes at a time): for comparing versions of a text, not for security. */
export function hash(bytes: Uint8Array): number {
  const prime = 0x01000193;
  const aligned = bytes.byteOffset % 4 === 0 ? bytes : bytes.slice();
  const words = new Int32Array(aligned.buffer, aligned.byteOffset, aligned.length >> 2);
  let state = 0x811c9dc5 ^ bytes.length;
  // A plain loop: before optimisation, iterating takes several times as long.
  for (let index = 0; index < words.length; index++) {
    state = Math.imul(state ^ words[index]!, prime);
    state ^= state >>> 15;
  }
  for (const byte of bytes.subarray(words.length << 2)) state = Math.imul(state ^ byte, prime);
  return state >>> 0;
}

export function textHash(text: string): string {
  return hash(new TextEncoder().encode(text)).toString(16);
}

export async function sha256(bytes: Uint8Array): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes as Uint8Array<ArrayBuffer>));
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
