/**
 * What does the program really write? A client of lines: it sends whatever a test wants, well-formed or not, and checks
 * every line that comes back against the schema of the revision in force for it.
 */

import type { ChildProcessWithoutNullStreams } from "node:child_process";
import type { Message } from "./rules.ts";
import type { Launch } from "./programs.ts";
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { TextDecoder } from "node:util";
import {
  answerProblems,
  batchProblems,
  META_PREFIX,
  MODERN_REVISION,
  notificationProblems,
  orphanProblems,
} from "./rules.ts";
import { Streams } from "./conversation.ts";

/** How long anything may take before a test gives up, in milliseconds: machines of CI are slow and busy. */
const PATIENCE_MS = 20_000;

/** What a request states of itself in 2026-07-28. */
export const MODERN_META: Message = Object.freeze({
  [`${META_PREFIX}protocolVersion`]: MODERN_REVISION,
  [`${META_PREFIX}clientCapabilities`]: Object.freeze({}),
  [`${META_PREFIX}clientInfo`]: Object.freeze({ name: "interop", version: "1" }),
});

/** The params of a well-formed `initialize`. */
export function initializeParams(protocolVersion: string): Message {
  return { protocolVersion, capabilities: {}, clientInfo: { name: "interop", version: "1" } };
}

/** An answer, loosely: what is in it is the business of the schemas and of each test. */
export interface Answer {
  readonly id?: string | number | null;
  readonly result?: any;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: any };
}

/** A request that was sent. */
interface Sent {
  readonly id: string | number;
  readonly method: string;
  readonly modern: boolean;
  /** The last `initialize` before it: what that agreed on is in force for this one. */
  readonly after: Sent | undefined;
  agreed: string | undefined;
}

/** One conversation with one process. */
export class Wire {
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #exited: Promise<{ code: number | null; signal: string | null }>;
  readonly #sent = new Map<string | number, Sent>();
  readonly #problems: string[] = [];
  readonly #streams = new Streams();
  /** What came and nobody has asked for yet, by id; under the empty key what has none. */
  readonly #arrived = new Map<unknown, Answer[]>();
  readonly #waiting = new Map<unknown, ((answer: Answer) => void)[]>();
  #stderr = "";
  /** Bytes that are no UTF-8 would throw, and a carriage return or U+2028 is no end of a line. */
  readonly #decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  #rest = "";
  #lastInitialize: Sent | undefined;
  #nextId = 1;
  /** Every notification that came. */
  readonly notifications: Message[] = [];
  /** Every batch that came, as many answers as it had. */
  readonly batches: number[] = [];

