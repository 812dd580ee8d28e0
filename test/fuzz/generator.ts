/** From a seed, an endless supply of lines: honest ones, ones with something wrong about message, text or bytes, and noise. */

import { isObject } from "../../lib/base/json.ts";
import type { Cursors, Draft } from "./messages.ts";
import {
  anyValue,
  cancellation,
  initialize,
  memberName,
  notification,
  oddId,
  oddNumber,
  oddText,
  request,
  response,
} from "./messages.ts";
import { Random } from "./random.ts";

/** How many of the last ids are remembered, to be used twice or cancelled. */
const REMEMBERED = 8;
const encoder = new TextEncoder();
/** The bytes of a text with the end that lines should have. */
const line = (text: string) => encoder.encode(`${text}\n`);

/** Makes lines; the same seed makes the same ones. */
export class Generator {
  readonly #random: Random;
  readonly #cursors: Cursors;
  readonly #recent: unknown[] = [];
  #nextId = 1;

  /** Takes real cursors, which only the program can make. */
  constructor(seed: number, cursors: Cursors) {
    this.#random = new Random(seed);
    this.#cursors = cursors;
  }

  /** The bytes of the next line, its end included; where its end is spoiled it may be less than one, or several. */
  next(): Uint8Array {
    const random = this.#random;
    const draft = random.chance(0.04) ? this.#batch() : this.#message(false);
    const mutations = random.weighted([[68, 0], [22, 1], [7, 2], [3, 5]]);
    for (let count = 0; count < mutations; count++) this.#mutate(draft);
    let text = JSON.stringify(draft);
    if (random.chance(0.05)) text = random.weighted(TEXT_MUTATIONS)(text, random);
    return random.chance(0.12) ? random.weighted(LINE_MUTATIONS)(text, random) : line(text);
  }

