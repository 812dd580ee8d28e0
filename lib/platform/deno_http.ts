/** How does Deno listen for HTTP? One of the places that spell a runtime's name. */

import type { FetchInfo } from "./fetch_exchange.ts";
import type { Listening, ListenOptions } from "./http.ts";
import { fetchListener } from "./fetch_exchange.ts";

/** As much of Deno as is borrowed, so that other compilers can check this file too. */
declare const Deno: {
  serve(
    options: {
      hostname: string;
      port: number;
      signal: AbortSignal;
      onListen(): void;
      onError(cause: unknown): Response;
    },
    handler: (request: Request, info: DenoInfo) => Promise<Response>,
  ): { readonly addr: { hostname: string; port: number }; readonly finished: Promise<void> };
};

interface DenoInfo {
  readonly remoteAddr: { readonly hostname?: string; readonly port?: number };
  readonly completed: Promise<void>;
}

/** How long an answer that fits into the buffers of the system may take to get there, in milliseconds. */
const MOMENT_MS = 50;

/** Listens. Rejects when the port cannot be had. */
// deno-lint-ignore require-await -- what it throws is to be rejected with
export async function listen({ hostname, port, respond }: ListenOptions): Promise<Listening> {
  hushDeno();
  const controller = new AbortController();
  const leaving = new Set<Promise<void>>();
  const answer = fetchListener(respond);
  const server = Deno.serve({
    hostname,
    port,
    signal: controller.signal,
    onListen: () => {},
    onError: () => new Response(null, { status: 500 }),
  }, (request, info) => answer(request, new Info(info, leaving)));
  return {
    hostname: server.addr.hostname,
    port: server.addr.port,
    // To take no further connection is to wait for all that there are, and nothing could cut them then.
    stop: () => {},
    async close(graceMs): Promise<void> {
      await pause(MOMENT_MS);
      await Promise.race([Promise.all(leaving), pause(graceMs)]);
      controller.abort();
      await server.finished;
    },
  };
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** What Deno knows of a request is looked at when it is asked for: that costs as much as a small answer. */
class Info implements FetchInfo {
  readonly #info: DenoInfo;
  readonly #leaving: Set<Promise<void>>;

  constructor(info: DenoInfo, leaving: Set<Promise<void>>) {
    this.#info = info;
    this.#leaving = leaving;
  }

  get remoteAddress(): string | undefined {
    const { hostname: name, port } = this.#info.remoteAddr;
    return name && `${name.includes(":") ? `[${name}]` : name}:${port}`;
  }

  onlong(): void {
    const left = this.#info.completed.catch(() => {}).then(() => void this.#leaving.delete(left));
    this.#leaving.add(left);
  }
}

let isHushed = false;

/** Deno says once, on the console, that the signal of a request is aborted after the answer too. It may be, here. */
function hushDeno(): void {
  if (isHushed) return;
  isHushed = true;
  const { console } = globalThis;
  const { warn } = console;
  const filter = (...words: unknown[]) => {
    if (!String(words[0]).startsWith("Deno.serve: request.signal aborts")) return warn.apply(console, words);
    if (console.warn === filter) console.warn = warn;
  };
  console.warn = filter;
}
