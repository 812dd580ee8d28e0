/** Signed tokens: state that a client keeps for the server. Clients can read tokens, but cannot change or forge them. */

import { fromBase64Url, toBase64Url } from "./base64.ts";

/** The minimum length of a key in bytes: the length of the hash (RFC 2104, section 3). */
export const MIN_KEY_BYTES = 32;

/** A key of `crypto.subtle`. Older types of Node have no global type for it. */
export type SubtleKey = Awaited<ReturnType<typeof crypto.subtle.importKey>>;

const ALGORITHM = { name: "HMAC", hash: "SHA-256" };
const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/** Signs tokens with the first key and verifies tokens of all keys, so that keys can be rotated. */
export class TokenSigner {
  readonly #keys: readonly Promise<SubtleKey>[];

  /** Servers that exchange tokens need the same keys. @throws {RangeError} When there is no key, or one is shorter than 32 bytes. */
  constructor(keys: readonly Uint8Array[] = [crypto.getRandomValues(new Uint8Array(MIN_KEY_BYTES))]) {
    if (keys.length === 0) throw new RangeError("Cannot sign tokens: there is no key");
    const short = keys.find(({ length }) => length < MIN_KEY_BYTES);
    if (short) {
      throw new RangeError(
        `Cannot sign tokens with a key of ${short.length} bytes: it needs at least ${MIN_KEY_BYTES} random bytes`,
      );
    }
    this.#keys = keys.map((key) =>
      crypto.subtle.importKey("raw", new Uint8Array(key), ALGORITHM, false, ["sign", "verify"])
    );
  }

  /** Makes a token of printable ASCII characters that is valid only for this purpose. The content is not secret. */
  async sign(purpose: string, content: string): Promise<string> {
    const signature = await crypto.subtle.sign(ALGORITHM, await this.#keys[0]!, inputOf(purpose, content));
    return `${toBase64Url(encoder.encode(content))}.${toBase64Url(new Uint8Array(signature))}`;
  }

  /** The content of a token, verified in constant time; undefined if the token is invalid. */
  async open(purpose: string, token: string): Promise<string | undefined> {
    const [content, signature, ...rest] = token.split(".").map(fromBase64Url);
    if (!content || !signature || rest.length > 0) return undefined;
    const text = decoder.decode(content);
    for (const key of this.#keys) {
      if (await crypto.subtle.verify(ALGORITHM, await key, signature, inputOf(purpose, text))) return text;
    }
    return undefined;
  }
}

function inputOf(purpose: string, content: string): Uint8Array<ArrayBuffer> {
  return encoder.encode(JSON.stringify([purpose, content]));
}
