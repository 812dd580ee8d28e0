/**
 * Conversations in lines: how they are read, waited for and recorded. With `ARCHITRAVE_TRANSCRIPTS=DIR` in the environment
 * every conversation is written there, so that each line can be checked against the official schema of its revision.
 */

import { appendFileSync, mkdirSync } from "node:fs";
import process from "node:process";
import type { Readable } from "node:stream";

/** How long a message may take, in milliseconds: far longer than any machine needs. */
const SILENCE_MS = 60_000;
const FOLDER = process.env["ARCHITRAVE_TRANSCRIPTS"];
let recorded = 0;

/** Items that arrive one after the other, and can be waited for. */
export class Inbox<T> {
  /** The items that have arrived and were not taken. */
  readonly items: T[] = [];
  #isOver = false;
  #cause: unknown;
  #wake = (): void => {};

  add(item: T): void {
    this.items.push(item);
    this.#wake();
  }

  /** Nothing more comes; whoever waits for more fails, if there is a cause. */
  end(cause?: unknown): void {
    this.#isOver = true;
    this.#cause ??= cause;
    this.#wake();
  }

  /** The next item; undefined when nothing more comes. */
  async next(): Promise<T | undefined> {
    while (this.items.length === 0) {
      if (this.#cause !== undefined) throw this.#cause;
      if (this.#isOver) return undefined;
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      this.#wake = resolve;
      const timer = setTimeout(() => reject(new Error(`Nothing came in ${SILENCE_MS} ms`)), SILENCE_MS);
      await promise.finally(() => clearTimeout(timer));
    }
    return this.items.shift();
  }
}

/**
 * Gives each line of a stream to a function as soon as it is whole, and at any time what has come of the next. Bytes that are
 * not UTF-8 are an error of the stream.
 */
export function readLines(stream: Readable, take: (line: string) => void): { rest: string } {
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  const decoded = (chunk: Uint8Array): string | undefined => {
    try {
      return decoder.decode(chunk, { stream: true });
    } catch (cause) {
      stream.destroy(cause as Error);
      return undefined;
    }
  };
  const begun = { rest: "" };
  stream.on("data", (chunk: Uint8Array | string) => {
    const text = typeof chunk === "string" ? chunk : decoded(chunk);
    if (text === undefined) return;
    begun.rest += text;
    // A long line comes in many pieces.
    if (!text.includes("\n")) return;
    const lines = begun.rest.split("\n");
    begun.rest = lines.pop()!;
    for (const line of lines) take(line);
  });
  return begun;
}

/** Records one conversation, if a folder is named. It begins with the first line that is sent. */
export function recorder(): (direction: "sent" | "received", line: string) => void {
  if (FOLDER === undefined) return () => {};
  const file = `${FOLDER}/${Date.now()}-${process.pid}-${++recorded}.jsonl`;
  let isBegun = false;
  return (direction, line) => {
    if (!isBegun && direction === "sent") mkdirSync(FOLDER, { recursive: true });
    isBegun ||= direction === "sent";
    if (isBegun) appendFileSync(file, `${JSON.stringify({ [direction]: line })}\n`);
  };
}
