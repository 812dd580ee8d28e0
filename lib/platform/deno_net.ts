/** TCP, Unix domain sockets and HTTP on Deno. Loaded by `tcp.ts` and `http.ts` only. */

import type { ByteEvents } from "../../deps.ts";
import type { FetchInfo, Listening, ListenOptions } from "./http.ts";
import type { Address, Listener, ListenerEvents, SocketChannel, Tcp } from "./tcp.ts";
import { closedError, hostAndPort, LINGER_MS } from "./tcp.ts";

/** The part of Deno that is used here, so that other compilers can check this file. */
declare const Deno: {
  listen(options: DenoAddress): {
    readonly addr: DenoAddress;
    accept(): Promise<DenoConnection>;
    close(): void;
  };
  connect(options: DenoAddress): Promise<DenoConnection>;
  removeSync(path: string): void;
  serve(options: object, handler: (request: Request, info: DenoInfo) => Promise<Response>): {
    readonly addr: { hostname: string; port: number };
    readonly finished: Promise<void>;
  };
  readonly errors: { readonly NotFound: new () => Error };
};

interface DenoAddress {
  readonly transport?: "tcp" | "unix";
  readonly hostname?: string;
  readonly port?: number;
  readonly path?: string;
}

interface DenoConnection {
  readonly remoteAddr: DenoAddress;
  read(buffer: Uint8Array): Promise<number | null>;
  write(bytes: Uint8Array): Promise<number>;
  closeWrite(): Promise<void>;
  close(): void;
  setNoDelay?(on: boolean): void;
}

interface DenoInfo {
  readonly remoteAddr: DenoAddress;
  readonly completed: Promise<void>;
}

/** The pause after a connection that could not be accepted, in milliseconds. */
const RETRY_MS = 50;
/** Limits of one read, in bytes. Every connection holds a buffer while it waits, so idle ones get a small one. */
const MIN_READ_BYTES: number = 2 * 1024;
const MAX_READ_BYTES: number = 64 * 1024;

