/**
 * Which answers are due, and which have come? Kept for one stretch of lines, at whose end everything must be even.
 *
 * An id that is used for several requests leaves open which of them are answered: while one is unfinished, the next is
 * refused without an id. So ids are counted, and what is short on one side must be found on the other.
 */

import type { Json, Outcome } from "./rules.ts";

/** How an answer to something without a readable id says so: with null, or with no id at all. */
export type IdForm = "null" | "none";

/** A batch that was sent; its answers come together. */
export interface Batch {
  /** How many of its messages can have an answer. */
  answerable: number;
  /** How many of those can be cancelled. */
  cancelled: number;
}

/** One answer that is due. */
export interface Due {
  readonly key: string;
  readonly method: string;
  readonly params: unknown;
  readonly outcomes: readonly Outcome[];
  readonly revision: string | undefined;
  readonly batch: Batch | undefined;
}

/** The program did something that it must not, or did not do what it must. */
export class Discrepancy extends Error {
  override readonly name = "Discrepancy";
  /** What went wrong, in a word: "missing", "twice", "form". */
  readonly kind: string;

  constructor(kind: string, message: string) {
    super(message);
    this.kind = kind;
  }
}

/** Names an id: 1 and "1" are two, 0 and -0 are one. */
export function keyOf(id: string | number): string {
  return typeof id === "string" ? `s${id}` : `n${id}`;
}

/** What was asked under one id. */
interface Account {
  readonly dues: Due[];
  /** How many of those were taken back. */
  cancelled: number;
  answered: number;
}

/** The accounts of one stretch of lines. */
export class Ledger {
  readonly #accounts = new Map<string, Account>();
  /** Answers without an id that are due, less those that have come, by code and form: "-32700 null". */
  readonly #nameless = new Map<string, number>();
  /** Parse errors that may come or not: nobody says what blank is beyond the blanks of JSON. */
  #optional = 0;
  readonly #batches: Batch[] = [];
  #arrays = 0;
  /** How many more answers must come before it is worth a look. */
  #open = 0;
  /** Accounts of the stretch before that are short of answers which may still come, because something was taken back. */
  readonly #late: ReadonlyMap<string, Account>;

  /** Opens with what the ledger of the stretch before leaves open. */
  constructor(before?: Ledger) {
    const open = before
      ? [...before.#accounts].filter(([, account]) =>
        account.cancelled > 0 && account.answered < account.dues.length
      )
      : [];
    this.#late = new Map(open);
  }

  /** Whether as many answers have come as must come. */
  get looksEven(): boolean {
    return this.#open <= 0;
  }

  owe(due: Due): void {
    const account = this.#accounts.get(due.key);
    if (account) account.dues.push(due);
    else this.#accounts.set(due.key, { dues: [due], cancelled: 0, answered: 0 });
    if (due.batch) due.batch.answerable++;
    this.#open++;
  }

  oweNameless(code: -32700 | -32600, form: IdForm, batch?: Batch): void {
    this.#count(`${code} ${form}`, 1);
    if (batch) batch.answerable++;
    this.#open++;
  }

  allowParseError(): void {
    this.#optional++;
  }

  oweBatch(batch: Batch): void {
    this.#batches.push(batch);
  }

  /** From here on the requests that were sent under an id before need not be answered. */
  cancel(key: string): void {
    const account = this.#accounts.get(key);
    if (!account) return;
    this.#open -= account.dues.length - account.cancelled;
    account.cancelled = account.dues.length;
    for (const { batch } of account.dues) if (batch) batch.cancelled++;
  }

  /** Whether a request under an id may be unfinished. */
  mayBeUnfinished(key: string): boolean {
    return this.#accounts.has(key);
  }

  /** Takes an answer with an id, and gives what it may be the answer to. */
  receive(key: string): readonly Due[] {
    const account = this.#accounts.get(key);
    if (account && account.answered < account.dues.length) {
      account.answered++;
      this.#open--;
      return account.dues;
    }
    const late = this.#late.get(key);
    if (late && late.answered < late.dues.length) {
      late.answered++;
      return [...late.dues, ...account?.dues ?? []];
    }
    throw account
      ? new Discrepancy(
        "twice",
        `${account.dues.length} requests had the id ${key}, and there is one more answer`,
      )
      : new Discrepancy("stray", `Nothing was asked under the id ${key}`);
  }

  receiveNameless(code: number, form: IdForm): void {
    if (code !== -32700 && code !== -32600) {
      throw new Discrepancy("form", `An answer without an id has the code ${code}`);
    }
    this.#count(`${code} ${form}`, -1);
    this.#open--;
  }

  /** Takes the answers to a batch, each of which was received before by itself. */
  receiveArray(answers: readonly Json[]): void {
    const common = this.#batches.filter((batch) =>
      answers.length <= batch.answerable && answers.every((answer) => this.#isOf(batch, answer))
    );
    if (common.length === 0) {
      throw new Discrepancy("batch", "Answers came together that are not due to one batch");
    }
    this.#arrays++;
  }

  #isOf(batch: Batch, { id }: Json): boolean {
    if (typeof id !== "string" && typeof id !== "number") return true;
    return this.#accounts.get(keyOf(id))!.dues.some((due) => due.batch === batch);
  }

  /** What is not even; undefined when everything is. */
  problem(): Discrepancy | undefined {
    let short = 0;
    let excused = 0;
    for (const [key, { dues, cancelled, answered }] of this.#accounts) {
      const least = dues.length > cancelled ? 1 : 0;
      if (answered < least) return new Discrepancy("missing", `There is no answer with the id ${key}`);
      short += dues.length - answered;
      excused += Math.min(cancelled, dues.length - answered);
    }
    return this.#namelessProblem(short, excused) ?? this.#arrayProblem();
  }

  /** Refusals of ids that were taken make up for the answers that these ids are short of, less what was cancelled. */
  #namelessProblem(short: number, excused: number): Discrepancy | undefined {
    let refused = 0;
    for (const [kind, open] of this.#nameless) {
      if (open > 0) return new Discrepancy("missing", `${open} errors ${kind} without an id are missing`);
      const spare = kind.startsWith("-32700") ? this.#optional : short;
      if (-open > spare) return new Discrepancy("stray", `There are ${-open} errors ${kind} too many`);
      if (kind.startsWith("-32600")) refused -= open;
    }
    if (refused > short) {
      return new Discrepancy("stray", `${refused} requests were refused, and ${short} could be`);
    }
    if (short - refused > excused) {
      return new Discrepancy(
        "missing",
        `${short - refused} requests have no answer, and ${excused} were cancelled`,
      );
    }
    return undefined;
  }

  #arrayProblem(): Discrepancy | undefined {
    const most = this.#batches.filter(({ answerable }) => answerable > 0).length;
    const least = this.#batches.filter(({ answerable, cancelled }) => answerable > cancelled).length;
    if (this.#arrays >= least && this.#arrays <= most) return undefined;
    return new Discrepancy(
      "batch",
      `${least} to ${most} batches were to be answered, and ${this.#arrays} were`,
    );
  }

  #count(kind: string, change: number): void {
    this.#nameless.set(kind, (this.#nameless.get(kind) ?? 0) + change);
  }
}
