/** A client over a socket that does not use the library, and a server for it. */

import * as net from "node:net";
import type { Address, JsonRpcServer, JsonRpcServerOptions, Methods } from "../../../lib/jsonrpc/rpc/mod.ts";
import { createJsonRpcServer } from "../../../lib/jsonrpc/rpc/mod.ts";
import { Inbox, readLines } from "../../harness/lines.ts";

/** A response or a notification. */
export interface Line {
  readonly id?: unknown;
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
  readonly method?: string;
  readonly params?: unknown;
}

/** One connection. */
export class Client {
  readonly socket: net.Socket;
  /** Resolves when the connection is closed. */
  readonly closed: Promise<void>;
  readonly lines: Inbox<string> = new Inbox();

  private constructor(socket: net.Socket) {
    this.socket = socket;
    this.closed = new Promise((resolve) => socket.once("close", () => resolve()));
    readLines(socket, (line) => this.lines.add(line));
    for (const event of ["end", "close", "error"]) socket.on(event, () => this.lines.end());
  }

  /** Connects. @param reads False for a client that never reads. */
  static async connect(address: Address, reads = true): Promise<Client> {
    const socket = net.connect({ ...address, allowHalfOpen: true });
    await new Promise((resolve, reject) => socket.once("connect", resolve).once("error", reject));
    const client = new Client(socket);
    if (!reads) socket.pause();
    return client;
  }

  /** Sends each value as a line. Sends strings verbatim. */
  send(...values: unknown[]): void {
    const texts = values.map((value) => typeof value === "string" ? value : `${JSON.stringify(value)}\n`);
    this.socket.write(texts.join(""));
  }

  /** Returns the next line as a value; undefined when the server has ended the connection. */
  async next<T = Line>(): Promise<T | undefined> {
    const line = await this.lines.next();
    return line === undefined ? undefined : JSON.parse(line);
  }

  /** Sends a request and returns the next line. */
  async ask(method: string, params?: unknown, id: unknown = 1): Promise<Line> {
    this.send(call(method, params, id));
    return (await this.next())!;
  }

  /** Closes the connection. */
  async leave(): Promise<void> {
    this.socket.destroy();
    await this.closed;
  }
}

/** What a test gets. */
export interface Served {
  readonly server: JsonRpcServer;
  readonly stop: () => Promise<void>;
  /** Connects a client, which is disconnected at the end of the test. */
  connect(reads?: boolean): Promise<Client>;
}

/** Runs a test against a server, which is stopped afterwards. */
export async function withServer(
  handlers: Methods,
  run: (served: Served) => Promise<void>,
  options: Partial<Omit<JsonRpcServerOptions, "handlers" | "path" | "port">> = {},
): Promise<void> {
  const { server, stop } = await createJsonRpcServer({ port: 0, handlers, ...options });
  const clients: Client[] = [];
  const connect = async (reads = true): Promise<Client> => {
    const client = await Client.connect(server.address, reads);
    clients.push(client);
    return client;
  };
  try {
    await run({ server, stop, connect });
  } finally {
    await Promise.all(clients.map((client) => client.leave()));
    await stop();
  }
}

/** A request, or a notification without an id. */
export function call(method: string, params?: unknown, id?: unknown): object {
  return { jsonrpc: "2.0", id, method, params };
}
