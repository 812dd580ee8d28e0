/** What Deno lends us of TCP and Unix domain sockets. Loaded by `tcp.ts`, and by nothing else. */

import type { ByteEvents } from "../../deps.ts";
import type { Address, Listener, ListenerEvents, SocketChannel, Tcp } from "./tcp.ts";

/** As much of Deno as is borrowed, so that other compilers can check this file too. */
declare const Deno: {
  listen(options: DenoPlace): DenoListener;
  connect(options: DenoPlace): Promise<DenoConnection>;
  removeSync(path: string): void;
  readonly errors: { readonly NotFound: new () => Error };
};

interface DenoPlace {
  readonly transport: "tcp" | "unix";
  readonly hostname?: string;
  readonly port?: number;
  readonly path?: string;
}

interface DenoListener {
  readonly addr: DenoPlace;
  accept(): Promise<DenoConnection>;
  close(): void;
}

interface DenoConnection {
  readonly remoteAddr: DenoPlace;
  read(buffer: Uint8Array): Promise<number | null>;
  write(bytes: Uint8Array): Promise<number>;
  closeWrite(): Promise<void>;
  close(): void;
  setNoDelay?(on: boolean): void;
}

/** How long the other side may take to close once we have, in milliseconds: time for what is on its way to arrive. */
const LINGER_MS = 1000;
/** How long nobody is let in after somebody could not be, in milliseconds: what was short may be back by then. */
const RETRY_MS = 50;
/** What one read takes at least and at most, in bytes. Each connection waits with a buffer: idle ones with a small one. */
const MIN_READ_BYTES: number = 2 * 1024;
const MAX_READ_BYTES: number = 64 * 1024;

class DenoSocket implements SocketChannel {
  readonly remoteAddress: string | undefined;
  readonly #connection: DenoConnection;
  readonly #closed = Promise.withResolvers<void>();
  #events: ByteEvents | undefined;
  #state: "new" | "open" | "lingering" | "closed" = "new";
  #inputEnded = false;
  #paused: PromiseWithResolvers<void> | undefined;
  /** How many writes the system has not taken yet. */
  #writing = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(connection: DenoConnection) {
    this.#connection = connection;
    this.remoteAddress = nameOf(connection.remoteAddr);
    connection.setNoDelay?.(true);
  }

  get closed(): Promise<void> {
    return this.#closed.promise;
  }

  open(events: ByteEvents): void {
    this.#events = events;
    if (this.#state === "closed") return queueMicrotask(() => events.error(gone()));
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
    // Whoever closes has waited for what is being written already.
    if (this.#writing > 0 || this.#inputEnded) return this.#letGo();
    // What came in and is not read would make the system throw away what it has yet to send: so it is read.
    if (this.#state === "new") void this.#pump();
    this.#state = "lingering";
    this.resume();
    this.#timer = setTimeout(() => this.#letGo(), LINGER_MS);
    this.#connection.closeWrite().catch(() => this.#letGo());
  }

  abort(): void {
    const events = this.#events;
    this.#events = undefined;
    this.#letGo();
    events?.error(gone());
  }

  async #pump(): Promise<void> {
    let buffer = new Uint8Array(MIN_READ_BYTES);
    try {
      while (this.#state !== "closed") {
        const read = await this.#connection.read(buffer);
        // One that was asked for before the pause is held.
        await this.#paused?.promise;
        if (read === null) return this.#end();
        this.#events?.data(buffer.subarray(0, read));
        buffer = fitting(buffer, read);
      }
    } catch (cause) {
      if (this.#state === "closed") return;
      const events = this.#events;
      this.#events = undefined;
      this.#letGo();
      events?.error(cause);
    }
  }

  #end(): void {
    this.#inputEnded = true;
    if (this.#state === "lingering") return this.#letGo();
    this.#events?.end();
  }

  #letGo(): void {
    if (this.#state === "closed") return;
    this.#state = "closed";
    clearTimeout(this.#timer);
    this.resume();
    this.#connection.close();
    this.#closed.resolve();
  }
}

/** The buffer for the next read: a larger one for who sends much, a smaller one for who does not any more. */
function fitting(buffer: Uint8Array<ArrayBuffer>, read: number): Uint8Array<ArrayBuffer> {
  if (read === buffer.length && read < MAX_READ_BYTES) return new Uint8Array(2 * read);
  return read <= MIN_READ_BYTES && buffer.length > MIN_READ_BYTES ? new Uint8Array(MIN_READ_BYTES) : buffer;
}

function nameOf({ hostname, port }: DenoPlace): string | undefined {
  if (hostname === undefined) return undefined;
  return hostname.includes(":") ? `[${hostname}]:${port}` : `${hostname}:${port}`;
}

function gone(): Error {
  return new Error("The connection was let go");
}

function toPlace(address: Address): DenoPlace {
  if (address.path !== undefined) return { transport: "unix", path: address.path };
  return { transport: "tcp", hostname: address.host, port: address.port };
}

// deno-lint-ignore require-await -- what it throws is to be rejected with
async function listen(address: Address, events: ListenerEvents): Promise<Listener> {
  const listener = Deno.listen(toPlace(address));
  let isOpen = true;
  let retry: PromiseWithResolvers<void> | undefined;
  const accept = async () => {
    while (isOpen) {
      try {
        events.connection(new DenoSocket(await listener.accept()));
      } catch (cause) {
        if (!isOpen) return;
        events.error(cause);
        retry = Promise.withResolvers<void>();
        const timer = setTimeout(retry.resolve, RETRY_MS);
        await retry.promise;
        clearTimeout(timer);
      }
    }
  };
  const close = () => {
    if (!isOpen) return;
    isOpen = false;
    listener.close();
    retry?.resolve();
    if (address.path !== undefined) removeSocket(address.path);
  };
  void accept();
  const { hostname, port } = listener.addr;
  return { address: address.path !== undefined ? address : { host: hostname!, port: port! }, close };
}

/** Nobody else does: a path that stays would keep the next one from listening there. */
function removeSocket(path: string): void {
  try {
    Deno.removeSync(path);
  } catch (cause) {
    if (!(cause instanceof Deno.errors.NotFound)) throw cause;
  }
}

async function connect(address: Address, signal: AbortSignal): Promise<SocketChannel> {
  const connecting = Deno.connect(toPlace(address));
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const abort = () => {
    reject(signal.reason);
    // It comes too late, if it comes at all.
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

/** The adapter for Deno 2. */
export const tcp: Tcp = { listen, connect };
