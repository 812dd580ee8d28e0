/** Conversations with the program as a process of its own, bytes in and lines out, compared with the model line by line. */

import { spawn } from "node:child_process";
import type { ChildProcessWithoutNullStreams } from "node:child_process";
import { once } from "node:events";
import { concat } from "../../lib/base/bytes.ts";
import { readLines } from "../harness/lines.ts";
import { pause } from "../harness/process.ts";
import { command, ON_DENO, REPOSITORY } from "../harness/runtime.ts";
import { problemOf, readOutput } from "./answers.ts";
import { chunks, Generator } from "./generator.ts";
import type { Cursors } from "./messages.ts";
import { PLAIN_META } from "./messages.ts";
import { Discrepancy, keyOf, Model } from "./model.ts";
import { Random } from "./random.ts";
import type { Root } from "./root.ts";
import { PAGE_SIZE, unexpectedError } from "./root.ts";
import type { Json } from "./rules.ts";
import { textOf } from "./rules.ts";

/** How long an expected message may take, in milliseconds: far longer than any machine needs. */
const SILENCE_MS = 60_000;
/** How long an answer may still be missing when a later question was answered, in milliseconds. */
const LATE_MS = 60_000;
/** How many chunks of one write are given time to arrive by themselves. */
const PAUSES = 50;
/** The maximum number of lines between two checks that everything is there. */
const MAX_STRETCH = 400;
/** How many lines a short life is sent. */
const SHORT_LIFE = 100;
/** How many short lives there are. */
const LIVES = 4;
const NEWLINE = 0x0a;
const NOTHING = new Uint8Array(0);
const encoder = new TextEncoder();

/** The program, running. */
export class Subject {
  readonly child: ChildProcessWithoutNullStreams;
  /** Settles with the exit code once all output is read; null when a signal ended it. */
  readonly exited: Promise<number | null>;
  errors = "";
  isOver = false;
  /** What was wrong with a line, if anything was; nothing is read after that. */
  failure: unknown;

  /** @param online Sees each line of output; when it throws, that is what `failure` is. */
  constructor(root: Root, online: (line: string) => void, subcommand: readonly string[] = []) {
    // The runtime's own warnings are shown: one of them tells of listeners that are never taken away.
    const runtimeFlags = ON_DENO
      ? ["--no-prompt", "--allow-read", ...(subcommand.length > 0 ? ["--allow-net=127.0.0.1"] : [])]
      : ["--experimental-strip-types", "--disable-warning=ExperimentalWarning"];
    const options = ["--root", root.path, "--page-size", String(PAGE_SIZE)];
    const [file, args] = command([...subcommand, ...options], { runtimeFlags });
    this.child = spawn(file, args, { stdio: "pipe" });
    // A program that is gone is noticed by its exit.
    this.child.stdin.on("error", () => {});
    const output = readLines(this.child.stdout, (line) => {
      try {
        if (!this.failure) online(line);
      } catch (cause) {
        this.failure = cause;
      }
    });
    this.child.stdout.on("error", () => this.failure ??= new Discrepancy("form", "A line is not UTF-8"));
    this.child.stderr.setEncoding("utf8").on("data", (text: string) => {
      this.errors = (this.errors + text).slice(-100_000);
    });
    this.exited = once(this.child, "close").then(([code]) => {
      this.isOver = true;
      if (output.rest !== "") this.failure ??= new Discrepancy("form", "The output ends within a line");
      return code as number | null;
    });
  }

  /** Writes one chunk; settles when it has left, or when the program is gone. */
  write(bytes: Uint8Array): Promise<void> {
    return new Promise((resolve) => {
      if (!this.isOver && this.child.stdin.writable) this.child.stdin.write(bytes, () => resolve());
      else resolve();
    });
  }

  /** Writes chunks, the first of them with a pause after each: without one, the pipe would put them together again. */
  async writeAll(all: readonly Uint8Array[]): Promise<void> {
    for (const [index, chunk] of all.entries()) {
      await this.write(chunk);
      if (index < PAUSES && index < all.length - 1) await pause(1);
    }
  }

  /**
   * Waits until something holds, or for so long.
   *
   * @throws {Discrepancy} When the program is gone before that, or a line was wrong.
   */
  async until(isDone: () => boolean, ms: number): Promise<boolean> {
    for (const deadline = Date.now() + ms; !isDone() && Date.now() < deadline; await pause(5)) {
      if (this.failure) throw this.failure;
      if (this.isOver) throw new Discrepancy("exit", `The program is gone: ${this.errors}`);
    }
    if (this.failure) throw this.failure;
    return isDone();
  }

