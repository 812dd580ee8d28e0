/**
 * An HTTP client over a bare socket, and a client of MCP on it: a library would correct what a test sends wrong on purpose.
 */

import { Buffer } from "node:buffer";
import { once } from "node:events";
import { connect } from "node:net";
import type { Socket } from "node:net";
import { until } from "./process.ts";
import { handshake, modern } from "./program.ts";

export const LEGACY = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"] as const;
export const MODERN = "2026-07-28";
/** How long a test waits before it fails, in milliseconds: far longer than any machine needs. */
const MAX_WAIT_MS = 60_000;

/** Header fields of a request; a field that is undefined is not sent. */
export type Fields = Readonly<Record<string, string | undefined>>;

/** A response, as far as it has arrived. Bytes are Latin-1 characters until they are decoded. */
export class RawResponse {
  status = 0;
  readonly headers: Map<string, string> = new Map();
  /** The body without its chunk framing. */
  body = "";
  /** Whether the body is complete, or the connection has ended. */
  isOver = false;
  /** What has arrived and is not in the head or the body. */
  rest = "";
  readonly #hasBody: boolean;

  /** @param isHead Whether it answers HEAD: it has no body then. */
  constructor(isHead = false) {
    this.#hasBody = !isHead;
  }

  /** Reads more. @throws {SyntaxError} When it is not a response. */
  add(text: string): void {
    this.rest += text;
    if (this.status > 0 || this.#readHead()) this.#readBody();
  }

  /** The body as UTF-8. */
  get text(): string {
    return Buffer.from(this.body, "latin1").toString();
  }

  #readHead(): boolean {
    const end = this.rest.indexOf("\r\n\r\n");
    if (end < 0) return false;
    const [first = "", ...lines] = this.rest.slice(0, end).split("\r\n");
    const [, status] = /^HTTP\/1\.[01] (\d{3})(?: |$)/.exec(first) ?? [];
    if (status === undefined) throw new SyntaxError(`This is not a response: ${this.rest.slice(0, 80)}`);
    for (const line of lines) {
      const [name = "", ...value] = line.split(":");
      this.headers.set(name.toLowerCase(), value.join(":").trim());
    }
    this.rest = this.rest.slice(end + 4);
    this.status = Number(status);
    return true;
  }

  #readBody(): void {
    const take = (start: number, end: number) => {
      this.body += this.rest.slice(start, end);
      this.rest = this.rest.slice(end);
    };
    const isEmpty = !this.#hasBody || this.status === 204 || this.status < 200;
    if (isEmpty || this.headers.get("transfer-encoding") !== "chunked") {
      const length = isEmpty ? 0 : Number(this.headers.get("content-length") ?? Infinity);
      take(0, length - this.body.length);
      this.isOver ||= this.body.length === length;
      return;
    }
    while (!this.isOver) {
      const end = this.rest.indexOf("\r\n");
      const size = parseInt(this.rest.slice(0, end), 16);
      if (end >= 0 && Number.isNaN(size)) {
        throw new SyntaxError(`This is not a chunk: ${this.rest.slice(0, 80)}`);
      }
      if (end < 0 || this.rest.length < end + 2 + size + 2) return;
      take(end + 2, end + 2 + size);
      this.rest = this.rest.slice(2);
      this.isOver = size === 0;
    }
  }
}

/** A response that is still read from its connection. */
export class Answered extends RawResponse {
  readonly socket: Socket;
  #wake: (() => void)[] = [];

