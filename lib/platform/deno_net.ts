/** TCP, Unix domain sockets and HTTP on Deno. Loaded by `load_network.ts` at the first use. */

import type { ByteEvents } from "./platform.ts";
import type { HttpResponder, HttpServer, HttpServerOptions } from "./http.ts";
import type { Network } from "./network.ts";
import type { Address, Listener, SocketChannel } from "./tcp.ts";
import type { FetchInfo } from "./web_http.ts";
import { abortable, pause, withTimeout } from "../base/async.ts";
import { attempt } from "../base/text.ts";
import { closedError, hostAndPort, LINGER_MS } from "./tcp.ts";
import { fetchListener } from "./web_http.ts";
import { Gate, writerBy } from "./streams.ts";

/** The part of Deno that is used here, so that other compilers can check this file. */
declare const Deno: {
  listen(options: DenoAddress): { addr: DenoAddress; accept(): Promise<DenoConnection>; close(): void };
  connect(options: DenoAddress): Promise<DenoConnection>;
  removeSync(path: string): void;
  serve(
    options: object,
    handler: (request: Request, info: DenoRequestInfo) => Promise<Response>,
  ): { addr: { hostname: string; port: number }; finished: Promise<void> };
};
type DenoAddress = {
  transport?: "tcp" | "unix";
  hostname?: string | undefined;
  port?: number;
  path?: string;
};
type DenoRequestInfo = { remoteAddr: DenoAddress; completed: Promise<void> };

interface DenoConnection {
  remoteAddr: DenoAddress;
  read(buffer: Uint8Array): Promise<number | null>;
  write(bytes: Uint8Array): Promise<number>;
  closeWrite(): Promise<void>;
  close(): void;
  setNoDelay?(on: boolean): void;
}

/** The pause after a failure to accept a connection, in milliseconds. */
const RETRY_MS = 50;
/** The buffer of an idle connection, in bytes. Every connection holds one while it waits, so it is small. */
const MIN_READ_BYTES: number = 2 * 1024;
/** The buffer of a busy connection, in bytes. */
const MAX_READ_BYTES: number = 64 * 1024;

function denoSocket(connection: DenoConnection): SocketChannel {
  const { hostname, port } = connection.remoteAddr;
  const closed = Promise.withResolvers<void>();
  let receiver: ByteEvents | undefined;
  let state: "new" | "open" | "ended" | "lingering" | "closed" = "new";
  const input = new Gate();
  const write = writerBy((bytes) => connection.write(bytes));
  let writing = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  connection.setNoDelay?.(true);

  const release = () => {
    if (state === "closed") return;
    state = "closed";
    clearTimeout(timer);
    input.open();
    connection.close();
    closed.resolve();
  };
  const fail = (cause: unknown) => {
    if (state === "closed") return;
    release();
    receiver?.error(cause);
  };
  const pump = async () => {
    let buffer = new Uint8Array(MIN_READ_BYTES);
    try {
      while (state !== "closed") {
        const read = await connection.read(buffer);
        // The read may have been pending when the channel was paused.
        await input.opened;
        if (read === null) {
          if (state === "lingering") return release();
          state = "ended";
          return receiver?.end();
        }
        receiver?.data(buffer.subarray(0, read));
        if (read === buffer.length && read < MAX_READ_BYTES) buffer = new Uint8Array(2 * read);
        else if (read <= MIN_READ_BYTES && buffer.length > MIN_READ_BYTES) {
          buffer = new Uint8Array(MIN_READ_BYTES);
        }
      }
    } catch (cause) {
      fail(cause);
    }
  };

  return {
    remoteAddress: hostAndPort(hostname, port),
    closed: closed.promise,
    open(events) {
      receiver = events;
      if (state === "closed") return queueMicrotask(() => events.error(closedError()));
      state = "open";
      void pump();
    },
    pause: () => input.close(),
    resume: () => input.open(),
    write(pieces) {
      writing++;
      return write(pieces).finally(() => writing--);
    },
    close() {
      if (state === "lingering" || state === "closed") return;
      receiver = undefined;
      // The caller has already waited for pending writes.
      if (writing > 0 || state === "ended") return release();
      // The system discards unsent output if there is unread input, so the input is read.
      if (state === "new") void pump();
      state = "lingering";
      input.open();
      timer = setTimeout(release, LINGER_MS);
      connection.closeWrite().catch(release);
    },
    abort: () => fail(closedError()),
  };
}

