/** One measured process: a server over real pipes, and what the kernel says it has used. */
import { spawn, spawnSync } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { closeSync, constants, mkdtempSync, openSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { peakMemory } from "../harness/process.ts";

/** One request without its id. */
export interface Call {
  method: string;
  params?: unknown;
}

/** The smallest and largest answer that can be right, in bytes: an error or a notification in its place is noticed. */
export type AnswerBytes = readonly [smallest: number, largest: number];

/** Longest silence before a server counts as hung, in milliseconds; the slowest start of a peer takes a few seconds. */
const SILENCE_MS = 30_000;
/** Time to end once the input is closed, in milliseconds; caches are written in this time. */
const END_MS = 3_000;
/** How much of stderr is kept to explain a failure, in characters. */
const STDERR_KEPT = 2_000;
/** What a pipe holds on Linux, in bytes. */
const READ_BYTES = 65_536;
/** Clock ticks of `/proc/<pid>/stat` in one second; the same on every Linux that Node and Deno run on. */
const TICKS_PER_SECOND = 100;
const NEWLINE = 10;

/**
 * Processor time of a process so far, all threads together, in milliseconds; `NaN` on anything but Linux.
 *
 * `schedstat` counts nanoseconds but only of live threads, `stat` hundredths of a second of all: the larger is better.
 */
export function cpuMs(pid: number): number {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1)!.split(" ");
    const ticked = (Number(fields[11]) + Number(fields[12])) * (1000 / TICKS_PER_SECOND);
    const schedstat = (thread: string) => readFileSync(`/proc/${pid}/task/${thread}/schedstat`, "utf8");
    const threads = readdirSync(`/proc/${pid}/task`).map((thread) => Number(schedstat(thread).split(" ")[0]));
    return Math.max(ticked, threads.reduce((sum, nanoseconds) => sum + nanoseconds, 0) / 1e6);
  } catch {
    return Number.NaN;
  }
}

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
  #onChunk: (chunk: Buffer) => void = () => {};
  #onFailure: (failure: Error) => void = () => {};

  constructor(command: string, args: string[]) {
    const { toServer, fromServer, stdin, stdout } = openPipes((chunk) => this.#onChunk(chunk));
    this.#stdin = toServer;
    this.startedAt = performance.now();
    this.#child = spawn(command, args, { env: environment(), stdio: [stdin, stdout, "pipe"] });
    closeSync(stdin);
    closeSync(stdout);
    this.#child.stderr!.setEncoding("utf8").on("data", (text: string) => {
      this.#stderr = (this.#stderr + text).slice(-STDERR_KEPT);
    });
    for (const stream of [toServer, fromServer]) stream.on("error", (error) => this.#fail(error.message));
    this.#exited = new Promise((resolve) => {
      this.#child.on("error", (error) => (this.#fail(error.message), resolve()));
      this.#child.on("close", (code, signal) => (this.#fail(`ended with ${signal ?? code}`), resolve()));
    });
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  get cpuMs(): number {
    return cpuMs(this.pid);
  }

  /** The most memory resident so far, in bytes; `NaN` where it cannot be read. */
  get peakMemoryBytes(): number {
    return peakMemory(this.pid) ?? Number.NaN;
  }

  /** Sends one request and waits for its result; other messages are passed over. */
  async request<T>(method: string, params?: unknown): Promise<T> {
    const id = this.#nextId++;
    const decoder = new TextDecoder();
    let text = "";
    const answer = this.#exchange<{ id: number; result: T; error?: unknown }>((done) => (chunk) => {
      const lines = (text + decoder.decode(chunk, { stream: true })).split("\n");
      text = lines.pop()!;
      for (const message of lines.map((line) => JSON.parse(line))) if (message.id === id) done(message);
    });
    this.#stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`);
    const { result, error } = await answer;
    if (error !== undefined) throw new Error(`${method} failed: ${JSON.stringify(error)}`);
    return result;
  }

  notify(method: string): void {
    this.#stdin.write(`${JSON.stringify({ jsonrpc: "2.0", method })}\n`);
  }

  /**
   * Encodes `count` requests, taking the calls in turn, and gives a function that sends them and resolves with the last
   * answer, at most `inFlight` of them unanswered at a time.
   *
   * Answers are counted, not parsed, and requests that become due together leave in one write: the client has to be
   * cheaper than the cheapest server, or the client would be measured.
   */
  prepare(calls: readonly Call[], count: number, inFlight: number, [smallest, largest]: AnswerBytes) {
    const ends: number[] = [];
    const lines = Array.from({ length: count }, (_, index) => {
      const call = calls[index % calls.length];
      const line = Buffer.from(`${JSON.stringify({ jsonrpc: "2.0", id: this.#nextId++, ...call })}\n`);
      ends.push((ends.at(-1) ?? 0) + line.length);
      return line;
    });
    const bytes = Buffer.concat(lines);
    return async (): Promise<void> => {
      let [sent, answered, length] = [0, 0, 0];
      const sendUntil = (until: number) => {
        this.#stdin.write(bytes.subarray(ends[sent - 1] ?? 0, ends[until - 1]));
        sent = until;
      };
      const done = this.#exchange<void>((resolve, reject) => (chunk) => {
        let from = 0;
        for (let at = chunk.indexOf(NEWLINE); at !== -1; at = chunk.indexOf(NEWLINE, from)) {
          length += at - from;
          if (length < smallest || length > largest) {
            const seen = chunk.subarray(from, Math.min(at, from + 200)).toString();
            return reject(new Error(`Answer of ${length} bytes, not ${smallest} to ${largest}: ${seen}`));
          }
          answered += 1;
          length = 0;
          from = at + 1;
        }
        length += chunk.length - from;
        if (answered === count) return resolve();
        const due = Math.min(answered + inFlight, count);
        if (due > sent) sendUntil(due);
      });
      sendUntil(Math.min(inFlight, count));
      await done;
    };
  }

  /** Closes the input and waits for the end; a server that does not end is killed. */
  async stop(): Promise<void> {
    this.#onChunk = () => {};
    this.#stdin.end();
    const timer = setTimeout(() => this.#child.kill("SIGKILL"), END_MS);
    await this.#exited;
    clearTimeout(timer);
  }

  /** Listens to stdout until the listener is done, the server fails, or nothing has come for too long. */
  #exchange<T>(
    listen: (done: (value: T) => void, failed: (failure: Error) => void) => (chunk: Buffer) => void,
  ): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    const fail = (failure: Error) => {
      const stderr = this.#stderr.trim();
      reject(stderr === "" ? failure : new Error(`${failure.message}; stderr: ${stderr}`));
    };
    if (this.#failure !== undefined) fail(this.#failure);
    const timer = setTimeout(() => fail(new Error(`Silent for ${SILENCE_MS} ms`)), SILENCE_MS);
    const listener = listen(resolve, fail);
    this.#onChunk = (chunk) => (timer.refresh(), listener(chunk));
    this.#onFailure = fail;
    return promise.finally(() => {
      clearTimeout(timer);
      this.#onChunk = this.#onFailure = () => {};
    });
  }

  #fail(reason: string): void {
    this.#failure ??= new Error(`The server is gone: ${reason}`);
    this.#onFailure(this.#failure);
  }
}

