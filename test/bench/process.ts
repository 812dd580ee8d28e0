/** How is one server started, asked and stopped? A whole process over real pipes. */
import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { closeSync } from "node:fs";
import type { Socket } from "node:net";
import { openPipes } from "./pipes.ts";
import { cpuMs, peakMemoryBytes } from "./readings.ts";

/** One request without its id. */
export interface Call {
  method: string;
  params?: unknown;
}

/** Requests encoded beforehand, so that encoding them is not measured. */
export interface Flood {
  /** All requests, one line each. */
  bytes: Buffer;
  /** Where each request ends in `bytes`. */
  ends: number[];
  /** Smallest and largest answer that can be right, in bytes: an error or a notification among the answers is noticed. */
  answerBytes: readonly [number, number];
}

/** Longest silence before a server counts as hung, in milliseconds; the slowest start of a peer takes a few seconds. */
const PATIENCE_MS = 30_000;
/** Time for a server to end by itself once its input is closed, in milliseconds; caches are written in this time. */
const FAREWELL_MS = 3_000;
/** How much of stderr is kept to explain a failure, in characters. */
const STDERR_KEPT = 2_000;

/** How much of an answer of the wrong size is shown, in bytes. */
const SHOWN_BYTES = 200;

const NEWLINE = 10;

/** A running server. */
export class ServerProcess {
  /** When the process was asked for, on the clock of `performance.now()`. */
  readonly startedAt: number;
  readonly #child: ChildProcess;
  readonly #stdin: Socket;
  readonly #exited: Promise<void>;
  #nextId = 1;
  #stderr = "";
  #failure: Error | undefined;
  /** Who gets the next bytes of stdout. */
  #onChunk: (chunk: Buffer) => void = () => {};
  /** Who hears that the process is lost. */
  #onFailure: (failure: Error) => void = () => {};