  async kill(): Promise<void> {
    this.child.kill("SIGKILL");
    await this.exited;
  }
}

/** How it went. */
export interface Report {
  /** How much was sent. */
  sent: number;
  /** How many answers came back, by kind. */
  readonly counts: Map<string, number>;
  /** What was wrong, and what was sent when it happened. */
  find?: { readonly message: string; readonly bytes: Uint8Array };
}

/** One conversation with the program. */
export class Exchange {
  readonly subject: Subject;
  readonly model: Model;
  readonly #cursors: Cursors;
  readonly #counts: Report["counts"];
  readonly #secrets: readonly string[];
  /** The line that has no end yet. */
  #begun: Uint8Array = NOTHING;
  #syncs = 0;
  #awaited: string | undefined;

  constructor(root: Root, cursors: Cursors, counts: Report["counts"]) {
    this.#cursors = cursors;
    this.#counts = counts;
    this.#secrets = [...root.secrets, REPOSITORY];
    this.model = new Model(cursors);
    this.subject = new Subject(root, (line) => this.#receive(line));
  }

  /**
   * Sends bytes; where the answers decide about what is due to the rest, they are waited for.
   *
   * @param random Decides how the bytes are cut into chunks. @default {they are not}
   *
   * @throws {Discrepancy} When something came back that must not.
   */
  async send(bytes: Uint8Array, random?: Random): Promise<void> {
    let [sent, start] = [0, 0];
    for (let end = bytes.indexOf(NEWLINE); end >= 0; end = bytes.indexOf(NEWLINE, start)) {
      this.#enter(bytes.subarray(start, end));
      start = end + 1;
      if (!this.model.mustLook) continue;
      await this.#write(bytes.subarray(sent, start), random);
      sent = start;
      await this.settle();
    }
    this.#begun = concat([this.#begun, bytes.subarray(start)]);
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
    await this.#write(this.#ping(id, "\n"));
    await this.#until(() => this.#awaited === undefined, SILENCE_MS, "hang");
    await this.#until(() => this.model.problem() === undefined, LATE_MS, "missing");
    this.#look();
  }

  /**
   * Ends the input, within a line, and waits for the end: the program must answer everything and leave quietly.
   *
   * @throws {Discrepancy} When it does not.
   */
  async finish(): Promise<void> {
    await this.#write(this.#ping("fuzz-last", ""));
    this.subject.child.stdin.end();
    await this.#until(() => this.subject.isOver, SILENCE_MS, "hang");
    const code = await this.subject.exited;
    this.#look();
    if (code !== 0) throw new Discrepancy("exit", `The program ended with ${code}: ${this.subject.errors}`);
  }

  /** A ping of our own, after the end of a line that was begun. */
  #ping(id: string, end: string): Uint8Array {
    const before = this.#begun.length > 0 ? "\n" : "";
    if (before) this.#enter(NOTHING);
    const ping = `{"jsonrpc":"2.0","id":"${id}","method":"ping"}`;
    this.model.readLine(encoder.encode(ping));
    return encoder.encode(before + ping + end);
  }

