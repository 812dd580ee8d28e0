/**
 * Does the program say what it must, when it must? One conversation, held against the model line by line: what is sent is
 * entered into the ledger, what comes back is struck out, and a ping that has an id of its own tells where they stand.
 */

import type { Cursors } from "./messages.ts";
import type { Random } from "./random.ts";
import type { Json } from "./rules.ts";
import type { Shelf } from "./shelf.ts";
import { misfit, readOutput } from "./answers.ts";
import { chunks, joined } from "./framing.ts";
import { Discrepancy, keyOf } from "./ledger.ts";
import { Model } from "./model.ts";
import { textOf } from "./rules.ts";
import { strangeError } from "./shelf.ts";
import { pause, PLACES, Subject } from "./subject.ts";
import { kindOfCall, MAX_AT_ONCE } from "./tool_results.ts";

/** How long the program may be silent when something is expected of it, in milliseconds: far more than it needs. */
const PATIENCE_MS = 30_000;
/** How long an answer may still be missing when a later question was answered, in milliseconds. */
const STRAGGLER_MS = 10_000;
/** For how long output is not read now and then, in milliseconds: enough for the program to fill every buffer. */
const DEAF_MS = 20;
/** How many chunks of one write are given time to arrive by themselves: more where all of them are small. */
const FEW_PAUSES = 8;
const MANY_PAUSES = 50;
const SMALL_BYTES = 200;
const NEWLINE = 0x0a;
const NOTHING = new Uint8Array(0);
const encoder = new TextEncoder();

/** How a conversation is held. */
export interface ExchangeOptions {
  readonly cursors: Cursors;
  /** Counts the answers by kind. @default {nobody} */
  readonly tally?: Map<string, number>;
  /** Sees each line that comes back. @default {nobody} */
  readonly onoutput?: (line: string) => void;
  /** How much less patience there is than usual, as a factor: for attempts that are made many times. @default {1} */
  readonly haste?: number;
}

/** One conversation with the program. */
export class Exchange {
  readonly subject: Subject;
  readonly model: Model;
  readonly #options: ExchangeOptions;
  readonly #secrets: readonly string[];
  /** The line that has no end yet. */
  #begun: Uint8Array = NOTHING;
  #syncs = 0;
  #awaited: string | undefined;
  #wake: (() => void) | undefined;

  constructor(shelf: Shelf, options: ExchangeOptions) {
    this.#options = options;
    this.#secrets = [...shelf.secrets, ...PLACES];
    this.model = new Model(options.cursors);
    this.subject = new Subject(shelf.root, {
      line: (text) => this.#receive(text),
      progress: () => this.#wake?.(),
    });
  }

  /**
   * Sends bytes; where the answers decide about what is due to the rest, they are waited for.
   *
   * @param random Decides how the bytes are cut into chunks. @default {they are not}
   *
   * @throws {Discrepancy} When something came back that must not.
   */
  async send(bytes: Uint8Array, random?: Random): Promise<void> {
    let sent = 0;
    let start = 0;
    for (let end = bytes.indexOf(NEWLINE); end >= 0; end = bytes.indexOf(NEWLINE, start)) {
      this.#enter(bytes.subarray(start, end));
      start = end + 1;
      if (!this.model.mustLook) continue;
      await this.#write(bytes.subarray(sent, start), random);
      sent = start;
      await this.settle();
    }
    this.#begun = joined([this.#begun, bytes.subarray(start)]);
    await this.#write(bytes.subarray(sent), random);
  }

  /**
   * Waits until everything that is due is there.
   *
   * @throws {Discrepancy} When something is missing, or is there and must not be.
   */
  async settle(): Promise<void> {
    const id = `fuzz-sync-${++this.#syncs}`;
    this.#awaited = keyOf(id);
    await this.#write(this.#lastLine(id, "\n"));
    await this.#until(() => this.#awaited === undefined, PATIENCE_MS, "hang");
    await this.#until(() => this.#isEven(), STRAGGLER_MS, "missing");
    this.#turnPage();
  }

  /**
   * Ends the input, within a line, and waits for the end: the program must answer everything and leave quietly.
   *
   * @throws {Discrepancy} When it does not.
   */
  async finish(): Promise<void> {
    await this.#write(this.#lastLine("fuzz-last", ""));
    this.subject.end();
    await this.#until(() => this.subject.isOver, PATIENCE_MS, "hang");
    const code = await this.subject.exited;
    this.#look();
    if (code !== 0) {
      throw new Discrepancy("exit", `The program ended with ${code}; it said: ${this.subject.errors}`);
    }
    this.#turnPage();
  }

