/** Base64 in both alphabets (RFC 4648), decoded strictly: each byte sequence has exactly one valid text. */

/** `String.fromCharCode` takes a limited number of arguments, so bytes are converted in chunks. */
const CHUNK = 0x8000;

/** Encodes bytes as Base64 with padding (section 4). */
export function toBase64(bytes: Uint8Array): string {
  let binary = "";
  for (let start = 0; start < bytes.length; start += CHUNK) {
    binary += String.fromCharCode(...bytes.subarray(start, start + CHUNK));
  }
  return btoa(binary);
}

/** Decodes the output of `toBase64`; undefined for any other text. */
export function fromBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(text) || text.length % 4 !== 0) return undefined;
  const bytes = Uint8Array.from(atob(text), (unit) => unit.charCodeAt(0));
  return toBase64(bytes) === text ? bytes : undefined;
}

/** Encodes bytes as Base64 for URLs and header fields, without padding (section 5). */
export function toBase64Url(bytes: Uint8Array): string {
  return toBase64(bytes).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

/** Decodes the output of `toBase64Url`; undefined for any other text. */
export function fromBase64Url(text: string): Uint8Array<ArrayBuffer> | undefined {
  if (!/^[\w-]*$/.test(text)) return undefined;
  return fromBase64(text.replaceAll("-", "+").replaceAll("_", "/") + "===".slice((text.length + 3) % 4));
}