  /** Enters what is due to a line, which may have begun earlier. */
  #enter(bytes: Uint8Array): void {
    const line = this.#begun.length > 0 ? concat([this.#begun, bytes]) : bytes;
    this.#begun = NOTHING;
    this.model.readLine(line);
  }

  async #write(bytes: Uint8Array, random?: Random): Promise<void> {
    let isWritten = false;
    void this.subject.writeAll(random ? chunks(bytes, random) : [bytes]).then(() => isWritten = true);
    await this.#until(() => isWritten, SILENCE_MS, "hang");
  }

  async #until(isDone: () => boolean, ms: number, kind: string): Promise<void> {
    if (await this.subject.until(isDone, ms)) return;
    throw this.model.problem() ?? new Discrepancy(kind, "The program is silent, and something is due");
  }

  /** Nothing may be left, neither in the model nor on standard error. */
  #look(): void {
    const problem = this.subject.failure ?? this.model.problem();
    if (problem) throw problem;
    const error = unexpectedError(this.subject.errors);
    if (error !== undefined) throw new Discrepancy("stderr", `The program wrote on standard error: ${error}`);
    this.model.turnPage();
  }

  #receive(line: string): void {
    const shown = this.#secrets.find((secret) => line.includes(secret));
    if (shown !== undefined) throw new Discrepancy("secret", `A line of output shows "${shown}"`);
    const output = readOutput(line);
    if (!Array.isArray(output)) return this.#receiveOne(output as Json, false);
    for (const answer of output) this.#receiveOne(answer, true);
    this.model.receiveArray(output);
  }

  #receiveOne(answer: Json, isInArray: boolean): void {
    const { id, error, result } = answer as { id?: unknown; error?: { code: number }; result?: Json };
    if (id === undefined || id === null) {
      if (!error) throw new Discrepancy("form", "A result has no id");
      this.#count(`${error.code} without id`);
      return this.model.receiveNameless(error.code, id === null ? "null" : "none");
    }
    if (typeof id !== "string" && typeof id !== "number") throw new Discrepancy("form", "An id is none");
    const key = keyOf(id);
    const dues = this.model.receive(key);
    const problems = dues.map((due) => problemOf(answer, due, isInArray, this.#cursors));
    const due = dues[problems.indexOf(undefined)];
    if (!due) {
      const asked = dues[0]!.method || "what is no request";
      throw new Discrepancy("content", `The answer to ${asked} with the id ${key} ${problems[0]}`);
    }
    this.#count(error ? String(error.code) : `result of ${due.method}`);
    if (result && due.method === "initialize") this.model.agreed = textOf(result["protocolVersion"]);
    if (key === this.#awaited) this.#awaited = undefined;
  }

  #count(kind: string): void {
    this.#counts.set(kind, (this.#counts.get(kind) ?? 0) + 1);
  }
}

/** Asks the program for its cursors, which are opaque. */
async function readCursors(root: Root): Promise<Cursors> {
  let answered: (answer: Json) => void;
  const subject = new Subject(root, (line) => answered(JSON.parse(line)));
  const ask = (method: string, cursor: unknown) => {
    const request = { jsonrpc: "2.0", id: 1, method, params: { cursor, _meta: PLAIN_META } };
    void subject.write(encoder.encode(`${JSON.stringify(request)}\n`));
    return new Promise<Json>((resolve) => answered = resolve);
  };
  const cursors: Record<string, string[]> = {};
  for (const method of ["resources/list", "resources/templates/list", "prompts/list", "tools/list"]) {
    const found: string[] = cursors[method] = [];
    while (true) {
      const { nextCursor } = (await ask(method, found.at(-1)))["result"] as { nextCursor?: string };
      if (nextCursor === undefined) break;
      found.push(nextCursor);
    }
  }
  await subject.kill();
  return cursors;
}

/**
 * Fuzzes with this many lines until all are sent or something is found: in many short lives, each of which is asked much before
 * anything is ready and then left at once, and one long life.
 */
export async function fuzz(root: Root, seed: number, count: number): Promise<Report> {
  const cursors = await readCursors(root);
  const report: Report = { sent: 0, counts: new Map() };
  for (let life = 0; life <= LIVES && !report.find; life++) {
    const isLong = life === LIVES;
    const seedOfLife = Math.imul(seed, 0x9e3779b1) + life;
    const generator = new Generator(seedOfLife, cursors);
    // Decides about lengths and chunks; what is in the lines is decided apart from it.
    const random = new Random(~seedOfLife);
    const exchange = new Exchange(root, cursors, report.counts);
    const { model } = exchange;
    const total = isLong ? Math.max(1, count - LIVES * SHORT_LIFE) : SHORT_LIFE;
    let [sent, where, bytes] = [0, "", new Uint8Array(0) as Uint8Array];
    try {
      while (sent < total) {
        const length = isLong ? Math.min(random.between(1, MAX_STRETCH), total - sent) : total;
        bytes = concat(Array.from({ length }, () => generator.next()));
        where = `in life ${life}, after line ${sent}, with ${model.agreed}`;
        await exchange.send(bytes, random);
        sent += length;
        if (isLong) await exchange.settle();
      }
      await exchange.finish();
    } catch (cause) {
      if (!(cause instanceof Discrepancy)) throw cause;
      report.find = { message: `${cause.message}, ${where}`, bytes };
    } finally {
      report.sent += model.lines;
      await exchange.subject.kill();
    }
  }
  return report;
}
