/** How does the soak speak with the server? Both eras on one connection, answers by id, and every notice counted. */
import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { readdirSync } from "node:fs";
import { createInterface } from "node:readline";

/** How long an answer may take, in milliseconds: far more than any machine needs. */
const PATIENCE_MS = 30_000;

interface Message {
  id?: string | number;
  method?: string;
  params?: { uri?: string; _meta?: Record<string, unknown> };
  result?: Record<string, unknown>;
  error?: { code: number; message: string };
}

/** What a probe says. */
export interface Held {
  heapUsed: number;
  rss: number;
  /** Open files, pipes and watches of the process; undefined where they cannot be counted. */
  handles: number | undefined;
}

const META = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientCapabilities": {},
};

/** One server and its client. */
export class Client {
  /** When each URI was last told as updated, by stream: "legacy" or the id of a subscription. */
  readonly told = new Map<string, number>();
  /** What the probes said, in order. */
  readonly probes: Held[] = [];
  /** How many notices came. */
  notices = 0;
  errors = "";
  readonly #child: ChildProcess;
  readonly #waiting = new Map<string | number, (message: Message) => void>();
  readonly #exited: Promise<number | null>;
  #nextId = 1;

  constructor(command: readonly string[]) {
    const [file = "", ...args] = command;
    this.#child = spawn(file, args, { stdio: "pipe" });
    this.#exited = new Promise((resolve) => this.#child.once("exit", resolve));
    createInterface({ input: this.#child.stdout! }).on("line", (line) => this.#take(JSON.parse(line)));
    createInterface({ input: this.#child.stderr! }).on("line", (line) => this.#hear(line));
  }

  /** Asks in the revision of the handshake. */
  ask(method: string, params: object = {}): Promise<Message> {
    return this.#request(this.#nextId++, method, params);
  }

  /** Asks in the modern way. */
  askModern(method: string, params: object = {}): Promise<Message> {
    return this.#request(this.#nextId++, method, { ...params, _meta: META });
  }

  /** Opens a stream of changes; how it ends is of no interest. */
  listen(id: string, notifications: object): void {
    this.#write({ id, method: "subscriptions/listen", params: { notifications, _meta: META } });
  }

  notify(method: string, params: object = {}): void {
    this.#write({ method, params });
  }

  /** Ends the conversation and waits for the exit. */
  async close(): Promise<number | null> {
    this.#child.stdin!.end();
    return await this.#exited;
  }

  /** Ends the process, whatever it is at. */
  kill(): void {
    this.#child.kill("SIGKILL");
  }

  #hear(line: string): void {
    if (!line.startsWith("probe ")) this.errors += `${line}\n`;
    else this.probes.push({ ...JSON.parse(line.slice("probe ".length)), handles: this.#handles() });
  }

  #handles(): number | undefined {
    try {
      return readdirSync(`/proc/${this.#child.pid}/fd`).length;
    } catch {
      return undefined;
    }
  }

  #request(id: number, method: string, params: object): Promise<Message> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error(`No answer to ${method}: ${this.errors}`)), PATIENCE_MS);
      this.#waiting.set(id, (message) => {
        clearTimeout(timer);
        resolve(message);
      });
      this.#write({ id, method, params });
    });
  }

  #write(message: object): void {
    this.#child.stdin!.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  }

  #take(message: Message): void {
    if (message.method === undefined) {
      this.#waiting.get(message.id!)?.(message);
      this.#waiting.delete(message.id!);
      return;
    }
    this.notices += 1;
    if (message.method !== "notifications/resources/updated") return;
    const stream = message.params?._meta?.["io.modelcontextprotocol/subscriptionId"] ?? "legacy";
    this.told.set(`${stream} ${message.params?.uri}`, performance.now());
  }
}
