/**
 * One client connection per transport, with one interface. Every line of every conversation is checked against the official
 * schemas, where they are at hand, and recorded.
 */

import { Buffer } from "node:buffer";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { connect } from "node:net";
import type { Readable } from "node:stream";
import { PassThrough } from "node:stream";
import type { Server } from "../../mod.ts";
import { memoryTransports } from "../../mod.ts";
import type { RunOptions } from "../harness/runtime.ts";
import { Conversation, HAS_SCHEMAS } from "../harness/conformance.ts";
import { dataOf } from "../harness/http.ts";
import { Inbox, readLines, recorder } from "../harness/lines.ts";
import { command } from "../harness/program.ts";

/** How long a message may take, in milliseconds: far longer than any machine needs. */
const MAX_WAIT_MS = 60_000;

/** A message as it came. */
export type Message = Readonly<Record<string, unknown>>;
/** Header fields of an HTTP request; undefined or null leaves one out. */
export type Fields = Readonly<Record<string, string | null | undefined>>;
/** The status and header fields of the last HTTP response. */
export interface Head {
  readonly status: number;
  readonly headers: Headers;
  readonly body?: string;
}

/** What a client sends: a message, a batch, or a line verbatim. */
export type Sendable = object | string | Uint8Array;

/** Fails when something takes far longer than it should. */
export async function inTime<T>(promise: Promise<T>, what: string): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error(`${what} in ${MAX_WAIT_MS} ms`)), MAX_WAIT_MS);
  return await Promise.race([promise, late]).finally(() => clearTimeout(timer));
}

/** A client of a server. */
export abstract class Connection {
  /** Messages that have come and have not been taken. */
  readonly received: Inbox<Message | readonly Message[]> = new Inbox();
  /** The last HTTP response that is complete. */
  head: Head | undefined;
  readonly #conversation = HAS_SCHEMAS ? new Conversation() : undefined;
  readonly #record = recorder();

  /** Sends in one piece; settles when the server has it, or, over HTTP, has begun to answer. */
  abstract send(items: readonly Sendable[], fields?: Fields): Promise<void>;
  protected abstract finish(): Promise<number | null>;
  /** Cuts the connection without ending it properly. */
  abstract drop(): void;

  /** Ends the input of the server and waits until the connection is closed; the exit code where there is one. */
  end(): Promise<number | null> {
    return inTime(this.finish(), "The connection did not end");
  }

  protected take(text: string): void {
    this.record("received", text);
    this.received.add(JSON.parse(text));
  }

  /** What the schemas say of all that the server has sent. */
  get problems(): readonly string[] {
    return this.#conversation?.problems ?? [];
  }

  protected record(direction: "sent" | "received", text: string): void {
    for (const line of text.split("\n")) {
      this.#conversation?.[direction](line);
      this.#record(direction, line);
    }
  }
}

/** The other end of a connection over lines. */
interface Wire {
  write(bytes: Buffer): unknown;
  /** Ends the input of the server and waits for the end. */
  finish(): Promise<number | null>;
  cut(): unknown;
}

/** Messages in lines: over the pipes of a process, or a socket. */
class LineConnection extends Connection {
  readonly #wire: Wire;
  readonly #output: { readonly rest: string };

  constructor(output: Readable, wire: Wire) {
    super();
    this.#wire = wire;
    this.#output = readLines(output, (line) => this.take(line));
    output.on("close", () => this.received.end());
  }

  override send(items: readonly Sendable[]): Promise<void> {
    const pieces = items.flatMap((item) => {
      if (item instanceof Uint8Array) return [item, Buffer.from("\n")];
      const text = typeof item === "string" ? item : JSON.stringify(item);
      this.record("sent", text);
      return [Buffer.from(`${text}\n`)];
    });
    this.#wire.write(Buffer.concat(pieces));
    return Promise.resolve();
  }

  protected override async finish(): Promise<number | null> {
    const code = await this.#wire.finish();
    const { rest } = this.#output;
    if (rest !== "") throw new Error(`The last line has no end: ${rest}`);
    return code;
  }

  override drop(): void {
    this.#wire.cut();
  }
}

/** Starts a process and speaks to it over stdio; what it writes to stderr is handed on. */
export function overStdio(
  args: readonly string[],
  options: RunOptions,
  log: (text: string) => void,
): Connection {
  const [file, all] = command(args, options);
  const child = spawn(file, all, { stdio: "pipe" });
  child.stdin.on("error", () => {});
  child.stderr.setEncoding("utf8").on("data", log);
  const closed = once(child, "close");
  return new LineConnection(child.stdout, {
    write: (bytes) => child.stdin.write(bytes),
    finish: () => (child.stdin.end(), closed.then(([code]) => code)),
    cut: () => child.kill("SIGKILL"),
  });
}

/** Connects to a port. */
export function overTcp(port: number): Connection {
  const socket = connect(port, "127.0.0.1");
  socket.on("error", () => {});
  const closed = once(socket, "close");
  return new LineConnection(socket, {
    write: (bytes) => socket.write(bytes),
    finish: () => (socket.end(), closed.then(() => 0)),
    cut: () => socket.destroy(),
  });
}

