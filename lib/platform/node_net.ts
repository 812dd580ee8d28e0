/** TCP, Unix domain sockets and HTTP on Node. Loaded by `load_network.ts` at the first use; `node:http` only for HTTP. */

import { once } from "node:events";
import * as net from "node:net";
import process from "node:process";
import type { ByteEvents } from "./platform.ts";
import type { HttpResponder, HttpServer, HttpServerOptions } from "./http.ts";
import type { Network } from "./network.ts";
import type { Address, Listener, SocketChannel } from "./tcp.ts";
import { abortable, withTimeout } from "../base/async.ts";
import { nodeListener } from "./node_http.ts";
import { closedError, hostAndPort, LINGER_MS } from "./tcp.ts";
import { writerTo } from "./streams.ts";

/** The maximum length of a socket path, in bytes. Older versions of Node silently cut longer ones. */
const MAX_PATH_BYTES: number = process.platform === "linux" ? 107 : 103;

function nodeSocket(socket: net.Socket): SocketChannel {
  let receiver: ByteEvents | undefined;
  const write = writerTo(socket);
  /** Number of writes that the system has not taken yet. */
  let writing = 0;
  // Always registered: an error without a listener would end the process.
  socket.on("error", (cause) => receiver?.error(cause));
  socket.on("end", () => receiver?.end());
  return {
    remoteAddress: hostAndPort(socket.remoteAddress, socket.remotePort),
    closed: new Promise((resolve) => socket.once("close", () => resolve())),
    open(events) {
      receiver = events;
      // What has already happened is reported after this call.
      if (socket.destroyed) queueMicrotask(() => events.error(socket.errored ?? closedError()));
      else if (socket.readableEnded) queueMicrotask(() => receiver?.end());
      else socket.on("data", (chunk: Uint8Array) => receiver?.data(chunk));
    },
    pause: () => void socket.pause(),
    resume: () => void socket.resume(),
    write(pieces) {
      writing++;
      return write(pieces).finally(() => writing--);
    },
    close() {
      receiver = undefined;
      // The caller has already waited for pending writes.
      if (writing > 0) return void socket.destroy();
      if (socket.destroyed) return;
      socket.end();
      // The system discards unsent output if there is unread input, so the input is read.
      socket.removeAllListeners("data").resume();
      const timer = setTimeout(() => socket.destroy(), LINGER_MS);
      socket.once("close", () => clearTimeout(timer));
    },
    abort: () => void socket.destroy(closedError()),
  };
}

function toNodeOptions({ port, host, path }: Address): net.NetConnectOpts {
  if (path === undefined) return { port, host };
  if (process.platform === "win32") {
    if (!/^\\\\[.?]\\pipe\\./i.test(path)) {
      throw new RangeError("On Windows, give the path of a named pipe, such as \\\\.\\pipe\\NAME");
    }
  } else if (new TextEncoder().encode(path).length > MAX_PATH_BYTES) {
    throw new RangeError(`The path of a socket may have at most ${MAX_PATH_BYTES} bytes`);
  }
  return { path };
}

async function listen(
  address: Address,
  onconnection: (channel: SocketChannel) => void,
  onerror: (cause: unknown) => void,
): Promise<Listener> {
  const options = { allowHalfOpen: true, noDelay: true };
  const server = net.createServer(options, (socket) => onconnection(nodeSocket(socket)));
  await once(server.listen(toNodeOptions(address)), "listening");
  server.on("error", onerror);
  const bound = server.address()!;
  return {
    address: typeof bound === "string" ? { path: bound } : { host: bound.address, port: bound.port },
    close: () => void server.close(),
  };
}

async function connect(address: Address, signal: AbortSignal): Promise<SocketChannel> {
  const socket = net.connect({ ...toNodeOptions(address), allowHalfOpen: true, noDelay: true });
  try {
    await abortable(once(socket, "connect"), signal);
  } catch (cause) {
    socket.destroy();
    throw cause;
  }
  return nodeSocket(socket);
}

/** The interval in which Node looks for requests that take too long to arrive, in milliseconds. */
const CHECK_MS = 1000;
/** The maximum size of the header fields of a request, in bytes. */
const MAX_HEADER_BYTES = 16 * 1024;

async function listenHttp(options: HttpServerOptions, respond: HttpResponder): Promise<HttpServer> {
  const { createServer } = await import("node:http");
  const server = createServer({
    // Repeated fields are joined, and rejected where they must not repeat. By default Node takes the first.
    joinDuplicateHeaders: true,
    maxHeaderSize: MAX_HEADER_BYTES,
    headersTimeout: options.requestTimeoutMs,
    requestTimeout: options.requestTimeoutMs,
    connectionsCheckingInterval: Math.min(CHECK_MS, options.requestTimeoutMs),
  }, nodeListener(respond) as never);
  const [accept] = server.listeners("connection");
  server.removeAllListeners("connection").on("connection", (socket: net.Socket) => {
    const release = options.connect(hostAndPort(socket.remoteAddress, socket.remotePort));
    if (!release) return void socket.destroy();
    socket.on("close", release);
    accept!.call(server, socket);
  });
  await once(server.listen(options.port, options.hostname), "listening");
  const { address, port } = server.address() as net.AddressInfo;
  const closed = Promise.withResolvers<void>();
  return {
    hostname: address,
    port,
    stop(): void {
      server.close(() => closed.resolve());
      server.closeIdleConnections();
    },
    async close(graceMs): Promise<void> {
      server.closeIdleConnections();
      await withTimeout(closed.promise, graceMs, undefined);
      server.closeAllConnections();
      await closed.promise;
    },
  };
}

/** The adapter for Node 22.18 and later. */
export const network: Network = { listen, connect, listenHttp };