  constructor(socket: Socket) {
    super();
    this.socket = socket;
    const read = (text: string, isEnd = false) => {
      this.add(text);
      this.isOver ||= isEnd;
      for (const wake of this.#wake.splice(0)) wake();
    };
    socket.setEncoding("latin1").on("data", read);
    // A server may close a connection while something is still being sent to it.
    for (const event of ["end", "close", "error"]) socket.on(event, () => read("", true));
  }

  /** Waits until something holds; fails when the response ends first. */
  async until(what: string, holds: () => boolean): Promise<void> {
    const deadline = setTimeout(() => this.socket.destroy(new Error(what)), MAX_WAIT_MS);
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
    return this.text.split("\n\n").slice(0, -1)
      .map((block) => block.split("\n").filter((line) => !line.startsWith(":")))
      .filter((lines) => lines.length > 0)
      .map((lines) => Object.fromEntries(lines.map((line) => [...line.split(/(?<=^\w+): /), ""])));
  }

  /** The messages so far: the data of each event, or the whole body. */
  messages(): Record<string, unknown>[] {
    const isStream = this.headers.get("content-type")?.startsWith("text/event-stream");
    if (!isStream) return this.isOver && this.body !== "" ? [this.json] : [];
    return this.events().flatMap(({ data }) => data ? [JSON.parse(data)] : []);
  }

  /** Waits for a number of messages. */
  async take(count: number): Promise<Record<string, unknown>[]> {
    await this.until(`${count} messages`, () => this.messages().length >= count);
    return this.messages();
  }

  get json(): Record<string, unknown> {
    return JSON.parse(this.text);
  }

  get code(): number {
    return (this.json["error"] as { code: number }).code;
  }
}

/** Opens a connection and sends bytes. */
export async function open(
  port: number,
  bytes: string | Uint8Array,
  localAddress?: string,
): Promise<Answered> {
  const socket = connect({ port, host: "127.0.0.1", ...localAddress && { localAddress } });
  const answered = new Answered(socket);
  await once(socket, "connect");
  socket.write(bytes);
  return answered;
}

/** The bytes of a request. */
export function requestOf(
  method: string,
  target: string,
  fields: Fields,
  body: string | Uint8Array = "",
): Uint8Array {
  const bytes = Buffer.from(body as string);
  const length = bytes.length > 0 ? `${bytes.length}` : undefined;
  const lines = Object.entries({ connection: "close", "content-length": length, ...fields })
    .flatMap(([name, value]) => value === undefined ? [] : [`${name}: ${value}`]);
  const head = [`${method} ${target} HTTP/1.1`, ...lines, "", ""].join("\r\n");
  return Buffer.concat([Buffer.from(head, "latin1"), bytes]);
}

/** A server on a port of this machine. */
export class HttpPeer {
  port = 0;
  /** The address that clients connect from; undefined for the default. */
  localAddress: string | undefined;
  /** The calls of the tool `wait` that have begun, and how each can be finished. */
  readonly waiting: { readonly signal: AbortSignal; finish(): void }[] = [];

  /** Sends a request, and waits for the head of the response. */
  async begin(
    method: string,
    fields?: Fields,
    body?: string | Uint8Array,
    target = "/mcp",
  ): Promise<Answered> {
    const all = { host: `127.0.0.1:${this.port}`, ...fields };
    const answered = await open(this.port, requestOf(method, target, all, body), this.localAddress);
    await answered.head();
    return answered;
  }

  /** Sends a request, and waits for the whole response. */
  async send(...request: Parameters<HttpPeer["begin"]>): Promise<Answered> {
    return await (await this.begin(...request)).whole();
  }

  get(path: string, fields?: Fields): Promise<Answered> {
    return this.send("GET", fields, undefined, path);
  }

  /** A client that has done its handshake. */
  async client(version?: string, name?: string): Promise<HttpClient> {
    const client = new HttpClient(this, version);
    client.fields = { "x-name": name };
    return await client.start();
  }
}

/** The server on a port. */
export function peerAt(port: number, localAddress?: string): HttpPeer {
  return Object.assign(new HttpPeer(), { port, localAddress });
}

let lastId = 0;

/** A client of one revision, which sends what such a client has to. */
export class HttpClient {
  readonly served: HttpPeer;
  readonly version: string;
  readonly isModern: boolean;
  session: string | undefined;
  /** Sent with every request. */
  fields: Fields = {};

  constructor(served: HttpPeer, version: string = MODERN) {
    this.served = served;
    this.version = version;
    this.isModern = version === MODERN;
  }