  #mutate(draft: Draft | Draft[]): void {
    if (!Array.isArray(draft)) return mutateMessage(draft, this.#random);
    if (draft.length === 0) return;
    const at = this.#random.below(draft.length);
    if (this.#random.chance(0.1)) (draft as unknown[])[at] = this.#random.pick([1, null, [], "x", [[]], {}]);
    else if (isObject(draft[at])) mutateMessage(draft[at], this.#random);
  }

  #batch(): Draft[] {
    const random = this.#random;
    const length = random.weighted([[10, random.between(1, 5)], [1, 0], [1, random.between(95, 105)]]);
    return Array.from({ length }, () => this.#message(true));
  }

  #message(isInBatch: boolean): Draft {
    const random = this.#random;
    return random.weighted<() => Draft>([
      [80, () => request(this.#id(), random, this.#cursors, isInBatch)],
      [2, () => initialize(this.#id(), random)],
      [6, () => notification(random)],
      [7, () => cancellation(this.#known(), random)],
      [4, () => response(this.#known(), random)],
    ])();
  }

  /** An id: mostly a new one, now and then one that may not be answered yet. */
  #id(): unknown {
    const random = this.#random;
    if (random.chance(0.03)) return this.#known();
    const id = random.weighted<() => unknown>([
      [70, () => this.#nextId++],
      [25, () => `s-${this.#nextId++}`],
      [3, () => oddText(random)],
      [2, () => random.pick([0, -1, -7, Number.MAX_SAFE_INTEGER, "", "0", 4294967296])],
    ])();
    this.#recent.push(id);
    if (this.#recent.length > REMEMBERED) this.#recent.shift();
    return id;
  }

  #known(): unknown {
    return this.#recent.length > 0 && this.#random.chance(0.9)
      ? this.#random.pick(this.#recent)
      : 999_999_999;
  }
}

/** A place in a message where a value stands. */
type Place = readonly [holder: Draft, key: string];

const MESSAGE_MUTATIONS: readonly (readonly [number, (place: Place, random: Random) => void])[] = [
  [4, ([holder, key]) => void delete holder[key]],
  [5, ([holder, key], random) => define(holder, key, anyValue(random))],
  [2, ([holder, key], random) => {
    const value = holder[key];
    delete holder[key];
    define(holder, random.chance(0.3) ? key.toUpperCase() : memberName(random), value);
  }],
  [3, ([holder], random) => define(holder, memberName(random), anyValue(random))],
  [
    1,
    ([holder], random) =>
      define(holder, random.pick(["__proto__", "constructor"]), {
        [random.pick(["polluted", "prototype"])]: true,
      }),
  ],
  [1, ([holder, key], random) => define(holder, key, nested(holder[key], random.between(1, 80), random))],
  [
    1,
    ([holder, key], random) => define(holder, key, random.chance(0.5) ? oddNumber(random) : oddText(random)),
  ],
  [1, ([holder, key], random) => define(holder, memberName(random), holder[key])],
];

/** Changes one thing about a message, in place; half of the time a member of the message itself. */
function mutateMessage(message: Draft, random: Random): void {
  if (random.chance(0.12)) return void (message["id"] = oddId(random));
  const own = Object.keys(message).map((key): Place => [message, key]);
  const places = random.chance(0.5) && own.length > 0 ? own : placesIn(message);
  const place: Place = places.length > 0 ? random.pick(places) : [message, memberName(random)];
  random.weighted(MESSAGE_MUTATIONS)(place, random);
}

function placesIn(value: unknown): Place[] {
  // A number that is written in a way of its own is an object that cannot be changed.
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return [];
  const holder = value as Draft;
  return Object.keys(holder).flatMap((key): Place[] => [[holder, key], ...placesIn(holder[key])]);
}

/** Sets a member whatever it is called: assigning to `__proto__` would set something else. */
function define(holder: Draft, key: string, value: unknown): void {
  // A list that is given a length of its own would be one of thousands of holes.
  if (Array.isArray(holder) && !/^\d$/.test(key)) return void holder.push(value);
  Object.defineProperty(holder, key, { value, enumerable: true, configurable: true, writable: true });
}

/** A value nested in a number of lists or objects. */
function nested(value: unknown, levels: number, random: Random): unknown {
  let whole = value;
  for (let level = 0; level < levels; level++) whole = random.chance(0.5) ? [whole] : { a: whole };
  return whole;
}

const NO_JSON: readonly string[] = "NaN Infinity undefined 01 1. +1 .5 0x10 tru /**/1".split(" ");

/** What can be wrong with the text of a message; it may be no JSON afterwards. */
const TEXT_MUTATIONS: readonly (readonly [number, (text: string, random: Random) => string])[] = [
  [4, (text, random) => text.replace("{", () => `{${member(random)},`)],
  [4, (text, random) => beforeLastBrace(text, `,${member(random)}`)],
  [2, (text, random) => text.replace("{", () => `{"deep":${brackets(random)},`)],
  [1, (text, random) => text.replace('"params":{', (found) => `${found}"deep":${brackets(random)},`)],
  [1, (text) => text.replace(/"(\w)/g, (_, letter: string) => `"\\u00${letter.charCodeAt(0).toString(16)}`)],
  [1, (text) => text.replaceAll(",", " ,\t").replaceAll(":", " : ")],
  [1, (text) => beforeLastBrace(text, ",")],
  [1, (text) => text.replaceAll('"', "'")],
  [1, (text, random) => text.replace(/:"[^"]*"/, `:${random.pick(NO_JSON)}`)],
  [1, (text, random) => text.replace(/:"/, `:"${random.pick(["\t", "\u0001", "\\x", "\\u12", "\\ud800"])}`)],
  [1, (text, random) => text + random.pick([text, "}", "]", "//", ";", "null"])],
  [1, (text) => `[${text}]`],
];

/** A member that is there a second time, before the first or after it. */
function member(random: Random): string {
  const [name, value] = random.pick<readonly [string, unknown]>([
    ["id", oddId(random)],
    ["id", random.below(1000)],
    ["method", random.pick(["ping", oddText(random)])],
    ["params", anyValue(random)],
    ["jsonrpc", random.pick(["1.0", "2.0"])],
    ["result", {}],
    [memberName(random), anyValue(random)],
  ]);
  return `${JSON.stringify(name)}:${JSON.stringify(value)}`;
}

/** Brackets within brackets; the limit is 64 levels. */
function brackets(random: Random): string {
  const levels = random.weighted([[6, random.between(55, 70)], [2, random.between(1, 500)], [1, 20_000]]);
  return random.chance(0.5)
    ? "[".repeat(levels) + "]".repeat(levels)
    : `${'{"a":'.repeat(levels)}1${"}".repeat(levels)}`;
}

function beforeLastBrace(text: string, insert: string): string {
  const at = text.lastIndexOf("}");
  return at < 0 ? text : text.slice(0, at) + insert + text.slice(at);
}

/** Bytes that no character is written with: overlong, half a pair, cut off, or never used; at most three. */
const NO_UTF8: readonly (readonly number[])[] = [[0xc0, 0xaf], [0xed, 0xa0, 0x80], [0xff], [0xe2, 0x82], [
  0xf8,
]];

/** What can be wrong with the bytes of a line, and with its end. */
const LINE_MUTATIONS: readonly (readonly [number, (text: string, random: Random) => Uint8Array])[] = [
  [4, (text) => line(`${text}\r`)],
  [2, (text, random) => line(random.pick(["\n", "\n\n\n", " \n\t\n", "\r\n", "\u00a0\n"]) + text)],
  [3, (text, random) => line(random.pick(["\ufeff", "\ufeff", "\ufeff\ufeff"]) + text)],
  [3, (text, random) => line(random.pick([" ", "\t \t", "\u00a0", "\u2003", "\v"]) + text + " ")],
  // Joined with the next line, as if the end had been lost.
  [2, (text) => encoder.encode(text)],
  [3, (text, random) => line(text.slice(0, random.below(text.length)))],
  [2, (text, random) => line(text.slice(random.below(text.length)))],
  [5, (text, random) => {
    const at = random.below(text.length);
    return line(text.slice(0, at) + random.pick(["\n", "\n", "\0", "\r", "\ufeff", " "]) + text.slice(at));
  }],
  [12, (text, random) => {
    const bytes = line(text);
    // Not the very end: the bytes that are put in may be three.
    const at = random.below(Math.max(1, bytes.length - 3));
    const flipped = [bytes[at]! ^ (1 << random.below(8))];
    if (bytes.length > 4) {
      bytes.set(random.pick([flipped, flipped, [random.below(256)], random.pick(NO_UTF8)]), at);
    }
    return bytes;
  }],
  [2, (_, random) => Uint8Array.from({ length: random.below(200) }, () => random.below(256))],
  [1, (_, random) => encoder.encode("\n".repeat(random.below(300)))],
];

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
