/** What can be wrong with a line? Mutations of its bytes and of its end, and the chunks that a stream is cut into. */

import type { Random } from "./random.ts";

/** The longest line that is read, in bytes without its end, as the design sets it. */
export const MAX_LINE_BYTES: number = 4 * 1024 * 1024;

const encoder = new TextEncoder();

/** The bytes of a text with the end that lines should have. */
export function plainLine(text: string): Uint8Array {
  return encoder.encode(`${text}\n`);
}

type Operation = (text: string, random: Random) => Uint8Array;

const OPERATIONS: readonly (readonly [number, Operation])[] = [
  [4, (text) => plainLine(`${text}\r`)],
  [2, (text, random) => plainLine(random.pick(["\n", "\n\n\n", " \n\t\n", "\r\n", "\u00a0\n"]) + text)],
  [2, (text) => plainLine(`\ufeff${text}`)],
  [1, (text) => plainLine(`\ufeff\ufeff${text}`)],
  [3, (text, random) => plainLine(random.pick([" ", "\t \t", "\u00a0", "\u2003", "\v"]) + text + " ")],
  // Joined with the next line, as if the end had been lost.
  [2, (text) => encoder.encode(text)],
  [3, (text, random) => plainLine(text.slice(0, random.below(text.length)))],
  [2, (text, random) => plainLine(text.slice(random.below(text.length)))],
  [3, (text, random) => plainLine(splitAt(text, random.below(text.length), "\n"))],
  [
    2,
    (text, random) =>
      plainLine(splitAt(text, random.below(text.length), random.pick(["\0", "\r", "\ufeff", " "]))),
  ],
  [
    6,
    (text, random) =>
      spoil(plainLine(text), random, (bytes, at) => void (bytes[at]! ^= 1 << random.below(8))),
  ],
  [3, (text, random) => spoil(plainLine(text), random, (bytes, at) => void (bytes[at] = random.below(256)))],
  [
    3,
    (text, random) => spoil(plainLine(text), random, (bytes, at) => void bytes.set(random.pick(NO_UTF8), at)),
  ],
  [2, (_, random) => Uint8Array.from({ length: random.below(200) }, () => random.below(256))],
  [1, (_, random) => encoder.encode("\n".repeat(random.below(300)))],
];

/** Bytes that no character is written with: overlong, half a pair, cut off, or never used; one to three of them. */
const NO_UTF8: readonly (readonly number[])[] = [[0xc0, 0xaf], [0xed, 0xa0, 0x80], [0xff], [0xe2, 0x82], [
  0x80,
], [0xf8]];

/** Spoils the line, or nothing but its looks. */
export function mutateLine(text: string, random: Random): Uint8Array {
  return random.weighted(OPERATIONS)(text, random);
}

function splitAt(text: string, at: number, mark: string): string {
  return text.slice(0, at) + mark + text.slice(at);
}

function spoil(
  bytes: Uint8Array,
  random: Random,
  change: (bytes: Uint8Array, at: number) => void,
): Uint8Array {
  // Not the very end: the bytes that are put in may be three.
  if (bytes.length > 4) change(bytes, random.below(bytes.length - 3));
  return bytes;
}

/** A line around the limit: just short enough, just too long, or far too long. */
export function longLine(id: number, random: Random): Uint8Array {
  const start = `{"jsonrpc":"2.0","id":${id},"method":"ping","params":{"_":"`;
  const length = MAX_LINE_BYTES + random.pick([-1, 0, 0, 1, 1, 2, 70_000, MAX_LINE_BYTES + 5]);
  const bytes = new Uint8Array(length + 1).fill(0x78);
  bytes.set(encoder.encode(start));
  bytes.set(encoder.encode('"}}\n'), length - 3);
  return bytes;
}

/** The bytes of all of them in one. */
export function joined(parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

/** Cuts a stream into the chunks that it is written in: mostly one for all. */
export function chunks(bytes: Uint8Array, random: Random): Uint8Array[] {
  const most = random.weighted([
    [12, bytes.length],
    [4, 65_536],
    [2, 4096],
    [1, bytes.length < 20_000 ? 200 : 65_536],
    [0.3, bytes.length < 1500 ? 1 : 65_536],
  ]);
  const cut: Uint8Array[] = [];
  for (let at = 0; at < bytes.length;) {
    const length = most === bytes.length ? most : random.between(1, most);
    cut.push(bytes.subarray(at, at + length));
    at += length;
  }
  return cut;
}
