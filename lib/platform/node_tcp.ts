/** What Node lends us of TCP and Unix domain sockets. Loaded by `tcp.ts`, and by nothing else. */

import * as net from "node:net";
import process from "node:process";
import type { ByteEvents } from "../../deps.ts";
import type { Address, Listener, ListenerEvents, SocketChannel, Tcp } from "./tcp.ts";

/** How long the other side may take to close once we have, in milliseconds: time for what is on its way to arrive. */
const LINGER_MS = 1000;

/** What the system keeps of the path of a socket, in bytes. Older versions of Node cut the rest off without a word. */
const MAX_PATH_BYTES: number = process.platform === "linux" ? 107 : 103;

class NodeSocket implements SocketChannel {
  readonly remoteAddress: string | undefined;
  readonly closed: Promise<void>;
  readonly #socket: net.Socket;
  #events: ByteEvents | undefined;
  /** How many writes the system has not taken yet. */
  #writing = 0;

  constructor(socket: net.Socket) {
    this.#socket = socket;
    this.remoteAddress = nameOf(socket);
    this.closed = new Promise((resolve) => socket.once("close", () => resolve()));
    // Always there: an error that nobody listens to would end the process.
    socket.on("error", (cause) => this.#events?.error(cause));
    socket.on("end", () => this.#events?.end());
  }

  open(events: ByteEvents): void {
    const socket = this.#socket;
    this.#events = events;
    // What happened before anybody listened happens once more, after the caller is done.
    if (socket.destroyed) queueMicrotask(() => events.error(socket.errored ?? gone()));
    else if (socket.readableEnded) queueMicrotask(() => this.#events?.end());
    else socket.on("data", (chunk: Uint8Array) => this.#events?.data(chunk));
  }

  pause(): void {
    this.#socket.pause();
  }

  resume(): void {
    this.#socket.resume();
  }

  async write(pieces: readonly Uint8Array[]): Promise<void> {
    const socket = this.#socket;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const last = pieces.length - 1;
    this.#writing++;
    try {
      // More than one piece leaves in one system call.
      if (last > 0) socket.cork();
      for (let index = 0; index < last; index++) socket.write(pieces[index]!);
      socket.write(pieces[last]!, (error) => error ? reject(error) : resolve());
      if (last > 0) socket.uncork();
      await promise;
    } finally {
      this.#writing--;
    }
  }

  close(): void {
    const socket = this.#socket;
    this.#events = undefined;
    // Whoever closes has waited for this already.
    if (this.#writing > 0) return void socket.destroy();
    if (socket.destroyed) return;
    socket.end();
    // What came in and is not read would make the system throw away what it has yet to send.
    socket.removeAllListeners("data").resume();
    const timer = setTimeout(() => socket.destroy(), LINGER_MS);
    socket.once("close", () => clearTimeout(timer));
  }

  abort(): void {
    this.#socket.destroy(gone());
  }
}

function nameOf({ remoteAddress, remoteFamily, remotePort }: net.Socket): string | undefined {
  if (remoteAddress === undefined) return undefined;
  return remoteFamily === "IPv6" ? `[${remoteAddress}]:${remotePort}` : `${remoteAddress}:${remotePort}`;
}

function gone(): Error {
  return new Error("The connection was let go");
}

function toOptions(address: Address): net.NetConnectOpts {
  const { path } = address;
  if (path === undefined) return { ...address };
  if (process.platform !== "win32" && new TextEncoder().encode(path).length > MAX_PATH_BYTES) {
    throw new RangeError(`The path of a socket has at most ${MAX_PATH_BYTES} bytes`);
  }
  return { path };
}

async function listen(address: Address, events: ListenerEvents): Promise<Listener> {
  const options = toOptions(address);
  const server = net.createServer(
    { allowHalfOpen: true, noDelay: true },
    (socket) => events.connection(new NodeSocket(socket)),
  );
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  server.once("error", reject);
  server.listen(options, resolve);
  await promise;
  server.off("error", reject);
  server.on("error", (cause) => events.error(cause));
  return { address: placeOf(server), close: () => void server.close() };
}

function placeOf(server: net.Server): Address {
  const place = server.address();
  if (typeof place === "string") return { path: place };
  return { host: place!.address, port: place!.port };
}

async function connect(address: Address, signal: AbortSignal): Promise<SocketChannel> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const socket = net.connect({ ...toOptions(address), allowHalfOpen: true, noDelay: true }, resolve);
  const abort = () => socket.destroy(signal.reason);
  socket.once("error", reject);
  signal.addEventListener("abort", abort);
  try {
    await promise;
  } finally {
    signal.removeEventListener("abort", abort);
    socket.off("error", reject);
  }
  return new NodeSocket(socket);
}

/** The adapter for Node 22.18 and later. */
export const tcp: Tcp = { listen, connect };