  constructor(command: string, args: string[]) {
    const { child, toServer, fromServer } = openPipes((chunk) => this.#onChunk(chunk));
    this.#stdin = toServer;
    this.startedAt = performance.now();
    this.#child = spawn(command, args, { env: environment(), stdio: [child.stdin, child.stdout, "pipe"] });
    closeSync(child.stdin);
    closeSync(child.stdout);
    this.#child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      this.#stderr = (this.#stderr + text).slice(-STDERR_KEPT);
    });
    for (const stream of [toServer, fromServer]) stream.on("error", (error) => this.#fail(error.message));
    this.#exited = new Promise((resolve) => {
      this.#child.on("error", (error) => (this.#fail(error.message), resolve()));
      this.#child.on("close", (code, signal) => (this.#fail(`ended with ${signal ?? code}`), resolve()));
    });
  }

  /** Processor time used so far in milliseconds, `NaN` where it cannot be read. */
  get cpuMs(): number {
    return cpuMs(this.#child.pid ?? 0) ?? Number.NaN;
  }

  /** The most memory resident so far in bytes, `NaN` where it cannot be read. */
  get peakMemoryBytes(): number {
    return peakMemoryBytes(this.#child.pid ?? 0) ?? Number.NaN;
  }

  /** Sends one request and waits for its result; what else arrives meanwhile is passed over. */
  async request(method: string, params?: unknown): Promise<unknown> {
    const id = this.#nextId++;
    const pieces: Buffer[] = [];
    const line = this.#exchange<Record<string, unknown>>((done) => (chunk) => {
      let from = 0;
      for (let at = chunk.indexOf(NEWLINE); at !== -1; at = chunk.indexOf(NEWLINE, from)) {
        pieces.push(chunk.subarray(from, at));
        from = at + 1;
        const message = JSON.parse(Buffer.concat(pieces.splice(0)).toString()) as Record<string, unknown>;
        if (message["id"] === id) done(message);
      }
      pieces.push(Buffer.from(chunk.subarray(from)));
    });
    this.#stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`);
    const message = await line;
    if (message["error"] !== undefined) {
      throw new Error(`${method} failed: ${JSON.stringify(message["error"])}`);
    }
    return message["result"];
  }

  /** Sends one notification. */
  notify(method: string): void {
    this.#stdin.write(`${JSON.stringify({ jsonrpc: "2.0", method })}\n`);
  }

  /** Encodes `count` requests, taking the calls in turn. */
  prepare(calls: readonly Call[], count: number, answerBytes: readonly [number, number]): Flood {
    const lines: Buffer[] = [];
    const ends: number[] = [];
    let end = 0;
    for (let index = 0; index < count; index += 1) {
      const call = calls[index % calls.length];
      const line = Buffer.from(`${JSON.stringify({ jsonrpc: "2.0", id: this.#nextId++, ...call })}\n`);
      lines.push(line);
      ends.push(end += line.length);
    }
    return { bytes: Buffer.concat(lines), ends, answerBytes };
  }

  /**
   * Sends requests and resolves with the last answer, at most `inFlight` of them unanswered at a time.
   *
   * The answers are counted, not parsed, and requests that become due together leave in one write: the client has to
   * be cheaper than the cheapest server, or it would be the client that is measured.
   */
  async send({ bytes, ends, answerBytes: [smallest, largest] }: Flood, inFlight: number): Promise<void> {
    let sent = 0;
    let answered = 0;
    let length = 0;
    const sendUntil = (until: number) => {
      this.#stdin.write(bytes.subarray(ends[sent - 1] ?? 0, ends[until - 1]));
      sent = until;
    };
    const done = this.#exchange<void>((resolve, reject) => (chunk) => {
      let from = 0;
      for (let at = chunk.indexOf(NEWLINE); at !== -1; at = chunk.indexOf(NEWLINE, from)) {
        length += at - from;
        if (length < smallest || length > largest) {
          const seen = chunk.subarray(from, Math.min(at, from + SHOWN_BYTES)).toString();
          return reject(new Error(`Answer of ${length} bytes, not ${smallest} to ${largest}: ${seen}`));
        }
        answered += 1;
        length = 0;
        from = at + 1;
      }
      length += chunk.length - from;
      if (answered === ends.length) return resolve();
      const due = Math.min(answered + inFlight, ends.length);
      if (due > sent) sendUntil(due);
    });
    sendUntil(Math.min(inFlight, ends.length));
    await done;
  }

  /** Closes the input and waits for the end; a server that does not end is killed. */
  async stop(): Promise<void> {
    this.#onChunk = () => {};
    this.#stdin.end();
    const timer = setTimeout(() => this.#child.kill("SIGKILL"), FAREWELL_MS);
    await this.#exited;
    clearTimeout(timer);
  }

  /** Listens to stdout until the listener says that it is done, the server fails, or nothing has come for too long. */
  #exchange<T>(
    listen: (done: (value: T) => void, failed: (failure: Error) => void) => (chunk: Buffer) => void,
  ): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const timer = setTimeout(() => failed(new Error(`Silent for ${PATIENCE_MS} ms`)), PATIENCE_MS);
      const leave = () => {
        clearTimeout(timer);
        this.#onChunk = () => {};
        this.#onFailure = () => {};
      };
      const failed = (failure: Error) => {
        leave();
        reject(
          new Error(`${failure.message}${this.#stderr === "" ? "" : `; stderr: ${this.#stderr.trim()}`}`),
        );
      };
      if (this.#failure !== undefined) return failed(this.#failure);
      const listener = listen((value) => (leave(), resolve(value)), failed);
      this.#onChunk = (chunk) => {
        timer.refresh();
        listener(chunk);
      };
      this.#onFailure = failed;
    });
  }

  #fail(reason: string): void {
    this.#failure ??= new Error(`The server is gone: ${reason}`);
    this.#onFailure(this.#failure);
  }
}

/** The environment of every server: ours, without what changes how a runtime behaves. */
function environment(): Record<string, string | undefined> {
  const kept: Record<string, string | undefined> = { ...process.env, DENO_NO_UPDATE_CHECK: "1" };
  for (const name of ["NODE_OPTIONS", "NODE_COMPILE_CACHE", "NODE_DEBUG", "NODE_V8_COVERAGE"]) {
    delete kept[name];
  }
  return kept;
}