function toDenoAddress({ host, port, path }: Address): DenoAddress {
  return path === undefined ? { transport: "tcp", hostname: host, port } : { transport: "unix", path };
}

// deno-lint-ignore require-await -- so that what it throws rejects
async function listen(
  address: Address,
  onconnection: (channel: SocketChannel) => void,
  onerror: (cause: unknown) => void,
): Promise<Listener> {
  const { path } = address;
  const listener = Deno.listen(toDenoAddress(address));
  let isOpen = true;
  const accept = async () => {
    while (isOpen) {
      try {
        onconnection(denoSocket(await listener.accept()));
      } catch (cause) {
        if (!isOpen) return;
        onerror(cause);
        await pause(RETRY_MS);
      }
    }
  };
  const close = () => {
    if (!isOpen) return;
    isOpen = false;
    listener.close();
    // Deno does not remove the socket file, and the next listener could not use the path. It may be gone already.
    if (path !== undefined) attempt(() => Deno.removeSync(path));
  };
  void accept();
  const { hostname, port } = listener.addr;
  return { address: path === undefined ? { host: hostname!, port: port! } : address, close };
}

async function connect(address: Address, signal: AbortSignal): Promise<SocketChannel> {
  const connecting = Deno.connect(toDenoAddress(address));
  try {
    return denoSocket(await abortable(connecting, signal));
  } catch (cause) {
    // Deno cannot cancel the attempt. If it still succeeds, the connection is closed.
    connecting.then((connection) => connection.close(), () => {});
    throw cause;
  }
}

/** How long a small response may take to reach the socket buffers, in milliseconds. */
const FLUSH_MS = 50;

/**
 * What Deno knows about a request. Each part is computed when it is read, because most requests do not need `completed`.
 * This is a class because V8 keeps the getters of an object literal in its old generation, and the whole request with them.
 */
class RequestInfo implements FetchInfo {
  readonly #info: DenoRequestInfo;
  readonly #unfinished: Set<Promise<void>>;

  constructor(info: DenoRequestInfo, unfinished: Set<Promise<void>>) {
    this.#info = info;
    this.#unfinished = unfinished;
  }

  get remoteAddress(): string | undefined {
    const { hostname, port } = this.#info.remoteAddr;
    return hostAndPort(hostname, port);
  }

  get completed(): Promise<unknown> {
    const finished = this.#info.completed.catch(() => {}).then(() => void this.#unfinished.delete(finished));
    this.#unfinished.add(finished);
    return finished;
  }
}

// deno-lint-ignore require-await -- so that what it throws rejects
async function listenHttp(
  { hostname, port }: HttpServerOptions,
  respond: HttpResponder,
): Promise<HttpServer> {
  const answer = fetchListener(respond);
  const controller = new AbortController();
  const unfinished = new Set<Promise<void>>();
  const server = Deno.serve({
    hostname,
    port,
    signal: controller.signal,
    onListen: () => {},
    onError: () => new Response(null, { status: 500 }),
  }, (request, info) => answer(request, new RequestInfo(info, unfinished)));
  return {
    hostname: server.addr.hostname,
    port: server.addr.port,
    // Deno can stop accepting only with a graceful shutdown, which cannot be cut short.
    stop: () => {},
    async close(graceMs): Promise<void> {
      await pause(FLUSH_MS);
      await withTimeout(Promise.all(unfinished), graceMs, undefined);
      controller.abort();
      await server.finished;
    },
  };
}

/** The adapter for Deno 2. */
export const network: Network = { listen, connect, listenHttp };

const { console } = globalThis;
const { warn } = console;
/** Drops Deno's warning that the signal of a request also aborts after the response, which does no harm here. */
console.warn = (...words: unknown[]) => {
  if (!String(words[0]).startsWith("Deno.serve: request.signal aborts")) warn(...words);
};
