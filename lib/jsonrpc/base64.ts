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

/** Bytes from what `toBase64` makes; undefined for anything else, so that no two texts give the same bytes. */
export function fromBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(text) || text.length % 4 !== 0) return undefined;
  const binary = atob(text);
  const bytes = Uint8Array.from(binary, (unit) => unit.charCodeAt(0));
  return toBase64(bytes) === text ? bytes : undefined;
}
