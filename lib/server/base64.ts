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

/** Bytes as Base64 for URLs and header fields, without padding (RFC 4648, section 5). */
export function toBase64Url(bytes: Uint8Array): string {
  return toBase64(bytes).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

/** Bytes from what `toBase64Url` makes; undefined for anything else, so that no two texts give the same bytes. */
export function fromBase64Url(text: string): Uint8Array<ArrayBuffer> | undefined {
  if (!/^[\w-]*$/.test(text)) return undefined;
  let binary: string;
  try {
    binary = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
  } catch {
    return undefined;
  }
  const bytes = Uint8Array.from(binary, (unit) => unit.charCodeAt(0));
  return toBase64Url(bytes) === text ? bytes : undefined;
}
