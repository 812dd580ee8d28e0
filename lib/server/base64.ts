/** How do bytes travel in JSON? */

/** Converted in pieces: a call with a million arguments would be one too many. */
const PIECE = 0x8000;

/** Bytes as Base64. */
export function toBase64(bytes: Uint8Array): string {
  let binary = "";
  for (let start = 0; start < bytes.length; start += PIECE) {
    binary += String.fromCharCode(...bytes.subarray(start, start + PIECE));
  }
  return btoa(binary);
}
