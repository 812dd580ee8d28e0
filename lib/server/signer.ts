/**
 * How does a client keep something for the server and give it back unchanged? As a token that is signed: readable by
 * anybody, and of use only as it was made, for what it was made for.
 */

import { fromBase64Url, toBase64Url } from "../base/bytes.ts";

/** The least a key has, in bytes: as much as what it signs with gives (RFC 2104, section 3). */
export const MIN_KEY_BYTES = 32;

const ALGORITHM = { name: "HMAC", hash: "SHA-256" };
const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { fatal: true });

/** Signs tokens with the first of its keys, and knows those of the others too: that is how a key is replaced. */
export class TokenSigner {
  readonly #keys: readonly Promise<CryptoKey>[];

  /**
   * Takes the keys of all servers that share tokens; without one, a random one that only this process knows.
   *
   * @throws {RangeError} When a key is shorter than 32 bytes.
   */
  constructor(keys: readonly Uint8Array[] = [crypto.getRandomValues(new Uint8Array(MIN_KEY_BYTES))]) {
    if (keys.length === 0) throw new RangeError("Cannot sign tokens: there is no key");
    for (const { length } of keys) {
      if (length < MIN_KEY_BYTES) {
        throw new RangeError(
          `Cannot sign tokens with a key of ${length} bytes: it has at least ${MIN_KEY_BYTES}, of random data`,
        );
      }
    }
    this.#keys = keys.map((key) =>
      crypto.subtle.importKey("raw", new Uint8Array(key), ALGORITHM, false, ["sign", "verify"])
    );
  }

  /**
   * Makes a token of printable ASCII characters.
   *
   * @param purpose What it is for: a token for one thing opens nothing else.
   * @param content Any text. It is not secret: whoever has the token can read it.
   */
  async sign(purpose: string, content: string): Promise<string> {
    const signature = await crypto.subtle.sign(ALGORITHM, await this.#keys[0]!, signed(purpose, content));
    return `${toBase64Url(encoder.encode(content))}.${toBase64Url(new Uint8Array(signature))}`;
  }

  /** What a token says, in time that tells nothing of the right signature; undefined when it is none of ours. */
  async open(purpose: string, token: string): Promise<string | undefined> {
    const [body = "", mark = "", ...rest] = token.split(".");
    const content = fromBase64Url(body);
    const signature = fromBase64Url(mark);
    if (!content || !signature || rest.length > 0) return undefined;
    let text: string;
    try {
      text = decoder.decode(content);
    } catch {
      return undefined;
    }
    for (const key of this.#keys) {
      if (await crypto.subtle.verify(ALGORITHM, await key, signature, signed(purpose, text))) return text;
    }
    return undefined;
  }
}

function signed(purpose: string, content: string): Uint8Array<ArrayBuffer> {
  return encoder.encode(JSON.stringify([purpose, content]));
}
