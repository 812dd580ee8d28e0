/** How is HTTP spoken in a test? Byte by byte over a socket: a client library would mend what a test wants to be broken. */

import { once } from "node:events";
import { connect } from "node:net";
import type { Socket } from "node:net";

/** What came back so far, and what is still to come. */
export class Answered {
  readonly socket: Socket;
  status = 0;
  readonly headers: Map<string, string> = new Map();
  /** The body so far, with the framing of its chunks taken off. */
  body = "";
  /** True once the other side has ended or the body is whole. */
  isOver = false;
  #raw = "";
  #wake: (() => void)[] = [];

  constructor(socket: Socket) {
    this.socket = socket;
    socket.setEncoding("latin1");
    socket.on("data", (text: string) => {
      this.#raw += text;
      this.#read();
      this.#notify();
    });
    const end = () => {
      this.isOver = true;
      this.#notify();
    };
    socket.on("end", end);
    socket.on("close", end);
    // A server may close a connection while something is still sent to it.
    socket.on("error", end);
  }

  /** Waits until something holds, and fails when it takes far longer than any machine needs. */
  async until(what: string, holds: () => boolean): Promise<void> {
    const deadline = setTimeout(() => this.socket.destroy(new Error(what)), 30_000);
    try {
      while (!holds()) {
        if (this.isOver) throw new Error(`The answer ended before ${what}: ${this.status} ${this.body}`);
        await new Promise<void>((resolve) => this.#wake.push(resolve));
      }
    } finally {
      clearTimeout(deadline);
    }
  }

  /** Waits for the head. */
  head(): Promise<void> {
    return this.until("its head", () => this.status > 0);
  }

  /** Waits for the end of the body, or of the connection. */
  async whole(): Promise<this> {
    await this.until("its end", () => this.isOver || this.#isWhole());
    return this;
  }

  /** The events so far: each with its fields. */
  events(): Record<string, string>[] {
    return this.body.split("\n\n").slice(0, -1)
      .map((block) => block.split("\n").filter((line) => !line.startsWith(":")))
      .filter((lines) => lines.length > 0)
      .map((lines) =>
        Object.fromEntries(lines.map((line) => {
          const at = line.indexOf(": ");
          return at < 0 ? [line, ""] : [line.slice(0, at), line.slice(at + 2)];
        }))
      );
  }

  /** The messages in the events so far. */
  messages(): Record<string, unknown>[] {
    return this.events().flatMap(({ data }) => data ? [JSON.parse(fromLatin1(data))] : []);
  }

  /** Waits for so many messages. */
  async take(count: number): Promise<Record<string, unknown>[]> {
    await this.until(`${count} messages`, () => this.messages().length >= count);
    return this.messages();
  }

  /** The body as one message. */
  get json(): Record<string, unknown> {
    return JSON.parse(fromLatin1(this.body));
  }

  #isWhole(): boolean {
    if (this.status === 0) return false;
    if (this.status === 204 || this.status === 304) return true;
    const length = this.headers.get("content-length");
    if (length !== undefined) return this.body.length >= Number(length);
    return this.#raw === "done";
  }

  #read(): void {
    if (this.status === 0) {
      const end = this.#raw.indexOf("\r\n\r\n");
      if (end < 0) return;
      const [first = "", ...lines] = this.#raw.slice(0, end).split("\r\n");
      for (const line of lines) {
        const at = line.indexOf(":");
        this.headers.set(line.slice(0, at).toLowerCase(), line.slice(at + 1).trim());
      }
      this.status = Number(first.split(" ")[1]);
      this.#raw = this.#raw.slice(end + 4);
    }
    if (this.headers.get("transfer-encoding") !== "chunked") {
      this.body += this.#raw;
      this.#raw = "";
      return;
    }
    for (let end = this.#raw.indexOf("\r\n"); end >= 0; end = this.#raw.indexOf("\r\n")) {
      const size = parseInt(this.#raw.slice(0, end), 16);
      if (this.#raw.length < end + 2 + size + 2) return;
      this.body += this.#raw.slice(end + 2, end + 2 + size);
      this.#raw = this.#raw.slice(end + 2 + size + 2);
      if (size === 0) {
        this.#raw = "done";
        this.isOver = true;
        return;
      }
    }
  }

  #notify(): void {
    for (const wake of this.#wake.splice(0)) wake();
  }
}

function fromLatin1(text: string): string {
  return new TextDecoder().decode(Uint8Array.from(text, (unit) => unit.charCodeAt(0)));
}

/** Opens a connection and sends these bytes. */
export async function open(port: number, bytes: string | Uint8Array = ""): Promise<Answered> {
  const socket = connect(port, "127.0.0.1");
  const answered = new Answered(socket);
  await once(socket, "connect");
  if (bytes.length > 0) socket.write(bytes);
  return answered;
}

/** The bytes of a request; a field with no value is left out. */
export function requestOf(
  method: string,
  target: string,
  fields: Readonly<Record<string, string | undefined>>,
  body?: string | Uint8Array,
): Uint8Array {
  const encoder = new TextEncoder();
  const bytes = typeof body === "string" ? encoder.encode(body) : body;
  const all = { connection: "close", "content-length": bytes && `${bytes.length}`, ...fields };
  const lines = Object.entries(all).filter(([, value]) => value !== undefined).map(([name, value]) =>
    `${name}: ${value}`
  );
  const head = Uint8Array.from(
    [`${method} ${target} HTTP/1.1`, ...lines, "", ""].join("\r\n"),
    (unit) => unit.charCodeAt(0),
  );
  const whole = new Uint8Array(head.length + (bytes?.length ?? 0));
  whole.set(head);
  if (bytes) whole.set(bytes, head.length);
  return whole;
}
