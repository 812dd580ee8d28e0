/**
 * The real program as a process of its own on the runtime that runs the tests, spoken to over real pipes, line by line. With
 * `ARCHITRAVE_PROGRAM=FILE` in the environment another build is run instead of `mod.ts`.
 */

import { spawn } from "node:child_process";
import type { ChildProcessWithoutNullStreams } from "node:child_process";
import { once } from "node:events";
import process from "node:process";
import { after } from "node:test";
import { Inbox, readLines, recorder } from "./lines.ts";
import type { RunOptions } from "./runtime.ts";
import { command } from "./runtime.ts";

export {
  command,
  IS_COMPLETE,
  IS_ELSEWHERE,
  ON_DENO,
  PROGRAM,
  REPOSITORY,
  sandbox,
  TESTS,
} from "./runtime.ts";

/** The programs that are running. They are killed after the tests of a file, since a test that fails may not end its program. */
const running = new Set<ChildProcessWithoutNullStreams>();
after(() => running.forEach((child) => child.kill("SIGKILL")));

/** What a message looks like to a test. */
export interface Answer {
  readonly jsonrpc: "2.0";
  readonly id?: string | number | null;
  readonly result?: Record<string, unknown>;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
  readonly method?: string;
  readonly params?: unknown;
}

/** Runs the program to its end. */
export async function run(
  args: readonly string[],
  input: string | Uint8Array = "",
  options: RunOptions = {},
): Promise<{ code: number | null; output: string; errors: string }> {
  const program = new Program(args, options);
  program.child.stdin.end(input);
  const code = await program.exited;
  return { code, output: program.output, errors: program.errors };
}

/** The program, running. */
export class Program {
  readonly child: ChildProcessWithoutNullStreams;
  /** Settles with the exit code, once all output is read; null when a signal ended it. */
  readonly exited: Promise<number | null>;
  output = "";
  errors = "";
  readonly #lines = new Inbox<string>();
  readonly #notices: Answer[] = [];
  readonly #record = recorder();
  #nextId = 1;

  constructor(args: readonly string[] = [], options: RunOptions = {}) {
    const [file, all] = command(args, options);
    const env = options.env === undefined ? undefined : { ...process.env, ...options.env };
    this.child = spawn(file, all, { cwd: options.cwd, env, stdio: "pipe" });
    running.add(this.child);
    this.exited = once(this.child, "close").then(([code]) => {
      running.delete(this.child);
      this.#lines.end();
      return code as number | null;
    });
    // A program that is gone is noticed by its exit code.
    this.child.stdin.on("error", () => {});
    this.child.stdout.setEncoding("utf8").on("data", (text: string) => this.output += text);
    readLines(this.child.stdout, (line) => {
      this.#record("received", line);
      this.#lines.add(line);
    });
    this.child.stderr.setEncoding("utf8").on("data", (text: string) => this.errors += text);
  }

  /** Sends lines as they are. */
  send(...lines: (string | object)[]): void {
    const texts = lines.map((line) => typeof line === "string" ? line : JSON.stringify(line));
    for (const text of texts) this.#record("sent", text);
    this.child.stdin.write(texts.map((text) => `${text}\n`).join(""));
  }

  /** The next message that the program writes. */
  async next(): Promise<Answer> {
    const line = await this.#lines.next();
    if (line === undefined) throw new Error(`The program ended before it answered; it said: ${this.errors}`);
    return JSON.parse(line);
  }

  /** The next messages, as many as are asked for. */
  async take(count: number): Promise<Answer[]> {
    const messages: Answer[] = [];
    while (messages.length < count) messages.push(await this.next());
    return messages;
  }

  /** The next answers, as many as are asked for; notifications that come meanwhile are put with the notices. */
  async answers(count: number): Promise<Answer[]> {
    const answers: Answer[] = [];
    while (answers.length < count) {
      const message = await this.next();
      (message.method === undefined ? answers : this.#notices).push(message);
    }
    return answers;
  }

  /** Asks one thing in the revision that a handshake agreed on; notifications until the answer are put with the notices. */
  async ask(method: string, params?: object): Promise<Answer> {
    this.send({ jsonrpc: "2.0", id: this.#nextId++, method, ...(params ? { params } : {}) });
    return (await this.answers(1))[0]!;
  }

  /** The next notification or request of the program; an answer in its place fails the test. */
  async notice(): Promise<Answer> {
    const notice = this.#notices.shift() ?? await this.next();
    if (notice.method === undefined) throw new Error(`This is no notice: ${JSON.stringify(notice)}`);
    return notice;
  }

  /** The notices that were not taken yet, up to the answer to a ping that is sent now. */
  async notices(): Promise<Answer[]> {
    await this.ask("ping");
    return this.#notices.splice(0);
  }

  /** Asks one thing as a modern request. */
  askModern(method: string, params: object = {}): Promise<Answer> {
    return this.ask(method, modern(params));
  }

  /** Makes the handshake. */
  async initialize(protocolVersion = "2025-11-25"): Promise<Answer> {
    const answer = await this.ask("initialize", handshake(protocolVersion));
    this.send({ jsonrpc: "2.0", method: "notifications/initialized" });
    return answer;
  }

  /** Ends the input and waits for the exit. */
  async close(): Promise<number | null> {
    this.child.stdin.end();
    return await this.exited;
  }
}

/** The prompts of a list that do not come with the program; a sandbox may hide those. */
export function withoutShipped<T extends { readonly name: string }>(prompts: readonly T[]): T[] {
  return prompts.filter(({ name }) =>
    !/^(?:create-adr|review-code-against-patterns|suggest-patterns)$/.test(name)
  );
}

/** The params of a handshake. */
export function handshake(protocolVersion: string): object {
  return { protocolVersion, capabilities: {}, clientInfo: { name: "test", version: "1" } };
}

/** Params with what a modern request states of itself. */
export function modern(params: object = {}, version = "2026-07-28", capabilities: object = {}): object {
  return {
    ...params,
    _meta: {
      "io.modelcontextprotocol/protocolVersion": version,
      "io.modelcontextprotocol/clientCapabilities": capabilities,
      "io.modelcontextprotocol/clientInfo": { name: "test", version: "1" },
    },
  };
}