/** Connects to a server of this process. Messages only: what is no message cannot travel so. */
export async function overMemory(server: Server): Promise<Connection> {
  const [near, far] = memoryTransports();
  const output = new PassThrough();
  near.onmessage = (message) => void output.write(`${JSON.stringify(message)}\n`);
  near.onclose = () => void output.end();
  await server.connect(far);
  await near.start();
  return new LineConnection(output, {
    write(bytes) {
      for (const line of bytes.toString().trimEnd().split("\n")) void near.send(JSON.parse(line));
    },
    finish: () => near.close().then(() => 0),
    cut: () => near.close(),
  });
}

/** Posts to an endpoint in a revision, as a client must: with the header fields of the era, in a session if there are any. */
export class HttpConnection extends Connection {
  readonly url: string;
  readonly #revision: string;
  readonly #closing = new AbortController();
  readonly #requests = new Map<unknown, AbortController>();
  /** The session, as the last answer to `initialize` has it. */
  session: string | undefined;

  constructor(url: string, revision: string) {
    super();
    this.url = url;
    this.#revision = revision;
  }

  override async send(items: readonly Sendable[], fields: Fields = {}): Promise<void> {
    for (const item of items) {
      const text = item instanceof Uint8Array ? item : typeof item === "string" ? item : JSON.stringify(item);
      const { method, id } = item as { method?: string; id?: unknown };
      const isRequest = method !== undefined && id !== undefined;
      const all = { ...this.#fieldsOf(item as Message), ...fields };
      const posted = this.fetch("POST", all, text, isRequest ? id : undefined)
        .catch((cause) => cause?.name === "AbortError" ? undefined : this.received.end(cause));
      // What must be in order is waited for: a handshake before what is in its session, and all that is not answered.
      if (method === "initialize" || !isRequest || Object.keys(fields).length > 0) await posted;
      // It opens the stream of what the server says on its own, and waits until it is open.
      if (method === "notifications/initialized" && !isRequest && this.session !== undefined) {
        await this.fetch("GET", this.#sessionFields("text/event-stream"));
      }
    }
  }

  /** Sends one HTTP request; settles with the head of the response, or, where the body is no stream, with all of it. */
  async fetch(
    method: string,
    fields: Fields,
    body?: string | Uint8Array,
    id?: unknown,
    url: string = this.url,
  ): Promise<Head> {
    if (typeof body === "string") this.record("sent", body);
    const aborting = new AbortController();
    if (id !== undefined) this.#requests.set(id, aborting);
    const given = Object.entries(fields).filter(([, value]) => value !== undefined && value !== null);
    const responding = fetch(url, {
      method,
      headers: given as [string, string][],
      signal: AbortSignal.any([this.#closing.signal, aborting.signal]),
      ...(body === undefined ? {} : { body: body as string }),
    });
    const response = await inTime(responding, `No response to ${method} came`);
    this.session = response.headers.get("mcp-session-id") ?? this.session;
    const head = { status: response.status, headers: response.headers };
    const isStream = response.headers.get("content-type")?.startsWith("text/event-stream");
    if (isStream) {
      void this.#follow(response).catch(() => {});
      return this.head = head;
    }
    const text = await response.text();
    this.head = { ...head, body: text };
    if (text !== "" && response.headers.get("content-type")?.startsWith("application/json")) this.take(text);
    else if (id !== undefined) {
      this.received.end(new Error(`The status is ${response.status}, and no answer came: ${text}`));
    }
    return this.head;
  }

  /** Gives up a request by closing its connection, as 2026-07-28 has it. */
  cancel(id: unknown): void {
    this.#requests.get(id)?.abort();
  }

  protected override async finish(): Promise<number> {
    if (this.session !== undefined) await this.endSession();
    this.drop();
    return 0;
  }

  /** Ends the session, and stays. */
  async endSession(): Promise<Head> {
    const count = this.received.items.length;
    const head = await this.fetch("DELETE", { "mcp-session-id": this.session });
    // The error of this response is no message. Answers that end other streams are.
    const items = this.received.items.splice(count);
    this.received.items.push(...items.filter((item) => ((item as Message)["id"] ?? null) !== null));
    return head;
  }

  override drop(): void {
    this.#closing.abort();
    this.received.end();
  }

  async #follow(response: Response): Promise<void> {
    for await (const data of dataOf(response)) this.take(data);
  }

  #fieldsOf(message: Message): Fields {
    const common = { "content-type": "application/json", accept: "application/json, text/event-stream" };
    const { method, params } = message as { method?: string; params?: Message };
    const meta = params?.["_meta"] as Message | undefined;
    const version = meta?.["io.modelcontextprotocol/protocolVersion"] ??
      (this.#revision >= "2026" && method?.startsWith("notifications/") ? this.#revision : undefined);
    if (version === undefined) {
      return { ...common, ...(method === "initialize" ? {} : this.#sessionFields(common.accept)) };
    }
    const name = params?.["name"] ?? params?.["uri"];
    return {
      ...common,
      "mcp-protocol-version": String(version),
      "mcp-method": method,
      ...(typeof name === "string" ? { "mcp-name": headerValue(name) } : {}),
    };
  }

  #sessionFields(accept: string): Fields {
    const since = this.#revision >= "2025-06-18" && this.#revision < "2026";
    return {
      accept,
      "mcp-session-id": this.session,
      ...(since ? { "mcp-protocol-version": this.#revision } : {}),
    };
  }
}

function headerValue(text: string): string {
  if (/^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/.test(text)) return text;
  return `=?base64?${Buffer.from(text).toString("base64")}?=`;
}
