/** HTTP over a bare socket: a client library would correct what a test sends wrong on purpose. */

import { once } from "node:events";
import { connect } from "node:net";
import type { Socket } from "node:net";

/** A response, as far as it has arrived. Bytes are Latin-1 characters until they are parsed. */
export class Answered {
  readonly socket: Socket;
  status = 0;
  readonly headers: Map<string, string> = new Map();
  /** The body without its chunk framing. */
  body = "";
  /** Whether the body is complete, or the connection has ended. */
  isOver = false;
  #raw = "";
  #wake: (() => void)[] = [];

  constructor(socket: Socket) {
    this.socket = socket;
    socket.setEncoding("latin1");
    socket.on("data", (text: string) => this.#update(text));
    // A server may close a connection while something is still being sent to it.
    for (const event of ["end", "close", "error"]) {
      socket.on(event, () => {
        this.isOver = true;
        this.#update("");
      });
    }
  }

  /** Waits until something holds; fails after 30 seconds, or when the response ends first. */
  async until(what: string, holds: () => boolean): Promise<void> {
    const deadline = setTimeout(() => this.socket.destroy(new Error(what)), 30_000);
    try {
      while (!holds()) {
        if (this.isOver) throw new Error(`The response ended before ${what}: ${this.status} ${this.body}`);
        await new Promise<void>((resolve) => this.#wake.push(resolve));
      }
    } finally {
      clearTimeout(deadline);
    }
  }

  head(): Promise<void> {
    return this.until("its head", () => this.status > 0);
  }

  /** Waits for the end of the body, or of the connection. */
  async whole(): Promise<this> {
    await this.until("its end", () => this.isOver);
    return this;
  }

  /** The events so far, as their fields. */
  events(): Record<string, string>[] {
    return this.body.split("\n\n").slice(0, -1)
      .map((block) => block.split("\n").filter((line) => !line.startsWith(":")))
      .filter((lines) => lines.length > 0)
      .map((lines) => Object.fromEntries(lines.map((line) => [...line.split(/(?<=^\w+): /), ""])));
  }

  messages(): Record<string, unknown>[] {
    return this.events().flatMap(({ data }) => data ? [JSON.parse(fromLatin1(data))] : []);
  }

  async take(count: number): Promise<Record<string, unknown>[]> {
    await this.until(`${count} messages`, () => this.messages().length >= count);
    return this.messages();
  }

  get json(): Record<string, unknown> {
    return JSON.parse(fromLatin1(this.body));
  }

  get code(): number {
    return (this.json["error"] as { code: number }).code;
  }

  #update(text: string): void {
    this.#raw += text;
    if (this.status > 0 || this.#readHead()) this.#readBody();
    for (const wake of this.#wake.splice(0)) wake();
  }

  #readHead(): boolean {
    const [head = "", ...rest] = this.#raw.split("\r\n\r\n");
    if (rest.length === 0) return false;
    const [first = "", ...lines] = head.split("\r\n");
    for (const line of lines) {
      const at = line.indexOf(":");
      this.headers.set(line.slice(0, at).toLowerCase(), line.slice(at + 1).trim());
    }
    this.#raw = rest.join("\r\n\r\n");
    this.status = Number(first.split(" ")[1]);
    return true;
  }

  #readBody(): void {
    if (this.headers.get("transfer-encoding") !== "chunked") {
      this.body += this.#raw;
      this.#raw = "";
      const length = this.status === 204 ? 0 : Number(this.headers.get("content-length") ?? Infinity);
      this.isOver ||= this.body.length >= length;
      return;
    }
    for (let end = this.#raw.indexOf("\r\n"); end >= 0; end = this.#raw.indexOf("\r\n")) {
      const size = parseInt(this.#raw.slice(0, end), 16);
      if (this.#raw.length < end + 2 + size + 2) return;
      this.body += this.#raw.slice(end + 2, end + 2 + size);
      this.#raw = this.#raw.slice(end + 2 + size + 2);
      this.isOver ||= size === 0;
    }
  }
}

function fromLatin1(text: string): string {
  return new TextDecoder().decode(Uint8Array.from(text, (unit) => unit.charCodeAt(0)));
}

export async function open(port: number, bytes: string | Uint8Array): Promise<Answered> {
  const socket = connect(port, "127.0.0.1");
  const answered = new Answered(socket);
  await once(socket, "connect");
  socket.write(bytes);
  return answered;
}

/** The bytes of a request; a field without a value is left out. */
export function requestOf(
  method: string,
  target: string,
  fields: Readonly<Record<string, string | undefined>>,
  body: string | Uint8Array = "",
): Uint8Array {
  const bytes = typeof body === "string" ? new TextEncoder().encode(body) : body;
  const length = bytes.length > 0 ? `${bytes.length}` : undefined;
  const lines = Object.entries({ connection: "close", "content-length": length, ...fields })
    .flatMap(([name, value]) => value === undefined ? [] : [`${name}: ${value}`]);
  const head = [`${method} ${target} HTTP/1.1`, ...lines, "", ""].join("\r\n");
  const all = new Uint8Array(head.length + bytes.length);
  all.set(Uint8Array.from(head, (unit) => unit.charCodeAt(0)));
  all.set(bytes, head.length);
  return all;
}