/**
 * Opens two pipes. `spawn` with "pipe" gives the child Unix sockets, whose buffers and rules differ from the pipes that a
 * shell or a client in another language gives it. Node cannot make a pipe, so `mkfifo` does.
 *
 * @param onChunk Gets every chunk of output. The memory is used again for the next one: what is kept must be copied.
 */
function openPipes(onChunk: (chunk: Buffer) => void) {
  const folder = mkdtempSync(join(tmpdir(), "architrave-pipes-"));
  try {
    const paths = [join(folder, "stdin"), join(folder, "stdout")] as const;
    if (spawnSync("mkfifo", paths).status !== 0) {
      throw new Error("Cannot make pipes: the benchmark needs mkfifo, as Linux and macOS have it");
    }
    const [stdin, toStdin] = openPipe(paths[0]);
    const [fromStdout, stdout] = openPipe(paths[1]);
    const buffer = Buffer.allocUnsafe(READ_BYTES);
    const onread = { buffer, callback: (count: number) => (onChunk(buffer.subarray(0, count)), true) };
    const toServer = new Socket({ fd: toStdin, readable: false, writable: true });
    const fromServer = new Socket({ fd: fromStdout, readable: true, writable: false, onread });
    return { stdin, stdout, toServer, fromServer };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Opens both ends; a third descriptor for both directions keeps the openings from waiting for each other. */
function openPipe(path: string): [readEnd: number, writeEnd: number] {
  const keeper = openSync(path, constants.O_RDWR);
  const ends = [openSync(path, constants.O_RDONLY), openSync(path, constants.O_WRONLY)] as [number, number];
  closeSync(keeper);
  return ends;
}

/** Ours, without what changes how a runtime behaves. */
function environment(): NodeJS.ProcessEnv {
  const { NODE_OPTIONS: _1, NODE_COMPILE_CACHE: _2, NODE_DEBUG: _3, NODE_V8_COVERAGE: _4, ...kept } = process.env;
  return { ...kept, DENO_NO_UPDATE_CHECK: "1" };
}