class DenoSocket implements SocketChannel {
  readonly remoteAddress: string | undefined;
  readonly #connection: DenoConnection;
  readonly #closed = Promise.withResolvers<void>();
  readonly closed: Promise<void> = this.#closed.promise;
  #events: ByteEvents | undefined;
  #state: "new" | "open" | "lingering" | "closed" = "new";
  #inputEnded = false;
  #paused: PromiseWithResolvers<void> | undefined;
  /** Number of writes that the system has not taken yet. */
  #writing = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(connection: DenoConnection) {
    const { hostname, port } = connection.remoteAddr;
    this.#connection = connection;
    this.remoteAddress = hostAndPort(hostname, port);
    connection.setNoDelay?.(true);
  }

  open(events: ByteEvents): void {
    this.#events = events;
    if (this.#state === "closed") return queueMicrotask(() => events.error(closedError()));
    this.#state = "open";
    void this.#pump();
  }

  pause(): void {
    this.#paused ??= Promise.withResolvers<void>();
  }

  resume(): void {
    this.#paused?.resolve();
    this.#paused = undefined;
  }

  async write(pieces: readonly Uint8Array[]): Promise<void> {
    this.#writing++;
    try {
      for (const piece of pieces) {
        for (let offset = 0; offset < piece.length;) {
          offset += await this.#connection.write(piece.subarray(offset));
        }
      }
    } finally {
      this.#writing--;
    }
  }

  close(): void {
    if (this.#state === "lingering" || this.#state === "closed") return;
    this.#events = undefined;
    // The caller has already waited for pending writes as long as it wanted to.
    if (this.#writing > 0 || this.#inputEnded) return this.#release();
    // Unread input would make the system discard what it has yet to send, so it is read.
    if (this.#state === "new") void this.#pump();
    this.#state = "lingering";
    this.resume();
    this.#timer = setTimeout(() => this.#release(), LINGER_MS);
    this.#connection.closeWrite().catch(() => this.#release());
  }

  abort(): void {
    this.#fail(closedError());
  }

  async #pump(): Promise<void> {
    let buffer = new Uint8Array(MIN_READ_BYTES);
    try {
      while (this.#state !== "closed") {
        const read = await this.#connection.read(buffer);
        // A read that was pending when the channel was paused is held back.
        await this.#paused?.promise;
        if (read === null) return this.#end();
        this.#events?.data(buffer.subarray(0, read));
        if (read === buffer.length && read < MAX_READ_BYTES) buffer = new Uint8Array(2 * read);
        else if (read <= MIN_READ_BYTES && buffer.length > MIN_READ_BYTES) {
          buffer = new Uint8Array(MIN_READ_BYTES);
        }
      }
    } catch (cause) {
      if (this.#state !== "closed") this.#fail(cause);
    }
  }

  #end(): void {
    this.#inputEnded = true;
    if (this.#state === "lingering") return this.#release();
    this.#events?.end();
  }

  #fail(cause: unknown): void {
    const events = this.#events;
    this.#events = undefined;
    this.#release();
    events?.error(cause);
  }

  #release(): void {
    if (this.#state === "closed") return;
    this.#state = "closed";
    clearTimeout(this.#timer);
    this.resume();
    this.#connection.close();
    this.#closed.resolve();
  }
}

function toDenoAddress({ host, port, path }: Address): DenoAddress {
  return path === undefined ? { transport: "tcp", hostname: host, port } : { transport: "unix", path };
}

// deno-lint-ignore require-await -- so that what it throws rejects
async function listen(address: Address, events: ListenerEvents): Promise<Listener> {
  const listener = Deno.listen(toDenoAddress(address));
  let isOpen = true;
  const accept = async () => {
    while (isOpen) {
      try {
        events.connection(new DenoSocket(await listener.accept()));
      } catch (cause) {
        if (!isOpen) return;
        events.error(cause);
        await delay(RETRY_MS);
      }
    }
  };
  const close = () => {
    if (!isOpen) return;
    isOpen = false;
    listener.close();
    if (address.path !== undefined) removeSocket(address.path);
  };
  void accept();
  const { hostname, port } = listener.addr;
  return { address: address.path === undefined ? { host: hostname!, port: port! } : address, close };
}

/** Deno leaves the file in place, and it would keep the next listener from using the path. */
function removeSocket(path: string): void {
  try {
    Deno.removeSync(path);
  } catch (cause) {
    if (!(cause instanceof Deno.errors.NotFound)) throw cause;
  }
}

async function connect(address: Address, signal: AbortSignal): Promise<SocketChannel> {
  const connecting = Deno.connect(toDenoAddress(address));
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const abort = () => {
    reject(signal.reason);
    // Deno cannot cancel the attempt: a connection that still comes is closed.
    connecting.then((connection) => connection.close(), () => {});
  };
  if (signal.aborted) abort();
  signal.addEventListener("abort", abort);
  try {
    return new DenoSocket(await Promise.race([connecting, aborted]));
  } finally {
    signal.removeEventListener("abort", abort);
  }
}

/** The sockets of Deno. */
export const tcp: Tcp = { listen, connect };

/** How long a response that fits into the buffers of the system may take to reach them, in milliseconds. */
const FLUSH_MS = 50;

/** Listens for HTTP. */
// deno-lint-ignore require-await -- so that what it throws rejects
export async function listenHttp(
  { hostname, port }: ListenOptions,
  answer: (request: Request, info: FetchInfo) => Promise<Response>,
): Promise<Listening> {
  silenceAbortWarning();
  const controller = new AbortController();
  const unfinished = new Set<Promise<void>>();
  const server = Deno.serve({
    hostname,
    port,
    signal: controller.signal,
    onListen: () => {},
    onError: () => new Response(null, { status: 500 }),
  }, (request, info) =>
    // Deno's information about a request is read only when needed: that costs as much as a small response.
    answer(request, {
      get remoteAddress() {
        return hostAndPort(info.remoteAddr.hostname, info.remoteAddr.port);
      },
      onlong() {
        const finished = info.completed.catch(() => {}).then(() => void unfinished.delete(finished));
        unfinished.add(finished);
      },
    }));
  return {
    hostname: server.addr.hostname,
    port: server.addr.port,
    // Deno can only stop accepting together with a graceful shutdown, which could not be cut short then.
    stop: () => {},
    async close(graceMs): Promise<void> {
      await delay(FLUSH_MS);
      await Promise.race([Promise.all(unfinished), delay(graceMs)]);
      controller.abort();
      await server.finished;
    },
  };
}

function delay(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

let isSilenced = false;

/** Drops the one warning of Deno that a request's signal is aborted after the response too, which is fine here. */
function silenceAbortWarning(): void {
  if (isSilenced) return;
  isSilenced = true;
  const { console } = globalThis;
  const { warn } = console;
  const filter = (...words: unknown[]) => {
    if (!String(words[0]).startsWith("Deno.serve: request.signal aborts")) return warn.apply(console, words);
    if (console.warn === filter) console.warn = warn;
  };
  console.warn = filter;
}
