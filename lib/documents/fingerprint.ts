/**
 * Is this the same text as before? A number that two different texts hardly ever share: enough to tell a file that was
 * touched from one that was changed, and for nothing that anybody could want to forge.
 */

const PRIME = 0x01000193;

/** A number for some bytes, their length included: FNV-1a over four bytes at a time. */
export function fingerprint(bytes: Uint8Array): number {
  const aligned = bytes.byteOffset % 4 === 0 ? bytes : bytes.slice();
  const words = new Int32Array(aligned.buffer, aligned.byteOffset, aligned.length >> 2);
  let hash = 0x811c9dc5 ^ bytes.length;
  for (let index = 0; index < words.length; index++) {
    hash = Math.imul(hash ^ words[index]!, PRIME);
    hash ^= hash >>> 15;
  }
  for (let index = words.length << 2; index < bytes.length; index++) {
    hash = Math.imul(hash ^ bytes[index]!, PRIME);
  }
  return hash >>> 0;
}
