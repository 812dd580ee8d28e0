/** Bytes: concatenation and hashes. */

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