  /** A ping of our own, after the end of whatever line was begun. */
  #lastLine(id: string, end: string): Uint8Array {
    const before = this.#begun.length > 0 ? "\n" : "";
    if (before) this.#enter(NOTHING);
    const ping = encoder.encode(`{"jsonrpc":"2.0","id":"${id}","method":"ping"}`);
    this.model.readLine(ping);
    return joined([encoder.encode(before), ping, encoder.encode(end)]);
  }

  /** Enters what is due to a line, which may have begun earlier. */
  #enter(bytes: Uint8Array): void {
    const line = this.#begun.length > 0 ? joined([this.#begun, bytes]) : bytes;
    this.#begun = NOTHING;
    this.model.readLine(line);
  }

  /** Writes in chunks; now and then nothing is read meanwhile, until the program can say nothing more. */
  async #write(bytes: Uint8Array, random?: Random): Promise<void> {
    const isDeaf = random?.chance(0.02) ?? false;
    let isWritten = false;
    if (isDeaf) this.subject.stopReading();
    const timer = isDeaf ? setTimeout(() => this.subject.readOn(), DEAF_MS) : undefined;
    const writing = this.#writeChunks(random ? chunks(bytes, random) : [bytes]).then(() => {
      isWritten = true;
      this.#wake?.();
    });
    await this.#until(() => isWritten, PATIENCE_MS, "hang");
    await writing;
    clearTimeout(timer);
    this.subject.readOn();
  }

  /** The first chunks are written with a pause after each: without one, the pipe would put them together again. */
  async #writeChunks(all: readonly Uint8Array[]): Promise<void> {
    let pauses = all.some((chunk) => chunk.length > SMALL_BYTES) ? FEW_PAUSES : MANY_PAUSES;
    for (const chunk of all.slice(0, -1)) {
      await this.subject.write(chunk);
      if (pauses-- > 0) await pause();
    }
    await this.subject.write(all.at(-1) ?? NOTHING);
  }

  async #until(isDone: () => boolean, patienceMs: number, kind: string): Promise<void> {
    while (!isDone()) {
      if (this.subject.failure) throw this.subject.failure;
      if (this.subject.isOver) {
        throw new Discrepancy("exit", `The program is gone; it said: ${this.subject.errors}`);
      }
      if (await this.#progress(patienceMs * (this.#options.haste ?? 1))) continue;
      throw this.model.ledger.problem() ??
        new Discrepancy(kind, "The program is silent, and something is due");
    }
    if (this.subject.failure) throw this.subject.failure;
  }

  #progress(patienceMs: number): Promise<boolean> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => resolve(false), patienceMs);
      this.#wake = () => {
        clearTimeout(timer);
        this.#wake = undefined;
        resolve(true);
      };
    });
  }

  #isEven(): boolean {
    return this.model.ledger.looksEven && this.model.ledger.problem() === undefined;
  }

  /** Nothing may be left, neither in the ledger nor on standard error. */
  #look(): void {
    const problem = this.subject.failure ?? this.model.ledger.problem();
    if (problem) throw problem;
    const strange = strangeError(this.subject.errors);
    if (strange !== undefined) {
      throw new Discrepancy("stderr", `The program said on standard error: ${strange}`);
    }
  }

  #turnPage(): void {
    this.#look();
    this.model.turnPage();
  }

  #receive(line: string): void {
    this.#options.onoutput?.(line);
    const shown = this.#secrets.find((secret) => line.includes(secret));
    if (shown !== undefined) throw new Discrepancy("secret", `A line of output shows "${shown}"`);
    const output = readOutput(line);
    if (!Array.isArray(output)) return this.#receiveOne(output as Json, false);
    for (const answer of output) this.#receiveOne(answer, true);
    this.model.ledger.receiveArray(output);
  }

  #receiveOne(answer: Json, isInArray: boolean): void {
    const { id, error } = answer as { id?: unknown; error?: { code: number } };
    if (id === undefined || id === null) {
      if (!error) throw new Discrepancy("form", "A result has no id");
      this.#count(`${error.code} without id`);
      return this.model.ledger.receiveNameless(error.code, id === null ? "null" : "none");
    }
    if (typeof id !== "string" && typeof id !== "number") {
      throw new Discrepancy("form", "An answer has an id that is none");
    }
    const key = keyOf(id);
    const dues = this.model.ledger.receive(key);
    const reasons = dues.map((due) => misfit(answer, due, isInArray, this.#options.cursors));
    const fitting = dues[reasons.indexOf(undefined)];
    if (!fitting) {
      const asked = dues[0]!.method || "what is no request";
      throw new Discrepancy("content", `The answer to ${asked} with the id ${key} ${reasons[0]}`);
    }
    this.#count(error ? String(error.code) : `result of ${fitting.method}`);
    if (!error && fitting.method === "tools/call") {
      this.#countCall(answer["result"] as Json, fitting.params as Json);
    }
    if (!error && fitting.method === "initialize") {
      this.model.handshakeSeen(textOf((answer["result"] as Json)["protocolVersion"]));
    }
    if (key === this.#awaited) this.#awaited = undefined;
  }

  /** How often a tool may be called is a matter of time; so many times at once, whatever the time. */
  #countCall(result: Json, { name }: Json): void {
    const kind = kindOfCall(result);
    if (kind === "too often" && this.model.calls <= MAX_AT_ONCE) {
      throw new Discrepancy("content", `Call ${this.model.calls} is said to be one too many`);
    }
    this.#count(`${name} ${kind}`);
  }

  #count(kind: string): void {
    this.#options.tally?.set(kind, (this.#options.tally.get(kind) ?? 0) + 1);
  }
}
