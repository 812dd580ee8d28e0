/** What is sent to the program? From a seed, an endless supply of lines: honest ones, mutated ones, and noise. */

import type { Cursors, Draft } from "./messages.ts";
import { longLine, mutateLine, plainLine } from "./framing.ts";
import {
  cancellation,
  heavyRequest,
  initialize,
  notification,
  request,
  response,
  toolCall,
} from "./messages.ts";
import { mutateMessage, mutateText } from "./mutations.ts";
import { Random } from "./random.ts";
import { isObject } from "./rules.ts";
import { oddText } from "./values.ts";

/** How many of the last ids are remembered, to be used twice or cancelled. */
const REMEMBERED = 8;
/** One in so many lines is about as long as a line may be: they cost time. */
const RARE = 5000;
/** One in so many lines begins a run of reads whose answers are more than waits to be written before reading stops. */
const HEAVY = 1500;

/** Makes lines; the same seed makes the same ones. */
export class Generator {
  readonly #random: Random;
  readonly #cursors: Cursors;
  readonly #calls: number;
  readonly #recent: unknown[] = [];
  #nextId = 1;
  /** How many more lines of the heavy run there are. */
  #heavy = 0;

  /**
   * Takes real cursors, which only the program can make.
   *
   * @param calls How many of the requests are calls of tools for certain, as a share.
   */
  constructor(seed: number, cursors: Cursors, calls = 0) {
    this.#calls = calls;
    this.#random = new Random(seed);
    this.#cursors = cursors;
  }

  /** The bytes of the next line, its end included; where its end is spoiled it may be less than one, or several. */
  next(): Uint8Array {
    const random = this.#random;
    if (random.below(RARE) === 0) return longLine(this.#nextId++, random);
    if (random.below(HEAVY) === 0) this.#heavy = random.between(5, 15);
    if (this.#heavy-- > 0) return plainLine(JSON.stringify(heavyRequest(this.#id(), random)));
    const draft = random.chance(0.04) ? this.#batch() : this.#message(false);
    const mutations = random.weighted([[68, 0], [22, 1], [7, 2], [3, 5]]);
    for (let count = 0; count < mutations; count++) this.#mutate(draft);
    let text = JSON.stringify(draft);
    if (random.chance(0.05)) text = mutateText(text, random);
    return random.chance(0.12) ? mutateLine(text, random) : plainLine(text);
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
      [80, () => this.#request(isInBatch)],
      [2, () => initialize(this.#id(), random)],
      [6, () => notification(random)],
      [7, () => cancellation(this.#known(), random)],
      [4, () => response(this.#known(), random)],
    ])();
  }

  #request(isInBatch: boolean): Draft {
    // Nothing is drawn where nothing is decided: a seed goes on making what it made.
    return this.#calls > 0 && this.#random.chance(this.#calls)
      ? toolCall(this.#id(), this.#random, isInBatch)
      : request(this.#id(), this.#random, this.#cursors, isInBatch);
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
