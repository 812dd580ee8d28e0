/**
 * How is the program fuzzed? In many short lives, each of which is asked much before anything is ready and then left at
 * once, and one long life, at whose end it must take up no more memory than after it had warmed up.
 */

import type { Cursors } from "./messages.ts";
import type { Shelf } from "./shelf.ts";
import { readCursors } from "./cursors.ts";
import { Exchange } from "./exchange.ts";
import { joined } from "./framing.ts";
import { Generator } from "./generator.ts";
import { Discrepancy } from "./ledger.ts";
import { refuseGrowth, trendOf } from "./memory.ts";
import type { Sample, Trend } from "./memory.ts";
import { Random } from "./random.ts";

/** The most lines between two looks at whether everything is there. */
const MAX_STRETCH = 400;
/** How many lines a short life is sent. */
const SHORT_LIFE = 100;
/** How many short lives there are: one for each 5,000 lines, and never fewer or more than this. */
const MIN_SHORT_LIVES = 4;
const MAX_SHORT_LIVES = 100;
/** The share of the calls of tools in a short life, which ends before they are too many; in a long one they soon are. */
const CALLS = 0.5;
/** How often memory is looked at in a long life. */
const SAMPLES = 200;

/** What is to be done. */
export interface Plan {
  readonly seed: number;
  /** How many lines are drawn, for all lives together; what happens to their ends makes more of them, or fewer. */
  readonly count: number;
  /** How many short lives there are. @default {one for each 5,000 lines, at least 4 and at most 100} */
  readonly lives?: number;
}

/** What was found. */
export interface Find {
  readonly discrepancy: Discrepancy;
  /** Which life it was, counted from 0; the last one is the long one. */
  readonly life: number;
  /** How many lines of that life were drawn before the stretch in which it was found. */
  readonly line: number;
  /** What had been agreed before that stretch. */
  readonly agreed: string | undefined;
  /** The stretch. */
  readonly bytes: Uint8Array;
}

/** How it went. */
export interface Report {
  /** How many lines were sent. */
  readonly lines: number;
  /** How many answers came back, by kind. */
  readonly answers: ReadonlyMap<string, number>;
  /** How memory went in the long life; undefined when that did not last, and where nothing is known. */
  readonly memory: Trend | undefined;
  readonly find: Find | undefined;
  readonly cursors: Cursors;
}

/** Fuzzes until all is sent or something is found. */
export async function fuzz(shelf: Shelf, plan: Plan): Promise<Report> {
  const cursors = await readCursors(shelf);
  const campaign = new Campaign(shelf, plan, cursors);
  const find = await campaign.run();
  const { lines, answers, memory } = campaign;
  return { lines, answers, memory, find, cursors };
}

/** Where a life has come to. */
interface Stretch {
  readonly line: number;
  readonly agreed: string | undefined;
  readonly bytes: Uint8Array;
}

class Campaign {
  lines = 0;
  readonly answers: Map<string, number> = new Map();
  memory: Trend | undefined;
  readonly #samples: Sample[] = [];
  readonly #shelf: Shelf;
  readonly #plan: Plan;
  readonly #cursors: Cursors;
  /** The last stretch that was begun. */
  #stretch: Stretch = { line: 0, agreed: undefined, bytes: new Uint8Array(0) };

  constructor(shelf: Shelf, plan: Plan, cursors: Cursors) {
    this.#shelf = shelf;
    this.#plan = plan;
    this.#cursors = cursors;
  }

  async run(): Promise<Find | undefined> {
    const { count } = this.#plan;
    const shortLives = this.#plan.lives ??
      Math.min(Math.max(MIN_SHORT_LIVES, Math.floor(count / 5000)), MAX_SHORT_LIVES);
    for (let life = 0; life < shortLives; life++) {
      const find = await this.#live(life, CALLS, (exchange, tape) => this.#beShort(exchange, tape));
      if (find) return find;
    }
    const rest = Math.max(1, count - shortLives * SHORT_LIFE);
    return await this.#live(shortLives, 0, (exchange, tape) => this.#beLong(exchange, tape, rest));
  }

  /** One process from its start to its end. */
  async #live(
    life: number,
    calls: number,
    course: (exchange: Exchange, tape: Tape) => Promise<void>,
  ): Promise<Find | undefined> {
    const exchange = new Exchange(this.#shelf, { cursors: this.#cursors, tally: this.answers });
    try {
      await course(exchange, new Tape(Math.imul(this.#plan.seed, 0x9e3779b1) + life, this.#cursors, calls));
      return undefined;
    } catch (cause) {
      if (!(cause instanceof Discrepancy)) throw cause;
      return { discrepancy: cause, life, ...this.#stretch };
    } finally {
      this.lines += exchange.model.lines;
      exchange.subject.kill();
      await exchange.subject.exited;
    }
  }

  /** One stretch, and its end is the end of the input. */
  async #beShort(exchange: Exchange, tape: Tape): Promise<void> {
    await this.#send(exchange, tape, 0, tape.draw(SHORT_LIFE));
    await exchange.finish();
  }

  async #beLong(exchange: Exchange, tape: Tape, count: number): Promise<void> {
    const nextLength = (sent: number) => Math.min(tape.random.between(1, MAX_STRETCH), count - sent);
    let length = nextLength(0);
    let bytes = tape.draw(length);
    for (let sent = 0; sent < count;) {
      await this.#send(exchange, tape, sent, bytes);
      sent += length;
      length = nextLength(sent);
      // Drawn while the program is busy with what it got.
      bytes = tape.draw(length);
      await exchange.settle();
      this.#note(exchange, sent, count);
    }
    await exchange.finish();
    this.memory = trendOf(this.#samples, count);
    refuseGrowth(this.memory);
  }

  async #send(exchange: Exchange, tape: Tape, line: number, bytes: Uint8Array): Promise<void> {
    this.#stretch = { line, agreed: exchange.model.agreed, bytes };
    await exchange.send(bytes, tape.random);
  }

  #note(exchange: Exchange, sent: number, count: number): void {
    if (sent < (count / SAMPLES) * (this.#samples.length + 1)) return;
    const bytes = exchange.subject.residentBytes();
    if (bytes !== undefined) this.#samples.push({ lines: sent, bytes });
  }
}

/** What is sent in one life, and how it is cut. */
class Tape {
  /** Decides about lengths and chunks; what is in the lines is decided apart from it. */
  readonly random: Random;
  readonly #generator: Generator;

  constructor(seed: number, cursors: Cursors, calls: number) {
    this.random = new Random(~seed);
    this.#generator = new Generator(seed, cursors, calls);
  }

  draw(lines: number): Uint8Array {
    return joined(Array.from({ length: lines }, () => this.#generator.next()));
  }
}