  async start(capabilities: object = {}): Promise<this> {
    if (this.isModern) return this;
    const params = { ...handshake(this.version), capabilities };
    const answered = await this.post({ jsonrpc: "2.0", id: 0, method: "initialize", params });
    this.session = answered.headers.get("mcp-session-id");
    if (this.session === undefined) throw new Error(`There is no session: ${answered.body}`);
    await this.post({ jsonrpc: "2.0", method: "notifications/initialized" });
    return this;
  }

  /** A client that uses the session of this one at another server, or at the same. */
  at(served: HttpPeer): HttpClient {
    const { session, fields } = this;
    return Object.assign(new HttpClient(served, this.version), { session, fields });
  }

  fieldsOf(message: object): Fields {
    const { method = "", params } = message as { method?: string; params?: { name?: string; uri?: string } };
    const isNamed = ["tools/call", "prompts/get", "resources/read"].includes(method);
    return {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      ...this.#revisionFields(),
      ...this.isModern &&
        { "mcp-method": method, "mcp-name": isNamed ? params?.name ?? params?.uri : undefined },
      ...this.fields,
    };
  }

  /** The bytes that send a message, with or without its body. */
  bytesOf(message: object, fields: Fields = {}, body: string = JSON.stringify(message)): Uint8Array {
    return requestOf("POST", "/mcp", { host: "localhost", ...this.fieldsOf(message), ...fields }, body);
  }

  /** Sends a message and waits for the head of the response. */
  async begin(message: object, fields: Fields = {}): Promise<Answered> {
    return await this.served.begin("POST", { ...this.fieldsOf(message), ...fields }, JSON.stringify(message));
  }

  /** Sends a message and waits for the whole response. */
  async post(message: object, fields: Fields = {}): Promise<Answered> {
    return await (await this.begin(message, fields)).whole();
  }

  request(method: string, params: object = {}, id: string | number = ++lastId): object {
    if (!this.isModern) return { jsonrpc: "2.0", id, method, params };
    const { _meta } = modern({}, this.version) as { _meta: object };
    const all = { ...params, _meta: { ..._meta, ...(params as { _meta?: object })._meta } };
    return { jsonrpc: "2.0", id, method, params: all };
  }

  async ask(method: string, params: object = {}, fields: Fields = {}): Promise<Record<string, unknown>> {
    return (await this.post(this.request(method, params), fields)).messages().at(-1)!;
  }

  async status(method: string, fields: Fields = {}): Promise<number> {
    return (await this.post(this.request(method), fields)).status;
  }

  /** Sends a message until the response has a status. */
  async becomes(status: number, message: object, fields: Fields = {}): Promise<void> {
    await until(`the status is ${status}`, async () => (await this.begin(message, fields)).status === status);
  }

  /** Opens a notification stream: the one of the session, or a subscription. */
  async listen(
    fields: Fields = {},
    notifications: object = { resourcesListChanged: true },
  ): Promise<Answered> {
    if (this.isModern) return this.begin(this.request("subscriptions/listen", { notifications }), fields);
    const all = { accept: "text/event-stream", ...this.#revisionFields(), ...this.fields, ...fields };
    return await this.served.begin("GET", all);
  }

  async end(fields: Fields = {}): Promise<number> {
    const all = { "mcp-session-id": this.session, ...this.fields, ...fields };
    return (await this.served.send("DELETE", all)).status;
  }

  /**
   * Calls the tool `wait` and returns when its handler has begun, with what has arrived of the response.
   *
   * @param beforeBody Runs between the head and the body of the request.
   */
  async wait(params?: object, beforeBody?: () => Promise<unknown>): Promise<Answered> {
    const { port, waiting } = this.served;
    const before = waiting.length;
    const message = this.request("tools/call", { name: "wait", ...params }, "w");
    const body = JSON.stringify(message);
    const answered = await open(port, this.bytesOf(message, { "content-length": `${body.length}` }, ""));
    await beforeBody?.();
    answered.socket.write(body);
    await until("the handler has begun", () => waiting.length > before);
    return answered;
  }

  #revisionFields(): Fields {
    const isSent = this.isModern || (this.session !== undefined && this.version !== "2024-11-05");
    return { "mcp-protocol-version": isSent ? this.version : undefined, "mcp-session-id": this.session };
  }
}
