/** How do bytes travel where plain Base64 may not? In URLs and header fields. */

import { toBase64 } from "../jsonrpc/base64.ts";

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