  constructor({ command, args, cwd, env }: Launch) {
    this.#child = spawn(command, args, { cwd, env, stdio: "pipe" });
    this.#exited = new Promise((resolve) => {
      this.#child.on("error", (error) => this.#problems.push(String(error)));
      this.#child.on("close", (code, signal) => resolve({ code, signal }));
    });
    this.#child.stderr.setEncoding("utf8").on("data", (text: string) => this.#stderr += text);
    this.#child.stdin.on("error", () => {});
    this.#child.stdout.on("data", (chunk: Uint8Array) => this.#split(chunk));
    this.#child.stdout.on("end", () => {
      if (this.#rest !== "") this.#problems.push(`The last line has no end: ${this.#rest.slice(0, 200)}`);
    });
  }

  /** Writes messages in one piece, one a line. A text is written as it stands. */
  send(...messages: readonly (Message | readonly unknown[] | string)[]): void {
    this.write(messages.map((message) => `${this.#noted(message)}\n`).join(""));
  }

  /** Writes bytes as they are. */
  write(bytes: string | Uint8Array): void {
    this.#child.stdin.write(bytes);
  }

  /** A request with an id of its own, to be sent by `send`. */
  request(method: string, params?: Message): Message & { readonly id: number } {
    return { jsonrpc: "2.0", id: this.#nextId++, method, ...(params === undefined ? {} : { params }) };
  }

  /** Sends one request and waits for its answer. */
  async ask(method: string, params?: Message): Promise<Answer> {
    const request = this.request(method, params);
    this.send(request);
    return await this.answer(request.id);
  }

  /** Sends one request of 2026-07-28 and waits for its answer. */
  async askModern(method: string, params: Message = {}): Promise<Answer> {
    return await this.ask(method, { ...params, _meta: MODERN_META });
  }

  /** Says under which id an answer will come to what is written by hand. */
  expect(id: string | number, method: string, modern: boolean = false): void {
    this.#note({ id, method, params: modern ? { _meta: MODERN_META } : {} });
  }

  /** Stops reading what the program writes, until `release`. */
  hold(): void {
    this.#child.stdout.pause();
  }

  release(): void {
    this.#child.stdout.resume();
  }

  /** Closes what the program writes to, as a client that crashed does, and waits for the process. */
  async leave(): Promise<void> {
    this.#rest = "";
    this.#child.stdout.destroy();
    this.write('{"jsonrpc":"2.0","id":"late","method":"ping"}\n');
    const timer = setTimeout(() => this.#child.kill("SIGKILL"), PATIENCE_MS);
    const { code, signal } = await this.#exited;
    clearTimeout(timer);
    assert.deepEqual({ code, signal }, { code: 0, signal: null }, "nobody listens, so the process ends");
    assert.equal(this.#stderr, "");
  }

  /** What the program said to its operator so far. */
  get stderr(): string {
    return this.#stderr;
  }

  /** Opens in a legacy revision, as a client does. */
  async initialize(revision: string): Promise<Answer> {
    const answer = await this.ask("initialize", initializeParams(revision));
    this.send({ jsonrpc: "2.0", method: "notifications/initialized" });
    return answer;
  }

  /** Waits for the answer under an id; without one, for the next answer that has no id or null. */
  answer(id?: string | number): Promise<Answer> {
    const early = this.#arrived.get(id)?.shift();
    if (early) return Promise.resolve(early);
    return new Promise((resolve, reject) => {
      const timer = setTimeout(
        () =>
          reject(
            new Error(`No answer to ${id ?? "what has no id"} came; ${this.#stderr || "nothing on stderr"}`),
          ),
        PATIENCE_MS,
      );
      const waiting = this.#waiting.get(id) ?? [];
      waiting.push((answer) => {
        clearTimeout(timer);
        resolve(answer);
      });
      this.#waiting.set(id, waiting);
    });
  }

  /** Ends the input, and waits for the process; kills it when it does not end. */
  async endInput(): Promise<number | null> {
    this.#child.stdin.end();
    const timer = setTimeout(() => this.#child.kill("SIGKILL"), PATIENCE_MS);
    const { code } = await this.#exited;
    clearTimeout(timer);
    return code;
  }

  /** Ends the input. The process must then end well, with every line as it must be, and nothing left over. */
  async close(): Promise<void> {
    await this.endInput();
    const { code, signal } = await this.#exited;
    assert.deepEqual(this.#problems, [], "every line is what the revision in force allows");
    assert.equal(this.#stderr, "", "standard error is empty");
    assert.deepEqual({ code, signal }, { code: 0, signal: null }, "the process ends by itself, with 0");
    const left = [...this.#arrived.values()].flat();
    assert.deepEqual(left, [], "nothing came that nobody asked for");
  }

  /** Takes note of every request in what is about to be sent, and gives its text. */
  #noted(message: Message | readonly unknown[] | string): string {
    if (typeof message === "string") return message;
    for (const one of (Array.isArray(message) ? message : [message]) as Message[]) this.#note(one);
    return JSON.stringify(message);
  }

  #note(message: Message): void {
    const { id, method, params } = message as { id?: unknown; method?: unknown; params?: Message };
    this.#streams.sent(message);
    if ((typeof id !== "string" && typeof id !== "number") || typeof method !== "string") return;
    const meta = params?.["_meta"] as Message | undefined;
    const modern = Object.keys(MODERN_META).some((key) => key in (meta ?? {}));
    const sent: Sent = { id, method, modern, after: this.#lastInitialize, agreed: undefined };
    this.#sent.set(id, sent);
    if (method === "initialize" && !modern) this.#lastInitialize = sent;
  }

  #split(chunk: Uint8Array): void {
    const lines = (this.#rest + this.#decoder.decode(chunk, { stream: true })).split("\n");
    this.#rest = lines.pop()!;
    for (const line of lines) this.#read(line);
  }

  #read(line: string): void {
    let message: unknown;
    try {
      message = JSON.parse(line);
    } catch {
      this.#problems.push(`This line is no JSON: ${line.slice(0, 200)}`);
      return;
    }
    if (!Array.isArray(message)) return this.#take(message as Message);
    this.#problems.push(...batchProblems(message, agreedBy(this.#lastInitialize)));
    this.batches.push(message.length);
    for (const one of message) this.#take(one as Message);
  }

  #take(message: Message): void {
    this.#problems.push(...this.#streams.received(message));
    if ("method" in message) {
      this.#problems.push(...notificationProblems(message, agreedBy(this.#lastInitialize)));
      this.notifications.push(message);
      return;
    }
    const id = message["id"] as string | number | null | undefined;
    const key = id ?? undefined;
    const sent = key === undefined ? undefined : this.#sent.get(key);
    this.#problems.push(...this.#problemsOf(message, sent));
    const waiting = this.#waiting.get(key)?.shift();
    if (waiting) waiting(message as Answer);
    else this.#arrived.set(key, [...(this.#arrived.get(key) ?? []), message as Answer]);
  }

  #problemsOf(message: Message, sent: Sent | undefined): string[] {
    if (message["id"] === null || message["id"] === undefined) {
      return orphanProblems(message, agreedBy(this.#lastInitialize));
    }
    if (!sent) return [`An answer came to nothing that was asked: ${JSON.stringify(message).slice(0, 200)}`];
    this.#sent.delete(sent.id);
    const { result } = message as Answer;
    if (sent.method === "initialize" && result) sent.agreed = String(result.protocolVersion);
    const revision = sent.modern ? MODERN_REVISION : sent.agreed ?? agreedBy(sent.after);
    return answerProblems(message, { method: sent.method, revision });
  }
}

/** What was agreed last, where the last handshakes may have failed. */
function agreedBy(sent: Sent | undefined): string | undefined {
  for (let one = sent; one; one = one.after) if (one.agreed !== undefined) return one.agreed;
  return undefined;
}
