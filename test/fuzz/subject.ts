/**
 * How is the program held while it is fuzzed? As its own process over real pipes: bytes in, in chunks cut anywhere, lines
 * out, as they come; and how much memory it takes up.
 */

import { spawn } from "node:child_process";
import type { ChildProcessWithoutNullStreams } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { Discrepancy } from "./ledger.ts";
import { PAGE_SIZE } from "./shelf.ts";

const REPOSITORY = fileURLToPath(new URL("../../", import.meta.url)).replace(/[\\/]$/, "");
const PROGRAM = process.env["ARCHITRAVE_PROGRAM"] ?? `${REPOSITORY}/mod.ts`;
/** The runtime's own warnings are shown: one of them tells of listeners that are never taken away. */
const RUNTIME_FLAGS = "Deno" in globalThis
  ? ["run", "--no-prompt", "--allow-read"]
  : ["--experimental-strip-types", "--disable-warning=ExperimentalWarning"];
const NEWLINE = 0x0a;
/** How much of standard error is kept, in characters. */
const MAX_ERRORS = 100_000;

/** What an answer must never show of the machine. */
export const PLACES: readonly string[] = [REPOSITORY];

/** Gives the program time to read what was written; nothing tells when it has. */
export function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 1));
}

/** What hears of the program. */
export interface SubjectEvents {
  /** Each line of output; when it throws, that is what `failure` is. */
  line(text: string): void;
  /** Called after each chunk of output, and when the program has ended. */
  progress(): void;
}

/** The program, running. */
export class Subject {
  /** Settles with the exit code once all output is read; null when a signal ended it. */
  readonly exited: Promise<number | null>;
  /** What the program wrote on standard error. */
  errors = "";
  /** True once the process is gone. */
  isOver = false;
  /** What was wrong with a line, if anything was; nothing is read after that. */
  failure: unknown;
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #events: SubjectEvents;
  readonly #decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  #rest: Uint8Array[] = [];

  constructor(root: string, events: SubjectEvents) {
    const args = [...RUNTIME_FLAGS, PROGRAM, "--root", root, "--page-size", String(PAGE_SIZE)];
    this.#events = events;
    this.#child = spawn(process.execPath, args, { stdio: "pipe" });
    // A program that is gone is noticed by its exit.
    this.#child.stdin.on("error", () => {});
    this.#child.stdout.on("data", (chunk: Uint8Array) => this.#take(chunk));
    this.#child.stderr.setEncoding("utf8").on("data", (text: string) => {
      this.errors = (this.errors + text).slice(-MAX_ERRORS);
    });
    this.exited = once(this.#child, "close").then(([code]) => {
      this.isOver = true;
      if (this.#rest.length > 0) this.#fail(new Discrepancy("form", "The output ends within a line"));
      events.progress();
      return code as number | null;
    });
  }

  /** Writes one chunk; settles when it has left, or when the program is gone. */
  write(bytes: Uint8Array): Promise<void> {
    return new Promise((resolve) => {
      if (!this.isOver && this.#child.stdin.writable) this.#child.stdin.write(bytes, () => resolve());
      else resolve();
    });
  }

  /** Ends the input. */
  end(): void {
    this.#child.stdin.end();
  }

  /** Stops reading output, for a while. */
  stopReading(): void {
    this.#child.stdout.pause();
  }

  readOn(): void {
    this.#child.stdout.resume();
  }

  kill(): void {
    this.#child.kill("SIGKILL");
  }

  /** How much memory is resident, in bytes; undefined where that cannot be read. */
  residentBytes(): number | undefined {
    if (process.platform !== "linux" || this.isOver) return undefined;
    const kilobytes = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${this.#child.pid}/status`, "utf8"))
      ?.[1];
    return kilobytes === undefined ? undefined : Number(kilobytes) * 1024;
  }

  #take(chunk: Uint8Array): void {
    try {
      let start = 0;
      for (let end = chunk.indexOf(NEWLINE); end >= 0 && !this.failure; end = chunk.indexOf(NEWLINE, start)) {
        this.#rest.push(chunk.subarray(start, end));
        this.#events.line(this.#decode(this.#rest));
        this.#rest = [];
        start = end + 1;
      }
      if (start < chunk.length) this.#rest.push(chunk.slice(start));
    } catch (cause) {
      this.#fail(cause);
    }
    this.#events.progress();
  }

  #decode(parts: readonly Uint8Array[]): string {
    try {
      let text = "";
      for (const part of parts) text += this.#decoder.decode(part, { stream: true });
      return text + this.#decoder.decode();
    } catch {
      throw new Discrepancy("form", "A line of output is not UTF-8");
    }
  }

  #fail(cause: unknown): void {
    this.failure ??= cause;
    this.#rest = [];
  }
}
